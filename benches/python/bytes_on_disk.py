"""Bytes on disk per memory after one-by-one appends, LanceDB included, by file (issue HOT PATH, "Speed").

    python benches/python/bytes_on_disk.py [--count 100000] [--dims 384] [--sentences 1] [--tokens]

The bar: at most 2.5 times the raw text, the payload as compact JSON, and one vector in half precision. Vectors are
drawn at random: they take as much room as real ones and need no model. With `--tokens` every word has a code for late
interaction, as with a model that gives token vectors. `allocated` is what the file system gave.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bardo
from bardo.index.embedding import embedders
from bardo.model import Fingerprint
from bardo.ports import Tokens

WORDS = [
    "liquidations", "oracle", "updates", "followed", "within", "blocks", "gas", "doubled", "slippage", "pool", "traded",
    "keeper", "paused", "vault", "borrowed", "rebalanced", "bridge", "auction", "collateral", "validators", "withdrew",
    "deposits", "yield", "curve", "narrowed", "spread", "funding", "turned", "negative", "after", "the", "report",
]  # fmt: skip


@dataclasses.dataclass
class Drawn:
    """Random vectors of texts, and of their words where those are asked for."""

    dims: int
    gives_tokens: bool

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(7)
        self.fingerprint = Fingerprint("random", "1", "none", self.dims)

    def _rows(self, count: int) -> np.ndarray:
        rows = self._chance.normal(size=(count, self.dims)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return self._rows(len(texts))

    embed_queries = embed_documents

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        return [text]

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[np.ndarray, list[Tokens]]:
        tokens = []
        for text in texts:
            words = tuple(text.lower().split())
            tokens.append(Tokens(words, (1,) * len(words), self._rows(len(words))))
        return self._rows(len(texts)), tokens

    embed_late_queries = embed_late_documents


def episodes(count: int, sentences: int) -> list[tuple[str, dict[str, float | int], str]]:
    """Texts of some 20 words a sentence, with payload and subject."""
    chance = random.Random(7)
    made = []
    for number in range(count):
        spoken = [
            " ".join(chance.choices(WORDS, k=chance.randint(14, 26))).capitalize() for _ in range(sentences)
        ]
        payload = {
            "block": 19_000_000 + number,
            "lag": chance.randint(1, 9),
            "price": round(chance.random(), 4),
        }
        made.append((f"{'. '.join(spoken)} ({number}).", payload, chance.choice(("aave", "btc", "eth"))))
    return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--dims", type=int, default=384)
    options.add_argument("--sentences", type=int, default=1)
    options.add_argument(
        "--durable", action="store_true", help="wait for the disk at every append; same bytes, slower"
    )
    options.add_argument("--tokens", action="store_true", help="keep codes for late interaction as well")
    chosen = options.parse_args()
    made = episodes(chosen.count, chosen.sentences)
    raw = sum(
        len(text.encode()) + len(json.dumps(payload, separators=(",", ":"))) + 2 * chosen.dims
        for text, payload, _ in made
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "agent"
        start = time.perf_counter()
        drawn = Drawn(chosen.dims, gives_tokens=True)
        model = drawn if chosen.tokens else embedders.function_embedder(drawn.embed_documents, name="random")
        with bardo.open(folder, embedder=model, durable=chosen.durable, seed=1) as grimoire:
            for tick, (text, payload, subject) in enumerate(made):
                grimoire.remember(text, tick=tick + 1, payload=payload, subjects=[subject])
                if tick % 10_000 == 9_999:
                    grimoire.sleep()
            grimoire.sleep()
        apparent: defaultdict[str, int] = defaultdict(int)
        allocated: defaultdict[str, int] = defaultdict(int)
        for path in folder.rglob("*"):
            if path.is_file():
                name = path.relative_to(folder).parts[0]
                apparent[name] += path.stat().st_size
                allocated[name] += path.stat().st_blocks * 512
        seconds = time.perf_counter() - start
    print(f"{chosen.count} episodes, {raw / chosen.count:.0f} bytes each in raw form, {seconds:.0f} s")
    print(f"{'file':<24}{'bytes per memory':>18}{'of raw':>8}{'allocated of raw':>18}")
    for name, size in sorted(apparent.items(), key=lambda item: -item[1]):
        print(f"{name:<24}{size / chosen.count:>18.1f}{size / raw:>8.2f}{allocated[name] / raw:>18.2f}")
    total, given = sum(apparent.values()), sum(allocated.values())
    print(f"{'all':<24}{total / chosen.count:>18.1f}{total / raw:>8.2f}{given / raw:>18.2f}   (bar 2.50)")


if __name__ == "__main__":
    main()
