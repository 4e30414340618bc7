"""Extraction of facts from texts, and the language model it may ask; every call of the model is in a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._lazy import modules, once
from bardo.grimoire.session import Session
from bardo.ports import LLM

if TYPE_CHECKING:
    from bardo.consolidate import asking, extract, reconcile
    from bardo.consolidate.extract import Extractor
    from bardo.language import advisor, client, ledger
    from bardo.language.advisor import Advisor
    from bardo.language.ledger import Ledger
else:
    advisor, client, ledger, asking, extract, reconcile = modules(
        "language.advisor", "language.client", "language.ledger", "consolidate.asking", "consolidate.extract",
        "consolidate.reconcile",
    )  # fmt: skip


class Extraction:
    """Reads episodes for facts.

    Args:
        session: The open memory.
        llm: A model of the caller's own; that of the settings if None.
    """

    def __init__(self, session: Session, llm: LLM | None) -> None:
        self._session = session
        self._llm = llm

    @once
    def ledger(self) -> Ledger:
        """Every call of a language model."""
        return self._session.closing(ledger.Ledger(self._session.path))

    @once
    def advisor(self) -> Advisor | None:
        """Asks the model; None where none is configured."""
        session = self._session
        settings = session.config.llm
        if self._llm is None and not settings.model:
            return None
        return advisor.Advisor(
            self._llm or client.OpenAIClient(settings), self.ledger, settings, clock=session.clock,
            tick=session.ticks.now,
        )  # fmt: skip

    @once
    def extractor(self) -> Extractor:
        """Reads episodes for facts."""
        session = self._session
        asked = self.advisor
        return extract.Extractor(
            session.log, session.facts, session.indexer.vectors_of, agent=session.agent,
            batch=session.config.curator.batch,
            learning=session.indexer.learning, hold=session.config.curator.shadow,
            asker=asking.Asker(asked, session.facts, session.agent) if asked else None,
            reconciler=reconcile.Reconciler(asked, session.facts) if asked else None,
        )  # fmt: skip
