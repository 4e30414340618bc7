"""The reserve of a death: set aside at birth, spent on nothing else, so that an empty purse still leaves warnings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo.errors import ConfigError
from bardo.index.embedding.embedders import function_embedder
from bardo.life.clocks import reserve_of
from bardo.ports import Completion, ManualClock, Message, Usage

NOON = 1_772_712_000_000_000
#: Tokens of a call of the model, and their price: 1,000 tokens cost .10.
SPENT, PRICE = Usage(900, 100), 100.0


class Priced:
    """Model of the caller's own that finds no facts, and counts its calls."""

    model = "priced"

    def __init__(self) -> None:
        self.calls = 0
        self.asked: list[str] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        self.calls += 1
        self.asked.append(json.dumps(messages, default=str))
        return Completion(json.dumps({"facts": []}), SPENT)


def apart(texts: list[str]) -> np.ndarray:
    """Vectors of different texts have different directions."""
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=16) for text in texts])


def opened(folder: Path, llm: Any = None, **life: Any) -> bardo.Grimoire:
    settings = {
        "curator": {"texts": llm is not None, "language": "", "batch": 4},
        "clock": {"unit": "loops"},
        "life": {"budget": 10.0, **life},
        "llm": {"answer_tokens": 100, "prices": {"priced": {"input": PRICE, "output": PRICE}}},
    }
    return bardo.open(
        folder,
        embedder=function_embedder(apart, name="apart"),
        clock=ManualClock(NOON),
        config=settings,
        llm=llm,
    )


def talk(g: bardo.Grimoire, turns: int) -> None:
    for number in range(turns):
        g.remember(f"I moved to Bergen in spring {number}", tick=g.now_tick + 1, speaker="Ada", verified=True)


@pytest.mark.parametrize(("budget", "reserve"), [(0.0, 0.0), (1.0, 0.30), (15.0, 0.30), (100.0, 2.0)])
def test_a_reserve_is_two_percent_of_the_budget_or_thirty_cents(budget: float, reserve: float) -> None:
    assert reserve_of(budget, 0.30) == pytest.approx(reserve)


def test_the_reserve_is_no_part_of_what_can_be_spent(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        born = g.life.vitality()
        assert (born.economic, born.left, born.reserve) == (1.0, 9.7, 0.3)
        assert g.life.spend(9.6).dying == ()
        broke = g.life.spend(0.1)
        assert (broke.economic, broke.left, broke.reserve) == (0.0, 0.0, 0.3)
        assert broke.dying == ("economic",)
        assert g.life.spend(5.0).reserve == 0.3, "a debt does not touch the reserve"
        assert g.life.earn(6.0).left == pytest.approx(1.0)


def test_the_reserve_of_birth_outlives_changes_of_the_settings(tmp_path: Path) -> None:
    opened(tmp_path / "a").close()
    for changed in ({"least_reserve": 0.0}, {"least_reserve": 5.0}, {"budget": 1_000.0}):
        with opened(tmp_path / "a", **changed) as g:
            found = g.life.vitality()
            assert (found.reserve, found.left) == (0.3, pytest.approx(found.budget - 0.3))
    with opened(tmp_path / "a", budget=0.2) as g:
        assert g.life.vitality().dying == ("economic",)


def test_a_budget_that_the_reserve_would_eat_up_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="least_reserve"):
        opened(tmp_path / "a", budget=0.3)
    with opened(tmp_path / "a", budget=0.3, least_reserve=0.0) as g:
        assert g.life.vitality().left == pytest.approx(0.3 * 0.98)


def test_a_death_with_an_empty_purse_leaves_warnings_anti_knowledge_and_bloodstains(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.learn("Bridges fail on weekends", kind="warning", confidence=0.2)
        g.learn("Never chase a falling pool", kind="anti_knowledge", confidence=0.2)
        g.learn(bardo.Fact("The oracle ruined us", kind="warning", bloodstain=True, confidence=0.3))
        g.life.spend(1_000.0)
        assert g.life.vitality().left == 0.0
        left = g.bequeath(tmp_path / "left", cause="economic")
    crossed = {fact.text: fact for fact in left.facts}
    assert set(crossed) == {"Bridges fail on weekends", "Never chase a falling pool", "The oracle ruined us"}
    assert crossed["The oracle ruined us"].bloodstain
    assert "Bloodstain: The oracle ruined us" in left.reflection


def test_calls_of_a_model_are_spent_from_the_budget_and_never_from_the_reserve(tmp_path: Path) -> None:
    model = Priced()
    with opened(tmp_path / "a", model, budget=1.0, llm_costs=True) as g:
        talk(g, 1)
        g.sleep()
        assert model.calls == 1
        assert g.life.vitality().left == pytest.approx(0.6)
        g.life.spend(0.59)
        talk(g, 1)
        report = g.sleep()
        assert model.calls == 1
        assert any("may spend 0.01" in note for note in report.notes)
        found = g.life.vitality()
        assert (found.left, found.reserve) == (pytest.approx(0.01), 0.3)


def test_the_last_consolidation_draws_on_the_reserve_and_no_further(tmp_path: Path) -> None:
    model = Priced()
    with opened(tmp_path / "a", model, budget=1.0, llm_costs=True) as g:
        g.life.spend(0.7)
        talk(g, 40)
        g.bequeath(tmp_path / "left", cause="economic")
        found = g.life.vitality()
        assert 1 <= model.calls <= 3, "the reserve pays for three calls"
        assert found.reserve == pytest.approx(0.3 - 0.1 * model.calls)
        assert found.left == 0.0


def test_the_purse_of_a_death_is_spent_on_what_was_said_once(tmp_path: Path) -> None:
    """The model reads a few of 162 texts before the reserve is spent: first those without another copy."""
    model = Priced()
    once = [
        "Nobody knows who holds the second key of vault AX-7731",
        "Harbour dues go to account QT-5560 since May",
    ]
    with opened(tmp_path / "a", model, budget=1.0, llm_costs=True) as g:
        g.life.spend(0.7)
        talk(g, 160)
        for text in once:
            g.remember(text, tick=g.now_tick + 1, speaker="Ada", verified=True)
        g.bequeath(tmp_path / "left", cause="economic")
    assert 1 <= model.calls <= 3
    assert "spring 159" not in "".join(model.asked), "the purse ends before the texts do"
    assert all(text in model.asked[0] for text in once)


def test_a_model_without_a_price_cannot_be_paid_from_the_budget(tmp_path: Path) -> None:
    model = Priced()
    model.model = "other"
    with opened(tmp_path / "a", model, llm_costs=True) as g:
        talk(g, 1)
        with pytest.raises(ConfigError, match="lacks 'other'"):
            g.sleep()
    with opened(tmp_path / "b", model) as g:
        talk(g, 1)
        g.sleep()
        assert g.life.vitality().left == 9.7
