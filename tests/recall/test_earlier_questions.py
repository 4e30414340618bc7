"""Earlier questions of a user, which state nothing, come after statements and are no memories of a turn."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.recall.earlier_questions import states_nothing


@pytest.mark.parametrize(
    "text",
    [
        "How long are backups kept?",
        "Which port does the worker listen on, and why?",
        "Are backups kept for long?",
        "Where does Helga live? And since when?",
        "Who is Mila's teacher?",
        "Did the party go well?",
    ],
)
def test_a_question_states_nothing(text: str) -> None:
    assert states_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "The worker listens on 7431, doesn't it?",
        "Helga lives in Kiel, right?",
        "Did you know that Helga lives in Kiel?",
        "Tobias is on leave. Who leads operations?",
        "Can we move the worker to 7431?",
        "Can you make Tuesday the day of the swim?",
        "What about Tuesday for the swim?",
        "Why not move the swim to Tuesday?",
        "Is the worker on 7431?",
        "Backups are kept for two weeks.",
    ],
)
def test_a_text_may_state_something(text: str) -> None:
    assert not states_nothing(text)


def _told(path: Path, statement: str, questions: list[str]) -> bardo.Grimoire:
    g = bardo.open(path, agent="elder")
    said = [*questions[:1], statement, *questions[1:]]
    g.remember([{"role": "user", "content": text} for text in said], thread="t")
    return g


BACKUPS = "Backups of production run at 02:30 and are kept for 14 days."
KEPT = [
    "How long are backups kept?",
    "Are backups kept for long?",
    "How long do we keep backups of production?",
]


def test_a_statement_comes_before_earlier_questions(tmp_path: Path) -> None:
    with _told(tmp_path / "g", BACKUPS, KEPT) as g:
        found = [memory.text for memory in g.recall("How long are the backups kept?")]
        assert found[0] == BACKUPS
        assert set(found[1:]) <= set(KEPT)


def test_a_turn_tells_no_earlier_questions(tmp_path: Path) -> None:
    with _told(tmp_path / "g", BACKUPS, KEPT) as g, g.turn("Are the backups kept long?", thread="t") as turn:
        assert [memory.text for memory in turn.memories] == [BACKUPS]


def test_questions_answer_a_query_about_them(tmp_path: Path) -> None:
    with (
        _told(tmp_path / "g", BACKUPS, KEPT) as g,
        g.turn("What did I ask about backups?", thread="t") as turn,
    ):
        assert set(KEPT) & {memory.text for memory in turn.memories}


def test_a_turn_tells_the_newer_value_first(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "g", agent="elder") as g:
        for text in ("The worker listens on 7420 from now on.", "The worker listens on 7431 now."):
            g.remember([{"role": "user", "content": text}], thread="t", verified=True)
            g.sleep()
        with g.turn("Which port does the worker listen on?", thread="t") as turn:
            found = [memory.text for memory in turn.memories]
            assert "7431" in found[0]
            assert turn.memories[-1].standing.startswith("corrected")
