"""Wording that a rejection quotes and does not want written: "don't write 'guaranteed' or 'safe'"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.rejections import wording

#: Maximum number of cached texts.
_TEXTS = 16_384
_QUOTE = (
    r"(?:(?<![\w'’])'(?P<{0}1>[^'’\n]{{1,60}}?(?:['’]\w[^'’\n]*?)?)['’](?!\w)|"
    r"[\"“](?P<{0}2>[^\"“”\n]{{1,60}})[\"”]|(?<!\w)‘(?P<{0}3>[^’\n]{{1,60}})’(?!\w))"
)
_QUOTED = lazy_pattern(_QUOTE.format("q"))
#: Verbs and nouns of wording, before the quote.
_SAID = lazy_pattern(
    r"\b(?:writ(?:e|ing|es)|say(?:ing|s)?|us(?:e|ing)|print(?:ing)?|put(?:ting)?|"
    r"call(?:ing)? (?:[\w-]+ ){1,3}?|words?|phrases?|terms?|"
    r"stop with|with|opens? with|starts? with|begins? with|ends? with|promis(?:e|ing)|"
    r"claim(?:ing)?|advertis(?:e|ing)|tag(?:ging)?|label(?:l?ing)?)\s*"
    r"(?:(?:the|a|any|our|words?|phrases?|terms?|like|of|as|anything like|things like|it|them|us) )*$",
    re.IGNORECASE,
)
#: Noun of wording directly before the quote, which needs no verb: "the word 'guests'".
_WORD = lazy_pattern(r"\b(?:words?|phrases?|terms?)\s*$", re.IGNORECASE)
#: Refusal directly before the quote: "no 'mature content' stickers".
_NO = lazy_pattern(r"\bno(?: more| new)?\s*$", re.IGNORECASE)
#: Nouns of what has the wording, alone after a quote at the beginning: "'QUIET PLEASE' signs."
_HAVING = lazy_pattern(r"\s+[a-z-]+s?(?: [a-z-]+s)?\s*(?:$|[.!]|\s[-–—])")
_LIST = lazy_pattern(r"\s*(?:,|,? (?:or|and|nor)|/)\s*(?:the |an? )?")
#: Place of the wording.
_PLACE = lazy_pattern(
    r"\s*(?:and (?:such|the like) )?(?:(?:anywhere|ever|at all) )?(?:in|on|from|for|to|at) (?P<place>[^.,;:–—()'\"]+)",
    re.IGNORECASE,
)
_LATER = lazy_pattern(r"\b(?:unless|until|except|if|when|while|but|without)\b", re.IGNORECASE)
_SENTENCE_END = lazy_pattern(r"(?<=\w)[.;!?](?:\s|$)")
_REFUSED = lazy_pattern(r"\b(?:no|never|not|none|nowhere|banned|forbidden|out|don't|stop)\b", re.IGNORECASE)


class Wording(NamedTuple):
    """Wording that is not to be written.

    Args:
        quotes: Quoted texts, any of which is the wording.
        place: Words of the place to which the rejection is limited; empty if there is none.
        is_narrowed: Whether other conditions may limit it.
    """

    quotes: tuple[str, ...]
    place: str
    is_narrowed: bool


@lru_cache(_TEXTS)
def of_text(text: str) -> Wording | None:
    """Returns the wording that a rejection quotes; None if it quotes none, or in another role.

    Args:
        text: Text of a rejection.
    """
    found = list(_QUOTED.finditer(text))
    if not found:
        return None
    first = found[0]
    before = text[: first.start()]
    is_said = _SAID.search(before) is not None and FORBIDS.search(before) is not None
    is_word = _WORD.search(before) is not None or _NO.search(before) is not None
    if before.strip() and not (is_said or is_word):
        return None
    quotes = [_content(first)]
    end = first.end()
    for match in found[1:]:
        if _LIST.fullmatch(text[end : match.start()]) is None:
            break
        quotes.append(_content(match))
        end = match.end()
    rest = text[end:]
    clause = _SENTENCE_END.split(rest)[0]
    # A quote at the beginning is refused by what follows; "the word 'x'." by itself.
    if not before.strip() and not (_REFUSED.search(rest) or _HAVING.match(rest)):
        return None
    place = (_PLACE.search if _NO.search(before) else _PLACE.match)(clause)
    return Wording(
        tuple(filter(None, quotes)),
        "" if place is None else place["place"].strip(),
        _LATER.search(wording.straight(clause)) is not None,
    )


def _content(match: re.Match[str]) -> str:
    """Returns the text in quotation marks."""
    return (match["q1"] or match["q2"] or match["q3"] or "").strip(" .,!?")
