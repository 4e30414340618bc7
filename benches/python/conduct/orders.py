"""Measures what a gate blocks after a chat: orders, lifts, reports and refusals, heard in one pass.

    python -m conduct.orders FILE... [--wrong]

A line is a dialogue: `turns` with roles, and `checks`, actions after the last turn that a gate must block or allow.
A memory records the turns and sleeps; then its gate judges the actions. No language model takes part.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bardo
from bardo.ports import ManualClock
from common.shares import cell
from conduct.recognition import NOW

#: Seconds between turns.
PAUSE = 30


def judge(dialogue: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Action, expected decision and decision of each check of a dialogue."""
    clock = ManualClock(NOW)
    with tempfile.TemporaryDirectory() as folder:
        with bardo.open(folder, agent="measured", clock=clock) as memory:
            for turn in dialogue["turns"]:
                memory.remember(turn["text"], role=turn["role"], kind="turn")
                clock.advance(PAUSE)
            memory.sleep()
        with bardo.gate(folder, clock=clock) as gate:
            return [
                (each["action"], each["expect"], gate.before(each["action"]).decision)
                for each in dialogue["checks"]
            ]


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="JSON Lines files")
    parser.add_argument("--wrong", action="store_true", help="list wrong decisions; not for held files")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    wrong: list[str] = []
    for line in (line for file in options.files for line in file.read_text(encoding="utf-8").splitlines()):
        dialogue = json.loads(line)
        for action, expected, decision in judge(dialogue):
            counts[dialogue["kind"], expected, decision] += 1
            if (expected == "block") != (decision == "block"):
                wrong.append(f"  {dialogue['id']} {expected}, got {decision}: {action}")
    print("| kind | must block: blocked | blocked or warned | must allow: blocked | warned |")
    print("|---|---|---|---|---|")
    for kind in sorted({kind for kind, *_ in counts}):
        of = {expected: Counter[str]() for expected in ("block", "allow")}
        for (of_kind, expected, decision), number in counts.items():
            of[expected][decision] += number * (of_kind == kind)
        bad, good = of["block"], of["allow"]
        cells = (
            cell(bad["block"], bad.total()), cell(bad["block"] + bad["warn"], bad.total()),
            cell(good["block"], good.total()), cell(good["warn"], good.total()),
        )  # fmt: skip
        print(f"| {kind} | {' | '.join(cells)} |")
    if options.wrong:
        print(*wrong, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
