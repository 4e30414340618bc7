"""Results of a life in words: the direction and the strength of a result, whose figure does not cross.

"pnl -1200 USD" crosses as "pnl negative", or as "pnl strongly negative" beside the other results of the life.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from statistics import median

from bardo.privacy.cues import after
from bardo.privacy.secrets import Span

#: Minimum number of results of one unit with which another is compared.
_COMPARED = 3
#: Minimum multiple of the median of a strong result; a slight one is at most the inverse.
_STRONG = 3.0
#: Maximum number of characters of a text that is read, and of those before a figure.
_LONGEST, _AHEAD = 1_024, 48
#: A word for a result, then at most four words; a profit and loss without a sign is a gain.
_LABEL = re.compile(
    r"(?i)\b(?:(?P<signed>p\s?&\s?l|[ur]?pnl)|result|return|performance|roi|ytd|mtd|net)(?:[:=]?\s(?P<words>(?:[^\W\d]+\s){0,4}))?"
    r"[:=]?\s?$"
)
_FIGURE = re.compile(
    r"(?<![\w.,-])(?P<sign>[-+−]?)\s?[$€£]?(?P<minus>[-−]?)(?P<number>\d[\d,.]*\d|\d)(?P<scale>[km]?)(?!(?!R\b)\w|\.\w)"
)
_SHARE = re.compile(r"\s?(?:%|percent\b|per cent\b|bps\b|R\b)")
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6}


@dataclass(frozen=True, slots=True)
class Results:
    """Usual size of the results of a life.

    Args:
        usual: Median of the sizes of results, by unit.
    """

    usual: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Results:
        """Measures the results that texts of a life tell."""
        sizes: defaultdict[str, list[float]] = defaultdict(list)
        for text in (text[:_LONGEST] for text in texts):
            for match in _FIGURE.finditer(text) if any(map(str.isdigit, text)) else ():
                told = _result(text, match)
                if told is not None:
                    sizes[told.unit].append(abs(told.value))
        return cls({unit: median(found) for unit, found in sizes.items() if len(found) >= _COMPARED})

    def generalize(self, text: str, spans: Iterable[Span]) -> Iterator[Span]:
        """Yields the private spans of a text; those of results are replaced by their direction and strength."""
        for span in spans:
            match = _FIGURE.match(text, span.start) if span.kind in ("holding", "parameter") else None
            told = None if match is None or span.instead else _result(text, match)
            yield (
                span if told is None else replace(span, end=max(span.end, told.end), instead=self._said(told))
            )

    def _said(self, told: _Result) -> str:
        usual = self.usual.get(told.unit, 0.0)
        strength = ""
        if usual and abs(told.value) >= usual * _STRONG:
            strength = "strongly "
        elif usual and abs(told.value) * _STRONG <= usual:
            strength = "slightly "
        return f"{strength}{'negative' if told.value < 0 else 'positive'}"


@dataclass(frozen=True, slots=True)
class _Result:
    value: float
    unit: str
    end: int


def _result(text: str, match: re.Match[str]) -> _Result | None:
    """Returns the result that a figure tells; None if it is none, or without a direction."""
    label = _LABEL.search(text[max(match.start() - _AHEAD, 0) : match.start()])
    sign = match["sign"] or match["minus"]
    if label is None or not (sign or (label["signed"] and not label["words"])):
        return None
    share = _SHARE.match(text, match.end())
    # Traded goods are held, and no result.
    if share is None and after("market").match(text, match.end()):
        return None
    money = None if share else after("money").match(text, match.end())
    unit = share or money
    value = (
        float(re.sub(r"[.,](?=\d{3}(?!\d))", "", match["number"]).replace(",", ".")) * _SCALES[match["scale"]]
    )
    if not value:
        return None
    return _Result(
        -value if sign in ("-", "−") else value,
        share[0].strip() if share else "",
        unit.end() if unit else match.end(),
    )
