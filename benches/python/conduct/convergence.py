"""Follows the rules of an agent over half a year with twenty lessons a day, through a real gate with its own clock.

    python -m conduct.convergence [--days 182] [--lessons 20] [--picture FILE] [--write FILE]

A lesson is about one of a growing number of topics; some topics come up more often (Zipf). One lesson in four says a
known thing in other words. Actions follow the topics: an action applies the rules about its topic, and most pass. A
person gives a critical rule each week. The curve shows the rules in force, and beside it the same lessons with neither
merging nor limit, computed from the decay alone.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import bardo
from bardo.conduct.model.entries import CRITICAL, NEW, Rule
from bardo.ports import ManualClock
from common import report

START = 1_700_000_000_000_000
DAY_SECONDS = 86_400
#: Number of actions per day, and share of them that pass.
ACTIONS, PASSING = 8, 0.85
#: Share of lessons that repeat a known one in other words.
REPEATS = 0.25
VERBS = (
    "Check",
    "Measure",
    "Log",
    "Verify",
    "Compare",
    "Freeze",
    "Warm",
    "Trim",
    "Sort",
    "Batch",
    "Retry",
    "Cache",
)
THINGS = (
    "invoice parser", "gas oracle", "mail queue", "price feed", "build cache", "user table", "order book",
    "log rotation", "schema migration", "release notes", "payment webhook", "image resizer", "search index",
    "backup job", "test fixture", "rate limiter", "session store", "report export", "vendor contract", "risk limit",
)  # fmt: skip
MOMENTS = (
    "before each deploy", "after a failed run", "at month end", "when latency rises", "before a trade",
    "after an upgrade", "during an incident", "when a customer complains", "before a review", "after a restart",
)  # fmt: skip
EXTRAS = ("carefully", "again", "twice", "first", "always", "together", "quickly", "fully")


def simulate(folder: Path, *, days: int, lessons: int, seed: int) -> tuple[list[int], list[int], int, int]:
    """Lives the days; returns the rules in force and those without limit per day, critical rules, and merged ones."""
    chance, clock = random.Random(seed), ManualClock(START)
    bardo.open(folder, agent="learner").close()
    known: list[str] = []
    unbounded: list[Rule] = []
    in_force, without, critical = [], [], 0
    with bardo.gate(folder, clock=clock, words_only=True) as gate:
        for day in range(days):
            if day % 7 == 0:
                gate.rule(f"Never pay out vault number{day} alone", by="anna")
                critical += 1
            for _ in range(lessons):
                text = _lesson(chance, known)
                gate.rule(text)
                unbounded.append(Rule("", text, score=NEW, confirmed_at=clock.now()))
            for _ in range(ACTIONS):
                topic = known[min(int(chance.paretovariate(0.8)) - 1, len(known) - 1)]
                gate.after(f"now {topic}", passed=chance.random() < PASSING)
            clock.advance(DAY_SECONDS)
            in_force.append(len(gate.rules()))
            unbounded = [rule for rule in unbounded if rule.in_force(clock.now())]
            without.append(len(unbounded) + critical)
        alive = sum(rule.score >= CRITICAL for rule in gate.rules())
        if alive != critical:
            raise AssertionError(f"{critical - alive} critical rules were lost")
        stated = days * lessons + critical
        merged = stated - len(gate.rules(every=True))
    return in_force, without, critical, merged


def _lesson(chance: random.Random, known: list[str]) -> str:
    """A new lesson, or a known one with another word."""
    if known and chance.random() < REPEATS:
        place = min(int(chance.paretovariate(0.8)) - 1, len(known) - 1)
        return f"{known[place]} {chance.choice(EXTRAS)}"
    thing, other = chance.sample(THINGS, 2)
    text = f"{chance.choice(VERBS)} the {thing} with the {other} {chance.choice(MOMENTS)}"
    known.append(text)
    return text


def draw(in_force: Sequence[int], without: Sequence[int], critical: int, picture: Path) -> None:
    """Draws the curves."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.axhspan(60, 100, color="0.92")
    axes.plot(range(1, len(without) + 1), without, color="0.6", label="decay alone")
    axes.plot(range(1, len(in_force) + 1), in_force, label="with merging and the soft limit")
    axes.set(xlabel="day", ylabel="rules in force", ylim=(0, None))
    axes.set_title(f"Twenty lessons a day; all {critical} critical rules stay")
    axes.legend()
    figure.savefig(picture, dpi=110)
    plt.close(figure)


def main() -> None:
    """Simulates, prints, and draws."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=182)
    parser.add_argument("--lessons", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        in_force, without, critical, merged = simulate(
            Path(folder), days=given.days, lessons=given.lessons, seed=given.seed
        )
    settled = in_force[30:]
    text = (
        "## Convergence of rules\n\n"
        f"{given.days} days with {given.lessons} lessons a day, "
        f"`python -m conduct.convergence --seed {given.seed}`.\n\n"
        "| | rules in force |\n|---|---|\n"
        f"| at the end | {in_force[-1]} |\n"
        f"| least and most after the first month | {min(settled)} to {max(settled)} |\n"
        f"| at the end by decay alone | {without[-1]} |\n\n"
        f"All {critical} critical rules are in force at the end. {merged} lessons were merged into known rules."
    )
    print(text)
    if given.picture:
        draw(in_force, without, critical, given.picture)
    if given.write:
        report.write_section(given.write, "conduct-rules", f"{text}\n\n![Rules in force per day](rules.png)")


if __name__ == "__main__":
    main()
