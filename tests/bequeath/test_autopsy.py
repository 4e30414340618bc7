"""The posthumous audit: knowledge as of a tick, cited memories, missed warnings, and precedents."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import bardo
from bardo.bequeath.family.autopsy import Decision
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.family import examine, follow
from bardo.surfaces.cli.app import app

LOOPS = {"clock": {"unit": "loops"}}
STORM = {"regime": "storm", "subjects": ["eth"], "actions": ["buy"]}
CALM = {"regime": "calm", "subjects": ["eth"], "actions": ["buy"]}
HABIT = "ETH tends to rise in the morning"
WARNING = "Buying ETH in a storm ends badly"


def warning(text: str, condition: str, **fields) -> bardo.Fact:
    payload = {
        "type": "heuristic", "condition": condition, "action": "action is buy", "outcome": "value is lower", "n": 40,
        "effect": -4.0, "interval": (0.0, 0.0),
    }  # fmt: skip
    return bardo.Fact(text, kind="warning", payload=payload, confidence=0.7, **fields)


@pytest.fixture(scope="module")
def dead(tmp_path_factory, minilm):
    """A life that bought in two storms: before the second a warning stood uncited, and a later one came too late."""
    root = tmp_path_factory.mktemp("autopsy")
    with bardo.open(root / "ann", config=LOOPS, embedder=minilm, seed=1) as g:
        g.tick(10)
        habit = g.learn(HABIT, subjects=["eth"], confidence=0.9)
        g.outcome(g.context("Buy ETH?", situation=STORM), value=-0.9, note="Bought ETH into the first storm.")
        g.tick(20)
        g.learn(warning(WARNING, "regime is storm", subjects=("eth",)))
        g.learn(warning("Buying BTC in a calm ends badly", "regime is calm", subjects=("btc",)))
        g.tick(30)
        g.outcome(g.context("Buy ETH?", situation=CALM), value=0.2, note="Bought ETH in a calm.")
        g.tick(40)
        used = g.recall("when does ETH rise?", layers=("fact",), limit=1)
        assert [memory.text for memory in used] == [HABIT]
        g.tick(41)
        g.remember(
            "Bought ETH into the second storm.", kind="outcome", verified=True, subjects=["eth"],
            payload={"regime": "storm", "action": "buy", "value": -1.0, "of": used.id, "memories": [used[0].id]},
        )  # fmt: skip
        g.tick(42)
        g.learn(warning("Storms of two days ruin buyers", "regime is storm", subjects=("eth",)))
        g.tick(50)
        g.bequeath(root / "ann.testament", cause="economic")
    return root, habit


def test_an_autopsy_finds_the_warning_that_stood_and_was_not_cited(dead):
    root, _ = dead
    found = examine(root / "ann")
    assert (found.agent, found.cause, found.death_tick, found.tick) == ("ann", "economic", 50, 50)
    last, calm, first = found.decisions
    assert [one.text for one in found.decisions] == [
        "Bought ETH into the second storm.", "Bought ETH in a calm.", "Bought ETH into the first storm."
    ]  # fmt: skip
    assert [one.text for one in last.cited] == [HABIT]
    assert [one.text for one in last.missed] == [WARNING], "the later one came too late"
    assert last.missed[0].conditions == 2
    assert last.heeded == ()
    assert {one.text for one in last.known} == {HABIT, WARNING}
    assert [(one.text, one.value) for one in last.precedents] == [("Bought ETH into the first storm.", -0.9)]
    assert calm.missed == (), "the warning is about storms, and the other one about BTC"
    assert first.missed == ()
    assert first.precedents == ()


def test_an_autopsy_as_of_a_tick_knows_nothing_later(dead):
    root, _ = dead
    found = examine(root / "ann", at=35, last=1)
    assert [one.text for one in found.decisions] == ["Bought ETH in a calm."]
    assert found.in_force < examine(root / "ann").in_force
    for outside in (0, 9, 51):
        with pytest.raises(InvalidInputError, match="begin at tick 10 and end at 50"):
            examine(root / "ann", at=outside)


def test_an_autopsy_of_a_life_without_decisions_says_so(tmp_path, minilm):
    with bardo.open(tmp_path / "dan", config=LOOPS, embedder=minilm, seed=4) as g:
        g.tick(10)
        g.learn(HABIT, subjects=["eth"])
        none = g.lineage.autopsy()
    assert (none.decisions, none.in_force) == ((), 1)
    assert any("No decision" in note for note in none.notes)


def test_a_cited_warning_was_heeded_or_not_but_it_was_no_miss(tmp_path, minilm):
    with bardo.open(tmp_path / "ben", config=LOOPS, embedder=minilm, seed=2) as g:
        g.tick(5)
        g.learn(warning(WARNING, "regime is storm", subjects=("eth",)))
        g.tick(6)
        prompt = g.context("Buy ETH?", situation=STORM)
        g.tick(7)
        g.learn(warning("Storms ruin buyers", "regime is storm", subjects=("eth",)))
        g.tick(9)
        g.outcome(prompt, value=-0.5)
        (decision,) = g.lineage.autopsy().decisions
        assert decision.decided == 6, "the record of the prompt says when it was made"
        assert [one.text for one in decision.heeded] == [WARNING]
        assert decision.missed == ()
        living = g.lineage.autopsy(at=9)
        assert (living.cause, living.death_tick) == (None, None)


def test_a_rule_is_no_cause_of_a_death_whose_last_decision_did_not_cite_it(tmp_path, minilm):
    with bardo.open(tmp_path / "cat", config=LOOPS, embedder=minilm, seed=3) as g:
        g.tick(10)
        rule = g.learn(warning(WARNING, "regime is storm", subjects=("eth",)))
        cited = {"regime": "storm", "action": "buy", "value": -1.0, "memories": [rule.id]}
        g.remember("Bought ETH into a storm.", kind="outcome", verified=True, subjects=["eth"], payload=cited)
        g.tick(20)
        g.remember("Sold BTC.", kind="outcome", verified=True, payload={"action": "sell", "value": -1.0})
        g.bequeath(tmp_path / "cat.testament", cause="economic")
    last = examine(tmp_path / "cat", last=1).decisions[0]
    assert (last.text, last.cited) == ("Sold BTC.", ())
    _, beliefs, _ = follow([tmp_path / "cat"])
    assert [(one.text, one.deaths) for one in beliefs] == [(WARNING, 0)]


def test_a_testament_is_audited_by_what_crossed_and_says_so(dead):
    root, _ = dead
    found = examine(root / "ann.testament")
    assert any("holds what crossed" in note for note in found.notes)
    texts = [one.text for one in found.decisions]
    assert "Bought ETH into the second storm." in texts
    last = found.decisions[texts.index("Bought ETH into the second storm.")]
    assert WARNING in {one.text for one in last.missed}
    assert "Storms of two days ruin buyers" not in {one.text for one in last.missed}


def test_an_heir_is_warned_by_the_precedents_of_its_ancestor(dead, tmp_path, minilm):
    root, _ = dead
    with bardo.inherit(
        root / "ann.testament", tmp_path / "ben", config=LOOPS, embedder=minilm, seed=3
    ) as heir:
        heir.tick(60)
        heir.outcome(heir.context("Buy ETH?", situation=STORM), value=-0.4, note="Bought like my ancestor.")
        (decision,) = heir.lineage.autopsy().decisions
        assert {one.inherited for one in decision.precedents} == {"ann"}


def test_episodes_without_an_outcome_or_a_choice_are_no_decisions():
    def read(**fields):
        return Decision.of(bardo.Episode("x", **({"verified": True} | fields)), ("pnl",))

    assert read(payload={"pnl": -3.0}) is None, "a number without a choice"
    assert read(kind="outcome", payload={"value": "bad"}) is None
    assert read(kind="outcome", payload={"value": True}) is None
    assert read(payload={"action": "buy", "pnl": -3.0}, verified=False) is None
    found = read(payload={"action": "buy", "pnl": -3.0, "place": {"venue": "south"}}, subjects=("eth",))
    assert found is not None
    assert (found.value, found.cited) == (-3.0, ())
    assert found.traits == {"eth", "action=buy", "place.venue=south"}


def test_the_command_prints_the_audit(dead, tmp_path):
    root, _ = dead
    run = CliRunner()
    told = run.invoke(app, ["autopsy", str(root / "ann"), "--at", "45", "--json"])
    assert told.exit_code == 0, told.stderr
    document = json.loads(told.stdout)
    assert document["tick"] == 45
    assert [one["text"] for one in document["decisions"][0]["missed"]] == [WARNING]
    shown = " ".join(run.invoke(app, ["autopsy", str(root / "ann")]).stdout.split())
    assert f"would have warned {WARNING}" in shown
    assert "went badly before Bought ETH into the first storm." in shown
    with pytest.raises(NotFoundError, match="neither a grimoire nor a testament"):
        examine(tmp_path)
