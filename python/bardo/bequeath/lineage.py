"""Lineage of agents: parents, causes of death, and the tombstone of a dead grimoire."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bardo._atomic import damaged, read_json, write_json
from bardo._printed import printed
from bardo.clock import MAX_TICK
from bardo.folder import TOMBSTONE_FILE
from bardo.model import INHERITED_KIND

if TYPE_CHECKING:
    from bardo._core import EpisodeLog, FactStore

LINEAGE_FILE = "lineage.json"
#: Maximum generation of a life or an entry; the store counts generations in 32 bits.
GENERATION_LIMIT = 2**31 - 1
#: Maximum number of ancestors in a testament; the eldest are dropped first.
ANCESTOR_LIMIT = 1_024
#: Episodes read at a time.
_PAGE = 256


@dataclass(frozen=True, slots=True)
class Parent:
    """Parent of an agent, from whose testament it inherited.

    Args:
        agent: Name of the testator.
        generation: Generation of the testator.
        testament: BLAKE3 of the testament's manifest, in hexadecimal.
        signer: Ed25519 public key of the signer, in hexadecimal; empty in records of older versions.
        limited: Whether the testament was accepted with limits, since its signer was unknown.
        replaced: Hashes of other testaments of the same life, superseded by this one.
    """

    agent: str
    generation: int
    testament: str
    signer: str = ""
    limited: bool = False
    replaced: tuple[str, ...] = ()

    _printed = (
        "agent",
        "generation",
        "limited",
    )
    __str__ = printed

    def is_of_same_life(self, other: Parent) -> bool:
        """Whether both testaments are of the same life; a grimoire signs with exactly one key."""
        return bool(self.signer) and (self.signer, self.agent) == (other.signer, other.agent)

    def joined(self, earlier: Parent) -> Parent:
        """Merges this parent with an earlier record of the same life."""
        stands, falls = (self, earlier) if earlier.testament in self.replaced else (earlier, self)
        others = dict.fromkeys((*stands.replaced, falls.testament, *falls.replaced))
        replaced = tuple(one for one in others if one != stands.testament)
        return dataclasses.replace(stands, replaced=replaced, limited=self.limited and earlier.limited)


@dataclass(frozen=True, slots=True)
class Life:
    """Record of one agent in a lineage.

    Args:
        agent: Name of the agent.
        generation: 0 for a founder, else one more than the highest generation among its parents.
        parents: Parents, in order of inheritance.
        birth_tick: First tick.
        death_tick: Last tick, once dead.
        cause: Cause of death.
        testament: Hash of the testament, once written.
        confirmed: Number of inherited entries confirmed by the agent's own experience.
        refuted: Number of inherited entries refuted by the agent's own experience.
        signer: Ed25519 public key of the testament's signer, in hexadecimal, once written.
        replaces: Hashes of earlier testaments of the same life, replaced by this one.
    """

    agent: str
    generation: int = 0
    parents: tuple[Parent, ...] = ()
    birth_tick: int = 0
    death_tick: int | None = None
    cause: str | None = None
    testament: str | None = None
    confirmed: int = 0
    refuted: int = 0
    signer: str = ""
    replaces: tuple[str, ...] = ()

    _printed = ("agent", "generation", "parents", "birth_tick", "death_tick", "cause")
    __str__ = printed

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Builds a life from the output of `dataclasses.asdict`.

        Raises:
            ValueError, TypeError, KeyError: The mapping has another shape.
        """
        parents = tuple(
            Parent(**{**parent, "replaced": tuple(parent.get("replaced", ()))})
            for parent in fields["parents"]
        )
        life = cls(**{**fields, "parents": parents, "replaces": tuple(fields.get("replaces", ()))})
        death = life.birth_tick if life.death_tick is None else life.death_tick
        generations = (life.generation, *(parent.generation for parent in parents))
        numbers = (life.birth_tick, death, life.confirmed, life.refuted, *generations)
        if not isinstance(life.agent, str) or any(
            type(number) is not int or not 0 <= number <= MAX_TICK for number in numbers
        ):
            raise ValueError("a life needs a name and whole numbers from 0 to 2**63 - 1")
        if max(generations) > GENERATION_LIMIT:
            raise ValueError(f"a life has at most {GENERATION_LIMIT} generations before it")
        return life


