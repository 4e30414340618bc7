"""Shares with intervals, for tables."""

from __future__ import annotations

from bardo.conduct.model.procedures import wilson


def cell(hits: int, count: int) -> str:
    """A share with its 95 % interval (Wilson); a dash of none."""
    if not count:
        return "-"
    low, high = wilson(hits, count)
    return f"{hits}/{count} = {hits / count:.1%} ({low:.0%}-{high:.0%})"
