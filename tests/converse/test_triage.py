"""Triage: the pre-filter, the classifier, and what holds when one of them fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bardo
from bardo import _core
from bardo.converse import triage as module
from bardo.errors import InvalidInputError
from bardo.model import Fingerprint
from bardo.ports import Embedder


@pytest.mark.parametrize(
    "text", ["hi", "Thanks a lot!", "👍", "/help", "muchas gracias", "谢谢", "спасибо", "ok cool"]
)
def test_a_trivial_message_needs_no_memory(text: str) -> None:
    found = bardo.triage(text)
    assert (found.intent, found.memory, found.save, found.extract) == ("small_talk", False, False, False)
    assert (found.by, found.max_tokens) == ("prefilter", 500)


@pytest.mark.parametrize(
    "text",
    [
        "thanks, now restart it",
        "hi, did the build pass?",
        "no, use tabs",
        "ok, 50%",
        "/etc/hosts is gone again",
    ],
)
def test_a_message_with_content_passes_the_prefilter(text: str) -> None:
    assert _core.triviality(text) is None
    assert bardo.triage(text).by == "words"


def test_the_classifier_tells_questions_about_the_project_from_chat(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        asked = g.triage("Did the nightly backup of the orders table finish?")
        feeling = g.triage("I feel so alone and I can't stop crying")
        said = g.triage("write a haiku about the sea")
    assert (asked.intent, asked.memory) == ("project_question", True)
    assert feeling.intent == "emotional_support"
    assert said.memory is False
    assert {asked.by, feeling.by, said.by} <= {"model", "words"}


def test_a_message_in_an_unknown_script_counts_as_needing_memory() -> None:
    found = bardo.triage("ჩემი პროექტი როდის დასრულდება")
    assert found.memory
    assert found.extract


@pytest.mark.parametrize(
    "text",
    [
        "ꯀꯔꯤ ꯇꯧꯔꯤ ꯅꯪ",  # Manipuri
        "Nimehamia Kisumu jana",  # Swahili
        "Ngihlala eThekwini manje",  # Zulu
        "Elan Tartus oma õega",  # Estonian
        "Locuiesc la Cluj cu fratele meu",  # Romanian
        "Με λένε Νίκο και μένω στη Θεσσαλονίκη",  # Greek
        "Käyn lääkärissä joka tiistai",  # Finnish
    ],
)
def test_a_message_in_a_language_that_the_weights_do_not_know_is_worth_saving_and_a_note_says_why(
    text: str,
) -> None:
    found = bardo.triage(text)
    assert (found.memory, found.save, found.extract) == (True, True, True)
    assert found.note.startswith("the weights do not know the language")


@pytest.mark.parametrize(
    "text",
    [
        "What do owls eat in winter?",
        "twelve weird holidays please",
        "Откати последний коммит, он всё сломал",
        "qué calor, madre mía, no se puede ni salir a la calle",
        "सर्वर वाला काम कहाँ तक पहुँचा?",
        "Dünkü raporu ekibe gönder.",
        "42 + 17 = 59",
    ],
)
def test_a_message_in_a_language_that_the_weights_know_is_not_saved_for_its_language(text: str) -> None:
    found = bardo.triage(text)
    assert not found.save
    assert not found.note


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("I'm allergic to walnuts", True),
        ("My blood type is AB negative", True),
        ("My new phone number ends in 42", True),
        ("I can't eat gluten", True),
        ("Ich bin gegen Nüsse allergisch", True),
        ("Ma fille s'appelle Zoé", True),
        ("Mi hermana vive en Lima", True),
        ("I'm soaked", False),
        ("I can't reach the top shelf", False),
        ("Which blood type can give to everyone?", False),
        ("Mein Tee ist kalt", False),
    ],
)
def test_what_a_speaker_states_about_themselves_is_worth_saving(
    text: str, is_own: bool, tmp_path: Path
) -> None:
    with bardo.open(tmp_path / "assistant") as g:
        assert g.triage(text).save == is_own


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("please remember that I prefer short reports", True),
        ("remember that my name is Anna", True),
        ("note: the vault owner is Tom", True),
        ("never push to main", True),
        ("don't email customers", True),
        ("don't worry about it", False),
        ("never mind, it works", False),
    ],
)
def test_a_message_that_asks_to_be_kept_is_worth_saving(text: str, kept: bool) -> None:
    assert bardo.triage(text).save == kept


def test_a_failure_never_drops_a_message() -> None:
    def broken(texts: object) -> object:
        raise RuntimeError("out of memory")

    found = bardo.triage("Where is the key?", embed=broken)  # type: ignore[arg-type]
    assert (found.intent, found.memory, found.save, found.extract, found.by) == (
        None,
        True,
        True,
        True,
        "failure",
    )
    assert "out of memory" in found.note
    assert found.max_tokens == 2_500


def test_a_missing_or_other_model_leaves_the_decision_to_words() -> None:
    import numpy as np

    other = (np.ones((1, 4), np.float32), Fingerprint("other", "1", "none", 4))
    for embed in (lambda texts: (None, None), lambda texts: other):
        found = bardo.triage("Where did we put the spare key?", embed=embed)
        assert found.by == "words"
        assert "words alone decide" in found.note


def test_the_same_message_has_the_same_triage() -> None:
    text = "Which of the two suppliers did we choose?"
    assert bardo.triage(text, ["Two offers arrived."]) == bardo.triage(text, ["Two offers arrived."])


def test_only_the_beginning_of_a_long_message_is_read() -> None:
    start = "Where did we put the spare key of the shed? "
    long = start + "x" * (module.READ - len(start))
    assert bardo.triage(long + " hello" * 50_000).intent == bardo.triage(long).intent


@pytest.mark.parametrize("wrong", [None, 5, b"hello"])
def test_a_message_that_is_no_text_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="text"):
        bardo.triage(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="previous"):
        bardo.triage("Which one?", ["a", 5])  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match="previous"):
        bardo.triage("Which one?", "the first")


def test_the_command_prints_the_triage(tmp_path: Path) -> None:
    bardo.open(tmp_path / "a").close()
    done = subprocess.run(
        [sys.executable, "-m", "bardo", "triage", "thanks!", "--at", str(tmp_path / "a"), "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["intent"] == "small_talk"


def test_a_question_about_what_the_memory_knows_needs_memory(tmp_path: Path, minilm: Embedder) -> None:
    about = ("Where does Nadia live?", "where does nadia live?", "Which port does the gateway use?")
    others = ("What is the capital of France?", "How tall is Mount Everest?", "thanks Nadia!")
    with bardo.open(tmp_path / "empty", embedder=minilm, seed=1) as g:
        assert not g.triage(about[0]).memory
    with bardo.open(tmp_path / "a", embedder=minilm, seed=1) as g:
        g.learn("Nadia lives in Bonn", subject="Nadia", attribute="home", value="Bonn")
        g.learn("The gateway listens on port 5433", subject="gateway", attribute="port", value="5433")
        assert [g.triage(text).memory for text in about] == [True] * 3
        assert [g.triage(text).memory for text in others] == [False] * 3


@pytest.mark.parametrize(
    "text",
    ["Any allergies?", "Still vegetarian?", "And the orthodontist?", "What about my sister?", "Which gym?"],
)
def test_a_question_without_a_verb_asks_about_what_is_shared(text: str) -> None:
    assert bardo.triage(text).memory


@pytest.mark.parametrize(
    "text", ["What is 17 times 23?", "Which is heavier, gold or lead, and is any of them rarer?"]
)
def test_a_whole_question_is_left_to_the_regressions(text: str) -> None:
    assert module._ELLIPTIC.match(text) is None


@pytest.mark.parametrize(
    "task",
    [
        "Plan Friday's dinner",
        "Write a message to my boss",
        "Make dinner tonight, please",
        "Order dinner",
        "Pick a film for the two of us",
        "Send the plumber the address",
        "Book the campsite for August",
        "Draft the answer to the auditor",
        "Choose a birthday present for Jonah",
        "Set up the new laptop",
        "Rebook the flight",
        "Close the short position",
        "Suggest a starter for the guests",
        "Schreib meiner Schwester eine Karte",
    ],
)
def test_a_task_that_depends_on_the_person_needs_memory(task: str, tmp_path: Path) -> None:
    assert bardo.triage(task).memory
    with bardo.open(tmp_path / "a") as g:
        assert g.triage(task).memory


@pytest.mark.parametrize(
    "task",
    [
        "convert 3 litres to pints",
        "what is 18 times 24?",
        "write a haiku about fog",
        "translate 'good evening' into Polish",
        "how many minutes are in a day",
        "tell me a joke about cats",
        "good morning!",
        "write a regex for a postcode",
    ],
)
def test_a_task_that_says_all_it_needs_goes_without_memory(task: str, tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        assert not g.triage(task).memory
