"""The verbs about what is known: histories, links, contradictions, entities, triples, and what texts hold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING, Literal, SupportsIndex

from bardo._core import FactStore, arrival_confidence, fact_standing
from bardo._lazy import modules
from bardo._validation import checked
from bardo._values import replace
from bardo.capture.recorder import name_list
from bardo.clock import MAX_TICK
from bardo.errors import BardoWarning, InvalidInputError, NotFoundError
from bardo.grimoire.session import Opened
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.assemble.copies import Cleaner
    from bardo.consolidate import calibration as calibrated
    from bardo.consolidate.calibration import Calibration
    from bardo.grimoire import results
    from bardo.grimoire.results import Entity, FactState, Finding, Grounds, Link, RelatedEntity, Triple
else:
    results, calibrated = modules("grimoire.results", "consolidate.calibration")

Relation = Literal["supports", "contradicts", "refines", "causes", "part_of", "see_also"]
EntityKind = Literal["name", "subject", "handle", "ticker", "address", "person"]


class Knowledge(Opened):
    """What a `Grimoire` answers about facts and what they hang together with."""

    def _settled(self) -> None:
        """Reads names from pending records, so that the answer is complete."""
        self._ready()
        self._upkeep.read_names()

    # -- facts among each other ----------------------------------------------------------------------------------

    @checked
    def history(self, fact: str | Fact) -> list[FactState]:
        """Every state of a fact and of those it replaced or was replaced by, oldest first.

        Args:
            fact: A fact or its id.

        Raises:
            NotFoundError: There is none.
        """
        self._ready()
        return [results.FactState(then, start, end) for start, end, then in self._facts.states(_id(fact))]

    @checked
    def why(self, fact: str | Fact) -> Grounds:
        """Why a fact is believed: its episodes, its test, its history and its links.

        Args:
            fact: A fact or its id.

        Raises:
            NotFoundError: There is none.
        """
        self._ready()
        id_ = _id(fact)
        (record,) = self._facts.get([id_])
        if record is None:
            raise NotFoundError(f"no fact with id {id_}. List what is there with `bardo facts --all`")
        episodes = [episode for episode in self._log.get(record.evidence) if episode is not None]
        rule = self.config.playbook
        standing = fact_standing(
            self._facts,
            id_,
            tick=self._ticks.now(),
            active_ticks=rule.active_ticks,
            confidence=rule.confidence,
        )
        trial, (good, bad, *_) = standing.trial, standing.outcomes or (0, 0)
        return results.Grounds(
            fact=record,
            confidence=standing.confidence,
            stated=self._facts.stated([id_], tick=self._ticks.now())[0] or 0.0,
            episodes=tuple(sorted(episodes, key=lambda episode: (episode.tick, episode.event_index))),
            support=record.support,
            rank=standing.rank,
            confirmed=standing.confirmed,
            good=good,
            bad=bad,
            trial=trial and results.Trial(trial[0], exp(trial[1]), exp(trial[2])),
            history=tuple(self.history(id_)),
            links=tuple(self.links(id_)),
        )

    def calibration(self) -> Calibration:
        """Whether confidences mean what they say: how often facts held that were about so sure (spec 12, "Quality").

        Every `outcome` is counted under the confidence that its facts had before it. `of(confidence)` of the answer is
        what a confidence is worth: a frequency, near the confidence itself while little was seen.
        """
        self._ready()
        counted = self._facts.calibration()
        return calibrated.Calibration(counted, tuple(counted.bins), counted.outcomes, counted.squares)

    @checked
    def supersede(self, old: str | Fact, new: str | Fact, *, confidence: float = 0.7) -> Fact:
        """Replaces a fact by what holds now: one transaction; the old one stays, for `history` and `as_of`.

        Args:
            old: A fact or its id.
            new: What holds now: a sentence, which is of the kind, category, subjects, importance and pin of the old
                one, or a whole `Fact`.
            confidence: Of a sentence, 0..1.

        Returns:
            The new fact as it is stored.

        Raises:
            NotFoundError: There is no old one.
            InvalidInputError: It was superseded before, or the new one is not valid.
        """
        self._ready(write=True)
        tick, now = self._ticks.now(), self._clock.now()
        clean = self._made_prompts.cleaner()
        (before,) = self._facts.get([_id(old)])
        if before is None:
            raise NotFoundError(f"there is no fact {_id(old)}. Look it up with recall() or facts()")
        fact = new if isinstance(new, Fact) else Fact(
            new, kind=before.kind, category=before.category, subjects=before.subjects, confidence=confidence,
            importance=before.importance, pinned=before.pinned,
        )  # fmt: skip
        fact = replace(
            as_learned(fact, clean), origin=fact.origin or self._facts.agent, created_tick=tick, reinforced_tick=tick,
            observed=fact.observed if any(fact.observed) else (tick, tick),
        )  # fmt: skip
        clean.tell(stacklevel=3)
        tell_of_arrival([fact], self._facts, tick=tick)
        (stored,) = self._facts.get([self._facts.supersede(before.id, fact, tick=tick, now=now)])
        self._hot.sync_facts(self._facts)
        if stored is None:
            raise NotFoundError("the new fact was deleted by another process while it was written. Try again")
        return stored

    @checked
    def link(self, src: str | Fact, dst: str | Fact, relation: Relation, *, weight: float = 1.0) -> None:
        """Draws a link between two facts, or changes the weight of the one that is there.

        Args:
            src: A fact or its id.
            dst: A fact or its id.
            relation: What the first is to the second.
            weight: 0..1.

        Raises:
            NotFoundError: One of them is not there.
        """
        self._ready(write=True)
        self._facts.link(_id(src), _id(dst), relation, weight, tick=self._ticks.now())

    @checked
    def links(self, *facts: str | Fact) -> list[Link]:
        """The links from or to any of these facts."""
        self._ready()
        return [results.Link(*link) for link in self._facts.links([_id(fact) for fact in facts])]

    @checked
    def contradict(self, one: str | Fact, other: str | Fact) -> str:
        """Two facts that cannot both hold: both are linked, the weaker falls to at most .3 and expires in 14 days.

        An inherited one falls by the doubled step at least; a pinned one gives way only to another pinned one.

        Returns:
            The id of the weaker.

        Raises:
            NotFoundError: One of them is not there.
            InvalidInputError: They are the same, or one is history already.
        """
        self._ready(write=True)
        tick = self._ticks.now()
        expires = min(tick + self._ticks.expiry, MAX_TICK)
        weaker = self._facts.contradict(_id(one), _id(other), tick=tick, expires_tick=expires)
        self._hot.sync_facts(self._facts)
        return weaker

    # -- entities ------------------------------------------------------------------------------------------------

    @checked
    def entities(
        self, name: str | None = None, *, kind: EntityKind | None = None, limit: int = 100
    ) -> list[Entity]:
        """Who and what memories name, the most mentioned first.

        Found without a model: speakers, subjects, known names wherever they stand, and by their form capitalised
        sequences, handles, tickers and addresses in hexadecimal.

        Args:
            name: Only the one with this name or alias.
            kind: Only of this kind.
            limit: At most so many.
        """
        self._settled()
        found = self._upkeep.names.entities(name=name, kind=kind, limit=limit)
        return [_entity(entity) for entity in found]

    @checked
    def entities_of(self, record: str | Episode | Fact) -> list[Entity]:
        """The entities that an episode or fact names."""
        self._settled()
        return [_entity(entity) for entity in self._upkeep.names.entities(memory=_id(record))]

    @checked
    def related(self, name: str, *, limit: int = 20) -> list[RelatedEntity]:
        """The entities that are named in the same memories as this one, the most often first.

        Raises:
            NotFoundError: There is no such entity.
        """
        self._settled()
        return [results.RelatedEntity(*found) for found in self._upkeep.names.related(name, limit)]

    @checked
    def merge_entities(self, into: str, names: Sequence[str]) -> int:
        """Makes several names one entity; names that nobody used yet become aliases.

        Args:
            into: The canonical name from now on.
            names: Other names of the same.

        Returns:
            How many entities became part of it.
        """
        self._ready(write=True)
        self._settled()
        merged = self._upkeep.names.merge(into, name_list("names", names))
        self._upkeep.read_names()
        return merged

    @checked
    def part_entities(self, name: str, others: Sequence[str]) -> int:
        """Takes other names away from an entity: what `merge_entities` gave it, or what texts did.

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
        self._ready(write=True)
        self._settled()
        parted = self._upkeep.names.part(name, name_list("others", others))
        self._upkeep.read_names()
        return parted

    # -- triples -------------------------------------------------------------------------------------------------

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
        self._ready(write=True)
        start = self._ticks.now() if valid_from is None else self._ticks.stamp(valid_from)
        end = None if valid_to is None else self._ticks.stamp(valid_to)
        origin = None if source is None else _id(source)
        number = self._upkeep.names.relate(
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
    ) -> list[Triple]:
        """What holds between entities, the latest first: what `relate` was told, and the causal links among the facts.

        Args:
            entity: Only with this one at either end.
            predicate: Only by this predicate.
            as_of: Only what holds at this tick; where ticks are seconds, a datetime with a time zone as well.
            limit: At most so many.
        """
        self._settled()
        tick = self._ticks.given("as_of", as_of)
        found = self._upkeep.names.triples(entity=entity, predicate=predicate, as_of=tick, limit=limit)
        return [results.Triple(*triple[:7], id=results.triple_id(triple[7])) for triple in found]

    # -- what texts hold -----------------------------------------------------------------------------------------

    @checked
    def find(
        self, *, url: str | None = None, command: str | None = None, path: str | None = None, limit: int = 50
    ) -> list[Finding]:
        """Memories that hold a web address, a shell command or a file path, by any fragment of it; the latest first.

        Args:
            url: Fragment of an address, such as `github.com/bardo`.
            command: Fragment of a command, such as `git rebase`.
            path: Fragment of a path, such as `src/lib.rs`.
            limit: At most so many.

        Raises:
            InvalidInputError: Not exactly one fragment was given.
        """
        given = [
            (kind, value) for kind, value in (("url", url), ("command", command), ("path", path)) if value
        ]
        if len(given) != 1:
            raise InvalidInputError(f"{len(given)} fragments were given. Pass one of url, command, path")
        self._settled()
        found = self._upkeep.names.find(*given[0], limit)
        ids = [record for record, _ in found]
        records: dict[str, Episode | Fact] = {}
        for record in (*self._log.get(ids), *self._facts.get(ids)):
            if record is not None:
                records[record.id] = record
        return [results.Finding(value, records[record]) for record, value in found if record in records]


