"""`python -m knowledge.fit_read`: weighs the log odds of the cross-encoder beside those of the features of two parses.

Fits the second regression of `bardo.consolidate.corrections.corrections` and its limits on cases that
neither the first one nor the cross-encoder has seen: corrections and compatible pairs, the contrasts kept back by
`fit_cross_encoder`, and the turns of whole conversations in the format of LoCoMo, which correct nothing.
Needs scikit-learn, which bardo itself does not.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate import cross_encoder
from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections import corrections
from knowledge.fit import EARLIER, conversation_turns, read
from knowledge.fit_cross_encoder import TRAIN, contrasts_kept_back
from knowledge.memory import DAY, START, fresh, holds, load

#: Shares of the statements of compatible pairs that may be an end, a dispute, and a correction of a turn.
SHARES = {"ends": 0.025, "disputes": 0.1, "turns": 0.12}
#: Maximum number of newer turns of a conversation that are paired with earlier ones.
TURNS = 80
#: Number of the messages about a thing that each message is paired with.
OF_THING = 4
#: Weights of rows by kind: those of one thing are many, and would make a correction of it unlikely.
SHARE_OF_KIND = {"same thing": 0.2}


@dataclass
class Row:
    """Features of the pairs of clauses of one older statement and one newer message.

    Args:
        kind: Kind of the row.
        label: 1 if the message ends the statement.
        pairs: For each pair of clauses the features of the second regression.
    """

    kind: str
    label: int
    pairs: list[tuple[float, ...]]


class Pairs:
    """Computes the features of pairs of clauses."""

    def __init__(self, indexer: Any) -> None:
        self._indexer = indexer
        found = cross_encoder.load("corrections", 2)
        assert found is not None, "run: bardo embedding install"
        self._model = found
        #: Names of the features, in the order of the rows.
        self.names: tuple[str, ...] = ()

    def row(self, kind: str, label: int, older: Sequence[Clause], newer: Sequence[Clause], text: str) -> Row:
        """The row of an older statement and of a newer message."""
        pairs = [
            (old, new)
            for old in older
            for new in newer
            if old.stated
            and new.stated
            and (new.anchors or new.figures or new.names)
            and corrections.judge(old, new, corrections.NEAREST).total >= corrections.UNLIKELY
        ]
        if not pairs:
            return Row(kind, label, [])
        said = list({clause.sentence for pair in pairs for clause in pair})
        vectors = dict(zip(said, np.asarray(self._indexer.vectors_of(said)[0]), strict=True))
        olds = list({old.sentence for old, _ in pairs})
        read_of = dict(zip(olds, self._model.read([(old, text) for old in olds]), strict=True))
        found = []
        for old, new in pairs:
            one, other = vectors[old.sentence], vectors[new.sentence]
            cosine = float(one @ other / max(1e-9, np.linalg.norm(one) * np.linalg.norm(other)))
            judgement = corrections.judge(old, new, cosine)
            if judgement.total > corrections.NEVER:
                features = corrections.read_features(
                    corrections.by_features(old, new, cosine),
                    cosine,
                    read_of[old.sentence],
                    is_announced=bool(judgement.rule),
                )
                found.append(tuple(features.values()))
                self.names = tuple(features)
        return Row(kind, label, found)


def labelled(folder: Path, pairs: Pairs) -> list[Row]:
    """Rows of the labelled cases."""
    rows = []
    for name in ("corrections", "plain"):
        for case in load([folder / f"{name}.jsonl"]):
            newer = read(case["after"], START + int(case["days"] * DAY))
            text = case["after"]["text"]
            before = read(case["before"], START)
            told = [clause for clause in before if holds(clause.sentence, case["stale_words"])]
            kept = [clause for clause in before if clause not in told]
            rows.append(pairs.row(f"{name} told", 1, told, newer, text))
            rows.append(pairs.row(f"{name} learned", 1, read({"text": case["stale"]}, START), newer, text))
            rows.append(pairs.row("kept", 0, kept, newer, text))
    for case in load([folder / "pairs.jsonl"]):
        newer = read(case["second"], START + int(case["days"] * DAY))
        text = case["second"]["text"]
        rows += [pairs.row("pair", 0, [clause], newer, text) for clause in read(case["first"], START)]
    for older, text, label in contrasts_kept_back():
        newer = read({"text": text}, START + 30 * DAY)
        rows.append(pairs.row("contrast", label, read({"text": older}, START), newer, text))
    rows += same_thing([TRAIN / "things-A.jsonl"], pairs)
    return rows


def same_thing(files: Sequence[Path], pairs: Pairs) -> list[Row]:
    """Rows of messages about the same thing, most of which correct nothing."""
    rows, chance = [], random.Random(3)
    for case in load(files):
        hold = case["hold"]
        for newer in hold:
            others = chance.sample([one for one in hold if one != newer], OF_THING)
            rows += [
                pairs.row("same thing", 0, read_at(older, 0), read_at(newer, 30), newer) for older in others
            ]
        for old, new in case["changes"]:
            rows.append(pairs.row("thing changed", 1, read_at(old, 0), read_at(new, 30), new))
            others = chance.sample(hold, OF_THING)
            rows += [pairs.row("same thing", 0, read_at(older, 0), read_at(new, 30), new) for older in others]
    return rows


def read_at(text: str, days: int) -> list[Clause]:
    """Clauses of a message so many days after the start."""
    return read({"text": text}, START + days * DAY)


def natural(file: Path, pairs: Pairs, indexer: Any) -> list[Row]:
    """Rows of the turns of the last conversation of a file; the others taught the cross-encoder."""
    turns = [
        turn for turn in conversation_turns(json.loads(file.read_text())[-1]["conversation"]) if turn.clauses
    ]
    vectors = np.asarray(indexer.vectors_of([turn.text for turn in turns])[0])
    rows = []
    for place in sorted(random.Random(2).sample(range(1, len(turns)), min(TURNS, len(turns) - 1))):
        text = turns[place].text.partition(": ")[2]
        nearest = np.argsort(-(vectors[:place] @ vectors[place]))[:EARLIER]
        rows += [
            pairs.row("chat", 0, turns[int(earlier)].clauses, turns[place].clauses, text)
            for earlier in nearest
        ]
    return rows


def fit(rows: Sequence[Row]) -> tuple[np.ndarray, float]:
    """Weights and bias; of a correction, the pair that counts is the one with the highest odds."""
    from sklearn.linear_model import LogisticRegression

    size = next(len(row.pairs[0]) for row in rows if row.pairs)
    weights, bias = np.array([0.5, 1.0, 1.0, *[0.0] * (size - 3)]), 0.0
    for _ in range(4):
        table, labels, shares = [], [], []
        for row in rows:
            if not row.pairs:
                continue
            found = np.array(row.pairs)
            table.append(found[np.argmax(found @ weights + bias)])
            labels.append(row.label)
            shares.append(SHARE_OF_KIND.get(row.kind, 1.0))
        model = LogisticRegression(C=1.0, max_iter=1_000).fit(np.array(table), labels, sample_weight=shares)
        weights, bias = model.coef_[0], float(model.intercept_[0])
    return weights, bias


def score(row: Row, weights: np.ndarray, bias: float) -> float:
    """The highest log odds among the pairs of a row."""
    return float(np.max(np.array(row.pairs) @ weights + bias)) if row.pairs else corrections.NEVER


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.fit_read", description=__doc__)
    options.add_argument("--labelled", type=Path, default=Path("knowledge/data/dev"))
    options.add_argument("--conversations", type=Path, required=True)
    options.add_argument("--write", type=Path, help="the file of weights to complete")
    given = options.parse_args()
    with fresh() as (memory, _):
        indexer = memory._session.indexer
        pairs = Pairs(indexer)
        rows = labelled(given.labelled, pairs) + natural(given.conversations, pairs, indexer)
    weights, bias = fit(rows)
    print("weights", weights.round(3), "bias", round(bias, 3))
    scores = {kind: [] for kind in dict.fromkeys(f"{row.kind} {row.label}" for row in rows)}
    for row in rows:
        scores[f"{row.kind} {row.label}"].append(score(row, weights, bias))
    kept = sorted(scores["pair 0"], reverse=True)
    limits = {name: kept[int(share * len(kept))] for name, share in SHARES.items()}
    for name, limit in limits.items():
        print(
            f"{name} above {limit:.2f}: "
            + ", ".join(f"{kind} {np.mean(np.array(found) > limit):.1%}" for kind, found in scores.items())
        )
    if given.write:
        document = json.loads(given.write.read_text())
        document["limits of read pairs"] = {name: round(limit, 3) for name, limit in limits.items()}
        document["weights of read pairs"] = {
            "bias": round(bias, 3),
            **{name: round(float(weight), 3) for name, weight in zip(pairs.names, weights, strict=True)},
        }
        given.write.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
