"""The values of conduct: what was decided or rejected, and rules with a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bardo.config import SECONDS_PER_DAY

StateKind = Literal["decision", "task", "rejected", "discovery", "learning", "context", "agent_state"]
StateStatus = Literal["active", "done", "archived"]

#: From this score a rule is critical: it is always shown, does not fade, and only a person retires it.
CRITICAL = 9.0
#: From this score a rule is shown before every action.
SHOWN = 8.0
#: Below this score a rule is retired.
LEAST, MOST = 1.0, 10.0
#: A rule starts here; one that a person gives starts as critical.
NEW = 5.0
#: Score that a rule loses for each whole week without confirmation, and gains by one.
STEP = 0.5
_WEEK = 7 * SECONDS_PER_DAY * 1_000_000


@dataclass(frozen=True, slots=True)
class StateEntry:
    """A decision, rejection, task or discovery that holds until it is ended.

    Args:
        id: `s` and a number.
        kind: What sort; `rejected` is what must not be suggested again.
        summary: In a sentence. Of a rejection: what was rejected ("short ETH on weekends"), not that it was.
        detail: Why, and what else is to be known.
        domain: What it belongs to, such as `trading`.
        status: Whether it is in force.
        by: Who said so.
        episode: Id of the episode that it was taken from; it goes when that is forgotten.
        at: When it was kept, microseconds UTC.
        changed_at: When it was last said or changed, microseconds UTC.
        closed_by: Who ended it.
        closed_why: Why.
    """

    id: str
    kind: StateKind
    summary: str
    detail: str = ""
    domain: str = ""
    status: StateStatus = "active"
    by: str = ""
    episode: str = ""
    at: int = 0
    changed_at: int = 0
    closed_by: str = ""
    closed_why: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How things are done, with a score of 1 to 10.

    Args:
        id: `r` and a number.
        text: The rule in words.
        forbids: The action that it forbids, in words; empty if it forbids none.
        approval: The action that needs a person's approval, in words; empty if none does.
        score: As of `confirmed_at`. From 9 on critical, from 8 on shown before every action.
        by: Who gave it.
        episode: Id of the episode that it was taken from; it goes when that is forgotten.
        at: When it was given, microseconds UTC.
        confirmed_at: When something last spoke for it, microseconds UTC.
        violations: How often it was broken.
        retired_by: Person who retired it; empty while it is not retired.
    """

    id: str
    text: str
    forbids: str = ""
    approval: str = ""
    score: float = NEW
    by: str = ""
    episode: str = ""
    at: int = 0
    confirmed_at: int = 0
    violations: int = 0
    retired_by: str = ""

    def score_at(self, now: int) -> float:
        """The score at a wall clock (microseconds UTC), which is a function of time alone (law 4).

        Critical rules keep theirs; others lose half a point for each whole week since they were confirmed.
        """
        if self.score >= CRITICAL:
            return self.score
        return max(0.0, self.score - STEP * (max(0, now - self.confirmed_at) // _WEEK))

    def in_force(self, now: int) -> bool:
        """Whether it is neither retired nor faded."""
        return not self.retired_by and self.score_at(now) >= LEAST
