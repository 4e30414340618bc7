"""Check of the embedding model for drift: reference texts are embedded again and compared.

A server that swaps its weights, a new runtime or another quantisation changes vectors under the same name. Such vectors
find the wrong memories in the store, and no other check would detect it.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bardo._atomic import parse_json, write_atomically
from bardo.errors import BardoWarning
from bardo.folder import DRIFT_FILE
from bardo.index.embedding import sentences
from bardo.index.embedding.embedders import TextEmbedder
from bardo.model import Fingerprint
from bardo.ports import Embedder, Vectors

Status = Literal["healthy", "warning", "critical"]

#: Interval between checks of the model in microseconds: a week.
EVERY = 7 * 86_400 * 1_000_000
#: Mean cosine distance from which drift is a warning, and above which it is critical.
WARNING_DISTANCE, CRITICAL_DISTANCE = 0.02, 0.05
#: Fraction of equal neighbours among the five nearest below which drift is a warning, and below which it is critical.
STABLE, DRIFTING = 0.85, 0.60
#: Growth of the variance of the norms before scaling that is a warning: a swapped model seldom keeps this variance.
SUDDEN_GROWTH = 4.0
NEIGHBOURS = 5
#: Variance of norms below which the model's vectors count as already scaled to length 1.
NO_VARIANCE = 1e-9

#: Reference texts for drift checks: short and long, prose and code, numbers, names, several scripts.
REFERENCES = (
    "The oracle lagged by two blocks and liquidations followed at once.",
    "Melanie adopted a grey kitten from the shelter last May.",
    "Rebalance ETH/USDC when the spread is above 0.4 percent.",
    "I don't like mushrooms, but my sister does.",
    "error[E0502]: cannot borrow `*self` as mutable because it is also borrowed as immutable",
    "def mean(values): return sum(values) / len(values)",
    "The meeting was moved from Tuesday 14:00 to Friday 09:30.",
    "Прогноз погоды обещает снег в горах.",
    "流动性在预言机更新之后下降了。",
    "La reunión de mañana se cancela por la huelga.",
    "Der Zug nach Wien hat vierzig Minuten Verspätung.",
    "Gas prices doubled during the mint and fell back within an hour.",
    "He plays the violin in a small orchestra on weekends.",
    "SELECT name FROM users WHERE age > 30 ORDER BY name;",
    "Never restart the database while a migration is running.",
    "The recipe needs 200 grams of flour, three eggs and a pinch of salt.",
    "Our landlord agreed to repaint the kitchen before winter.",
    "https://example.org/reports/2026/q1.pdf holds the audited numbers.",
    "A long walk along the river helped her think about the new job, the move to another city and the friends she "
    "would leave behind, and in the evening she decided to accept the offer.",
    "Yes.",
)


@dataclass(frozen=True, slots=True)
class Drift:
    """Report of a drift check.

    Args:
        status: `healthy`, `warning` or `critical`.
        distance: Mean cosine distance of the reference texts' vectors to those of the first check, 0..2.
        worst: Largest cosine distance.
        stability: Fraction of equal nearest neighbours among the reference texts, 0..1.
        norm_growth: Variance of the norms before scaling, as a multiple of that of the first check; 1 if unknown.
        checked: Time of the check, microseconds UTC.
        first: Whether this was the first check, without vectors to compare with.
    """

    status: Status
    distance: float
    worst: float
    stability: float
    norm_growth: float
    checked: int
    first: bool = False

    def __str__(self) -> str:
        if self.first:
            return "healthy: the first check of this model, kept to compare the next ones with"
        return (
            f"{self.status}: distance {self.distance:.4f} (worst {self.worst:.4f}), {self.stability:.0%} of neighbours "
            f"the same, norm variance x{self.norm_growth:.2f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the report in plain JSON types."""
        return dataclasses.asdict(self)


