"""Confidences stay with their agent: the message, and the facts read from it."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.bequeath.content.confidences import confidences_of
from bardo.model import Episode, Fact
from bardo.privacy import confidences

ASKED = (
    "I'm expecting a child in May. But please don't tell the others yet!",
    "I lost my job in July. Please keep this between us.",
    "Strictly between you and me: Holt drinks.",
    "I'm telling you this in confidence, we will sell the house.",
    "Can you keep it to yourself? I am applying elsewhere.",
    "Don't mention it to my landlord yet, but I am moving out.",
    "In confidence: the clinic closes in June.",
    "She told me in strict confidence that she is ill.",
    "My son was arrested. Tell no one.",
    "Nobody else knows yet, but we separated.",
    "He asked me not to tell anyone, he has diabetes.",
    "We may lose the lease, keep this one quiet for now.",
    "don't let the others know yet, I've been accepted in Oslo",
    "Kindly keep what I told you about my mother to yourself.",
    "Ich bin krank, bitte sag es niemandem.",
    "Off the record: the vendor is broke.",
    "We're getting the kids a puppy for Christmas, they mustn't find out.",
    "The board is not to know yet: revenue is down a fifth.",
    "I'm quitting in March and I'd rather my manager heard it from me.",
    "Booked the trip to Lisbon, it's a surprise for Ines.",
    "If Ola asks about Saturday, you know nothing. We painted her boat.",
    "I'm seeing a lawyer about the divorce. I haven't told my sister.",
    "The offer came in at 410. That must not leave this room.",
    "My parents don't know yet, but I've dropped out.",
    "This one is just for you and me, I'm on probation.",
    "I owe 9,000 on cards. You didn't hear that from me.",
)
NOT_ASKED = (
    "Don't tell callers the door code.",
    "Never share the wifi password with guests.",
    "Keep the key to yourself until Friday.",
    "The 95 % confidence interval is wide.",
    "An increase in confidence was measured in May.",
    "The agreement between us and the insurer ends in May.",
    "We share the costs between us, 50 each.",
    "You don't have to keep this between us any more.",
    "Should we keep this private or publish it?",
    "Keep it quiet after ten, Mrs Abadi sleeps.",
    "Confidential documents go into the blue bin.",
    "Keep this private key out of the repo.",
    "The spare key hangs in the egg fridge, don't tell the geese",
    "nobody knows yet whether billing survives the loss of two zones",
    "They didn't mention it.",
    "I failed the exam and I can't tell my dad",
    "Tell the others that lunch is at noon.",
    "Ruth doesn't know the new door code, send it to her.",
    "He can't hear well on the left side.",
    "The client does not know yet which colour they want.",
    "If Ola asks, the meeting is at three.",
    "It was a surprise that the train came on time.",
    "The phone stays with me until four.",
    "I could zip it and move it to the archive.",
    "The cat must not leave the house.",
    "I'll tell you when it's ready.",
)


@pytest.mark.parametrize("text", ASKED)
def test_a_request_for_confidence_is_recognised(text: str) -> None:
    assert confidences.asks(text)


@pytest.mark.parametrize("text", NOT_ASKED)
def test_a_rule_about_what_is_told_and_other_words_are_no_request(text: str) -> None:
    assert not confidences.asks(text)


@pytest.mark.parametrize(
    ("texts", "confided"),
    [
        (["Rent is due on the 3rd", "I am leaving in June", "please don't tell the others yet!"], [1, 2]),
        (["Can I tell you something in confidence?", "Marco drinks", "The bins are full"], [0, 1]),
        (["The bins are full", "I'm expecting twins, please keep this between us"], [1]),
        (["The bins are full", "The scan was bad", "About the scan, Ben is not to know of it"], [1, 2]),
        (
            ["The bins are full", "I was fired", "Ben is not to know that I was fired, keep it between us"],
            [2],
        ),
    ],
)
def test_a_bare_request_means_the_message_beside_it(texts: Sequence[str], confided: list[int]) -> None:
    told = [Episode(text, id=str(place), role="user", speaker="Rosa") for place, text in enumerate(texts)]
    others = Episode("Petra is back", id="other", role="user", speaker="Petra")
    assert confidences_of([told[0], others, *told[1:]]).ids == {str(place) for place in confided}


def everything_in(testament: Path) -> str:
    """Content of a testament as text, and the reasons for what stayed behind."""
    with zipfile.ZipFile(testament) as parts:
        return " ".join(parts.read(name).decode(errors="replace") for name in parts.namelist())


def test_a_confidence_does_not_cross_and_the_testament_counts_it(tmp_path: Path, minilm: Any) -> None:
    with bardo.open(tmp_path / "office", embedder=minilm) as g:
        for who, text in (
            ("Rosa", "I work at the Blue Bakery in Lugano."),
            ("Rosa", "I am pregnant and due in May. Please don't tell the others yet!"),
            ("Timo", "My sister Ilka was diagnosed with epilepsy. Please keep this between us."),
            ("Timo", "The rent of flat 3 is 890 euro warm."),
        ):
            g.remember({"role": "user", "content": text, "name": who, "verified": True})
        g.sleep()
        assert any("pregnant" in hit.text for hit in g.recall("is Rosa pregnant?"))
        left = g.bequeath(tmp_path / "office.testament")
        reasons = [one for one in g.death.left_behind() if one.reason == "confidential"]
    assert left.left_out["confidential"] == len(reasons) >= 2
    texts = [*(one.text for one in left.episodes), *(one.text for one in left.facts), left.reflection]
    assert not any(word in text for text in texts for word in ("pregnant", "epilepsy", "Ilka"))
    assert not any(word in everything_in(left.path) for word in ("pregnant", "epilepsy"))
    assert any("890" in one.text for one in left.episodes)
    with bardo.inherit(left.path, tmp_path / "heir", embedder=minilm) as heir:
        assert not any("pregnant" in hit.text for hit in heir.recall("is Rosa pregnant?"))


def test_a_fact_that_was_also_told_openly_crosses(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "office") as g:
        confided = g.remember("Rosa leaves in June, please keep this between us.")
        told = g.remember("Rosa said at lunch that she leaves in June.")
        g.learn(Fact("Rosa plans to move", confidence=0.9, evidence=(confided.id,)))
        g.learn(Fact("Rosa leaves in June", confidence=0.9, evidence=(confided.id, told.id)))
        left = g.bequeath(tmp_path / "office.testament")
    crossed = {fact.text for fact in left.facts}
    assert "Rosa leaves in June" in crossed
    assert "Rosa plans to move" not in crossed


def _talk(
    lines: Sequence[tuple[str, str]], *, seconds: int = 20, session: str | None = None
) -> list[Episode]:
    return [
        Episode(
            text, id=f"{place}", at=place * seconds * 1_000_000, thread="home", session=session,
            role="agent" if who == "Moss" else "user", speaker=who,
        )
        for place, (who, text) in enumerate(lines)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "confided"),
    [
        (
            [
                ("Tarek", "Between you and me: surprise party for Ida on 10 October. Don't tell her."),
                ("Moss", "My lips are sealed."),
                ("Tarek", "Band is Ravi's brother on bass."),
                ("Moss", "Nice, a bass."),
                ("Tarek", "Is there milk left?"),
            ],
            {0, 1, 2, 3},
        ),
        (
            [
                ("Rosa", "The lease ends in May, please keep this between us."),
                ("Moss", "It stays here."),
                ("Timo", "The boiler was serviced."),
                ("Rosa", "The bins are full."),
            ],
            {0, 1},
        ),
        (
            [
                ("Rosa", "I am leaving in June"),
                ("Rosa", "please don't tell the others yet!"),
                ("Moss", "I say nothing about June."),
            ],
            {0, 1, 2},
        ),
        ([("Rosa", "The boiler was serviced."), ("Moss", "My lips are sealed.")], set()),
        ([("Rosa", "Nobody else knows yet, but we separated."), ("Rosa", "The bins are full.")], {0}),
    ],
)
def test_the_replies_to_a_confidence_and_what_goes_on_about_it_stay(
    lines: Sequence[tuple[str, str]], confided: set[int]
) -> None:
    assert confidences_of(_talk(lines)).ids == {str(place) for place in confided}


def test_a_message_long_after_a_confidence_is_none() -> None:
    lines = [("Rosa", "Nobody else knows yet, but we separated."), ("Moss", "Good morning, Rosa.")]
    assert confidences_of(_talk(lines, seconds=3_600)).ids == {"0"}
