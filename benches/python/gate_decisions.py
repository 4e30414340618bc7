"""Compares the verdicts of gates with labelled verdicts: by meaning and words, and by words alone.

    python benches/python/gate_decisions.py --pairs FILE [--wrong]

Each line of `FILE` is a JSON object: `rejection` (what a person said), `kind` (`rejection`, `critical_rule` or
`approval`), `action`, and what is `expected` (`block`, `warn` or `allow`). Each is asked of a gate that holds nothing
else. The rows of a table are what was expected, the columns what was decided; `--wrong` lists the lines that differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import bardo

DECISIONS = ("block", "warn", "allow")


def decide(gate: bardo.Gate, pair: Mapping[str, str]) -> str:
    """The decision about one action, of a gate that holds one thing that was said."""
    said = pair["rejection"]
    match pair["kind"]:
        case "rejection":
            id_ = gate.reject(said, by="anna").id
        case "critical_rule":
            id_ = gate.rule(said, forbids=said, by="anna").id
        case "approval":
            id_ = gate.rule(said, approval=said, by="anna").id
        case kind:
            raise ValueError(f"{pair}: there is no kind {kind!r}")
    decision = gate.before(pair["action"]).decision
    gate.forget(id_)
    return decision


def table(found: Iterable[tuple[str, str]]) -> str:
    """How many actions of each expected decision got which."""
    counts = Counter(found)
    lines = [f"{'expected':10}" + "".join(f"{decision:>8}" for decision in DECISIONS)]
    for expected in DECISIONS:
        cells = "".join(f"{counts[expected, decision]:8}" for decision in DECISIONS)
        lines.append(f"{expected:10}{cells}")
    right = sum(count for (expected, decision), count in counts.items() if expected == decision)
    return "\n".join([*lines, f"{right} of {sum(counts.values())} as expected"])


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True, help="the labelled actions, as JSON lines")
    parser.add_argument("--wrong", action="store_true", help="list what was decided otherwise")
    options = parser.parse_args()
    pairs = [json.loads(line) for line in options.pairs.read_text().splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        bardo.open(folder, agent="measured").close()
        for name, words_only in (("by meaning and words", False), ("by words alone", True)):
            with bardo.gate(folder, words_only=words_only) as gate:
                decided = [decide(gate, pair) for pair in pairs]
            print(
                f"{name}\n{table((pair['expected'], got) for pair, got in zip(pairs, decided, strict=True))}\n"
            )
            if options.wrong:
                for pair, got in zip(pairs, decided, strict=True):
                    if got != pair["expected"]:
                        print(f"  {pair['expected']} -> {got}: {pair['rejection']} | {pair['action']}")
                print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
