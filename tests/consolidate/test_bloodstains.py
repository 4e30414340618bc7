"""Bloodstains: a severe failure, by the agent's own outcomes, becomes a warning with its conditions, once."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.consolidate.pages.wording import is_unsurprising
from bardo.model import Episode, Fact
from bardo.ports import ManualClock

NOON = 1_772_712_000_000_000
#: Smallest number of earlier outcomes that a severe one is compared with.
LEAST = 30
RATES = re.compile(r"severe in (\d+) of (\d+) such cases and (\d+) of (\d+) others")


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def opened(folder: Path) -> bardo.Grimoire:
    settings = {"curator": {"texts": False, "batch": 16}, "clock": {"unit": "loops"}}
    return bardo.open(folder, embedder=flat, clock=ManualClock(NOON), seed=1, config=settings)


def trade(tick: int, pnl: float, **payload: object) -> Episode:
    return Episode(
        f"trade {tick}",
        tick=tick,
        kind="trade",
        subjects=("ETH",),
        payload={**payload, "pnl": pnl},
        verified=True,
    )


def trades(outcomes: Sequence[float], **payload: object) -> list[Episode]:
    return [trade(tick, pnl, **payload) for tick, pnl in enumerate(outcomes, 1)]


def noise(count: int, seed: int = 1) -> list[float]:
    draws = random.Random(seed)
    return [draws.gauss(0.2, 1.0) for _ in range(count)]


def stains(g: bardo.Grimoire) -> list[Fact]:
    return [fact for fact in g.facts.list(kind="warning") if fact.bloodstain]


def disaster(tick: int) -> Episode:
    return Episode(
        "Held through the oracle halt", tick=tick, kind="trade", subjects=("ETH",), verified=True,
        payload={"regime": "bear", "action": "long", "gas": 900.0, "pnl": -40.0},
    )  # fmt: skip


def lived(draws: random.Random, count: int) -> list[Episode]:
    return [
        trade(
            tick, draws.gauss(0.2, 1.0), regime=draws.choice(("bull", "bear")), action=draws.choice(("long", "short")),
            gas=draws.gauss(30.0, 5.0),
        )
        for tick in range(1, count + 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "stream",
    [
        [-1.0] * 200,
        [0.5] * 100 + [-0.5] * 100,
        [1.0, -1.0] * 100,
        [-float(n) for n in range(200)],
        [math.sin(n / 7) for n in range(200)],
        [3.0] * 199 + [-3.0],
    ],
    ids=["constant", "step", "alternating", "ramp", "wave", "one loss without a scale"],
)
def test_a_stream_without_noise_leaves_no_bloodstain(tmp_path: Path, stream: list[float]) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(trades(stream))
        assert g.sleep().bloodstains == 0
        assert not stains(g)


@pytest.mark.parametrize(("earlier", "count"), [(LEAST - 1, 0), (LEAST, 1)])
def test_a_severe_failure_needs_thirty_earlier_outcomes(tmp_path: Path, earlier: int, count: int) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*trades(noise(earlier)), trade(earlier + 1, -1_000.0)])
        assert g.sleep().bloodstains == count


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_gaussian_noise_leaves_a_bloodstain_in_at_most_one_of_five_hundred_outcomes(
    tmp_path: Path, scale: float
) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(trades([scale * pnl for pnl in noise(4_000, seed=7)]))
        assert g.sleep().bloodstains <= 8


def test_outcomes_of_any_distribution_leave_one_in_a_hundred_at_most(tmp_path: Path) -> None:
    draws = random.Random(3)
    with opened(tmp_path / "a") as g:
        # Heavy tails: without the limit on the share, every tenth outcome would be an outlier.
        g.remember(trades([-(draws.paretovariate(0.7)) for _ in range(3_000)]))
        assert 0 < g.sleep().bloodstains <= 45


def test_a_severe_failure_is_seen_where_most_outcomes_are_zero(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(
            [*trades([pnl if n % 3 == 0 else 0.0 for n, pnl in enumerate(noise(100))]), trade(101, -30.0)]
        )
        assert g.sleep().bloodstains >= 1
        assert '"trade 101"' in stains(g)[-1].text


def test_a_gain_and_the_outcome_of_another_kind_leave_none(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(trades(noise(100)))
        g.sleep()
        g.remember(trade(101, 1_000.0))
        g.remember(
            "a reading", tick=102, kind="reading", subjects=["ETH"], payload={"value": -90.0}, verified=True
        )
        assert g.sleep().bloodstains == 0


def test_a_severe_failure_becomes_a_warning_with_its_conditions_once(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(lived(random.Random(1), 120))
        episode = g.remember(disaster(121))
        report = g.sleep()
        assert report.bloodstains == 1
        (fact,) = stains(g)
        assert (fact.kind, fact.status, fact.evidence, fact.subjects) == (
            "warning",
            "active",
            (episode.id,),
            ("ETH",),
        )
        assert (fact.payload["condition"], fact.payload["action"]) == ("regime is bear", "action is long")
        assert (fact.payload["outcome"], fact.payload["n"]) == ("pnl is lower", 120)
        assert fact.text.endswith(
            "deviations below the median of 120 earlier cases (severe in 1 of 38 such cases and 0 of 83 others; not "
            "surely more often); gas was unusually high"
        )
        assert "oracle" not in fact.text, (
            "an episode that later failures share the warning with is not quoted"
        )
        assert "40" not in fact.text.replace("earlier", ""), "the sum that was lost is not told"
        g.sleep()
        assert len(stains(g)) == 1
    with opened(tmp_path / "a") as g:
        g.sleep()
        assert [each.id for each in stains(g)] == [fact.id]


def test_a_pass_that_wrote_a_bloodstain_can_be_undone_for_good(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        acts = g.sleep().acts
        (fact,) = stains(g)
        (act,) = [each for each in g.journal.list() if any(change.fact == fact.id for change in each.changes)]
        assert act.number in acts
        g.journal.undo(act)
        assert not stains(g)
        g.sleep()
        assert not stains(g)


def test_a_rehearsal_tells_of_a_bloodstain_and_writes_none(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        changes = g.sleep(dry_run=True).changes
        assert sum(change.after.bloodstain for change in changes) == 1
        assert not stains(g)


def test_a_failure_under_the_same_conditions_confirms_the_warning(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 200), disaster(201)])
        g.sleep()
        (before,) = stains(g)
        again = g.remember(disaster(400))
        assert g.sleep().bloodstains == 1
        (after,) = stains(g)
        assert (after.id, after.support) == (before.id, 2)
        assert again.id in after.evidence
        assert g.facts.confidence(after) > before.confidence * 0.9


@pytest.mark.parametrize("again", [False, True])
def test_a_forgotten_failure_leaves_no_trace_in_a_warning(tmp_path: Path, again: bool) -> None:
    with opened(tmp_path / "a") as g:
        first = g.remember([*lived(random.Random(1), 200), disaster(201)])[-1]
        g.sleep()
        if again:
            g.remember(dataclasses.replace(disaster(400), text="Held through another halt"))
            g.sleep()
        (before,) = stains(g)
        report = g.forget(first, reason="asked to")
        assert stains(g) == ([] if not again else [fact for fact in stains(g) if fact.id == before.id])
        assert (before.id in report.facts) is not again
        assert all(first.id not in fact.evidence for fact in stains(g))


def test_the_size_of_batches_changes_nothing(tmp_path: Path) -> None:
    episodes = [*lived(random.Random(5), 700), disaster(701)]
    found = []
    for name, step in (("whole", len(episodes)), ("parts", 50)):
        with opened(tmp_path / name) as g:
            for start in range(0, len(episodes), step):
                g.remember(episodes[start : start + step])
                g.sleep()
            found.append([(fact.text, fact.payload) for fact in stains(g)])
    assert found[0] == found[1] != []


def test_a_bloodstain_reaches_prompts_where_its_conditions_hold(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        g.sleep()
        (fact,) = stains(g)

        def told(regime: str) -> bool:
            situation = {"regime": regime, "actions": ["long", "short"]}
            return fact.id in g.context("What to do now?", situation=situation).to_dict()["memories"]

        assert told("bear")
        assert not told("bull"), "the condition does not hold"


@pytest.mark.parametrize(
    ("situation", "is_known"),
    [
        ({"regime": "bear", "action": "long"}, True),
        ({"regime": "Bear", "actions": ["short", "Long"]}, True),
        ({"regime": "bull", "action": "long"}, False),
        ({"regime": "bear", "actions": ["short"]}, False),
        ({"regime": "bear"}, False),
        ({}, False),
    ],
)
def test_a_known_danger_is_recognised_without_a_search(
    tmp_path: Path, situation: dict[str, object], is_known: bool
) -> None:
    with opened(tmp_path / "a") as g:
        g.learn("Never go long in a bear market", kind="warning")
        assert g.life.dangers(situation) == []
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        g.sleep()
        assert g.life.dangers(situation) == (stains(g) if is_known else [])


def test_an_outcome_tells_the_situation_and_the_memories_of_its_prompt(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        known = g.learn("Bridges settle within an hour", kind="heuristic", subjects=["bridge"])
        draws = random.Random(2)
        for tick in range(1, 60):
            situation = {"regime": "calm", "subjects": ["bridge"], "actions": ["send"]}
            prompt = g.context("Is the bridge settled within an hour?", situation=situation)
            g.outcome(prompt, value=draws.uniform(0.2, 0.4))
            g.tick(tick)
        g.outcome(prompt, value=-1.0, note="The bridge was drained")
        g.sleep()
        (fact,) = stains(g)
        assert fact.subjects == ("bridge",)
        assert (fact.payload["condition"], fact.payload["action"]) == ("regime is calm", "action is send")
        assert known.id in {link.dst for link in g.facts.links(fact) if link.relation == "see_also"}


def test_a_bloodstain_crosses_in_a_testament_as_one(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        testament = g.bequeath(tmp_path / "a.testament")
    assert "Bloodstain: " in testament.reflection
    heir = bardo.inherit(
        tmp_path / "a.testament", tmp_path / "heir", embedder=flat, clock=ManualClock(NOON), seed=2
    )
    with heir:
        (fact,) = stains(heir)
        assert (fact.generation, fact.payload["condition"]) == (1, "regime is bear")
        situation = {"regime": "bear", "actions": ["long"]}
        assert fact.id in heir.context("What to do now?", situation=situation).to_dict()["memories"]


def decisions(first: int, count: int, *, draws: random.Random, fails: str = "") -> list[Episode]:
    """Trades in two regimes; going long in one of them ends badly one time in forty."""
    found = []
    for tick in range(first, first + count):
        regime, action = draws.choice(("bull", "bear")), draws.choice(("long", "short"))
        is_bad = (regime, action) == (fails, "long") and draws.random() < 0.025
        found.append(trade(tick, -40.0 if is_bad else draws.gauss(0.2, 1.0), regime=regime, action=action))
    return found


def test_a_warning_says_how_rare_its_failure_is_as_decisions_go_on(tmp_path: Path) -> None:
    found = []
    for name, step in (("whole", 1_000), ("parts", 40)):
        episodes = [
            *lived(random.Random(1), 120),
            disaster(121),
            *decisions(122, 600, draws=random.Random(2)),
        ]
        with opened(tmp_path / name) as g:
            for start in range(0, len(episodes), step):
                g.remember(episodes[start : start + step])
                g.sleep()
            found.append([fact.text for fact in stains(g) if fact.payload["action"] == "action is long"])
            assert len(g.facts.history(stains(g)[0])) < 20, "a text that changes is embedded again"
    assert found[0] == found[1], "for any size of batches"
    (told,) = [text for text in found[0] if "regime is bear" in text]
    cases = sum(each.payload["regime"] == "bear" and each.payload["action"] == "long" for each in episodes)
    failed, counted, _, others = (int(number) for number in RATES.search(told).groups())
    assert failed == 1
    assert cases * 0.8 <= counted <= cases
    assert counted < others <= len(episodes) - cases
    assert "not surely more often" in told


def test_a_condition_under_which_failures_come_more_often_is_told_as_one(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember(decisions(1, 2_000, draws=random.Random(4), fails="bear"))
        g.sleep()
        (told,) = [fact.text for fact in stains(g) if "regime is bear and action is long" in fact.text]
        assert "; surely more often" in told


@pytest.mark.parametrize("seed", [1, 2])
def test_no_condition_of_a_failure_on_noise_is_said_to_matter(tmp_path: Path, seed: int) -> None:
    draws = random.Random(seed)
    with opened(tmp_path / "a") as g:
        for start in range(0, 3_000, 500):
            # Heavy tails, and twelve sorts of decision without any difference.
            g.remember(
                trade(
                    tick, draws.expovariate(1.0) - draws.expovariate(1.0), venue=draws.choice("abc"),
                    regime=draws.choice(("bull", "bear")), action=draws.choice(("long", "short")),
                )
                for tick in range(start + 1, start + 501)
            )  # fmt: skip
            g.sleep()
        assert len(stains(g)) >= 6
        assert all(is_unsurprising(fact) for fact in stains(g))


def test_pages_tell_a_failure_as_what_happened_and_not_as_a_rule(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        g.sleep()
        page = str(g.pages.dossier())
        assert "Severe failure of ETH trade when regime is bear and action is long" in page
        assert "pnl is lower" not in page


def test_a_warning_whose_conditions_make_no_difference_ranks_behind_a_rule_that_holds(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        g.remember([*lived(random.Random(1), 120), disaster(121)])
        g.sleep()
        (stain,) = stains(g)
        rules = [
            g.learn(
                Fact(
                    f"When {condition}, pnl is higher by 0.4", kind="heuristic", confidence=0.9, support=9,
                    payload={
                        "type": "heuristic", "condition": condition, "action": "", "outcome": "pnl is higher", "n": 900,
                        "effect": 0.4, "interval": (0.3, 0.5),
                    },
                )
            )
            for condition in ("depth >= 5", "spread <= 1", "fee <= 1")
        ]  # fmt: skip
        situation = {"regime": "bear", "depth": 9.0, "spread": 0.5, "fee": 0.5, "actions": ["long"]}
        found = g.recall("What to do now?", situation=situation)
        seated = [memory.id for memory in found if memory.why.is_seated]
        assert stain.id not in seated
        assert len(set(seated) & {rule.id for rule in rules}) == 3
        assert stain in g.life.dangers(situation), "the immune memory keeps it"