def as_learned(fact: Fact, clean: Cleaner) -> Fact:
    """A fact without the copies of prompts in its text: what was injected is never learned as new (law 8).

    Raises:
        InvalidInputError: Nothing is left of it.
    """
    text = clean(fact.text)
    if not text or text.isspace():
        raise InvalidInputError(
            "the text of a fact is empty (recalled memories in it are not learned again). "
            "Say what is known in a sentence"
        )
    return fact if text == fact.text else replace(fact, text=text)


#: Confidence of a sentence that the agent learns itself.
LEARNED = 0.7


def confidence_learned(given: float | None, source: str) -> float:
    """The confidence of a sentence: as given, else .7, or less where the source arrives with less.

    Args:
        given: By the caller; None for the usual one.
        source: Where the sentence came from.
    """
    if given is not None:
        return given
    most = arrival_confidence(source)
    return LEARNED if most is None else min(LEARNED, most)


def tell_of_arrival(facts: Sequence[Fact], store: FactStore, *, tick: int) -> None:
    """Warns of facts that the store takes with another confidence, or an earlier end, than they were given.

    Args:
        facts: As they were given.
        store: Enforces the confidence and the end by source.
        tick: Of arrival.
    """
    told: dict[str, None] = {}
    latest = min(tick + store.expiry_ticks, MAX_TICK)
    for fact in facts:
        source = "testament" if fact.generation and arrival_confidence(fact.source) is None else fact.source
        most = arrival_confidence(source)
        if most is not None and (fact.confidence > most or (source == "derived" and fact.confidence < most)):
            told[
                f"a fact of source {source!r} starts at {most:g}, not at {fact.confidence:g}; outcomes raise it"
            ] = None
        if source == "dream" and fact.expires_tick is not None and fact.expires_tick > latest:
            told[f"a dream expires at tick {latest} unless it is confirmed, not at {fact.expires_tick}"] = (
                None
            )
    if told:
        warnings.warn("; ".join(told), BardoWarning, stacklevel=4)


def _id(record: str | Episode | Fact) -> str:
    return record if isinstance(record, str) else record.id


def _entity(found: tuple[str, str, list[str], int, tuple[int, int] | None]) -> Entity:
    name, kind, aliases, mentions, seen = found
    first, last = seen or (None, None)
    return results.Entity(name, kind, tuple(aliases), mentions, first, last)
