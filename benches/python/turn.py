"""`turn()`: capturing both sides and finding what to know for it, with so many episodes and entries of state.

    python benches/python/turn.py [EPISODES] [ENTRIES]

Bar: 50 ms for the whole turn at 10,000 episodes, without an embedding; 50 us for the pre-filter of triage.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import timeit

import bardo
from bardo import _core
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.storage.store import ConductStore

TURNS = 200
MESSAGES = ("thanks a lot, see you tomorrow!", "did the migration finish?", "x " * 30_000, "🎉" * 10_000)
WORDS = [f"word{number}" for number in range(2_000)]


def sentence(chance: random.Random) -> str:
    """Makes a sentence of frequent and rare words."""
    return " ".join(WORDS[int(chance.paretovariate(0.6)) % len(WORDS)] for _ in range(20))


def main() -> None:
    """Measures turns, and prints their times."""
    episodes, entries = (int(sys.argv[place]) if len(sys.argv) > place else 10_000 for place in (1, 2))
    chance = random.Random(21)
    with (
        tempfile.TemporaryDirectory(prefix="bardo-turn-") as folder,
        bardo.open(folder, agent="turn", config={"embedding": {"batch": 0}}) as memory,
    ):
        memory.remember([sentence(chance) for _ in range(episodes)])
        store = ConductStore(memory.path, facts=memory._session.facts)
        with store.writing():
            for number in range(entries):
                kind = "rejected" if number % 2 else "decision"
                store.put(StateEntry("", kind, sentence(chance), at=number, changed_at=number))
        store.close()
        took: dict[str, list[float]] = {"before": [], "reply": []}
        for number in range(TURNS + 1):
            said = f"{sentence(chance)}?"
            began = time.perf_counter()
            turn = memory.turn(said)
            found = time.perf_counter()
            turn.reply(sentence(chance))
            ended = time.perf_counter()
            if number:  # the first one imports what it needs
                took["before"].append(found - began)
                took["reply"].append(ended - found)
            else:
                print(f"the first turn, with its imports: {(ended - began) * 1e3:.0f} ms")
    print(f"{episodes:,} episodes, {entries:,} entries of state, {TURNS} turns, without an embedding")
    for name, times in took.items():
        times.sort()
        median, late, last = times[TURNS // 2], times[TURNS * 95 // 100], times[-1]
        print(
            f"{name:>7}: median {median * 1e3:.1f} ms, p95 {late * 1e3:.1f} ms, longest {last * 1e3:.1f} ms"
        )
    print("the pre-filter of triage, quickest of 200:")
    for message in MESSAGES:
        quickest = min(timeit.repeat(lambda message=message: _core.triviality(message), number=1, repeat=200))
        print(f"{len(message):>7,} characters: {quickest * 1e6:.2f} us")


if __name__ == "__main__":
    main()
