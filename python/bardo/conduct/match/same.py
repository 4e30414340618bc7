"""Whether two texts say the same, by their content words."""

from __future__ import annotations

from collections.abc import Sequence

from bardo import _core
from bardo._patterns import lazy_pattern

_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
#: Prepositions that may begin a phrase moved to the front: "on weekends short ETH".
_FRONTED = frozenset((
    "after", "at", "before", "between", "by", "during", "for", "from", "if", "in", "on", "over", "since", "to",
    "under", "unless", "until", "when", "while", "with", "within", "without",
))  # fmt: skip


def place_of_same(known: Sequence[str], given: str) -> int | None:
    """Finds the index of a text with the same content words in the same order and no word that reverses the meaning.

    The order may differ by a phrase that moved to the front: "on weekends short ETH" is "short ETH on weekends", while
    "deploy staging before production" is not "deploy production before staging".
    """
    for place, (there, (share, _, apart)) in enumerate(zip(known, _core.touches(known, given), strict=True)):
        if " ".join(there.casefold().split()) == " ".join(given.casefold().split()):
            return place
        if share == 1.0 and not apart:
            ((back, _, apart_back),) = _core.touches([given], there)
            if back == 1.0 and not apart_back and _has_same_order(there, given):
                return place
    return None


def _has_same_order(one: str, other: str) -> bool:
    """Whether two texts have their content words in the same order, but for a phrase that moved to the front."""
    words = [_WORD.findall(text.casefold()) for text in (one, other)]
    left, right = ([stem for stem in _core.stems(each) if stem is not None] for each in words)
    # A word that is repeated changes no order.
    left, right = list(dict.fromkeys(left)), list(dict.fromkeys(right))
    if left == right or set(left) != set(right):
        return True
    is_fronted = any(each[0] in _FRONTED for each in words)
    return is_fronted and any(left[at:] + left[:at] == right for at in range(1, len(left)))
