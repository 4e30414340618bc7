"""Orders in the words of other texts: a figure that crosses with a directive crosses where the same words tell it.

A directive keeps the figures of the act that it forbids. The message in which a person gave the order, and a fact read
from it, say the same, and must not reach an heir with a blank in place of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bardo.bequeath.content.directives import Directive
from bardo.bequeath.privacy.stated_limits import Limits, numbers


@dataclass(frozen=True, slots=True)
class ToldOrders:
    """Orders with a figure that cross.

    Args:
        orders: Words of what each of them forbids, wants or says, with its numbers.
    """

    orders: tuple[tuple[str, frozenset[str]], ...] = ()

    @classmethod
    def of(cls, directives: Iterable[Directive]) -> ToldOrders:
        """Collects the orders in force among some directives."""
        found = {
            _plain(words): figures
            for one in directives
            if not one.ended_at
            for words in (one.text, one.forbids, one.approval)
            if (figures := numbers(words))
        }
        return cls(tuple(found.items()))

    def limits(self, text: str) -> Limits:
        """Returns the limits of a text: those that it states, and the numbers of the orders that it tells."""
        plain = _plain(text) if self.orders else ""
        return Limits(
            told=frozenset().union(*(figures for words, figures in self.orders if words and words in plain))
        )


def _plain(text: str) -> str:
    """A text without case, and without signs between its words."""
    return " ".join(word.strip(".,;:!?\"'“”()") for word in text.casefold().split())
