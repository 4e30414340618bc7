"""`python -m conduct.fit_recognition [--write]`: fits the learned comparison of actions with rejections.

Needs JAX, optax and scikit-learn, which bardo itself does not. Two parts are fitted: the cross-encoder
(`consolidate/actions.npz`) on what is the same and what is only near, and the regressions over its odds, words and the
table's readings (`conduct/comparison.json`) on the odds of a cross-validation. All pairs of a rejection are in one fold.
Unrelated pairs are labelled ones and random ones of other rejections. The regressions are fitted on the pairs of `SOURCES` alone: the vocabulary of the table was made with the
others, on which its readings are too good. Limits are chosen on the scores of the cross-validation, and its decisions
are printed by form.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bardo import _core
from bardo.conduct import comparison, deeds, forbidden, matching, operations
from bardo.index.embedding import bert, embedders, minilm
from conduct.recognition import DATA, NOW, table
from knowledge import low_rank

ROOT = Path(__file__).resolve().parents[3]
ACTIONS = ROOT / "tests" / "conduct" / "actions.jsonl"
PACKAGE = ROOT / "python" / "bardo"
START = PACKAGE / "consolidate" / "corrections.npz"
#: Sets that the regressions are fitted and judged on.
SOURCES = ("train", "extra")
FOLDS, EPOCHS, RATE, STRENGTH = 3, 4, 3e-4, 0.1
#: Minimum number of pairs with a feature, and minimum weight, of one that is kept.
COMMON, LEAST = 3, 0.01
#: Number of random pairs in each fold.
RANDOM = 2_000
#: Maximum share of near misses that are blocked, and of unrelated actions that are warned of.
FALSE_BLOCKS, FALSE_WARNINGS = 0.02, 0.01
#: Names of the forms in the data, for those of `Deed`.
FORMS = {"prose": "sentence"}


@dataclass(frozen=True)
class Row:
    """Labelled pair.

    Args:
        source: Set of the pair; `random` for a rejection with an action of another one.
        rejection: Text of the rejection.
        action: Action.
        label: `same`, `near` or `unrelated`.
        form: Form of the action.
    """

    source: str
    rejection: str
    action: str
    label: str
    form: str


def rows() -> list[Row]:
    """Reads the labelled pairs of all sets but the held ones."""
    found = []
    for source in ("train", "extra", "dev", "own"):
        for line in (DATA / f"gates-{source}.jsonl").read_text(encoding="utf-8").splitlines():
            given = json.loads(line)
            found.append(Row(source, given["rejection"], given["action"], given["label"], given["form"]))
    for line in ACTIONS.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        if given["split"] == "dev":
            for name, label in (("same", "same"), ("near", "near"), ("other", "unrelated")):
                found += [Row("actions", given["about"], text, label, "sentence") for text in given[name]]
    return found


def random_rows(known: Sequence[Row], count: int, seed: int) -> list[Row]:
    """Pairs of a rejection with an action of another one."""
    chance = random.Random(seed)
    found = []
    while len(found) < count:
        one, other = chance.sample(known, 2)
        if one.rejection != other.rejection:
            found.append(Row("random", one.rejection, other.action, "unrelated", other.form))
    return found


def folds(known: Sequence[Row]) -> dict[str, int]:
    """Fold of each rejection."""
    texts = sorted({row.rejection for row in known})
    random.Random(0).shuffle(texts)
    return {text: place % FOLDS for place, text in enumerate(texts)}


def encoder(known: Sequence[Row], start: Path | None, epochs: int) -> tuple[low_rank.Model, Any]:
    """Fits the cross-encoder: is an action of a pair the same, or only near?"""
    from tokenizers import Tokenizer

    source = minilm.package_folder()
    model = low_rank.Model(
        bert.read_safetensors(source / minilm.WEIGHTS),
        Tokenizer.from_file(str(source / "tokenizer.json")),
        start,
    )
    labelled: list[low_rank.Row] = [
        (row.rejection, row.action, int(row.label == "same")) for row in known if row.label != "unrelated"
    ]
    return model, low_rank.train(model, labelled, 1, epochs=epochs, rate=RATE)


def cross_validated(
    known: Sequence[Row], start: Path | None, epochs: int
) -> tuple[list[Row], list[int], Any]:
    """Rows, random ones of each fold included, with their folds and the odds of a model that has not seen them."""
    fold_of = folds(known)
    every: list[Row] = []
    places: list[int] = []
    odds = []
    for fold in range(FOLDS):
        own = [row for row in known if fold_of[row.rejection] == fold]
        judged = [row for row in own if row.source in SOURCES]
        own += random_rows(judged, RANDOM, fold)
        model, fitted = encoder([row for row in known if fold_of[row.rejection] != fold], start, epochs)
        odds.append(low_rank.predict(model, fitted, [(row.rejection, row.action) for row in own]))
        every += own
        places += [fold] * len(own)
    return every, places, np.concatenate(odds)


def pairs(every: Sequence[Row]) -> list[comparison.Pair]:
    """Everything that words, table and vectors tell about rows."""
    embedder = embedders.load()
    rejections = sorted({row.rejection for row in every})
    actions = sorted({row.action for row in every})
    vectors = dict(zip(rejections, embedder.embed_documents(rejections), strict=True))
    asked = dict(zip(actions, embedder.embed_queries(actions), strict=True))
    found = []
    for row in every:
        (ruling,) = operations.rulings([row.rejection])
        (common,) = _core.touches([ruling.text], row.action)
        found.append(
            comparison.pair_of(
                row.rejection, forbidden.propose(row.rejection), ruling, deeds.deed(row.action), common,
                float(vectors[row.rejection] @ asked[row.action]), near_at=matching.near_at(1), now=NOW,
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True)
class Fit:
    """Scores of one regression on the rows of the cross-validation, and its weights on all of them."""

    scores: Any
    bias: float
    weights: Mapping[str, float]


def regression(features: Sequence[Mapping[str, float]], wanted: Any, used: Any, places: Any) -> Fit:
    """Fits a regression on the used rows, and scores each row by one that has not seen its fold."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = DictVectorizer()
    matrix = vectorizer.fit_transform(features)
    common = np.asarray((matrix[used] != 0).sum(0)).ravel() >= COMMON
    matrix, names = matrix[:, common].tocsr(), vectorizer.get_feature_names_out()[common]
    scores = np.zeros(len(features))
    for fold in range(FOLDS):
        new = places == fold
        model = LogisticRegression(C=STRENGTH, max_iter=4_000).fit(matrix[used & ~new], wanted[used & ~new])
        scores[new] = model.decision_function(matrix[new])
    model = LogisticRegression(C=STRENGTH, max_iter=4_000).fit(matrix[used], wanted[used])
    weights = {str(name): round(float(value), 3) for name, value in zip(names, model.coef_[0], strict=True)}
    return Fit(scores, round(float(model.intercept_[0]), 3), {n: w for n, w in weights.items() if abs(w) >= LEAST})


