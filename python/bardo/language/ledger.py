"""Ledger of language model calls with cost and outcome; holds no prompts and no answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bardo._database import Database, statements, unchanged
from bardo._printed import printed
from bardo.config import SECONDS_PER_DAY, Price

FILE_NAME = "ledger.db"
#: Purpose of a call.
CallType = Literal["triage", "chat", "extraction", "dedup", "summary", "reflection", "guard", "judge"]
#: Outcome of a call with a valid answer.
ANSWERED = "ok"
#: Outcome of a call that was not made, since the daily token budget is used up.
OVER_BUDGET = "budget"

MICROS_PER_DAY = SECONDS_PER_DAY * 1_000_000
#: Number of tokens of a price unit.
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
    """Call of a language model.

    Args:
        at: Wall clock, microseconds UTC.
        tick: Logical time.
        type: Purpose of the call.
        model: Name of the model.
        tokens_in: Tokens of the prompt.
        tokens_out: Tokens of the answer.
        tokens_cached: Tokens of the prompt from a cache.
        estimated: Whether bardo estimated the token counts, since the server returned none.
        latency_ms: Time from the request to the end of the answer, with waits between attempts.
        cost: Cost by the price table; None if the model has no price.
        outcome: `ok`, or the cause of a missing answer: `invalid`, `budget`, `timeout`, `busy`, `failed`, `refused`,
            `unreachable`, `garbage`, `empty`, `oversized`, `absent`.
        attempts: Number of requests.
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

    __str__ = printed


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Totals of calls with the same type, model and outcome.

    Args:
        type: Purpose of the calls.
        model: Name of the model.
        outcome: Outcome, as in `Call`.
        calls: Number of calls.
        tokens_in: Tokens of the prompts.
        tokens_out: Tokens of the answers.
        tokens_cached: Tokens of the prompts from a cache.
        cost: Cost of the calls with a price.
        unpriced: Number of calls without a price.
        latency_ms: Mean latency.
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

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of language models for an agent.

    Args:
        since: Start of the period, microseconds UTC.
        tokens_today: Tokens of the current day (UTC).
        daily_tokens: Maximum number of tokens per day.
        spent: Totals by type, model and outcome.
    """

    since: int
    tokens_today: int
    daily_tokens: int
    spent: tuple[CallTotals, ...]

    __str__ = printed

    @property
    def calls(self) -> int:
        """Number of calls made."""
        return sum(each.calls for each in self.spent if each.outcome != OVER_BUDGET)

    @property
    def tokens(self) -> int:
        """Tokens of all prompts and answers."""
        return sum(each.tokens_in + each.tokens_out for each in self.spent)

    @property
    def cost(self) -> float:
        """Cost of all priced calls, in the currency of the price table."""
        return sum(each.cost for each in self.spent)


class Ledger:
    """Ledger of one agent's calls, in a separate file; safe to share among threads and processes.

    Args:
        folder: Folder of the grimoire.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._database = Database(
            self._path,
            steps=(statements(_SCHEMA), unchanged),
            loss="it holds no memories, only what calls have cost",
        )

    def enter(self, call: Call) -> None:
        """Records a call durably.

        Raises:
            StoreError: The file is busy, read-only or damaged, or the disk is full.
        """
        values = [getattr(call, name) for name in Call.__slots__]
        places = ", ".join("?" * len(values))
        with self._database.writing() as connection:
            connection.execute(f"INSERT INTO calls ({', '.join(Call.__slots__)}) VALUES ({places})", values)

    def tokens_of_day(self, at: int) -> int:
        """Returns the tokens in and out of the UTC day of a time, microseconds UTC."""
        start = at // MICROS_PER_DAY * MICROS_PER_DAY
        query = "SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM calls WHERE at >= ? AND at < ?"
        found = self._database.read(query, (start, start + MICROS_PER_DAY))
        return sum(int(total) for (total,) in found)

    def spent(self, since: int) -> tuple[CallTotals, ...]:
        """Returns the totals since a time, microseconds UTC; the most expensive first."""
        query = """
            SELECT type, model, outcome, count(*), sum(tokens_in), sum(tokens_out), sum(tokens_cached),
                coalesce(sum(cost), 0.0), count(*) - count(cost), avg(latency_ms)
            FROM calls WHERE at >= ? GROUP BY type, model, outcome
            ORDER BY sum(tokens_in) + sum(tokens_out) DESC, type, model, outcome
        """
        return tuple(CallTotals(*row) for row in self._database.read(query, (since,)))

    def close(self) -> None:
        """Closes the file, which is reopened on demand."""
        self._database.close()


def priced(
    prices: Mapping[str, Price], model: str, tokens_in: int, tokens_out: int, cached: int
) -> float | None:
    """Prices a call; None if the model has no price. Cached tokens are part of `tokens_in`, at their own price."""
    price = prices.get(model)
    if price is None:
        return None
    fresh = max(0, tokens_in - cached)
    return (fresh * price.input + cached * price.cached + tokens_out * price.output) / PRICED_TOKENS
