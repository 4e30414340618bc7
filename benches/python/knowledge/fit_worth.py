"""`python -m knowledge.fit_worth FILE...`: fits the weights of clauses worth keeping, on chats with labelled facts.

Needs scikit-learn, which bardo itself does not. A clause is positive if its sentence matches a labelled fact of its
turn. The features are those of the parse and the vector of the sentence under the default model.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from knowledge.memory import DAY, START, fresh
from knowledge.profiles import NEAR, matches

#: Inverse of the L2 penalty: of grammar or vector alone, and of both.
GRAMMAR_STRENGTH, BOTH_STRENGTH = 0.3, 0.1
#: Factor of the vectors, so that the penalty weighs on them less.
SCALE = 4
#: Maximum number of steps of a fit.
STEPS = 3_000
#: Minimum absolute weight that is written.
LEAST_WEIGHT = 0.01
#: Shares of the clauses for which precision and recall are printed.
SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def clauses(chat: dict[str, Any]) -> list[tuple[Any, int, int]]:
    """Clauses of the user's turns that can stand alone, with their turn and label."""
    english = reader("english")
    assert english is not None, "install bardo[english]"
    found = []
    for number, turn in enumerate(chat["turns"]):
        if turn["role"] != "user":
            continue
        for clause in english.read(Speech(turn["text"], chat["user"], START + turn["day"] * DAY)):
            if not clause.text or not clause.stated:
                continue
            label = any(
                any(abs(number - other) <= NEAR for other in gold["turns"])
                and matches(clause.text, gold["words"])
                for gold in chat["facts"]
            )
            found.append((clause, number, int(label)))
    return found


def scored(data: Any, labels: Any, names: Any, strength: float) -> Any:
    """Scores of every clause by a model that has not seen its chat."""
    from sklearn.linear_model import LogisticRegression

    scores = np.zeros(len(labels))
    for name in sorted(set(names)):
        held = names == name
        model = LogisticRegression(C=strength, max_iter=STEPS).fit(data[~held], labels[~held])
        scores[held] = model.decision_function(data[held])
    return scores


def report(scores: Any, labels: Any) -> str:
    """Precision, recall and least score of several shares of the clauses, the best first."""
    order = np.argsort(-scores)
    ranked = labels[order]
    parts = []
    for part in SHARES:
        count = int(part * len(labels))
        precision, recall = ranked[:count].mean(), ranked[:count].sum() / labels.sum()
        parts.append(f"{part:.0%}: p={precision:.2f} r={recall:.2f} t={scores[order[count]]:.2f}")
    return " | ".join(parts)


def show(scores: Any, labels: Any, texts: Sequence[str], count: int) -> None:
    """Prints negative clauses among the best, and positive ones among the worst."""
    order = np.argsort(-scores)
    for place in order[: count * 4]:
        if not labels[place]:
            print(f"  FALSE {scores[place]:.2f} {texts[place]}")
    for place in order[::-1][: count * 4]:
        if labels[place]:
            print(f"  MISSED {scores[place]:.2f} {texts[place]}")


def document(columns: Sequence[str], grammar: Any, both: Any, model: str) -> dict[str, Any]:
    """The fitted weights as `worth.json` holds them.

    Args:
        columns: Names of the features.
        grammar: Regression over the features.
        both: Regression over the features and the vector.
        model: Model of the vectors.
    """

    def weights(regression: Any) -> dict[str, float]:
        bias = {"bias": round(float(regression.intercept_[0]), 3)}
        return bias | {
            name: round(float(value), 3)
            for name, value in zip(columns, regression.coef_[0], strict=False)
            if abs(value) >= LEAST_WEIGHT
        }

    return {
        "about": "Logistic regression of clauses worth keeping; made by benches/python/knowledge/fit_worth.py",
        "grammar": weights(grammar),
        "both": weights(both),
        "model": model,
        "vector": [round(float(value) * SCALE, 3) for value in both.coef_[0][len(columns) :]],
    }


def main() -> None:
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    options = argparse.ArgumentParser(prog="knowledge.fit_worth", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--write", type=Path)
    options.add_argument("--show", type=int, default=0)
    options.add_argument(
        "--common", type=int, default=4, help="chats or clauses in which a verb occurs to be a feature"
    )
    given = options.parse_args()
    rows = [(file.stem, *row) for file in given.file for row in clauses(json.loads(file.read_text()))]
    texts = [clause.text for _, clause, *_ in rows]
    with fresh() as (memory, _):
        found, fingerprint = memory._session.indexer.vectors_of(texts)
        assert found is not None
        vectors = SCALE * np.asarray(found)
    counts = Counter(name for _, clause, *_ in rows for name in clause.features)
    vectoriser = DictVectorizer(sparse=False)
    table = vectoriser.fit_transform(
        [
            {name: value for name, value in clause.features.items() if counts[name] >= given.common}
            for _, clause, *_ in rows
        ]
    )
    names, labels = np.array([row[0] for row in rows]), np.array([row[3] for row in rows])
    both = np.hstack([table, vectors])
    print(f"{len(rows)} clauses, {labels.mean():.2f} positive")
    print("grammar", report(scored(table, labels, names, GRAMMAR_STRENGTH), labels))
    print("vector", report(scored(vectors, labels, names, GRAMMAR_STRENGTH), labels))
    scores = scored(both, labels, names, BOTH_STRENGTH)
    print("both", report(scores, labels))
    if given.show:
        show(scores, labels, texts, given.show)
    if given.write:
        made = document(
            [str(name) for name in vectoriser.get_feature_names_out()],
            LogisticRegression(C=GRAMMAR_STRENGTH, max_iter=STEPS).fit(table, labels),
            LogisticRegression(C=BOTH_STRENGTH, max_iter=STEPS).fit(both, labels),
            fingerprint.model if fingerprint else "",
        )
        given.write.write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
