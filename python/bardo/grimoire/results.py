"""Results of methods about facts, acts and entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from bardo._printed import printed
from bardo.model import Episode, Fact, Link

#: Prefix of a triple's id, and maximum number of digits after it.
_TRIPLE, _DIGITS = "triple-", 18
Rank = Literal["observation", "insight", "heuristic", "playbook"]


@dataclass(frozen=True, slots=True)
class FactState:
    """State of a fact over a range of ticks.

    Args:
        fact: Record in this state.
        from_tick: First tick at whose end it had this state.
        to_tick: Tick from which it had another state; None for the current state.
        from_at: Instant of `from_tick`, microseconds UTC; None where ticks are loops.
        to_at: Instant of `to_tick`; None likewise, and for the current state.
    """

    fact: Fact
    from_tick: int
    to_tick: int | None
    from_at: int | None = None
    to_at: int | None = None

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Trial:
    """Test of a fact's hypothesis on windows of new episodes.

    Args:
        windows: Number of windows.
        wealth: E-value: capital of a bettor against chance who began with 1.
        needed: Wealth at which the test confirms it, corrected for all hypotheses ever tested.
    """

    windows: int
    wealth: float
    needed: float

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Grounds:
    """Evidence for a fact.

    Args:
        fact: Record of the fact.
        confidence: Confidence at the current tick, 0..1: evidence times retention.
        retention: Part of it that time has left, 0..1: how likely the fact still holds, apart from how sure it was.
        stated: Expected frequency at which it holds, from the outcomes of facts of equal confidence and its own; the
            confidence itself before any.
        episodes: Existing episodes of its latest evidence, oldest first.
        support: Number of supporting episodes in all.
        rank: Rank of the fact: `observation`, `insight`, `heuristic`, or `playbook`.
        confirmed: Whether it holds on episodes other than its evidence.
        good: Number of outcomes above zero of acting on it, in this life and in those of ancestors.
        bad: Number of outcomes below zero.
        trial: Test of the fact; None if it states no hypothesis that the Curator tests.
        history: States of the fact, oldest first.
        links: Links from or to it.
        corrections: Episodes that ended the fact: they correct those of its evidence, or are evidence of the fact that
            replaced it; oldest first.
    """

    fact: Fact
    confidence: float
    retention: float
    stated: float
    episodes: tuple[Episode, ...]
    support: int
    rank: Rank
    confirmed: bool
    good: int
    bad: int
    trial: Trial | None
    history: tuple[FactState, ...]
    links: tuple[Link, ...]
    corrections: tuple[Episode, ...] = ()

    __str__ = printed


@dataclass(frozen=True, slots=True)
class ActChange:
    """Change of one fact by an act.

    Args:
        fact: Id of the fact.
        text: Its text now.
        before: Changed fields before the act; None if the act created the fact.
        after: Changed fields after the act; all fields of a new fact.
    """

    fact: str
    text: str
    before: dict[str, Any] | None
    after: dict[str, Any]

    __str__ = printed

    @property
    def what(self) -> str:
        """Change of the fact: `new`, `ended by ending`, `disputed`, `archived`, or the fields that changed."""
        if self.before is None:
            return "new"
        status = self.after.get("status")
        if status is None:
            return f"changed {', '.join(self.after)}"
        words = _CHANGES_OF_STATUS.get(status, status)
        rule = self.after.get("ended_by")
        return f"{words} by {rule}" if rule else words


#: Change of a fact by its new status.
_CHANGES_OF_STATUS: Final = {
    "active": "in force again",
    "superseded": "ended",
    "contradicted": "disputed",
    "archived": "archived",
}


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the journal: a named set of changes of facts.

    Args:
        number: Number by which it is undone.
        name: Origin of the act: `curator`, `lint`, `dream`, `undo 7`.
        tick: Tick of the act.
        at: Time of the act, in microseconds UTC.
        undone_by: Number of the act that undid it; None if it is in force.
        changes: Changes by fact.
    """

    number: int
    name: str
    tick: int
    at: int
    undone_by: int | None
    changes: tuple[ActChange, ...]

    __str__ = printed


@dataclass(frozen=True, slots=True)
class UndoReport:
    """Report of undoing an act.

    Args:
        act: Number of the undoing act; undoing that one restores the first.
        restored: Ids of restored facts.
        withdrawn: Ids of facts that the act had created; they are archived.
        kept: Fields that have changed since and are not restored, by the id of their fact.
    """

    act: int
    restored: tuple[str, ...]
    withdrawn: tuple[str, ...]
    kept: dict[str, tuple[str, ...]]

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Entity:
    """Person or thing that memories name.

    Args:
        name: Canonical name.
        kind: `person` (spoke, or has a title), `subject`, `handle`, `ticker`, `address`, or `name` for any other.
        aliases: Other spellings of the name.
        mentions: Number of memories that name it.
        first_tick: Tick of the first of them; None before any.
        last_tick: Tick of the last of them.
    """

    name: str
    kind: str
    aliases: tuple[str, ...]
    mentions: int
    first_tick: int | None
    last_tick: int | None

    __str__ = printed


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """Entity named together with another.

    Args:
        name: Canonical name.
        kind: Kind as in `Entity`.
        together: Number of memories that name both.
    """

    name: str
    kind: str
    together: int

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Triple:
    """Relation between two entities.

    Args:
        subject: Canonical name of the first entity.
        predicate: Relation between the entities.
        object: Canonical name of the second entity.
        confidence: Confidence, 0..1.
        source: Id of the episode or fact that states it.
        valid_from: First tick at which it holds.
        valid_to: Tick from which it no longer holds; None while it does.
        id: Id, for `forget`.
        from_at: Instant of `valid_from`, microseconds UTC; None where ticks are loops.
        to_at: Instant of `valid_to`; None likewise, and while it holds.
    """

    subject: str
    predicate: str
    object: str
    confidence: float
    source: str | None
    valid_from: int
    valid_to: int | None
    id: str = ""
    from_at: int | None = None
    to_at: int | None = None

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Reference:
    """A web address, command or path in a memory.

    Args:
        value: Text of the reference, verbatim.
        record: Episode or fact that holds it.
    """

    value: str
    record: Episode | Fact

    __str__ = printed


def triple_id(number: int) -> str:
    """Returns the id of a triple with this number."""
    return f"{_TRIPLE}{number}"


def triple_number(id_: str) -> int | None:
    """Returns the number in the id of a triple; None for any other id."""
    number = id_.removeprefix(_TRIPLE)
    return int(number) if id_.startswith(_TRIPLE) and number.isdecimal() and len(number) <= _DIGITS else None


def record_id(record: str | Episode | Fact) -> str:
    """Returns the id of a record; an id is returned unchanged."""
    return record if isinstance(record, str) else record.id
