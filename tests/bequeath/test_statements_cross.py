"""Statements cross with a testament: their slots and persistence arrive, and secrets in their values do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

import bardo
from bardo.model import DISPUTED, FOLLOWED


def test_an_heir_receives_the_slot_and_persistence_of_a_statement(tmp_path: Path):
    with bardo.open(tmp_path / "parent", seed=1) as parent:
        parent.learn(
            "Nadia is allergic to walnuts",
            subject="Nadia",
            attribute="allergy",
            value="walnuts",
            confidence=0.95,
        )
        parent.learn(
            subject="api",
            attribute="token",
            value="ghp_0123456789abcdefghijABCDEFGHIJ012345",
            confidence=0.95,
        )
        parent.bequeath(tmp_path / "left.testament", cause="economic")
    with bardo.inherit(tmp_path / "left.testament", tmp_path / "heir", seed=2) as heir:
        facts = {fact.text: fact for fact in heir.facts.list()}
        allergy = next(fact for text, fact in facts.items() if "walnuts" in text)
        assert allergy.statement is not None
        assert (allergy.statement.attribute, allergy.statement.value) == ("allergy", "walnuts")
        assert allergy.persistence == "permanent"
        assert not any(
            "ghp_" in fact.text or (fact.statement and "ghp_" in fact.statement.value)
            for fact in facts.values()
        )
        # Own knowledge of the heir ends hearsay.
        heir.learn(
            "Nadia is not allergic to walnuts",
            subject="Nadia",
            attribute="allergy",
            value="walnuts",
            denied=True,
        )
        assert heir.facts.get(allergy.id).status == "superseded"


def test_an_heir_is_shown_the_newer_of_two_statements_about_the_same_first(tmp_path: Path, minilm):
    turns = (
        "the gateway sends its logs to Loki",
        "gateway logs are read in Grafana Cloud by the support team",
    )
    other = "the gateway is owned by the platform team"
    question = "where do the logs of the gateway go?"
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        for turn in (*turns, other):
            clock.advance(seconds=3_600)
            ann.remember(turn, role="user", kind="turn")
        assert next(one.text for one in ann.recall(question)) == turns[0]
        left = ann.bequeath(tmp_path / "ann.testament")
    assert [link.weight for link in left.links if link.relation == "corrects"].count(FOLLOWED) >= 1
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with bardo.inherit(
            tmp_path / f"{parent}.testament", tmp_path / name, embedder=minilm, clock=clock
        ) as heir:
            found = heir.recall(question)
            assert [one.text for one in found][:2] == list(reversed(turns))
            # Neither of them is ended or disputed.
            assert not any(one.corrected_by or one.disputed_by or one.standing for one in found)
            heir.bequeath(tmp_path / f"{name}.testament")


def _follows(testament: bardo.Testament, texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Older and newer text of each pair of which the newer one follows the older one."""
    links = [one for one in testament.links if one.relation == "corrects" and one.weight == FOLLOWED]
    return {(texts[one.dst], texts[one.src]) for one in links if one.dst in texts and one.src in texts}


def _told(path: Path, embedder, turns: Sequence[str]) -> tuple[bardo.Testament, dict[str, str]]:
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(path, embedder=embedder, clock=clock) as ann:
        texts = {}
        for turn in turns:
            clock.advance(seconds=3_600)
            texts[ann.remember(turn, role="user", kind="turn").id] = turn
        return ann.bequeath(path.with_suffix(".testament")), texts


REMARKS = (
    "a robin sits on top of Moss Cottage again", "who left a scarf in Moss Cottage?",
    "I dreamed of Moss Cottage and a whale", "the postman is afraid of Moss Cottage",
    "Moss Cottage looks like a cake in the snow", "a drone flew over Moss Cottage during lunch",
    "the choir wants to sing in front of Moss Cottage", "somebody painted a fish on the gate of Moss Cottage",
    "my grandmother was born near Moss Cottage", "Moss Cottage is in the calendar of the bank for May",
)  # fmt: skip


def test_a_change_about_a_thing_that_many_remarks_name_is_linked_with_the_older_statement(
    tmp_path: Path, minilm
):
    older = "for Moss Cottage ask Bronwen, keys and watering both"
    newer = "As from Monday it is Mateusz who looks after Moss Cottage, the list on the door is wrong."
    others = (
        "Pepper Barn",
        "Loch House",
        "Quarry Hall",
        "Sun Lodge",
        "Fern Court",
        "Old Mill",
        "Long Glass",
        "Herb Bay",
    )
    elsewhere = [remark.replace("Moss Cottage", other) for other in others for remark in REMARKS]
    left, texts = _told(tmp_path / "ann", minilm, (older, *elsewhere, *REMARKS, newer))
    linked = {(texts.get(one.dst), texts.get(one.src)) for one in left.links if one.relation == "corrects"}
    assert (older, newer) in linked


def test_a_later_date_is_linked_with_an_earlier_plan(tmp_path: Path, minilm):
    older = "the next inspection of the lift would be in April"
    newer = "They called: the inspection of the lift has been moved, it's December"
    left, texts = _told(tmp_path / "ann", minilm, (older, newer))
    assert (older, newer) in _follows(left, texts)


WINDER = "Bronwen Pryce winds the clock at Loch House"
NEXT_WINDER = "Loch House clock, winding: Mateusz Reyl"
BESIDE = (
    "Old Mill keeps its bicycles in the barn",
    "Herb Bay has two gardeners",
    "Fern Court is closed in May",
)


