"""Listing, lookup, grounds, histories and links of facts."""

from __future__ import annotations

import builtins
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING, Any

from bardo._core import confidence_now, fact_standing, retention_now
from bardo._validation import checked
from bardo.bequeath.content import tallies
from bardo.clock import MAX_TICK
from bardo.errors import NotFoundError
from bardo.grimoire.learner import as_learned, tell_of_arrival
from bardo.grimoire.results import FactState, Grounds, Trial, record_id
from bardo.grimoire.session import Session
from bardo.grimoire.stores import all_facts, facts_in_force
from bardo.model import ENDED, Episode, Fact, FactKind, FactStatus, Link, Relation, Source, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bardo._core import FactStore
    from bardo.clock import Ticks


#: Statuses of facts that hold, or held until a later one ended them.
HOLDING = frozenset({"active", "contradicted", "superseded"})


class Facts:
    """Facts that the agent knows; `Grimoire.facts`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @checked
    def list(
        self,
        *,
        kind: FactKind | None = None,
        category: str | None = None,
        subject: str | None = None,
        source: Source | None = None,
        status: FactStatus | None = "active",
        as_of: int | datetime | None = None,
        valid_at: int | datetime | None = None,
    ) -> builtins.list[Fact]:
        """Lists the facts that meet every condition given.

        Args:
            kind: Kind of the facts.
            category: Category, a slash path, with those below it.
            subject: Subject of the facts.
            source: Source of the facts.
            status: Status of the facts; None for every status.
            as_of: Past tick as of which to list them; where ticks are seconds, a datetime with a time zone too.
            valid_at: Instant at which statements hold by their `since` and `until`, including statements that have
                ended since; microseconds UTC or a datetime with a time zone. Lists only statements. With `as_of`,
                statements known at that tick to hold at the instant.
        """
        session = self._session
        session.ready()
        return facts_listed(
            session.facts, session.ticks, session.clock.now(), as_of=as_of, valid_at=valid_at,
            kind=kind, category=category, subject=subject, source=source, status=status,
        )  # fmt: skip

    @checked
    def get(self, fact: str | Fact) -> Fact:
        """Returns a fact as it is stored now.

        Args:
            fact: Fact or its id.

        Raises:
            NotFoundError: There is none.
        """
        session = self._session
        session.ready()
        fact_id = record_id(fact)
        (stored,) = session.facts.get([fact_id])
        if stored is not None:
            return stored
        if session.log.get([fact_id])[0] is not None:
            raise NotFoundError(f"{fact_id} is an episode, not a fact. Look it up with episodes.get()")
        raise NotFoundError(f"there is no fact {fact_id}. List what is there with facts.list(status=None)")

    @checked
    def why(self, fact: str | Fact) -> Grounds:
        """Returns the grounds of a fact: its episodes, its test, its history and its links.

        Args:
            fact: Fact or its id.

        Raises:
            NotFoundError: There is none.
        """
        session = self._session
        session.ready()
        id_ = record_id(fact)
        (record,) = session.facts.get([id_])
        if record is None:
            raise NotFoundError(f"no fact with id {id_}. List what is there with `bardo facts list --all`")
        episodes = [episode for episode in session.log.get(record.evidence) if episode is not None]
        rule = session.config.playbook
        standing = fact_standing(
            session.facts,
            id_,
            tick=session.ticks.now(),
            active_ticks=rule.active_ticks,
            confidence=rule.confidence,
        )
        trial, (good, bad, *_) = standing.trial, standing.outcomes or (0, 0)
        before = tallies.inherited(session.path).get(id_, tallies.Tally())
        return Grounds(
            fact=record,
            confidence=standing.confidence,
            retention=retention_now(record, tick=session.ticks.now(), tau_ticks=session.facts.tau_ticks),
            stated=session.facts.stated([id_], tick=session.ticks.now())[0] or 0.0,
            episodes=tuple(sorted(episodes, key=lambda episode: (episode.tick, episode.event_index))),
            support=record.support,
            rank=standing.rank,
            confirmed=standing.confirmed,
            good=good + before.good,
            bad=bad + before.bad,
            trial=trial and Trial(trial[0], exp(trial[1]), exp(trial[2])),
            history=tuple(self.history(id_)),
            links=tuple(self.links(id_)),
            corrections=_corrections(session, record),
        )

    @checked
    def history(self, fact: str | Fact) -> builtins.list[FactState]:
        """Lists the states of a fact and of those it replaced or was replaced by, oldest first.

        Args:
            fact: Fact or its id.

        Raises:
            NotFoundError: There is none.
        """
        self._session.ready()
        moment = self._session.ticks.moment
        return [
            FactState(then, start, end, moment(start), None if end is None else moment(end))
            for start, end, then in self._session.facts.states(record_id(fact))
        ]

    @checked
    def confidence(self, fact: str | Fact) -> float:
        """Returns the confidence of a fact at the current tick, 0..1.

        It is the confidence of its last confirmation, `Fact.confidence`, times its `retention`; that of
        anti-knowledge never falls below a floor.

        Args:
            fact: Stored fact, which is read again, or its id.

        Raises:
            NotFoundError: There is no fact with the id.
        """
        session = self._session
        return confidence_now(
            stored_fact(session.facts, fact), tick=session.now_tick, tau_ticks=session.facts.tau_ticks
        )

    @checked
    def retention(self, fact: str | Fact) -> float:
        """Returns how likely a fact still holds by its age and persistence, 0..1.

        Args:
            fact: Stored fact, which is read again, or its id.

        Raises:
            NotFoundError: There is no fact with the id.
        """
        session = self._session
        return retention_now(
            stored_fact(session.facts, fact), tick=session.now_tick, tau_ticks=session.facts.tau_ticks
        )

    @checked
    def supersede(self, old: str | Fact, new: str | Fact, *, confidence: float = 0.7) -> Fact:
        """Replaces a fact by a new one in one transaction; the old one stays, for `history` and `as_of`.

        Args:
            old: Fact or its id.
            new: Sentence, which takes kind, category, subjects, importance and pin from the old fact, or a whole
                `Fact`.
            confidence: Confidence of a sentence, 0..1.

        Returns:
            New fact as stored.

        Raises:
            NotFoundError: There is no old one.
            InvalidInputError: It was superseded before, or the new one is not valid.
        """
        session = self._session
        session.ready(write=True)
        tick, now = session.ticks.now(), session.clock.now()
        clean = session.made_prompts.cleaner()
        (before,) = session.facts.get([record_id(old)])
        if before is None:
            raise NotFoundError(
                f"there is no fact {record_id(old)}. Look it up with recall() or facts.list()"
            )
        fact = new if isinstance(new, Fact) else Fact(
            new, kind=before.kind, category=before.category, subjects=before.subjects, confidence=confidence,
            importance=before.importance, pinned=before.pinned,
        )  # fmt: skip
        fact = replace(
            as_learned(fact, clean), origin=fact.origin or session.facts.agent, created_tick=tick, reinforced_tick=tick,
            observed=fact.observed if any(fact.observed) else (tick, tick),
        )  # fmt: skip
        clean.tell(stacklevel=3)
        tell_of_arrival([fact], session.facts, tick=tick)
        (stored,) = session.facts.get([session.facts.supersede(before.id, fact, tick=tick, now=now)])
        session.hot.sync_facts(session.facts)
        if stored is None:
            raise NotFoundError("the new fact was deleted by another process while it was written. Try again")
        return stored

    @checked
    def contradict(self, one: str | Fact, other: str | Fact) -> str:
        """Links two contradicting facts; the weaker one drops to a confidence of at most .3 and expires in 14 days.

        An inherited fact drops by at least the doubled step. A pinned fact is the weaker one only against another
        pinned fact.

        Returns:
            Id of the weaker fact.

        Raises:
            NotFoundError: One of them does not exist.
            InvalidInputError: They are the same, or one was superseded before.
        """
        session = self._session
        session.ready(write=True)
        tick = session.ticks.now()
        expires = min(tick + session.ticks.expiry, MAX_TICK)
        weaker = session.facts.contradict(record_id(one), record_id(other), tick=tick, expires_tick=expires)
        session.hot.sync_facts(session.facts)
        return weaker

    @checked
    def link(self, src: str | Fact, dst: str | Fact, relation: Relation, *, weight: float = 1.0) -> None:
        """Adds a link between two facts, or changes the weight of an existing one.

        Args:
            src: Fact or its id.
            dst: Fact or its id.
            relation: Relation of the first to the second.
            weight: Weight, 0..1.

        Raises:
            NotFoundError: One of them does not exist.
        """
        session = self._session
        session.ready(write=True)
        session.facts.link(record_id(src), record_id(dst), relation, weight, tick=session.ticks.now())

    @checked
    def links(self, *facts: str | Fact) -> builtins.list[Link]:
        """Lists the links from or to any of these facts."""
        self._session.ready()
        return links_of(self._session.facts, facts)


def facts_listed(
    facts: FactStore,
    ticks: Ticks,
    now: int,
    *,
    as_of: int | datetime | None,
    valid_at: int | datetime | None,
    status: FactStatus | None,
    **conditions: Any,
) -> builtins.list[Fact]:
    """Lists the facts in force, or the statements that hold at an instant.

    Args:
        facts: Fact store.
        ticks: Logical time.
        now: Present time, microseconds UTC.
        as_of: Past tick or time as of which to list them.
        valid_at: Instant at which statements hold, of any status; None for facts of a status.
        status: Status of the facts; None for every status.
        conditions: Other conditions of `FactStore.list`.
    """
    tick = ticks.given("as_of", as_of)
    if valid_at is None:
        return facts_in_force(facts, now, status=status, as_of=tick, **conditions)
    found = all_facts(facts, status=None, as_of=tick, **conditions)
    instant = ticks.instant(valid_at, "valid_at")
    ends = {fact.id: fact.statement.until for fact in found if fact.statement is not None}
    return [
        fact
        for fact in found
        if fact.status in HOLDING and holds_at(fact.statement, instant, ends.get(fact.supersedes or ""))
    ]


def holds_at(statement: Statement | None, instant: int, replaced: int | None = None) -> bool:
    """Whether a statement holds at an instant by its bounds; False without a statement.

    Args:
        statement: The statement.
        instant: The instant, microseconds UTC.
        replaced: When the value that it replaced ended, from which it holds unless it says so itself.
    """
    if statement is None:
        return False
    begin = replaced if statement.since is None else statement.since
    return (begin is None or begin <= instant) and (statement.until is None or instant < statement.until)


def stored_fact(store: FactStore, fact: str | Fact) -> Fact:
    """The stored fact with the id of a fact, or with an id: a fact that was read earlier may have changed since.

    Raises:
        NotFoundError: There is no fact with the id.
    """
    id_ = record_id(fact)
    (stored,) = store.get([id_])
    if stored is None:
        raise NotFoundError(f"there is no fact {id_}. Look it up with recall() or facts.list()")
    return stored


def links_of(store: FactStore, facts: Iterable[str | Fact]) -> builtins.list[Link]:
    """Lists the links of a store from or to any of some facts."""
    return [Link(*link) for link in store.links([record_id(fact) for fact in facts])]


def _corrections(session: Session, fact: Fact) -> tuple[Episode, ...]:
    """Returns the episodes that ended a fact, oldest first."""
    if fact.status != "superseded":
        return ()
    links = links_of(session.facts, fact.evidence)
    behind = {
        link.src
        for link in links
        if link.relation == "corrects" and link.dst in fact.evidence and link.weight >= ENDED
    }
    (successor,) = session.facts.get([fact.superseded_by]) if fact.superseded_by else (None,)
    behind.update(() if successor is None else successor.evidence)
    found = (episode for episode in session.log.get(sorted(behind)) if episode is not None)
    return tuple(sorted(found, key=lambda episode: (episode.tick, episode.event_index)))
