"""Baldwin: a heuristic that three generations running confirmed is innate in the next heir, listed and revocable."""

from __future__ import annotations

import dataclasses
import json

import pytest
from estate import KEY, bequeath, dead, fact, id_of
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import bardo
from bardo.bequeath.heir import innate
from bardo.bequeath.testament import signing, testament, trust
from bardo.config import Config
from bardo.errors import NotFoundError
from bardo.surfaces.cli.app import app

LOOPS = {"clock": {"unit": "loops"}}
RULE = "Wait two blocks after the oracle"
QUERY = "what to do after the oracle?"


def letters(texts: list[str]) -> list[list[float]]:
    return [[text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnop"] for text in texts]


def heir_of(root, agent: str, before: str | None):
    options = {"config": LOOPS, "embedder": letters, "agent": agent, "seed": sum(agent.encode())}
    if before is None:
        return bardo.open(root / agent, **options)
    return bardo.inherit(root / f"{before}.testament", root / agent, **options)


def confirm(g) -> None:
    """Three spaced good outcomes of acting on the rule: the heir's own evidence."""
    for tick in (100, 200, 300):
        g.tick(tick)
        (fact,) = g.facts.list(kind="heuristic")
        used = g.recall(RULE, layers=("fact",), limit=1)
        assert used[0].id == fact.id
        g.outcome(used, value=1.0)


def line(root, confirming: str, *, last: str = "z"):
    """Lives a to z in turn; those in `confirming` confirm the rule. Returns the last one, opened."""
    names = ["a", *confirming.replace("-", " ").split()]
    before = None
    for number, name in enumerate(names):
        with heir_of(root, f"{name}{number}", before) as g:
            g.tick(10)
            if before is None:
                g.learn(bardo.Fact(RULE, kind="heuristic", subjects=("oracle",), confidence=0.9))
            elif name == "c":
                confirm(g)
            g.tick(400)
            g.bequeath(root / f"{name}{number}.testament")
        before = f"{name}{number}"
    return heir_of(root, last, before)


def rule_of(g):
    (fact,) = [one for one in g.facts.list(status=None) if one.text == RULE]
    return fact


def test_three_generations_running_make_a_rule_innate(tmp_path):
    with line(tmp_path, "c c c") as heir:
        report = heir.lineage.inheritance
        assert report.innate == 1
        (rule,) = heir.lineage.innate()
        assert (rule.text, rule.generations, rule.state) == (RULE, 3, "untested")
        assert Config.load(heir.path).innate == {rule.fact: "active"}
        assert f"[innate]\n{rule.fact} = " in (heir.path / "bardo.toml").read_text()
        stored = rule_of(heir)
        # It must still be earned, and it does not fade.
        assert (stored.source, stored.persistence) == ("testament", "permanent")
        heir.tick(10)
        heir.tick(5_000)
        assert heir.facts.confidence(stored) == pytest.approx(stored.confidence)
        assert stored.confidence < 0.5
        prompt = heir.context("Act on the oracle?", situation={"subjects": ["oracle"]})
        assert RULE in str(prompt)
        assert f"{RULE} (innate" in heir.pages.dossier().text
    checked = bardo.check(heir.path)
    assert checked.damaged == ()


@pytest.mark.parametrize("lives", ["c c", "c x c c", "c c x"])
def test_fewer_generations_or_a_gap_make_none(tmp_path, lives):
    with line(tmp_path, lives) as heir:
        assert heir.lineage.inheritance.innate == 0
        assert heir.lineage.innate() == ()
        assert rule_of(heir).persistence is None
        assert "[innate]" not in (heir.path / "bardo.toml").read_text()


def test_an_innate_rule_stays_innate_untested_and_ends_when_revoked(tmp_path):
    with line(tmp_path, "c c c x", last="y") as heir:
        (rule,) = heir.lineage.innate()
        assert rule.generations == 3
        heir.tick(10)
        revoked = heir.lineage.revoke(rule.fact)
        assert revoked.state == "revoked"
        assert rule_of(heir).persistence is None
        before = heir.facts.confidence(rule.fact)
        heir.tick(2_000)
        assert heir.facts.confidence(rule.fact) < before, "it fades from now on"
        assert "innate" not in heir.pages.dossier().text
        # Neither the same testament nor another one of the line brings it back.
        heir.lineage.adopt([testament.read(tmp_path / "c3.testament")])
        assert [one.state for one in heir.lineage.innate()] == ["revoked"]
        with pytest.raises(NotFoundError, match="no innate rule"):
            heir.lineage.revoke(id_of(99))
        heir.bequeath(tmp_path / "y.testament")
    left = testament.read(tmp_path / "y.testament")
    assert [innate.count_of(one) for one in left.facts if one.text == RULE] in ([0], [])


def test_own_evidence_refutes_an_innate_rule_and_the_pass_says_so(tmp_path):
    with line(tmp_path, "c c c") as heir:
        rule = rule_of(heir)
        heir.tick(10)
        other = heir.learn(bardo.Fact("Never wait after the oracle", kind="heuristic", confidence=0.9))
        heir.facts.contradict(rule, other)
        assert heir.facts.get(rule.id).status == "contradicted"
        assert [one.state for one in heir.lineage.innate()] == ["refuted"]
        report = heir.sleep()
        assert any("innate rule" in note and "refuted" in note for note in report.notes)
        heir.lineage.revoke(rule)
        assert not any("innate rule" in note for note in heir.sleep().notes)
        heir.bequeath(tmp_path / "z.testament")
    left = testament.read(tmp_path / "z.testament")
    assert [innate.count_of(one) for one in left.facts if one.id == rule.id] in ([0], [])


def test_a_confirmed_innate_rule_is_the_heirs_own(tmp_path):
    with line(tmp_path, "c c c") as heir:
        confirm(heir)
        assert [one.state for one in heir.lineage.innate()] == ["confirmed"]
        heir.tick(400)
        left = heir.bequeath(tmp_path / "z.testament")
    assert [innate.count_of(one) for one in left.facts if one.text == RULE] == [4]


def counted_fact(count: object, **fields):
    return fact(1, RULE, **({"kind": "heuristic", "metadata": {innate.CONFIRMED: [count]}} | fields))


def test_the_count_of_a_stranger_makes_nothing_innate(tmp_path, monkeypatch):
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "settings"))
    left = bequeath(tmp_path, facts=[counted_fact("7")])
    assert [innate.count_of(one) for one in left.facts] == [7]
    with bardo.inherit(left.path, tmp_path / "heir", config=LOOPS, embedder=letters, allow="parent") as heir:
        assert heir.lineage.inheritance.limited == {"innate": 1}
        assert heir.lineage.innate() == ()
    trust.add(signing.signer_of(KEY))
    with bardo.inherit(left.path, tmp_path / "other", config=LOOPS, embedder=letters) as heir:
        assert [one.generations for one in heir.lineage.innate()] == [7], "a known signer is believed"


