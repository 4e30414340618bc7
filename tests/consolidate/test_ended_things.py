"""An end needs its thing in the older statement, and a value its own thing and environment; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from helpers.chats import DAY, START, lived, statuses


def of_callum(messages: tuple[str, ...]) -> list[tuple[str, str]]:
    """Messages with their speaker."""
    return [("Callum", message) for message in messages]


def told(folder: Path, *messages: str) -> dict[str, str]:
    """Status of each fact by its text, after messages of Callum."""
    with lived(folder, of_callum(messages)) as memory:
        return statuses(memory)


def marked(folder: Path, *messages: str) -> str:
    """Standing of the first of some messages of Callum in recall."""
    with lived(folder, of_callum(messages)) as memory:
        found = [each for each in memory.recall(messages[0], limit=5) if each.text == messages[0]]
        return found[0].standing


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "Dad's on warfarin, 3 mg at night",
            "dad's finished with the crossword",
            "Callum's dad is on warfarin, 3 mg at night",
        ),
        (
            "Dad's in a care home in Perth, room 12",
            "dad's done with the physio",
            "Callum's dad is in a care home in Perth, room 12",
        ),
        (
            "we booked Porto for 3 to 10 May, a flat near the market with a bath",
            "sold the bath on gumtree",
            "Callum booked Porto for 3 to 10 May, a flat near the market with a bath",
        ),
        (
            "we have a dog called Biscuit and a very old cat named Miso",
            "Kit and Struan have split, Struan's back in his old flat in Gorgie",
            "Callum has a dog called Biscuit and a very old cat named Miso",
        ),
    ],
)
def test_an_end_of_another_thing_ends_nothing(tmp_path: Path, before: str, after: str, fact: str):
    assert told(tmp_path, before, after)[fact] == "active"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Dad's on warfarin, 3 mg at night", "dad's finished with the warfarin"),
        ("I joined the Leith Victoria pool, 29 quid a month", "cancelled the pool, I wasn't going"),
    ],
)
def test_an_end_of_the_thing_itself_ends_the_statement(tmp_path: Path, before: str, after: str):
    assert "superseded" in told(tmp_path, before, after).values()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("booked Crete!! somewhere with an actual pool", "cancelled the pool, I wasn't going"),
        ("my dad lives in Perth on his own", "Crete's off, can't leave dad"),
        ("my GP's number is 0131 496 0175", "changed the alarm, it's 4096 now"),
    ],
)
def test_news_of_another_thing_marks_no_turn(tmp_path: Path, before: str, after: str):
    assert marked(tmp_path, before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "old"),
    [
        (
            "The owner of tollgate is Ilse Brandt.",
            "The owner of tollgate is now Sanjay Mbeki.",
            "The owner of tollgate is Ilse Brandt",
        ),
        ("Ilse Brandt owns tollgate.", "Sanjay Mbeki owns tollgate now.", "Ilse Brandt owns tollgate"),
        (
            "The status of the gdansk depot is green.",
            "The status of the gdansk depot is now red.",
            "The status of the gdansk depot is green",
        ),
    ],
)
def test_a_new_value_of_a_named_thing_ends_the_old_one(tmp_path: Path, before: str, after: str, old: str):
    status = told(tmp_path, before, after)
    assert status.pop(old) == "superseded"
    assert "active" in status.values()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The on-call engineer for lighter is Priya.", "The on-call engineer for lighter is now Marek."),
        ("The max connections of sextant are 400.", "The max connections of sextant are now 600."),
    ],
)
def test_what_an_attribute_without_a_name_in_the_vocabulary_is_now_corrects_the_turn(
    tmp_path: Path, before: str, after: str
):
    assert marked(tmp_path, before, after).startswith("corrected")


@pytest.mark.parametrize(
    ("before", "staging"),
    [
        (
            "The rate limit of tollgate in production is 1200 rps, in staging it is 150 rps.",
            "The rate limit of tollgate in staging is 150 rps",
        ),
        (
            "The rate limit of tollgate is 1200 rps in production and 150 rps in staging.",
            "The rate limit of tollgate is 150 rps in staging",
        ),
    ],
)
def test_news_of_one_environment_leaves_the_other_in_force(tmp_path: Path, before: str, staging: str):
    status = told(tmp_path, before, "The rate limit of tollgate in production is now 1800 rps.")
    assert status[staging] == "active"
    assert any(
        old.startswith("The rate limit of tollgate") and each == "superseded" for old, each in status.items()
    )


def test_two_environments_in_one_sentence_are_not_mixed(tmp_path: Path):
    status = told(tmp_path, "Quayside in production listens on port 8443, staging quayside is on 9443.")
    assert "Quayside listens on port 8443 in production" in status
    assert not any("8443" in text and "9443" in text for text in status)


@pytest.mark.parametrize("is_commit_first", [True, False])
def test_a_chat_about_a_rollback_leaves_the_restored_value(tmp_path: Path, is_commit_first: bool):
    chat = (
        "The port change of quayside was rolled back, customers had 8443 in their firewalls.",
        "turn",
        "user",
    )
    commit = ('Revert "prod: quayside port 8443 -> 7443"', "commit", "tool")
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ops", clock=clock, seed=1) as memory:
        for line in ("prod: quayside port 9000 -> 8443", "prod: quayside port 8443 -> 7443"):
            memory.remember(line, kind="log", role="tool", verified=True)
            memory.sleep()
            clock.advance(DAY)
        for text, kind, role in (commit, chat) if is_commit_first else (chat, commit):
            memory.remember(text, kind=kind, role=role, verified=role == "tool")
            clock.advance(20)
        memory.sleep()
        assert "quayside port is 8443 (production)" in {fact.text for fact in memory.facts.list()}