@dataclass(frozen=True, slots=True)
class Lineage:
    """Life of one agent with its known ancestors.

    Args:
        life: Life of the agent.
        ancestors: Lives of the ancestors, nearest generation first.
    """

    life: Life
    ancestors: tuple[Life, ...] = ()

    __str__ = printed

    @classmethod
    def founder(cls, agent: str, *, birth_tick: int = 0) -> Self:
        """Creates the lineage of an agent without parents."""
        return cls(Life(agent, birth_tick=birth_tick))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Reads `lineage.json` of a grimoire; returns None if there is none.

        Raises:
            StoreDamagedError: The file is not a lineage.
        """
        fields = read_json(folder / LINEAGE_FILE)
        if fields is None:
            return None
        try:
            return cls(Life.from_dict(fields["life"]), tuple(map(Life.from_dict, fields["ancestors"])))
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(folder / LINEAGE_FILE, error) from error

    def save(self, folder: Path) -> None:
        """Writes `lineage.json` atomically.

        Raises:
            StoreUnavailableError: The folder cannot be written.
        """
        write_json(folder / LINEAGE_FILE, dataclasses.asdict(self))

    def has_inherited(self, testament: str) -> bool:
        """Whether the agent already inherited the testament with this hash or its replacement."""
        return any(
            testament == parent.testament or testament in parent.replaced for parent in self.life.parents
        )

    def heir_of(self, testators: Iterable[Lineage], *, limited: Collection[str] = ()) -> Lineage:
        """Adds parents to this lineage; each testator's life must name its testament.

        Two testaments of one life (same key, same agent) make one parent: the replacement is used if one replaces the
        other, else the first one.

        Args:
            testators: Lineages from the testaments.
            limited: Hashes of the testaments with an unknown signer.
        """
        parents = list(self.life.parents)
        known = {(life.agent, life.testament): life for life in self.ancestors}
        for testator in testators:
            dead = testator.life
            if dead.testament is None or self.has_inherited(dead.testament):
                continue
            parent = Parent(
                dead.agent,
                dead.generation,
                dead.testament,
                dead.signer,
                dead.testament in limited,
                dead.replaces,
            )
            place = next((place for place, one in enumerate(parents) if one.is_of_same_life(parent)), None)
            if place is None:
                parents.append(parent)
            else:
                earlier = parents[place]
                parents[place] = parent.joined(earlier)
                if parents[place].testament != dead.testament:
                    continue
                known.pop((earlier.agent, earlier.testament), None)
            for life in (dead, *testator.ancestors):
                known.setdefault((life.agent, life.testament), life)
        eldest = max((parent.generation + 1 for parent in parents), default=self.life.generation)
        generation = min(eldest, GENERATION_LIMIT)
        life = dataclasses.replace(self.life, parents=tuple(parents), generation=generation)
        ancestors = sorted(
            known.values(), key=lambda life: (-life.generation, life.agent, life.testament or "")
        )
        return Lineage(life, tuple(ancestors[:ANCESTOR_LIMIT]))

    def died(self, *, tick: int, cause: str) -> Lineage:
        """Records the agent's death; the next testament replaces an earlier one of this life."""
        life = self.life
        before = (*life.replaces, life.testament) if life.testament else life.replaces
        life = dataclasses.replace(life, death_tick=tick, cause=cause, testament=None, replaces=before)
        return dataclasses.replace(self, life=life)

    def tried(self, *, confirmed: int = 0, refuted: int = 0) -> Lineage:
        """Adds to the counts of confirmed and refuted inherited entries."""
        life = self.life
        life = dataclasses.replace(life, confirmed=life.confirmed + confirmed, refuted=life.refuted + refuted)
        return dataclasses.replace(self, life=life)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Record of an agent's death in its folder; the grimoire is read-only from then on.

    Args:
        agent: Name of the agent.
        tick: Last tick.
        at: Time of death, microseconds UTC.
        cause: Cause of death.
        testament: Hash of the testament.
        file: Name of the testament file, without folder.
    """

    agent: str
    tick: int
    at: int
    cause: str
    testament: str
    file: str


def mark_dead(folder: Path, tombstone: Tombstone) -> None:
    """Marks a grimoire as dead permanently; an existing tombstone is not replaced.

    Raises:
        StoreUnavailableError: The folder cannot be written.
    """
    if is_dead(folder) is None:
        write_json(folder / TOMBSTONE_FILE, dataclasses.asdict(tombstone))


def is_dead(folder: Path) -> Tombstone | None:
    """Returns the tombstone of a grimoire, or None while its agent lives.

    Raises:
        StoreDamagedError: The file is not a tombstone; the grimoire must not be treated as alive.
    """
    fields = read_json(folder / TOMBSTONE_FILE)
    if fields is None:
        return None
    try:
        return Tombstone(**fields)
    except TypeError as error:
        raise damaged(folder / TOMBSTONE_FILE, error) from error


def lineage_of(folder: Path | None, log: EpisodeLog | None, facts: FactStore, *, tick: int) -> Lineage:
    """Returns the lineage of an agent; that of a founder if none is on record.

    Args:
        folder: Folder of the agent, if it has one.
        log: Episode log of the agent, if it has one.
        facts: Fact store of the agent.
        tick: Current tick, at which a life without any record begins.
    """
    if folder is not None and (known := Lineage.load(folder)) is not None:
        return known
    born = birth_tick(log, facts)
    return Lineage.founder(facts.agent, birth_tick=tick if born is None else born)


def birth_tick(log: EpisodeLog | None, facts: FactStore) -> int | None:
    """Returns the first tick of a life: that of its first episode or fact that was not inherited; None without any.

    Args:
        log: Episode log of the agent, if it has one.
        facts: Fact store of the agent.
    """
    own: int | None = None
    after: str | None = None
    while log and own is None and (page := log.range(0, MAX_TICK, after=after, limit=_PAGE)):
        own = next((episode.tick for episode in page if episode.kind != INHERITED_KIND), None)
        after = page[-1].id
    return min((tick for tick in (own, facts.first_tick()) if tick is not None), default=None)
