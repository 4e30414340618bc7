"""Hears in any words that a person allows again what was forbidden: a cross-encoder reads an order and a message.

It tells whether a sentence of the message allows all of what the order forbids, from now on
(`benches/python/conduct/fit_lifts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bardo.conduct.hearing.listed import sentences_of

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder

#: Maximum words of a sentence that is read, and of those of its message before it; longer ones are documents.
WORDS, BEFORE = 60, 20
#: Marks of the parts of a pair.
_ORDER, _EARLIER, _AGENT = "order: ", " earlier: ", " agent: "


def told(order: str, detail: str = "") -> str:
    """Returns the first text of a pair.

    Args:
        order: What is forbidden: words of a person, or of the agent's offer that a person turned down.
        detail: Words that turned the offer down.
    """
    return f"{_ORDER}{order} {detail}".strip()


def sentences(text: str, before: str) -> Iterator[tuple[str, str]]:
    """Yields each sentence of a user's message, and the second text of the pair by which it is read.

    Args:
        text: Message.
        before: Message of the agent just before; empty if there is none.
    """
    asked = sentences_of(before)[-1:]
    context = f"{_AGENT}{' '.join(asked[0].split()[-BEFORE:])}" if asked else ""
    earlier: list[str] = []
    for said in sentences_of(text):
        if len(said.split()) <= WORDS:
            yield said, f"{said}{_EARLIER if earlier else ''}{' '.join(earlier[-BEFORE:])}{context}"
        earlier += said.split()


def read(orders: Sequence[str], text: str, before: str, encoder: CrossEncoder) -> list[float]:
    """Log odds that a message allows again all of what each order forbids: those of its surest sentence.

    Args:
        orders: Orders, as `told` gives them.
        text: Message of a user.
        before: Message of the agent just before; empty if there is none.
        encoder: Cross-encoder of lifts.

    Returns:
        The log odds of each order; minus infinity if no sentence is short enough to be read.
    """
    odds = _odds(orders, [second for _, second in sentences(text, before)], encoder)
    return [max(row, default=float("-inf")) for row in odds]


def allowing(orders: Sequence[str], text: str, before: str, encoder: CrossEncoder, limit: float) -> list[str]:
    """Returns the sentences of a message that allow again all of what an order forbids.

    Args:
        orders: Orders, as `told` gives them.
        text: Message of a user.
        before: Message of the agent just before; empty if there is none.
        encoder: Cross-encoder of lifts.
        limit: Minimum log odds.
    """
    said = [*sentences(text, before)]
    odds = _odds(orders, [second for _, second in said], encoder)
    return [one for (one, _), own in zip(said, zip(*odds, strict=True), strict=False) if max(own) >= limit]


def _odds(orders: Sequence[str], said: Sequence[str], encoder: CrossEncoder) -> list[list[float]]:
    """Log odds of each order with each sentence, shape (len(orders), len(said))."""
    odds = iter(encoder.read([(order, second) for order in orders for second in said]))
    return [[next(odds) for _ in said] for _ in orders]
