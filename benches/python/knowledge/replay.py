"""`python -m knowledge.replay`: what re-reading old episodes beside the new ones changes, by their share of a pass.

python -m knowledge.replay --seeds 12 --write ../RESULTS.md
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode, Fact
from common import report

#: Decisions of a stream, decisions per pass, and the decision at which something changes.
LENGTH, PASS, CHANGE = 6_144, 64, 2_048
#: Shares of old episodes in a pass.
SHARES = (0.0, 0.3, 0.5)
#: Where the effect is: momentum above this, one of three actions.
THRESHOLD = 0.65
NOW = 1_700_000_000_000_000


@dataclass(frozen=True)
class Stream:
    """One sort of stream.

    Args:
        measured: What is counted, in words.
        effect: Effect of the rule in standard deviations of the outcome.
        holds: Decisions between which the rule holds, as pairs of begin and end.
        told: Whether the rule is told at the change, in the words of another agent.
        ends: Whether the decisions until the rule leaves force are counted, not those until it is believed.
    """

    measured: str
    effect: float
    holds: tuple[tuple[int, int], ...]
    told: bool = False
    ends: bool = False


ALWAYS, BEFORE, AFTER = ((0, LENGTH),), ((0, CHANGE),), ((CHANGE, LENGTH),)
STREAMS: Mapping[str, Stream] = {
    "ends": Stream("a rule of 1 sd ends: until it leaves force", 1.0, BEFORE, ends=True),
    "late": Stream("a rule of 1 sd appears late: until it is believed", 1.0, AFTER),
    "told true": Stream("a rule of .5 sd that always held is told: until it is earned", 0.5, ALWAYS, told=True),
    "told false": Stream("a rule that never held is told: until it leaves force", 0.0, (), told=True, ends=True),
    "told ended": Stream(
        "a rule of 1 sd that has just ended is told: until it leaves force", 1.0, BEFORE, told=True, ends=True
    ),
    "told new": Stream(
        "a rule of 1 sd that holds only from then on is told: until it leaves force, wrongly", 1.0, AFTER, told=True,
        ends=True,
    ),
}  # fmt: skip
#: Decisions after the change, or None where it did not happen.
Found = Sequence[int | None]


def main() -> None:
    options = argparse.ArgumentParser(
        prog="knowledge.replay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seeds", type=int, default=12)
    options.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = options.parse_args()
    results: dict[tuple[str, float], Found] = {}
    false: dict[float, Sequence[int]] = {}
    seeds = range(given.seeds)
    with ProcessPoolExecutor(max_workers=2) as pool:
        for name in STREAMS:
            for share in SHARES:
                found = list(pool.map(decided_at, [name] * len(seeds), seeds, [share] * len(seeds)))
                results[name, share] = found
                print(name, share, found, flush=True)
        for share in SHARES:
            false[share] = list(pool.map(false_rules, seeds, [share] * len(seeds)))
            print("noise", share, false[share], flush=True)
    text = table(results, false, given.seeds)
    print(text)
    if given.write:
        report.write_section(given.write, "replay", text)


def decisions(stream: Stream, seed: int) -> Iterator[Episode]:
    """Random decisions; where the rule holds, the outcome is higher where momentum is high and the action is long."""
    draws = np.random.default_rng(seed)
    for tick in range(1, LENGTH + 1):
        momentum, carry, pnl = draws.random(), draws.random(), draws.normal()
        action = str(draws.choice(("long", "short", "hold")))
        holds = any(begin < tick <= end for begin, end in stream.holds)
        if holds and momentum > THRESHOLD and action == "long":
            pnl += stream.effect
        payload = {"momentum": momentum, "carry": carry, "action": action, "pnl": pnl}
        yield Episode(
            f"trade {tick}", tick=tick, kind="trade", subjects=("ETH",), payload=payload, verified=True,
            importance=float(draws.random()),
        )  # fmt: skip


def told(tick: int, effect: float) -> Fact:
    """The rule in the words of another agent, who measured this effect."""
    payload = {
        "type": "heuristic", "condition": f"momentum >= {THRESHOLD}", "action": "action is long",
        "outcome": "pnl is higher", "n": 100, "effect": effect, "interval": (0.7 * effect, 1.3 * effect),
    }  # fmt: skip
    return Fact(
        "High momentum and a long position pay", kind="heuristic", subjects=("ETH",), payload=payload,
        source="testament", origin="parent", generation=1, confidence=0.4, observed=(tick, tick),
    )  # fmt: skip


def says(fact: Fact) -> bool:
    """Whether a fact states the rule."""
    said = f"{fact.payload.get('condition')} and {fact.payload.get('action')}"
    higher = str(fact.payload.get("outcome", "")).endswith("is higher")
    return higher and "momentum >=" in said and "action is long" in said and "carry" not in said


class Agent:
    """An agent that lives a stream, with a pass every `PASS` decisions."""

    def __init__(self, folder: Path, share: float) -> None:
        self.log = EpisodeLog(str(folder / "episodes.redb"), agent="student", seed=1, now=NOW, durable=False)
        self.facts = FactStore(folder / "facts.db", agent="student", seed=1, now=NOW)
        self._curator = Curator(self.facts, look_back=share)

    def live(self, episodes: Sequence[Episode]) -> None:
        """Records and consolidates one batch."""
        recorded = self.log.record(episodes, now=NOW)
        self.log.verify(
            [(one.id, episode.importance) for one, episode in zip(recorded, episodes, strict=True)]
        )
        self._curator.consolidate(self.log, batch=PASS, tick=episodes[-1].tick, now=NOW)

    def close(self) -> None:
        """Releases the files."""
        self.facts.close()
        self.log.close()


def decided_at(name: str, seed: int, share: float) -> int | None:
    """Decisions after the change until it shows; None if it does not."""
    stream = STREAMS[name]
    episodes = list(decisions(stream, seed))
    told_id: str | None = None
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(Path(folder), share)
        try:
            for begin in range(0, LENGTH, PASS):
                if stream.told and begin == CHANGE:
                    told_id = agent.facts.upsert([told(begin, stream.effect or 1.0)], tick=begin, now=NOW)[
                        0
                    ].id
                agent.live(episodes[begin : begin + PASS])
                done = begin + PASS - CHANGE
                if done > 0 and shows(agent.facts, stream, told_id):
                    return done
        finally:
            agent.close()
    return None


def shows(facts: FactStore, stream: Stream, told_id: str | None) -> bool:
    """Whether what is counted has happened."""
    if told_id is not None:
        fact = facts.get([told_id])[0]
        if fact is None:
            return True
        return fact.status != "active" if stream.ends else fact.source == "self"
    return stream.ends != any(says(fact) for fact in facts.list(kind="heuristic"))


def false_rules(seed: int, share: float) -> int:
    """Rules that were ever in force on a stream without any effect."""
    seen: set[str] = set()
    episodes = list(decisions(Stream("", 0.0, ()), seed))
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(Path(folder), share)
        try:
            for begin in range(0, LENGTH, PASS):
                agent.live(episodes[begin : begin + PASS])
                seen.update(fact.id for fact in agent.facts.list(kind="heuristic"))
        finally:
            agent.close()
    return len(seen)


def table(
    results: Mapping[tuple[str, float], Found], false: Mapping[float, Sequence[int]], seeds: int
) -> str:
    """The figures as Markdown."""
    lines = [
        "## What re-reading old episodes changes",
        "",
        f"Random decisions, `pnl` higher where `momentum > {THRESHOLD}` and `action is long` (12 % of them), a",
        f"pass every {PASS}, {LENGTH:,} decisions, {seeds} streams each; something changes at decision {CHANGE:,}.",
        "Decisions from then until it shows: median, quartiles, and the share of streams in which it did. Share: part",
        "of the episodes that a pass reads which are old (`replay.share`).",
        "",
        "| stream | share 0 | " + " | ".join(f"share {share:g}" for share in SHARES[1:]) + " |",
        "|---|---|" + "---|" * len(SHARES[1:]),
    ]
    for name, stream in STREAMS.items():
        cells = " | ".join(cell(results[name, share]) for share in SHARES)
        lines.append(f"| {stream.measured} | {cells} |")
    noise = " | ".join(f"{sum(false[share])} in {seeds} streams" for share in SHARES)
    lines.append(f"| noise: false rules ever in force | {noise} |")
    return "\n".join(lines)


def cell(found: Found) -> str:
    """Median, quartiles and share."""
    known = sorted(float("inf") if at is None else float(at) for at in found)
    low, median, high = (known[min(len(known) - 1, len(known) * part // 4)] for part in (1, 2, 3))
    said = [f"{number:,.0f}" if number < float("inf") else "never" for number in (median, low, high)]
    happened = sum(at is not None for at in found) / len(found)
    return f"{said[0]} ({said[1]} to {said[2]}), {happened:.0%}" if happened else "never"


if __name__ == "__main__":
    main()
