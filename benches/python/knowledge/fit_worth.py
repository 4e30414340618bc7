"""`python -m knowledge.fit_worth FILE...`: fits the weights of sentences worth keeping, on chats with labelled facts.

Needs scikit-learn, which bardo itself does not. A sentence is positive if it matches a labelled fact of its turn. The
features are those of the parse and the vector of the sentence under the default model.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from bardo.consolidate.texts.secrets import is_secret
from bardo.consolidate.texts.sentence import Sentence, sentences
from knowledge.memory import DAY, fresh
from knowledge.profiles import matches, near, start_of

#: Inverse of the L2 penalty: of grammar or vector alone, and of both.
GRAMMAR_STRENGTH, BOTH_STRENGTH = 0.1, 0.1
#: Weight of a sentence that would be a trap, where others have 1.
TRAP_WEIGHT = 3.0
#: Factor of the vectors, so that the penalty weighs on them less.
SCALE = 4
#: Maximum number of steps of a fit.
STEPS = 3_000
#: Minimum absolute weight that is written.
LEAST_WEIGHT = 0.01
#: Shares of the sentences for which precision and recall are printed.
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6)


def rows_of(chat: dict[str, Any]) -> list[tuple[str, Sentence, int, float]]:
    """Sentences of the user's turns that state something, with the words before them, label and weight."""
    english = reader("english", BUILT_IN)
    assert english is not None, "install bardo[english]"
    found = []
    for number, turn in enumerate(chat["turns"]):
        if turn["role"] != "user":
            continue
        speech = Speech(turn["text"], chat["user"], start_of(chat) + turn["day"] * DAY)
        for sentence in sentences(english.read(speech)):
            quote = sentence.quote(chat["user"])
            if not quote or not sentence.stated or is_secret(sentence.text):
                continue
            label = any(
                (near([number], gold["turns"]) and matches(quote, gold["words"]))
                or (number == gold["turns"][0] and is_quoted(sentence, gold.get("quote", "")))
                for gold in chat["facts"]
            )
            is_trap = not label and any(
                (near([number], [trap["turn"]]) and matches(quote, trap["words"]))
                or (number == trap["turn"] and is_quoted(sentence, trap.get("quote", "")))
                for trap in chat["traps"]
            )
            weight = TRAP_WEIGHT if is_trap else 1.0
            found.append((sentence.before(turn["text"]), sentence, int(label), weight))
    return found


def is_quoted(sentence: Sentence, quote: str) -> bool:
    """Whether the quote of a label stands in a sentence, or has it as a part; older labels have no quote."""
    return bool(quote) and (quote in sentence.text or sentence.text.rstrip(".!?") in quote)


def scored(data: Any, labels: Any, weights: Any, names: Any, strength: float) -> Any:
    """Scores of every sentence by a model that has not seen its chat."""
    from sklearn.linear_model import LogisticRegression

    scores = np.zeros(len(labels))
    for name in sorted(set(names)):
        held = names == name
        model = LogisticRegression(C=strength, max_iter=STEPS).fit(
            data[~held], labels[~held], sample_weight=weights[~held]
        )
        scores[held] = model.decision_function(data[held])
    return scores


def report(scores: Any, labels: Any) -> str:
    """Precision, recall and least score of several shares of the sentences, the best first."""
    order = np.argsort(-scores)
    ranked = labels[order]
    parts = []
    for part in SHARES:
        count = int(part * len(labels))
        precision, recall = ranked[:count].mean(), ranked[:count].sum() / labels.sum()
        parts.append(f"{part:.0%}: p={precision:.2f} r={recall:.2f} t={scores[order[count]]:.2f}")
    return " | ".join(parts)


def show(scores: Any, labels: Any, texts: Sequence[str], count: int) -> None:
    """Prints negative sentences among the best, and positive ones among the worst."""
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
        "about": "Logistic regression of sentences worth keeping; made by benches/python/knowledge/fit_worth.py",
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
        "--common", type=int, default=4, help="sentences in which a feature occurs to be kept"
    )
    given = options.parse_args()
    rows = [(file.stem, *row) for file in given.file for row in rows_of(json.loads(file.read_text()))]
    texts = [sentence.text for _, _, sentence, *_ in rows]
    with fresh() as (memory, _):
        found, fingerprint = memory._session.indexer.vectors_of(texts)
        assert found is not None
        vectors = SCALE * np.asarray(found)
    counts = Counter(name for _, _, sentence, *_ in rows for name in sentence.features)
    vectoriser = DictVectorizer(sparse=False)
    table = vectoriser.fit_transform(
        [
            {name: value for name, value in sentence.features.items() if counts[name] >= given.common}
            for _, _, sentence, *_ in rows
        ]
    )
    names, labels = np.array([row[0] for row in rows]), np.array([row[3] for row in rows])
    weights = np.array([row[4] for row in rows])
    both = np.hstack([table, vectors])
    print(f"{len(rows)} sentences, {labels.mean():.2f} positive")
    print("grammar", report(scored(table, labels, weights, names, GRAMMAR_STRENGTH), labels))
    scores = scored(both, labels, weights, names, BOTH_STRENGTH)
    print("both", report(scores, labels))
    if given.show:
        show(scores, labels, texts, given.show)
    if given.write:

        def fitted(data: Any, strength: float) -> Any:
            model = LogisticRegression(C=strength, max_iter=STEPS)
            return model.fit(data, labels, sample_weight=weights)

        made = document(
            [str(name) for name in vectoriser.get_feature_names_out()],
            fitted(table, GRAMMAR_STRENGTH),
            fitted(both, BOTH_STRENGTH),
            fingerprint.model if fingerprint else "",
        )
        given.write.write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
