"""`python -m knowledge.fit_cross_encoder --conversations FILE --write FILE.npz`: fits the cross-encoder of corrections.

Needs JAX and optax, which bardo itself does not. The upper layers of all-MiniLM-L6-v2 and a head of one number are
fitted on pairs of an older statement and a newer message (1 if the message ends the statement):

- `contrasts-*.jsonl`: of one older message, three later ones that end a statement of it and three that look as if;
- `corrections-*.jsonl` and `pairs-*.jsonl`, as `knowledge.corrections` and `knowledge.compatible` have them;
- pairs of a turn with the earlier sentences nearest to it, of the labelled chats, of conversations in the format of
  LoCoMo (all but the last one) and of LongMemEval, which correct nothing. Names of speakers are taken off: they would
  tell such pairs from the labelled ones.

The differences from the model are written as products of thin matrices.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.consolidate.cross_encoder import NEWER_TOKENS, OLDER_TOKENS
from bardo.index.embedding import bert, minilm
from knowledge.memory import fresh, holds, load

TRAIN = Path(__file__).parent / "data" / "train"
#: One older message in so many of the contrasts is kept back, to weigh the log odds by.
KEPT_BACK = 10
#: Number of layers that keep their weights.
FROZEN = 3
#: Rank of the differences.
RANK = 32
EPOCHS, RATE, BATCH = 3, 2.5e-4, 32
#: Lengths in tokens to which pairs are filled up, so that few shapes are compiled.
LENGTHS = (24, 32, 48, 64, 96, OLDER_TOKENS + NEWER_TOKENS + 3)
#: Maximum number of words of a message, and of pairs of each kind of conversation.
WORDS, NATURAL = 90, 2_800
_BORDER = re.compile(r"(?<=[.!?;])\s+|\n+")
_PARTS = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "joined": "attention.output.dense", "inner": "intermediate.dense", "outer": "output.dense",
}  # fmt: skip
_NORMS = {"attended": "attention.output.LayerNorm", "fed": "output.LayerNorm"}

Row = tuple[str, str, int]


def sentences(text: str) -> list[str]:
    """Sentences of a text by its marks."""
    return [part.strip() for part in _BORDER.split(text) if len(part.split()) > 1] or [text]


def clip(text: str) -> str:
    """The first words of a message."""
    return " ".join(text.split(" ")[:WORDS])


def contrasts(*, kept_back: bool) -> Iterator[Row]:
    """Pairs of the contrasts, each as the statement or as the words of the message, by chance."""
    chance = random.Random(4)
    for file in sorted(TRAIN.glob("contrasts-*.jsonl")):
        for place, case in enumerate(load([file])):
            for newer in case["news"]:
                for number, fact in enumerate(case["facts"]):
                    older = fact[chance.choice(("fact", "quote"))]
                    if ((place + 1) % KEPT_BACK == 0) == kept_back:
                        yield older, clip(newer["text"]), int(number in newer["ends"])


def contrasts_kept_back() -> list[Row]:
    """The contrasts that the cross-encoder has not seen."""
    return list(contrasts(kept_back=True))


def corrections(chance: random.Random) -> Iterator[Row]:
    """Pairs of the labelled corrections: what is stale, what stays, what others said, and what is new."""
    for file in sorted(TRAIN.glob("corrections-*.jsonl")):
        cases = load([file])
        for case in cases:
            text, parts = clip(case["after"]["text"]), sentences(case["before"]["text"])
            told = [part for part in parts if holds(part, case["stale_words"])]
            yield case["stale"], text, 1
            yield from ((part, text, 1) for part in told[:2])
            yield from ((part, text, 0) for part in parts if part not in told and is_statement(part))
            for other in chance.sample([one for one in cases if one is not case], 3):
                yield chance.choice([other["stale"], *sentences(other["before"]["text"])]), text, 0
            yield case["new"], text, 0


def compatible() -> Iterator[Row]:
    """Pairs of the compatible messages."""
    for file in sorted(TRAIN.glob("pairs-*.jsonl")):
        for case in load([file]):
            first = case["first"]["text"]
            for part in [part for part in sentences(first) if is_statement(part)] or [first]:
                yield part, clip(case["second"]["text"]), 0


def is_statement(text: str) -> bool:
    """Whether a sentence may state something."""
    return len(text.split()) > 3 and not text.endswith("?")


def conversations(locomo: Path, longmemeval: Path | None) -> Iterator[tuple[list[tuple[str, bool]], int]]:
    """Turns of conversations with whether they state what is replaced later, and how many pairs each turn gives."""
    for file in sorted(TRAIN.glob("chat-*.json")):
        chat = json.loads(file.read_text())
        replaced = {turn for fact in chat["facts"] if not fact["holds"] for turn in fact["turns"]}
        turns = enumerate(chat["turns"])
        yield [(turn["text"], place in replaced) for place, turn in turns if turn["role"] == "user"], 5
    for sample in json.loads(locomo.read_text())[:-1]:
        talk = sample["conversation"]
        names = [name for name in talk if re.fullmatch(r"session_\d+", name)]
        names.sort(key=lambda name: int(name.rpartition("_")[2]))
        yield [(turn["text"], False) for name in names for turn in talk[name]], 8
    if longmemeval:
        with gzip.open(longmemeval, "rt") as lines:
            for line in lines:
                case = json.loads(line)
                if case["question_type"] != "knowledge-update":
                    turns = [turn for session in case["haystack_sessions"] for turn in session]
                    said = [turn["content"] for turn in turns if turn["role"] == "user"]
                    yield [(text, False) for text in said[:220] if len(text.split()) <= WORDS], 1


def natural(turns: Sequence[tuple[str, bool]], near: int, indexer: Any) -> Iterator[Row]:
    """Pairs of each turn with the earlier sentences nearest to it."""
    said = [
        (place, part)
        for place, (text, replaced) in enumerate(turns)
        if not replaced
        for part in sentences(text)
        if is_statement(part) and len(part.split()) <= 40
    ]
    if not said:
        return
    whole = np.asarray(indexer.vectors_of([clip(text) for text, _ in turns])[0])
    parts = np.asarray(indexer.vectors_of([part for _, part in said])[0])
    places = np.array([place for place, _ in said])
    for place, (text, _) in enumerate(turns):
        earlier = np.flatnonzero(places < place)
        if len(text.split()) > 3:
            for one in earlier[np.argsort(-(parts[earlier] @ whole[place]))[:near]]:
                yield said[one][1], clip(text), 0


class Model:
    """The encoder with a head, in JAX.

    Args:
        weights: Weights of the encoder by their names.
        tokenizer: Its tokenizer.
    """

    def __init__(self, weights: Any, tokenizer: Any) -> None:
        self.weights = dict(weights)
        self.tokenizer = tokenizer
        layers = [self._layer(number) for number in range(bert.LAYERS)]
        head = np.random.default_rng(0).normal(0, 0.02, (3 * bert.WIDTH, 1)).astype(np.float32)
        self.frozen = layers[:FROZEN]
        self.trained = {"layers": layers[FROZEN:], "head": (head, np.zeros(1, np.float32))}

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
        for layer in frozen:
            states = _encode(states, mask, layer, None)
        states = jax.lax.stop_gradient(states)
        for number, layer in enumerate(trained["layers"]):
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


def train(model: Model, rows: Sequence[Row], seed: int) -> Any:
    """Fits the upper layers and the head; returns their weights."""
    import jax
    import optax

    chance = random.Random(seed)
    pairs = [model.encode(older, newer) for older, newer, _ in rows]
    labels = np.array([label for *_, label in rows], np.float32)
    steps = EPOCHS * len(batches(pairs, chance))
    rate = optax.warmup_cosine_decay_schedule(0, RATE, steps // 15, steps, RATE / 50)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.02))

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
    for epoch in range(EPOCHS):
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


def write(model: Model, trained: Any, file: Path) -> None:
    """Writes the differences from the encoder."""
    found: dict[str, Any] = {"head.weight:whole": trained["head"][0], "head.bias:whole": trained["head"][1]}
    for number, layer in enumerate(trained["layers"], FROZEN):
        at = f"encoder.layer.{number}."
        for part, name in _PARTS.items():
            difference = layer[part][0].T - model.weights[f"{at}{name}.weight"]
            up, sizes, down = np.linalg.svd(difference, full_matrices=False)
            sizes = np.sqrt(sizes[:RANK])
            found[f"{at}{name}.weight:up"] = (up[:, :RANK] * sizes).astype(np.float16)
            found[f"{at}{name}.weight:down"] = (sizes[:, None] * down[:RANK]).astype(np.float16)
            found[f"{at}{name}.bias:whole"] = layer[part][1]
        for part, name in _NORMS.items():
            found[f"{at}{name}.weight:whole"], found[f"{at}{name}.bias:whole"] = layer[part]
    np.savez_compressed(file, **found)


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.fit_cross_encoder", description=__doc__)
    options.add_argument("--conversations", type=Path, required=True, help="in the format of LoCoMo")
    options.add_argument("--longmemeval", type=Path, help="in the format of LongMemEval, a line each, gzip")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--write", type=Path, required=True)
    given = options.parse_args()
    from tokenizers import Tokenizer

    source = minilm.package_folder()
    model = Model(
        bert.read_safetensors(source / minilm.WEIGHTS), Tokenizer.from_file(str(source / "tokenizer.json"))
    )
    chance = random.Random(given.seed)
    rows = [*corrections(chance), *compatible(), *contrasts(kept_back=False)]
    with fresh() as (memory, _):
        indexer = memory._session.indexer
        pairs = [
            row
            for turns, near in conversations(given.conversations, given.longmemeval)
            for row in natural(turns, near, indexer)
        ]
    rows += chance.sample(pairs, min(2 * NATURAL, len(pairs)))
    print(f"{len(rows)} pairs, {sum(label for *_, label in rows)} of which the newer ends the older")
    write(model, train(model, rows, given.seed), given.write)


if __name__ == "__main__":
    main()
