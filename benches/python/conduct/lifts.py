"""Measures which order a message is taken to allow again, by the cross-encoder of lifts.

    python -m conduct.lifts [--authors NAME...] [--every N]

Each message of an author of `lifts-written.jsonl` is read in a gate with `STORE` orders of that author: the nearest by
meaning and the latest of them (any, here), once with the order that it is about among them and once without.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

import numpy as np

from bardo.conduct.hearing.lifts.partial_lifts import named_in
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.consolidate import cross_encoder
from bardo.grimoire.read_lifts import LATEST, LIFT, NEAREST, Order, tied
from bardo.index.embedding import embedders
from common.shares import cell
from conduct.fit_lifts import forbidden_in, order_of, written

#: Number of orders in a gate.
STORE = 30
#: Authors on whom the weights in the package were not fitted.
APART = ("le", "lf")
#: Limits beside that of the package, below which it reads nothing.
LIMITS = (1.5, 2.0)


def read(
    author: str, encoder: cross_encoder.CrossEncoder, chance: random.Random, every: int
) -> list[tuple[str, bool, float, bool]]:
    """Label, whether its order was among those, log odds of the surest order and whether it is the right one."""
    lines = [line for line in written() if line["author"] == author][::every]
    actions = [forbidden_in(line) for line in lines]
    orders = [
        Order(0, order_of(line), action, named_in(action, propose(action)))
        for line, action in zip(lines, actions, strict=True)
    ]
    embedder = embedders.load()
    vectors = embedder.embed_documents(actions)
    found = []
    for place, line in enumerate(lines):
        for message in line["later"]:
            others = chance.sample([other for other in range(len(lines)) if other != place], STORE - 1)
            cosines = vectors @ embedder.embed_documents([message["text"]])[0]
            for store in ([*others, place], others):
                near = sorted(store, key=lambda other: -cosines[other])[:NEAREST]
                places = list(dict.fromkeys([*near, *chance.sample(store, LATEST)]))
                found_in = tied(
                    [orders[other] for other in places],
                    vectors[places],
                    message["text"],
                    message.get("before", ""),
                    encoder=encoder,
                    embed=embedder.embed_documents,
                )
                odds = [max((each for _, each in own), default=-np.inf) for own in found_in]
                best = int(np.argmax(odds))
                found.append((message["label"], place in store, odds[best], places[best] == place))
    return found


def main() -> int:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--authors", nargs="+", default=APART, help="authors of the messages")
    options.add_argument("--every", type=int, default=1, help="read every Nth order only")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    encoder = cross_encoder.load("lifts", 2)
    if encoder is None:
        print("the cross-encoder is not installed: see Install in the README", file=sys.stderr)
        return 1
    chance = random.Random(given.seed)
    rows = [row for author in given.authors for row in read(author, encoder, chance, given.every)]
    print("| log odds | messages that | its order | another order | another, its own absent |")
    print("|---|---|---|---|---|")
    for limit in sorted({*LIMITS, LIFT}):
        for label in ("lift", "part", "keep"):
            counts = Counter(
                (is_there, is_right)
                for name, is_there, odds, is_right in rows
                if name == label and odds >= limit
            )
            total = sum(name == label and is_there for name, is_there, *_ in rows)
            cells = [cell(counts[key], total) for key in ((True, True), (True, False), (False, False))]
            print(f"| {limit:.1f} | {label} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
