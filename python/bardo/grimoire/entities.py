"""Entities that memories name, and the relations between them."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, SupportsIndex

from bardo._validation import checked
from bardo.capture.recorder import name_list
from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.statement_ends import StatementEnds
from bardo.errors import InvalidInputError
from bardo.grimoire import results
from bardo.grimoire.results import Entity, RelatedEntity, Triple, record_id
from bardo.grimoire.session import Session
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from datetime import datetime


EntityKind = Literal["name", "subject", "handle", "ticker", "address", "person"]


class Entities:
    """Entities that memories name; `Grimoire.entities`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ends = StatementEnds(session.facts)

    @checked
    def list(
        self, name: str | None = None, *, kind: EntityKind | None = None, limit: int = 100
    ) -> builtins.list[Entity]:
        """Lists the entities that memories name, the most mentioned first.

        Entities are found without a model: speakers, subjects, occurrences of known names, and by their form
        capitalised sequences, handles, tickers and addresses in hexadecimal.

        Args:
            name: Name or alias of the entity.
            kind: Kind of entity.
            limit: Maximum number of entities.
        """
        self._session.ready_with_names()
        found = self._session.indexer.names.entities(name=name, kind=kind, limit=limit)
        return [_entity(entity) for entity in found]

    @checked
    def of(self, record: str | Episode | Fact) -> builtins.list[Entity]:
        """Lists the entities that an episode or fact names."""
        self._session.ready_with_names()
        return [_entity(entity) for entity in self._session.indexer.names.entities(memory=record_id(record))]

    @checked
    def related(self, name: str, *, limit: int = 20) -> builtins.list[RelatedEntity]:
        """Lists the entities named in the same memories as this one, the most frequent first.

        Raises:
            NotFoundError: There is no such entity.
        """
        self._session.ready_with_names()
        return [results.RelatedEntity(*found) for found in self._session.indexer.names.related(name, limit)]

    @checked
    def merge(self, into: str, names: Sequence[str]) -> int:
        """Merges several names into one entity; names without a memory become aliases.

        Args:
            into: Canonical name from now on.
            names: Other names of the same entity.

        Returns:
            Number of merged entities.
        """
        session = self._session
        session.ready(write=True)
        session.ready_with_names()
        merged = session.indexer.names.merge(into, name_list("names", names))
        session.indexer.read_names()
        return merged

    @checked
    def part(self, name: str, others: Sequence[str]) -> int:
        """Removes aliases from an entity, whether from `merge` or from texts.

        Memories that use such a name are read again, and name a separate entity from then on. Triples stay with the
        entity that has them now: `forget` them, and `relate` again.

        Args:
            name: Name of the entity.
            others: Aliases to remove.

        Returns:
            Number of removed aliases.

        Raises:
            NotFoundError: There is no such entity, or a name is not one of its aliases.
        """
        session = self._session
        session.ready(write=True)
        session.ready_with_names()
        parted = session.indexer.names.part(name, name_list("others", others))
        session.indexer.read_names()
        return parted

    @checked
    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002  # the word of the trade
        *,
        confidence: float = 0.7,
        source: str | Episode | Fact | None = None,
        valid_from: SupportsIndex | None = None,
        valid_to: SupportsIndex | None = None,
        replaces: bool = False,
    ) -> Triple:
        """Stores a relation between two entities, valid from one tick up to another.

        Args:
            subject: Name of an entity, which is made if new.
            predicate: Relation, such as `works for`.
            object: Name of an entity, which is made if new.
            confidence: Confidence, 0..1.
            source: Episode or fact that states it; deleting the source deletes the relation.
            valid_from: First tick at which it holds; the current one if not given.
            valid_to: Tick from which it no longer holds.
            replaces: Whether it ends the current relations of the subject with this predicate, and the statements of
                the slot that give another value. It always does where the predicate is an attribute that has one value
                at a time, such as `employer`, by `attributes.toml` or `curator.attributes`, and the relation holds now.
        """
        session = self._session
        session.ready(write=True)
        start = session.ticks.now() if valid_from is None else session.ticks.stamp(valid_from)
        end = None if valid_to is None else session.ticks.stamp(valid_to)
        origin = None if source is None else record_id(source)
        now = session.ticks.now()
        attributes = AttributeTable(session.config.curator.attributes)
        is_slot = attributes.is_named(predicate) and attributes.attribute(predicate).functional
        holds = start <= now and (end is None or end > now)
        number = session.indexer.names.relate(
            subject, predicate, object, confidence=confidence, source=origin, valid_from=start, valid_to=end,
            replaces=replaces or (is_slot and holds), tick=now,
        )  # fmt: skip
        return results.Triple(
            subject, predicate, object, confidence, origin, start, end, results.triple_id(number),
            self._moment(start), self._moment(end),
        )  # fmt: skip

    @checked
    def relations(
        self,
        entity: str | None = None,
        *,
        predicate: str | None = None,
        as_of: int | datetime | None = None,
        every: bool = False,
        limit: int = 1024,
    ) -> builtins.list[Triple]:
        """Lists relations between entities that hold, the latest first.

        These are those of `relate`, those that statements make between entities, and causal links among the facts.

        Args:
            entity: Entity at either end.
            predicate: Predicate of the relation.
            as_of: Tick at which it holds, the current one if not given; where ticks are seconds, a datetime with a time
                zone as well.
            every: Whether to list every relation, also ended and future ones; `valid_from` and `valid_to` tell when
                it holds.
            limit: Maximum number of relations.
        """
        session = self._session
        session.ready_with_names()
        if every and as_of is not None:
            raise InvalidInputError("as_of and every exclude each other. Pass one of them")
        tick = None if every else session.now_tick if as_of is None else session.ticks.given("as_of", as_of)
        found = session.indexer.names.triples(entity=entity, predicate=predicate, as_of=tick, limit=limit)
        if not every and as_of is None:
            ended = frozenset(self._ends.ended(session.clock.now()))
            found = [triple for triple in found if triple[4] not in ended]
        return [
            results.Triple(
                *triple[:7], results.triple_id(triple[7]), self._moment(triple[5]), self._moment(triple[6])
            )
            for triple in found
        ]

    def _moment(self, tick: int | None) -> int | None:
        """The instant of a tick; None where ticks are loops."""
        return None if tick is None else self._session.ticks.moment(tick)


def _entity(found: tuple[str, str, list[str], int, tuple[int, int] | None]) -> Entity:
    name, kind, aliases, mentions, seen = found
    first, last = seen or (None, None)
    return results.Entity(name, kind, tuple(aliases), mentions, first, last)
