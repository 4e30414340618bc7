"""Experiments: worlds, arms and seeds, read from TOML."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from bardo import _core
from bardo._settings import build
from bardo.errors import ConfigError

#: Experiment that the package carries, beside this module.
DEFAULT = "experiment.toml"


@dataclass(frozen=True, slots=True)
class World:
    """World and policy of the agents; the same for every arm.

    Args:
        generations: Generations of a run.
        venues: Number of venues.
        families: Number of families of venues.
        embedding_noise: Standard deviation of an embedding around the centre of its family, per dimension.
        family_share: Share of the payoff variance that the venues of a family have in common.
        structural: Share of venues whose payoff does not depend on the regime.
        traps: Share of venues that are traps.
        structural_deviation: Standard deviation of structural payoffs.
        tactical_deviation: Standard deviation of tactical payoffs.
        regimes: Number of regimes.
        dwell: Mean length of a regime in ticks; 0 for one regime without end.
        p_redraw: Probability that a tactical payoff is drawn again when its regime returns.
        turnover: Mean ticks until a venue becomes another one under its name; 0 for never.
        cue_noise: Standard deviation of a market snapshot around the centre of its regime, per dimension.
        offers: Offers per tick.
        zipf: Exponent of Zipf's law of the venues' popularity.
        reward_noise: Standard deviation of a reward around the payoff.
        trap_payoff: Payoff of a trap that does not spring.
        spring: Probability that a trap springs.
        lethality: Probability that a sprung trap kills.
        trap_loss: Loss by a sprung trap that does not kill.
        capital: Capital at birth.
        capital_limit: Largest capital.
        living_cost: Living cost per tick.
        hazard: Probability of death per tick, independent of the agent's acts.
        life_limit: Longest life in ticks.
        least_fitness: Predictive fitness below which an agent dies.
        fitness_age: Age in ticks from which fitness counts.
        entries_read: Entries read per tick.
        exploration: Weight of uncertainty in the upper confidence bound.
        pseudo_count: Maximum observations that one entry stands for.
        trust_in_score: Whether the score of recall has bardo's factors of trust and hearsay beside the four factors.
        retrieval_noise: Standard deviation of noise in the relevance of an entry.
        curator_ticks: Ticks between two passes of the Curator.
        batch: Episodes that one pass replays.
        recent_share: Share of recent episodes in a batch.
        surprise: Weight of surprise in the priority of replay.
        tau_ticks: e-folding time of decay in ticks.
        eviction_threshold: Confidence below which a pass evicts a fact.
    """

    generations: int = 16
    venues: int = 120
    families: int = 12
    embedding_noise: float = 0.6
    family_share: float = 0.5
    structural: float = 0.40
    traps: float = 0.05
    structural_deviation: float = 0.8
    tactical_deviation: float = 1.0
    regimes: int = 4
    dwell: float = 150.0
    p_redraw: float = 0.2
    turnover: float = 0.0
    cue_noise: float = 0.7
    offers: int = 4
    zipf: float = 0.7
    reward_noise: float = 1.0
    trap_payoff: float = 0.8
    spring: float = 0.2
    lethality: float = 0.25
    trap_loss: float = 10.0
    capital: float = 40.0
    capital_limit: float = 80.0
    living_cost: float = 0.35
    hazard: float = 1.0 / 1_500.0
    life_limit: int = 500
    least_fitness: float = 0.35
    fitness_age: int = 100
    entries_read: int = 8
    exploration: float = 0.6
    pseudo_count: float = 8.0
    trust_in_score: bool = True
    retrieval_noise: float = 0.0
    curator_ticks: int = 50
    batch: int = 25
    recent_share: float = 0.7
    surprise: float = 0.6
    tau_ticks: float = 500.0
    eviction_threshold: float = 0.05


@dataclass(frozen=True, slots=True)
class Arm:
    """Rule of inheritance, with the options of the heirs that differ by it.

    Args:
        facts: Whether facts cross.
        episodes: Whether raw episodes cross.
        annotated: Whether raw episodes cross with the importance and the verification that they had.
        cap: Maximum number of facts that cross; 0 for no limit.
        trust: Confidence of an heir: `discounted` (`base * per_generation ** N`, at most the testator's),
            `compounding` (the testator's times that, at each death), `held` (the testator's), `certain` (1).
        base: Confidence at birth of a fact of generation 0.
        per_generation: Factor on it per generation.
        forgetting: Whether memories fade and are evicted.
        anti_knowledge: Whether a sprung trap leaves anti-knowledge.
        bloodstain: Whether anti-knowledge is recalled with the boost of bloodstains.
        danger_seats: Whether anti-knowledge about an offer takes a reserved seat among the entries read, as in recall.
        least_confidence: Confidence below which a fact stays behind; anti-knowledge always crosses.
        quota: Share of the cap for inherited facts whose situation never occurred; they cross at
            `base * per_generation ** N`, and tested ones that were not confirmed stay behind. 0 for no quota.
        shuffled: Whether the contents are shuffled among the venues (the placebo).
        quota_per_offer: Whether each offer has an equal share of the entries read.
        age_discount: e-folding time in ticks of the discount by age when read; 0 for none.
        replay: Policy of replay.
        novelty_gate: Whether trust falls with the heir's own prediction error on inherited entries.
        drift_discount: Whether confidence at birth falls with age at the rate of drift that the lineage observed.
        parents: Agents per generation whose testaments each heir merges.
    """

    facts: bool = True
    episodes: bool = False
    annotated: bool = True
    cap: int = 2_048
    trust: Literal["discounted", "compounding", "held", "certain"] = "discounted"
    base: float = 0.4
    per_generation: float = 0.85
    forgetting: bool = True
    anti_knowledge: bool = True
    bloodstain: bool = True
    danger_seats: bool = True
    least_confidence: float = 0.0
    quota: float = 0.0
    shuffled: bool = False
    quota_per_offer: bool = False
    age_discount: float = 0.0
    replay: Literal["prioritised", "uniform", "mattar_daw"] = "prioritised"
    novelty_gate: bool = False
    drift_discount: bool = False
    parents: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """One world, and the arms that live in it.

    Args:
        world: Settings that differ from the default world.
        arms: Names of arms; none for all.
        factor: Name of the one factor that is varied, for the report; empty for none.
    """

    world: World = field(default_factory=World)
    arms: tuple[str, ...] = ()
    factor: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Worlds, arms and number of seeds.

    Args:
        seeds: Number of seeds; seed `first_seed` and those after it.
        first_seed: First seed.
        arms: Arms by name.
        worlds: Worlds by name.
    """

    seeds: int = 30
    first_seed: int = 0
    arms: Mapping[str, Arm] = field(default_factory=dict)
    worlds: Mapping[str, Plan] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One arm in one world under one seed.

    Args:
        world: Name of the world.
        arm: Name of the arm.
        seed: Seed.
        world_json: Settings of the world, as the core reads them.
        arm_json: Settings of the arm, as the core reads them.
    """

    world: str
    arm: str
    seed: int
    world_json: str
    arm_json: str


def read(path: Path | None = None) -> Experiment:
    """Reads an experiment.

    Args:
        path: TOML file; None for the experiment that the package carries.

    Raises:
        ConfigError: The file cannot be read, is not TOML, or holds a setting that the simulation refuses.
    """
    try:
        if path is None:
            text = resources.files("bardo.simulate").joinpath(DEFAULT).read_text("utf-8")
        else:
            text = path.read_text("utf-8")
        tables = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path or DEFAULT}: {error}. Pass a TOML file in UTF-8") from error
    experiment = build(Experiment, tables, str(path or DEFAULT))
    check(experiment)
    return experiment


def check(experiment: Experiment) -> None:
    """Refuses an experiment that cannot run.

    Raises:
        ConfigError: No seed, no world, no arm, or an unknown arm.
    """
    if experiment.seeds < 1 or experiment.first_seed < 0:
        raise ConfigError(
            f"seeds is {experiment.seeds}, first_seed {experiment.first_seed}. Use at least 1 seed, from 0 on"
        )
    if not experiment.worlds or not experiment.arms:
        raise ConfigError("The experiment has no world or no arm. Add tables [worlds.NAME] and [arms.NAME]")
    for name, plan in experiment.worlds.items():
        for arm in plan.arms:
            if arm not in experiment.arms:
                known = ", ".join(experiment.arms)
                raise ConfigError(f"worlds.{name} names the unknown arm {arm!r}. Use one of: {known}")


def runs(experiment: Experiment) -> list[Run]:
    """Returns the runs of an experiment in the order of worlds, arms and seeds."""
    seeds = range(experiment.first_seed, experiment.first_seed + experiment.seeds)
    arms = {name: _arm_json(arm) for name, arm in experiment.arms.items()}
    found = []
    for name, plan in experiment.worlds.items():
        world = json.dumps(dataclasses.asdict(plan.world), sort_keys=True)
        found += [Run(name, arm, seed, world, arms[arm]) for arm in plan.arms or arms for seed in seeds]
    return found


def execute(run: Run) -> list[dict[str, Any]]:
    """Runs the generations of one arm; one record per generation (see `Measures` in `statistics`).

    Raises:
        InvalidInputError: The simulation refuses a setting.
    """
    records: list[dict[str, Any]] = json.loads(_core.simulate_lives(run.world_json, run.arm_json, run.seed))
    return records


def _arm_json(arm: Arm) -> str:
    fields = dataclasses.asdict(arm)
    return json.dumps(fields | {"cap": arm.cap or None}, sort_keys=True)
