"""`python -m conduct.fit_reader --write FILE.npz`: fits the cross-encoder that reads a rejection with an action.

Needs JAX and optax, which bardo itself does not. The pairs are those of `gates-written.jsonl` and `gates-extra.jsonl`
(1 if the action does what is forbidden; `knowledge.low_rank` fits them), and half of the actions with another rejection
of their author, one of those nearest to it by the vectors.

The weights in the package: `--authors soft,home,desk,data --start .../corrections.npz`, and from there `--authors
soft,home,desk,data,soft2,home2,desk2,world2,ops2 --epochs 2 --seed 2`: twenty minutes of two idle cores each.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bardo.index.embedding import embedders
from conduct.recognition import DATA, apart
from knowledge import low_rank
from knowledge.low_rank import Row

#: Authors of `gates-written.jsonl`.
AUTHORS = "soft,home,desk,world,data,soft2,home2,desk2,world2,ops2"
#: Number of the nearest other rejections of which one is drawn for an action.
NEAREST = 6


def written(authors: Sequence[str]) -> list[dict[str, Any]]:
    """Pairs of the authors."""
    lines = (DATA / "gates-written.jsonl").read_text(encoding="utf-8").splitlines()
    return [pair for pair in map(json.loads, lines) if pair["author"] in authors]


def others(pairs: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[Row]:
    """Pairs of an action with another rejection of its author that is near to it."""
    embedder = embedders.load()
    by_author: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for pair in pairs:
        by_author[pair["author"]].append(pair)
    for own in by_author.values():
        rejections = sorted({pair["rejection"] for pair in own})
        known = np.stack(list(embedder.embed_documents(rejections)))
        asked = np.stack(list(embedder.embed_queries([pair["action"] for pair in own])))
        for pair, scores in zip(own, asked @ known.T, strict=True):
            strangers = [
                rejections[place]
                for place in np.argsort(-scores)
                if apart(rejections[place], pair["rejection"])
            ]
            yield chance.choice(strangers[:NEAREST]), pair["action"], 0


def main() -> None:
    options = argparse.ArgumentParser(prog="conduct.fit_reader", description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--authors", default=AUTHORS, help="authors of the pairs, separated by commas")
    options.add_argument(
        "--start", type=Path, help="a fit of this script or of knowledge.fit_cross_encoder, to go on from"
    )
    options.add_argument("--epochs", type=int, default=low_rank.EPOCHS, help="passes over the pairs")
    options.add_argument("--write", type=Path, required=True)
    given = options.parse_args()
    model = low_rank.load(given.start)
    chance = random.Random(given.seed)
    pairs = written(given.authors.split(","))
    rows: list[Row] = [(pair["rejection"], pair["action"], int(pair["label"] == "same")) for pair in pairs]
    rows += others(chance.sample(pairs, len(pairs) // 2), chance)
    for line in (DATA / "gates-extra.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        rows.append((pair["rejection"], pair["action"], int(pair["label"] == "same")))
    print(
        f"{len(rows)} pairs, {sum(label for *_, label in rows)} of which the action is forbidden", flush=True
    )
    low_rank.write(low_rank.train(model, rows, given.seed, epochs=given.epochs), given.write)


if __name__ == "__main__":
    main()
