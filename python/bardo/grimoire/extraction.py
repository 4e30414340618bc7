"""Extraction of facts from texts, with an optional language model whose calls are recorded in a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo.consolidate.extract import Extractor
from bardo.consolidate.llm_extraction import Asker
from bardo.consolidate.reconcile import Reconciler
from bardo.grimoire.session import Session
from bardo.language.ledger import Ledger
from bardo.ports import LLM

if TYPE_CHECKING:
    from bardo.language.advisor import Advisor


class Extraction:
    """Extracts facts from episodes.

    Args:
        session: Open memory.
        llm: Model of the caller's own; that of the settings if None.
    """

    def __init__(self, session: Session, llm: LLM | None) -> None:
        self._session = session
        self._llm = llm

    @locked_cached_property
    def ledger(self) -> Ledger:
        """Ledger of all calls of language models."""
        return self._session.closing(Ledger(self._session.path))

    @locked_cached_property
    def advisor(self) -> Advisor | None:
        """Advisor that calls the model; None where none is configured."""
        from bardo.language import advisor, client

        session = self._session
        settings = session.config.llm
        if self._llm is None and not settings.model:
            return None
        return advisor.Advisor(
            self._llm or client.OpenAIClient(settings), self.ledger, settings, clock=session.clock,
            tick=session.ticks.now,
        )  # fmt: skip

    @locked_cached_property
    def extractor(self) -> Extractor:
        """Extractor of facts."""
        session = self._session
        asked = self.advisor
        return Extractor(
            session.log, session.facts, session.indexer.vectors_of, agent=session.agent,
            batch=session.config.curator.batch,
            learning=session.indexer.learning, hold=session.config.curator.shadow,
            asker=Asker(asked, session.facts, session.agent) if asked else None,
            reconciler=Reconciler(asked, session.facts) if asked else None,
        )  # fmt: skip
