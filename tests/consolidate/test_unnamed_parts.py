"""Changes that leave out the medicine, the name, the attribute or the word for what they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.chats import DAY, START, clauses_of, lived, statuses


def told(tmp_path: Path, *texts: str) -> dict[str, str]:
    """Status of each fact by its text after turns of Ida."""
    with lived(tmp_path, [("Ida", text) for text in texts]) as memory:
        return statuses(memory)


def in_force(facts: dict[str, str]) -> list[str]:
    """Texts of the facts in force."""
    return [text for text, status in facts.items() if status == "active"]


@pytest.mark.parametrize(
    ("texts", "old", "new"),
    [
        (
            (
                "Pepper's on phenobarbital, 30 mg twice a day.",
                "Pepper had two fits this week. Dr Sand says 45 now, still morning and evening.",
            ),
            "30 mg",
            "Pepper takes 45 mg of phenobarbital",
        ),
        (
            (
                "I take levothyroxine, 75 micrograms every morning.",
                "Bloods came back, they put me up to 88 from tomorrow.",
                "The endocrinologist says 100 now. Same tablet, before coffee.",
            ),
            "75",
            "Ida takes 100 micrograms of levothyroxine",
        ),
    ],
)
def test_a_new_dose_without_its_medicine_is_of_the_only_one(
    tmp_path: Path, texts: tuple[str, ...], old: str, new: str
) -> None:
    known = in_force(told(tmp_path, *texts))
    assert new in known
    assert not [text for text in known if old in text or "88" in text]


@pytest.mark.parametrize(
    "second",
    [
        "Pepper chased the cat. The vet says 12 dogs came now.",
        "Kim had two fits. Dr Sand says 45 now.",
        "Pepper weighs 45 now.",
        "The vet says 900 now.",
        "The vet wants to leave the dose alone till spring.",
    ],
)
def test_a_figure_that_is_no_dose_of_the_medicine_ends_nothing(tmp_path: Path, second: str) -> None:
    known = told(tmp_path, "Pepper is on phenobarbital, 30 mg twice a day.", second)
    assert known["Pepper is on phenobarbital, 30 mg twice a day"] == "active"


def test_of_two_medicines_a_bare_dose_ends_none(tmp_path: Path) -> None:
    known = in_force(
        told(
            tmp_path,
            "I take levothyroxine, 75 micrograms every morning.",
            "I take ramipril, 5 mg every evening.",
            "The doctor says 10 now.",
        )
    )
    assert [text for text in known if "75" in text]
    assert [text for text in known if "5 mg" in text]


def test_she_is_the_person_of_the_fact_that_ends(tmp_path: Path) -> None:
    known = in_force(
        told(
            tmp_path,
            "Mum takes metformin, 500, twice a day.",
            "And she's on 1000 of the metformin since last week. Sugar's up, it's the marzipan.",
        )
    )
    assert not [text for text in known if text.startswith("Ida: She")]
    assert [text for text in known if text.startswith("Ida's mum is on 1000")]


def test_she_without_a_person_is_no_fact(tmp_path: Path) -> None:
    assert told(tmp_path, "And she's on 1000 of the metformin since last week.") == {}


@pytest.mark.parametrize(
    "second",
    [
        "Allergist re-tested Jonah: the kiwi thing is gone.",
        "Jonah's kiwi allergy is gone.",
        "The kiwi business with Jonah is over, says the doctor.",
    ],
)
def test_an_allergy_ends_by_a_word_for_it(tmp_path: Path, second: str) -> None:
    assert told(tmp_path, "Jonah is allergic to kiwi.", second)["Jonah is allergic to kiwi"] == "superseded"


@pytest.mark.parametrize(
    "second",
    [
        "Allergist re-tested Mila: the kiwi thing is gone.",
        "The cherry thing with Jonah is over.",
        "The kiwi in the bowl is gone, Jonah.",
    ],
)
def test_an_allergy_of_another_or_to_another_thing_stays(tmp_path: Path, second: str) -> None:
    assert told(tmp_path, "Jonah is allergic to kiwi.", second)["Jonah is allergic to kiwi"] == "active"


@pytest.mark.parametrize(
    "texts",
    [
        ("My mum Helga is 72, she lives in Kiel on her own.", "Mum moved to Lübeck last week."),
        ("My husband Tarek lives in Kiel for work.", "My husband moved to Lübeck last week."),
        ("My mum Helga is 72.", "Helga lives in Kiel.", "Mum lives in Lübeck now."),
    ],
)
def test_kin_and_name_are_one_person(tmp_path: Path, texts: tuple[str, ...]) -> None:
    known = in_force(told(tmp_path, *texts))
    assert not [text for text in known if "Kiel" in text]
    assert [text for text in known if "Lübeck" in text]


def test_other_kin_keep_their_homes(tmp_path: Path) -> None:
    known = in_force(told(tmp_path, "My mum Helga lives in Kiel.", "My sister moved to Lübeck last week."))
    assert [text for text in known if "Kiel" in text]


def test_an_announced_rent_ends_the_rent_before(tmp_path: Path) -> None:
    facts = [
        ("Ida", "Rent's 1,240 a month, goes out on the 3rd."),
        ("Ida", "Perry put the rent up. 1,310 from April."),
    ]
    with lived(tmp_path, facts) as memory:
        rents = {
            fact.statement.value: fact.statement.until
            for fact in memory.facts.list(status=None)
            if fact.statement is not None and fact.statement.attribute == "rent"
        }
    assert rents["1,240 a month"] is not None
    assert rents["1,310"] is None


@pytest.mark.parametrize(
    "text",
    ["Perry put the picture up. 1,310 people from April.", "Perry paid the rent. 1,310 from the account."],
)
def test_a_figure_behind_another_sentence_is_no_rent(text: str) -> None:
    assert not [
        clause for clause in clauses_of(text) if clause.statement and clause.statement.attribute == "rent"
    ]


def test_not_behind_a_comma_denies_the_second_value_alone() -> None:
    (clause,) = clauses_of("Climbing's Thursday, not Tuesday.")
    assert not clause.denied
    assert clause.left == {"tuesday"}


def test_a_corrected_weekday_ends_the_former(tmp_path: Path) -> None:
    known = in_force(told(tmp_path, "Climbing is on Tuesdays.", "Climbing's on Thursdays, not Tuesdays."))
    assert not [text for text in known if "on Tuesdays" in text and "Thursday" not in text]


@pytest.mark.parametrize(
    "texts",
    [
        (
            "My mum Helga is 72, she lives in Kiel on her own.",
            "Four nights in a row, I don't know my own name. Soup was the only thing that went down.",
        ),
        (
            "Don't suggest meat on Fridays by the way, it's a thing from my gran.",
            "I run on Sunday mornings, so don't book anything on Sunday mornings.",
        ),
        ("The dog had two fits this week.", "The dog hasn't had a fit since August."),
    ],
)
def test_sentences_about_different_things_dispute_nothing(tmp_path: Path, texts: tuple[str, ...]) -> None:
    with lived(tmp_path, [("Ida", text) for text in texts]) as memory:
        assert not any(each.disputed_by or each.corrected_by for each in memory.recall(texts[0], limit=5))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Rehab in Damp for three weeks from the 12th.", 31),
        ("The plumber is away for two weeks from Monday.", 21),
        ("For ten days from the 12th I'm on call.", 20),
    ],
)
def test_a_time_from_a_day_on_has_an_end(text: str, days: int) -> None:
    (clause,) = clauses_of(text)
    assert clause.until is not None
    assert (days - 1) * DAY <= clause.until / 1_000_000 - START / 1_000_000 <= (days + 1) * DAY


def test_a_time_before_a_day_has_none() -> None:
    (clause,) = clauses_of("We waited for three weeks from the 12th.")
    assert clause.until is None


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("The Lindqvists are moving to Uppsala next week.", "in the week of 2026-03-09"),
        ("Jonah starts at Hartwell next month.", "in April 2026"),
    ],
)
def test_a_time_to_come_is_a_date_in_a_fact(text: str, dated: str) -> None:
    assert [clause for clause in clauses_of(text) if dated in clause.text]
