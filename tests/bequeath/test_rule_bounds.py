"""Rules about the agent's own work keep their thresholds and their subject; rules of trade do not."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.bequeath.content.rule_subjects import with_subjects
from bardo.bequeath.privacy.redact import Redactor
from bardo.consolidate.pages.wording import Rule
from bardo.model import Fact


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
