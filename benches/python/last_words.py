"""Measures what a death with little time saves, by the order in which its last consolidation reads texts.

    python benches/python/last_words.py [--lives 5] [--texts 64] [--write FILE]

The lives are those of `inherit`. Their agents never slept, so that all texts wait for the last consolidation, and its
time (`bequeath.seconds`) ends after one page of so many texts. `facts` counts the facts that cross; `answered` is the
mean over the kinds of questions, as in `inherit`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copytree
from unittest.mock import patch

import bardo
from bardo.bequeath.selection import unsaved
from bardo.index.embedding import embedders
from common.cached import CachedEmbedder
from common.report import machine, write_section
from inherit import hand_over, lives
from inherit.arms import LifeClock, Plain, configured, live
from inherit.systems import HandOver
from inherit.systems.own import Heir

TITLE = "## What a death in a hurry saves"
#: Seconds of the last consolidation.
SECONDS = 1.0


class Timer(LifeClock):
    """Clock of a life, which each page of texts advances beyond the time of the death."""

    late = 0

    def now(self) -> int:
        return super().now() + self.late

    def page(self, step: str, *_: int) -> None:
        """Callback for progress."""
        self.late += (step == "distil") * round(SECONDS * 1_000_000)


def of_log(episodes: Sequence[bardo.Episode]) -> list[float]:
    """The order of the log."""
    return [1.0] * len(episodes)


def of_importance(episodes: Sequence[bardo.Episode]) -> list[float]:
    """The order of importance and surprise, which decided before."""
    return [1.0 + max(one.importance or 0.0, one.curiosity) for one in episodes]


#: Orders: name, judge of texts in place of bardo's own, and whether the time ends.
ORDERS: dict[str, tuple[Callable[[Sequence[bardo.Episode]], list[float]] | None, bool]] = {
    "log": (of_log, True), "importance and surprise": (of_importance, True),
    "without another copy": (None, True), "everything read": (None, False),
}  # fmt: skip


@dataclass
class Found:
    """Results.

    Args:
        facts: Facts that crossed, by order.
        right: Whether answers are right, by order and kind of question.
    """

    facts: Counter[str] = field(default_factory=Counter)
    right: dict[tuple[str, str], list[bool]] = field(default_factory=lambda: defaultdict(list))

    def mean(self, order: str) -> float:
        """Mean over the kinds of questions of the share of right answers, in percent."""
        rows = [given for row in hand_over.ANSWERED if (given := self.right[order, row])]
        return 100 * sum(sum(given) / len(given) for given in rows) / max(len(rows), 1)


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lives", type=int, default=5)
    parser.add_argument("--split", choices=list(lives.SPLITS), default="dev")
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/bardo/inherit.db")
    parser.add_argument("--write", type=Path, help="Markdown file in which the section is replaced")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    embedder = CachedEmbedder(embedders.load(), options.cache)
    found = Found()
    for seed in range(options.lives):
        life = lives.generate(seed, options.split)
        with tempfile.TemporaryDirectory(prefix="last-") as folder:
            measure(life, Path(folder), embedder, options.texts, found)
        print(f"\r{life.name}", end=" ", file=sys.stderr, flush=True)
    lines = [
        f"{options.lives} lives of {options.split}, {options.texts} texts read; {machine()}, "
        f"bardo {bardo.__version__}.",
        "",
        "| order | facts | answered |",
        "|---|--:|--:|",
    ]
    lines += [f"| {order} | {found.facts[order]} | {found.mean(order):.1f} % |" for order in ORDERS]
    table = "\n".join(lines)
    print(f"\n{table}")
    if options.write:
        write_section(options.write, "last words", f"{TITLE}\n\n{table}")
    return 0


def measure(life: lives.Life, folder: Path, embedder: CachedEmbedder, page: int, found: Found) -> None:
    """Lets an agent die in each order, and asks its heirs.

    Args:
        life: Life of the agent.
        folder: Empty folder.
        embedder: Embedder of all memories.
        page: Texts of a page.
        found: Results; updated in place.
    """
    clock = Timer()
    plain = Plain(embedder)
    given = configured(life)
    with bardo.open(folder / "agent", agent="agent", clock=clock, embedder=plain, config=given) as memory:
        live(memory, life.events, clock, plain)
    for order, (judge, ends) in ORDERS.items():
        config = replace(
            given,
            curator=replace(given.curator, batch=page),
            bequeath=replace(given.bequeath, seconds=SECONDS if ends else 0.0),
        )
        copytree(folder / "agent", folder / order)
        path = folder / f"{order}.testament"
        with ExitStack() as stack:
            if judge is not None:
                stack.enter_context(patch.object(unsaved, "rank", lambda *_, judge=judge: judge))
            memory = stack.enter_context(
                bardo.open(folder / order, agent="agent", clock=clock, embedder=plain, config=config)
            )
            left = memory.bequeath(path, cause="age", progress=clock.page)
        found.facts[order] += len(left.facts)
        memory = bardo.inherit(path, path.with_suffix(".heir"), clock=clock, embedder=embedder)
        heir = Heir(memory, embedder)
        for question in life.questions:
            for row, is_so in hand_over._score(question, heir, HandOver(left.markdown, path)):
                found.right[order, row].append(is_so)
        heir.close()


if __name__ == "__main__":
    sys.exit(main())
