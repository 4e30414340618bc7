"""`python -m truth.power`: decisions until a two-way interaction is believed, by its effect, with and without replay.

python -m truth.power --seeds 10 --write ../RESULTS.md      # the table and the plot power.png beside it
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from bardo._core import Curator, EpisodeLog, FactStore
from bardo.config import Curator as Settings
from bardo.model import Episode, Fact
from common import report

#: Decisions of a stream, and decisions per pass.
LENGTH, PASS = 6_144, 64
#: Effects in standard deviations of the outcome.
EFFECTS = (0.5, 1.0, 2.0)
#: Where the effect is: momentum above this, one of three actions, and in the third kind of stream one of two regimes.
THRESHOLD = 0.65
NOW = 1_700_000_000_000_000
#: Decisions at which the share of streams is told.
MARKS = (512, 1_024, 2_048, 4_096, LENGTH)
#: Decisions, or None where the rule was not believed.
Found = Sequence[int | None]


def main() -> None:
    options = argparse.ArgumentParser(
        prog="truth.power", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = options.parse_args()
    replay = Settings().replay
    results: dict[tuple[str, float, int], Found] = {}
    for kind in ("interaction", "in one regime"):
        for effect in EFFECTS:
            for again in (replay, 0):
                found = [believed_at(kind, effect, seed, again) for seed in range(given.seeds)]
                results[kind, effect, again] = found
                print(kind, effect, again, found, flush=True)
    text = table(results, given.seeds)
    print(text)
    if given.write:
        draw(results, given.write.parent / "power.png")
        report.write_section(
            given.write, "power", f"{text}\n\n![Decisions until a rule is believed](power.png)"
        )


def decisions(kind: str, effect: float, seed: int) -> Iterator[Episode]:
    """Random decisions with two numbers and a regime; the effect is where momentum is high and the action is long."""
    draws = np.random.default_rng(seed)
    for tick in range(1, LENGTH + 1):
        momentum, carry, pnl = draws.random(), draws.random(), draws.normal()
        regime = "bull" if (tick // 300) % 2 else "bear"
        action = str(draws.choice(("long", "short", "hold")))
        if momentum > THRESHOLD and action == "long" and (kind == "interaction" or regime == "bull"):
            pnl += effect
        payload = {"momentum": momentum, "carry": carry, "regime": regime, "action": action, "pnl": pnl}
        yield Episode(
            f"trade {tick}", tick=tick, kind="trade", subjects=("ETH",), payload=payload, verified=True
        )


def says(fact: Fact, kind: str) -> bool:
    """Whether a fact in force states the interaction, with its regime if it holds in one alone."""
    said = f"{fact.payload.get('condition')} and {fact.payload.get('action')}"
    return (
        fact.payload.get("effect", 0.0) > 0
        and "momentum >=" in said
        and "action is long" in said
        and "carry" not in said
        and ("regime is bull" in said) == (kind == "in one regime")
    )


def believed_at(kind: str, effect: float, seed: int, replay: int) -> int | None:
    """Decisions after which a fact first states the interaction; None if none does."""
    episodes = list(decisions(kind, effect, seed))
    with tempfile.TemporaryDirectory() as folder:
        log = EpisodeLog(str(Path(folder) / "episodes.redb"), agent="student", seed=1, now=NOW, durable=False)
        facts = FactStore(Path(folder) / "facts.db", agent="student", seed=1, now=NOW)
        curator = Curator(facts, replay=replay)
        try:
            for begin in range(0, LENGTH, PASS):
                recorded = log.record(episodes[begin : begin + PASS], now=NOW)
                log.verify([(one.id, None) for one in recorded])
                curator.consolidate(log, batch=PASS, tick=begin + PASS, now=NOW)
                if any(says(fact, kind) for fact in facts.list(kind="heuristic")):
                    return begin + PASS
        finally:
            facts.close()
            log.close()
    return None


def table(results: Mapping[tuple[str, float, int], Found], seeds: int) -> str:
    """The figures as Markdown."""
    head = "".join(f" {mark:,} |" for mark in MARKS)
    lines = [
        "## Decisions until a rule is believed",
        "",
        f"`pnl` is higher where `momentum > {THRESHOLD}` and `action is long` (12 % of random decisions), or there in",
        f"one of two regimes (6 %); {seeds} streams each, a pass every {PASS}. Share of the streams in which a fact in",
        "force states it, with exactly these conditions. Replay: earlier episodes that the search for rules reads",
        "again.",
        "",
        f"| planted | effect, sd | replay | median |{head}",
        "|---|---|---|---|" + "---|" * len(MARKS),
    ]
    for (kind, effect, replay), found in results.items():
        known = sorted(LENGTH + 1 if at is None else at for at in found)
        median = known[len(known) // 2]
        shares = "".join(f" {sum(at <= mark for at in known) / seeds:.0%} |" for mark in MARKS)
        told = f"{median:,}" if median <= LENGTH else f"> {LENGTH:,}"
        lines.append(f"| {kind} | {effect:g} | {replay or 'none'} | {told} |{shares}")
    return "\n".join(lines)


def draw(results: Mapping[tuple[str, float, int], Found], picture: Path) -> None:
    """Draws the share of streams over decisions."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    marks = np.arange(0, LENGTH + 1, PASS)
    for panel, kind in zip(panels, ("interaction", "in one regime"), strict=True):
        for (of, effect, replay), found in results.items():
            if of == kind:
                shares = [np.mean([at is not None and at <= mark for at in found]) for mark in marks]
                style = "-" if replay else ":"
                panel.plot(marks, shares, style, label=f"{effect:g} sd{'' if replay else ', no replay'}")
        panel.set_title(kind)
        panel.set_xlabel("decisions")
    panels[0].set_ylabel("share of streams in which the rule is believed")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
