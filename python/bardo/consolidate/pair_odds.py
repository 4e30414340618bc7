"""Log odds by the cross-encoder that a newer text corrects an older sentence, each pair read once."""

from __future__ import annotations

from collections.abc import Sequence

from bardo.consolidate.cross_encoder import CrossEncoder

#: Maximum number of pairs that are cached.
CACHED = 4_096


class PairOdds:
    """Log odds of pairs of an older sentence and a newer text."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], float] = {}

    def of(self, encoder: CrossEncoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The log odds of some pairs.

        Args:
            encoder: Reads pairs.
            pairs: The pairs.
        """
        unread = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if len(self._known) + len(unread) > CACHED:
            self._known.clear()
            unread = list(dict.fromkeys(pairs))
        if unread:
            self._known |= zip(unread, encoder.read(unread), strict=True)
        return [self._known[pair] for pair in pairs]
