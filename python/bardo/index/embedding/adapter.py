"""Linear and small nonlinear maps of one model's vectors into the space of another."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bardo._atomic import write_atomically
from bardo.errors import InvalidVectorError, StoreDamagedError
from bardo.ports import Vectors

if TYPE_CHECKING:
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]
else:
    Matrix = Any

Kind = Literal["procrustes", "affine", "residual"]

#: Fraction of the pairs held out to choose among the kinds of map.
HELD_OUT = 0.25
#: Minimum number of pairs to fit a map.
LEAST_PAIRS = 8
#: Maximum rank of the affine map, and its ridge penalties: a sample of some hundred pairs supports no more.
RANK = 128
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
#: Number of units of the residual map's hidden layer, its epochs, and its learning rate (Adam).
HIDDEN = 32
PASSES = 80
STEP = 5e-3
SEED = 7


@dataclass(frozen=True, slots=True)
class Adapter:
    """Map from one model's unit vectors to another's.

    Args:
        kind: `procrustes` (a rotation), `affine` (of low rank), or `residual` (affine plus a small network).
        error: Mean cosine distance to the true vectors on the held-out pairs, 0..2.
        errors: Held-out error of every kind that was tried.
        parts: Matrices by name.
    """

    kind: Kind
    error: float
    errors: dict[str, float]
    parts: dict[str, npt.NDArray[np.float32]]

    def __call__(self, vectors: Vectors) -> Vectors:
        """Maps vectors of shape (n, dims of the source) to unit vectors of shape (n, dims of the target)."""
        return _unit(_apply({name: part.astype(np.float64) for name, part in self.parts.items()}, vectors))

    def save(self, path: Path) -> None:
        """Writes the map to a file atomically."""
        buffer = io.BytesIO()
        errors = np.array([[name, repr(error)] for name, error in self.errors.items()])
        np.savez(buffer, kind=np.array(self.kind), errors=errors, **self.parts)  # type: ignore[arg-type]
        write_atomically(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Adapter:
        """Reads a file of `save`.

        Raises:
            StoreDamagedError: The file was not written by `save`, or is damaged.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                parts = {name: stored[name] for name in stored.files if name not in {"kind", "errors"}}
                errors = {str(name): float(error) for name, error in stored["errors"]}
                kind = str(stored["kind"])
            return cls(kind, errors[kind], errors, parts)  # type: ignore[arg-type]
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise StoreDamagedError(
                f"{path} is not an adapter: {error}. Give the migration up with `bardo embedding abandon`"
            ) from error


def fit(source: Vectors, target: Vectors) -> Adapter:
    """Fits the best map from one model's vectors of some texts to another's vectors of the same texts.

    A quarter of the pairs is held out; the kind with the smallest error on it is fitted again on all pairs.

    Args:
        source: Float32 of shape (n, d), unit rows, n at least `LEAST_PAIRS`.
        target: Float32 of shape (n, e), unit rows.

    Raises:
        InvalidVectorError: The shapes do not fit together, or there are too few pairs.
    """
    if source.ndim != 2 or target.ndim != 2 or len(source) != len(target) or len(source) < LEAST_PAIRS:
        raise InvalidVectorError(
            f"vectors of shape {source.shape} and {target.shape} are no {LEAST_PAIRS} pairs or more. "
            "Pass both models' vectors of the same texts"
        )
    given, wanted = source.astype(np.float64), target.astype(np.float64)
    order = np.random.default_rng(SEED).permutation(len(given))
    held = order[: max(2, int(len(order) * HELD_OUT))]
    rest = order[len(held) :]
    kinds: tuple[Kind, ...] = ("procrustes", "affine", "residual")
    errors: dict[str, float] = {}
    for kind in kinds:
        parts = _fit(kind, given[rest], wanted[rest])
        errors[kind] = _distance(_apply(parts, given[held]), wanted[held])
    best = min(kinds, key=lambda kind: errors[kind])
    parts = _fit(best, given, wanted)
    return Adapter(
        best, errors[best], errors, {name: part.astype(np.float32) for name, part in parts.items()}
    )


