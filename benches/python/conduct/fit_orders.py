"""`python -m conduct.fit_orders --write FILE.npz`: fits the cross-encoder of orders: does a user's sentence forbid?

Needs JAX and optax, which bardo itself does not. It reads a user's sentence in two ways, one model for both:

- a sentence after those before it in its message: 1 if it itself names what it forbids, bounds or reserves;
- a message after a sentence of the agent just before: 1 if it turns down what that sentence proposes.

The pairs are those of `orders-written.jsonl`, whose authors marked the words that forbid and the words that were turned
down, the utterances of `SPOKEN`, whose kinds people labelled, and chats in which next to nothing is forbidden. Authors
after `--apart` are left out; on their dialogues the fit is tried.

The weights in the package: seven passes from `.../worth.npz`, the last one alone over the chats, too (`--rate 6e-4`);
the authors `of` and `te` were apart. On their dialogues `order_reader` finds 60 of 162 orders and 29 of 62 refusals,
and 14 that are none; of 4,443 sentences of LoCoMo, which forbid nothing, it takes 4 for orders. A fit without the chats
took 3 in a hundred of them, at a recall of .63.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bardo.conduct.hearing import order_reader
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.hearing.utterance import Utterance
from conduct.hearing import DATA, load
from knowledge import low_rank
from knowledge.low_rank import Row

#: Sets of utterances; in `natural` and `lives` hardly anything is forbidden.
SPOKEN = ("train", "dev", "blind", "natural", "lives")
CHATS = DATA.parents[1] / "knowledge" / "data" / "train"
#: Shares at which a fit is tried.
PRECISIONS = (0.95, 0.9, 0.8)


def dialogues() -> list[dict[str, Any]]:
    """Dialogues with marked orders."""
    return load(DATA / "orders-written.jsonl")


def rows_of(dialogue: Mapping[str, Any]) -> Iterator[Row]:
    """Pairs of the sentences of a dialogue."""
    before = ""
    for turn in dialogue["turns"]:
        if turn["role"] == "user":
            yield from _read(turn, before)
        before = turn["text"] if turn["role"] == "assistant" else ""


def _read(turn: Mapping[str, Any], before: str) -> Iterator[Row]:
    """Pairs of a user's turn: each sentence after those before it, and the turn after each sentence of the agent."""
    marked = turn.get("orders", ())
    for first, sentence in order_reader.sentences(turn["text"]):
        met = [one for one in marked if _meet(one["span"], sentence)]
        yield first, sentence, int(any(one["refers"] == "own" for one in met))
    if marked and all(one["refers"] == "own" for one in marked):
        return  # The proposal may be among the things that they name.
    offers = [one["offer"] for one in marked if one["refers"] == "offer"]
    for first, answer in order_reader.answers(turn["text"], before):
        yield first, answer, int(any(_meet(offer, order_reader.offer_of(first)) for offer in offers))


def _meet(span: str, sentence: str) -> bool:
    """Whether a marked span and a sentence share text."""
    return span.strip() in sentence or sentence.strip() in span


def spoken() -> Iterator[Row]:
    """Pairs of the labelled utterances of users."""
    for name in SPOKEN:
        for said in load(DATA / f"utterances-{name}.jsonl"):
            is_rejected = said["label"] == "rejection"
            if (
                said["speaker"] != "user"
                or said["label"] == "rule"
                or len(said["text"].split()) > order_reader.WORDS
            ):
                continue
            before = said["before"] or ""
            if is_rejected and Utterance(said["text"], before).is_bare:
                yield from (
                    (first, answer, 1) for first, answer in [*order_reader.answers(said["text"], before)][-1:]
                )
            else:
                first, sentence = next(order_reader.sentences(said["text"]), ("", ""))
                if sentence == said["text"]:
                    yield first, sentence, int(is_rejected)


def user_turns() -> Iterator[tuple[str, str]]:
    """Turns of users in chats, each with the agent's turn just before; empty if there is none."""
    for file in sorted(CHATS.glob("chat-*.json")):
        before = ""
        for turn in json.loads(file.read_text(encoding="utf-8"))["turns"]:
            if turn["role"] == "user":
                yield turn["text"], before
            before = turn["text"] if turn["role"] == "assistant" else ""


def chats() -> Iterator[Row]:
    """Pairs of chats in which next to nothing is forbidden; what forms hear as forbidden is left out."""
    for text, before in user_turns():
        if not any(
            one.is_prohibition or one.is_refusal or one.order or one.refused
            for one in utterances(text, before)
        ):
            yield from ((first, said, 0) for first, said in order_reader.sentences(text))
            yield from ((first, said, 0) for first, said in [*order_reader.answers(text, before)][-1:])


def try_out(model: low_rank.Model, trained: Any, tried: Sequence[Mapping[str, Any]]) -> None:
    """Prints the recall of both readings at some precisions on dialogues that were not fitted on."""
    rows = [row for dialogue in tried for row in rows_of(dialogue)]
    odds = low_rank.predict(model, trained, [(before, sentence) for before, sentence, _ in rows])
    labels = np.array([label for *_, label in rows])
    is_alone = np.array([not order_reader.offer_of(first) for first, *_ in rows])
    for name, part in (("orders", is_alone), ("refusals", ~is_alone)):
        order = np.argsort(-odds[part])
        right = np.cumsum(labels[part][order]) / np.arange(1, part.sum() + 1)
        for precision in PRECISIONS:
            enough = np.flatnonzero(right >= precision)
            found = int(enough[-1]) + 1 if len(enough) else 0
            recall = labels[part][order][:found].sum() / max(1, labels[part].sum())
            limit = float(odds[part][order][found - 1]) if found else float("inf")
            print(
                f"{name}: recall {recall:.2f} at precision {precision}, log odds {limit:.2f}, of {labels[part].sum()}"
            )


def main() -> None:
    options = low_rank.options("conduct.fit_orders", __doc__)
    options.add_argument("--apart", nargs="*", default=(), help="authors whose dialogues are only tried")
    given = options.parse_args()
    model = low_rank.load(given.start)
    told = dialogues()
    tried = [one for one in told if one["author"] in given.apart]
    rows = [row for one in told if one["author"] not in given.apart for row in rows_of(one)]
    rows += spoken()
    rows += chats()
    print(f"{len(rows)} pairs, {np.mean([label for *_, label in rows]):.2f} positive", flush=True)
    trained = low_rank.train(model, rows, given.seed, epochs=given.epochs, rate=given.rate)
    low_rank.write(trained, given.write)
    if tried:
        try_out(model, trained, tried)


if __name__ == "__main__":
    main()