def limit(scores: Any, share: float) -> float:
    """Least limit that at most a share of scores reaches."""
    return round(float(np.quantile(scores, 1 - share)) + 1e-3, 3)


def decisions(found: Sequence[comparison.Pair], near: Any, same: Any) -> list[str]:
    """Decisions by the margins of both regressions."""
    decided = []
    for pair, *margins in zip(found, near, same, strict=True):
        touch = replace(pair.touch, learned=matching.Learned(*map(float, margins)))
        decided.append("block" if touch.same else "warn" if touch.near else "allow")
    return decided


def report(every: Sequence[Row], decided: Sequence[str]) -> None:
    """Prints the decisions of the cross-validation by set and form."""
    for source in ("train", "extra", "dev", "own", "actions"):
        rows_of = [(vars(row), each) for row, each in zip(every, decided, strict=True) if row.source == source]
        print(f"\n{source}", *table(*zip(*rows_of, strict=True)), sep="\n")  # type: ignore[arg-type]
    warned = [each != "allow" for row, each in zip(every, decided, strict=True) if row.source == "random"]
    print(f"\nrandom pairs warned of: {np.mean(warned):.1%} of {len(warned)}")


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.fit_recognition", description=__doc__)
    options.add_argument("--from-minilm", action="store_true", help="start from the model, not from corrections")
    options.add_argument("--epochs", type=int, default=EPOCHS)
    options.add_argument("--odds", type=Path, help="file of the cross-validated odds: read if it exists, else written")
    options.add_argument("--write", action="store_true", help="write both parts into the package")
    given = options.parse_args()
    start = None if given.from_minilm else START
    known = rows()
    if given.odds and given.odds.exists():
        kept = json.loads(given.odds.read_text())
        every, folds_of, odds = [Row(*row) for row in kept["rows"]], kept["folds"], np.array(kept["odds"])
    else:
        every, folds_of, odds = cross_validated(known, start, given.epochs)
        if given.odds:
            texts = [list(vars(row).values()) for row in every]
            given.odds.write_text(json.dumps({"rows": texts, "folds": folds_of, "odds": odds.tolist()}))
    found, places = pairs(every), np.array(folds_of)
    labels = np.array([row.label for row in every])
    is_judged = np.array([row.source in (*SOURCES, "random") for row in every])
    same_features = [pair.same_features(float(each)) for pair, each in zip(found, odds, strict=True)]
    same = regression(same_features, labels == "same", is_judged & (labels != "unrelated"), places)
    near = regression([pair.near_features() for pair in found], labels != "unrelated", is_judged, places)
    warn = limit(near.scores[is_judged & (labels == "unrelated")], FALSE_WARNINGS)
    # The pairs of other authors are harder; sure blocks count as well.
    is_sure = np.array([pair.touch.sure for pair in found])
    missed = (labels == "near") & np.array([row.source == SOURCES[0] for row in every])
    blocked = np.where(is_sure, np.inf, np.where(near.scores >= warn, same.scores, -np.inf))
    block = limit(blocked[missed], FALSE_BLOCKS)
    report(every, decisions(found, near.scores - warn, same.scores - block))
    if given.write:
        document = {
            "about": "Regressions of pairs of a rejection and an action; made by conduct/fit_recognition.py",
            "model": minilm.MODEL,
            "near": {"bias": near.bias, "limit": warn, "features": near.weights},
            "same": {"bias": same.bias, "limit": block, "features": same.weights},
        }
        (PACKAGE / "conduct" / "comparison.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")
        _, fitted = encoder(known, start, given.epochs)
        low_rank.write(fitted, PACKAGE / "consolidate" / "actions.npz")


if __name__ == "__main__":
    main()
