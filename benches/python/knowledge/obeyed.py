"""`python -m knowledge.obeyed`: rules that an agent obeys, over five generations, in a stable and a changing world.

python -m knowledge.obeyed --write ../RESULTS.md      # the table and the plot obeyed.png beside it

The founder trades at random and finds two rules. Its heirs always follow them: none of them sees a counter-case. In the
second world one of the two rules stops holding in the third generation.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import bardo
from bardo.model import Episode, Fact
from bardo.recall.situation import parse_conditions
from common import report

#: Decisions of the founder and of each heir; decisions between passes.
FOUNDER, LIFE, PASS = 3_000, 1_000, 50
GENERATIONS = 5
#: Generation and decision at which the second rule stops in the world that changes.
CHANGE = (3, 300)
START, MINUTE = 1_760_000_000_000_000, 60_000_000
#: The rules: a feature, its threshold, the action, and its gain.
RULES = (("momentum", 0.65, "long", 0.8), ("funding", 0.6, "short", 0.8))


@dataclass
class Life:
    """One world, followed decision by decision.

    Args:
        changes: Whether the second rule stops.
        curves: Numbers of decisions over all lives, and the confidence of the best fact that states it, for each rule.
        ends: Confidence at the end, and source, for each generation and rule.
        broke: Decisions from the change until no fact in force states the rule that ended.
    """

    changes: bool
    curves: list[list[tuple[int, float]]] = field(default_factory=lambda: [[], []])
    ends: list[list[str]] = field(default_factory=list)
    broke: int | None = None
    births: list[int] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser(
        prog="knowledge.obeyed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = options.parse_args()
    worlds = [live(changes, given.seed) for changes in (False, True)]
    text = table(worlds)
    print(text)
    if given.write:
        draw(worlds, given.write.parent / "obeyed.png")
        report.write_section(given.write, "obeyed", f"{text}\n\n![Confidence of obeyed rules](obeyed.png)")


def live(changes: bool, seed: int) -> Life:
    """Five generations in one world."""
    life = Life(changes)
    draws = random.Random(f"{seed} {changes}")
    settings = {"curator": {"texts": False}, "feedback": {"record": False}}
    done = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for generation in range(1, GENERATIONS + 1):
            clock = bardo.ManualClock(START + done * MINUTE)
            name = f"trader-{generation}"
            options = {"clock": clock, "seed": seed, "config": settings, "embedder": flat}
            if generation == 1:
                memory = bardo.open(folder / name, **options)
            else:
                memory = bardo.inherit(folder / f"{generation - 1}.testament", folder / name, **options)
            life.births.append(done)
            with memory:
                begun = memory.now_tick
                batch: list[Episode] = []
                facts = rules_of(memory)
                for number in range(FOUNDER if generation == 1 else LIFE):
                    has_changed = changes and (generation, number) >= CHANGE
                    episode = decide(draws, None if generation == 1 else memory, has_changed)
                    batch.append(episode)
                    done += 1
                    if len(batch) == PASS:
                        clock.set(START + done * MINUTE)
                        tick = begun + number + 1
                        memory.remember([at(each, tick, done) for each in batch])
                        memory.tick(tick)
                        batch.clear()
                        facts = rules_of(memory)
                        follow(life, memory, facts, done)
                        if has_changed and life.broke is None and best(memory, facts, 1) is None:
                            life.broke = done - (FOUNDER + (CHANGE[0] - 2) * LIFE + CHANGE[1])
                memory.sleep()
                facts = rules_of(memory)
                life.ends.append([state(memory, facts, rule) for rule in (0, 1)])
                memory.bequeath(folder / f"{generation}.testament", cause="end of the run")
    return life


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart: rules are found by their conditions."""
    return np.ones((len(texts), 4), dtype=np.float32)


def at(episode: Episode, tick: int, done: int) -> Episode:
    """An episode with its time."""
    return Episode(
        f"Decision: {episode.text} ({done})", tick=tick, at=START + done * MINUTE, kind="trade", subjects=("ETH",),
        payload=episode.payload, verified=True,
    )  # fmt: skip


