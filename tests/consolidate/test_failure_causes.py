"""Severe failures lie beyond chance, those of one cause share a warning, and their words name its conditions."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.model import Episode, Fact
from bardo.ports import ManualClock

NOON = 1_772_712_000_000_000
VENUES, THINGS = ("Lumen", "Petrel", "Quorum"), ("ETH", "SAP", "Brent")


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def opened(folder: Path) -> bardo.Grimoire:
    settings = {"curator": {"texts": False, "batch": 16}, "clock": {"unit": "loops"}}
    return bardo.open(folder, embedder=flat, clock=ManualClock(NOON), seed=1, config=settings)


def stains(g: bardo.Grimoire) -> list[Fact]:
    return [fact for fact in g.facts.list(kind="warning") if fact.bloodstain]


def traded(tick: int, draws: random.Random) -> Episode:
    thing, venue, action = draws.choice(THINGS), draws.choice(VENUES), draws.choice(("long", "short"))
    pnl = round(draws.gauss(0.3, 1.0), 2)
    payload = {
        "funding": round(draws.uniform(-1, 1), 2), "spread": round(draws.uniform(0, 1), 2), "venue": venue,
        "regime": draws.choice(("calm", "stormy")), "action": action, "pnl": pnl,
    }  # fmt: skip
    return Episode(
        f"{action} {thing} on {venue}, pnl {pnl}", tick=tick, kind="trade", subjects=(thing,), payload=payload,
        verified=True,
    )  # fmt: skip


def failed(tick: int, text: str, subject: str, **payload: object) -> Episode:
    usual = {
        "funding": 0.1,
        "spread": 0.5,
        "venue": "Lumen",
        "regime": "calm",
        "action": "long",
        "pnl": -15.0,
    }
    return Episode(
        text, tick=tick, kind="trade", subjects=(subject,), payload={**usual, **payload}, verified=True
    )


def squeeze(tick: int, funding: float = 0.87) -> Episode:
    text = f"Brent squeeze: short while funding was {funding}, bought in at the high"
    return failed(tick, text, "Brent", funding=funding, venue="Quorum", action="short")


def outage(tick: int, thing: str) -> Episode:
    text = f"Quorum failed while we were in {thing}: the order was never filled and the margin is stuck"
    return failed(tick, text, thing, venue="Quorum", action=("long", "short")[tick % 2])


def life(count: int, seed: int = 1, *, special: dict[int, Episode] | None = None) -> list[Episode]:
    draws = random.Random(seed)
    return [(special or {}).get(tick) or traded(tick, draws) for tick in range(1, count + 1)]


def test_gaussian_outcomes_leave_hardly_a_bloodstain_in_lives_of_any_length(tmp_path: Path) -> None:
    found = 0
    for seed in range(20):
        with opened(tmp_path / str(seed)) as g:
            g.remember(life(100, seed))
            found += g.sleep().bloodstains
    with opened(tmp_path / "long") as g:
        g.remember(life(1_000, 99))
        found += g.sleep().bloodstains
    assert found <= 3, "one of 4,300 outcomes is expected to be one, of 2,400"


@pytest.mark.parametrize("step", [16, 1_000])
def test_two_disasters_among_a_thousand_outcomes_leave_two_warnings(tmp_path: Path, step: int) -> None:
    special = {400 + 3 * place: outage(400 + 3 * place, thing) for place, thing in enumerate(THINGS)}
    episodes = life(1_000, 7, special={**special, 800: squeeze(800)})
    with opened(tmp_path / "a") as g:
        for start in range(0, len(episodes), step):
            g.remember(episodes[start : start + step])
            g.sleep()
        warned = {str(fact.payload["condition"]): fact for fact in stains(g)}
    squeezed, outage_of = sorted(warned)
    assert re.fullmatch(r"funding >= 0\.[78]\d?", squeezed), "its regime and venue are chance"
    assert outage_of == "venue is Quorum"
    outages = warned[outage_of]
    assert (set(outages.subjects), len(outages.evidence)) == (set(THINGS), 3)
    assert warned[squeezed].payload["action"] == "action is short"


def test_failures_of_other_causes_or_of_another_time_have_warnings_of_their_own(tmp_path: Path) -> None:
    special = {300: outage(300, "ETH"), 303: squeeze(303), 420: outage(420, "SAP")}
    with opened(tmp_path / "a") as g:
        g.remember(life(500, 3, special=special))
        g.sleep()
        assert len(stains(g)) == 3


def test_a_warning_is_told_with_what_happened_wherever_its_condition_holds(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(life(400, 5, special={390: squeeze(390)}))
        g.sleep()
        (warning,) = stains(g)

        def told(**features: object) -> str:
            situation = {"actions": ["long", "short"], "subjects": ["Brent"], **features}
            prompt = g.context("Brent: long or short?", situation=situation)
            return prompt.text if warning.id in prompt.to_dict()["memories"] else ""

        assert "Brent squeeze: short while funding was 0.87" in told(
            funding=0.9, venue="Petrel", regime="stormy"
        )
        assert not told(funding=0.1, venue="Quorum", regime="calm")


def test_words_of_routine_name_no_condition(tmp_path: Path) -> None:
    text = "short Brent on Quorum, pnl -15.0"
    lost = failed(390, text, "Brent", funding=0.87, venue="Quorum", action="short")
    with opened(tmp_path / "a") as g:
        g.remember(life(400, 5, special={390: lost}))
        g.sleep()
        (warning,) = stains(g)
        assert warning.payload["condition"] == "regime is calm and venue is Quorum"
