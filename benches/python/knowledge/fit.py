"""`python -m knowledge.fit`: fits the weights of corrections on labelled pairs, and prints a cross-validation.

Needs scikit-learn, which bardo itself does not. Corrections give positive pairs (each statement with the clause that
ends it); compatible pairs, statements that stay, and the turns of whole chats give negative ones. Of a chat, each turn
is paired with the earlier turns nearest to it: corrections are rare there, which sets the limits. Conversations in the
format of LoCoMo, if they are given, are chats without labels. Which clause of a message carries a correction is not
labelled: each round takes the one that the weights of the last round score highest (multiple-instance learning).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.corrections.correction_features import features
from bardo.consolidate.corrections.corrections import NEAREST, NEVER, judge
from bardo.consolidate.languages import reader
from knowledge.memory import DAY, START, fresh, holds, load
from knowledge.profiles import near

#: Number of folds of the cross-validation.
FOLDS = 5
#: Number of rounds of multiple-instance learning.
ROUNDS = 3
#: Number of unrelated older messages that each correction is paired with.
OTHERS = 4
#: Number of earlier turns of a chat that each turn is paired with, the nearest ones.
EARLIER = 8
#: Share of such pairs of turns that may be an end of a fact, a dispute of a fact, and a correction of a turn.
SHARES = {"ends": 0.0015, "disputes": 0.012, "turns": 0.01}
#: Inverse of the L2 penalty.
STRENGTH = 0.1


@dataclass
class Row:
    """Pairs of one older statement, or of several that stay, with the clauses of a newer message."""

    group: str
    label: int
    kind: str
    pairs: list[dict[str, float]]


def read(message: dict[str, Any], at: int) -> list[Clause]:
    """The clauses of a message."""
    english = reader("english", BUILT_IN)
    assert english is not None, "install bardo[english]"
    tool = message.get("role") == "tool"
    return list(
        english.read(Speech(message["text"], "" if tool else "The user", at, "record" if tool else "speech"))
    )


def rows_of(
    cases: Sequence[dict[str, Any]], pairs: Sequence[dict[str, Any]], embed: Callable[[str], Any]
) -> list[Row]:
    """The labelled rows."""
    chance = random.Random(1)
    rows: list[Row] = []

    before = {case["id"]: read(case["before"], START) for case in cases}
    for case in cases:
        newer = [c for c in read(case["after"], START + int(case["days"] * DAY)) if c.stated or c.cues]
        told = [c for c in before[case["id"]] if holds(c.sentence, case["stale_words"])]
        kept = [c for c in before[case["id"]] if not holds(c.sentence, case["stale_words"])]
        learned = read({"text": case["stale"]}, START)
        rows.append(Row(case["id"], 1, "told", compare(told, newer, embed)))
        rows.append(Row(case["id"], 1, "learned", compare(learned, newer, embed)))
        rows.append(Row(case["id"], 0, "kept", compare(kept, newer, embed)))
        rows += [
            Row(case["id"], 0, "other", compare(before[other["id"]], newer, embed))
            for other in chance.sample([c for c in cases if c is not case], OTHERS)
        ]
    for case in pairs:
        newer = [c for c in read(case["second"], START + int(case["days"] * DAY)) if c.stated or c.cues]
        rows.append(Row(case["id"], 0, "pair", compare(read(case["first"], START), newer, embed)))
    return [row for row in rows if row.pairs or row.kind in ("told", "learned", "pair")]


@dataclass
class Turn:
    """A turn of a chat that states something.

    Args:
        text: Its text.
        clauses: The clauses that it states.
        is_replaced: Whether it states what a later turn corrects.
    """

    text: str
    clauses: list[Clause]
    is_replaced: bool = False


def chat_turns(chat: dict[str, Any]) -> list[Turn]:
    """The user's turns of a labelled chat, as `profiles` has them."""
    return [
        Turn(
            turn["text"],
            [clause for clause in read(turn, START + turn["day"] * DAY) if clause.stated],
            any(not gold["holds"] and near([number], gold["turns"]) for gold in chat["facts"]),
        )
        for number, turn in enumerate(chat["turns"])
        if turn["role"] == "user"
    ]


def conversation_turns(conversation: dict[str, Any]) -> list[Turn]:
    """The turns of a conversation of LoCoMo, in which corrections are so rare that none is labelled."""
    english = reader("english", BUILT_IN)
    assert english is not None, "install bardo[english]"
    sessions = sorted(
        (name for name in conversation if re.fullmatch(r"session_\d+", name)),
        key=lambda name: int(name.rpartition("_")[2]),
    )
    return [
        Turn(
            f"{turn['speaker']}: {turn['text']}",
            [
                clause
                for clause in english.read(Speech(turn["text"], turn["speaker"], START + place * DAY))
                if clause.stated
            ],
        )
        for place, session in enumerate(sessions)
        for turn in conversation[session]
    ]


