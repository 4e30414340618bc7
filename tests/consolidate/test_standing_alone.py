"""Facts of chats stand alone: they name people, have dates, and bring the sentence that they need."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import reader
from bardo.consolidate.texts.sentence import sentences

#: 10 June 2026, a Wednesday, at 10:13.
START = 1_781_086_400_000_000


def clauses(text: str, *, earlier: tuple[str, ...] = ()) -> list[Clause]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    return list(rules.read(Speech(text, "Rory", START, earlier=earlier)))


def quotes(text: str, *, earlier: tuple[str, ...] = ()) -> list[str]:
    return [sentence.quote("Rory") for sentence in sentences(clauses(text, earlier=earlier))]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Bilel takes my pager until I'm back from leave.",
            "Bilel takes Rory's pager until Rory is back from leave",
        ),
        ("My father died when I was 11.", "Rory's father died when Rory was 11"),
        ("Northline has had me for nine years.", "Northline has had Rory for nine years"),
        ("I taught myself to knit.", "Rory taught themselves to knit"),
        ("I have asthma myself.", "Rory has asthma"),
        (
            "My sister and my brother live with us in Ghent.",
            "Rory's sister and Rory's brother live with Rory in Ghent",
        ),
    ],
)
def test_pronouns_of_the_speaker_become_the_name(said: str, text: str) -> None:
    assert text in [clause.text for clause in clauses(said)]


@pytest.mark.parametrize(
    "said",
    [
        "My daughter has installed you on my computer.",
        "My name is Rory.",
        # The subject of a joined clause, an order, and a list that is read as a subject.
        "Frozen shoulder, an injection on Friday, and no lifting until it's sorted comes with me.",
    ],
)
def test_clauses_about_the_agent_or_nothing_or_misread_have_no_text(said: str) -> None:
    assert not any(clause.text for clause in clauses(said))


def test_a_verb_that_does_not_agree_with_the_speaker_is_of_another_subject() -> None:
    texts = [clause.text for clause in clauses("I got into the diving course, starts 14 August.")]
    assert not any("starts" in text for text in texts)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The limit is 900 since this morning.", "The limit is 900 since the morning of 2026-06-10"),
        ("The manuscript went off last night.", "The manuscript went off on the evening of 2026-06-09"),
        ("Oncall starts again tomorrow.", "Oncall starts again on 2026-06-11"),
        ("Olek took over as of today.", "Olek took over as of 2026-06-10"),
    ],
)
def test_near_days_become_dates(said: str, told: str) -> None:
    (clause,) = clauses(said)
    assert (clause.text, clause.told) == (told, f"{told}.")


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Yes ok, and the window is Saturdays.", "Rory: The window is Saturdays."),
        ("So far it holds 400 litres.", "Rory: So far it holds 400 litres."),
        ("No sugar in my tea.", "Rory: No sugar in my tea."),
    ],
)
def test_openers_are_left_out_of_quotes(said: str, quote: str) -> None:
    assert quotes(said) == [quote]


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (
            "Oncall starts again on Friday. Every third week, me, Bilel and Ines.",
            "Rory: Oncall starts again on Friday. Every third week, me, Bilel and Ines.",
        ),
        (
            "My son wrote a poem. Nice weather today. He is fourteen.",
            "Rory: My son wrote a poem. He is fourteen.",
        ),
        ("Nadia. Qualified pharmacist since Monday.", "Rory: Nadia. Qualified pharmacist since Monday."),
    ],
)
def test_a_sentence_brings_the_one_that_it_needs(said: str, quote: str) -> None:
    assert quotes(said)[-1] == quote


def test_he_is_the_one_person_of_an_earlier_turn_whose_gender_fits() -> None:
    said = "He's at Kilmuir primary, taught in Gaelic."
    named = ("My nephew Ruaridh and my sister Morag are coming.",)
    assert quotes(said, earlier=named) == ["Rory: Ruaridh's at Kilmuir primary, taught in Gaelic."]
    # Two can be meant, or none is known: no fact is made.
    assert quotes(said, earlier=("My nephew Ruaridh and my brother Neil are coming.",)) == [""]
    assert quotes(said) == [""]


def test_a_fact_that_names_a_person_of_an_earlier_turn_rests_on_both(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "rory", clock=clock, seed=1) as memory:
        first = memory.remember("My nephew Ruaridh is here.", role="user", speaker="Rory", thread="chat")
        clock.advance(60)
        second = memory.remember(
            "He has been in the hospital in Inverness since Monday, with the asthma.",
            role="user",
            speaker="Rory",
            thread="chat",
        )
        memory.sleep()
        (fact,) = [fact for fact in memory.facts.list() if "hospital" in fact.text]
        assert fact.text.startswith("Rory: Ruaridh has been in the hospital")
        assert set(fact.evidence) == {first.id, second.id}
        # The name goes with the turn that gave it.
        memory.forget(first.id, reason="asked")
        assert not any("Ruaridh" in fact.text for fact in memory.facts.list(status=None))


def test_a_mood_of_the_day_is_no_fact(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "rory", clock=bardo.ManualClock(START), seed=1) as memory:
        memory.remember("Tonight I hate every man with a bakkie.", role="user", speaker="Rory")
        memory.sleep()
        assert [fact.text for fact in memory.facts.list()] == []


def test_a_quote_ends_with_the_sentence_that_it_brought(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "rory", clock=clock, seed=1) as memory:
        before = (
            "Subscriptions I pay for: Spotify family, The Economist, and the Mubi thing. "
            "Total something like 48 a month"
        )
        memory.remember(before, role="user", speaker="Rory")
        memory.sleep()
        assert [fact.text for fact in memory.facts.list()] == [f"Rory: {before}"]
        clock.advance(86_400)
        memory.remember("cut my subscriptions a bit, Mubi is cancelled.", role="user", speaker="Rory")
        memory.sleep()
        assert not any(fact.text == f"Rory: {before}" for fact in memory.facts.list())


@pytest.mark.parametrize(
    "text",
    [
        "Rory: Luciana lives in Rosario and she marries in September.",
        "Rory: Losa does the cooking, she's my wife.",
        "Rory: moved restic to 4:40, because at 3:15 it fought with the dump.",
        "Rory: The choir has moved, it's Thursdays now.",
        "Rory: Tech lead of pricing and invoicing, five people, from 1 October.",
        "Rory: No more blood tests, it's apixaban I'm on, five milligrams.",
        "Rory goes to the pool on Saturdays",
        "Rory's landlord is Ana's cousin",
    ],
)
def test_a_fact_that_names_all_it_points_to_stands_alone(text: str) -> None:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    assert rules.stands_alone(text, "Rory")


@pytest.mark.parametrize(
    "text",
    [
        "Rory: She was the secretary at the school for 25 years.",
        "Rory: He doubled nothing, so put that at seven.",
        "Rory: It lives there.",
        "Rory: The right eye, the 12th of July.",
        "Rory goes every other Saturday",
        "The landlord is her cousin",
    ],
)
def test_a_fact_that_points_to_another_text_does_not_stand_alone(text: str) -> None:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    assert not rules.stands_alone(text, "Rory")
