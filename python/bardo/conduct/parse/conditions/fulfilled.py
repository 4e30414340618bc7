"""Tells from fields and words of an action whether a requirement of a rejection is fulfilled.

`"po": ""` lacks what "without a PO number" wants, and `"po": "PO-3370"` has it.
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import fields

_CONSENTS = (
    r"(?:approv\w*|sign(?:ed|s)?(?:[- _]?off)?|agree[ds]?|consent\w*|ok|okay|confirm\w*|permission|permit(?:ted)?|"
    r"review(?:ed|s)?(?:[_ ]by)?|authori[sz]\w*|accepted)"
)
#: Field of an approval.
_APPROVAL = lazy_pattern(rf"(?:.*[_.-])?{_CONSENTS}(?:[_.-](?:by|no|id|ref|number|from|at))?", re.IGNORECASE)
_AUTHOR = lazy_pattern(
    r"(?:.*[_.-])?(?:author|opened_by|requested_by|created_by|submitter|requester)", re.IGNORECASE
)
#: Words that tell that a person has not been asked, or not answered.
_UNASKED = lazy_pattern(
    r"\b(?:has|have|had|does|do|did|is|are|was|were)(?:n['’]t| not)(?: \w+){0,2}? "
    rf"(?:know|known|asked|answer\w*|said|decid\w*|repl\w*|seen|look\w*|heard|told|{_CONSENTS})\b|"
    r"\bwithout (?:asking|waiting|telling|checking)\b|\b(?:no ?body|no one)(?: else)? has\b|"
    r"\b(?:gets?|will be|be) (?:told|asked|informed) (?:afterwards|later)\b|\bneed not (?:ask|check)\b",
    re.IGNORECASE,
)
#: Requirement of a person's word.
_OF_CONSENT = lazy_pattern(
    rf"\b(?:{_CONSENTS}|said (?:yes|so)|says? (?:yes|so)|asked|asking|told|"
    r"telling|knows?|checked|looked|seen|answered)\b",
    re.IGNORECASE,
)


def by_fields(stems: frozenset[str], action: str) -> bool | None:
    """Whether the fields of an action have what is named; None if they have no field of it.

    Args:
        stems: Stems of what is named.
        action: Action.
    """
    every = [each for each in fields.fields_of(action) if each.stems & stems]
    if not every:
        return None
    best = max(len(each.stems & stems) for each in every)
    return not all(each.is_empty for each in every if len(each.stems & stems) == best)


def is_approved(action: str) -> bool | None:
    """Whether a field of an action says that a person approved it, other than its author; None without one."""
    every = fields.fields_of(action)
    approvals = [each for each in every if _APPROVAL.fullmatch(each.name)]
    if not approvals:
        return None
    authors = {item.lower() for each in every if _AUTHOR.fullmatch(each.name) for item in each.items}
    return any(
        not each.is_empty and any(item.lower() not in authors for item in each.items) for each in approvals
    )


def is_unasked(condition: str, action: str) -> bool:
    """Whether a condition wants a person's word, and an action says that it is not given yet."""
    return _OF_CONSENT.search(condition) is not None and _UNASKED.search(action) is not None
