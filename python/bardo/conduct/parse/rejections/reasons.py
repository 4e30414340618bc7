"""Separates the prohibition in a text from the reports around it.

In "The site went down on Monday. Never restart nginx.", the report gives neither condition nor object.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import RESTRICTS
from bardo.consolidate.texts.vocabulary import PAST_IRREGULAR

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Minimum number of words of a sentence that reports; shorter ones may name the place of what follows.
_REPORT_WORDS = 3
_SENTENCE = lazy_pattern(r"(?<=[\w\"'`)])(?:[.!?;]+\s+|,?\s+(?:and )?so\s+)(?=\S)")
#: Beginning of a clause that gives a reason: a subject of its own, or a conjunction.
_REASON = lazy_pattern(
    r"(?<=[\w\"'`)])(?:[.!?;,]+\s+|\s+[-–—]+\s+)(?=(?:(?:on|in|at|last|this|one) (?:\S+ ){1,3}?)?"
    r"(?:i|we|you|it|they|he|she|that|there|the|this|these|those|our|my|your|its|their|someone|somebody)\b)|"
    r"(?<=[\w\"'`)]),?\s+(?=(?:because|since)\b)",
    re.IGNORECASE,
)
#: Sentence that forbids by its first words.
_FORBIDS = lazy_pattern(
    r"(?:(?:please|so|and|but|also|again|hence|therefore|just|ok(?:ay)?)[\s,:]+)*"
    r"(?:(?:(?:we|i|you|they|no ?body|the team)\s+|(?:we|you|they)'re\s+)?(?:(?:should|must|may|can|will|are)\s+)?"
    r"(?:never|no more|no|not|don't|do not|won't|can't|cannot|shouldn't|mustn't|stop|quit|avoid|refrain from|"
    r"hold off)\b|let(?:'s| us) not\b|(?:keep (?:your )?)?hands off\b|(?:under|in) no circumstances\b|"
    r"(?:leave|keep) .+ (?:alone|untouched|unchanged|as (?:it is|they are|is))\b)",
    re.IGNORECASE,
)
_LIMITS = lazy_pattern(
    r"\b(?:only|except|unless|until|instead|allowed|fine|okay|ok)\b|"
    r"\b(?:needs?|requires?) (?:at least )?(?:two|three|four|five|\d)",
    re.IGNORECASE,
)
#: Words that only answer or acknowledge, and name no place of what follows: "Good.", "OK, thanks."
_ACKNOWLEDGED = lazy_pattern(
    r"\W*(?:(?:yes|yep|yeah|no|nope|ok(?:ay)?|good|great|nice|fine|cool|perfect|right|sure|agreed|exactly|true|thanks|"
    r"thank you|well done|makes sense|got it|hi|hello|hey|morning|good (?:morning|idea|point|job))\W*)+",
    re.IGNORECASE,
)
#: Sentence that only tells of what the one before it names: "Saturday isn't.", "We decided against it."
_OF_BEFORE = lazy_pattern(
    r"[^,;]{2,40}? (?:isn't|aren't|is not|are not)[.!]*|[\w'/& -]{1,40}? or (?:nothing|none)[.!]*|"
    r"(?:we|i)\b[^.;]*\b(?:against|rejected|dropped|turned down) (?:it|this|that|them)[.!]*",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[a-z']+")
#: Verbs in the past that have no other form of these letters.
_PAST = (frozenset(PAST_IRREGULAR) | {"was", "were", "had", "did"}) - {
    "put", "set", "cut", "read", "left", "hit", "hurt", "quit", "beat", "let", "shut", "run", "found", "kept", "held",
    "became", "fed", "led", "lent", "knit", "bred", "saw", "felt", "wore", "tore", "made",
}  # fmt: skip


@lru_cache(_TEXTS)
def without_reports(text: str) -> str:
    """Returns a rejection without the reports before and after what it forbids.

    Args:
        text: Rejection with straight apostrophes.

    Returns:
        The text from its first sentence that forbids on, without later clauses in the past that forbid nothing.
    """
    begins = [0, *(joint.end() for joint in _SENTENCE.finditer(text))]
    ends = [*(joint.start() for joint in _SENTENCE.finditer(text)), len(text)]
    parts = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    first = next((place for place, part in enumerate(parts) if _FORBIDS.match(part)), None)
    if first is None:
        first = next((place for place, part in enumerate(parts) if _rules(part)), 0)
    told = (part for part in parts[:first] if not _ACKNOWLEDGED.fullmatch(part))
    if any(len(part.split()) < _REPORT_WORDS for part in told):
        return text
    return _without_reasons(text[begins[first] :])


def _rules(text: str) -> bool:
    """Whether words forbid, limit or allow."""
    is_rule = RESTRICTS.search(text) is not None or _LIMITS.search(text) is not None
    return is_rule and not _OF_BEFORE.fullmatch(text)


def _without_reasons(text: str) -> str:
    """Returns a text without the clauses after the first that report in the past."""
    joints = [*_REASON.finditer(text)]
    bounds = [*(joint.start() for joint in joints), len(text)]
    kept = text[: bounds[0]]
    for begin, end in pairwise(bounds):
        clause = text[begin:end]
        is_report = not _PAST.isdisjoint(_WORD.findall(clause.lower())) and not _rules(clause)
        kept += "" if is_report else clause
    return kept
