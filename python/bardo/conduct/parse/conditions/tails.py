"""Tails of a rejection, which are no conditions: emphasis, answers, reasons, examples in parentheses, and exceptions.

In "don't page anybody below SEV2; #ops-quiet exists", the tail names no condition. In "never deploy on a Friday.
Rollbacks excepted.", it excepts an act.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.times import DAYS

#: Maximum number of cached texts.
_TEXTS = 16_384
_JOINT = lazy_pattern(r"(?<=[\w\"'`)%])(?<!\bi\.e)(?<!\be\.g)(?:[.!?;]+\s+|\s+[-–—]+\s+|:\s+)(?=\S)")
#: Beginning of a clause that states a condition of its own.
_STATES = lazy_pattern(
    r"(?:(?:and|but|also|so|nor|neither|or)\s+)*(?:only|except|unless|until|till|before|after|during|between|without|if|"
    r"when|while|not (?:in|on|at|before|after|during|between|over|under|above|below|with|without|more|less|from)|"
    r"(?:on|at|over|above|below|under|in|from) (?!the (?:other|contrary)|fact|any case))\b|"
    r".*\b(?:at (?:the )?(?:most|least)|(?:is|as) (?:the|our|a) (?:ceiling|maximum|limit|cap|floor|minimum)|"
    r"not an? \w+ (?:longer|more|less))\b",
    re.IGNORECASE,
)
#: Clause that only answers: "- no", ": never", "Ever.".
_ANSWER = lazy_pattern(
    r"(?:(?:please|so|that's|it's|is|a|an|absolutely|definitely|just|and|simply|not|never|no|nope|ever|again|don't|more|"
    r"thanks|thank you|final|period|whatsoever|at all|way|go)\b[\s,.!]*)+$|"
    r"(?:no|never|nope|don't|absolutely not)\s*[,.]",
    re.IGNORECASE,
)
#: Tail after a comma that excludes nothing and limits nothing: ", any day", ", phased or not", ", no".
_EMPHASIS = lazy_pattern(
    r",\s+(?:(?:in |on |at |for |by |of )?(?:any|what ?ever|which ?ever|however|no matter|regardless)\b[^,;.()]*|"
    r"(?:[\w-]+ ){1,4}or (?:not|otherwise|no)(?=\s*(?:$|[,;.]))|(?:also )?not (?:even|just)\b[^;.]*|"
    r"(?:at least )?one of (?:them|which|those)\b[^;.]*|"
    r"(?:absolutely not|don't|never), [^;.]*$|"
    r"(?:please,? )?(?:no|never|ever|don't|please|thanks|no more|absolutely not|at all)(?=\s*(?:$|[,;.:])))",
    re.IGNORECASE,
)
_PARENTHESIS = lazy_pattern(r"\s*\(([^()]*)\)")
_CLOCK = lazy_pattern(r"\d:\d\d|\b\d{1,2} ?[ap]m\b")
_EXCEPTED = lazy_pattern(
    r"(?P<what>[^,;.!]{2,60}?),? (?:(?:is|are) )?(?:excepted|excluded|exempt(?:ed)?)\b|"
    r"(?P<who>(?!(?:we|you|they|it|that|this|he|she|i|one|no ?body|some ?body)\b)[^,;.!]{2,60}?) "
    r"(?:(?-i:may|can)|(?:isn't|aren't|is not|are not|doesn't|don't) count(?:ed)?|"
    r"(?:is|are) (?:the )?only exceptions?)\b|"
    r"(?P<bare>[^,;.!]{2,60}?) (?:is|are) (?:fine|ok|okay|allowed)\b|"
    r"(?P<unlike>(?!(?:we|you|they|it|that|this|he|she|i)\b)[^,;.!]{2,40}?) (?:isn't|aren't|is not|are not)\s*$|"
    r"only (?!in|on|at|to|from|by|with|without|after|before|during|between|for|if|when|over|under|through|via|as)"
    r"(?P<only>[^,;.!]{2,60})",
    re.IGNORECASE,
)
#: Exception at the end of a clause: "no dogs, guide dogs excepted".
_EXCEPTED_END = lazy_pattern(
    r",\s+(?P<what>[^,;.!]{2,40}?) (?:excepted|excluded|exempt(?:ed)?)\s*$", re.IGNORECASE
)
_LEADING = lazy_pattern(r"^(?:(?:and|but|only|just|the|an?|our|so)\s+)+", re.IGNORECASE)


@lru_cache(_TEXTS)
def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Splits a rejection from its tails.

    Args:
        text: Rejection.

    Returns:
        Rejection without its tails, and the exceptions that these make, as conditions: "excepting rollbacks".
    """
    excepted: list[str] = []

    def bare(match: re.Match[str]) -> str:
        inside = match[1].strip()
        if _CLOCK.search(inside) or _STATES.match(inside):
            return f" {inside}" if _CLOCK.search(inside) else f", {inside}"
        excepted.extend(_exceptions(inside))
        return ""

    plain = _PARENTHESIS.sub(bare, text)
    # A colon or dash of quoted code joins no clauses.
    joints = [each for each in _JOINT.finditer(plain) if plain.count("`", 0, each.start()) % 2 == 0]
    begins, ends = [0, *(each.end() for each in joints)], [*(each.start() for each in joints), len(plain)]
    kept = plain[: ends[0]]
    for place, (begin, end) in enumerate(zip(begins[1:], ends[1:], strict=True)):
        clause = plain[begin:end]
        is_first = RESTRICTS.search(kept) is None and RESTRICTS.search(clause) is not None
        if found := _exceptions(clause):
            excepted += found
        elif not _ANSWER.match(clause) and (is_first or _STATES.match(clause)):
            kept += plain[joints[place].start() : end]
    if (last := _EXCEPTED_END.search(kept)) is not None:
        excepted.append(last["what"])
        kept = kept[: last.start()]
    kept = _EMPHASIS.sub("", kept)
    names = (_LEADING.sub("", each.strip()) for each in excepted)
    return (kept if kept.strip() else text), tuple(_named(each) for each in names if each)


def _named(excepted: str) -> str:
    """Returns an exception as a condition: of a weekday, which a date of the action decides, or in words."""
    day = excepted.lower().removesuffix("s")
    return f"except on {day}" if day in DAYS else f"excepting {excepted}"


def _exceptions(clause: str) -> list[str]:
    """Returns what a clause excepts; none if it excepts nothing."""
    found = _EXCEPTED.match(clause)
    return [] if found is None else [next(filter(None, found.groups()))]