def _fit(kind: Kind, source: Matrix, target: Matrix) -> dict[str, Matrix]:
    if kind == "procrustes":
        return _procrustes(source, target)
    affine = _affine(source, target)
    return affine if kind == "affine" else {**affine, **_residual(source, target, affine)}


def _procrustes(source: Matrix, target: Matrix) -> dict[str, Matrix]:
    """Orthogonal Procrustes rotation of one set to the other (Schönemann 1966); partial if the dimensions differ."""
    left, _, right = np.linalg.svd(source.T @ target, full_matrices=False)
    return {"matrix": left @ right}


def _affine(source: Matrix, target: Matrix) -> dict[str, Matrix]:
    """Ridge regression of reduced rank, with the penalty of least error by generalised cross-validation."""
    means = source.mean(axis=0), target.mean(axis=0)
    centred, wanted = source - means[0], target - means[1]
    left, values, right = np.linalg.svd(centred, full_matrices=False)
    projected = left.T @ wanted

    def loss(ridge: float) -> float:
        shrunk = values**2 / (values**2 + ridge)
        residual = wanted - left @ (shrunk[:, None] * projected)
        free = 1.0 - shrunk.sum() / len(source)
        return float((residual**2).sum() / max(free, 1e-3) ** 2)

    ridge = min(RIDGES, key=loss)
    matrix = right.T @ ((values / (values**2 + ridge))[:, None] * projected)
    # Keeps the directions of largest variance of the predictions; the others are noise of the sample.
    directions = np.linalg.svd(centred @ matrix, full_matrices=False)[2][:RANK]
    matrix = (matrix @ directions.T) @ directions
    return {"matrix": matrix, "offset": (means[1] - means[0] @ matrix)[None, :]}


def _residual(source: Matrix, target: Matrix, affine: dict[str, Matrix]) -> dict[str, Matrix]:
    """Hidden layer that learns the residual of the affine map, by Adam (Kingma and Ba 2015) with weight decay."""
    chance = np.random.default_rng(SEED)
    wanted = target - _apply(affine, source)
    weights = {
        "hidden": chance.normal(0, 1 / np.sqrt(source.shape[1]), (source.shape[1], HIDDEN)),
        "bias": np.zeros((1, HIDDEN)),
        "output": np.zeros((HIDDEN, target.shape[1])),
    }
    first = {name: np.zeros_like(weight) for name, weight in weights.items()}
    second = {name: np.zeros_like(weight) for name, weight in weights.items()}
    for step in range(1, PASSES + 1):
        active = np.tanh(source @ weights["hidden"] + weights["bias"])
        error = (active @ weights["output"] - wanted) / len(source)
        back = (error @ weights["output"].T) * (1 - active**2)
        slopes = {
            "hidden": source.T @ back,
            "bias": back.sum(axis=0, keepdims=True),
            "output": active.T @ error,
        }
        for name, slope in slopes.items():
            decayed = slope + 1e-4 * weights[name]
            first[name] = 0.9 * first[name] + 0.1 * decayed
            second[name] = 0.999 * second[name] + 0.001 * decayed**2
            mean, spread = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
            weights[name] -= STEP * mean / (np.sqrt(spread) + 1e-8)
    return weights


def _apply(parts: dict[str, Matrix], vectors: npt.NDArray[np.floating]) -> Matrix:
    given = vectors.astype(np.float64)
    led: Matrix = given @ parts["matrix"]
    if "offset" in parts:
        led = led + parts["offset"]
    if "hidden" in parts:
        led = led + np.tanh(given @ parts["hidden"] + parts["bias"]) @ parts["output"]
    return led


def _unit(vectors: Matrix) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def _distance(led: Matrix, true: Matrix) -> float:
    left, right = _unit(led).astype(np.float64), _unit(true).astype(np.float64)
    return float(1.0 - (left * right).sum(axis=1).mean())
