"""News about other people, other things and other times ends nothing; with the real parser, store and cross-encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from helpers.chats import START, lived, statuses


def told(folder: Path, *messages: str) -> tuple[dict[str, str], set[str]]:
    """Status of each fact by its text, and the relations of all links, after a day and a pass for each message."""
    with lived(folder, [("Rafael", message) for message in messages]) as memory:
        facts = memory.facts.list(status=None)
        relations = {link.relation for fact in facts for link in memory.facts.links(fact)}
        return statuses(memory), relations


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # "Again" tells no new state in the past.
        (
            "i fix bikes in the shop of don Eusebio, in Sopocachi, 3 years allready",
            "my bike for it i build alone, frame aluminio i welded again, red, i name her La Chola",
        ),
        # Both name March, which ends nothing.
        (
            "hospital placement came!! i start on the 2nd of march at gregorio marañon, pediatrics. 8 weeks.",
            "also need text to the app that i stop sundays from march, only fri sat.",
        ),
        (
            "So now we celebrate on the 4 of October.",
            "We leave the 26 September, and we return the 19 October.",
        ),
        (
            "A small hotel in Ribeira, Casa do Cais, wants rolls from us every day starting april 1.",
            "From april our closed day is sunday, and i want a day with my mother like other people.",
        ),
        ("Priya told us she's pregnant!! due in August", "We move on 8 August"),
        # The denial and the news are about one of those whom the older statement names.
        ("We're three in the flat in Vallecas, me, Jon and a Polish girl Kasia.", "Kasia isn't office."),
        (
            "We're three in the flat in Vallecas, me, Jon and a Polish girl Kasia.",
            "Kasia is cooking something with cabbage and the whole flat smells like my old school.",
        ),
        # The sheep are no part of the home, and a speaker lives.
        ("I live in Bragar with eleven sheep and a roof that sings.", "So no more sheep."),
        ("I'm the district nurse for the west side here on Lewis.", "Fly died last night."),
    ],
)
def test_news_of_others_ends_nothing(tmp_path: Path, before: str, after: str) -> None:
    found, _ = told(tmp_path, before, after)
    assert set(found.values()) <= {"active"}


@pytest.mark.parametrize("denied", ["walnuts", "latex"])
def test_a_denial_of_one_of_several_allergens_leaves_the_others_in_doubt(tmp_path: Path, denied: str) -> None:
    found, relations = told(
        tmp_path, "I'm allergic to walnuts and latex.", f"I'm not allergic to {denied} after all."
    )
    assert found["Rafael is allergic to walnuts and latex"] == "active"
    assert "contradicts" in relations


def test_a_denial_of_all_allergens_ends_the_statement(tmp_path: Path) -> None:
    found, _ = told(
        tmp_path,
        "I'm allergic to walnuts, kiwi and latex.",
        "I'm not allergic to walnuts, kiwi or latex after all.",
    )
    assert found["Rafael is allergic to walnuts, kiwi and latex"] == "superseded"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "i take naproxen 500, one in the morning one at night, since christmas.",
            "My stomach was burning so the family doctor took me off the naproxen.",
        ),
        (
            "We visit aunt Elva in Getafe on Friday mornings.",
            "Elva moves to Toledo so no more Getafe on Fridays.",
        ),
    ],
)
def test_news_of_what_the_older_statement_is_about_still_ends_it(
    tmp_path: Path, before: str, after: str
) -> None:
    found, _ = told(tmp_path, before, after)
    assert "superseded" in found.values()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I'm allergic to walnuts, kiwi and latex.", "walnuts, kiwi and latex"),
        ("I'm allergic to nuts and I hate fish.", "nuts"),
        ("I'm allergic to nuts, so no pesto for me.", "nuts"),
    ],
)
def test_an_allergy_to_several_things_names_them_all(text: str, value: str) -> None:
    clause = reader("english", BUILT_IN).read(Speech(text, "Rafael", START))[0]
    assert clause.statement is not None
    assert clause.statement.value == value