@given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text(max_size=3), max_size=2)))
def test_a_count_of_any_form_is_a_number(told):
    one = dataclasses.replace(fact(1, RULE, kind="heuristic"), metadata={innate.CONFIRMED: told})
    assert innate.count_of(one) >= 0
    one = dataclasses.replace(one, metadata={innate.CONFIRMED: [told]})
    count = innate.count_of(one)
    assert count == (min(int(told), 2**31 - 1) if isinstance(told, str) and told.isascii() and told.isdigit()
                     and len(told) <= 10 else 0)  # fmt: skip


def test_only_a_heuristic_in_force_has_a_count():
    assert innate.count_of(counted_fact("3")) == 3
    assert innate.count_of(counted_fact("3", kind="insight")) == 0
    assert innate.count_of(counted_fact("3", status="superseded")) == 0


def test_two_parents_give_the_longer_line(tmp_path, monkeypatch):
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "settings"))
    trust.add(signing.signer_of(KEY))
    for name, count in (("one", "2"), ("two", "3")):
        bequeath(tmp_path, name=f"{name}.testament", facts=[counted_fact(count)], lineage=dead(name))
    paths = [tmp_path / "one.testament", tmp_path / "two.testament"]
    with bardo.inherit(paths, tmp_path / "heir", config=LOOPS, embedder=letters) as heir:
        assert [one.generations for one in heir.lineage.innate()] == [3]


def test_the_commands_list_and_revoke(tmp_path, monkeypatch, minilm):
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "settings"))
    trust.add(signing.signer_of(KEY))
    left = bequeath(tmp_path, facts=[counted_fact("3")])
    with bardo.inherit(left.path, tmp_path / "z", embedder=minilm) as heir:
        id_ = rule_of(heir).id
    run = CliRunner()
    where = ["--at", str(tmp_path / "z")]
    listed = run.invoke(app, ["lineage", "innate", *where, "--json"])
    assert listed.exit_code == 0, listed.stderr
    assert [one["state"] for one in json.loads(listed.stdout)["innate"]] == ["untested"]
    assert RULE in run.invoke(app, ["lineage", "innate", *where]).stdout
    assert f"revoked: {RULE}" in run.invoke(app, ["lineage", "revoke", id_, *where]).stdout
    assert "revoked" in run.invoke(app, ["lineage", "innate", *where]).stdout
