"""The family of agents: the tree of folders and testaments, and the survival of rules over it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from estate import bequeath, dead, fact, id_of
from typer.testing import CliRunner

import bardo
from bardo.bequeath.family import family, family_plot
from bardo.bequeath.family.beliefs import LifeBeliefs, survival
from bardo.bequeath.lineage import Life, Lineage
from bardo.bequeath.testament import testament
from bardo.errors import NotFoundError, StoreUnavailableError
from bardo.grimoire.family import examine, follow
from bardo.surfaces.cli.app import app

LOOPS = {"clock": {"unit": "loops"}}
RULE = "Wait two blocks after the oracle"
#: A statement of the DOT grammar: a node, an edge, or an attribute, with quoted names.
QUOTED = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTES = rf"(?: \[\w+=(?:{QUOTED}|[\w.]+)(?:, \w+=(?:{QUOTED}|[\w.]+))*\])?"
STATEMENT = re.compile(rf"  (?:rankdir=TB|node{ATTRIBUTES}|{QUOTED}(?: -> {QUOTED})?{ATTRIBUTES});")


@pytest.fixture(scope="module")
def line(tmp_path_factory, minilm):
    """Three generations: the rule is found, confirmed by outcomes, and left alone; a warning is never tested."""
    root = tmp_path_factory.mktemp("line")
    for number, agent in enumerate(("ann", "ben", "cat")):
        options = {"config": LOOPS, "embedder": minilm, "agent": agent, "seed": number}
        before = root / f"{'ann' if agent == 'ben' else 'ben'}.testament"
        opened = (
            bardo.inherit(before, root / agent, **options) if number else bardo.open(root / agent, **options)
        )
        with opened as g:
            if not number:
                g.tick(5)
                g.learn(bardo.Fact(RULE, kind="heuristic", subjects=("oracle",), confidence=0.9))
                g.learn(
                    bardo.Fact("Bridges fail at night", kind="warning", subjects=("bridge",), confidence=0.8)
                )
            if number == 1:
                for tick in (100, 200, 300):
                    g.tick(tick)
                    g.outcome(g.recall("what to do after the oracle?", layers=("fact",), limit=1), value=1.0)
            g.tick(400 + number)
            if agent != "cat":
                g.bequeath(root / f"{agent}.testament", cause='age "old" \\ two')
    return root


def test_a_tree_is_found_below_a_folder(line):
    tree = family.find([line])
    assert [life.agent for life in tree.lives] == ["ann", "ben", "cat"]
    ann, ben, cat = tree.lives
    assert tree.parents(ben) == [ann]
    assert tree.children(ben) == [cat]
    assert (ann.death_tick, cat.death_tick) == (400, None)
    # The copies of the testaments in the heirs' folders are the same lives.
    assert set(tree.handed) == {ann.testament, ben.testament}
    assert tree.handed[ann.testament] == len(testament.read(line / "ann.testament").facts)
    assert (ben.confirmed, ben.refuted, cat.confirmed) == (1, 0, 0)
    lines = tree.render().splitlines()
    assert lines[0].startswith("ann (generation 0): born at 5, died at 400 (age")
    assert "handed over 2 facts" in lines[0]
    assert lines[2].startswith("    cat (generation 2): alive")


def test_a_tree_of_one_testament_has_the_ancestors_that_it_names(line):
    tree = family.find([line / "ben.testament"])
    assert [life.agent for life in tree.lives] == ["ann", "ben"]
    assert list(tree.handed) == [tree.lives[1].testament]


def test_lives_of_one_name_stay_apart(tmp_path):
    first = bequeath(tmp_path, name="a.testament", lineage=dead("bot", tick=10))
    second = bequeath(tmp_path, name="b.testament", lineage=dead("bot", tick=20))
    heir = Lineage.founder("heir").heir_of([second.lineage])
    tree = family.FamilyTree.of([first.lineage, second.lineage, heir])
    assert [life.agent for life in tree.lives] == ["bot", "bot", "heir"]
    assert [life.testament for life in tree.parents(tree.lives[2])] == [second.hash]


def test_a_place_without_any_life_is_refused_and_a_broken_file_is_named(tmp_path, line):
    with pytest.raises(NotFoundError, match="no grimoire and no testament"):
        family.find([tmp_path])
    broken = tmp_path / "broken.testament"
    broken.write_bytes(b"PK")
    shutil.copy(line / "ann.testament", tmp_path / "ann.testament")
    tree = family.find([tmp_path])
    assert [life.agent for life in tree.lives] == ["ann"]
    assert len(tree.notes) == 1
    assert "broken.testament was left out" in tree.notes[0]


def dot_statements(dot: str) -> list[str]:
    first, *statements, last = dot.splitlines()
    assert (first, last) == ("digraph lineage {", "}")
    return statements


def test_dot_is_valid_for_any_name(line):
    tree = family.find([line])
    statements = dot_statements(tree.to_dot())
    assert [one for one in statements if not STATEMENT.fullmatch(one)] == []
    assert sum(" -> " in one for one in statements) == 2
    odd = Life('a "b" \\ c\n]; x', cause="y\x00}")
    statements = dot_statements(family.FamilyTree((odd,)).to_dot())
    assert [one for one in statements if not STATEMENT.fullmatch(one)] == []
    if dot := shutil.which("dot"):
        done = subprocess.run(
            [dot, "-Tplain"], input=tree.to_dot(), text=True, capture_output=True, check=True
        )
        assert done.stdout.count("\nnode ") == 3


def test_a_plot_shows_every_life(line, tmp_path):
    tree = family.find([line])
    family_plot.plot(tmp_path / "tree.svg", tree)
    family_plot.plot(tmp_path / "again.png", tree)
    family_plot.plot(tmp_path / "tree.png", tree)
    assert (tmp_path / "tree.png").read_bytes() == (tmp_path / "again.png").read_bytes()
    drawn = (tmp_path / "tree.svg").read_text()
    for life in tree.lives:
        assert f"<!-- {life.agent} -->" in drawn
    for name in ("tree.odd", "absent/tree.png"):
        with pytest.raises(StoreUnavailableError, match="Choose another path"):
            family_plot.plot(tmp_path / name, tree)


def test_a_rule_is_followed_through_its_lives(line):
    _, found, notes = follow([line])
    assert notes == []
    by_text = {one.text: one for one in found}
    rule, warning = by_text[RULE], by_text["Bridges fail at night"]
    assert [(one.agent, one.state) for one in rule.lives] == [
        ("ann", "found"), ("ben", "confirmed"), ("cat", "unconfirmed")
    ]  # fmt: skip
    assert (rule.confirmations, rule.refutations, rule.outcomes) == (1, 0, (3, 0))
    assert [one.died_acting for one in rule.lives] == [False, True, False]
    assert rule.deaths == 1
    assert [one.state for one in warning.lives] == ["found", "unconfirmed", "unconfirmed"]
    assert (warning.deaths, warning.outcomes, rule.origin) == (0, (0, 0), "ann")


def test_rules_that_an_heir_earned_by_following_them_count_as_confirmed(tmp_path, minilm):
    payload = {
        "type": "heuristic", "condition": "momentum >= 0.5", "action": "", "outcome": "pnl is higher", "n": 0,
        "effect": 0.0, "interval": [0.0, 0.0],
    }  # fmt: skip
    # Without outcomes of its own to search, the agent finds no rule by itself.
    options = {"config": {**LOOPS, "curator": {"outcomes": []}}, "embedder": minilm}
    with bardo.open(tmp_path / "dan", agent="dan", **options) as g:
        g.tick(5)
        g.learn(bardo.Fact("High momentum pays", kind="heuristic", confidence=0.9, payload=payload))
        g.bequeath(tmp_path / "dan.testament")
    with bardo.inherit(tmp_path / "dan.testament", tmp_path / "eve", agent="eve", **options) as g:
        tick, reports = 0, []
        for _ in range(12):
            for _ in range(80):
                tick += 500
                # Two sequences that fill the unit square evenly (Weyl).
                momentum, noise = tick * 0.00123606 % 1, tick * 0.00150975 % 1 * 3.4 - 1.7
                features = {"momentum": momentum, "pnl": noise + (momentum >= 0.5)}
                g.remember(f"Trade {tick}", tick=tick, subjects=["ETH"], payload=features, verified=True)
            reports += [report for report in (g.tick(tick), g.sleep()) if report]
        own = next(one for one in g.facts.list() if one.text == "High momentum pays")
        assert own.source != "testament"
    assert any(own.id in one.confirmed and one.rules_followed for one in reports)
    assert next(one for one in family.find([tmp_path]).lives if one.agent == "eve").confirmed == 1


def test_a_life_known_by_its_testament_has_rules_without_outcomes(line):
    _, found, notes = follow([line / "ben.testament"])
    assert any("by its testament alone" in note for note in notes)
    assert any("No records of ann" in note for note in notes)
    rule = next(one for one in found if one.text == RULE)
    assert [(one.agent, one.state, one.good) for one in rule.lives] == [("ben", "confirmed", None)]


def measured(number: int, bound: float, **fields) -> bardo.Fact:
    payload = {
        "type": "heuristic", "condition": f"gas >= {bound}", "action": "action is buy", "outcome": "pnl is lower",
        "n": 50, "effect": -1.0, "interval": (-2.0, -0.5),
    }  # fmt: skip
    return fact(
        number,
        f"When gas >= {bound} and action is buy, pnl is lower",
        kind="heuristic",
        payload=payload,
        **fields,
    )


def test_a_measured_rule_is_the_same_with_another_bound():
    lives = [
        LifeBeliefs("ann", 0, "a", [measured(1, 60.0)]),
        LifeBeliefs(
            "ben", 1, "b", [measured(1, 60.0, source="testament", generation=1, status="contradicted")]
        ),
        LifeBeliefs("cat", 1, "c", [measured(2, 71.5), measured(3, 71.5, status="superseded")]),
    ]
    (belief,) = survival(lives)
    assert [(one.agent, one.state, one.fact) for one in belief.lives] == [
        ("ann", "found", id_of(1)), ("ben", "refuted", id_of(1)), ("cat", "found", id_of(2))
    ]  # fmt: skip
    assert belief.refutations == 1
    other = fact(4, "Gas is cheap at night", kind="insight")
    assert survival([LifeBeliefs("dot", 0, "d", [other])]) == [], "an insight is no rule"


def test_the_commands_print_trees_and_beliefs(line, tmp_path):
    run = CliRunner()
    dot, plot = tmp_path / "t.dot", tmp_path / "t.png"
    told = run.invoke(app, ["lineage", "tree", str(line), "--json", "--dot", str(dot), "--plot", str(plot)])
    assert told.exit_code == 0, told.stderr
    document = json.loads(told.stdout)
    assert [life["agent"] for life in document["lives"]] == ["ann", "ben", "cat"]
    assert document["lives"][2]["known_parents"] == [document["lives"][1]["key"]]
    assert dot.read_text().startswith("digraph")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "  ben (generation 1)" in run.invoke(app, ["lineage", "tree", "--at", str(line)]).stdout
    told = run.invoke(app, ["lineage", "beliefs", str(line), "--json"])
    assert told.exit_code == 0, told.stderr
    rule = next(one for one in json.loads(told.stdout)["beliefs"] if one["text"] == RULE)
    assert (rule["lives_lived"], rule["deaths_acting_on_it"], rule["confirmations"]) == (3, 1, 1)
    table = run.invoke(app, ["lineage", "beliefs", str(line)]).stdout
    assert "ben: confirmed" in " ".join(table.split())


def test_a_tree_and_an_autopsy_tell_the_days_of_ticks_that_are_seconds(tmp_path, minilm):
    clock = bardo.ManualClock(1_780_294_200_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        ann.remember("We put the antennas on shelf 4.", role="user")
        clock.advance(seconds=86_400)
        ann.bequeath(tmp_path / "ann.testament", cause="voluntary")
    bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm, clock=clock).close()
    lines = family.find([tmp_path]).render().splitlines()
    assert lines[0].startswith("ann (generation 0): born on 1 June 2026, died on 2 June 2026 (voluntary)")
    assert lines[1].startswith("  ben (generation 1): born on 2 June 2026, alive")
    for place in ("ann", "ann.testament"):
        audit = examine(tmp_path / place)
        assert audit.death_tick is not None
        assert audit.moment(audit.death_tick) == clock.now()


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_tree_dates_posthumous_deaths_and_ancestors_without_records(tmp_path, is_killed, minilm):
    clock = bardo.ManualClock(1_780_000_000_000_000)
    options = {"clock": clock, "embedder": minilm}
    with bardo.open(tmp_path / "ann", **options) as ann:
        ann.learn("Pumps need priming", subjects=["pump"])
        clock.advance(3_600)
        ann.bequeath(tmp_path / "ann.testament")
    clock.advance(86_400)
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", **options) as ben:
        clock.advance(3_600)
        ben.remember("valve 4 stuck", verified=True)
        if not is_killed:
            ben.bequeath(tmp_path / "ben.testament")
    if is_killed:
        # The wall clock of the one who writes it is far ahead of the last record.
        left = bardo.bequeath_posthumously(tmp_path / "ben", tmp_path / "ben.testament")
        assert left.seconds == 0
    bardo.inherit(tmp_path / "ben.testament", tmp_path / "cat", embedder=minilm).close()
    for places in ([tmp_path], [tmp_path / "ben.testament"], [tmp_path / "cat"]):
        told = family.find(places).render()
        assert re.search(r"(?:born|died) at \d", told) is None, told
        assert "died on 29 May 2026" in told
    assert examine(tmp_path / "ben.testament").seconds == 0
