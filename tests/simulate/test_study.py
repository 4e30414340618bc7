"""Statistics, criteria, report, plots and the command of a study."""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from typer.testing import CliRunner

from bardo.simulate.criteria import criteria
from bardo.simulate.runner import Result
from bardo.simulate.statistics import Table, bootstrap
from bardo.surfaces.cli.app import app

CONFIG = """
seeds = 5
[arms.none]
facts = false
[arms.testament]
[arms.total_recall]
episodes = true
cap = 0
trust = "held"
forgetting = false
[arms.raw_log]
facts = false
episodes = true
[arms.placebo]
shuffled = true
[worlds.default.world]
generations = 3
life_limit = 100
[worlds.drift.world]
generations = 3
life_limit = 100
p_redraw = 1.0
"""


def _result(arm, seed, lifetimes, size=0, world="default"):
    life = {
        "cause": "limit",
        "regret": 0.5,
        "recovery": None,
        "traps_sprung": 0,
        "relevant": 0.5,
        "inherited": 0,
    }
    return Result(world, arm, seed, "", tuple(life | {"lifetime": each, "bytes": size} for each in lifetimes))


def _table(lifetimes, sizes, world="default"):
    noise = (-3, 0, 3)
    return [
        _result(arm, seed, [9, each + 10 * seed + noise[(seed + place) % 3]], sizes.get(arm, 0), world)
        for place, (arm, each) in enumerate(lifetimes.items())
        for seed in range(9)
    ]


def test_bootstrap_interval_covers_the_mean_as_often_as_it_says():
    generator = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        low, high = bootstrap(generator.normal(2.0, 1.0, 30), resamples=1_000)
        covered += low <= 2.0 <= high
    assert 0.89 <= covered / 300 <= 0.98


def test_differences_are_paired_by_seed_and_leave_the_first_generation_out():
    table = Table.of(_table({"none": 100, "testament": 150}, {}))
    difference = table.compare("default", "testament", "none")
    assert difference.mean == pytest.approx(50.0, abs=0.1)
    # Seeds differ by up to 80 ticks; pairs by 6.
    assert 45 < difference.low < 50 < difference.high < 55
    assert difference.verdict == "more"
    assert table.mean("default", "none") == pytest.approx(140.0)
    table.compare("default", "testament", "none")
    assert len(table.compared) == 1


def test_a_single_seed_has_no_interval_and_makes_nothing_clear(tmp_path):
    low, high = bootstrap(np.array([50.0]))
    assert math.isnan(low)
    assert math.isnan(high)
    config = tmp_path / "experiment.toml"
    config.write_text(CONFIG, "utf-8")
    command = ["simulate", "--config", str(config), "--out", str(tmp_path / "out"), "--seeds", "1", "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert {(each["low"], each["high"]) for each in document["comparisons"]} == {(None, None)}
    assert any("[one seed: no interval]" in each["text"] for each in document["criteria"])
    judged = [each for each in document["criteria"] if "bytes handed over" not in each["text"]]
    assert {(each["holds"], each["verdict"]) for each in judged} == {(None, "one seed proves nothing")}
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "One seed has no interval" in text
    assert "bootstrap" not in text


def test_criteria_fail_where_the_figures_do_and_failures_lead():
    lifetimes = {"none": 100, "testament": 90, "total_recall": 120, "raw_log": 60, "placebo": 130}
    found = criteria(Table.of(_table(lifetimes, {"testament": 30, "total_recall": 100})))
    verdicts = {each.text.split(" =")[0].split(" are")[0]: each.holds for each in found}
    assert verdicts == {
        "default: testament - none": False,
        "default: testament - total_recall": False,
        "default: bytes handed over": False,
        "default: placebo - none": False,
        "default: testament - raw_log": True,
    }
    assert [each.holds for each in found] == sorted(each.holds for each in found)


def test_criteria_hold_where_the_figures_do():
    lifetimes = {"none": 100, "testament": 150, "total_recall": 140, "raw_log": 100, "placebo": 100}
    sizes = {"testament": 9, "total_recall": 100}
    rows = [row for world in ("default", "drift") for row in _table(lifetimes, sizes, world)]
    found = criteria(Table.of(rows))
    assert len(found) == 9
    assert all(each.holds for each in found)


def test_command_writes_results_report_and_plots(tmp_path):
    config = tmp_path / "experiment.toml"
    config.write_text(CONFIG, "utf-8")
    command = ["simulate", "--config", str(config), "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["runs"] == 50
    assert len(document["criteria"]) == 9
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert f"{len(document['comparisons'])} comparisons" in text
    assert "## World: drift" in text
    for plot in document["plots"]:
        assert ET.parse(plot).getroot().tag.endswith("svg")
    again = CliRunner().invoke(app, command)
    assert again.stdout == done.stdout


def test_command_reports_a_wrong_experiment_in_one_line(tmp_path):
    config = tmp_path / "experiment.toml"
    config.write_text("[arms.a]\n[worlds.w.world]\ntraps = 2.0\n", "utf-8")
    done = CliRunner().invoke(app, ["simulate", "--config", str(config), "--out", str(tmp_path / "out")])
    assert done.exit_code != 0
    assert "traps of the simulation is 2" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_tells_its_progress_where_stderr_is_no_terminal(tmp_path):
    config = tmp_path / "small.toml"
    config.write_text(CONFIG)
    done = CliRunner().invoke(
        app,
        ["simulate", "--config", str(config), "--out", str(tmp_path / "out"), "--seeds", "1", "--no-plots"],
    )
    assert done.exit_code == 0
    assert "simulate: 0 of 10" in done.stderr
    assert "simulate: 10 of 10" in done.stderr
    assert "simulate: " not in done.stdout
