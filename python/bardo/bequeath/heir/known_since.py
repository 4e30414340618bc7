"""Times at which an ancestor knew what an heir inherits, in seconds of the epoch: ticks of two lives do not compare."""

from __future__ import annotations

from bardo.bequeath.testament.testament import Testament
from bardo.clock import MICROSECONDS
from bardo.model import Fact


def known_since(fact: Fact, testament: Testament) -> tuple[int, int]:
    """Seconds of the first and the last evidence of an entry; its ticks if nothing tells their seconds.

    Where ticks were loops, the entry tells when it was learned. What the testator had inherited itself has been
    converted by its own inheritance.

    Args:
        fact: Entry of the testament.
        testament: The testament.
    """
    if fact.generation or fact.origin not in ("", testament.life.agent):
        return fact.observed
    if testament.seconds is not None:
        first, last = (max(0, tick - testament.seconds) for tick in fact.observed)
        return first, last
    learned = fact.created_at // MICROSECONDS
    return (learned, learned) if learned > 0 else fact.observed
