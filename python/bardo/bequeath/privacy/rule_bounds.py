"""Bounds of learned rules: those that are no parameters, and coarse ones in place of exact parameters.

Hours, days and counts of attempts are none in a rule about no trade. Any other bound is "high" or "low" in the text of
a rule. Its data has the bound in steps of a quarter of a standard deviation: without one, an heir would apply the rule
to half of all cases.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bardo.bequeath.privacy.stated_limits import Limits
from bardo.model import Fact
from bardo.privacy import figures
from bardo.privacy.cues import field_words, is_private

#: A name and a comparison with the figure behind them.
_BOUND = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,63})\s{0,2}(?:>=|<=|[><≥≤])\s{0,2}[-+−]?\d[\d.]*$")
#: A condition on a number, and the same in words.
_COMPARED = re.compile(r"(?P<path>\S+) (?P<sign>>=|<=) (?P<bound>[-+]?\d[\d.]*(?:e[-+]?\d+)?)")
_IN_WORDS = {">=": "high", "<=": "low"}
#: Size of the steps of a coarse bound in standard deviations, at most, and their sizes as parts of a power of ten.
_STEP, _SIZES = 0.25, (5.0, 2.0, 1.0)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class WorkBounds(Limits):
    """Limits of a text, and bounds on what every work has: the time of day, the day, the number of attempts."""

    def has(self, sentence: str, start: int, end: int) -> bool:
        """Whether a figure is a limit or such a bound; see `Limits.has`."""
        if named := _BOUND.search(sentence[:end]):
            parts = [part.lower() for part in _PART.findall(named["name"])]
            if parts and not field_words("everyday").isdisjoint(parts[-1:]):
                return True
        return Limits.has(self, sentence, start, end)


def bounds_of(text: str, payload: Mapping[str, Any], limits: Limits) -> Limits:
    """Returns the limits of a learned rule.

    Args:
        text: Text of the rule.
        payload: Its payload, with condition, action and outcome.
        limits: Limits of other texts.
    """
    told = [text, *(str(payload.get(name, "")) for name in ("condition", "action", "outcome"))]
    is_of_trade = any(
        "traded" in figures.sentence_cues(part) or any(map(is_private, part.split())) for part in told
    )
    return limits if is_of_trade else WorkBounds()


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations of the numbers of a life, which make the bounds of its rules coarse.

    Args:
        by_path: Standard deviation by path, the middle one of its subjects.
    """

    by_path: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Spreads:
        """Reads the statistics among some facts."""
        found: defaultdict[str, list[float]] = defaultdict(list)
        for fact in facts:
            variance = fact.payload.get("variance") if fact.payload.get("type") == "baseline" else None
            if isinstance(variance, int | float) and 0.0 < variance < math.inf:
                found[str(fact.payload.get("metric"))].append(math.sqrt(variance))
        return cls({path: median(each) for path, each in found.items()})

    def coarse(self, conditions: str, told: str, *, is_inherited: bool) -> str:
        """Returns conditions in words with coarse bounds, where the spread of a number is known.

        Args:
            conditions: Conditions of a rule, joined by "and".
            told: The same, redacted.
            is_inherited: Whether the rule came with a testament, whose bounds are coarse already.
        """
        parts, words = conditions.split(" and "), told.split(" and ")
        if len(parts) != len(words):
            return told
        return " and ".join(
            self._coarse(part, word, is_inherited=is_inherited)
            for part, word in zip(parts, words, strict=True)
        )

    def _coarse(self, part: str, word: str, *, is_inherited: bool) -> str:
        match = _COMPARED.fullmatch(part)
        if (
            match is None
            or is_private(match["path"])
            or word != f"{match['path']} is {_IN_WORDS[match['sign']]}"
        ):
            return word
        if is_inherited:
            return part
        bound, spread = float(match["bound"]), self.by_path.get(match["path"], 0.0)
        if not spread or not math.isfinite(bound):
            return word
        power = 10.0 ** math.floor(math.log10(spread * _STEP))
        step = next(size * power for size in _SIZES if size * power <= spread * _STEP)
        return f"{match['path']} {match['sign']} {round(bound / step) * step:.6g}"
