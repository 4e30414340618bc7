"""Lifts in other words are read by a cross-encoder: orders in plain words then only warn, read ones end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts import lift_reader
from bardo.grimoire import read_lifts

ORDER = "Please don't book meetings on Wednesdays."
LIFT = "my Wednesdays have opened up, put whatever you want there"
ACTION = "book a meeting with Lena on Wednesday"


def told(folder: Path, *said: str, **fields: str) -> str:
    """Tells an agent messages of a user, and sleeps; returns the notes of the pass."""
    with bardo.open(folder, agent="ann") as memory:
        for text in said:
            memory.remember({"role": "user", "content": text, "name": "Ana"} | fields)
        return " ".join(memory.sleep().notes)


def decided(folder: Path, action: str = ACTION) -> str:
    with bardo.gate(folder) as gate:
        return gate.before(action).decision


def test_a_sentence_is_read_with_those_before_it_and_the_agents_last_one() -> None:
    assert [*lift_reader.sentences("The audit is over. Open the vault.", "Hello. Is it still shut?")] == [
        ("The audit is over.", "The audit is over. agent: Is it still shut?"),
        ("Open the vault.", "Open the vault. earlier: The audit is over. agent: Is it still shut?"),
    ]
    assert lift_reader.told("book the slide", "God no") == "order: book the slide God no"


def test_an_order_in_plain_words_only_warns_after_a_lift_in_other_words(tmp_path: Path) -> None:
    told(tmp_path, ORDER)
    assert decided(tmp_path) == "block"
    assert "1 order in doubt" in told(tmp_path, LIFT)
    assert decided(tmp_path) == "warn"
    with bardo.gate(tmp_path) as gate:
        assert "Ana" in gate.state("rejected")[0].doubt
        assert any("Ana" in finding.because for finding in gate.before(ACTION).findings)


def test_both_in_one_pass_are_heard_in_their_order(tmp_path: Path) -> None:
    told(tmp_path / "lifted", ORDER, LIFT)
    assert decided(tmp_path / "lifted") == "warn"
    told(tmp_path / "forbidden", LIFT, ORDER)
    assert decided(tmp_path / "forbidden") == "block"


@pytest.mark.parametrize("is_one_pass", [False, True])
def test_words_that_allow_are_no_order_that_a_model_hears(tmp_path: Path, is_one_pass: bool) -> None:
    said = [
        ORDER,
        "My Wednesdays are free again, the course is over. Book meetings on any weekday from here on.",
    ]
    for part in [said] if is_one_pass else [said[:1], said[1:]]:
        told(tmp_path, *part)
    with bardo.gate(tmp_path) as gate:
        assert [entry.summary for entry in gate.state("rejected")] == [ORDER]
        assert not gate.rules()
    assert decided(tmp_path) == "warn"


@pytest.mark.parametrize("again", ["chat", "gate", "correct"])
def test_a_person_takes_the_doubt_away(tmp_path: Path, again: str) -> None:
    told(tmp_path, ORDER)
    told(tmp_path, LIFT)
    if again == "chat":
        told(tmp_path, "Don't book meetings on Wednesdays, please.")
    else:
        with bardo.gate(tmp_path) as gate:
            if again == "gate":
                gate.reject(ORDER, by="Ana")
            else:
                gate.correct(gate.state("rejected")[0].id, forbids={"things": ["meetings"]}, by="Ana")
    assert decided(tmp_path) == "block"


def test_an_order_that_was_itself_read_ends(tmp_path: Path) -> None:
    told(tmp_path, "the staging cluster is hands off until the demo")
    assert decided(tmp_path, "kubectl rollout restart -n staging deploy/api") == "warn"
    assert "ended" in told(tmp_path, "demo done. do what you like with the staging cluster from now on")
    with bardo.gate(tmp_path) as gate:
        assert gate.state("rejected") == []
        (entry,) = gate.state("rejected", every=True)
        assert entry.closed_by == "Ana"


@pytest.mark.parametrize(
    ("aside", "is_read"), [("The printer works again.", True), ("The password is zebrafish-88.", False)]
)
def test_a_message_with_a_secret_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aside: str, is_read: bool
) -> None:
    read: list[str] = []

    def noted(_: object, messages: Sequence[read_lifts.Said]) -> tuple[int, int]:
        read.extend(one.text for one in messages)
        return 0, 0

    monkeypatch.setattr(read_lifts, "lift", noted)
    told(
        tmp_path,
        f"Lena has the flu and stays at home until Thursday, poor thing. {aside} {LIFT} as far as I am concerned.",
    )
    assert bool(read) == is_read


@pytest.mark.parametrize(
    "text",
    [
        "Wednesdays are so quiet, I love them",
        "Is Wednesday still free of meetings?",
        "Lena's Wednesdays have opened up, she can have meetings then",
    ],
)
def test_news_about_the_same_changes_nothing(tmp_path: Path, text: str) -> None:
    told(tmp_path, ORDER)
    told(tmp_path, text)
    assert decided(tmp_path) == "block"


def test_an_agent_lifts_nothing(tmp_path: Path) -> None:
    told(tmp_path, ORDER)
    told(tmp_path, LIFT, role="assistant", name="ann")
    assert decided(tmp_path) == "block"


def test_without_the_cross_encoder_forms_alone_lift(tmp_path: Path) -> None:
    told(tmp_path, ORDER)
    with bardo.open(tmp_path, agent="ann", config={"curator": {"cross_encoder": False}}) as memory:
        memory.remember({"role": "user", "content": LIFT, "name": "Ana"})
        memory.sleep()
    assert decided(tmp_path) == "block"


def test_deleting_the_words_of_a_lift_leaves_none_of_them(tmp_path: Path) -> None:
    told(tmp_path, ORDER)
    with bardo.open(tmp_path, agent="ann") as memory:
        said = memory.remember({"role": "user", "content": LIFT, "name": "Ana"})
        memory.sleep()
        memory.forget([said.id], reason="asked to")
    assert not any(b"opened up" in file.read_bytes() for file in tmp_path.glob("conduct.db*"))


@pytest.mark.parametrize(
    ("order", "text", "action"),
    [
        ("No deploys on Fridays. I want my weekends.",
         "Bea and I have swapped: Tuesdays are mine now, she has Wednesdays.", "Deploy the site on Friday"),
        ("So don't use Redis in paygate.",
         "Default branch is main now, I renamed master this morning. The fork paygate-demo is still on master.",
         "Use Redis in paygate for sessions"),
    ],
)  # fmt: skip
def test_a_message_without_a_tie_to_an_order_leaves_it(
    tmp_path: Path, order: str, text: str, action: str
) -> None:
    told(tmp_path, order)
    assert "doubt" not in told(tmp_path, text)
    assert decided(tmp_path, action) == "block"
