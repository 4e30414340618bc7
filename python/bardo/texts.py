"""What is drawn from texts, by rules or with a language model where one is configured, and what that has cost."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from bardo.arguments import checked
from bardo.lazily import modules, once
from bardo.opened import Opened
from bardo.ports import LLM

if TYPE_CHECKING:
    from bardo.consolidate import asking, extract, reconcile
    from bardo.consolidate.extract import Extractor
    from bardo.language import advisor, client, ledger
    from bardo.language.advisor import Advisor
    from bardo.language.ledger import Costs, Ledger
else:
    advisor, client, ledger, asking, extract, reconcile = modules(
        "language.advisor", "language.client", "language.ledger", "consolidate.asking", "consolidate.extract",
        "consolidate.reconcile",
    )  # fmt: skip

#: Days that `costs` looks back.
MONTH_DAYS = 30


class Texts(Opened):
    """What a `Grimoire` does with the texts of its episodes; what it asks of a language model goes through a ledger."""

    #: A model of the caller's own; that of the settings if None.
    _llm: LLM | None

    @once
    def _ledger(self) -> Ledger:
        """Every call."""
        return ledger.Ledger(self.path)

    @once
    def _advisor(self) -> Advisor | None:
        """Asks the model; None where none is configured."""
        settings = self.config.llm
        if self._llm is None and not settings.model:
            return None
        return advisor.Advisor(
            self._llm or client.OpenAIClient(settings), self._ledger, settings, clock=self._clock,
            tick=self._ticks.now,
        )  # fmt: skip

    @once
    def _extractor(self) -> Extractor:
        """Reads episodes for facts."""
        asked = self._advisor
        return extract.Extractor(
            self._log, self._facts, self._upkeep.vectors_of, agent=self.agent, batch=self.config.curator.batch,
            learning=self._upkeep.learning, hold=self.config.curator.shadow,
            asker=asking.Asker(asked, self._facts, self.agent) if asked else None,
            reconciler=reconcile.Reconciler(asked, self._facts) if asked else None,
        )  # fmt: skip

    @checked
    def costs(self, *, days: int = MONTH_DAYS) -> Costs:
        """What language models have cost: calls, tokens, money by your price table, latency, and how calls ended.

        Args:
            days: How far to look back, in days of 24 hours.
        """
        self._ready()
        now = self._clock.now()
        # A text times a number is a very long text.
        since = max(0, now - index(days) * ledger.MICROS_PER_DAY)
        kept = self._ledger
        return ledger.Costs(since, kept.tokens_of_day(now), self.config.llm.daily_tokens, kept.spent(since))
