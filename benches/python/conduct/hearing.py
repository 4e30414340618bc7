"""`python -m conduct.hearing --split dev|held|held2`: what is heard in labelled utterances, by kind.

Precision and recall with 95 % Wilson intervals, with the default embedding model and by words alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bardo.conduct.hearing.hearing import KINDS, read, sure
from bardo.conduct.hearing.utterance import Utterance
from bardo.conduct.model.procedures import wilson
from knowledge.memory import fresh

DATA = Path(__file__).parent / "data"


def load(file: Path) -> list[dict[str, Any]]:
    """Rows of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def utterance(row: dict[str, Any]) -> Utterance:
    """The utterance of a labelled row."""
    return Utterance(row["text"], row["before"] or "", row["speaker"] == "agent")


def shown(right: int, of: int) -> str:
    """A share in percent with its Wilson interval."""
    if not of:
        return ""
    low, high = wilson(right, of)
    return f"{100 * right / of:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.hearing", description=__doc__)
    options.add_argument("--split", choices=("dev", "held", "held2"), default="dev")
    options.add_argument("--wrong", action="store_true", help="print what was heard wrongly")
    given = options.parse_args()
    rows = load(DATA / f"utterances-{given.split}.jsonl")
    said = [utterance(row) for row in rows]
    with fresh() as (memory, _):
        vectors, fingerprint = memory._session.indexer.vectors_of([one.text for one in said])
    print("| kind | said | precision | recall | precision, words alone | recall, words alone |")
    print("|---|--:|--:|--:|--:|--:|")
    both, words = sure(read(said, vectors, fingerprint)), sure(read(said, None, None))
    for kind in (*KINDS[1:], "all"):
        cells = []
        count = sum(row["label"] == kind if kind != "all" else row["label"] != "none" for row in rows)
        for heard in (both, words):
            told = [
                (one, row) for one, row in zip(heard, rows, strict=True) if one and kind in (one.kind, "all")
            ]
            right = sum(one.kind == row["label"] for one, row in told)
            cells += [shown(right, len(told)), shown(right, count)]
        print(f"| {kind} | {count} | " + " | ".join(cells) + " |")
    if given.wrong:
        for one, row in zip(both, rows, strict=True):
            if one and one.kind != row["label"]:
                print(
                    f"{one.kind} for {row['label']} ({one.margin:.2f}): {row['before'] or ''} | {row['text']}"
                )


if __name__ == "__main__":
    main()
