"""Whether two texts say the same, by their content words."""

from __future__ import annotations

from collections.abc import Sequence

from bardo import _core


def place_of_same(known: Sequence[str], given: str) -> int | None:
    """Finds the index of a text with the same content words in any order and no word that reverses the meaning."""
    for place, (there, (share, _, apart)) in enumerate(zip(known, _core.touches(known, given), strict=True)):
        if " ".join(there.casefold().split()) == " ".join(given.casefold().split()):
            return place
        if share == 1.0 and not apart:
            ((back, _, apart_back),) = _core.touches([given], there)
            if back == 1.0 and not apart_back:
                return place
    return None
