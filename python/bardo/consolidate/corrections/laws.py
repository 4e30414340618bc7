"""Laws, and what happened once: an occasion ends no law, whether it follows it or not."""

from __future__ import annotations

from bardo.consolidate.clause import Clause


def is_occasion_beside_law(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells of one occasion, and the older one what holds in general.

    "Liquidations followed the oracle update by two blocks" leaves "liquidations follow oracle updates". That a law
    holds no longer is said: "liquidations no longer follow oracle updates".
    """
    if not (older.general and newer.occasion):
        return False
    gives_value = newer.statement is not None and newer.statement.functional
    return not (gives_value or newer.parts or newer.died or newer.new_doses or newer.gone)
