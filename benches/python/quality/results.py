"""Results, kept as one file of JSON lines per set and system, so that one system can be measured again
and the tables drawn from all of them. The files hold numbers only, none of the data's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunHeader:
    """Facts common to the systems of one run.

    Args:
        model: The embedding model that every system with a choice was given.
        machine: Processor and operating system.
        date: UTC day.
    """

    model: str
    machine: str
    date: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's metrics.

    Args:
        corpus: Name of the corpus.
        number: Place of the question in it.
        category: The data set's own category.
        seconds: What the search took.
        error: Why it failed; empty if it did not.
        metrics: By name; a metric is absent where the question has no such evidence.
    """

    corpus: str
    number: int
    category: str
    seconds: float
    error: str
    metrics: dict[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """One system on one set; one that could not run has no answers and says why in `version`."""

    system: str
    version: str
    set: str
    header: RunHeader
    index_seconds: float
    answers: tuple[Answer, ...] = ()

    @property
    def failed(self) -> int:
        """Questions that the system failed on."""
        return sum(bool(answer.error) for answer in self.answers)


def _file(folder: Path, name: str, system: str) -> Path:
    return folder / f"{name}.{re.sub(r'[^a-z0-9]+', '-', system.lower()).strip('-')}.jsonl"


def save(folder: Path, run: Run) -> None:
    """Replaces what was kept of the same system and set."""
    folder.mkdir(parents=True, exist_ok=True)
    head = {
        "system": run.system, "version": run.version, "set": run.set, **asdict(run.header),
        "index_seconds": round(run.index_seconds, 3),
    }  # fmt: skip
    rows = [
        {
            **asdict(answer),
            "seconds": round(answer.seconds, 6),
            "metrics": {name: round(value, 6) for name, value in answer.metrics.items()},
        }
        for answer in run.answers
    ]
    text = "\n".join(json.dumps(row) for row in (head, *rows))
    _file(folder, run.set, run.system).write_text(text + "\n", encoding="utf-8")


def load(folder: Path, name: str) -> list[Run]:
    """Every run that was kept of a set, those that found most first."""
    runs = [_read(path) for path in sorted(folder.glob(f"{name}.*.jsonl"))]
    return sorted(runs, key=lambda run: (not run.answers, -mean(run.answers, "R@10"), run.system))


def _read(path: Path) -> Run:
    head, *rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    header = RunHeader(head["model"], head["machine"], head["date"])
    answers = tuple(Answer(**row) for row in rows)
    return Run(head["system"], head["version"], head["set"], header, head["index_seconds"], answers)


def mean(answers: Sequence[Answer], metric: str) -> float:
    """Mean over the answers that have the metric; 0 if none has."""
    values = [answer.metrics[metric] for answer in answers if metric in answer.metrics]
    return sum(values) / len(values) if values else 0.0
