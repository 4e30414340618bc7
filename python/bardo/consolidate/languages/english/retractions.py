"""Words by which a speaker takes back what they said: "scratch the date I gave you", "what I wrote on it was false"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from bardo.consolidate.languages.english.cue_words import corrects
from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import lemma

#: Parts of speech that tell what is taken back.
_CONTENT = frozenset({"ADJ", "NOUN", "NUM", "PROPN", "VERB"})
#: A mark that ends a part of a sentence; the dot of "14.2" ends none.
_MARK = r"[,;:!]|\.(?!\w)|\s[-–—]+\s|$"


@dataclass(frozen=True, slots=True)
class Retraction:
    """Words of a speaker that a sentence takes back.

    Args:
        words: Lemmas of the content words for it.
        begin: Place of its first character in the text of the sentence.
        end: Place behind its last character.
    """

    words: frozenset[str]
    begin: int
    end: int


def retraction(sentence: Any) -> Retraction | None:
    """Words of a speaker that a sentence takes back; None if it takes back nothing, or does not name it.

    An order such as "ignore the warnings" takes back words of the speaker only if it names them as said, repeats them
    behind "that", or if the sentence tells of a mistake.

    Args:
        sentence: The parsed sentence.
    """
    text = str(sentence.text)
    order, judged, regretted = _patterns()
    found = judged.search(text) or regretted.search(text)
    if found is None and (found := order.search(text)) is not None:
        is_of_words = found["that"] or found["told"] is not None or corrects(text[found.end() :])
        found = found if is_of_words else None
    if found is None:
        return None
    begin, end = found.span("said")
    nothing = _table()["nothing"]
    named = [
        token
        for token in sentence
        if begin <= token.idx - sentence.start_char < end
        and token.pos_ in _CONTENT
        and lemma(token) not in nothing
        and len(lemma(token)) > 1
    ]
    # "Booked" of "the hall is booked for the party" can be another verb in the words that are taken back.
    things = [token for token in named if token.pos_ != "VERB"]
    words = frozenset(map(lemma, things if len(things) > 1 else named))
    return Retraction(words, begin, end) if words else None


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = cue_tables()["retractions"]
    return table


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of an order to drop what was said, of words that call it wrong, and of words that regret it."""
    listed = {name: "|".join(map(re.escape, words)) for name, words in _table().items()}
    told = rf"(?:I|we)(?:'d|'ve| had| have)? (?:{listed['told']})(?: (?:it|you))?\b"
    return (
        re.compile(
            rf"(?i)(?:^|{_MARK})\s*(?:(?:{listed['openings']}),? )*(?:{listed['orders']})"
            rf"(?P<that> that(?= (?:\S+ ){{2}}))?(?P<told>(?=(?:(?!{_MARK}).)*\b{told}))?(?P<said> (?:(?!{_MARK}).)+)"
        ),
        re.compile(
            rf"(?i)\b(?:what {told}(?: (?:about|of|on))?|(?:the|that|this|those|these)(?= (?:(?!{_MARK}).)+? {told}))"
            rf" (?P<said>(?:(?!{_MARK}).)+?) (?:is|are|was|were) (?:all |complete |just |plain |simply )?"
            rf"(?:{listed['wrong']})\b"
        ),
        re.compile(
            rf"(?i)\bI (?:{listed['regrets']}) (?:tell|say|claim|write|told|said|claimed|written)"
            rf"(?: (?:you|everyone|everybody))?(?: that)?(?P<said> (?:(?!{_MARK}).)+)"
        ),
    )
