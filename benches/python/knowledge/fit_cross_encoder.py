"""`python -m knowledge.fit_cross_encoder --conversations FILE --write FILE.npz`: fits the cross-encoder of corrections.

Needs JAX and optax, which bardo itself does not. The pairs are of an older statement and a newer message (1 if the
message ends the statement; `low_rank` fits them):

- `contrasts-*.jsonl`: of one older message, three later ones that end a statement of it and three that look as if (R to
  V, and nine more authors, CA to CI, who were asked for news that hardly ever sounds like a correction);
- `corrections-*.jsonl` and `pairs-*.jsonl`, as `knowledge.corrections` and `knowledge.compatible` have them;
- `things-*.jsonl`: of one thing, messages that stay true together, and pairs of which the newer replaces the older;
- pairs of a turn with the earlier sentences nearest to it, of the labelled chats, of conversations in the format of
  LoCoMo (all but the last one) and of LongMemEval, which correct nothing. Names of speakers are taken off: they would
  tell such pairs from the labelled ones.

The weights in the package were fitted on the contrasts of R to V and all other pairs. A fit from there on CA to CE
(`--start FILE --contrasts CA,CB,CC,CD,CE --most 11566 --epochs 2 --rate 8e-4`) is not in it: `benches/RESULTS.md` says
why.

Tried without gain: pairs of the facts of the labelled chats with the turns that end them, and the contrasts of
`oblique-*.jsonl`, after which statements of like form ended each other.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowledge import low_rank
from knowledge.low_rank import Row
from knowledge.memory import fresh, holds, load

TRAIN = Path(__file__).parent / "data" / "train"
CHATS = sorted(TRAIN.glob("chat-*.json"))
#: One older message in so many of the contrasts is kept back, to weigh the log odds by.
KEPT_BACK = 10
#: Maximum number of words of a message, and of pairs of each kind of conversation.
WORDS, NATURAL = 90, 2_800
#: Number of the messages about a thing that each other message is paired with.
OF_THING = 2
_BORDER = re.compile(r"(?<=[.!?;])\s+|\n+")


def sentences(text: str) -> list[str]:
    """Sentences of a text by its marks."""
    return [part.strip() for part in _BORDER.split(text) if len(part.split()) > 1] or [text]


def clip(text: str) -> str:
    """The first words of a message."""
    return " ".join(text.split(" ")[:WORDS])


def contrasts(authors: Sequence[str] = (), *, kept_back: bool) -> Iterator[Row]:
    """Pairs of the contrasts, each as the statement or as the words of the message, by chance.

    Args:
        authors: Authors of the contrasts; empty for all.
        kept_back: Whether to give the pairs that are kept back instead of the others.
    """
    chance = random.Random(4)
    for file in sorted(TRAIN.glob("contrasts-*.jsonl")):
        if authors and file.stem.partition("-")[2] not in authors:
            continue
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


def same_thing(chance: random.Random) -> Iterator[Row]:
    """Pairs of messages about one thing: those that stay true together, and those that one replaces."""
    for case in load([TRAIN / "things-lives.jsonl"]):
        hold = case["hold"]
        for newer in hold:
            for older in chance.sample([one for one in hold if one != newer], OF_THING):
                yield older, clip(newer), 0
        for old, new in case["changes"]:
            yield old, clip(new), 1
            yield from ((older, clip(new), 0) for older in chance.sample(hold, OF_THING))


def is_statement(text: str) -> bool:
    """Whether a sentence may state something."""
    return len(text.split()) > 3 and not text.endswith("?")


def conversations(locomo: Path, longmemeval: Path | None) -> Iterator[tuple[list[tuple[str, bool]], int]]:
    """Turns of conversations with whether they state what is replaced later, and how many pairs each turn gives."""
    for file in CHATS:
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


def main() -> None:
    options = low_rank.options("knowledge.fit_cross_encoder", __doc__)
    options.add_argument("--conversations", type=Path, required=True, help="in the format of LoCoMo")
    options.add_argument("--longmemeval", type=Path, help="in the format of LongMemEval, a line each, gzip")
    options.add_argument("--contrasts", default="", help="authors of the contrasts, separated by commas")
    options.add_argument("--most", type=int, help="maximum number of pairs that are drawn of all others")
    given = options.parse_args()
    model = low_rank.load(given.start)
    chance = random.Random(given.seed)
    authors = given.contrasts.split(",") if given.contrasts else ()
    told = list(contrasts(authors, kept_back=False))
    rows = [*corrections(chance), *compatible(), *same_thing(chance)]
    with fresh() as (memory, _):
        indexer = memory._session.indexer
        pairs = [
            row
            for turns, near in conversations(given.conversations, given.longmemeval)
            for row in natural(turns, near, indexer)
        ]
    rows += chance.sample(pairs, min(2 * NATURAL, len(pairs)))
    rows = [*told, *chance.sample(rows, min(given.most or len(rows), len(rows)))]
    print(f"{len(rows)} pairs, {sum(label for *_, label in rows)} of which the newer ends the older")
    low_rank.write(low_rank.train(model, rows, given.seed, epochs=given.epochs, rate=given.rate), given.write)


if __name__ == "__main__":
    main()
