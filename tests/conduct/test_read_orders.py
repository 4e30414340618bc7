"""Orders and refusals in words that no form has, which a cross-encoder reads; and talk that forbids nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.conduct.hearing import order_reader
from bardo.conduct.hearing.order_reader import Message
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.state import state
from bardo.consolidate import cross_encoder
from bardo.surfaces.cli.app import app


@pytest.fixture(scope="module")
def encoder() -> cross_encoder.CrossEncoder:
    found = cross_encoder.load("orders")
    if found is None:
        pytest.skip("the embedding model is not installed")
    return found


def test_sentences_are_read_after_those_before_them() -> None:
    assert [*order_reader.sentences("The audit is over. Nobody opens the vault. Ever.")] == [
        ("user: ", "The audit is over."),
        ("user: The audit is over.", "Nobody opens the vault. Ever."),
    ]
    assert [*order_reader.answers("God no", "The pool is open. Shall I book the slide?")] == [
        ("agent: The pool is open.", "God no"),
        ("agent: Shall I book the slide?", "God no"),
    ]
    long = " ".join(["word"] * (order_reader.WORDS + 1))
    assert [*order_reader.sentences(f"{long}.")] == []


@pytest.mark.parametrize(
    "said",
    [
        "The staging cluster is hands off until the demo.",
        "Anything above 200 euros goes past me first.",
        "The old logo is finished, I don't want to see it anywhere.",
    ],
)
def test_a_sentence_that_forbids_is_a_rejection_in_its_own_words(
    encoder: cross_encoder.CrossEncoder, said: str
) -> None:
    ((order,),) = order_reader.read([Message(f"Morning, all. {said}", "", ())], encoder)
    assert (order.said, order.heard.kind, order.heard.summary) == (said, "rejection", said)


@pytest.mark.parametrize(
    "said",
    ["Hotfixes may go to production without my approval.", "Photos of the garden may go to the press."],
)
def test_a_permission_is_no_rejection(encoder: cross_encoder.CrossEncoder, said: str) -> None:
    assert order_reader.read([Message(said, "", ())], encoder) == [[]]


@pytest.mark.parametrize(
    ("before", "answer", "refused"),
    [
        ("Six guests so far. Shall I order the sushi platter?", "Half of them are allergic to fish, so no.",
         "order the sushi platter"),
        ("I can set up a weekly call with the vendor.", "One more meeting and I quit.",
         "set up a weekly call with the vendor."),
        ("The page is slow. Should I add Redis for the cache?", "Yet another thing to babysit at night.",
         "add Redis for the cache"),
    ],
)  # fmt: skip
def test_what_an_answer_turns_down_is_a_rejection_in_the_words_of_the_offer(
    encoder: cross_encoder.CrossEncoder, before: str, answer: str, refused: str
) -> None:
    ((order,),) = order_reader.read([Message(answer, before, ())], encoder)
    assert (order.said, order.heard.detail) == (answer, answer)
    assert order.heard.summary.rstrip(".?") == refused.rstrip(".?")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", "The bakery closes at six."),
        ("", "We don't have a dishwasher."),
        ("", "My sister never eats breakfast."),
        ("", "The bus only runs on Sundays."),
        ("", "She said nobody may enter the lab."),
        ("", "We used to ban phones at dinner."),
        ("", "The limit of the card is 500 euros."),
        ("", "I can't find my keys, can you check the logs from yesterday?"),
        ("Shall I order the sushi platter?", "Sounds great, for eight please."),
        ("I can set up a weekly call with the vendor.", "What time would that be?"),
        ("I found three flats in your range.", "Send me the links please."),
    ],
)
def test_talk_near_an_order_forbids_nothing(
    encoder: cross_encoder.CrossEncoder, before: str, said: str
) -> None:
    assert order_reader.read([Message(said, before, ())], encoder) == [[]]


def test_what_forms_heard_is_not_read_again(encoder: cross_encoder.CrossEncoder) -> None:
    said = "The staging cluster is hands off until the demo."
    assert order_reader.read([Message(said, "", (said,))], encoder) == [[]]


@pytest.mark.parametrize("is_on", [True, False])
def test_a_memory_reads_orders_only_if_it_is_told_to(
    tmp_path: Path, encoder: cross_encoder.CrossEncoder, is_on: bool
) -> None:
    config = {"curator": {"cross_encoder": is_on}}
    with bardo.open(tmp_path / "a", agent="ann", config=config) as memory:
        memory.remember("The page is slow. Should I add Redis for the cache?", role="agent", kind="turn")
        memory.remember("Yet another thing to babysit at night.", role="user", speaker="mira", kind="turn")
        report = memory.sleep()
    with bardo.gate(tmp_path / "a") as gate:
        rejected = [(entry.summary, entry.detail, entry.by) for entry in gate.state("rejected")]
        verdict = gate.before("docker compose up -d redis")
    expected = ("add Redis for the cache", "Yet another thing to babysit at night.", "mira")
    assert rejected == [expected] * is_on
    assert any("rejected (1)" in note for note in report.notes) == is_on
    assert (verdict.decision != "allow") == is_on
    shown = CliRunner().invoke(app, ["gate", "show", "--at", str(tmp_path / "a")], env={"COLUMNS": "200"})
    assert ("only warns" in shown.output) == is_on


@pytest.mark.usefixtures("encoder")
@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Should I post the password hunter2!x9 in the channel?", "My boss would never let me live it down."),
        ("I could hand the password hunter2!x9 to the trainees.", "One more of those and I quit."),
    ],
)
def test_a_secret_in_an_offer_that_was_turned_down_stays_in_its_episode(
    tmp_path: Path, before: str, said: str
) -> None:
    with bardo.open(tmp_path / "a", agent="ann") as memory:
        memory.remember(before, role="agent", kind="turn")
        memory.remember(said, role="user", speaker="mira", kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path / "a") as gate:
        assert gate.state() == []


def test_an_order_that_was_read_only_warns_until_a_person_repeats_or_corrects_it(tmp_path: Path) -> None:
    offer = "add Redis for the cache"
    for number, confirm in enumerate((None, "told", "corrected", "agent")):
        folder = tmp_path / str(number)
        bardo.open(folder, agent="ann").close()
        with bardo.gate(folder, words_only=True) as gate:
            gate._store.put(
                StateEntry("", "rejected", offer, "no more pets", by="mira", corrections='{"is_read": true}')
            )
            (entry,) = gate.state("rejected")
            assert entry.doubt
            read = gate.before(f"{offer} of the shop")
            assert read.decision == "warn"
            assert "only warns" in read.findings[0].because
            if confirm == "told":
                gate.reject(offer, by="mira")
            elif confirm:
                gate.correct(
                    entry.id,
                    forbids={"phrases": [offer]},
                    add=True,
                    by="mira" if confirm == "corrected" else "ann",
                )
            (entry,) = gate.state("rejected")
            assert bool(entry.doubt) == (confirm in {None, "agent"})
            assert gate.before(offer).decision == ("warn" if entry.doubt else "block")


def test_a_plain_rejection_is_not_weakened_by_a_later_reading(tmp_path: Path) -> None:
    bardo.open(tmp_path / "a", agent="ann").close()
    with bardo.gate(tmp_path / "a", words_only=True) as gate:
        gate.reject("add Redis", by="mira")
        read = StateEntry("", "rejected", "add Redis", by="mira", at=1, corrections='{"is_read": true}')
        assert not state.keep(gate._store, read, lambda _: None, lambda: None, agent="ann").doubt
        assert gate.before("add Redis").decision == "block"
