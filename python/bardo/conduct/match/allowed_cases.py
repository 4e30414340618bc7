"""Decides whether an action is a case that a person allowed of what a rejection forbids: "this once for tenant 88"."""

from __future__ import annotations

import re

from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.conditions import limits
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.vocabulary import stems_of

_FIGURE = re.compile(r"\d+(?:[.,]\d+)?")
#: Figure that bounds a case.
_MOST = re.compile(r"\bup to (\d+)")
#: Name with a sign, of which one is enough: `agent/*`.
_NAME = re.compile(r"[\w.-]+[/@_][\w*./-]*")
#: End of a part of an action that has an object of its own; "and from Medisupply" goes on with the one before.
_JOINT = re.compile(
    r"\s*(?:&&|\|\||;|\n)\s*|\s*,?\s+(?:and|plus|as well as|along with)\s+(?!(?:from|at|for|to|in|on|with|by|of)\b)"
)


def is_allowed(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action is one of the cases that a person allowed, and does nothing forbidden beside it.

    It has all figures and content words of the case, or one of its names with a sign; so has each part of the action
    that has a word of the rejection. An action that names in full what the case names in part is of another thing.

    Args:
        forbids: Data of a rejection.
        action: Parsed action.
    """
    if not forbids.allowed:
        return False
    own = _stems(" ".join((*forbids.things, *forbids.conditions, *forbids.verbs)))
    parts = [part for part in _JOINT.split(action.text) if part.strip()]
    concerned = [part for part in parts if not own.isdisjoint(_stems(part))] or parts
    return any(
        _is_case(case, action.text)
        and all(_is_case(case, part) for part in (concerned if len(parts) > 1 else ()))
        and not any(_names_more(thing, case, action) for thing in forbids.things)
        for case in forbids.allowed
    )


def _is_case(case: str, doing: str) -> bool:
    if not set(_FIGURE.findall(_MOST.sub("", case))) <= set(_FIGURE.findall(doing)):
        return False
    if any(limits.holds(f"above {most}", doing) is not False for most in _MOST.findall(case)):
        return False
    if any(name.rstrip("*") in doing for name in _NAME.findall(case)):
        return True
    wanted = _stems(case)
    return wanted <= _stems(doing) and (bool(wanted) or _FIGURE.search(case) is not None)


def _names_more(thing: str, case: str, action: ParsedAction) -> bool:
    """Whether an action names a thing in full of which a case has other words: staff's numbers, a person's number."""
    wanted, given = _stems(thing), _stems(case)
    return bool(wanted & given) and not wanted <= given and wanted <= action.stems


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for stem in stems_of(text) if not stem.isdigit()) - operation_table.framing_stems()
