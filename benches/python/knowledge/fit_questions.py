"""`python -m knowledge.fit_questions FILE...`: fits the weights that tell questions for a decision from others.

Needs scikit-learn, which bardo itself does not. A line of the data has `decisions` and `unrelated`, two lists of
questions of one setting (the streams of `decisions` have `questions` instead). The features are the words of the
question and its vector under the default model; settings are held out whole in the cross-validation, which sets the
limit.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bardo.recall.decision_questions import words_of
from knowledge.memory import fresh, load

#: Number of folds of the cross-validation.
FOLDS = 10
#: Inverse of the L2 penalty, and factor of the vectors.
STRENGTH, SCALE = 0.1, 4
#: Number of questions in which a word occurs at least.
COMMON = 8
#: Share of the questions for a decision that pass the limit.
FOUND = 0.97


def main() -> None:
    from sklearn.linear_model import LogisticRegression

    options = argparse.ArgumentParser(prog="knowledge.fit_questions", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--write", type=Path, help="where the weights go")
    given = options.parse_args()
    rows = [
        (question, label, place)
        for place, case in enumerate(load(given.file))
        for label, name in ((1, "decisions"), (1, "questions"), (0, "unrelated"))
        for question in case.get(name, ())
    ]
    with fresh() as (memory, _):
        vectors, fingerprint = memory._session.indexer.vectors_of([question for question, *_ in rows])
    assert vectors is not None
    assert fingerprint is not None
    counts = Counter(word for question, *_ in rows for word in words_of(question))
    words = sorted(word for word, count in counts.items() if count >= COMMON)
    spoken = [[float(word in words_of(question)) for word in words] for question, *_ in rows]
    table = np.hstack([SCALE * np.asarray(vectors), np.array(spoken)])
    labels = np.array([label for _, label, _ in rows])
    folds = np.array([place % FOLDS for *_, place in rows])

    def fitted(chosen: Any) -> Any:
        return LogisticRegression(C=STRENGTH, max_iter=5_000).fit(table[chosen], labels[chosen])

    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        scores[folds == fold] = fitted(folds != fold).decision_function(table[folds == fold])
    limit = float(np.quantile(scores[labels == 1], 1 - FOUND))
    passed = float(np.mean(scores[labels == 0] > limit))
    print(f"{len(rows)} questions; at {FOUND:.0%} of the decisions {passed:.0%} of the others pass")
    if given.write:
        model = fitted(folds >= 0)
        document = {
            "about": "Logistic regression of questions; made by benches/python/knowledge/fit_questions.py",
            "model": fingerprint.model,
            "bias": round(float(model.intercept_[0]) - limit, 3),
            "words": {
                word: round(float(weight), 3)
                for word, weight in zip(words, model.coef_[0][-len(words) :], strict=True)
            },
            "vector": [round(float(weight) * SCALE, 3) for weight in model.coef_[0][: -len(words)]],
        }
        given.write.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
