"""Fits the upper layers of all-MiniLM-L6-v2 and a head of one number on pairs of texts, as products of thin matrices.

Low-rank adaptation (Hu et al. 2021, arXiv 2106.09685): each weight gets the product of two matrices of rank `RANK`,
which alone are fitted, beside biases, norms and head. Needs JAX and optax, which bardo itself does not.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.cross_encoder import NEWER_TOKENS, OLDER_TOKENS
from bardo.index.embedding import bert, minilm

#: Number of layers that keep their weights.
FROZEN = 3
#: Rank of the products.
RANK = 32
EPOCHS, RATE, BATCH = 3, 1e-3, 32
#: Lengths in tokens to which pairs are filled up, so that few shapes are compiled.
LENGTHS = (24, 32, 48, 64, 96, OLDER_TOKENS + NEWER_TOKENS + 3)
_PARTS = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "joined": "attention.output.dense", "inner": "intermediate.dense", "outer": "output.dense",
}  # fmt: skip
_NORMS = {"attended": "attention.output.LayerNorm", "fed": "output.LayerNorm"}

#: First text, second text, and label.
Row = tuple[str, str, int]


class Model:
    """The encoder with a head, in JAX.

    Args:
        weights: Weights of the encoder by their names.
        tokenizer: Its tokenizer.
    """

    def __init__(self, weights: Any, tokenizer: Any) -> None:
        self.weights = dict(weights)
        self.tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        layers = [self._layer(number) for number in range(bert.LAYERS)]
        chance = np.random.default_rng(0)
        head = chance.normal(0, 0.02, (3 * bert.WIDTH, 1)).astype(np.float32)
        self.frozen = layers
        self.trained = {
            "layers": [
                {
                    part: (*_thin(weight, chance), bias)
                    for part, (weight, bias) in layer.items()
                    if part in _PARTS
                }
                | {part: layer[part] for part in _NORMS}
                for layer in layers[FROZEN:]
            ],
            "head": (head, np.zeros(1, np.float32)),
        }

    def start_from(self, file: Path) -> None:
        """Takes the fitted parts of a file, so that a fit goes on from there."""
        with np.load(file) as found:
            for number, layer in enumerate(self.trained["layers"], FROZEN):
                at = f"encoder.layer.{number}."
                for part, name in _PARTS.items():
                    up, down = (found[f"{at}{name}.weight:{side}"].T for side in ("up", "down"))
                    layer[part] = (
                        down.astype(np.float32), up.astype(np.float32), found[f"{at}{name}.bias:whole"],
                    )  # fmt: skip
                for part, name in _NORMS.items():
                    layer[part] = tuple(found[f"{at}{name}.{side}:whole"] for side in ("weight", "bias"))
            self.trained["head"] = (found["head.weight:whole"], found["head.bias:whole"])

    def _layer(self, number: int) -> dict[str, Any]:
        at = f"encoder.layer.{number}."
        linear = {
            part: (self.weights[f"{at}{name}.weight"].T, self.weights[f"{at}{name}.bias"])
            for part, name in _PARTS.items()
        }
        norms = {
            part: (self.weights[f"{at}{name}.weight"], self.weights[f"{at}{name}.bias"])
            for part, name in _NORMS.items()
        }
        return linear | norms

    def encode(self, older: str, newer: str) -> tuple[list[int], list[int]]:
        """Ids and types of the tokens of a pair."""
        old, new = (
            found.ids for found in self.tokenizer.encode_batch([older, newer], add_special_tokens=False)
        )
        old, new = old[:OLDER_TOKENS], new[:NEWER_TOKENS]
        start, separator = (self.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        return [start, *old, separator, *new, separator], [0] * (len(old) + 2) + [1] * (len(new) + 1)

    def logits(self, trained: Any, frozen: Any, tables: Any, batch: Any, key: Any = None) -> Any:
        """Log odds of a batch of pairs; drops a tenth of each layer's outputs if a random key is given."""
        import jax

        ids, types, mask = batch
        words, positions, kinds, scale, shift = tables
        states = _norm(words[ids] + positions[: ids.shape[1]] + kinds[types], (scale, shift))
        for layer in frozen[:FROZEN]:
            states = _encode(states, mask, layer, None)
        states = jax.lax.stop_gradient(states)
        for number, (fixed, thin) in enumerate(zip(frozen[FROZEN:], trained["layers"], strict=True)):
            adapted = {
                part: (fixed[part][0] + thin[part][0] @ thin[part][1], thin[part][2]) for part in _PARTS
            }
            layer = adapted | {part: thin[part] for part in _NORMS}
            states = _encode(states, mask, layer, None if key is None else jax.random.fold_in(key, number))
        means = [
            (states * ones[..., None]).sum(1) / ones.sum(1, keepdims=True).clip(1)
            for ones in (mask * (1 - types), mask * types)
        ]
        weight, bias = trained["head"]
        return (jax.numpy.concatenate([states[:, 0], *means], -1) @ weight + bias)[:, 0]

    @property
    def tables(self) -> tuple[Any, ...]:
        """Tables of the embeddings."""
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        norm = ("LayerNorm.weight", "LayerNorm.bias")
        return tuple(
            self.weights[f"embeddings.{name}"] for name in (*(f"{one}.weight" for one in names), *norm)
        )


