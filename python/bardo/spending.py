"""The verb about what language models have cost, and the model itself where one is configured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.config import Config
from bardo.lazily import modules, once
from bardo.ports import LLM, Clock
from bardo.ticks import Ticks

if TYPE_CHECKING:
    from bardo.language import advisor, client, ledger
    from bardo.language.advisor import Advisor
    from bardo.language.ledger import Costs, Ledger
else:
    advisor, client, ledger = modules("language.advisor", "language.client", "language.ledger")

#: Days that `costs` looks back.
MONTH_DAYS = 30


class Spending(ABC):
    """What a `Grimoire` asks of a language model goes through its ledger."""

    path: Path
    config: Config
    _clock: Clock
    _ticks: Ticks
    #: A model of the caller's own; that of the settings if None.
    _llm: LLM | None

    @abstractmethod
    def _ready(self, *, write: bool = False) -> None: ...

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

    def costs(self, *, days: int = MONTH_DAYS) -> Costs:
        """What language models have cost: calls, tokens, money by your price table, latency, and how calls ended.

        Args:
            days: How far to look back, in days of 24 hours.
        """
        self._ready()
        now = self._clock.now()
        since = max(0, now - days * ledger.MICROS_PER_DAY)
        kept = self._ledger
        return ledger.Costs(since, kept.tokens_of_day(now), self.config.llm.daily_tokens, kept.spent(since))