def decide(draws: random.Random, memory: bardo.Grimoire | None, has_changed: bool) -> Episode:
    """One decision: at random, or as the first rule says that a recall seats in the situation."""
    features = {"momentum": draws.random(), "funding": draws.random(), "volume": draws.random()}
    action = draws.choice(("long", "short", "hold"))
    if memory is not None:
        action = recommended(memory, features) or "hold"
    gain = draws.gauss(0.0, 1.0)
    for number, (name, threshold, wanted, effect) in enumerate(RULES):
        if features[name] > threshold and action == wanted and not (has_changed and number == 1):
            gain += effect
    return Episode(f"went {action}", payload={**features, "action": action, "pnl": gain})


def recommended(memory: bardo.Grimoire, features: dict[str, float]) -> str | None:
    """The action of the first seated rule that promises a gain."""
    for found in memory.recall("Long, short or hold?", limit=5, situation=features):
        fact = found.record
        if isinstance(fact, Fact) and fact.payload.get("effect", 0.0) > 0:
            stated = parse_conditions(str(fact.payload["action"]))
            actions = [str(each.value) for each in stated if each.path == "action"]
            if actions and any(name in str(fact.payload["condition"]) for name in features):
                return actions[0]
    return None


def rules_of(memory: bardo.Grimoire) -> list[Fact]:
    """Heuristics in force, the surest first."""
    facts = list(memory.facts.list(kind="heuristic"))
    return sorted(facts, key=lambda fact: -(memory.facts.confidence(fact) or 0.0))


def best(memory: bardo.Grimoire, facts: Sequence[Fact], rule: int) -> Fact | None:
    """The surest fact in force that states a rule."""
    name, _, action, _ = RULES[rule]
    for fact in facts:
        said = f"{fact.payload['condition']} and {fact.payload['action']}"
        if (
            fact.payload["effect"] > 0
            and (f"{name} >=" in said or f"{name} is high" in said)
            and f"action is {action}" in said
        ):
            return fact
    return None


def follow(life: Life, memory: bardo.Grimoire, facts: Sequence[Fact], done: int) -> None:
    """Notes the confidence of each rule."""
    for rule in (0, 1):
        fact = best(memory, facts, rule)
        life.curves[rule].append((done, memory.facts.confidence(fact) or 0.0 if fact else 0.0))


def state(memory: bardo.Grimoire, facts: Sequence[Fact], rule: int) -> str:
    """Confidence and origin of a rule at the end of a life."""
    fact = best(memory, facts, rule)
    if fact is None:
        return "not in force"
    own = "own" if fact.source == "self" and not fact.generation else "inherited"
    return f"{memory.facts.confidence(fact):.2f} {own}"


def table(worlds: Sequence[Life]) -> str:
    """The figures as Markdown."""
    lines = [
        "## Obeyed rules over generations",
        "",
        f"A founder of {FOUNDER:,} random decisions, and {GENERATIONS - 1} heirs of {LIFE:,} that always follow the",
        "rules in force. Confidence at the end of each life, of the two rules; in the second world the second",
        f"rule stops holding at decision {CHANGE[1]} of generation {CHANGE[0]}.",
        "",
        "| generation | stable: momentum | stable: funding | changing: momentum | changing: funding |",
        "|---|---|---|---|---|",
    ]
    for generation, (stable, changing) in enumerate(zip(worlds[0].ends, worlds[1].ends, strict=True), 1):
        lines.append(f"| {generation} | {' | '.join((*stable, *changing))} |")
    broke = worlds[1].broke
    lines += [
        "",
        f"The rule that ended left force {broke if broke is not None else 'never: 0'} decisions after the change.",
    ]
    return "\n".join(lines)


def draw(worlds: Sequence[Life], picture: Path) -> None:
    """Draws the confidence of both rules in both worlds."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(2, 1, figsize=(8, 5), sharex=True, sharey=True)
    for panel, life in zip(panels, worlds, strict=True):
        for curve, rule in zip(life.curves, RULES, strict=True):
            panel.plot(*zip(*curve, strict=True), label=f"{rule[0]} > {rule[1]}: {rule[2]}")
        for birth in life.births[1:]:
            panel.axvline(birth, color="0.8", linewidth=1)
        if life.changes:
            panel.axvline(
                FOUNDER + (CHANGE[0] - 2) * LIFE + CHANGE[1], color="red", linestyle=":", label="change"
            )
        panel.set_title("one rule stops" if life.changes else "stable world")
        panel.set_ylabel("confidence now")
        panel.set_ylim(0, 1)
        panel.legend(loc="lower right")
    panels[-1].set_xlabel("decisions, over all lives")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
