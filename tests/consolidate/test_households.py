"""Relatives and things of two named users in one memory, and names that the parser does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.chats import lived, statuses


def told(folder: Path, *messages: tuple[str, str]) -> dict[str, str]:
    """Status of each fact by its text, after messages of speakers."""
    with lived(folder, messages) as memory:
        return statuses(memory)


def test_news_of_a_mother_is_of_the_mother_of_the_speaker(tmp_path: Path):
    status = told(
        tmp_path,
        ("Oona", "my mum lives in Turku"),
        ("Nils", "my mum lives in Voss"),
        ("Oona", "mum's moved to Helsinki"),
    )
    assert status == {
        "Oona's mum lives in Turku": "superseded",
        "Nils's mum lives in Voss": "active",
        "Oona's mum has moved to Helsinki": "active",
    }


def test_a_contraction_behind_a_relative_keeps_the_name(tmp_path: Path):
    status = told(tmp_path, ("Callum", "my dad's called Hamish and lives in Perth on his own"))
    assert set(status) == {"Callum's dad is called Hamish", "Callum's dad lives in Perth on his own"}


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        *(
            (f"my mum lives in {town}", f"Oona's mum lives in {town}")
            for town in ("Turku", "Voss", "Cork", "Paris")
        ),
        *((f"my bike is a {make}", f"Oona's bike is a {make}") for make in ("Bianchi", "Gazelle", "Trek")),
        *((f"our car is a {make}", f"Oona's car is a {make}") for make in ("Volvo V60", "Zoe")),
        ("my phone is a Pixel", "Oona's phone is a Pixel"),
        ("we have a whippet called Biscuit", "Oona has a whippet called Biscuit"),
    ],
)
def test_the_form_of_a_statement_decides_and_not_its_name(tmp_path: Path, message: str, fact: str):
    assert told(tmp_path, ("Oona", message)) == {fact: "active"}