class DriftWatch:
    """Reference vectors of a grimoire's model, and the last check of them; stored in `drift.json`.

    Args:
        folder: Folder of the grimoire.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / DRIFT_FILE
        self._state = self._read()

    @property
    def last(self) -> Drift | None:
        """Report of the last check; None before the first."""
        found = self._state.get("last")
        return Drift(**found) if found else None

    @property
    def paused(self) -> str:
        """Reason why no vectors are written; empty if they are."""
        last = self.last
        if last is None or last.status != "critical":
            return ""
        return (
            f"the embedding model has drifted ({last}). Episodes are captured and found by their words; no vector is "
            "written until `bardo embedding migrate` or a healthy `bardo embedding check`"
        )

    def due(self, now: int) -> bool:
        """Whether a week has passed since the last check.

        Args:
            now: Current time, microseconds UTC.
        """
        last = self.last
        return last is None or now - last.checked >= EVERY

    def check(self, embedder: Embedder, *, now: int) -> Drift:
        """Embeds the reference texts and compares; the first check of a model stores its vectors as reference.

        Args:
            embedder: Embedder; its cache is bypassed.
            now: Current time, microseconds UTC.
        """
        fingerprint = embedder.fingerprint
        vectors, variance = _embed(embedder)
        known = self._state.get("model") == _identity(fingerprint)
        if known:
            before = np.array(self._state["vectors"], np.float32)
            drift = compare(before, vectors, now=now, norms=(self._state["norm_variance"], variance))
        else:
            drift = Drift("healthy", 0.0, 0.0, 1.0, 1.0, now, first=True)
            rounded = [[round(float(part), 6) for part in row] for row in vectors]
            self._state = {"model": _identity(fingerprint), "vectors": rounded, "norm_variance": variance}
        self._state["last"] = drift.to_dict()
        write_atomically(self._path, json.dumps(self._state).encode())
        return drift

    def forget(self) -> None:
        """Deletes the reference vectors; the next check, such as after a migration, is the first."""
        self._state = {}
        self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        if not self._path.exists():
            return {}
        try:
            state = parse_json(self._path.read_bytes())
            if not isinstance(state, dict):
                raise TypeError("it is not an object")
            if state:
                Drift(**state["last"])
                np.array(state["vectors"], np.float32).reshape(len(REFERENCES), -1)
            return state
        except (ValueError, TypeError, KeyError) as error:
            # The file is derived, so damage must not prevent the opening of a memory.
            warnings.warn(
                f"{self._path} is damaged and taken as if it were not there: {error}. What the model was is not known "
                "any more: the next check (`bardo embedding check`) is the first of it and writes the file again",
                BardoWarning,
                stacklevel=3,
            )
            return {}


def compare(
    before: Vectors, after: Vectors, *, now: int, norms: tuple[float | None, float | None] = (None, None)
) -> Drift:
    """Measures the drift between two models' vectors of the same texts.

    Args:
        before: Unit rows, shape (n, dims); zeros where the model has no vector for a text.
        after: Rows of the same texts, likewise. A text without a vector in both is ignored; in one, it counts in full.
        now: Current time, microseconds UTC.
        norms: Variance of the norms before scaling, before and after; None if unknown.
    """
    if before.shape != after.shape:
        return Drift("critical", 2.0, 2.0, 0.0, 1.0, now)
    told = before.any(axis=1) | after.any(axis=1)
    if not told.any():
        return Drift("healthy", 0.0, 0.0, 1.0, 1.0, now)
    before, after = before[told], after[told]
    distances = np.clip(1.0 - (before * after).sum(axis=1, dtype=np.float64), 0.0, 2.0)
    near = [_neighbours(vectors) for vectors in (before, after)]
    same = [len(old & new) / len(old) for old, new in zip(*near, strict=True)]
    distance, stability = float(distances.mean()), float(np.mean(same))
    growth = 1.0
    if norms[0] is not None and norms[1] is not None:
        growth = max(norms[1], NO_VARIANCE) / max(norms[0], NO_VARIANCE)
    status: Status = "healthy"
    if distance > CRITICAL_DISTANCE or stability < DRIFTING:
        status = "critical"
    elif distance >= WARNING_DISTANCE or stability < STABLE or growth > SUDDEN_GROWTH:
        status = "warning"
    return Drift(status, distance, float(distances.max()), stability, growth, now)


def _neighbours(vectors: Vectors) -> list[set[int]]:
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -np.inf)
    return [set(map(int, row)) for row in np.argsort(-likeness, axis=1)[:, :NEIGHBOURS]]


def _embed(embedder: Embedder) -> tuple[Vectors, float | None]:
    """Returns vectors of the reference texts, and the variance of their norms before scaling if known."""
    if isinstance(embedder, TextEmbedder):
        vectors, norms = embedder.embed_afresh(REFERENCES)
        lengths = norms[norms > 0.0]
        return vectors, float(lengths.var()) if lengths.size else None
    return sentences.usable(embedder, REFERENCES)[0], None


def _identity(fingerprint: Fingerprint) -> dict[str, Any]:
    return dataclasses.asdict(dataclasses.replace(fingerprint, created=0))
