"""Rules about the agent's own work keep their thresholds and their subject; rules of trade do not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.bequeath.content.rule_subjects import with_subjects
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.privacy.rule_bounds import Spreads
from bardo.consolidate.pages.wording import Rule
from bardo.model import Fact


def flat(texts: Sequence[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def _rule(condition: str, action: str, outcome: str, means: tuple[str, str] = ("0.82", "0.41")) -> Fact:
    when = " and ".join(filter(None, (condition, action)))
    text = (
        f"When {when}, {outcome} by 0.41 (95 % interval 0.3 to 0.5): {means[0]} on average in 165 cases, "
        f"{means[1]} in the other 76"
    )
    payload = {
        "type": "heuristic", "condition": condition, "action": action, "outcome": outcome, "n": 241,
        "effect": 0.41, "interval": (0.3, 0.5),
    }  # fmt: skip
    return Fact(text, kind="heuristic", payload=payload)


@pytest.mark.parametrize(
    ("condition", "action", "outcome"),
    [
        ("hour <= 14", "", "success is higher"),
        ("hour <= 14", "action is canary deploy", "success is higher"),
        ("weekday >= 5", "", "visitors is higher"),
        ("retries >= 3", "", "latency is higher"),
        ("diff_lines >= 400", "", "success is lower"),
    ],
)
def test_a_rule_about_work_keeps_its_threshold(condition: str, action: str, outcome: str) -> None:
    told = Redactor(personal=True).fact(_rule(condition, action, outcome))
    assert condition in told.text
    assert told.payload["condition"] == condition
    again = Redactor(personal=True).fact(told)
    assert (again.text, again.payload) == (told.text, told.payload)


@pytest.mark.parametrize(
    ("condition", "action", "outcome"),
    [
        ("hour <= 14", "action is buy", "pnl is higher"),
        ("hour <= 14 and momentum >= 0.5", "", "pnl is higher"),
        ("hour <= 14 and spread >= 0.3", "", "success is lower"),
        ("gas >= 68.3", "", "success is lower"),
    ],
)
def test_a_rule_of_trade_loses_its_thresholds(condition: str, action: str, outcome: str) -> None:
    told = Redactor(personal=True).fact(_rule(condition, action, outcome))
    assert not any(figure in f"{told.text}{told.payload}" for figure in ("14", "0.5", "0.3", "68.3"))


@pytest.mark.parametrize(
    ("spread", "condition", "coarse"),
    [
        (0.57, "momentum >= 0.54", "momentum >= 0.5"),
        (20.0, "gas <= 68.3 and regime is calm", "gas <= 70 and regime is calm"),
        (1_200.0, "lag >= 4321", "lag >= 4400"),
        (0.0, "momentum >= 0.54", "momentum is high"),
        (9.0, "balance >= 412", "balance is high"),
    ],
)
def test_a_rule_of_trade_has_a_coarse_bound_in_its_data(spread: float, condition: str, coarse: str) -> None:
    path = condition.split(maxsplit=1)[0]
    payload = {"type": "baseline", "metric": path, "n": 90, "mean": 0.0, "variance": spread**2}
    spreads = Spreads.of([Fact(f"ETH.{path}", kind="baseline", payload=payload)])
    told = Redactor(personal=True, spreads=spreads).fact(_rule(condition, "action is long", "pnl is higher"))
    bound = condition.split()[2]
    assert told.payload["condition"] == coarse
    assert bound not in told.text
    assert " is high" in told.text or " is low" in told.text


def test_the_bound_of_an_inherited_rule_stays_as_it_came() -> None:
    came = replace(_rule("momentum >= 0.5", "action is long", "pnl is higher"), generation=1)
    assert Redactor(personal=True).fact(came).payload["condition"] == "momentum >= 0.5"


def test_an_inherited_rule_is_told_where_it_holds(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_770_000_000_000_000)
    draws = random.Random(4)
    settings = {"curator": {"texts": False}}
    with bardo.open(tmp_path / "ann", embedder=flat, clock=clock, config=settings, seed=1) as g:
        for _ in range(6):
            for _ in range(128):
                momentum, action = round(draws.uniform(-1, 1), 2), draws.choice(("long", "short"))
                pnl = draws.gauss(0, 0.5) + 2.0 * (momentum >= 0.5 and action == "long")
                g.remember(
                    f"{action}", kind="trade", subjects=["ETH"], verified=True,
                    payload={"momentum": momentum, "action": action, "pnl": pnl},
                )  # fmt: skip
                clock.advance(600)
            g.sleep()
        (rule,) = [
            one for one in g.facts.list(kind="heuristic") if "momentum >=" in str(one.payload["condition"])
        ]
        g.bequeath(tmp_path / "ann.testament")
    heir = bardo.inherit(
        tmp_path / "ann.testament", tmp_path / "ben", embedder=flat, clock=clock, config=settings, seed=2
    )
    with heir:
        came = heir.facts.get(rule.id)
        assert "momentum is high" in came.text
        for momentum, holds in ((0.1, False), (0.9, True)):
            situation = {"momentum": momentum, "actions": ["long", "short"], "subjects": ["ETH"]}
            prompt = heir.context("ETH: long or short?", situation=situation)
            assert (came.id in prompt.to_dict()["memories"]) is holds


def test_a_rule_names_what_all_its_decisions_were_about(tmp_path: Path) -> None:
    rule = _rule("hour <= 14", "", "success is higher")
    with bardo.open(tmp_path / "g", agent="elder") as g:
        one = g.remember("Deployed at 9", subjects=["staging deploy", "ann"])
        other = g.remember("Deployed at 10", subjects=["staging deploy"])
        log = g._session.log
        ids = (one.id, other.id)
        (named,) = with_subjects([Fact(rule.text, kind="heuristic", payload=rule.payload, evidence=ids)], log)
        third = g.remember("Baked bread", subjects=["bread"]).id
        mixed = Fact(rule.text, kind="heuristic", payload=rule.payload, evidence=(*ids, third))
        assert with_subjects([mixed], log)[0].subjects == ()
    assert named.subjects == ("staging deploy",)
    told = Redactor(personal=True).fact(named).text
    assert told == "When hour <= 14, success is higher (in 165 of 241 cases of staging deploy)"


def test_the_evidence_of_a_share_is_told_as_shares() -> None:
    success = _rule("hour <= 14", "", "success is higher")
    rule = Rule.of(success)
    assert rule is not None
    assert rule.evidence(success, "elder") == "82 % of 165 decisions, else 41 % of 76"
    for other in (
        _rule("hour <= 14", "", "latency is lower"),
        _rule("hour <= 14", "", "success is higher", ("8", "4")),
    ):
        told = Rule.of(other)
        assert told is not None
        assert told.evidence(other, "elder") == "holds in 165 of 241 decisions"
