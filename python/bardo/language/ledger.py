"""Every call of a language model, what it cost, how it ended. Numbers alone: no prompt, no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bardo._database import Database, statements, unchanged
from bardo.config import SECONDS_PER_DAY, Price

FILE_NAME = "ledger.db"
#: Purpose of a call.
CallType = Literal["triage", "chat", "extraction", "dedup", "summary", "reflection", "guard", "judge"]
#: How calls end that were made and answered with something of use.
ANSWERED = "ok"
#: How a call ends that was not made, since the day's tokens are spent.
OVER_BUDGET = "budget"

MICROS_PER_DAY = SECONDS_PER_DAY * 1_000_000
#: Tokens that a price is for.
PRICED_TOKENS = 1_000_000

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS calls (
        serial INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,             -- microseconds UTC
        tick INTEGER NOT NULL,
        type TEXT NOT NULL,
        model TEXT NOT NULL,
        tokens_in INTEGER NOT NULL,
        tokens_out INTEGER NOT NULL,
        tokens_cached INTEGER NOT NULL,
        estimated INTEGER NOT NULL,      -- whether the server did not count them
        latency_ms REAL NOT NULL,
        cost REAL,                       -- NULL where the model has no price
        outcome TEXT NOT NULL,
        attempts INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS calls_by_time ON calls (at);
"""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model.

    Args:
        at: Wall clock, microseconds UTC.
        tick: Logical time.
        type: What it was for.
        model: Which model.
        tokens_in: Of the prompt.
        tokens_out: Of the answer.
        tokens_cached: Of the prompt, from a cache.
        estimated: Whether bardo counted them, as the server did not.
        latency_ms: From asking to the end of the answer, waits between attempts included.
        cost: By the price table; None where the model has no price.
        outcome: `ok`, or why there was nothing of use: `invalid`, `budget`, `timeout`, `busy`, `failed`, `refused`,
            `unreachable`, `garbage`, `empty`, `oversized`, `absent`.
        attempts: Requests that were made.
    """

    at: int
    tick: int
    type: CallType
    model: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    estimated: bool
    latency_ms: float
    cost: float | None
    outcome: str
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Calls of one type to one model that ended alike, summed.

    Args:
        type: What they were for.
        model: Which model.
        outcome: How they ended, as in `Call`.
        calls: How many.
        tokens_in: Of their prompts.
        tokens_out: Of their answers.
        tokens_cached: Of their prompts, from a cache.
        cost: Of those whose model has a price.
        unpriced: How many have none.
        latency_ms: Mean.
    """

    type: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float
    unpriced: int
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of language models for an agent.

    Args:
        since: First moment counted, microseconds UTC.
        tokens_today: Of the current day (UTC).
        daily_tokens: The most that a day may take.
        spent: Sums by type, model and outcome.
    """

    since: int
    tokens_today: int
    daily_tokens: int
    spent: tuple[CallTotals, ...]

    @property
    def calls(self) -> int:
        """Calls that were made."""
        return sum(each.calls for each in self.spent if each.outcome != OVER_BUDGET)

    @property
    def tokens(self) -> int:
        """Of all prompts and answers."""
        return sum(each.tokens_in + each.tokens_out for each in self.spent)

    @property
    def cost(self) -> float:
        """Of everything that has a price, in the currency of the price table."""
        return sum(each.cost for each in self.spent)


class Ledger:
    """The calls of one agent, in a file of their own; safe to share among threads and processes.

    Args:
        folder: Of the grimoire.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._database = Database(
            self._path,
            steps=(statements(_SCHEMA), unchanged),
            loss="it holds no memories, only what calls have cost",
        )

    def enter(self, call: Call) -> None:
        """Keeps a call, durably.

        Raises:
            StoreError: The file is busy, read-only or damaged, or the disk is full.
        """
        values = [getattr(call, name) for name in Call.__slots__]
        places = ", ".join("?" * len(values))
        with self._database.writing() as connection:
            connection.execute(f"INSERT INTO calls ({', '.join(Call.__slots__)}) VALUES ({places})", values)

    def tokens_of_day(self, at: int) -> int:
        """Tokens in and out of the day (UTC) around a moment, microseconds UTC."""
        start = at // MICROS_PER_DAY * MICROS_PER_DAY
        query = "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM calls WHERE at >= ? AND at < ?"
        found = self._database.read(query, (start, start + MICROS_PER_DAY))
        return sum(int(total) for (total,) in found)

    def spent(self, since: int) -> tuple[CallTotals, ...]:
        """Returns the costs from a moment on, microseconds UTC; the most expensive first."""
        query = """
            SELECT type, model, outcome, count(*), sum(tokens_in), sum(tokens_out), sum(tokens_cached),
                coalesce(sum(cost), 0.0), count(*) - count(cost), avg(latency_ms)
            FROM calls WHERE at >= ? GROUP BY type, model, outcome
            ORDER BY sum(tokens_in) + sum(tokens_out) DESC, type, model, outcome
        """
        return tuple(CallTotals(*row) for row in self._database.read(query, (since,)))

    def close(self) -> None:
        """Releases the file; it is opened again when it is needed."""
        self._database.close()


def priced(
    prices: Mapping[str, Price], model: str, tokens_in: int, tokens_out: int, cached: int
) -> float | None:
    """Prices a call; None if the model has no price. Cached tokens are part of `tokens_in` and cost their own."""
    price = prices.get(model)
    if price is None:
        return None
    fresh = max(0, tokens_in - cached)
    return (fresh * price.input + cached * price.cached + tokens_out * price.output) / PRICED_TOKENS
