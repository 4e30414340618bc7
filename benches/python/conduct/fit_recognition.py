"""`python -m conduct.fit_recognition --reader FILE --apart FILE [--write] [--report FILE]`: fits the comparison.

Needs scikit-learn, which bardo itself does not. Regressions over words, cosine, conditions and the table's readings
(`conduct/match/comparison.json`) are fitted on the pairs of `SOURCES`: the vocabulary of the table was made with the
others, on which its readings are too good. Unrelated pairs are labelled ones and random ones of other rejections.
Limits are chosen on the scores of a cross-validation, in which all pairs of a rejection are in one fold; its decisions
are printed by form.

The fourth regression also has the log odds of the cross-encoder of `fit_reader`, and is fitted on `READ_SOURCES`. The
odds of `written` pairs are of `--apart`, a fit that has not seen the authors of `READ_APART`: on pairs that it was
fitted on, a cross-encoder is surer than on others.

Tried without gain: one regression in place of the second and the fourth, since `written` has few plain pairs, and plain
ones were lost; the odds in the regressions of warnings; vectors of the texts, their products, and a linear map.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bardo import _core
from bardo.conduct.match import comparison, matching
from bardo.conduct.parse import action
from bardo.conduct.parse.rejections import rejection
from bardo.consolidate import cross_encoder
from bardo.consolidate.cross_encoder import CrossEncoder
from bardo.index.embedding import embedders, minilm
from common.report import write_section
from conduct.recognition import DATA, NOW, STORED, table

ROOT = Path(__file__).resolve().parents[3]
ACTIONS = ROOT / "tests" / "conduct" / "actions.jsonl"
PACKAGE = ROOT / "python" / "bardo"
#: Sets that the regressions are fitted on; the blind one first, with which the table was not made.
SOURCES = ("train", "extra", "actions")
#: Sets of the regression with the odds of the cross-encoder, which has seen `extra`.
READ_SOURCES = ("train", "opened", "paraphrased", "own", "actions", "written")
#: Authors of `gates-written.jsonl` whose pairs the cross-encoder of `--apart` was not fitted on.
READ_APART = ("soft2", "home2", "desk2", "world2", "ops2", "world")
#: Maximum share of near misses of `READ_SOURCES` that this regression alone blocks.
ADDED = 0.008
FOLDS, STRENGTH = 6, 0.1
#: Minimum number of pairs with a feature, and minimum weight, of one that is kept.
COMMON, LEAST = 3, 0.01
#: Minimum weight of the regression of warnings, most of whose features are words of random pairs.
LEAST_WARN = 0.05
#: Minimum weight of the regression with the odds of the cross-encoder.
LEAST_READ = 0.05
#: Number of random pairs in each fold.
RANDOM = 1_000
#: Maximum share of near misses that are blocked: of all sets, and of the blind one; of random pairs warned of.
FALSE_BLOCKS, FALSE_BLIND, FALSE_WARNINGS = 0.02, 0.03, 0.04
#: The last of these in a store of `STORED` rejections.
FALSE_AMONG_MANY = 0.01
#: Share of the blind actions that are the rejected one, of which a gate with one rejection may warn; and of the actions
#: of whole stores that violate nothing, of which it warns.
KEPT_WARNINGS, FALSE_IN_STORE = 0.97, 0.04
#: Quantiles of the scores that are tried as limits: of what the table reads as the same, and of near misses.
KEPT, BLOCKED = np.linspace(0, 0.15, 7), np.linspace(0.9, 1, 41)


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
    found: list[Row] = []
    for source in ("train", "extra", "dev", "own", "opened", "paraphrased"):
        for line in (DATA / f"gates-{source}.jsonl").read_text(encoding="utf-8").splitlines():
            given = json.loads(line)
            found.append(Row(source, given["rejection"], given["action"], given["label"], given["form"]))
    for line in (DATA / "gates-written.jsonl").read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        if given["author"] in READ_APART:
            found.append(Row("written", given["rejection"], given["action"], given["label"], given["form"]))
    for line in ACTIONS.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        if given["split"] == "dev":
            for name, label in (("same", "same"), ("near", "near"), ("other", "unrelated")):
                found += [Row("actions", given["about"], text, label, "sentence") for text in given[name]]
    return found


def random_rows(known: Sequence[Row], count: int, seed: int) -> list[Row]:
    """Pairs of a rejection with an action of another one."""
    chance = random.Random(seed)
    found: list[Row] = []
    while len(found) < count:
        one, other = chance.sample(known, 2)
        if one.rejection != other.rejection:
            found.append(Row("random", one.rejection, other.action, "unrelated", other.form))
    return found


def folded() -> tuple[list[Row], Any]:
    """All rows, random ones within each fold included, and their folds."""
    known = rows()
    texts = sorted({row.rejection for row in known})
    random.Random(0).shuffle(texts)
    fold_of = {text: place % FOLDS for place, text in enumerate(texts)}
    for fold in range(FOLDS):
        own = [row for row in known if row.source in SOURCES and fold_of[row.rejection] == fold]
        known += random_rows(own, RANDOM, fold)
    return known, np.array([fold_of[row.rejection] for row in known])


def read_by(file: Path) -> CrossEncoder:
    """The cross-encoder of a file of `fit_reader`."""
    folder = Path(tempfile.mkdtemp(prefix="reader-"))
    with file.open("rb") as differences:
        cross_encoder.write_files(minilm.package_folder(), folder, differences)
    return CrossEncoder(folder, threads=2)


def odds_of(every: Sequence[Row], reader: Path, apart: Path) -> Any:
    """Log odds of the cross-encoders that rows are forbidden actions, shape (len(every),)."""
    odds = np.zeros(len(every))
    is_written = np.array([row.source == "written" for row in every])
    for file, is_own in ((reader, ~is_written), (apart, is_written)):
        places = np.flatnonzero(is_own)
        odds[places] = read_by(file).read([(every[place].rejection, every[place].action) for place in places])
    return odds


def read_limit(fit: Fit, blocked: Any, near: Any, is_missed: Any) -> float:
    """Lowest limit of the regression with the odds of the cross-encoder, at which it blocks few near misses more.

    Args:
        fit: The regression.
        blocked: Whether the others block each row.
        near: Log odds of being about the same thing over their limit.
        is_missed: Whether each row is a near miss that it was fitted on.
    """
    scores = np.where(blocked | (near < 0), -math.inf, fit.scores)[is_missed]
    return round(float(np.quantile(scores, 1 - ADDED)) + 1e-3, 3)


def pairs(every: Sequence[Row]) -> list[comparison.Pair]:
    """Everything that words, table and vectors tell about rows."""
    embedder = embedders.load()
    rejections = sorted({row.rejection for row in every})
    actions = sorted({row.action for row in every})
    vectors = dict(zip(rejections, embedder.embed_documents(rejections), strict=True))
    asked = dict(zip(actions, embedder.embed_queries(actions), strict=True))
    found: list[comparison.Pair] = []
    for row in every:
        about = rejection.parse(row.rejection)
        (common,) = _core.touches([about.spoken], row.action)
        cosine = float(vectors[row.rejection] @ asked[row.action])
        done = action.parse(row.action)
        found.append(comparison.pair_of(about, done, common, cosine, count=1, now=NOW))
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
    return Fit(
        scores, round(float(model.intercept_[0]), 3), {n: w for n, w in weights.items() if abs(w) >= LEAST}
    )


def limits(
    every: Sequence[Row], found: Sequence[comparison.Pair], near: Any, same: Any
) -> tuple[float, float]:
    """Chooses the limits of blocks, of what the table reads as the same and of the rest, for the most right blocks."""
    is_sure, by_table = (np.array([getattr(pair, name) for pair in found]) for name in ("is_sure", "stands"))
    labels, is_blind = (
        np.array([row.label for row in every]),
        np.array([row.source == SOURCES[0] for row in every]),
    )
    missed, wanted = labels == "near", labels == "same"
    best = (0.0, 0.0, 0.0)
    for low in np.quantile(same[by_table & is_blind], KEPT):
        for high in np.quantile(same[missed & is_blind], BLOCKED) + 1e-3:
            is_blocked = is_sure | (by_table & (same >= low)) | ((near >= 0) & (same >= high))
            few = is_blocked[missed].mean() <= FALSE_BLOCKS
            if few and is_blocked[missed & is_blind].mean() <= FALSE_BLIND:
                best = max(
                    best, (float(is_blocked[wanted].mean()), round(float(low), 3), round(float(high), 3))
                )
    return best[1:]


def decisions(
    found: Sequence[comparison.Pair],
    warned: Any,
    near: Any,
    same: Any,
    limits_: tuple[float, float],
    *,
    read: Any = None,
) -> list[str]:
    """Decisions by the margins of warnings, of the first and the fourth regression, and the scores of the second."""
    decided = []
    also = np.full(len(found), -1.0) if read is None else read
    for pair, warn, margin, score, other in zip(found, warned, near, same, also, strict=True):
        by_table = pair.stands
        over = score - limits_[0 if by_table else 1] if by_table or margin >= 0 else -1.0
        over = max(over, other) if margin >= 0 else over
        learned = matching.Learned(float(warn), float(warn), float(over))
        touch = replace(pair.touch, sure=pair.is_sure, learned=learned)
        decided.append("block" if touch.same else "warn" if touch.warns else "allow")
    return decided


def report(every: Sequence[Row], decided: Sequence[str]) -> str:
    """Tables of the decisions of the cross-validation by set and form."""
    lines = [
        "## Recognition of rejected actions: cross-validation, with the embedding model",
        "",
        f"{FOLDS} folds by rejection. Limits are chosen on these scores; `train` was written from a description alone.",
    ]
    for source in ("train", "written", "extra", "dev", "own", "opened", "paraphrased", "actions"):
        places = [place for place, row in enumerate(every) if row.source == source]
        own, found = [vars(every[place]) for place in places], [decided[place] for place in places]
        lines += ["", f"{source}, {len(own)} pairs:", "", *table(own, found)]
    warned = [each != "allow" for row, each in zip(every, decided, strict=True) if row.source == "random"]
    return "\n".join([*lines, "", f"Of {len(warned)} random pairs {np.mean(warned):.1%} are warned of."])


def in_stores(fit: Fit) -> list[float]:
    """Returns for each action of whole stores that violates nothing the highest score of its rejections."""
    highest: list[float] = []
    for store in json.loads((DATA / "stores-dev.json").read_text(encoding="utf-8")):
        free = [each for each in store["actions"] if not each["violates"] and not each["may"]]
        every = [
            Row("stores", rejected["text"], each["action"], "unrelated", each["form"])
            for each in free
            for rejected in store["rejections"]
        ]
        scores = [
            fit.bias
            + sum(
                value * fit.weights.get(name, 0.0)
                for name, value in pair.same_features(pair.near_features()).items()
            )
            if pair.touch.reading is not matching.Reading.OTHER
            else -math.inf
            for pair in pairs(every)
        ]
        many = len(store["rejections"])
        highest += [max(scores[start : start + many]) for start in range(0, len(scores), many)]
    return highest


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.fit_recognition", description=__doc__)
    options.add_argument("--write", action="store_true", help="write the weights into the package")
    options.add_argument("--report", type=Path, help="Markdown file whose section is replaced")
    options.add_argument("--reader", type=Path, required=True, help="a file of conduct.fit_reader")
    options.add_argument("--apart", type=Path, required=True, help="another one, not fitted on all authors")
    given = options.parse_args()
    every, places = folded()
    found = pairs(every)
    labels = np.array([row.label for row in every])
    is_fitted = np.array([row.source in (*SOURCES, "random") for row in every])
    is_random = np.array([row.source == "random" for row in every])
    same = regression(
        [pair.same_features(pair.near_features()) for pair in found],
        labels == "same",
        is_fitted & (labels != "unrelated"),
        places,
    )
    near = regression([pair.near_features() for pair in found], labels != "unrelated", is_fitted, places)
    warn, among_many = (
        round(float(np.quantile(near.scores[is_random], 1 - share)), 3)
        for share in (FALSE_WARNINGS, FALSE_AMONG_MANY)
    )
    growth = round((among_many - warn) / math.log(STORED), 3)
    only = regression(
        [pair.same_features(pair.near_features()) for pair in found], labels == "same", is_fitted, places
    )
    only = replace(only, weights={name: w for name, w in only.weights.items() if abs(w) >= LEAST_WARN})
    is_blind = np.array([row.source == SOURCES[0] for row in every]) & (labels == "same")
    least = round(float(np.quantile(only.scores[is_blind], 1 - KEPT_WARNINGS)), 3)
    most = float(np.quantile(in_stores(only), 1 - FALSE_IN_STORE))
    steepness = round((most - least) / math.log(STORED), 3)
    low, high = limits(every, found, near.scores - warn, same.scores)
    print(f"a warning must reach {least}, growing by {steepness}")
    print(f"limits: warn {warn}, growing by {growth}; block {low} by table, {high} else")
    margins = np.minimum(near.scores - warn, only.scores - least)
    read = regression(
        [
            pair.read_features(pair.same_features(pair.near_features()), odds)
            for pair, odds in zip(found, odds_of(every, given.reader, given.apart), strict=True)
        ],
        labels == "same",
        np.array([row.source in READ_SOURCES for row in every]) & (labels != "unrelated"),
        places,
    )
    read = replace(read, weights={name: w for name, w in read.weights.items() if abs(w) >= LEAST_READ})
    plain = decisions(found, margins, near.scores - warn, same.scores, (low, high))
    is_missed = np.array([row.source in READ_SOURCES and row.label == "near" for row in every])
    limit = read_limit(read, np.array(plain) == "block", near.scores - warn, is_missed)
    decided = decisions(
        found, margins, near.scores - warn, same.scores, (low, high), read=read.scores - limit
    )
    text = report(every, decided)
    print(text)
    if given.report:
        write_section(given.report, "conduct-recognition-validated", text)
    if given.write:
        document = {
            "about": "Regressions of pairs of a rejection and an action; made by conduct/fit_recognition.py",
            "model": minilm.MODEL,
            "near": {"bias": near.bias, "limit": warn, "growth": growth, "features": near.weights},
            "warn": {"bias": only.bias, "limit": least, "growth": steepness, "features": only.weights},
            "same": {"bias": same.bias, "limit by table": low, "limit": high, "features": same.weights},
            "read": {"bias": read.bias, "limit": limit, "features": read.weights},
        }
        (PACKAGE / "conduct" / "match" / "comparison.json").write_text(
            json.dumps(document, separators=(",", ":")) + "\n"
        )


if __name__ == "__main__":
    main()
