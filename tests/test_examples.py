"""The demo on its real inputs: what a trader may know, three lives, a chat, a picture."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bardo
from bardo import examples
from bardo.bequeath.testament import testament
from bardo.errors import StoreUnavailableError
from bardo.examples import chat, lives, market, picture, trader, twins
from bardo.model import Fact
from bardo.surfaces.cli.app import app

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def closes() -> market.Closes:
    return market.load()


def test_the_data_is_what_the_credit_says(closes: market.Closes):
    assert (str(closes.dates[0]), str(closes.dates[-1]), len(closes.dates)) == (
        "1999-01-04",
        "2018-12-31",
        5031,
    )
    days = market.days(closes)
    assert len(days) == len(closes.dates) - market.WARM_UP_DAYS
    assert {day.regime for day in days} == set(market.REGIMES)
    assert all(math.isfinite(day.volatility) and 0 <= day.drawdown < 1 for day in days)
    # The VIX begins in 2014, and no number is made up for the years before.
    assert min(day.date.year for day in days if day.fear is not None) == 2014


@pytest.mark.parametrize("seen", [400, 1_700, 4_000])
def test_no_day_knows_its_future(closes: market.Closes, seen: int):
    rng = np.random.default_rng(seen)
    changed = dataclasses.replace(
        closes,
        **{
            name: np.concatenate(
                [getattr(closes, name)[:seen], rng.uniform(1, 9_999, len(closes.dates) - seen)]
            )
            for name in ("stocks", "nasdaq", "crude", "fear")
        },
    )
    known = seen - market.WARM_UP_DAYS
    assert market.days(closes)[:known] == market.days(changed)[:known]


def test_an_episode_files_the_move_under_the_regime_before_it(closes: market.Closes):
    day = market.days(closes, count=30)[-1]
    episode = trader.episode_of(day, 30)
    assert episode.subjects == (f"after {day.before}",)
    assert episode.payload[trader.TARGET] == day.returns[market.STOCKS]
    assert day.regime in episode.text
    assert "vix" not in episode.payload


def memory(fact: Fact, confidence: float, *, inherited: bool = False) -> bardo.Memory:
    return bardo.Memory(
        text=fact.text, id=fact.text, layer="fact", score=1.0, confidence=confidence, tick=0, at=0,
        source="testament" if inherited else "self", inherited=inherited, why=None, record=fact,
    )  # fmt: skip


def test_a_decision_leans_on_memories_as_far_as_they_are_sure():
    terms = trader.Terms()
    rule = Fact("r", kind="heuristic", payload={"type": "heuristic", "action": "stay out of stocks"})
    exposures = [trader.decide([memory(rule, sure)], terms).exposure for sure in (0.0, 0.3, 0.9)]
    assert exposures[0] == terms.habit
    assert exposures[0] > exposures[1] > exposures[2] > 0
    shared = trader.decide([memory(rule, 0.4, inherited=True), memory(rule, 0.4)], terms)
    assert shared.inherited_share == pytest.approx(0.4 / (0.8 + terms.habit_weight))
    assert trader.decide([memory(Fact("a mere insight"), 0.9)], terms) == trader.Decision(terms.habit)


def test_a_share_in_stocks_is_within_its_limits():
    terms = trader.Terms()
    assert trader.kelly(-0.01, 0.0001, 500, terms) == 0.0
    assert trader.kelly(0.05, 0.0001, 500, terms) == terms.most_exposure
    assert trader.kelly(0.0002, 0.0001, 10, terms) < trader.kelly(0.0002, 0.0001, 1_000, terms)


def test_the_transcript_is_long_and_in_order():
    turns = chat.transcript()
    assert len(turns) >= 40
    assert [turn["at"] for turn in turns] == sorted(turn["at"] for turn in turns)
    for expected in chat.QUESTIONS.values():
        assert any(expected in turn["content"] for turn in turns), expected


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, minilm: object) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("demo") / "out"
    result = CliRunner().invoke(app, ["demo", "--quick", "--json", "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    return out, json.loads(result.stdout)


def test_three_lives_end_and_cover_the_days(told: tuple[Path, dict]):
    _, report = told
    lives = report["lives"]
    assert [life["generation"] for life in lives] == [0, 1, 2]
    assert all(life["cause"] in {"economic", "end of term"} for life in lives)
    assert all(one["to"] < other["from"] for one, other in itertools.pairwise(lives))
    assert sum(life["days"] for life in lives) <= report["data"]["days"]
    for life in lives:
        assert life["curator"]["passes"] == life["days"] // 50 + 1
        assert life["reflection"].startswith("# ")


def test_heirs_recall_what_they_inherited_and_test_it(told: tuple[Path, dict]):
    _, report = told
    founder, *heirs = report["lives"]
    assert founder["inherited"] == []
    assert max(founder["inherited_share"]) == 0.0
    for heir in heirs:
        assert heir["inherited"]
        # Inherited facts took part in the first decision already.
        assert heir["inherited_share"][0] > 0
        assert heir["confirmed"] or heir["refuted"]
        fates = [heir[fate] for fate in ("confirmed", "refuted", "doubted", "never_tested")]
        assert sorted(text for fate in fates for text in fate) == sorted(heir["inherited"])
        recalled = heir["first_recollection"]["memories"]
        assert recalled
        assert all(memory["inherited"] and memory["source"] == "testament" for memory in recalled)
        assert all(memory["reason"] and memory["confidence"] < 0.5 for memory in recalled)


def test_a_twin_lives_the_days_of_its_heir_without_an_inheritance(told: tuple[Path, dict]):
    out, report = told
    founder, *heirs = report["lives"]
    assert founder["twin"] is None
    for heir in heirs:
        assert heir["twin"]["agent"] == f"{heir['agent']}-twin"
        assert heir["twin"]["days"] == heir["days"]
        assert heir["twin"]["wealth"] != heir["wealth"]
        with bardo.open(out / heir["twin"]["agent"], create=False) as grimoire:
            assert grimoire.lineage.generation == 0
            assert not grimoire.facts.list(source="testament", status=None)


def test_the_demo_says_whether_heirs_did_better_than_chance(told: tuple[Path, dict]):
    out, report = told
    compared = report["twins"]
    differences = [pair["heir"] - pair["twin"] for pair in compared["pairs"]]
    assert len(differences) == (1_140 - report["lives"][0]["days"]) // twins.PAIR_EVERY
    assert compared["mean_difference"] == pytest.approx(np.mean(differences), abs=1e-3)
    assert compared["ahead"] == sum(difference > 0 for difference in differences)
    low, high = compared["interval"]
    assert low <= compared["mean_difference"] <= high
    assert f"Over {len(differences)} start dates" in compared["words"]
    assert ("No more than chance" in compared["words"]) != compared["more_than_chance"]
    assert not (out / "pairs").exists()


def pairs_of(differences: np.ndarray) -> list[twins.Pair]:
    day = date(2001, 1, 1)
    return [twins.Pair(day, 63, 100.0 + float(difference), 100.0) for difference in differences]


def test_a_sign_test_has_the_probabilities_of_a_fair_coin():
    assert twins.sign_test(6, 0) == twins.sign_test(0, 6) == pytest.approx(2 / 64)
    assert twins.sign_test(9, 1) == pytest.approx(2 * 11 / 1_024)
    assert twins.sign_test(3, 3) == twins.sign_test(0, 0) == 1.0


def test_a_comparison_of_equals_is_seldom_more_than_chance():
    rng = np.random.default_rng(5)
    bold = [
        twins.Comparison.of(pairs_of(rng.normal(size=20)), seed=1).is_more_than_chance for _ in range(200)
    ]
    assert sum(bold) <= 16, "5 % of 200 are 10; 17 or more have a probability below .02"


def test_a_comparison_finds_a_help_and_a_harm():
    noise = np.random.default_rng(6).normal(size=25)
    for shift, words in ((1.5, "helped"), (-1.5, "harmed")):
        found = twins.Comparison.of(pairs_of(noise + shift), seed=1)
        assert found.is_more_than_chance
        assert words in found.finding
        assert found.interval[0] < found.mean < found.interval[1]
    few = twins.Comparison.of(pairs_of(np.full(5, 9.0)), seed=1)
    assert "Too few" in few.finding


def test_an_heir_beside_it_does_not_change_a_twin(closes: market.Closes, tmp_path: Path):
    days = market.days(closes, count=390)
    options = {"terms": trader.Terms(), "seed": 3, "embedder": letters}
    line = lives.live_and_die(days, tmp_path, **options, progress=lambda *_: None, tell=lambda _: None)
    (tmp_path / "alone").mkdir()
    alone = lives.live_and_die(
        line[1].days,
        tmp_path / "alone",
        **(options | {"seed": 4}),
        progress=lambda *_: None,
        tell=lambda _: None,
    )[0]
    twin = line[1].twin
    assert twin is not None
    assert twin.wealth[: len(alone.days)] == alone.wealth
    assert max(twin.inherited_share) == 0.0 < max(line[1].inherited_share)


def test_files_of_the_demo_match_its_report(told: tuple[Path, dict]):
    out, report = told
    for life in report["lives"]:
        left = testament.read(out / f"{life['agent']}.testament")
        assert (left.life.agent, left.life.cause) == (life["agent"], life["cause"])
        assert left.reflection == life["reflection"]
        with bardo.open(out / life["agent"], create=False) as grimoire:
            assert grimoire.lineage.is_dead
            days = [episode for episode in grimoire.episodes.list() if episode.kind == "trade"]
            assert len(days) == life["days"]
            # Every day but the last has an outcome.
            assert [day.verified for day in days] == [True] * (len(days) - 1) + [False]


def test_the_chat_is_captured_once_and_answers(told: tuple[Path, dict]):
    _, report = told
    spoken = report["chat"]
    assert spoken["turns"] >= 40
    assert spoken["captured_again"] == 0
    answered = [answer for answer in spoken["answers"] if answer["rank"]]
    assert len(answered) >= 5, [answer["query"] for answer in spoken["answers"] if not answer["rank"]]
    assert 0 < spoken["prompt"]["tokens"] <= chat.BUDGET - chat.RESERVE
    assert spoken["prompt"]["memories"] > 0


def test_the_picture_shows_something(told: tuple[Path, dict]):
    from matplotlib import image

    _, report = told
    assert Path(report["picture"]).read_bytes().startswith(PNG)
    pixels = image.imread(report["picture"])
    assert min(pixels.shape[:2]) > 900
    assert len(np.unique((pixels[..., :3] * 255).astype(np.uint8).reshape(-1, 3), axis=0)) > 100


def test_a_foreign_folder_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(StoreUnavailableError, match="--out"):
        examples.run(tmp_path, quick=True)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def letters(texts: list[str]) -> np.ndarray:
    """A small stand-in for a model, where a test is not about meaning: how often each letter occurs."""
    counts = np.array(
        [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
    )
    return counts + 0.01


def test_the_same_seed_and_days_give_the_same_lives(closes: market.Closes, tmp_path: Path):
    days = market.days(closes, count=360)
    runs, found = [], []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        runs.append(
            lives.live_and_die(
                days,
                tmp_path / name,
                terms=trader.Terms(),
                seed=3,
                embedder=letters,
                progress=lambda *_: None,
                tell=lambda _: None,
            )
        )
        compared = twins.compare(
            days, runs[-1], tmp_path / name, terms=trader.Terms(), seed=3, embedder=letters,
            progress=lambda *_: None,
        )  # fmt: skip
        found.append(compared)
        picture.draw(tmp_path / f"{name}.png", runs[-1], compared, terms=trader.Terms())
    assert found[0] == found[1]
    assert len(found[0].pairs) == 2
    for one, other in zip(*runs, strict=True):
        assert one.wealth == other.wealth
        assert one.curves == other.curves
        assert one.testament.reflection == other.testament.reflection
        assert one.testament.facts == other.testament.facts
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_poor_life_ends_early_and_leaves_a_bloodstain(closes: market.Closes, tmp_path: Path):
    terms = trader.Terms(living_cost_per_year=300.0)
    founder, heir, _ = lives.live_and_die(
        market.days(closes, count=400), tmp_path, terms=terms, seed=3, embedder=letters,
        progress=lambda *_: None, tell=lambda _: None,
    )  # fmt: skip
    assert (founder.cause, len(founder.days)) == ("economic", heir.first)
    assert founder.wealth[-1] <= terms.reserve
    assert any(fact.bloodstain for fact in founder.testament.facts)
    assert any(fact.bloodstain and "off my capital" in fact.text for fact in heir.inherited)
