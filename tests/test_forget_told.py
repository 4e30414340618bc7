"""Deletion of records without an episode: relations, links, other names, questions (law 11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
import bardo.grimoire.intent
from bardo.errors import InvalidInputError, NotFoundError
from bardo.surfaces.cli.app import app
from helpers.models import letters


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path / "agent", seed=1, embedder=letters(512)) as grimoire:
        yield grimoire


def is_on_disk(folder: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("how", ["record", "listed", "id"])
def test_a_relation_without_a_source_is_deleted_by_record_or_id(opened: bardo.Grimoire, how: str) -> None:
    told = opened.entities.relate("Mallory", "secretly works for", "Umbrella Corp")
    kept = opened.entities.relate("Alice", "knows", "Umbrella Corp")
    (listed,) = opened.entities.relations("Mallory")
    assert listed == told
    what = {"record": told, "listed": listed, "id": told.id}[how]
    report = opened.forget(what, reason="asked for")
    assert (report.triples, report.entities) == (1, 1)
    assert opened.entities.relations() == [kept]
    assert [entity.name for entity in opened.entities.list("Mallory")] == []
    assert not is_on_disk(opened.path, "secretly works for")
    assert not is_on_disk(opened.path, "Mallory")
    with pytest.raises(NotFoundError, match=told.id):
        opened.forget(told, reason="again")


def test_a_relation_that_a_fact_states_is_deleted_with_the_fact_alone(opened: bardo.Grimoire) -> None:
    fact = opened.learn(
        bardo.Fact(
            "Crashes follow halts", kind="causal_link",
            payload={"type": "causal_link", "cause": "halt", "effect": "crash", "lag_ticks": 1, "lift": 2.0,
                     "p_value": 0.01},
        )
    )  # fmt: skip
    (triple,) = opened.entities.relations("halt")
    with pytest.raises(InvalidInputError, match=fact.id):
        opened.forget(triple, reason="asked for")
    opened.forget(fact, reason="asked for")
    assert opened.entities.relations("halt") == []


def test_a_link_between_facts_is_deleted_and_the_facts_stay(opened: bardo.Grimoire) -> None:
    one, other = opened.learn(["Gas is cheap at night", "Miners rest at night"])
    opened.facts.link(one, other, "supports")
    opened.facts.link(one, other, "see_also")
    (link,) = (link for link in opened.facts.links(one) if link.relation == "supports")
    assert opened.forget(link, reason="asked for").links == 1
    assert [link.relation for link in opened.facts.links(one)] == ["see_also"]
    assert len(opened.facts.list()) == 2
    with pytest.raises(NotFoundError, match="no link says"):
        opened.forget(link, reason="again")


def test_everything_about_a_name_is_deleted(opened: bardo.Grimoire) -> None:
    seen = opened.remember("Yesterday Mallory Quint came by")
    filed = opened.remember("The lock was changed", subjects=["mq"])
    known = opened.learn("Mallory Quint collects locks")
    kept = opened.remember("Alice came by, too")
    opened.entities.relate("Mallory Quint", "works for", "Umbrella Corp")
    opened.entities.merge("Mallory Quint", ["mq", "The Locksmith"])
    for _ in range(2):
        opened.recall("who is xyzzy Quint?", layers=("fact",), min_confidence=0.99)
    report = opened.forget(about="The Locksmith", reason="asked for")
    assert set(report.episodes) == {seen.id, filed.id}
    assert report.facts == (known.id,)
    assert report.triples == 1
    assert [episode.id for episode in opened.episodes.list()] == [kept.id]
    assert opened.entities.list("Mallory Quint") == []
    assert opened.entities.relations() == []
    for name in ("Mallory", "Locksmith"):
        assert not is_on_disk(opened.path, name)
    with pytest.raises(NotFoundError, match="nothing is known"):
        opened.forget(about="Mallory Quint", reason="again")


def test_an_entity_that_is_listed_can_be_handed_to_forget(opened: bardo.Grimoire) -> None:
    opened.entities.relate("Mallory", "works for", "Umbrella")
    (entity,) = opened.entities.list("Mallory")
    opened.forget(entity, reason="asked for")
    assert opened.entities.relations() == []


def test_a_merge_is_taken_back_and_memories_name_two_again(opened: bardo.Grimoire) -> None:
    opened.remember("Yesterday Alice Carmichael came by")
    opened.remember("Today Robert Bruce came by")
    opened.entities.merge("Alice Carmichael", ["Robert Bruce", "Ally"])
    (merged,) = opened.entities.list("Alice Carmichael")
    assert merged.mentions == 2
    assert opened.entities.part("Alice Carmichael", ["Robert Bruce", "Ally"]) == 2
    (alice,) = opened.entities.list("Alice Carmichael")
    (robert,) = opened.entities.list("Robert Bruce")
    assert (alice.mentions, robert.mentions) == (1, 1)
    assert opened.entities.list("Ally") == []
    with pytest.raises(NotFoundError):
        opened.entities.part("Alice Carmichael", ["Nobody Else"])
    with pytest.raises(InvalidInputError):
        opened.entities.part("Alice Carmichael", ["Alice Carmichael"])


def test_a_deletion_of_what_was_told_is_finished_after_a_crash(
    opened: bardo.Grimoire, tmp_path: Path
) -> None:
    told = opened.entities.relate("Mallory", "secretly works for", "Umbrella Corp")
    intent = opened._deletion._eraser().plan(
        bardo.grimoire.intent.DeletionRequest(triples=(int(told.id[7:]),)), "asked for", tombstones=True
    )
    opened._session.log.forget([], intent=intent.to_json(), now=1)
    opened.close()
    with bardo.open(tmp_path / "agent", embedder=letters(512)) as again:
        assert [report.triples for report in again.resumed] == [1]
        assert again.entities.relations() == []
        assert not is_on_disk(again.path, "secretly works for")


def test_the_command_line_deletes_relations_and_names(tmp_path: Path) -> None:
    home = str(tmp_path / "agent")
    with bardo.open(home) as grimoire:
        told = grimoire.entities.relate("Mallory", "works for", "Umbrella")
        grimoire.entities.relate("Trudy", "works for", "Umbrella")
    run = CliRunner()
    asked = run.invoke(app, ["forget", "--about", "Umbrella", "--at", home], input="n\n")
    assert asked.exit_code == 1
    assert "2 relations" in asked.output
    for given in ([told.id], ["--about", "Trudy"]):
        done = run.invoke(app, ["forget", *given, "--at", home, "--json", "--yes"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["triples"] == 1
    unknown = run.invoke(app, ["forget", "--about", "Umbrella", "--at", home, "--yes"])
    assert unknown.exit_code == 3
    assert "nothing is known of 'Umbrella'" in unknown.output
