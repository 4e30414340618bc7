"""Recall over an open memory, including new records since the last recall and turns beside the results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from bardo._cached_property import locked_cached_property
from bardo._core import ChangeDetector, Changes
from bardo.grimoire.lifted import LiftedReader
from bardo.grimoire.session import Session
from bardo.grimoire.stores import latest_tick
from bardo.grimoire.writer import Writer
from bardo.model import NEUTRAL
from bardo.ports import Embedder
from bardo.recall import earlier_questions, neighbours, retriever, scope
from bardo.recall.cold_tier import TieredIndex
from bardo.recall.filters import Filters
from bardo.recall.options import OwnerRecallOptions, conditions, of_asker
from bardo.recall.retriever import Factors, Retriever
from bardo.recall.rules import RuleBook
from bardo.recall.situation import Situation
from bardo.recall.untold import Untold
from bardo.recall.withheld import Withheld

if TYPE_CHECKING:
    from bardo.index.embedding.migration import MigrationReport
    from bardo.recall.recollection import Recollection

#: Options passed to the retriever unchanged.
_OF_RETRIEVER = frozenset({"thread", "policy", "diversity", "pad", "secrets"})


class Retrieval:
    """Recalls memories.

    Args:
        session: Open memory.
        writer: Drains the inbox.
    """

    def __init__(self, session: Session, writer: Writer) -> None:
        self._session = session
        self._writer = writer
        self._detector = ChangeDetector(session.folder.inbox, session.facts)
        self._rules = RuleBook(session.facts)
        self._untold = Untold(session.log)
        self._lifted = session.closing(LiftedReader(session.path, session.facts))
        self._retriever: Retriever | None = None

    @locked_cached_property
    def everything(self) -> TieredIndex:
        """Index of all memories: the hot set, and LanceDB for older episodes."""
        session = self._session
        return TieredIndex(session.hot, session.log, lambda: session.indexer.archive, session.indexer.hosting)

    def recall(
        self, query: str, limit: int | None, options: OwnerRecallOptions, *, deciding: bool = False
    ) -> Recollection:
        """Implements `Grimoire.recall`.

        Args:
            query: Query in words.
            limit: Maximum number of memories.
            options: Options of the recall.
            deciding: Whether the query is the task of a prompt.
        """
        session = self._session
        session.ready()
        if not query.isascii():
            query = retriever.without_surrogates(query)
        behind: tuple[str, ...] = ()
        if (changes := self._detector.changes(session.log, session.facts)) is not None:
            behind = self._catch_up(changes)
        now = session.clock.now()
        asked: dict[str, Any] = {
            "query": of_asker(query, options.get("asker")), "limit": limit, "now_tick": session.now_tick, "now": now,
            "filters": None, "pad": NEUTRAL, "deciding": deciding, "asker": options.get("asker"),
        }  # fmt: skip
        factors: Factors | None = None
        narrowing: tuple[str, ...] = ()
        window = 0
        if options:
            asked |= {name: value for name, value in options.items() if name in _OF_RETRIEVER}
            if (moment := options.get("situation")) is not None:
                asked["situation"] = Situation.of(moment)
            factors, window = options.get("factors"), options.get("window", 0)
            if (narrow := conditions(cast("Mapping[str, Any]", options), session.ticks)) is not None:
                asked["filters"], narrowing = scope.narrowed(
                    narrow, self.everything, thread=options.get("thread"), session=options.get("session")
                )
        recollection = earlier_questions.behind(
            session.models.retry_on_model_switch(self._ask, factors, asked)
        )
        known, seen = recollection.facts, asked["filters"]
        if seen is None and not recollection and recollection.searched and not session.is_dead:
            session.facts.note_unanswered(query, tick=session.now_tick)
        if window:
            recollection = neighbours.with_turns(
                recollection, self.everything, session.log, window=window, filters=seen,
                withheld=Withheld(
                    query, None if self._tells_secrets(options) else self._untold, options.get("asker"),
                    session.log,
                ),
            )  # fmt: skip
        if notes := narrowing + behind + session.models.recall_notes:
            recollection = dataclasses.replace(recollection, notes=(*recollection.notes, *notes))
        if known and not session.is_dead:
            # A look moves no time: a memory of simulated time is also read by the clock of the system.
            session.facts.touch(known, tick=latest_tick(session.log, session.facts))
        return recollection

    def recall_without_trace(self, query: str, limit: int, trying: Sequence[str] | None) -> Recollection:
        """Recalls without side effects.

        Args:
            query: Query in words.
            limit: Maximum number of memories.
            trying: Quarantined facts to include beside those in force; None recalls episodes alone.
        """
        seen = Filters(layers=("episode",)) if trying is None else Filters(trying=trying)
        return self._without_trace(query, limit, seen)

    def recall_by_words(
        self, query: str, limit: int, *, thread: str | None = None, asker: str | None = None
    ) -> Recollection:
        """Recalls by words alone, without side effects: it waits neither for a model nor for pending embeddings.

        Args:
            query: Text in words.
            limit: Maximum number of memories.
            thread: Active thread, whose memories are boosted.
            asker: Person who asks.
        """
        session = self._session
        query = query if query.isascii() else retriever.without_surrogates(query)
        made = retriever.Retriever(
            self.everything, session.log, session.facts, None, session.config.recall, session.facts.tau_ticks,
            without="a turn does not wait for the model", language=session.config.curator.language,
            lifted=self._lifted, untold=self._untold,
        )  # fmt: skip
        now = session.clock.now()
        return made.recall(query, limit=limit, now_tick=session.now_tick, now=now, thread=thread, asker=asker)

    def selected(self, query: str, limit: int, seen: Filters | None) -> Recollection:
        """Includes new records since the last recall, then recalls without side effects.

        Args:
            query: Query in words.
            limit: Maximum number of memories.
            seen: Conditions; None for no filter.
        """
        session = self._session
        if (changes := self._detector.changes(session.log, session.facts)) is not None:
            self._catch_up(changes)
        return self._without_trace(query, limit, seen)

    def _without_trace(self, query: str, limit: int, seen: Filters | None) -> Recollection:
        session = self._session
        return session.models.retry_on_model_switch(
            self._ask, None,
            {
                "query": query, "limit": limit, "now_tick": session.now_tick, "now": session.clock.now(),
                "filters": seen, "pad": NEUTRAL, "with_rules": False,
                "secrets": True,
            },
        )  # fmt: skip

    def _tells_secrets(self, options: OwnerRecallOptions) -> bool:
        """Whether secrets answer every query."""
        given = options.get("secrets")
        return self._session.config.recall.secrets if given is None else given

    def note_migration(self, report: MigrationReport | None) -> None:
        """Marks all facts as pending if a migration has switched models, since they may lack vectors of the new one.

        Args:
            report: Report of the migration; None if there was none.
        """
        if report is not None and report.switched:
            self._detector = ChangeDetector(self._session.folder.inbox, self._session.facts)

    def _ask(self, embedder: Embedder, factors: Factors | None, asked: Mapping[str, Any]) -> Recollection:
        session = self._session
        serving = None if session.models.paused else embedder
        made, tau = self._retriever, session.facts.tau_ticks
        if made is None or made.embedder is not serving or made.factors != factors or made.tau_ticks != tau:
            made = self._retriever = retriever.Retriever(
                self.everything, session.log, session.facts, serving, session.config.recall, tau, factors,
                session.config.embedding.late_interaction, rules=self._rules,
                language=session.config.curator.language, lifted=self._lifted, untold=self._untold,
            )  # fmt: skip
        return made.recall(**asked)

    def _catch_up(self, changes: Changes) -> tuple[str, ...]:
        """Includes new records since the last recall: episodes of other processes, missing vectors, changed facts.

        Returns:
            Notes on vectors that another thread is still writing.
        """
        indexer = self._session.indexer
        if changes.in_inbox:
            self._writer.drain_inbox()
        if not self._session.embed_now(facts=changes.in_facts):
            waiting = indexer.waiting()
            note = (
                f"{waiting} memories have no vectors yet, as another thread is at work on them: they were found by "
                "their words alone"
            )
            return (note,) if waiting else ()
        if (changes.in_inbox or changes.in_facts) and not self._session.models.notes:
            self._detector.mark_seen(changes)
        return ()
