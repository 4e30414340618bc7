"""`python -m conduct.fit_hearing --write FILE.json`: fits the weights by which utterances are heard (`hearing.json`).

Needs scikit-learn, which bardo itself does not. The limit of each kind is the least margin at which, in a five-fold
cross-validation, its precision is `PRECISION` on the utterances of `dev` and `blind`, whose authors had not seen the
cues: on those of `train`, margins are too wide.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.conduct.hearing.hearing import KINDS
from bardo.conduct.hearing.utterance import Utterance
from conduct.hearing import DATA, load, utterance
from knowledge.memory import fresh

#: Inverse of the L2 penalty, factor of the vectors, and number of utterances in which a feature occurs to be kept.
STRENGTH, SCALE, COMMON = 0.5, 3.0, 4
#: Precision of each kind in the cross-validation; what blocks or orders must be surer.
PRECISION = {"rejection": 0.945, "rule": 0.945}
OTHERS = 0.92
FOLDS, STEPS = 5, 1_000
#: Words before an utterance that say nothing about it.
NEUTRAL = ("Hello.", "OK.", "Done.", "Sure, what else?", "I have noted it.", "All right.", "It is finished.")
#: Minimum limit: what is said in chats is nothing of the kinds more often than in the labelled sets.
LEAST_LIMIT = 0.4


def fitted(table: Any, labels: Any) -> Any:
    """The regression."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=STRENGTH, max_iter=STEPS).fit(table, labels)


def limits(table: Any, labels: Any, texts: Any, is_blind: Any) -> list[float]:
    """Least margin of each kind for its precision on blind utterances, by cross-validation; 0 for none."""
    from sklearn.model_selection import StratifiedGroupKFold

    scores = np.zeros((len(labels), len(KINDS)))
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=1)
    for known, new in folds.split(table, labels, texts):
        scores[new] = fitted(table[known], labels[known]).decision_function(table[new])
    scores, labels = scores[is_blind], labels[is_blind]
    found = [0.0]
    for place, kind in enumerate(KINDS[1:], 1):
        margins = scores[:, place] - np.max(np.delete(scores, place, 1), 1)
        order = [int(one) for one in np.argsort(-margins) if margins[one] > 0]
        right = np.cumsum(labels[order] == place) / np.arange(1, len(order) + 1)
        enough = np.flatnonzero(right >= PRECISION.get(kind, OTHERS))
        last = int(enough[-1]) if len(enough) else 0
        found.append(max(LEAST_LIMIT, round(float(margins[order[last]]), 3)))
        heard = labels[margins >= found[-1]] == place
        recall = heard.sum() / np.sum(labels == place)
        print(f"{kind}: limit {found[-1]}, precision {heard.mean():.2f}, recall {recall:.2f}")
    return found


def part(table: Any, labels: Any, texts: Any, is_blind: Any, columns: Sequence[str]) -> dict[str, Any]:
    """The weights over some columns, of which those after the named ones are the vector."""
    model = fitted(table, labels)
    named = len(columns)
    found = {
        "bias": [round(float(value), 3) for value in model.intercept_],
        "limits": limits(table, labels, texts, is_blind),
        "features": {
            name: [round(float(value), 2) for value in model.coef_[:, place]]
            for place, name in enumerate(columns)
        },
    }
    if table.shape[1] > named:
        found["vector"] = (SCALE * model.coef_[:, named:].T).round(3).tolist()
    return found


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.fit_hearing", description=__doc__)
    options.add_argument("--write", type=Path)
    given = options.parse_args()
    rows = load(DATA / "utterances-train.jsonl")
    first_of_blind = len(rows)
    rows += load(DATA / "utterances-dev.jsonl") + load(DATA / "utterances-blind.jsonl")
    end_of_blind = len(rows)
    rows += load(DATA / "utterances-natural.jsonl") + load(DATA / "utterances-lives.jsonl")
    is_blind = (np.arange(len(rows)) >= first_of_blind) & (np.arange(len(rows)) < end_of_blind)
    # In chats nearly every utterance follows another, so that an answer must not tell its kind by being one.
    neutral = [
        {**row, "before": NEUTRAL[place % len(NEUTRAL)]}
        for place, row in enumerate(rows)
        if not row["before"]
    ]
    is_blind = np.concatenate([is_blind, np.zeros(len(neutral), dtype=bool)])
    rows += neutral
    said: list[Utterance] = [utterance(row) for row in rows]
    labels = np.array([KINDS.index(row["label"]) for row in rows])
    texts = np.unique([one.text for one in said], return_inverse=True)[1]
    features = [one.features() for one in said]
    counts = Counter(name for found in features for name in found)
    columns = sorted(name for name, count in counts.items() if count >= COMMON)
    table = np.array([[found.get(name, 0.0) for name in columns] for found in features], dtype=np.float32)
    with fresh() as (memory, _):
        vectors, fingerprint = memory._session.indexer.vectors_of([one.text for one in said])
    assert vectors is not None
    assert fingerprint is not None
    document = {
        "about": "Multinomial regression of utterances; made by benches/python/conduct/fit_hearing.py",
        "model": fingerprint.model,
        "words": part(table, labels, texts, is_blind, columns),
        "both": part(np.hstack([table, SCALE * np.asarray(vectors)]), labels, texts, is_blind, columns),
    }
    if given.write:
        given.write.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
