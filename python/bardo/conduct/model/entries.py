"""Value types of conduct: entries of state (decisions, rejections, tasks), rules with a score, outcomes of actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bardo._printed import printed
from bardo.config import SECONDS_PER_DAY

if TYPE_CHECKING:
    from bardo.conduct.parse.forbids import Forbids

StateKind = Literal["decision", "task", "rejected", "discovery", "learning", "context", "agent_state"]
StateStatus = Literal["active", "done", "archived"]
#: Kinds of entries that state how things are, as facts do: a newer statement ends one that was heard.
STATEMENTS: tuple[StateKind, ...] = ("discovery", "learning", "context")
#: Kinds of entries of the agent's own work: it finishes also those that a person gave.
WORK: tuple[StateKind, ...] = ("task", "agent_state")
Result = Literal["passed", "failed"]
#: Lasting measure after an action: a changed flow, tool or check, only a rule, or nothing.
Answer = Literal["flow", "tool", "check", "rule", "nothing"]

#: Minimum score of a critical rule, which is always shown, does not decay, and is retired by a person only.
CRITICAL = 9.0
#: Minimum score of a rule that is shown before every action.
SHOWN = 8.0
#: Minimum score, below which a rule is retired, and maximum score.
LEAST, MOST = 1.0, 10.0
#: Initial score of a rule; a rule given by a person starts as critical.
NEW = 5.0
#: Score that a rule loses per night once it is unconfirmed for a week, and gains per confirmation.
STEP = 0.5
#: Beginning of the reason for the end of what a later statement replaced, before the id of the successor.
SUPERSEDED = "superseded by "
#: Beginning of the reason for the end of what a person allowed again, before the words of the person.
ALLOWED_AGAIN = "allowed again: "
#: Beginning of the reason for which a person's or agent's report ended a task.
REPORTED = "reported as done: "
#: Number of days without confirmation after which a rule begins to lose score.
CALM_DAYS = 7
#: Number of days after which a done entry is archived.
DONE_DAYS = 3
_DAY = SECONDS_PER_DAY * 1_000_000


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
        superseded_by: Id of the entry that replaced it; empty while none did.
        corrections: Corrections of what a rejection forbids, as JSON (`Forbids`); empty if there are none.
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
    superseded_by: str = ""
    corrections: str = ""

    _printed = (
        "summary",
        "kind",
        "detail",
        "status",
        "by",
        "at",
        "closed_by",
        "doubt",
        "id",
    )
    __str__ = printed

    @property
    def forbidden_action(self) -> str:
        """Returns the forbidden action in words; empty if the entry forbids nothing."""
        return self.summary if self.kind == "rejected" else ""

    @property
    def forbidden(self) -> Forbids:
        """Returns what a rejection forbids, as data: read from its summary, with its corrections."""
        from bardo.conduct.parse.rejections.forbidden import corrected

        return corrected(self.summary, self.corrections)

    @property
    def doubt(self) -> str:
        """Returns why it only warns, in words; empty if it blocks what it forbids."""
        from bardo.conduct.model.doubt import reason_of

        return reason_of(self.corrections)

    def as_of(self, now: int) -> StateEntry:
        """Returns the entry at a wall clock (microseconds UTC): archived three days after it was done."""
        is_old = self.status == "done" and now - self.changed_at >= DONE_DAYS * _DAY
        return replace(self, status="archived") if is_old else self


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
        retired_by: Person or agent that retired it; empty while it is not retired.
        uses: Number of passed actions to which it applied.
        failures: Number of failed actions to which it applied.
        retired_why: Reason for retiring it.
        corrections: Corrections of what `forbids` means, as JSON (`Forbids`); empty if there are none.
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
    uses: int = 0
    failures: int = 0
    retired_why: str = ""
    corrections: str = ""

    _printed = (
        "text",
        "score",
        "approval",
        "by",
        "at",
        "retired_by",
        "doubt",
        "id",
    )
    __str__ = printed

    @property
    def forbidden_action(self) -> str:
        """Returns the forbidden action in words; empty if the rule forbids nothing."""
        return self.forbids

    @property
    def forbidden(self) -> Forbids:
        """Returns what a rule forbids, as data: read from the words of the action, with its corrections."""
        from bardo.conduct.parse.rejections.forbidden import corrected

        return corrected(self.forbids, self.corrections)

    @property
    def doubt(self) -> str:
        """Returns why it only warns, in words; empty if it blocks what it forbids."""
        from bardo.conduct.model.doubt import reason_of

        return reason_of(self.corrections)

    @property
    def superseded_by(self) -> str:
        """Returns the id of the rule or decision that replaced it; empty while none did."""
        is_replaced = self.retired_why.startswith(SUPERSEDED)
        return self.retired_why.removeprefix(SUPERSEDED) if is_replaced else ""

    def score_at(self, now: int) -> float:
        """Returns the score at a wall clock (microseconds UTC), a function of time alone (law 4).

        Critical rules keep their score. Others lose half a point per night from the seventh day without confirmation.
        """
        if self.score >= CRITICAL:
            return self.score
        nights = max(0, (now - self.confirmed_at) // _DAY - CALM_DAYS + 1)
        return max(0.0, self.score - STEP * nights)

    def in_force(self, now: int) -> bool:
        """Whether the rule is neither retired nor decayed below the minimum score."""
        return not self.retired_by and self.score_at(now) >= LEAST


@dataclass(frozen=True, slots=True)
class Outcome:
    """Consolidated results of one action; earlier notes stay in its history.

    Args:
        id: `o` and a number.
        action: Action in words, or as a command.
        last: Latest result.
        passed: Number of passes.
        failed: Number of failures.
        note: Latest lesson from the action.
        applied: Ids of the rules that applied at the latest result, separated by spaces.
        answer: Answer to the question whether a flow, a tool or a check changed, or only a rule; empty if not answered.
        by: Author.
        episode: Id of the source episode; the outcome is deleted when that is forgotten.
        at: Time of the first result, microseconds UTC.
        changed_at: Time of the latest result, microseconds UTC.
    """

    id: str
    action: str
    last: Result = "passed"
    passed: int = 0
    failed: int = 0
    note: str = ""
    applied: str = ""
    answer: Answer | Literal[""] = ""
    by: str = ""
    episode: str = ""
    at: int = 0
    changed_at: int = 0

    __str__ = printed
