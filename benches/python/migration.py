"""Measures the recall that an adapter loses while a memory moves from one embedding model to another.

    python benches/python/migration.py --data FOLDER --old minilm --new wordllama

`FOLDER/locomo-dev.json` holds conversations in LoCoMo's format. Evidence recall@10 by plain cosine over the turns: with
the old model, with the new model's questions led into the old model's space (what a memory serves with when the old
model is gone), and with the new model after the switch. The adapter is fitted on 768 turns, as a migration does it.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

import numpy as np

from bardo.config import Embedding
from bardo.index.embedding import adapter, embedders
from bardo.index.embedding.migration import SAMPLE

ADVERSARIAL = 5
LIMIT = 10
EVIDENCE = re.compile(r"D\d+:\d+")


def main() -> None:
    """Prints one line for each way to ask."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", type=Path, required=True, help="folder with locomo-dev.json")
    options.add_argument("--old", default="minilm")
    options.add_argument("--new", default="wordllama")
    given = options.parse_args()
    path = given.data / "locomo-dev.json"
    if not path.is_file():
        options.error(f"{path} is not there. Pass the folder that holds it")
    old, new = (embedders.load(Embedding(name)) for name in (given.old, given.new))
    found: dict[str, list[float]] = {f"{given.old}": [], "adapter": [], f"{given.new}": []}
    errors, seconds, kinds = [], [], []
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        turns = {
            turn["dia_id"]: f"{turn['speaker']}: {turn['text']}"
            for key, session in conversation["conversation"].items()
            if re.fullmatch(r"session_\d+", key)
            for turn in session
        }
        ids, texts = list(turns), list(turns.values())
        before, after = old.embed_documents(texts), new.embed_documents(texts)
        sample = np.linspace(0, len(texts) - 1, min(SAMPLE, len(texts))).astype(int)
        started = time.perf_counter()
        lead = adapter.fit(after[sample], before[sample])
        seconds.append(time.perf_counter() - started)
        errors.append(lead.error)
        kinds.append(lead.kind)
        asked = [
            (one["question"], evidence)
            for one in conversation["qa"]
            if one["category"] != ADVERSARIAL
            and (evidence := set(EVIDENCE.findall(" ".join(one.get("evidence", [])))) & set(turns))
        ]
        questions = [question for question, _ in asked]
        fresh = new.embed_queries(questions)
        ways = {
            given.old: old.embed_queries(questions) @ before.T,
            "adapter": lead(fresh) @ before.T,
            given.new: fresh @ after.T,
        }
        for name, likeness in ways.items():
            for row, (_, evidence) in zip(np.argsort(-likeness, axis=1)[:, :LIMIT], asked, strict=True):
                hits = {ids[index] for index in row} & evidence
                found[name].append(len(hits) / len(evidence))
    print(
        f"adapters: {', '.join(kinds)}; held-out cosine distance {np.mean(errors):.3f}; fitted in {max(seconds):.1f} s"
    )
    for name, shares in found.items():
        print(f"{name:16} recall@{LIMIT} {np.mean(shares):.3f} over {len(shares)} questions")


if __name__ == "__main__":
    main()
