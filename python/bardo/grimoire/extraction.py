"""Extraction of facts from texts, with an optional language model whose calls are recorded in a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo.capture.recorder import PAGE
from bardo.consolidate.extraction_pass import ARRIVED, Extractor
from bardo.consolidate.llm.llm_extraction import Asker
from bardo.consolidate.llm.questions import is_idle
from bardo.consolidate.llm.reconcile import Reconciler
from bardo.consolidate.speech import is_speech
from bardo.converse.triage import is_worth_extracting
from bardo.errors import ConfigError
from bardo.grimoire.session import Session
from bardo.language.ledger import Ledger
from bardo.model import Episode
from bardo.ports import LLM

if TYPE_CHECKING:
    from bardo.consolidate.llm.llm_statements import StatementChecks
    from bardo.consolidate.reading import StatementReader
    from bardo.language.advisor import Advisor


#: Time between two looks for an idle question, in microseconds.
_LOOK = 60_000_000


class Extraction:
    """Extracts facts from episodes.

    Args:
        session: Open memory.
        llm: Model of the caller's own; that of the settings if None.
    """

    def __init__(self, session: Session, llm: LLM | None) -> None:
        self._session = session
        self._llm = llm
        #: Time of the next look for an idle question, microseconds UTC.
        self._next_look = 0

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
        llm = self._llm or client.OpenAIClient(settings)
        pays = session.config.life.budget and session.config.life.llm_costs
        if pays and llm.model not in settings.prices:
            raise ConfigError(
                f"life.llm_costs is on, and llm.prices lacks {llm.model!r}. Add its price, in the unit of life.budget"
            )
        return advisor.Advisor(
            llm, self.ledger, settings, clock=session.clock, tick=session.ticks.now,
            purse=session.vitals if pays else None,
        )  # fmt: skip

    def has_idle_question(self) -> bool:
        """Whether messages have waited long enough for a question to the model; looked up once a minute."""
        session = self._session
        now = session.clock.now()
        if now < self._next_look or not session.config.curator.texts or self.advisor is None:
            return False
        self._next_look = now + _LOOK
        arrived = session.log.since(session.facts.mark(ARRIVED), PAGE)
        waiting = [one for _, one in arrived if is_speech(one) and is_worth_extracting(one.text)]
        return is_idle(waiting, now=now)

    def _statements(self) -> StatementReader | None:
        """Reads clauses; None where the packages of the language are not installed."""
        from bardo.consolidate import cross_encoder, languages
        from bardo.consolidate.attributes import AttributeTable
        from bardo.consolidate.reading import StatementReader

        session = self._session
        settings = session.config.curator
        found = languages.reader(settings.language, AttributeTable(settings.attributes))
        if found is None:
            return None
        return StatementReader(
            found, session.log, session.facts, session.indexer.vectors_of, self._near, agent=session.agent,
            rules_off=settings.rules_off,
            cross_encoder=cross_encoder.load if settings.cross_encoder else lambda _: None,
        )  # fmt: skip

    def _checks(self) -> StatementChecks:
        """The means by which statements of the language model are checked."""
        from bardo.consolidate import languages
        from bardo.consolidate.attributes import AttributeTable
        from bardo.consolidate.llm.llm_statements import StatementChecks

        settings = self._session.config.curator
        attributes = AttributeTable(settings.attributes)
        found = languages.reader(settings.language, attributes)
        return StatementChecks(found.read if found else None, settings.language, attributes)

    def _near(self, text: str, limit: int) -> list[Episode]:
        """Episodes near a text, by words and by vectors."""
        session = self._session
        ids = [id_ for id_, _ in session.hot.matching(text, 2 * limit)]
        vectors, _ = session.indexer.vectors_of([text])
        if vectors is not None:
            ids += [id_ for id_, _ in session.hot.nearest(vectors[0], 2 * limit)]
        found = session.log.get(list(dict.fromkeys(ids)))
        return [episode for episode in found if episode is not None]

    @locked_cached_property
    def extractor(self) -> Extractor:
        """Extractor of facts."""
        session = self._session
        asked = self.advisor
        return Extractor(
            session.log, session.facts, session.indexer.vectors_of, agent=session.agent,
            batch=session.config.curator.batch,
            learning=session.indexer.learning, hold=session.config.curator.shadow,
            asker=(
                Asker(asked, session.facts, session.agent, self._checks(), is_worth_extracting) if asked else None
            ),
            reconciler=Reconciler(asked, session.facts) if asked else None,
            statements=self._statements(),
            contested=session.contested_beliefs(),
        )  # fmt: skip
