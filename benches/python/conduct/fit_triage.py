"""`python -m conduct.fit_triage`: fits the weights of triage on `data/triage-train.jsonl`.

Ridge regressions over the features of a message: of nine intents, of the need of memory, of worth, and of facts that
a speaker states about themselves. The need of memory is also fitted on `data/triage-tasks.jsonl`, tasks with and
without what depends on the person. Facts of the speaker are fitted on `data/triage-own.jsonl`, beside the messages
without worth: with the others they would move the limit of worth. Each is fitted twice: on features alone, and with
the vector of the message under the default model. The limits are set by cross-validation that leaves out one message
at a time.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bardo.converse.features import features
from knowledge.memory import fresh, load

DATA = Path(__file__).parent / "data"
TARGETS = ("intent", "save")
#: L2 penalties that cross-validation chooses from, and factors of the vectors.
PENALTIES, SCALES = (0.1, 0.2, 0.4, 0.8, 1.6), (0.7, 1.0, 1.5, 2.0)
#: Number of messages in which a feature occurs at least.
COMMON = 3
#: Share of the messages that need memory which pass the limit; precision of worth.
FOUND, PRECISION = 0.85, 0.75
#: The same share of the tasks that need memory: an act without what is known of the person is wrong, not merely poor.
TASKS_FOUND = 0.9
#: Precision of the facts that a speaker states about themselves.
OWN_PRECISION = 0.95
#: Precision of the class of messages that are not worth a call of the language model.
SURE = 0.97


def left_out(gram: Any, targets: Any, penalty: float) -> tuple[Any, Any]:
    """Scores of each message by the regression without it, and the dual weights of the whole regression.

    Args:
        gram: Products of the rows, shape (messages, messages).
        targets: Values to fit, shape (messages, classes).
        penalty: L2 penalty.
    """
    inverse = np.linalg.inv(gram + penalty * np.eye(len(gram)))
    dual = inverse @ targets
    return targets - dual / np.diag(inverse)[:, None], dual


def best_of(
    table: Any, vectors: Any, targets: Any, scales: tuple[float, ...]
) -> tuple[float, float, Any, Any]:
    """Scale, penalty, scores and weights of the regression whose squared error in cross-validation is least."""
    found = []
    for scale in scales:
        data = np.hstack([table, scale * vectors]) if scale else table
        gram = (data @ data.T).astype(np.float64)
        for penalty in PENALTIES:
            scores, dual = left_out(gram, targets, penalty)
            found.append((float(((scores - targets) ** 2).mean()), scale, penalty, scores, data.T @ dual))
    return min(found, key=lambda one: one[0])[1:]


def limit_of_precision(scores: Any, labels: Any, precision: float) -> float:
    """Smallest score from which precision holds for all scores above it."""
    order = np.argsort(-scores)
    hits = np.cumsum(labels[order]) / np.arange(1, len(labels) + 1)
    good = np.flatnonzero(hits >= precision)
    return float(scores[order[good[-1]]]) if len(good) else float(scores.max())


def weights(coefficients: Any, names: list[str], scale: float, classes: list[str]) -> dict[str, Any]:
    """The weights of a regression: bias per class, those of each feature, and vectors of shape (classes, dims)."""
    rows = coefficients[: len(names)]
    return {
        "classes": classes,
        "bias": [round(float(each), 3) for each in coefficients[len(names)]],
        "features": {
            name: [round(float(each), 2) for each in row]
            for name, row in zip(names, rows, strict=True)
            if np.abs(row).max() >= 0.02
        },
        "vectors": [
            [round(float(each), 2) for each in row] for row in coefficients[len(names) + 1 :].T * scale
        ],
    }


def table_of(rows: list[dict[str, Any]]) -> tuple[list[str], Any]:
    """Names of the features that are common among messages, and the row of each message, with a constant last."""
    read = [features(row["text"], row["previous"]) for row in rows]
    counts = Counter(name for each in read for name in each)
    names = sorted(name for name, count in counts.items() if count >= COMMON)
    places = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(rows), len(names) + 1), np.float32)
    table[:, -1] = 1
    for row, each in zip(table, read, strict=True):
        known = [places[name] for name in each if name in places]
        row[known] = 1 / np.sqrt(max(1, len(known)))
    return names, table


def own_weights(
    kind: str, rows: list[dict[str, Any]], vectors: Any, scales: tuple[float, ...]
) -> dict[str, Any]:
    """Weights of the regression of facts that a speaker states about themselves."""
    names, table = table_of(rows)
    labels = np.array([int(row["own"]) for row in rows])
    scale, penalty, scores, coefficients = best_of(table, vectors, 2.0 * labels[:, None] - 1, scales)
    limit = limit_of_precision(scores[:, 0], labels, OWN_PRECISION)
    recall = (scores[labels == 1, 0] >= limit).mean()
    print(f"{kind} own (scale {scale}, penalty {penalty}): precision {OWN_PRECISION} recall {recall:.3f}")
    found = weights(coefficients, names, scale, ["own"])
    found["bias"] = [round(found["bias"][0] - limit, 3)]
    return found


def memory_weights(
    kind: str, rows: list[dict[str, Any]], vectors: Any, scales: tuple[float, ...], tasks: int
) -> dict[str, Any]:
    """Weights of the regression of the need of memory.

    Args:
        kind: Name of the table, for the report.
        rows: Messages, tasks last.
        vectors: Vectors of the messages.
        scales: Factors of the vectors to choose from.
        tasks: Number of tasks.
    """
    names, table = table_of(rows)
    labels = np.array([int(row["memory"]) for row in rows])
    scale, penalty, scores, coefficients = best_of(table, vectors, 2.0 * labels[:, None] - 1, scales)
    flat = scores[:, 0]
    is_task = np.arange(len(rows)) >= len(rows) - tasks
    limit = min(
        float(np.quantile(flat[(labels == 1) & part], 1 - found))
        for part, found in ((~is_task, FOUND), (is_task, TASKS_FOUND))
    )
    for name, part in (("messages", ~is_task), ("tasks", is_task)):
        said = flat[part] >= limit
        hits = (said & (labels[part] == 1)).sum()
        print(
            f"{kind} memory of {name} (scale {scale}, penalty {penalty}): precision {hits / max(1, said.sum()):.3f} "
            f"recall {hits / max(1, labels[part].sum()):.3f}"
        )
    found = weights(coefficients, names, scale, ["memory"])
    found["bias"] = [round(found["bias"][0] - limit, 3)]
    return found


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.fit_triage", description=__doc__)
    options.add_argument("--write", type=Path, help="where the weights go")
    given = options.parse_args()
    rows = load([DATA / "triage-train.jsonl"])
    tasks = load([DATA / "triage-tasks.jsonl"])
    own = [{**row, "own": False} for row in rows if not row["save"]] + load([DATA / "triage-own.jsonl"])
    with fresh() as (memory, _):
        vectors, fingerprint = memory._session.indexer.vectors_of([row["text"] for row in rows])
        task_vectors, _ = memory._session.indexer.vectors_of([row["text"] for row in tasks])
        own_vectors, _ = memory._session.indexer.vectors_of([row["text"] for row in own])
    assert vectors is not None
    assert task_vectors is not None
    assert own_vectors is not None
    assert fingerprint is not None
    names, table = table_of(rows)
    english = np.array([row["lang"] == "en" for row in rows])
    document: dict[str, Any] = {
        "about": "Ridge regressions of messages; made by benches/python/conduct/fit_triage.py",
        "model": fingerprint.model,
    }
    for kind, scales in (("words", (0.0,)), ("both", SCALES)):
        document[kind] = {}
        for target in TARGETS:
            labels = [row[target] for row in rows]
            classes = sorted(set(labels)) if target == "intent" else [True]
            targets = np.array([[1.0 if label == each else -1.0 for each in classes] for label in labels])
            scale, penalty, scores, coefficients = best_of(table, np.asarray(vectors), targets, scales)
            found = weights(coefficients, names, scale, classes if target == "intent" else [target])
            report = f"{kind} {target} (scale {scale}, penalty {penalty}):"
            if target == "intent":
                right = np.array(classes)[scores.argmax(1)] == np.array(labels)
                print(f"{report} en {right[english].mean():.3f} other {right[~english].mean():.3f}")
            else:
                flat, truth = scores[:, 0], (targets[:, 0] > 0).astype(int)
                limit = limit_of_precision(flat, truth, PRECISION)
                least = -limit_of_precision(-flat, 1 - truth, SURE)
                found["sure"] = round(least - limit, 3)
                print(f"{kind}: {(flat < least).mean():.2f} are surely not worth saving")
                found["bias"] = [round(found["bias"][0] - limit, 3)]
                for name, part in (("en", english), ("other", ~english)):
                    said = flat[part] >= limit
                    hits = (said & (truth[part] == 1)).sum()
                    print(
                        f"{report} {name}: precision {hits / max(1, said.sum()):.3f} "
                        f"recall {hits / max(1, truth[part].sum()):.3f}"
                    )
            document[kind][target] = found
        needing = np.vstack([np.asarray(vectors), np.asarray(task_vectors)])
        document[kind]["memory"] = memory_weights(kind, [*rows, *tasks], needing, scales, len(tasks))
        document[kind]["own"] = own_weights(kind, own, np.asarray(own_vectors), scales)
    if given.write:
        given.write.write_text(
            json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
