"""Twenty years of daily closes, with figures for each close that use no later data.

The closes come with the PyPI package `arch` (Kevin Sheppard, University of Illinois/NCSA licence). They are loaded
from the installed package and never copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from bardo.errors import MissingPackageError

Series = npt.NDArray[np.float64]

CREDIT = (
    "Daily closes of the S&P 500, NASDAQ, WTI crude and VIX: the data sets of the Python package arch "
    "(c) 2017 Kevin Sheppard, NCSA licence, https://github.com/bashtage/arch"
)
#: Names of the four series in subjects and texts.
STOCKS, NASDAQ, CRUDE, FEAR = "S&P 500", "NASDAQ", "WTI crude", "VIX"
TRADING_DAYS_PER_YEAR = 252
#: Window of the realised volatility in days: one trading month.
VOLATILITY_DAYS = 21
#: Window of the moving average in days, which separates rising from falling markets.
TREND_DAYS = 100
#: Ratio of volatility to its median over the past year: calm below the first, stormy above the second.
CALM_BELOW, STORMY_ABOVE = 0.8, 1.4
#: Number of trading days read before the first lived day, as needed by the longest window.
WARM_UP_DAYS = TRADING_DAYS_PER_YEAR
#: All regimes.
REGIMES = tuple(f"{mood} {way}" for mood in ("calm", "usual", "stormy") for way in ("rising", "falling"))
#: Approximate closing hour of New York in UTC.
CLOSING_HOUR = 21


@dataclass(frozen=True, slots=True)
class Day:
    """Market data of one close, computed from data up to this close.

    Args:
        date: Date of the close.
        closed_at: Time of the close, microseconds UTC.
        returns: Returns of the day by name, as fractions; a market that did not trade is left out.
        volatility: Realised volatility over the past month, per year, as a fraction.
        drawdown: Distance below the high of the past year, 0..1.
        fear: VIX in points, or None where the data has none (before 2014).
        regime: One of `REGIMES`, from the past year alone.
        before: Regime at the previous close.
    """

    date: date
    closed_at: int
    returns: dict[str, float]
    volatility: float
    drawdown: float
    fear: float | None
    regime: str
    before: str


@dataclass(frozen=True, slots=True)
class Closes:
    """Closes on the trading days of the S&P 500; a day without a quote is NaN."""

    dates: tuple[date, ...]
    stocks: Series
    nasdaq: Series
    crude: Series
    fear: Series


def load() -> Closes:
    """Reads the closes from the installed package `arch`.

    Raises:
        MissingPackageError: `arch` is not installed.
    """
    try:
        from arch.data import nasdaq, sp500, vix, wti  # the demo alone needs pandas
    except ImportError as error:
        raise MissingPackageError(
            f"The market data of the demo comes with the package arch, which does not load ({error}). "
            "Run: pip install 'bardo[demo]'"
        ) from error
    stocks = sp500.load()["Close"]
    return Closes(
        dates=tuple(stamp.date() for stamp in stocks.index),
        stocks=_numbers(stocks),
        nasdaq=_numbers(nasdaq.load()["Close"].reindex(stocks.index)),
        crude=_numbers(wti.load()["DCOILWTICO"].reindex(stocks.index)),
        fear=_numbers(vix.load()["vix"].reindex(stocks.index)),
    )


def _numbers(column: Any) -> Series:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def days(closes: Closes, *, first: int = WARM_UP_DAYS, count: int | None = None) -> list[Day]:
    """Computes the days from index `first` on.

    Every number of a day is computed from closes up to and including that day, so truncating later data changes
    nothing (verified by a test).
    """
    first = max(first, WARM_UP_DAYS)
    stop = len(closes.dates) if count is None else min(len(closes.dates), first + count)
    moods = _regimes(closes.stocks[:stop])
    columns = {STOCKS: closes.stocks, NASDAQ: closes.nasdaq, CRUDE: closes.crude}
    volatility = realised_volatility(closes.stocks[:stop])
    found = []
    for today in range(first, stop):
        high = closes.stocks[today - TRADING_DAYS_PER_YEAR + 1 : today + 1].max()
        fear = closes.fear[today]
        found.append(
            Day(
                date=closes.dates[today],
                closed_at=_closing(closes.dates[today]),
                returns={
                    name: step
                    for name, column in columns.items()
                    if (step := _step(column, today)) is not None
                },
                volatility=float(volatility[today]),
                drawdown=float(1.0 - closes.stocks[today] / high),
                fear=None if np.isnan(fear) else float(fear),
                regime=moods[today],
                before=moods[today - 1],
            )
        )
    return found


def realised_volatility(closes: Series) -> Series:
    """Computes the standard deviation of daily log returns over the past month, per year; NaN in the first month."""
    steps = np.diff(np.log(closes), prepend=np.nan)
    out = np.full(len(closes), np.nan)
    for today in range(VOLATILITY_DAYS, len(closes)):
        out[today] = steps[today - VOLATILITY_DAYS + 1 : today + 1].std(ddof=1)
    out *= np.sqrt(TRADING_DAYS_PER_YEAR)
    return out


def _regimes(closes: Series) -> list[str]:
    volatility = realised_volatility(closes)
    found = []
    for today in range(len(closes)):
        past = volatility[max(0, today - TRADING_DAYS_PER_YEAR + 1) : today + 1]
        past = past[~np.isnan(past)]
        ratio = volatility[today] / np.median(past) if len(past) else 1.0
        mood = "calm" if ratio < CALM_BELOW else "stormy" if ratio > STORMY_ABOVE else "usual"
        average = closes[max(0, today - TREND_DAYS + 1) : today + 1].mean()
        found.append(f"{mood} {'rising' if closes[today] >= average else 'falling'}")
    return found


def _step(column: Series, today: int) -> float | None:
    """Computes the return since the previous close; None if either close is missing."""
    step = column[today] / column[today - 1] - 1.0
    return float(step) if np.isfinite(step) else None


def _closing(day: date) -> int:
    moment = datetime(day.year, day.month, day.day, CLOSING_HOUR, tzinfo=UTC)
    return int(moment.timestamp()) * 1_000_000


def describe(day: Day) -> str:
    """Describes a day in one sentence for the trader's memory; its other numbers are in the payload."""
    step = day.returns[STOCKS]
    how = "rose" if step > 0 else "fell"
    return (
        f"{day.date:%A %d %B %Y}: after a {day.before} market the {STOCKS} {how} by {abs(step):.1%}, "
        f"and the market is now {day.regime}."
    )


def hold(days_lived: Sequence[Day], *, budget: float, daily_cost: float) -> list[float]:
    """Computes the daily wealth of an investor who holds the S&P 500 and pays the same living costs."""
    wealth, path = budget, []
    for day in days_lived:
        wealth = max(0.0, wealth * (1.0 + day.returns[STOCKS]) - daily_cost) if wealth > 0 else 0.0
        path.append(wealth)
    return path
