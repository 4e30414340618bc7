"""Value types of conduct: entries of state (decisions, rejections, tasks) and rules with a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bardo.config import SECONDS_PER_DAY

StateKind = Literal["decision", "task", "rejected", "discovery", "learning", "context", "agent_state"]
StateStatus = Literal["active", "done", "archived"]

#: Minimum score of a critical rule, which is always shown, does not decay, and is retired by a person only.
CRITICAL = 9.0
#: Minimum score of a rule that is shown before every action.
SHOWN = 8.0
#: Minimum score, below which a rule is retired, and maximum score.
LEAST, MOST = 1.0, 10.0
#: Initial score of a rule; a rule given by a person starts as critical.
NEW = 5.0
#: Score that a rule loses per whole week without confirmation, and gains per confirmation.
STEP = 0.5
_WEEK = 7 * SECONDS_PER_DAY * 1_000_000


@dataclass(frozen=True, slots=True)
class StateEntry:
    """Decision, rejection, task or discovery that is in force until it is ended.

    Args:
        id: `s` and a number.
        kind: Kind of entry; `rejected` must not be suggested again.
        summary: Content in a sentence; of a rejection only the rejected action ("short ETH on weekends").
        detail: Reason and further details.
        domain: Subject area, such as `trading`.
        status: Whether the entry is in force.
        by: Author.
        episode: Id of the source episode; the entry is deleted when that is forgotten.
        at: Time of creation, microseconds UTC.
        changed_at: Time of the last repetition or change, microseconds UTC.
        closed_by: Name of the person or agent that ended the entry.
        closed_why: Reason for ending it.
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
    """Rule of conduct, with a score of 1 to 10.

    Args:
        id: `r` and a number.
        text: Text of the rule.
        forbids: Forbidden action in words; empty if there is none.
        approval: Action that needs a person's approval, in words; empty if there is none.
        score: Score as of `confirmed_at`; critical from 9 on, shown before every action from 8 on.
        by: Author.
        episode: Id of the source episode; the rule is deleted when that is forgotten.
        at: Time of creation, microseconds UTC.
        confirmed_at: Time of the last confirmation, microseconds UTC.
        violations: Number of violations.
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
        """Returns the score at a wall clock (microseconds UTC), a function of time alone (law 4).

        Critical rules keep their score; others lose half a point per whole week since their confirmation.
        """
        if self.score >= CRITICAL:
            return self.score
        return max(0.0, self.score - STEP * (max(0, now - self.confirmed_at) // _WEEK))

    def in_force(self, now: int) -> bool:
        """Whether the rule is neither retired nor decayed below the minimum score."""
        return not self.retired_by and self.score_at(now) >= LEAST
