"""Exceptions in a rejection: times of what is to be done instead, and what alone is allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.negation import RESTRICTS

_ONLY = lazy_pattern(r"\bonly\b(?! if\b)", re.IGNORECASE)


def marked(
    text: str, found: Sequence[str], scopes: Sequence[tuple[str, str]]
) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    """Marks the conditions and scopes under which alone an act is allowed, as exceptions.

    Args:
        text: Rejection, such as "keys are only copied by Ana".
        found: Its conditions.
        scopes: Its scopes, each a preposition and words.
    """
    allowed = _allowed(text)
    return (
        tuple(f"except {each}" if each in allowed else each for each in found),
        [
            (f"except {preposition}" if f"{preposition} {words}" in allowed else preposition, words)
            for preposition, words in scopes
        ],
    )


def _allowed(text: str) -> frozenset[str]:
    """Returns the conditions after an "only" without a negation before it, which turns it round."""
    found = _ONLY.search(text)
    if found is None or RESTRICTS.search(text[: found.start()]):
        return frozenset()
    rest, named = conditions.split(text[found.end() :])
    return frozenset((*named, *map(" ".join, conditions.scopes(rest)[1])))


def times_besides(substitute: str, found: Sequence[str]) -> tuple[str, ...]:
    """Returns the times of a substitute, outside which the rejected act is forbidden: "only after 18:00".

    Args:
        substitute: Words of what is to be done instead of the rejected act.
        found: Conditions of the rejection. A time on the axis of one of them excepts nothing more.
    """
    axes = {conditions.axis(condition) for condition in found}
    times = (
        condition
        for condition in conditions.split(substitute)[1]
        if conditions.axis(condition) in conditions.TIMES
    )
    return tuple(f"except {condition}" for condition in times if conditions.axis(condition) not in axes)
