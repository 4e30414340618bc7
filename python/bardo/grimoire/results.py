"""Results of the verbs about facts, acts and entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bardo.model import Episode, Fact, Link

#: Before the number of a triple in its id, and digits of that number at most.
_TRIPLE, _DIGITS = "triple-", 18
Rank = Literal["observation", "insight", "heuristic", "playbook"]


@dataclass(frozen=True, slots=True)
class FactState:
    """A fact as it was for a while.

    Args:
        fact: The record as it was.
        from_tick: First tick at whose end it was like this.
        to_tick: Tick from which it was different; None for what holds today.
    """

    fact: Fact
    from_tick: int
    to_tick: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """How the claim of a fact was tested by windows of fresh episodes.

    Args:
        windows: How many.
        wealth: E-value: capital of a bettor against chance who began with 1.
        needed: The wealth from which it is believed on its own, among all that was ever tested.
    """

    windows: int
    wealth: float
    needed: float


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why a fact is believed.

    Args:
        fact: The record.
        confidence: At the current tick, 0..1.
        stated: How often it is to be expected to hold, going by the outcomes of facts that were so sure and by its own;
            the confidence itself before any.
        episodes: Those of its latest evidence that are still there, oldest first.
        support: How many episodes stand behind it in all.
        rank: How far it has risen: `observation`, `insight`, `heuristic`, or `playbook`.
        confirmed: Whether it holds on episodes that it was not made from.
        good: Outcomes above zero of acting on it.
        bad: Those below.
        trial: Its test; None if it states no hypothesis that the Curator tests.
        history: Every state it had, oldest first.
        links: From or to it.
    """

    fact: Fact
    confidence: float
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


@dataclass(frozen=True, slots=True)
class ActChange:
    """Change of one fact by an act.

    Args:
        fact: Its id.
        before: The fields that changed, as they were; None if the act brought the fact into being.
        after: The same fields as they became; of a new fact all.
    """

    fact: str
    before: dict[str, Any] | None
    after: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the journal: facts that were changed together, under a name.

    Args:
        number: By which it is undone.
        name: Who acted: `curator`, `lint`, `dream`, `undo 7`.
        tick: When.
        at: When, in microseconds UTC.
        undone_by: Number of the act that took it back; None if it stands.
        changes: What it did, fact by fact.
    """

    number: int
    name: str
    tick: int
    at: int
    undone_by: int | None
    changes: tuple[ActChange, ...]


@dataclass(frozen=True, slots=True)
class UndoReport:
    """Report of undoing an act.

    Args:
        act: Number of the act that took it back; undoing that one brings the first back.
        restored: Ids of facts that are as they were before.
        withdrawn: Ids of facts that the act had brought into being; they are archived.
        kept: What had changed again meanwhile and stays: fields by the id of their fact.
    """

    act: int
    restored: tuple[str, ...]
    withdrawn: tuple[str, ...]
    kept: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or thing that memories name.

    Args:
        name: The canonical name.
        kind: `person` (spoke, or has a title), `subject`, `handle`, `ticker`, `address`, or `name` for any other.
        aliases: Every other way it is written.
        mentions: Memories that name it.
        first_tick: Of the first of them; None before it.
        last_tick: Of the last of them.
    """

    name: str
    kind: str
    aliases: tuple[str, ...]
    mentions: int
    first_tick: int | None
    last_tick: int | None


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """An entity that is named together with another.

    Args:
        name: The canonical name.
        kind: See `Entity`.
        together: Memories that name both.
    """

    name: str
    kind: str
    together: int


@dataclass(frozen=True, slots=True)
class Triple:
    """Relation between two entities.

    Args:
        subject: Canonical name.
        predicate: What holds.
        object: Canonical name.
        confidence: 0..1.
        source: Id of the episode or fact that says so.
        valid_from: First tick at which it holds.
        valid_to: Tick from which it no longer holds; None while it does.
        id: By which `forget` deletes it.
    """

    subject: str
    predicate: str
    object: str
    confidence: float
    source: str | None
    valid_from: int
    valid_to: int | None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A web address, command or path in a memory.

    Args:
        value: As it stands there.
        record: The episode or fact.
    """

    value: str
    record: Episode | Fact


def triple_id(number: int) -> str:
    """The id of a triple with this number."""
    return f"{_TRIPLE}{number}"


def triple_number(id_: str) -> int | None:
    """The number in the id of a triple; none for any other id."""
    number = id_.removeprefix(_TRIPLE)
    return int(number) if id_.startswith(_TRIPLE) and number.isdecimal() and len(number) <= _DIGITS else None
