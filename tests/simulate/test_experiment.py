"""Experiments are read from TOML, and settings that describe no world are refused by name."""

import dataclasses
import json

import pytest

from bardo import _core
from bardo.errors import ConfigError, InvalidInputError
from bardo.simulate import experiment as experiments
from bardo.simulate.experiment import Arm, Experiment, Plan, World, execute, runs

SMALL = World(generations=3, life_limit=80)


def test_published_experiment_has_the_arms_and_the_number_of_seeds_it_promises():
    published = experiments.read()
    assert published.seeds >= 30
    assert all(plan.world.generations >= 16 for plan in published.worlds.values())
    assert {"none", "testament", "total_recall", "raw_log", "placebo", "clade_2"} <= set(published.arms)
    assert published.arms["placebo"] == dataclasses.replace(published.arms["testament"], shuffled=True)
    for losing in ("regimes_8", "offers_2", "turnover_2000"):
        assert {"quota", "novelty_gate", "drift_discount"} <= set(published.worlds[losing].arms)


def test_defaults_of_python_are_those_of_the_core():
    # The testament of the core is an arm without settings, and its world a world without settings.
    plain = json.loads(_core.simulate_lives('{"generations": 3, "life_limit": 80}', "{}", 4))
    [run] = runs(Experiment(seeds=1, first_seed=4, arms={"a": Arm()}, worlds={"w": Plan(SMALL)}))
    assert execute(run) == plain


def test_all_arms_see_the_same_world():
    arms = experiments.read().arms
    same = {
        name: execute(run)[0]
        for name, arm in arms.items()
        if arm.forgetting and arm.anti_knowledge and arm.bloodstain and arm.replay == "prioritised"
        for run in runs(Experiment(seeds=1, arms={name: arm}, worlds={"w": Plan(SMALL)}))
    }
    # Before anything crosses, agents that differ only in what crosses live the same life.
    assert len(same) > 15
    assert all(record == same["none"] for record in same.values()), same


def test_placebo_hands_over_as_many_bytes_as_a_testament():
    arms = {"testament": Arm(), "placebo": Arm(shuffled=True)}
    world = Plan(World(generations=2))
    testament, placebo = [
        execute(run)[1]["bytes"] for run in runs(Experiment(seeds=1, arms=arms, worlds={"w": world}))
    ]
    assert testament == placebo > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seeds = 0\n[arms.a]\n[worlds.w]\n", "seeds"),
        ("[arms.a]\n", "no world"),
        ("[arms.a]\nfact = true\n[worlds.w]\n", "facts"),
        ("[arms.a]\n[worlds.w]\narms = ['b']\n", "'b'"),
        ("[arms.a]\n[worlds.w.world]\ntraps = 'many'\n", "traps"),
        ("[arms.a]\ntrust = 'blind'\n[worlds.w]\n", "trust"),
        ("[arms.a\n", "cannot read"),
    ],
)
def test_unusable_experiment_is_refused(tmp_path, text, words):
    path = tmp_path / "experiment.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=words):
        experiments.read(path)


def test_missing_experiment_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml"):
        experiments.read(tmp_path / "none.toml")


@pytest.mark.parametrize("world", [World(traps=1.5), World(offers=0), World(dwell=-1.0), World(capital=0.0)])
def test_impossible_world_is_refused_by_the_core(world):
    [run] = runs(Experiment(seeds=1, arms={"a": Arm()}, worlds={"w": Plan(world)}))
    with pytest.raises(InvalidInputError, match="of the simulation is"):
        execute(run)