def test_the_nearest_statements_that_name_a_thing_are_linked_without_a_word_of_change(tmp_path: Path, minilm):
    left, texts = _told(tmp_path / "ann", minilm, (WINDER, *BESIDE, NEXT_WINDER))
    assert _follows(left, texts) == {(WINDER, NEXT_WINDER)}
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm) as heir:
        found = [one.text for one in heir.recall("who winds the clock at Loch House?")]
    assert found[:2] == [NEXT_WINDER, WINDER]


def test_a_statement_with_an_identifier_follows_none_in_plain_words(tmp_path: Path, minilm):
    newer = "The clock at Loch House, winding: file it under BX-4471-KES"
    left, texts = _told(tmp_path / "ann", minilm, (WINDER, *BESIDE, newer))
    assert not _follows(left, texts)


def test_a_sentence_said_of_many_things_is_linked_with_the_one_before_alone(tmp_path: Path, minilm):
    places = ("Loch House", "Pepper Barn", "the Annexe", "Quarry Hall", "Sun Lodge", "the Mill", "Fern Court")
    turns = [f"tea is in the flask by {place}, the milk is off though" for place in places]
    left, texts = _told(tmp_path / "ann", minilm, turns)
    assert _follows(left, texts) <= set(pairwise(turns))


@pytest.mark.parametrize(("kind", "role"), [("commit", "environment"), ("log", "agent"), ("tool", "tool")])
def test_a_record_that_ends_an_older_one_is_linked_with_it_in_a_testament(
    tmp_path: Path, minilm, kind: str, role: str
) -> None:
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        told = []
        for text in ("Support of Python 3.9 added", "Drop support of Python 3.9"):
            clock.advance(seconds=3_600)
            told.append(ann.remember(text, kind=kind, role=role).id)
        left = ann.bequeath(tmp_path / "ann.testament")
    older, newer = told
    assert [(one.src, one.dst, one.weight) for one in left.links if one.relation == "corrects"] == [
        (newer, older, 1.0)
    ]


def test_a_message_that_shares_words_alone_with_a_statement_is_no_correction(tmp_path: Path, minilm) -> None:
    clock = bardo.ManualClock(1_700_000_000_000_000)
    said = (
        "Ingrid cleans the north greenhouse on Mondays.",
        "The guard dropped a cup behind the north greenhouse.",
        "Goran took over from Ingrid: he cleans the north greenhouse on Mondays now.",
    )
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        told = []
        for text in said:
            clock.advance(seconds=3_600)
            told.append(ann.remember(text, role="user", kind="turn", verified=True).id)
        ann.sleep()
        left = ann.bequeath(tmp_path / "ann.testament")
    ends = [one for one in left.links if one.relation == "corrects" and one.weight >= DISPUTED]
    assert told[1] not in [link.src for link in ends]
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm, clock=clock) as heir:
        assert heir.recall("who cleans the north greenhouse?")[0].text.endswith(said[2])


def test_the_heirs_heir_is_shown_a_change_of_its_parents_life_before_what_the_parent_inherited(
    tmp_path: Path, minilm
) -> None:
    lives = (
        ("Anneke looks after the greenhouse.", "Boris looks after the greenhouse now, Anneke retired."),
        ("Chidi looks after the greenhouse now.", "The kettle in the canteen leaks again."),
    )
    clock = bardo.ManualClock(1_700_000_000_000_000)
    parent = None
    for number, said in enumerate(lives):
        folder = tmp_path / f"life{number}"
        life = (
            bardo.open(folder, embedder=minilm, clock=clock)
            if parent is None
            else bardo.inherit(parent, folder, embedder=minilm, clock=clock)
        )
        parent = tmp_path / f"{number}.testament"
        with life as agent:
            for text in said:
                clock.advance(seconds=3_600)
                agent.remember(text, role="user", speaker="Dina", kind="turn", verified=True)
            agent.sleep()
            agent.bequeath(parent)
    with bardo.inherit(parent, tmp_path / "last", embedder=minilm, clock=clock) as heir:
        found = [one.text for one in heir.recall("who looks after the greenhouse?")]
    assert found[:3] == [lives[1][0], lives[0][1], lives[0][0]]


def test_a_remark_that_denies_something_else_ends_no_statement(tmp_path: Path, minilm):
    told = "If a counterparty of Tessera DEX asks for an extension give them one, never two, and tell credit"
    with bardo.open(tmp_path / "ann", embedder=minilm, seed=1) as ann:
        rule = ann.learn(told, kind="heuristic", confidence=0.7)
        ann.remember("lunch? Tessera DEX won't run away", role="user", kind="turn", verified=True)
        ann.sleep()
        assert ann.facts.get(rule.id).status == "active"


def test_an_inherited_line_does_not_dispute_a_later_inherited_statement(tmp_path: Path, minilm):
    clock = bardo.ManualClock(1_783_330_000_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        ann.remember("deploy: combd 5.2.0 on wax1 finished in 41 s", role="tool", verified=True)
        clock.advance(seconds=14 * 86_400)
        ann.remember("fix(combd): port 7113 -> 7290", kind="commit", verified=True)
        ann.sleep()
        (stated,) = [fact for fact in ann.facts.list() if fact.text == "combd port is 7290"]
        assert not ann.recall("Which port does combd listen on?", limit=1)[0].disputed_by
        ann.bequeath(tmp_path / "ann.testament", cause="economic")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "heir", embedder=minilm, clock=clock) as heir:
        clock.advance(seconds=86_400)
        heir.remember("We put the spare antennas on shelf 4.", role="user", verified=True)
        heir.sleep()
        kept = heir.facts.get(stated.id)
        assert kept.status == "active"
        assert kept.statement is not None
        assert kept.statement.value == "7290"
        (found,) = [one for one in heir.recall("Which port does combd listen on?") if one.id == stated.id]
        assert not found.disputed_by
