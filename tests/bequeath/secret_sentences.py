"""Labelled sentences of `secrets.tsv`, with values made by a seed."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

_SETS = {
    "a": string.ascii_letters + string.digits,
    "u": string.ascii_uppercase + "234567",
    "l": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}
_WORDS = (
    "lantern", "meadow", "anchor", "copper", "saddle", "thistle", "harbor", "velvet", "cinder", "walnut", "pepper",
    "falcon", "quarry", "ribbon", "maple",
)  # fmt: skip
_VALUE = re.compile(r"\{(?:(?P<set>[aulhdb])(?P<length>\d+)|w)\}")


def sentences(seed: int = 20) -> list[tuple[str, list[str]]]:
    """Returns each sentence with its secrets; odd places (the first, the third) are for tuning."""
    chance = random.Random(seed)
    lines = Path(__file__).with_name("secrets.tsv").read_text(encoding="utf-8").splitlines()
    made = [
        _VALUE.sub(lambda match: _value(match, chance), line) for line in lines if not line.startswith("#")
    ]
    return [(re.sub("[«»]", "", line), re.findall("«(.*?)»", line)) for line in made]


def _value(match: re.Match[str], chance: random.Random) -> str:
    if not match["set"]:
        return chance.choice(_WORDS)
    # As issuers' tokens do, a long value has a digit.
    drawn = [chance.choice(_SETS[match["set"]]) for _ in range(int(match["length"]))]
    return "".join(drawn)
