"""`python -m knowledge.fit_worth FILE...`: fits which clauses of a person are worth keeping, on chats with labelled facts.

Needs scikit-learn, which bardo itself does not. A clause is positive if its sentence matches a labelled fact of its turn. The
features are those of the parse and the vector of the sentence under the default model.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from knowledge.memory import DAY, START, fresh
from knowledge.profiles import NEAR, matches


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
    chats = [(file.stem, json.loads(file.read_text())) for file in given.file]
    rows = [(name, *row) for name, chat in chats for row in clauses(chat)]
    with fresh() as (memory, _):
        vectors, fingerprint = memory._session.indexer.vectors_of([row[1].text for row in rows])
        assert vectors is not None
        vectors = np.asarray(vectors)
    counts: dict[str, int] = {}
    for row in rows:
        for name in row[1].features:
            counts[name] = counts.get(name, 0) + 1
    vectoriser = DictVectorizer(sparse=False)
    table = vectoriser.fit_transform(
        [
            {name: value for name, value in row[1].features.items() if counts[name] >= given.common}
            for row in rows
        ]
    )
    labels = np.array([row[3] for row in rows])
    names = np.array([row[0] for row in rows])
    print(f"{len(rows)} clauses, {labels.mean():.2f} positive")
    for what, data, strength in (
        ("grammar", table, 0.3), ("vector", 4 * vectors, 0.3), ("both", np.hstack([table, 4 * vectors]), 0.1),
    ):  # fmt: skip
        scores = np.zeros(len(rows))
        for name in sorted(set(names)):
            held = names == name
            model = LogisticRegression(C=strength, max_iter=3_000).fit(data[~held], labels[~held])
            scores[held] = model.decision_function(data[held])
        order = np.argsort(-scores)
        ranked = labels[order]
        line = []
        for part in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
            count = int(part * len(rows))
            line.append(
                f"{part:.0%}: p={ranked[:count].mean():.2f} r={ranked[:count].sum() / labels.sum():.2f} t={scores[order[count]]:.2f}"
            )
        print(what, " | ".join(line))
        if given.show and what == "both":
            for place in order[: given.show * 4]:
                if not labels[place]:
                    print(f"  FALSE {scores[place]:.2f} {rows[place][1].text}")
            for place in order[::-1][: given.show * 4]:
                if labels[place]:
                    print(f"  MISSED {scores[place]:.2f} {rows[place][1].text}")
    grammar = LogisticRegression(C=0.3, max_iter=3_000).fit(table, labels)
    model = LogisticRegression(C=0.1, max_iter=3_000).fit(np.hstack([table, 4 * vectors]), labels)
    if given.write:
        columns = [str(name) for name in vectoriser.get_feature_names_out()]

        def weights(coefficients: Any) -> dict[str, float]:
            return {
                name: round(float(value), 3)
                for name, value in zip(columns, coefficients, strict=False)
                if abs(value) >= 0.01
            }

        given.write.write_text(
            json.dumps(
                {
                    "about": "Logistic regression of clauses worth keeping; made by benches/python/knowledge/fit_worth.py",
                    "grammar": {"bias": round(float(grammar.intercept_[0]), 3), **weights(grammar.coef_[0])},
                    "both": {"bias": round(float(model.intercept_[0]), 3), **weights(model.coef_[0])},
                    "model": fingerprint.model if fingerprint else "",
                    "vector": [round(float(value) * 4, 3) for value in model.coef_[0][len(columns) :]],
                },
                separators=(",", ":"),
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
