"""The life of an open memory: spending, phases that set the budgets of prompts, events, crashes, and the command."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import bardo
from bardo.clock import MICROSECONDS, day_of
from bardo.errors import InvalidInputError
from bardo.index.embedding.embedders import function_embedder
from bardo.life.history import DECISIONS, History
from bardo.ports import ManualClock
from bardo.surfaces.cli.app import app

NOON = 1_772_712_000_000_000
CHILD = Path(__file__).with_name("living_child.py")
#: Tokens of a prompt: 100, 80, 70, 60 and 40 % of 3,200, less 500 for the answer.
BUDGETS = {"thriving": 2_700, "stable": 2_060, "conservation": 1_740, "declining": 1_420, "terminal": 780}


def flat(texts: list[str]) -> np.ndarray:
    return np.ones((len(texts), 4), dtype=np.float32)


def opened(folder: Path, **life: Any) -> bardo.Grimoire:
    settings = {
        "curator": {"texts": False},
        "clock": {"unit": "loops"},
        "life": life,
        "bequeath": {"entries": 1},
    }
    return bardo.open(
        folder,
        embedder=function_embedder(flat, name="flat"),
        clock=ManualClock(NOON),
        seed=1,
        config=settings,
    )


def live(g: bardo.Grimoire, values: list[float], **features: object) -> None:
    for value in values:
        g.remember(
            "outcome",
            tick=g.now_tick + 1,
            kind="outcome",
            payload={**features, "value": value},
            verified=True,
        )


def test_an_agent_without_budget_and_lifespan_is_not_mortal(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        live(g, [-1.0] * 20)
        found = g.life.vitality()
        assert (found.mortal, found.economic, found.stochastic) == (False, 1.0, 1.0)
        assert found.dying == ("epistemic",)
        prompt = g.context("What now?")
        assert prompt.window == BUDGETS["thriving"]
        assert "vitality" not in {block.name for block in prompt.blocks}
        assert g.stats()["life"] is None


@pytest.mark.parametrize(
    ("spent", "phase"),
    [
        (0, "thriving"),
        (35, "stable"),
        (55, "conservation"),
        (80, "declining"),
        (95, "terminal"),
        (100, "terminal"),
    ],
)
def test_a_phase_sets_the_budget_of_prompts_and_the_caller_overrides_it(
    tmp_path: Path, spent: float, phase: str
) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        g.remember("Gas doubles at noon", tick=1)
        g.life.spend(spent)
        prompt = g.context("When does gas double?")
        assert (g.life.vitality().phase, prompt.window) == (phase, BUDGETS[phase])
        assert f"Vitality {max(0, 98 - spent) / 98:.2f}, {phase}" in prompt.text
        assert g.context("When does gas double?", phase="thriving").window == BUDGETS["thriving"]


def test_a_contributor_is_told_the_phase_and_a_block_of_the_caller_stands_for_ours(tmp_path: Path) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        told = []
        g.prompts.contribute("mine", lambda situation: told.append(situation.phase))
        g.life.spend(60)
        prompt = g.context("What now?", blocks={"vitality": "all is well"})
        assert told == ["conservation"]
        assert "all is well" in prompt.text
        assert "Vitality 0.40" not in prompt.text
    with opened(tmp_path / "a", budget=100.0, in_context=False) as g:
        assert "Vitality" not in g.context("What now?").text


def test_a_change_of_phase_is_an_event_once_also_after_reopening(tmp_path: Path) -> None:
    seen: list[bardo.PhaseChange] = []
    with opened(tmp_path / "a", budget=100.0) as g:
        g.on(bardo.PhaseChange, seen.append)
        g.life.spend(10)
        assert not seen
        g.life.spend(30)
        g.life.spend(1)
        g.tick(5)
    with opened(tmp_path / "a", budget=100.0) as g:
        g.on(bardo.PhaseChange, seen.append)
        g.tick(6)
        g.sleep()
        live(g, [-1.0] * 9)
        g.outcome(g.context("What now?"), value=-1.0)
        g.life.earn(500)
        assert g.life.vitality().economic == 1.0
    assert [(change.before, change.after) for change in seen] == [
        ("thriving", "stable"), ("stable", "declining"), ("declining", "conservation")
    ]  # fmt: skip


def test_age_lowers_the_phase_and_an_old_agent_leaves_insights_that_are_less_sure(tmp_path: Path) -> None:
    crossed = {}
    for name, age in (("young", 500), ("old", 900)):
        with opened(tmp_path / name, lifespan_ticks=1_000) as g:
            g.remember("born", tick=1)
            g.tick(1 + age)
            assert g.life.vitality().hayflick_ratio == age / 1_000
            assert g.life.vitality().pushes_legacy == (name == "old")
            # One place: those above the threshold come first, then the most valuable.
            g.learn("Tea is served at four", confidence=0.65, importance=0.0, tick=1 + age)
            g.learn("Bridges settle within an hour", confidence=0.55, importance=1.0, tick=1 + age)
            g.bequeath(tmp_path / f"{name}.testament")
        heir = bardo.inherit(
            tmp_path / f"{name}.testament",
            tmp_path / f"heir {name}",
            embedder=function_embedder(flat, name="flat"),
        )
        with heir:
            crossed[name] = [fact.text for fact in heir.facts.list()]
    assert crossed == {"young": ["Tea is served at four"], "old": ["Bridges settle within an hour"]}


def test_a_life_begins_with_its_first_record_a_fact_as_well(tmp_path: Path) -> None:
    with opened(tmp_path / "agent", lifespan_ticks=1_000) as g:
        g.tick(40)
        assert g.life.vitality().age == 0
        g.learn("The mill opens at six")
        g.tick(940)
        assert (g.life.vitality().age, g.life.vitality().pushes_legacy) == (900, True)
        g.remember("the first episode")
        g.tick(960)
        assert g.life.vitality().age == 920


def test_the_clocks_of_a_dead_agent_stand_still_at_its_death(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    settings = {"life": {"budget": 10.0, "lifespan_ticks": 1_000}, "curator": {"texts": False}}
    open_ = partial(
        bardo.open, tmp_path / "a", embedder=function_embedder(flat, name="flat"), clock=clock, seed=1, config=settings
    )  # fmt: skip
    with open_() as g:
        g.remember("born")
        fact = g.learn("Gas doubles at noon", confidence=0.9)
        g.life.spend(4.0)
        clock.advance(500)
        before = g.life.vitality()
        g.bequeath(tmp_path / "a.testament", cause="economic")
        clock.advance(100_000)
        after = g.life.vitality()
        sure = g.facts.confidence(fact)
    assert before.age == 500
    (note,) = after.notes
    assert f"died on {day_of(before.tick * MICROSECONDS)} (economic)" in note
    clock.advance(100_000)
    with open_() as g:
        assert g.life.vitality() == after
        assert g.facts.confidence(fact) == sure
        assert g.recall("gas")[0].confidence == pytest.approx(sure)
    with bardo.visit(tmp_path / "a", clock=clock, embedder=function_embedder(flat, name="flat")) as visitor:
        assert (visitor.now_tick, visitor.facts.confidence(fact)) == (before.tick, sure)
    assert replace(after, notes=(), is_dead=False, affect=before.affect) == before


def test_an_heir_is_born_with_its_own_first_episode(tmp_path: Path) -> None:
    with opened(tmp_path / "elder", lifespan_ticks=1_000) as g:
        g.remember([f"read block {n}" for n in range(300)], tick=1, verified=True, importance=0.9)
        g.tick(700)
        g.bequeath(tmp_path / "elder.testament")
    settings = {"clock": {"unit": "loops"}, "life": {"lifespan_ticks": 1_000}}
    embedder = function_embedder(flat, name="flat")
    heir = bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir", embedder=embedder, config=settings)
    with heir:
        assert heir.life.vitality().age == 0
        heir.tick(5_000)
        heir.remember("read block 301")
        heir.tick(5_100)
        assert heir.life.vitality().age == 100


def test_a_marker_of_the_situation_is_told_in_the_prompt(tmp_path: Path) -> None:
    bear = {"regime": "bear", "subjects": ["ETH"], "actions": ["long"]}
    with opened(tmp_path / "a", budget=100.0) as g:
        g.remember("ETH fell", tick=1, subjects=["ETH"])
        for _ in range(3):
            g.outcome(g.context("Go long?", situation=bear), value=-0.8)
        marker = g.life.marker(bear)
        assert marker is not None
        assert (round(marker.value, 3), marker.outcomes) == (-0.8, 3)
        assert (
            "situations like this ended badly (-0.8, 3 outcomes)"
            in g.context("Go long?", situation=bear).text
        )
        assert g.life.marker({**bear, "regime": "bull"}) is None


def decide(g: bardo.Grimoire, action: str, value: float, **features: str) -> None:
    g.outcome(g.context("Now?", situation={**features, "actions": [action]}), value=value)


def test_a_known_danger_is_recognised_by_its_situation_and_action(tmp_path: Path) -> None:
    bear = {"regime": "bear", "actions": ["long", "short", "wait"]}
    with opened(tmp_path / "a") as g:
        for number in range(24):
            decide(g, ("short", "wait")[number % 2], -0.5 if number % 6 == 0 else 0.4, regime="bear")
        for number in range(7):
            decide(g, "long", -0.8 + number / 100, regime="bear")
        assert g.life.risks(bear) == [], "seven bad outcomes can be chance where one in six others is bad"
        for number in range(7):
            decide(g, "long", -0.7 + number / 100 if number else 0.1, regime="bear")
        (risk,) = g.life.risks(bear)
        assert (risk.action, risk.bad, risk.outcomes) == ("long", 13, 14)
        assert (risk.others_bad, risk.others) == (4, 24)
        told = "long ended badly 13 of 14 times in such a situation, other decisions 4 of 24 times"
        assert told in g.context("Now?", situation=bear).text
        assert g.life.risks({**bear, "regime": "bull"}) == []
        assert "ended badly" not in g.context("Now?", situation={**bear, "actions": ["short"]}).text
        shown = g.life.vitality()
        assert (shown.markers, shown.dangers) == (3, 1)
    with opened(tmp_path / "a") as g:
        assert g.life.risks(bear) == [risk]


@pytest.mark.parametrize("seed", range(3))
def test_outcomes_that_no_action_influences_are_no_risk(seed: int) -> None:
    draws, history = random.Random(seed), History()
    for number in range(1, 2_001):
        action = draws.choice(("drain", "restart", "scale out", "wait"))
        payload = {"region": draws.choice(("eu", "us")), "action": action, "value": draws.uniform(-1.0, 1.0)}
        outcome = bardo.Episode("Outcome", tick=number, kind="outcome", payload=payload, verified=True)
        history.add(number, outcome, ticks_per_day=100)
        assert not any(map(history.is_danger, history.markers.values()))


def test_the_latest_decision_is_cached_until_an_outcome_contradicts_it(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        assert g.life.decision({"regime": "bear"}) is None
        decide(g, "short", 0.5, regime="bear")
        found = g.life.decision({"regime": "bear", "actions": ["long", "short"]})
        assert found is not None
        assert (found.action, found.value) == ("short", 0.5)
        decide(g, "short", -0.5, regime="bear")
        assert g.life.decision({"regime": "bear"}) is None
        decide(g, "long", -0.5, regime="bear")
        latest = g.life.decision({"regime": "bear"})
        assert latest is not None
        assert latest.action == "long"


def test_a_cached_decision_ends_with_the_rule_that_it_rests_on(tmp_path: Path) -> None:
    now = {"regime": "bear", "actions": ["short"]}
    with opened(tmp_path / "a") as g:
        g.tick(5)
        rule = g.learn(bardo.Fact("Short in a bear market", kind="heuristic", confidence=0.9))
        g.outcome(g.context("Short in a bear market?", situation=now), value=0.5)
        found = g.life.decision(now)
        assert found is not None
        assert rule.id in found.memories
        g.facts.supersede(rule, "Wait in a bear market")
        assert g.life.decision(now) is None


def test_the_decision_cache_is_bounded_and_holds_no_text(tmp_path: Path) -> None:
    history = History()
    for number in range(DECISIONS + 5):
        payload = {"value": 0.5, "regime": f"regime {number}", "action": "short"}
        history.add(
            number,
            bardo.Episode("an outcome", kind="outcome", tick=number, payload=payload),
            ticks_per_day=10,
        )
    assert len(history.decisions) == DECISIONS
    assert "short" not in json.dumps(history.to_dict())
    assert History.from_dict(json.loads(json.dumps(history.to_dict()))) == history


def test_the_history_is_the_same_after_reopening_and_without_its_checkpoint(tmp_path: Path) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        live(g, [0.5, -0.25, 0.125] * 20, regime="bear")
        g.life.spend(60)
        found = g.life.vitality()
    for checkpoint in (None, "{}", "{broken"):
        with opened(tmp_path / "a", budget=100.0) as g:
            assert g.life.vitality() == found
        path = tmp_path / "a" / "life.json"
        assert path.exists()
        if checkpoint is None:
            path.unlink()
        else:
            path.write_text(checkpoint)
        with opened(tmp_path / "a", budget=100.0) as g:
            assert g.life.vitality() == found
            g.life.spend(0)


def test_a_forgotten_outcome_no_longer_counts(tmp_path: Path) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        live(g, [0.5] * 5, regime="bull")
        before = g.life.vitality()
        bad = g.remember(
            "a shock",
            tick=g.now_tick,
            kind="outcome",
            payload={"value": -1.0, "regime": "bear"},
            verified=True,
        )
        assert g.life.vitality().epistemic < before.epistemic
        g.life.spend(60)
        g.forget(bad, reason="a test")
        after = g.life.vitality()
        assert (after.epistemic, after.outcomes, after.affect) == (before.epistemic, 5, before.affect)
        assert g.life.marker({"regime": "bear"}) is None


@pytest.mark.parametrize("amount", [-1.0, float("nan"), float("inf"), "5", True])
def test_an_impossible_sum_is_refused(tmp_path: Path, amount: Any) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        with pytest.raises(InvalidInputError, match="amount"):
            g.life.spend(amount)
        assert g.life.vitality().left == 98.0


@pytest.mark.parametrize("kills", [3, 40, 120])
def test_what_was_spent_and_learned_survives_kill_9(tmp_path: Path, kills: int) -> None:
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(tmp_path / "a")], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    for _ in range(kills):
        line = child.stdout.readline()
    child.kill()
    rest = child.stdout.read().splitlines()
    child.wait()
    child.stdout.close()
    tick, left = (rest[-1] if rest and len(rest[-1].split()) == 2 else line).split()
    with opened(tmp_path / "a", budget=1_000.0, lifespan_ticks=100_000) as g:
        found = g.life.vitality()
        assert float(left) - 0.25 <= found.left <= float(left)
        assert int(tick) <= found.outcomes <= int(tick) + 1
    (tmp_path / "a" / "life.json").unlink(missing_ok=True)
    with opened(tmp_path / "a", budget=1_000.0, lifespan_ticks=100_000) as g:
        assert g.life.vitality() == found


def test_the_command_and_stats_show_the_vitality(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", config={"clock": {"unit": "loops"}}) as g:
        g.remember("Gas doubles at noon", tick=1)
    with (tmp_path / "a" / "bardo.toml").open("a") as settings:
        settings.write("\n[life]\nbudget = 10.0\n")
    run = CliRunner()
    shown = run.invoke(app, ["vitality", "--spend", "4", "--at", str(tmp_path / "a"), "--json"])
    assert shown.exit_code == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert (found["economic"], found["phase"], found["affect"]["label"]) == (5.7 / 9.7, "stable", "calm")
    told = run.invoke(app, ["vitality", "--at", str(tmp_path / "a")])
    assert "5.7 of 10 left" in told.stdout
    assert "0.3 for the death" in told.stdout
    counted = run.invoke(app, ["stats", "--at", str(tmp_path / "a"), "--json"])
    assert json.loads(counted.stdout)["life"]["value"] == 5.7 / 9.7
    assert (
        run.invoke(app, ["bequeath", str(tmp_path / "a.testament"), "--at", str(tmp_path / "a")]).exit_code
        == 0
    )
    dead = run.invoke(app, ["vitality", "--at", str(tmp_path / "a")])
    assert "the agent died at tick 1" in dead.stdout + dead.stderr


def test_a_budget_that_another_opening_does_not_know_is_noted(tmp_path):
    with bardo.open(tmp_path / "ann", config={"life": {"budget": 20.0}}) as ann:
        ann.remember("a first day")
        assert ann.life.vitality().notes == ()
    with bardo.open(tmp_path / "ann") as ann:
        ann.life.spend(7.5)
        found = ann.life.vitality()
        assert (found.budget_known, found.spent) == (False, 7.5)
        assert "life.budget" in found.notes[0]
    shown = CliRunner().invoke(app, ["vitality", "--at", str(tmp_path / "ann")]).stdout
    assert "thriving" not in shown
    assert "not mortal" not in shown
    assert "unknown, 7.5 spent" in shown


def test_the_command_tells_markers_and_warnings_apart(tmp_path):
    with bardo.open(tmp_path / "ann") as ann:
        ann.learn("Never load the lift beyond 300 kg", kind="anti_knowledge", subjects=["lift"])
        ann.learn("The lift stalls in frost", kind="warning", subjects=["lift"])
    shown = CliRunner().invoke(app, ["vitality", "--at", str(tmp_path / "ann")]).stdout
    assert "1 warning, 1 anti-knowledge" in shown
    assert "0 situations, 0 of them surely worse than others" in shown
    assert "pleasure +0.00, arousal +0.00, dominance +0.00" in shown


def test_a_dead_agent_whose_lifespan_its_program_set_is_shown_as_dead(tmp_path):
    clock = bardo.ManualClock(1_780_000_000_000_000)
    with bardo.open(tmp_path / "ann", clock=clock, config={"life": {"lifespan_ticks": 86_400}}) as ann:
        ann.remember("primed pump 3")
        clock.advance(90_000)
        ann.bequeath(tmp_path / "ann.testament", cause="old age")
    shown = CliRunner().invoke(app, ["vitality", "--at", str(tmp_path / "ann")])
    told = " ".join((shown.stdout + shown.stderr).split())
    assert "not mortal" not in told
    assert "phase terminal, then dead" in told
    assert "died on 29 May 2026 (old age)" in told


def test_a_lifespan_that_only_the_program_knows_is_measured_by_other_processes(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_780_000_000_000_000)
    with bardo.open(tmp_path / "ann", clock=clock, config={"life": {"lifespan_ticks": 100_000}}) as ann:
        ann.remember("primed pump 3")
        clock.advance(80_000)
        ann.remember("primed pump 4")
        known = ann.life.vitality()
    with bardo.open(tmp_path / "ann", clock=clock) as other:
        found = other.life.vitality()
        assert (found.lifespan, found.hayflick_ratio) == (100_000, known.hayflick_ratio)
        assert found.mortal
        assert found.phase == known.phase


def test_a_newborn_is_told_nothing_of_outcomes(tmp_path: Path) -> None:
    with opened(tmp_path / "a", budget=100.0) as g:
        g.remember("Gas doubles at noon", tick=1)
        prompt = g.context("When does gas double?")
        assert "Vitality" in prompt.text
        assert "good" not in prompt.text
        g.outcome(prompt, value=0.5)
        assert "outcomes 100% good" in g.context("When does gas double?").text
