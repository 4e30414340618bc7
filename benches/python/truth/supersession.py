"""`python -m truth.supersession PAIRS.jsonl`: what becomes of a fact when a later one is learnt.

Each line of the file holds `first`, `second` and `expected` (`keep`, `dispute` or `supersede`). Both texts are learnt
a day apart in a fresh memory, which then sleeps twice. A pair is superseded if one of the two is not in force
(superseded, archived, or lowered with an end), disputed if both are in force and linked as `contradicts`, else kept.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bardo
from bardo.errors import BardoWarning

VERDICTS = ("keep", "dispute", "supersede")
DAY_MICROSECONDS = 86_400_000_000
START = 1_700_000_000_000_000


class SteppedClock:
    """Clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> int:
        """The time in microseconds."""
        return self.time


def main() -> None:
    options = argparse.ArgumentParser(prog="truth.supersession", description=__doc__)
    options.add_argument("pairs", type=Path, help="labelled pairs, one JSON object a line")
    options.add_argument("--wrong", action="store_true", help="list every pair that was judged otherwise")
    given = options.parse_args()
    pairs = [json.loads(line) for line in given.pairs.read_text().splitlines() if line.strip()]
    print(report(pairs, wrong=given.wrong))


def report(pairs: Sequence[dict[str, Any]], *, wrong: bool = False) -> str:
    """The confusion table of some pairs, and how many true facts were lost."""
    judged = [(pair, judge(pair["first"], pair["second"])) for pair in pairs]
    counted = Counter((pair["expected"], verdict) for pair, verdict in judged)
    rows = ["| expected | " + " | ".join(VERDICTS) + " |", "|---|---|---|---|"]
    rows += [
        f"| {expected} | " + " | ".join(str(counted[expected, is_]) for is_ in VERDICTS) + " |"
        for expected in VERDICTS
    ]
    unkept = sum(count for (expected, is_), count in counted.items() if expected == "keep" and is_ != "keep")
    lines = [
        *rows,
        "",
        f"A true fact lost: {unkept + counted['dispute', 'supersede']} of "
        f"{sum(pair['expected'] != 'supersede' for pair, _ in judged)} "
        f"({unkept} to keep and not both in force undisputed, {counted['dispute', 'supersede']} to dispute and one "
        "retired).",
    ]
    if wrong:
        lines += [
            f"{pair.get('id', '')} {pair['expected']} -> {verdict}: {pair['first']!r} / {pair['second']!r}"
            for pair, verdict in judged
            if pair["expected"] != verdict
        ]
    return "\n".join(lines)


def judge(first: str, second: str) -> str:
    """Learns two facts a day apart in a fresh memory, and return their states."""
    clock = SteppedClock()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        with bardo.open(Path(folder) / "learner", clock=clock) as grimoire:
            older = grimoire.learn(first)
            clock.time += DAY_MICROSECONDS
            newer = grimoire.learn(second)
            for _ in range(2):
                grimoire.sleep()
                clock.time += DAY_MICROSECONDS
            facts = [grimoire.facts.get(fact.id) for fact in (older, newer)]
            links = {
                (link.src, link.dst) for link in grimoire.facts.links(older) if link.relation == "contradicts"
            }
    if older.id == newer.id or any(
        fact.status != "active" or fact.expires_tick is not None for fact in facts
    ):
        return "supersede"
    return "dispute" if links else "keep"


if __name__ == "__main__":
    main()
