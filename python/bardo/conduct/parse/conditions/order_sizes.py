"""Tells whether a rejection is of orders or trades by their size: "orders above 30 lots" are of any side."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.conditions import limits

_ORDERS = lazy_pattern(r"\b(?:orders?|trades?)\b", re.IGNORECASE)


def names_orders(text: str) -> bool:
    """Whether a text names orders.

    Args:
        text: Text of a rejection.
    """
    return _ORDERS.search(text) is not None


def are_of_any_side(text: str, verbs: Collection[str], conditions: Sequence[str]) -> bool:
    """Whether orders that a text limits by lots, shares and the like may be purchases, sales or shorts.

    Args:
        text: Text of a rejection.
        verbs: Its operations.
        conditions: Its conditions.
    """
    is_order = "buy" in verbs or "trade" in verbs
    return is_order and names_orders(text) and any(map(limits.is_of_trade, conditions))
