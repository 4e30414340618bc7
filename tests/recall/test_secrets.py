"""Secrets in recall: they answer the question that asks for them, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.texts.secrets import tells_secret
from bardo.privacy.asked import Asked
from bardo.recall.untold import LEFT_OUT

CARD = "the card is 4471, mum's house number backwards"
SHED = "The shed padlock opens with 7731"
PORTAL = "The portal login is ida@x.org / hunter22"
WIFI = "Wifi password is tulip-heron-9"
SAFE = "The safe is 12-48-33"
DOOR = "The door code is 2210."
ALARM = "alarm code 5519 star"
TOKEN = "deploy token: ghp_abcdefghijklmnopqrstuvwxyz0123456789"
SEED = "recovery phrase: maple violet orbit canal drift lemon tiger fossil ankle umbrella yellow zone"
IBAN = "My IBAN is DE89 3704 0044 0532 0130 00"


@pytest.mark.parametrize(
    "text",
    [
        "My phone number is 555 0134",
        "I'm in the suburbs, and my zip code is 12345.",
        "Great, the kit lens is a Canon EF-S 18-55mm f/3.5-5.6, and its weight is fine.",
        "A phrase is a group of words that forms a unit of meaning. For example: the old red door of the house.",
        "Use over-the-door storage racks to store up to 12 pairs of shoes. Keep keys and wallet near the entrance.",
        "The 3-2-1 rule says: three copies of your data, stored on two different types of media.",
        "Tips:\n1. Set an alarm for 6:30 to catch the sunrise.\n2. Bring 2 1/4 cups of coffee.\n3. Lock the car.",
        "Grant credentials to holders, who can then present them to verifiers as proof of identity.",
    ],
)
def test_a_text_that_only_names_such_things_tells_no_secret(text: str) -> None:
    assert not tells_secret(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What's the PIN?", CARD),
        ("what is the bank PIN", CARD),
        ("the card?", CARD),
        ("Withdraw 40 euros with the card", CARD),
        ("Wie ist die PIN der Karte?", CARD),
        ("how do I get into the shed", SHED),
        ("Unlock the shed", SHED),
        ("what's the combination for the shed", SHED),
        ("password for the portal", PORTAL),
        ("Log in to the council portal", PORTAL),
        ("which credentials do you have?", PORTAL),
        ("what's the wifi", WIFI),
        ("connect my phone to the wifi", WIFI),
        ("the passphrase of the wifi", WIFI),
        ("the combination of the safe", SAFE),
        ("Open the safe", SAFE),
        ("I forgot the door code again", DOOR),
        ("Disarm the alarm", ALARM),
        ("Deploy with the token", TOKEN),
        ("Show me the recovery phrase", SEED),
        ("what's my IBAN", IBAN),
        ("What's the passcode of the tablet?", "the kids' tablet PIN is 8080"),
        ("Wie lautet das WLAN-Passwort?", "Das WLAN-Passwort ist Tulpe-77-Reiher"),
        ("Whose is 0x" + "9f8e7d6c" * 8 + "?", "Zeta's key is 0x" + "9f8e7d6c" * 8),
        ("connect to the staging database", "staging database password: k9!vTr_22x"),
    ],
)
def test_a_secret_answers_a_question_for_it(question: str, text: str) -> None:
    assert tells_secret(text)
    assert Asked(question).wants(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Helga's phone number?", CARD),
        ("Which numbers do you know?", CARD),
        ("What number is grandma's house?", CARD),
        ("mum's house", CARD),
        ("What did mum say?", CARD),
        ("Plan Friday's dinner", CARD),
        ("What do you know about Ida?", CARD),
        ("Where is the shed?", SHED),
        ("Paint the shed green", SHED),
        ("When does the portal close?", PORTAL),
        ("Who fixed the wifi?", WIFI),
        ("door code", WIFI),
        ("Did we pay with the card?", WIFI),
        ("Open a ticket for the crash", WIFI),
        ("How much did the safe cost?", SAFE),
        ("wifi password", DOOR),
        ("Buy a new door", DOOR),
        ("What's the dress code for the party?", DOOR),
        ("Which source code did we change?", DOOR),
        ("Join the party at eight", DOOR),
        ("Let's open a bottle of wine", ALARM),
        ("What failed in the last deploy?", TOKEN),
        ("How many words are in the song?", SEED),
    ],
)
def test_a_secret_answers_no_other_question(question: str, text: str) -> None:
    assert not Asked(question).wants(text)


@pytest.mark.parametrize(
    "text",
    [
        "Holiday fund is at 1,150",
        "I paid 40 for the gate",
        "the kitty is 60",
        "Standup is at 9:30 in room 4",
        "The spare key is under the pot",
        "Yep, let's create a positivity ripple! Little acts of kindness can really transform people.",
        "Wow, Caroline! Sorry that happened to you. It's great you apologized.",
        "Helga's number is 0176 5552041",
    ],
)
def test_a_text_without_a_secret_tells_none(text: str) -> None:
    assert not tells_secret(text)


def _told(g: bardo.Grimoire) -> None:
    g.remember(CARD, role="user", speaker="Tarek", kind="turn", thread="home")
    g.remember("Helga's phone number is 0176 5552041", role="user", kind="turn", thread="home")
    g.remember("Helga's house has a blue door", role="user", kind="turn", thread="home")


def test_recall_and_prompts_leave_out_a_secret_that_nobody_asked_for(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        _told(g)
        question = "What is Helga's phone number?"
        found = g.recall(question)
        prompt = g.context(question)
        turn = g.turn(question, thread="guest")
        assert not any(
            "4471" in str(each) for each in (*[memory.text for memory in found], prompt, turn.text)
        )
        for notes in (found.notes, prompt.notes, turn.notes):
            assert [note for note in notes if note == f"1 episode that tells a secret was {LEFT_OUT}"]
        assert "0176" in found[0].text
        # Nothing is deleted.
        (kept,) = (episode for episode in g.episodes.list() if "4471" in episode.text)
        assert g.episodes.get(kept.id) == kept


def test_recall_and_prompts_tell_a_secret_that_is_asked_for(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        _told(g)
        question = "What's the PIN of the card?"
        assert "4471" in g.recall(question)[0].text
        assert "4471" in str(g.context(question))
        assert "4471" in g.turn(question, thread="home").text


def test_an_argument_and_a_setting_let_secrets_answer_every_query(tmp_path: Path) -> None:
    question = "What is Helga's house number?"
    with bardo.open(tmp_path / "a") as g:
        _told(g)
        assert any("4471" in memory.text for memory in g.recall(question, secrets=True))
        assert not any("4471" in memory.text for memory in g.recall(question))
    with bardo.open(tmp_path / "a", config={"recall": {"secrets": True}}) as g:
        assert any("4471" in memory.text for memory in g.recall(question))
        assert not any("4471" in memory.text for memory in g.recall(question, secrets=False))
    with bardo.visit(tmp_path / "a") as visitor:
        assert not any("4471" in memory.text for memory in visitor.recall(question, secrets=False))


def test_the_turns_beside_a_memory_tell_no_secret_that_nobody_asked_for(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        _told(g)
        for secrets, is_told in ((None, False), (True, True)):
            found = g.recall("Helga's phone", window=2, secrets=secrets)
            beside = [turn.text for memory in found for turn in (*memory.before, *memory.after)]
            assert any("4471" in text for text in beside) is is_told


def test_forgetting_by_a_query_finds_a_secret(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        _told(g)
        g.forget(query="house number backwards", reason="a PIN")
        assert not any("4471" in episode.text for episode in g.episodes.list())


def test_many_secrets_do_not_take_the_places_of_other_memories(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        for place in range(12):
            g.remember(f"The door code of house {place} is {2210 + place * 37}.", role="user", kind="turn")
        for place in range(5):
            g.remember(f"House {place} has a red roof", role="user", kind="turn")
        found = g.recall("which house has a roof?", limit=5)
        assert len(found) == 5
        assert all("roof" in memory.text for memory in found)