def chat_rows(turns: Sequence[Turn], name: str, embed: Callable[[str], Any]) -> list[Row]:
    """Pairs of a chat's turns with the earlier ones nearest to them, without those that state what no longer holds."""
    turns = [turn for turn in turns if turn.clauses]
    vectors = np.array([embed(turn.text) for turn in turns])
    rows = []
    for place, newer in enumerate(turns):
        for earlier in np.argsort(-(vectors[:place] @ vectors[place]))[:EARLIER]:
            older = turns[int(earlier)]
            if not older.is_replaced:
                rows.append(Row(name, 0, "chat", compare(older.clauses, newer.clauses, embed)))
    return rows


def compare(
    older: Sequence[Clause], newer: Sequence[Clause], embed: Callable[[str], Any]
) -> list[dict[str, float]]:
    """Features of each pair of clauses of which the newer one may correct the older one."""
    return [
        features(old, new, float(embed(old.sentence) @ embed(new.sentence)))
        for old in older
        for new in newer
        if may_correct(old, new)
    ]


def may_correct(old: Clause, new: Clause) -> bool:
    """Whether a word announces a change, and no rule excludes that the newer clause corrects the older one."""
    judgement = judge(old, new, NEAREST)
    return bool(judgement.rule) and judgement.total != NEVER


def fit(rows: Sequence[Row], strength: float) -> tuple[Any, Any]:
    """Fits the regression; returns the vectoriser and the model."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectoriser = DictVectorizer()
    vectoriser.fit([pair for row in rows for pair in row.pairs])
    guess = ("cosine", "shared of old", "left hit")
    best = {
        place: max(
            range(len(row.pairs)), key=lambda at, row=row: sum(row.pairs[at].get(name, 0) for name in guess)
        )
        for place, row in enumerate(rows)
        if row.label and row.pairs
    }
    model: Any = None
    for _ in range(ROUNDS):
        chosen = [(row.pairs[best[place]], 1, 1.0) for place, row in enumerate(rows) if place in best]
        chosen += [(pair, 0, len(row.pairs) ** -0.5) for row in rows if not row.label for pair in row.pairs]
        found, labels, weights = zip(*chosen, strict=True)
        model = LogisticRegression(C=strength, max_iter=3_000).fit(
            vectoriser.transform(found), labels, sample_weight=weights
        )
        for place in best:
            best[place] = int(np.argmax(model.decision_function(vectoriser.transform(rows[place].pairs))))
    return vectoriser, model


def score(vectoriser: Any, model: Any, row: Row) -> float:
    """The highest score among the pairs of a row."""
    return float(np.max(model.decision_function(vectoriser.transform(row.pairs)))) if row.pairs else -99.0


def validate(rows: Sequence[Row], strength: float) -> list[tuple[float, Row]]:
    """Scores of every row by a model that has not seen its case."""
    groups = sorted({row.group for row in rows})
    random.Random(3).shuffle(groups)
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    scored = []
    for number in range(FOLDS):
        made = fit([row for row in rows if fold[row.group] != number], strength)
        scored += [(score(*made, row), row) for row in rows if fold[row.group] == number]
    return scored


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.fit", description=__doc__)
    options.add_argument("--corrections", type=Path, nargs="+", required=True)
    options.add_argument("--pairs", type=Path, nargs="+", required=True)
    options.add_argument(
        "--chats", type=Path, nargs="+", required=True, help="labelled chats, as profiles has them"
    )
    options.add_argument("--conversations", type=Path, help="conversations in the format of LoCoMo")
    options.add_argument("--write", type=Path, help="where the weights go")
    given = options.parse_args()
    with fresh() as (memory, _):
        vectors: dict[str, Any] = {}

        def embed(text: str) -> Any:
            if text not in vectors:
                found = memory._session.indexer.vectors_of([text])[0]
                assert found is not None
                vectors[text] = found[0]
            return vectors[text]

        rows = rows_of(load(given.corrections), load(given.pairs), embed)
        for file in given.chats:
            rows += chat_rows(chat_turns(json.loads(file.read_text())), file.stem, embed)
        for sample in json.loads(given.conversations.read_text()) if given.conversations else ():
            rows += chat_rows(conversation_turns(sample["conversation"]), sample["sample_id"], embed)
    scored = validate(rows, STRENGTH)
    chats = sorted((found for found, row in scored if row.kind == "chat"), reverse=True)
    limits = {name: chats[int(share * len(chats))] for name, share in SHARES.items()}
    print(f"{len(rows)} rows, {len(chats)} pairs of turns; cross-validated:")
    for name, limit in limits.items():
        over = {
            kind: np.mean([found > limit for found, row in scored if row.kind == kind])
            for kind in ("told", "learned", "kept", "other", "pair", "chat")
        }
        print(f"{name} above {limit:.2f}: " + ", ".join(f"{kind} {part:.1%}" for kind, part in over.items()))
    vectoriser, model = fit(rows, STRENGTH)
    weights = {
        name: round(float(weight), 3)
        for name, weight in zip(vectoriser.get_feature_names_out(), model.coef_[0], strict=True)
        if abs(weight) >= 0.005
    }
    if given.write:
        document = {
            "about": "Logistic regression of corrections; made by benches/python/knowledge/fit.py",
            "limits": {name: round(limit, 3) for name, limit in limits.items()},
            "weights": {"bias": round(float(model.intercept_[0]), 3), **weights},
        }
        given.write.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
