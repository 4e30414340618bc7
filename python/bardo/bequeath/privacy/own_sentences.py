"""Recognises counts, ticks and deviations in sentences that bardo writes itself; they are not private."""

from __future__ import annotations

import re

from bardo.consolidate.pages.wording import RATES
from bardo.privacy.cues import is_private

_NUMBER = r"-?\d[\d.]*(?:e[-+]?\d+)?"
_COUNT = r"\d[\d,]{0,14}"
_METRIC = r"(?<![\w.])(?P<metric>[\w.-]{1,64}(?:\sof\s[^:;\n]{1,128}?)?)"
#: A statistic, private if its metric is: `lag.ms: mean 0.2, sd 0.1 over 40 observations (min 0, max 1)`.
_STATISTIC = re.compile(
    rf"{_METRIC}"
    rf"(?:: mean {_NUMBER}, sd {_NUMBER} over (?:only )?{_COUNT} observations "
    rf"\(min {_NUMBER}, max {_NUMBER}\)|"
    rf" has a spread of {_NUMBER} around a mean of {_NUMBER}|"
    rf" has shifted: mean {_NUMBER} over the latest {_COUNT} observations, {_NUMBER} before|"
    rf" may have shifted: mean {_NUMBER} of {_COUNT} that were replayed of late, {_NUMBER} over all {_COUNT} "
    r"observations)"
)
#: Measures that hold no value of a metric, in the words of `consolidate` (Rust) and of `bequeath/content`.
_MEASURES = re.compile(
    rf" is (?:higher|lower) \(in {_COUNT}(?: of {_COUNT})? cases(?: of [^()\n]{{1,128}})?\)"
    rf"| follows [^:\n]{{1,256}}: within {_COUNT} ticks in {_COUNT} of {_COUNT} cases, {_NUMBER} times as "
    rf"often as by chance, usually after {_COUNT}(?!\w)"
    rf"| comes in bursts: up to {_COUNT} within {_COUNT} ticks, where an even background has {_NUMBER}"
    rf"| happens mostly [^:\n]{{1,16}}(?::00 and \d{{1,2}}:00 UTC)?: in {_COUNT} of {_COUNT} (?:days|weeks), "
    rf"where chance has {_NUMBER}"
    rf"| has shifted (?:up|down) over the latest {_COUNT} observations"
    rf"|: \S{{1,64}} (?:was )?{_COUNT} deviations below the median of {_COUNT} earlier cases(?:{RATES})?"
    rf"| \((?:(?:only )?[01]\.\d\d sure(?:, {_COUNT} episodes?)?(?:, {_COUNT} of {_COUNT} outcomes were bad)?|"
    rf"{_COUNT} episodes?)\)(?=\n|$)"
    rf"|(?<=- ){_COUNT} of the {_COUNT} outcomes that I looked back on were good"
)
_DIGIT = re.compile(r"\d")


def mask(text: str) -> str:
    """Replaces the numbers of such sentences by underscores, so that no search for private data finds them.

    The values of a metric of own holdings or results stay, and so do the bounds of a condition.
    """
    text = _STATISTIC.sub(
        lambda match: (
            match[0]
            if any(map(is_private, re.findall(r"[\w&.]+", match["metric"])))
            else match["metric"] + "_" * (len(match[0]) - len(match["metric"]))
        ),
        text,
    )
    return _MEASURES.sub(lambda match: _DIGIT.sub("_", match[0]), text)
