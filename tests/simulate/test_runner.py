"""Sweeps give the same numbers on any number of workers, on Ray, and after an interruption."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bardo.errors import ConfigError, InvalidInputError, StoreError
from bardo.simulate import experiment as experiments
from bardo.simulate import runner
from bardo.simulate.experiment import Arm, Experiment, Plan, World

CHILD = Path(__file__).with_name("sweeping_child.py")
ARMS = {"none": Arm(facts=False), "testament": Arm(), "total_recall": Arm(episodes=True, cap=0, trust="held")}
TINY = Experiment(seeds=4, arms=ARMS, worlds={"default": Plan(World(generations=4, life_limit=120))})


def test_one_and_two_workers_give_the_same_file(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    results = runner.sweep(TINY, one, workers=1)
    assert runner.sweep(TINY, two, workers=2) == results
    assert one.read_bytes() == two.read_bytes()
    assert len(results) == 12
    assert len({result.generations[-1]["regret"] for result in results}) > 8


def test_two_workers_of_ray_give_the_same_file(tmp_path):
    pytest.importorskip("ray")
    here, there = tmp_path / "threads.jsonl", tmp_path / "ray.jsonl"
    runner.sweep(TINY, here, workers=2)
    runner.sweep(TINY, there, workers=2, ray=True)
    assert here.read_bytes() == there.read_bytes()


def test_killed_sweep_is_resumed_to_the_same_file(tmp_path):
    config = tmp_path / "experiment.toml"
    config.write_text("seeds = 40\n[arms.none]\nfacts = false\n[arms.testament]\n[worlds.default]\n", "utf-8")
    killed, whole = tmp_path / "killed.jsonl", tmp_path / "whole.jsonl"
    command = [sys.executable, str(CHILD), str(config), str(killed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        done = next(int(line) for line in child.stdout if int(line) >= 5)
        child.kill()
    kept = killed.read_bytes().count(b"\n")
    assert done <= kept < 80
    # A line that the kill cut off in the middle.
    with killed.open("ab") as file:
        file.write(b'{"world":"default","arm":"tes')
    first = []
    experiment = experiments.read(config)
    runner.sweep(experiment, killed, progress=lambda stage, done, total: first.append(done))
    assert first[0] == kept, "finished runs are not repeated"
    runner.sweep(experiment, whole)
    assert killed.read_bytes() == whole.read_bytes()


def test_results_of_other_settings_are_refused_and_kept(tmp_path):
    path = tmp_path / "results.jsonl"
    runner.sweep(TINY, path)
    before = path.read_bytes()
    other = Experiment(seeds=4, arms=ARMS | {"testament": Arm(base=0.9)}, worlds=TINY.worlds)
    with pytest.raises(ConfigError, match="other settings"):
        runner.sweep(other, path)
    assert path.read_bytes() == before


def test_file_that_holds_no_results_is_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps({"world": "default"}) + "\n")
    with pytest.raises(ConfigError, match="no result"):
        runner.sweep(TINY, path)


def test_incomplete_file_is_not_loaded(tmp_path):
    path = tmp_path / "results.jsonl"
    results = runner.sweep(TINY, path)
    assert runner.load(TINY, path) == results
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(ConfigError, match="lacks 1 of 12"):
        runner.load(TINY, path)


def test_unusable_workers_and_folders_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="workers"):
        runner.sweep(TINY, tmp_path / "results.jsonl", workers=0)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        runner.sweep(TINY, tmp_path / "file" / "results.jsonl")
