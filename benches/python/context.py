"""Time of a prompt of 3,200 tokens out of 200 memories, beside the bare counting of the text that ends up in it.

    python benches/python/context.py

Memories are runs of 8 to 60 words out of Python's own documentation. The calls are interleaved and the ratio is that of
the medians, so that a busy machine slows all of them alike. tiktoken counts beside it if it is installed and has its
vocabulary on this machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pydoc_data.topics import topics

from bardo import _core
from bardo.assemble.context import build
from bardo.model import Episode
from bardo.recall.recollection import Explanation, Memory

SEED = 7
NOW = 1_767_225_600_000_000
SHORTEST, LONGEST = 8, 60
WHY = Explanation(
    arms=(), conversation={}, fused=0, parts={}, discounts={}, relevance=0, temporal=0, importance=0, emotional=0,
    age_days=0, confidence=1, matched=(), provenance="", evidence=(), duplicates=(),
)  # fmt: skip


def memories(count: int, chance: random.Random) -> list[Memory]:
    """Turns of a conversation, as recall would bring them."""
    words = " ".join(topics[name] for name in sorted(topics)).split()
    made = []
    for tick in range(count):
        start = chance.randrange(len(words) - LONGEST)
        text = " ".join(words[start : start + chance.randint(SHORTEST, LONGEST)])
        at = NOW + tick * 60_000_000
        record = Episode(text, tick=tick, at=at, speaker=chance.choice(["Ann", "Ben", None]))
        made.append(Memory(text, f"m{tick}", "episode", 1.0, 1.0, tick, at, "self", False, WHY, record))
    return made


def bpe_of_tiktoken() -> Callable[[str], object] | None:
    """The same count by tiktoken, or None if it or its vocabulary is not here."""
    try:
        import tiktoken

        vocabulary = tiktoken.get_encoding("o200k_base")
    except Exception as error:
        print(f"without tiktoken: {error}")
        return None
    return lambda text: len(vocabulary.encode_ordinary(text))


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--candidates", type=int, default=200)
    options.add_argument("--repeats", type=int, default=300)
    given = options.parse_args()
    chance = random.Random(SEED)
    recalled = memories(given.candidates, chance)
    task = "What follows from these turns for the plan of next week?"
    prompt = build(task, recalled)
    calls: dict[str, Callable[[], object]] = {
        "bare count of the prompt": lambda: _core.count_tokens(prompt.text),
        "context()": lambda: build(task, recalled),
    }
    tiktoken = bpe_of_tiktoken()
    if tiktoken is not None:
        calls["tiktoken's count"] = lambda: tiktoken(prompt.text)
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(given.repeats):
        # Fresh objects each time: nothing of an earlier prompt may be remembered for a later one.
        recalled = [replace(memory, id=f"{turn}-{memory.id}") for memory in recalled]
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - started)
    medians = {name: statistics.median(times) * 1e6 for name, times in seconds.items()}
    bare = medians["bare count of the prompt"]
    print(
        f"{given.candidates} memories, {prompt.tokens} tokens of {len(prompt.text.encode())} bytes in the prompt, "
        f"{len(prompt.memories)} memories in it; medians of {given.repeats}"
    )
    for name, median in medians.items():
        print(f"{name:26} {median:8.0f} us {median / bare:6.2f}x")


if __name__ == "__main__":
    main()
