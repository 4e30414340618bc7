"""Tells whether an action writes or sends wording that a rejection quotes, and does not take it out or forbid it."""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.parse import heads
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.rejections import quoted_words
from bardo.conduct.parse.rejections.rejected_names import word_lists
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import stems_of, vocabulary

_UNKNOWN = Relation(Reading.UNKNOWN)
#: Words of an action that takes wording out, looks for it, or forbids it.
_TAKING_OUT = lazy_pattern(
    r"\b(?:remov\w*|delet\w*|replac\w*|strik\w*|struck|drop\w*|cut\w*|ban\w*|forbid\w*|"
    r"forbidden|avoid\w*|no longer|without|"
    r"instead of|rather than|never|not|lint\w*|flag\w*|search\w*|find\w*|grep|count\w*|"
    r"check\w*|review\w*|ask\w*|remind\w*|"
    r"word ?list|style ?guide|glossary|rule|whether|why|list of|explain\w*|discuss\w*|"
    r"rephras\w*|reword\w*|rewrit\w*|turn\w*|"
    r"chang\w* (?:[\w'’\" -]+ )?(?:to|into)|rename\w*)\b",
    re.IGNORECASE,
)
#: Command that substitutes one text for another: pattern and replacement.
_SUBSTITUTED = lazy_pattern(
    r"\bs(?P<mark>[/#|,])(?P<old>(?:(?!(?P=mark)).)*)(?P=mark)(?P<new>(?:(?!(?P=mark)).)*)(?P=mark)"
)
_QUOTATION = lazy_pattern(r"(?<!\w)['‘\"“][^'’\"”]{2,}['’\"”](?!\w)")
#: Sentence that tells what a text says: "the page now calls it safe", "subject: ...".
_TELLS = lazy_pattern(
    r"\bnow (?:calls?|says?|reads?|promises?|claims?|states?|describes?)\b|"
    r"^[\w./-]+\.\w{1,5}: ?['\"‘“]|"
    r"\b(?:sentence|headline|title|subject|caption|slogan|abstract)\b[^.]{0,40}:",
    re.IGNORECASE,
)
#: Stems of words of a place that name none.
_ANYTHING = frozenset({"anyth", "everyth", "everi", "ani", "our", "own"})


def compare(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns `SAME` if an action writes the quoted wording, `TOUCHES` if the place is left open, else `UNKNOWN`.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
    """
    wanted = quoted_words.of_text(rejection.text)
    if wanted is None or rejection.forbids.by:
        return _UNKNOWN
    texts = _written(action)
    quote = next((each for each in wanted.quotes if any(_pattern(each).search(text) for text in texts)), "")
    if not quote:
        return _UNKNOWN
    reason = f"wording {quote!r}"
    place = stems_of(wanted.place) - _ANYTHING
    place = place - vocabulary().incidental or place
    # Several words are the wording wherever it stands; a single one may be meant for one place alone.
    is_phrase = len(quote.split()) > 1
    is_there = not place.isdisjoint(action.stems) if is_phrase and place else place <= action.stems
    is_quoted = action.form != "prose" or is_phrase or _QUOTATION.search(action.text) is not None
    if wanted.is_narrowed or not is_there or not is_quoted:
        return Relation(Reading.TOUCHES, f"{reason}; whether at the place is left open", whole=True)
    return Relation(Reading.SAME, f"{reason} written", exact=True)


@lru_cache(4_096)
def _pattern(quote: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", quote)))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE if len(quote) > 2 else 0)


def _written(action: ParsedAction) -> list[str]:
    """Returns the texts that an action writes or sends."""
    if action.form == "prose":
        verbs = {verb for clause in heads.clauses_of(action) for verb in clause.verbs}
        is_written = not verbs.isdisjoint(word_lists()["writing"]) or _TELLS.search(action.text) is not None
        return [action.text] if is_written and not _TAKING_OUT.search(action.text) else []
    if action.reads or action.removes:
        return []
    if action.form == "command" and (found := list(_SUBSTITUTED.finditer(action.text))):
        return [match["new"] for match in found]
    spoken = (each.value for each in heads.fields_of(action) if each.key in heads.words().spoken)
    return [text for text in spoken if not _TAKING_OUT.search(text)]
