"""`python -m conduct.triage --split dev|held`: measures triage on labelled messages.

Prints the confusion matrix of the intents, and precision and recall of the need of memory and of worth with 95 % Wilson
intervals, for English and other languages. The held part is measured once, after all fitting.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bardo.conduct.model.procedures import wilson
from bardo.converse.triage import Triage, triage
from common.report import machine
from knowledge.memory import fresh, load

DATA = Path(__file__).parent / "data"


def shown(hits: int, count: int) -> str:
    """A share with its Wilson interval."""
    if not count:
        return "- (of 0)"
    low, high = wilson(hits, count)
    return f"{hits / count:.3f} ({low:.3f}-{high:.3f}, {hits} of {count})"


def report(name: str, pairs: Sequence[tuple[dict[str, Any], Triage]]) -> None:
    print(f"\n{name}: {len(pairs)} messages")
    print(f"intent right: {shown(sum(row['intent'] == got.intent for row, got in pairs), len(pairs))}")
    for field in ("memory", "save", "extract"):
        label = "save" if field == "extract" else field
        said = [(row[label], getattr(got, field)) for row, got in pairs]
        hits = sum(truth and guess for truth, guess in said)
        print(f"{field} precision: {shown(hits, sum(guess for _, guess in said))}")
        print(f"{field} recall: {shown(hits, sum(truth for truth, _ in said))}")


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.triage", description=__doc__)
    options.add_argument("--split", choices=("dev", "held"), default="dev")
    options.add_argument("--words", action="store_true", help="without the embedding model")
    given = options.parse_args()
    rows = load([DATA / f"triage-{given.split}.jsonl"])
    with fresh() as (memory, _):
        embed = None if given.words else memory._session.indexer.vectors_of
        triage(rows[0]["text"], embed=embed)
        begin = time.perf_counter()
        pairs = [(row, triage(row["text"], row["previous"], embed=embed)) for row in rows]
        took = (time.perf_counter() - begin) / len(rows)
    print(machine())
    print(f"{took * 1_000:.2f} ms a message; decided by {dict(Counter(got.by for _, got in pairs))}")
    intents = sorted({row["intent"] for row in rows})
    counts = Counter((row["intent"], got.intent) for row, got in pairs)
    print("\nlabelled | " + " | ".join(intent[:8] for intent in intents))
    for intent in intents:
        print(f"{intent} | " + " | ".join(str(counts[intent, other]) for other in intents))
    report("English", [pair for pair in pairs if pair[0]["lang"] == "en"])
    report("Other languages", [pair for pair in pairs if pair[0]["lang"] != "en"])


if __name__ == "__main__":
    main()
