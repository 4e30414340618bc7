"""Requirements of a rejected act: "never deploy without running the tests" forbids a deploy that shows no such run.

What is required is never forbidden itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern

#: Maximum number of cached texts.
_TEXTS = 16_384
_GERUND = r"(?:(?!(?:any|some|no|every)thing\b)[a-z-]+ing\b)"
_FINITE = (
    r"\b(?:is|are|was|were|has|have|had|can|will|did|does|passes|pass|passed|succeeds?|finish(?:es|ed)?|agrees?|"
    r"signs?|signed|works?|runs|ran|ends|ended)\b"
)
#: Clause of a requirement: an act, an option, or something that must be so. A mere thing is a scope of the act.
_REQUIREMENT = lazy_pattern(
    r"\s*,?\s*\b(?P<how>without (?=(?:(?!(?:the|an?|any)\b)[\w']+ ){0,2}" + _GERUND + r"|(?:\S+ )?--?\w)|"
    r"before (?:first )?(?=" + _GERUND + r"|[^,;!?]*" + _FINITE + r")|"
    r"(?:unless|until|till) (?!\d{1,2}(?::\d\d)? ?(?:[ap]m|h|o'?clock)\b)(?=\S+ \S))"
    r"(?P<need>(?:[^,;.!?]|\.(?=\w))+)(?=[,;.!?]|$)",
    re.IGNORECASE,
)
_FIRST = lazy_pattern(r"\s+(?:first|beforehand)$")
#: Prepositions of conditions that hold while something is missing.
_MISSING = ("without", "unless", "until", "till", "before")


@lru_cache(_TEXTS)
def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Splits a rejected act from what it requires.

    Args:
        text: Rejection without times and approvals.

    Returns:
        Rejection without its requirements, and these as conditions: "without running the tests", "until CI is green".
    """
    found = [*_REQUIREMENT.finditer(text)]
    needs = (f"{one['how'].strip().lower()} {_FIRST.sub('', one['need'].strip())}" for one in found)
    return _REQUIREMENT.sub(" ", text).strip(), tuple(dict.fromkeys(needs))


def is_requirement(condition: str) -> bool:
    """Whether a condition holds while what it names is missing.

    Args:
        condition: Condition as `split` names it.
    """
    return condition.startswith(_MISSING) and split(f"x {condition}")[1] != ()
