"""Measures a gate on whole stores: the rejections of one project, and the actions of a normal week in it.

    python -m conduct.stores FILE... [--words] [--wrong]

A file is a store or a list of stores: `rejections` with ids, and `actions` with the ids that each `violates`, and those
that it `may` violate. A gate holds all rejections of a store, given by a person. No language model takes part.
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


def measure(store: Mapping[str, Any], *, words: bool) -> tuple[Counter[str], list[str]]:
    """Counts decisions about the actions of a store, and describes the wrong ones."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        bardo.open(folder, agent="measured").close()
        with bardo.gate(folder, words_only=words, clock=ManualClock(NOW)) as gate:
            ids = {gate.reject(each["text"], by="anna").id: each["id"] for each in store["rejections"]}
            for action in store["actions"]:
                verdict = gate.before(action["action"])
                found = [(ids.get(each.id), each) for each in verdict.findings]
                right = {*action["violates"], *action["may"]}
                strange = [each for id_, each in found if id_ not in right]
                counts["strange blocks"] += sum(each.blocks for each in strange)
                wrong += [
                    f"{'block' if each.blocks else 'warn'}: {action['action']} | {each.text} | "
                    f"{each.decided_by}: {each.because}"
                    for each in strange
                ]
                if action["violates"]:
                    own = any(id_ in action["violates"] for id_, _ in found)
                    is_blocked = verdict.decision == "block"
                    counts.update(same=1, own=own, own_blocked=own and is_blocked)
                    if not (own and is_blocked):
                        texts = [
                            each["text"] for each in store["rejections"] if each["id"] in action["violates"]
                        ]
                        wrong.append(f"{'warned' if own else 'MISSED'}: {action['action']} | {texts[0]}")
                elif not action["may"]:
                    counts.update(
                        free=1, blocked=verdict.decision == "block", warned=verdict.decision == "warn"
                    )
    return counts, wrong


def row(name: str, counts: Mapping[str, int]) -> str:
    """A line of the table."""
    cells = (
        cell(counts["own_blocked"], counts["same"]), cell(counts["own"], counts["same"]),
        cell(counts["blocked"], counts["free"]), cell(counts["warned"], counts["free"]),
        str(counts["strange blocks"]),
    )  # fmt: skip
    return f"| {name} | {' | '.join(cells)} |"


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="JSON files, each a store or a list of stores")
    parser.add_argument("--words", action="store_true", help="compare by words alone")
    parser.add_argument("--wrong", action="store_true", help="list wrong decisions; not for held stores")
    options = parser.parse_args()
    stores: list[tuple[str, Mapping[str, Any]]] = []
    for file in options.files:
        given = json.loads(file.read_text(encoding="utf-8"))
        listed = given if isinstance(given, list) else [given]
        stores += [(f"{file.stem} {place}", store) for place, store in enumerate(listed, start=1)]
    print(
        "| store | violates: blocked | violates: blocked or warned | free: blocked | free: warned | other blocks |"
    )
    print("|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    told: list[str] = []
    for name, store in stores:
        counts, wrong = measure(store, words=options.words)
        total.update(counts)
        told += [f"  {name}: {each}" for each in wrong]
        print(row(name, counts))
    print(row("all", total))
    if options.wrong:
        print(*told, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
