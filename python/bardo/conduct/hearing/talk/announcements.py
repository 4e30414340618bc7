"""Recognises an agent's announcement of a single act, which is no rule: "I'm going to delete every old branch"."""

from __future__ import annotations

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.answers import proposal
from bardo.conduct.parse.actions import operations

#: Words by which an agent takes on a habit: "from now on I'll run the tests first".
_LASTING = lazy_pattern(
    r"\b(?:always|never|whenever|(?:every|each) time|from (?:now|today|here) on|in future|going forward|as a rule|"
    r"(?:before|after|ahead of) (?:every|each|any)|habit|standing|as you)\b"
)


def is_announcement(text: str) -> bool:
    """Whether an agent announces or proposes one act of a known operation, and takes on no habit.

    Args:
        text: Words of the agent.
    """
    named, _ = operations.in_prose(proposal(text))
    return bool(named) and _LASTING.search(text.casefold()) is None
