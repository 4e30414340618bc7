"""Entities that memories name, and the relations between them."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, SupportsIndex

from bardo._validation import checked
from bardo.capture.recorder import name_list
from bardo.grimoire import results
from bardo.grimoire.facts import record_id
from bardo.grimoire.results import Entity, RelatedEntity, Triple
from bardo.grimoire.session import Session
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from datetime import datetime


EntityKind = Literal["name", "subject", "handle", "ticker", "address", "person"]


class Entities:
    """The entities that memories name; `Grimoire.entities`.

    Args:
        session: The open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @checked
    def list(
        self, name: str | None = None, *, kind: EntityKind | None = None, limit: int = 100
    ) -> builtins.list[Entity]:
        """Lists the entities that memories name, the most mentioned first.

        Found without a model: speakers, subjects, known names wherever they stand, and by their form capitalised
        sequences, handles, tickers and addresses in hexadecimal.

        Args:
            name: Only the one with this name or alias.
            kind: Only of this kind.
            limit: At most so many.
        """
        self._session.ready_with_names()
        found = self._session.indexer.names.entities(name=name, kind=kind, limit=limit)
        return [_entity(entity) for entity in found]

    @checked
    def of(self, record: str | Episode | Fact) -> builtins.list[Entity]:
        """The entities that an episode or fact names."""
        self._session.ready_with_names()
        return [_entity(entity) for entity in self._session.indexer.names.entities(memory=record_id(record))]

    @checked
    def related(self, name: str, *, limit: int = 20) -> builtins.list[RelatedEntity]:
        """The entities that are named in the same memories as this one, the most often first.

        Raises:
            NotFoundError: There is no such entity.
        """
        self._session.ready_with_names()
        return [results.RelatedEntity(*found) for found in self._session.indexer.names.related(name, limit)]

    @checked
    def merge(self, into: str, names: Sequence[str]) -> int:
        """Makes several names one entity; names without a memory become aliases.

        Args:
            into: The canonical name from now on.
            names: Other names of the same.

        Returns:
            How many entities became part of it.
        """
        session = self._session
        session.ready(write=True)
        session.ready_with_names()
        merged = session.indexer.names.merge(into, name_list("names", names))
        session.indexer.read_names()
        return merged

    @checked
    def part(self, name: str, others: Sequence[str]) -> int:
        """Takes other names away from an entity: what `merge` gave it, or what texts did.

        Memories that use such a name are read again, and name an entity of their own from then on. Triples stay with
        the entity that has them now: `forget` them, and `relate` again.

        Args:
            name: The entity.
            others: Of its other names.

        Returns:
            How many names it lost.

        Raises:
            NotFoundError: There is no such entity, or a name is not one of its other names.
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
        """Keeps what holds between two entities, from one tick up to another.

        Args:
            subject: Name of an entity; a new one is made.
            predicate: What holds, such as `works for`.
            object: Name of an entity; a new one is made.
            confidence: 0..1.
            source: The episode or fact that says so; when that is deleted, so is this.
            valid_from: First tick at which it holds; the current one if not given.
            valid_to: Tick from which it no longer holds.
            replaces: Whether what the subject had by this predicate until now ends with it.
        """
        session = self._session
        session.ready(write=True)
        start = session.ticks.now() if valid_from is None else session.ticks.stamp(valid_from)
        end = None if valid_to is None else session.ticks.stamp(valid_to)
        origin = None if source is None else record_id(source)
        number = session.indexer.names.relate(
            subject, predicate, object, confidence=confidence, source=origin, valid_from=start, valid_to=end,
            replaces=replaces,
        )  # fmt: skip
        return results.Triple(
            subject, predicate, object, confidence, origin, start, end, results.triple_id(number)
        )

    @checked
    def relations(
        self,
        entity: str | None = None,
        *,
        predicate: str | None = None,
        as_of: int | datetime | None = None,
        limit: int = 1024,
    ) -> builtins.list[Triple]:
        """Lists relations between entities, the latest first: those of `relate`, and the causal links among the facts.

        Args:
            entity: Only with this one at either end.
            predicate: Only by this predicate.
            as_of: Only what holds at this tick; where ticks are seconds, a datetime with a time zone as well.
            limit: At most so many.
        """
        session = self._session
        session.ready_with_names()
        tick = session.ticks.given("as_of", as_of)
        found = session.indexer.names.triples(entity=entity, predicate=predicate, as_of=tick, limit=limit)
        return [results.Triple(*triple[:7], id=results.triple_id(triple[7])) for triple in found]


def _entity(found: tuple[str, str, list[str], int, tuple[int, int] | None]) -> Entity:
    name, kind, aliases, mentions, seen = found
    first, last = seen or (None, None)
    return results.Entity(name, kind, tuple(aliases), mentions, first, last)
