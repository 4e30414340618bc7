"""Rules and warnings in the words of a person, on pages, in prompts, and for an heir."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.bequeath.privacy.redact import Redactor
from bardo.consolidate.pages import incidents
from bardo.consolidate.pages.wording import Rule, is_unsurprising, plain
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from bardo.recall.rules import brief

RATES = "severe in 1 of 197 such cases and 5 of 603 others"
FAILURE = "Severe failure of SOL trade when action is long: pnl was 7 deviations below the median of 65 earlier cases"


def warning(verdict: str) -> Fact:
    payload = {
        "type": "heuristic", "condition": "symbol is SOL", "action": "action is long", "outcome": "pnl is lower",
        "n": 65, "effect": -7.0, "interval": (0.0, 0.0),
    }  # fmt: skip
    text = f"{FAILURE} ({RATES}{verdict}); gas was unusually high"
    return Fact(text, kind="warning", bloodstain=True, subjects=("SOL",), payload=payload)


@pytest.mark.parametrize(
    ("condition", "told", "expected"),
    [
        ("momentum >= 0.5 and side is long", (), "momentum is at least 0.5 and side is long"),
        ("subject is SOL and symbol is SOL", (), "symbol is SOL"),
        ("subject is SOL and volatility <= 0.3", ("SOL",), "volatility is at most 0.3"),
        ("subject is SOL", ("SOL",), "subject is SOL"),
        ("subject is ETH and symbol is SOL", (), "subject is ETH and symbol is SOL"),
    ],
)
def test_conditions_are_told_in_words_and_a_subject_once(
    condition: str, told: tuple[str, ...], expected: str
) -> None:
    assert plain(condition, told) == expected


def test_a_warning_states_no_rule() -> None:
    fact = warning("; not surely more often")
    assert Rule.of(fact) is None
    assert brief(fact) == fact.text


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("", False),
        ("; not surely more often", True),
        ("; not surely more often, on average higher", True),
        ("; not surely more often, on average lower", False),
        ("; surely more often", False),
        ("; on average lower", False),
    ],
)
def test_a_warning_without_a_difference_is_known_by_its_rates(verdict: str, expected: bool) -> None:
    assert is_unsurprising(warning(verdict)) is expected


def test_failure_rates_cross_to_an_heir_unredacted() -> None:
    fact = warning("; not surely more often")
    (told,) = incidents.in_words([fact], {})
    assert f"65 earlier cases ({RATES}; not surely more often); gas was unusually high" in told.text
    assert Redactor(personal=True).fact(told).text == told.text
    assert is_unsurprising(told)


def test_a_measured_rule_tells_its_effect_with_one_sign_and_its_subject_once(tmp_path: Path) -> None:
    def flat(texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 4), dtype=np.float32)

    draws = random.Random(1)
    settings = {"curator": {"texts": False}, "clock": {"unit": "loops"}}
    with bardo.open(
        tmp_path / "a", embedder=flat, clock=ManualClock(1_772_712_000_000_000), seed=1, config=settings
    ) as g:
        for tick in range(1, 1_025):
            symbol = draws.choice(("ETH", "SOL", "XMR"))
            payload = {
                "symbol": symbol, "cap": 19_000_000 + draws.randrange(9_000),
                "pnl": draws.gauss(-2.0 if symbol == "SOL" else 0.5, 1.0),
            }  # fmt: skip
            g.remember(
                Episode(
                    f"trade {tick}",
                    tick=tick,
                    kind="trade",
                    subjects=(symbol,),
                    payload=payload,
                    verified=True,
                )
            )
        g.sleep()
        texts = [fact.text for fact in g.facts.list(kind="heuristic", status=None)]
        (cap,) = [fact.text for fact in g.facts.list(kind="baseline") if fact.text.startswith("ETH.cap")]
    lower = [text for text in texts if "pnl is lower" in text]
    assert lower
    for text in lower:
        low, high = (float(end) for end in re.search(r"interval (\S+) to (\S+)\)", text).groups())
        assert 2.0 < low < high < 3.0
        assert text.count("SOL") <= 1
    assert "mean 190" in cap
    assert "e7" not in cap
