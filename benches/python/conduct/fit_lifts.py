"""`python -m conduct.fit_lifts --write FILE.npz`: fits the cross-encoder of lifts: does a message end an order?

Needs JAX and optax, which bardo itself does not. The first text of a pair is an order of `lifts-written.jsonl`, the
second a sentence of a later message: 1 if it allows all of what the order forbids, from now on. No sentence of the same
message beside it, none that allows a part, none that only sounds near, none about another order of the same author and
none of a chat does. The weights in the package: five passes from `.../orders.npz`, the first three with any other
orders of the author alone, `--rate` 1e-3, 6e-4 and 8e-4; the authors `le` and `lf` were apart. Authors after `--apart`
are left out (`conduct.lifts` measures on their orders).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bardo.conduct.hearing.lifts import lift_reader
from bardo.conduct.hearing.orders.answers import act_of
from bardo.index.embedding import embedders
from conduct.fit_orders import user_turns
from conduct.hearing import DATA, load
from knowledge import low_rank
from knowledge.low_rank import Row

#: Other orders beside which each message that lifts one is read: any, and the nearest by meaning.
ANY, NEAREST = 1, 3
#: Number of sentences of chats, each beside one order.
CHATTER = 3_000


def written() -> list[dict[str, Any]]:
    """Orders with later messages."""
    return load(DATA / "lifts-written.jsonl")


def forbidden_in(line: Mapping[str, Any]) -> str:
    """Words by which the gate keeps what an order forbids."""
    return act_of(line["offer"]) if line.get("offer") else line["order"]


def order_of(line: Mapping[str, Any]) -> str:
    """First text of the pairs of an order."""
    return lift_reader.told(forbidden_in(line), line["order"] if line.get("offer") else "")


def rows_of(line: Mapping[str, Any]) -> Iterator[Row]:
    """Pairs of an order and the sentences of the messages after it."""
    for message in line["later"]:
        span = message["span"] if message["label"] == "lift" else ""
        for said, second in lift_reader.sentences(message["text"], message.get("before", "")):
            yield order_of(line), second, int(bool(span) and (span in said or said in span))


def others(lines: Sequence[Mapping[str, Any]], chance: random.Random) -> Iterator[Row]:
    """Pairs of messages, and other orders of the same author: the nearest by meaning of one that lifts, and any."""
    embedder = embedders.load()
    for author in sorted({line["author"] for line in lines}):
        own = [line for line in lines if line["author"] == author]
        orders = embedder.embed_documents([order_of(line) for line in own])
        for place, line in enumerate(own):
            for message in line["later"]:
                rest = [other for other in range(len(own)) if other != place]
                chosen = chance.sample(rest, ANY if message["label"] == "lift" else chance.randrange(2))
                if message["label"] == "lift":
                    cosines = orders[rest] @ embedder.embed_documents([message["text"]])[0]
                    chosen += [rest[near] for near in np.argsort(-cosines)[:NEAREST]]
                for said, second in lift_reader.sentences(message["text"], message.get("before", "")):
                    span = message.get("span", "")
                    if not span or span in said or said in span:
                        yield from ((order_of(own[other]), second, 0) for other in dict.fromkeys(chosen))


def chats(lines: Sequence[Mapping[str, Any]], chance: random.Random) -> Iterator[Row]:
    """Pairs of orders and sentences of chats."""
    said = [second for text, before in user_turns() for _, second in lift_reader.sentences(text, before)]
    yield from ((order_of(chance.choice(lines)), second, 0) for second in chance.sample(said, CHATTER))


def main() -> None:
    options = low_rank.options("conduct.fit_lifts", __doc__)
    options.add_argument("--apart", nargs="*", default=(), help="authors whose orders are left out")
    given = options.parse_args()
    chance = random.Random(given.seed)
    lines = [one for one in written() if one["author"] not in given.apart]
    rows = [row for one in lines for row in rows_of(one)]
    rows += others(lines, chance)
    rows += chats(lines, chance)
    print(f"{len(rows)} pairs, {np.mean([label for *_, label in rows]):.2f} positive", flush=True)
    model = low_rank.load(given.start)
    trained = low_rank.train(model, rows, given.seed, epochs=given.epochs, rate=given.rate)
    low_rank.write(trained, given.write)


if __name__ == "__main__":
    main()
