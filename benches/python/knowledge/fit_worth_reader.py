"""`python -m knowledge.fit_worth_reader FILE... --write FILE.npz`: fits the cross-encoder of sentences worth keeping.

Needs JAX and optax, which bardo itself does not. A sentence is positive if it matches a labelled fact of its turn
(`fit_worth.rows_of`); it is read after the words of its message that precede it. `--tried` prints how the regression of
`worth.json`, the encoder and their sum rank the sentences of chats that the encoder was not fitted on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.texts import worth
from bardo.consolidate.texts.sentence import Sentence
from knowledge import low_rank
from knowledge.fit_worth import report, rows_of
from knowledge.memory import fresh

#: Times that a trap is read in an epoch, where other sentences are read once.
TRAPS = 2


def read(files: Sequence[Path]) -> list[tuple[str, Sentence, int, float]]:
    """Sentences of chats with the words before them, label and weight."""
    return [row for file in files for row in rows_of(json.loads(file.read_text()))]


def try_out(model: low_rank.Model, trained: Any, files: Sequence[Path]) -> None:
    """Prints precision and recall on chats that were not fitted on."""
    rows = read(files)
    labels = np.array([label for *_, label, _ in rows])
    with fresh() as (memory, _):
        found, fingerprint = memory._session.indexer.vectors_of([sentence.text for _, sentence, *_ in rows])
    regression = np.array(worth.worth([sentence for _, sentence, *_ in rows], found, fingerprint))
    odds = low_rank.predict(model, trained, [(before, sentence.text) for before, sentence, *_ in rows])
    print("regression", report(regression, labels))
    print("encoder", report(odds, labels))
    for share in (0.3, 0.5, 0.8, 1.2):
        print(f"sum, {share} of the log odds", report(regression + share * odds, labels))


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.fit_worth_reader", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--tried", type=Path, nargs="*", default=())
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--epochs", type=int, default=low_rank.EPOCHS)
    options.add_argument("--write", type=Path, required=True)
    given = options.parse_args()
    model = low_rank.load()
    rows = [
        (before, sentence.text, label)
        for before, sentence, label, weight in read(given.file)
        for _ in range(TRAPS if weight > 1 else 1)
    ]
    print(f"{len(rows)} sentences, {np.mean([label for *_, label in rows]):.2f} positive")
    trained = low_rank.train(model, rows, given.seed, epochs=given.epochs)
    low_rank.write(trained, given.write)
    if given.tried:
        try_out(model, trained, given.tried)


if __name__ == "__main__":
    main()
