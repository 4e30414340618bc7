"""Hears in any words that a person allows again what was forbidden: a cross-encoder reads an order and a message.

It tells whether a sentence of the message allows all of what the order forbids, from now on
(`benches/python/conduct/fit_lifts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bardo.conduct.hearing.orders.listed import sentences_of

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


def read(
    orders: Sequence[str], text: str, before: str, encoder: CrossEncoder
) -> list[list[tuple[str, float]]]:
    """Log odds that the sentences of a message allow again all of what each order forbids.

    Args:
        orders: Orders, as `told` gives them.
        text: Message of a user.
        before: Message of the agent just before; empty if there is none.
        encoder: Cross-encoder of lifts.

    Returns:
        The sentences that are short enough to be read, with their log odds, for each order.
    """
    said = [*sentences(text, before)]
    odds = iter(encoder.read([(order, second) for order in orders for _, second in said]))
    return [[(one, next(odds)) for one, _ in said] for _ in orders]
