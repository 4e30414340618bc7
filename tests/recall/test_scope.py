"""Postures are kept apart, and a session begins with the person."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.grimoire.grimoire import Grimoire
from bardo.model import Fact
from bardo.ports import ManualClock

NOW = 1_700_000_000_000_000


@pytest.fixture
def grimoire(tmp_path: Path) -> Grimoire:
    opened = bardo.open(tmp_path / "a", clock=ManualClock(NOW), embedder=None)
    said = [
        ("the deploy script is green", "agent", "work", "one", "code"),
        ("the deploy song is green", "user", "work", "one", "chat"),
        ("my deploy hat is green", "user", "home", "two", None),
        ("your deploy hat is green", "agent", "home", "two", None),
        ("the deploy log is green", "agent", "work", "three", "code"),
    ]
    for tick, (text, role, thread, session, mode) in enumerate(said, 1):
        opened.remember(text, tick=tick, at=NOW + tick, role=role, thread=thread, session=session, mode=mode)
    return opened


def found(grimoire: Grimoire, **options: object) -> set[str]:
    """The words that tell the memories apart."""
    return {memory.text.split()[2] for memory in grimoire.recall("deploy green", limit=10, **options)}


def test_a_thread_keeps_to_the_posture_of_its_latest_episode(grimoire: Grimoire) -> None:
    everything = {"script", "song", "hat", "log"}
    assert found(grimoire) == everything
    assert found(grimoire, thread="work") == everything - {"song"}
    assert any("mode code" in note for note in grimoire.recall("deploy green", thread="work").notes)
    assert found(grimoire, thread="work", mode="chat") == {"song", "hat"}
    assert found(grimoire, thread="work", mode="*") == everything
    assert found(grimoire, thread="home") == found(grimoire, thread="elsewhere") == everything


def test_the_first_turn_of_a_session_leaves_out_what_agents_said(grimoire: Grimoire) -> None:
    assert found(grimoire, session="new") == {"song", "hat"}
    assert any("session new begins" in note for note in grimoire.recall("deploy", session="new").notes)
    assert found(grimoire, session="new", roles=["agent"]) == {"script", "hat", "log"}
    grimoire.remember("hello", role="user", session="new")
    assert found(grimoire, session="new") == {"script", "song", "hat", "log"}


def test_facts_answer_on_a_first_turn_too(grimoire: Grimoire) -> None:
    grimoire._session.facts.upsert([Fact("any deploy Friday is green", category="work")], tick=9, now=NOW)
    assert found(grimoire, session="new") == {"song", "hat", "Friday"}


def beside(grimoire: Grimoire, query: str, **options: object) -> list[str]:
    """Returns the turns beside the best memory, at most two away."""
    best = grimoire.recall(query, limit=1, window=2, **options)[0]
    return [turn.text for turn in (*best.before, *best.after)]


def test_turns_beside_a_memory_are_kept_apart_as_memories_are(tmp_path: Path) -> None:
    said = [
        ("where is the picnic basket?", "user", "chat"),
        ("fix the parser", "user", "code"),
        ("it is in the attic", "agent", "chat"),
        ("up the ladder", "user", None),
    ]
    with bardo.open(tmp_path / "a", clock=ManualClock(NOW), embedder=None) as grimoire:
        for tick, (text, role, mode) in enumerate(said, 1):
            grimoire.remember(text, tick=tick, at=NOW + tick, role=role, thread="t", session="s", mode=mode)
        attic, parser, ladder = "it is in the attic", "fix the parser", "up the ladder"
        assert beside(grimoire, "picnic basket") == [parser, attic]
        assert beside(grimoire, "picnic basket", mode="chat") == [attic]
        assert beside(grimoire, "picnic basket", mode="*") == [parser, attic]
        assert beside(grimoire, "picnic basket", session="new") == [parser]
        assert beside(grimoire, "picnic basket", roles=["user"]) == [parser, attic]
        assert beside(grimoire, "picnic basket", until=NOW + 2) == [parser]
        assert beside(grimoire, "attic", since=NOW + 2) == [parser, ladder]
        assert beside(grimoire, "attic", mode="chat") == ["where is the picnic basket?", ladder]


@pytest.mark.parametrize("speaker", [None, "Ida Berg"])
def test_a_question_of_my_own_asks_of_my_turns(tmp_path: Path, speaker: str | None) -> None:
    with bardo.open(tmp_path / "b", clock=ManualClock(NOW), embedder=None) as memory:
        for role, text in (("agent", "a deploy hat is blue"), ("user", "the deploy hat is green")):
            who = speaker if role == "user" else None
            memory.remember(text, role=role, speaker=who, kind="turn", thread="t")
        asked = {
            item.record.role: "said by whom it asks of" in str(item.why)
            for item in memory.recall("is my deploy hat blue or green?")
        }
    assert asked == {"agent": False, "user": True}