def options(name: str, description: str | None) -> argparse.ArgumentParser:
    """Options of a script that fits a cross-encoder.

    Args:
        name: Name of the script.
        description: Its docstring.
    """
    found = argparse.ArgumentParser(prog=name, description=description)
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--start", type=Path, help="another fit, to go on from")
    found.add_argument("--epochs", type=int, default=EPOCHS, help="passes over the pairs")
    found.add_argument("--rate", type=float, default=RATE, help="highest rate of the fit")
    found.add_argument("--write", type=Path, required=True)
    return found


def load(start: Path | None = None) -> Model:
    """The model of the package.

    Args:
        start: File of a fit to go on from; None for the weights of the package.
    """
    from tokenizers import Tokenizer

    source = minilm.package_folder()
    model = Model(
        bert.read_safetensors(source / minilm.WEIGHTS), Tokenizer.from_file(str(source / "tokenizer.json"))
    )
    if start:
        model.start_from(start)
    return model


def _thin(weight: Any, chance: np.random.Generator) -> tuple[Any, Any]:
    """Two matrices of rank `RANK` whose product is 0."""
    before, after = weight.shape
    down = chance.normal(0, before**-0.5, (before, RANK)).astype(np.float32)
    return down, np.zeros((RANK, after), np.float32)


def _norm(states: Any, norm: Any) -> Any:
    import jax

    mean = states.mean(-1, keepdims=True)
    variance = ((states - mean) ** 2).mean(-1, keepdims=True)
    return (states - mean) * jax.lax.rsqrt(variance + bert.EPSILON) * norm[0] + norm[1]


def _encode(states: Any, mask: Any, layer: Any, key: Any) -> Any:
    import jax

    def linear(name: str, found: Any) -> Any:
        return found @ layer[name][0] + layer[name][1]

    def dropped(found: Any, number: int) -> Any:
        if key is None:
            return found
        return found * jax.random.bernoulli(jax.random.fold_in(key, number), 0.9, found.shape) / 0.9

    size, length, _ = states.shape
    query, keys, values = (
        linear(name, states).reshape(size, length, bert.HEADS, -1).transpose(0, 2, 1, 3)
        for name in ("query", "key", "value")
    )
    scores = query @ keys.transpose(0, 1, 3, 2) / math.sqrt(bert.WIDTH // bert.HEADS)
    shares = jax.nn.softmax(scores + (1 - mask)[:, None, None, :] * -1e9)
    joined = (shares @ values).transpose(0, 2, 1, 3).reshape(states.shape)
    states = _norm(states + dropped(linear("joined", joined), 0), layer["attended"])
    inner = jax.nn.gelu(linear("inner", states), approximate=False)
    return _norm(states + dropped(linear("outer", inner), 1), layer["fed"])


def batches(pairs: Sequence[Any], chance: random.Random) -> list[tuple[int, list[int]]]:
    """Places of pairs of like length, in random order, with that length."""
    by_length: dict[int, list[int]] = {}
    for place, (ids, _) in enumerate(pairs):
        by_length.setdefault(next(one for one in LENGTHS if len(ids) <= one), []).append(place)
    found = []
    for length, places in by_length.items():
        chance.shuffle(places)
        size = max(8, BATCH * 48 // length // 8 * 8)
        found += [(length, places[first : first + size]) for first in range(0, len(places), size)]
    chance.shuffle(found)
    return found


def packed(pairs: Sequence[Any], length: int, places: Sequence[int]) -> tuple[Any, Any, Any]:
    """Ids, types and mask of a batch, filled up to its length and size."""
    size = max(8, BATCH * 48 // length // 8 * 8)
    ids, types, mask = (np.zeros((size, length), kind) for kind in (np.int32, np.int32, np.float32))
    for row, place in enumerate(places):
        own, kinds = pairs[place]
        ids[row, : len(own)], types[row, : len(own)], mask[row, : len(own)] = own, kinds, 1
    mask[len(places) :, 0] = 1
    return ids, types, mask


def train(model: Model, rows: Sequence[Row], seed: int, *, epochs: int = EPOCHS, rate: float = RATE) -> Any:
    """Fits the thin matrices and the head."""
    import jax
    import optax

    chance = random.Random(seed)
    pairs = [model.encode(older, newer) for older, newer, _ in rows]
    labels = np.array([label for *_, label in rows], np.float32)
    steps = epochs * len(batches(pairs, chance))
    rates = optax.warmup_cosine_decay_schedule(0, rate, steps // 15, steps, rate / 50)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rates, weight_decay=0.02))

    def loss(trained: Any, fixed: Any, batch: Any, answers: Any, key: Any) -> Any:
        found = model.logits(trained, *fixed, batch, key)
        wanted, counts = answers
        return (optax.sigmoid_binary_cross_entropy(found, wanted) * counts).sum() / counts.sum()

    @jax.jit
    def step(trained: Any, state: Any, *rest: Any) -> tuple[Any, Any, Any]:
        value, slope = jax.value_and_grad(loss)(trained, *rest)
        change, state = optimizer.update(slope, state, trained)
        return optax.apply_updates(trained, change), state, value

    trained, state = model.trained, optimizer.init(model.trained)
    key = jax.random.PRNGKey(seed)
    done = 0
    for epoch in range(epochs):
        total = []
        for length, places in batches(pairs, chance):
            batch = packed(pairs, length, places)
            wanted, counts = (np.zeros(len(batch[0]), np.float32) for _ in range(2))
            wanted[: len(places)], counts[: len(places)] = labels[places], 1
            key, now = jax.random.split(key)
            trained, state, value = step(
                trained, state, (model.frozen, model.tables), batch, (wanted, counts), now
            )
            total.append(float(value))
            done += 1
            if done % 50 == 0:
                print(
                    f"\repoch {epoch + 1}, step {done} of {steps}, loss {np.mean(total):.3f}",
                    end="",
                    file=sys.stderr,
                )
        print(file=sys.stderr)
    return jax.tree.map(np.asarray, trained)


def predict(model: Model, trained: Any, texts: Sequence[tuple[str, str]]) -> Any:
    """Log odds of pairs of texts, shape (len(texts),)."""
    import jax

    pairs = [model.encode(older, newer) for older, newer in texts]
    logits = jax.jit(model.logits)
    found = np.zeros(len(pairs))
    for length, places in batches(pairs, random.Random(0)):
        odds = logits(trained, model.frozen, model.tables, packed(pairs, length, places))
        found[places] = np.asarray(odds)[: len(places)]
    return found


def write(trained: Any, file: Path) -> None:
    """Writes the fitted parts."""
    found: dict[str, Any] = {"head.weight:whole": trained["head"][0], "head.bias:whole": trained["head"][1]}
    for number, layer in enumerate(trained["layers"], FROZEN):
        at = f"encoder.layer.{number}."
        for part, name in _PARTS.items():
            down, up, bias = layer[part]
            # A linear layer of the encoder holds its weights with outputs as rows.
            found[f"{at}{name}.weight:up"] = up.T.astype(np.float16)
            found[f"{at}{name}.weight:down"] = down.T.astype(np.float16)
            found[f"{at}{name}.bias:whole"] = bias
        for part, name in _NORMS.items():
            found[f"{at}{name}.weight:whole"], found[f"{at}{name}.bias:whole"] = layer[part]
    np.savez_compressed(file, **found)
