"""Statements that can both hold, and contrasts within a sentence; with the real parser and store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400


def told(folder: Path, *messages: tuple[str, str]) -> tuple[dict[str, str], int]:
    """Status of each fact, and the number of disputes, after messages with a day and a pass after each of them."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder / "miriam", clock=clock, seed=1) as memory:
        for role, text in messages:
            if role == "tool":
                memory.remember(text, role="tool", kind="tool")
            else:
                memory.remember(text, role="user", kind="turn", speaker="Miriam")
            memory.sleep()
            clock.advance(DAY)
        links = memory.facts.links(*memory.facts.list())
        disputes = sum(link.relation == "contradicts" for link in links)
        return {fact.text: fact.status for fact in memory.facts.list(status=None)}, disputes


@pytest.mark.parametrize(
    "messages",
    [
        (("tool", "prod: ledger-api 4.0 -> 4.1"), ("user", "The ledger API listens on port 9700 now.")),
        (
            ("user", "The admin console listens on port 9000."),
            ("user", "The metrics console listens on port 9443 now."),
        ),
        (
            ("user", "Pavel's sister Inge is moving to Oslo in May."),
            ("user", "Pavel has quit Nordwind, he's consulting as of this week."),
        ),
        (
            ("user", "I take 100 micrograms of levothyroxine."),
            ("user", "The GP is leaving me on the 100 micrograms."),
        ),
        (
            ("user", "Pavel is from Brno and he is allergic to strawberries, for the menu."),
            ("user", "I'm not allergic to hazelnuts after all! The doctor says it's birch."),
        ),
        (("user", "Inge's birthday is 19 May."), ("user", "My birthday is 4 December.")),
        (
            ("user", "The rate limit for partners is 60 requests per minute."),
            ("user", "The pool of 40 was exhausted during the sale. Set the db pool to 30."),
        ),
        (("user", "The entry fee is 12 euros."), ("user", "I set the alarm to 7.")),
        (
            ("user", "I'm not allergic to hazelnuts after all."),
            ("user", "Pavel is allergic to nuts, so no cake."),
        ),
        (
            ("user", "We have a dog called Pogo, a fat old whippet. He's eleven."),
            ("user", "My nephew... no wait, I don't have a nephew."),
        ),
        (
            ("user", "I'm 38 and I live in Ennis with my husband Declan."),
            ("user", "My work email is miriam@works.example, the private one is m@mail.example."),
        ),
        (("user", "I'm allergic to shellfish."), ("user", "I'm no longer allergic to cats.")),
        (("user", "My son is allergic to eggs."), ("user", "My son isn't allergic to milk any more.")),
        (
            ("user", "The deadline for the poster is 3 May."),
            ("user", "The deadline for the talk is now 20 May."),
        ),
        (
            ("user", "The GP put me up: it's 100 micrograms of levothyroxine from now on."),
            ("user", "Bloods were fine so the GP is leaving me on the 100."),
        ),
        (
            ("user", "We're in Ennis since this morning, on Mill Street."),
            (
                "user",
                "We've closed the account with AIB and everything goes through the Ennis credit union now.",
            ),
        ),
        (
            ("user", "I live here with my husband Declan and a whippet called Pogo."),
            ("user", "The neighbours' old whippet died this week, poor thing."),
        ),
        (
            ("user", "My brother Cathal rings Mam from Halifax every Sunday."),
            ("user", "Cathal's flying in from Halifax for Christmas, 20 December to 3 January."),
        ),
        (
            ("user", "From 1 March Lucy goes to the primary school on Elm Road."),
            ("user", "Lucy turns eight on the 14th and wants a dinosaur cake."),
        ),
        (
            ("user", "Tadhg's sister is getting married on 9 May in Dingle."),
            ("user", "Tadhg handed in his notice. His last day is Friday."),
        ),
        (
            ("user", "The ledger listens on port 9200 and runs on Postgres 13."),
            ("user", "The staging ledger runs on Postgres 15 now."),
        ),
        (("user", "I'm married to Jonas."), ("user", "I'm practically divorced from my bathroom scale.")),
        (("user", "Max daily loss: 2 %."), ("user", "We stop for the day at a loss of 2 %.")),
        (("user", "Scans are kept for 14 days."), ("user", "We delete scans after 14 days.")),
    ],
)
def test_other_attributes_things_and_relatives_stay(tmp_path: Path, messages: tuple[tuple[str, str], ...]):
    found, disputes = told(tmp_path, *messages)
    assert set(found.values()) == {"active"}
    assert disputes == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "My dad Frank is in a care home in Bantry. My sister Orla rings him from Cork on Sundays.",
            "Orla's driving over from Cork for the weekend, 3 to 5 May.",
        ),
        (
            "Happy carnival! Ida is in the parade as a llama.",
            "Ida's eye patch is history, the doctor is delighted with her.",
        ),
        (
            "hallbook listens on port 8100 and runs on Postgres 14, for the record.",
            "hallbook staging is on Postgres 16 now, production stays where it is until the summer.",
        ),
        (
            "The shop's production database is MySQL 8.0.",
            "We moved the test database of the shop to MySQL 8.4 today.",
        ),
        (
            "The survey contract for plot 12 belongs to Geotek, Marek signs the invoices.",
            "Bank details for the Geotek refund: IBAN NO93 8601 1117 947, reference BW-2026-0917.",
        ),
    ],
)
def test_a_turn_keeps_its_place_beside_news_of_something_else(tmp_path: Path, before: str, after: str):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "miriam", clock=clock, seed=1) as memory:
        for text in (before, after):
            memory.remember(text, role="user", kind="turn", speaker="Miriam")
            memory.sleep()
            clock.advance(DAY)
        found = memory.recall(before, limit=5, secrets=True)
        assert len(found) > 1
        assert not [each.text for each in found if each.standing]


def test_a_correction_of_an_aside_leaves_what_else_the_quote_says(tmp_path: Path):
    found, _ = told(
        tmp_path,
        ("user", "New apprentice at last: Wiebke, from Leeuwarden, starts on 18 May."),
        ("user", "Sorry, I had that wrong: Wiebke is from Groningen, not Leeuwarden."),
    )
    in_force = [text for text, status in found.items() if status == "active"]
    assert any("apprentice" in text and "Leeuwarden" not in text for text in in_force)


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("Correction: the relay doesn't listen on port 4040 anymore, it listens on port 4141.", "4141"),
        ("The crawler no longer runs on Jenkins, it runs on Buildkite.", "Buildkite"),
    ],
)
def test_a_denial_with_what_holds_instead_gives_both_statements(message: str, value: str):
    rules = reader("english", BUILT_IN)
    assert rules is not None
    denial, instead = (clause.statement for clause in rules.read(Speech(message, "Miriam", START)))
    assert denial is not None
    assert instead is not None
    assert (denial.subject, denial.attribute, denial.denied) == (instead.subject, instead.attribute, True)
    assert (instead.value, instead.denied) == (value, False)


def test_a_pronoun_of_something_else_gives_no_statement():
    rules = reader("english", BUILT_IN)
    assert rules is not None
    clauses = rules.read(Speech("The party isn't on Friday, it's my birthday that day.", "Miriam", START))
    assert [clause.owner for clause in clauses] == ["party", ""]


def test_a_correction_in_one_sentence_replaces_the_value(tmp_path: Path):
    found, _ = told(
        tmp_path,
        ("user", "The relay listens on port 4040."),
        ("user", "Correction: the relay doesn't listen on port 4040 anymore, it listens on port 4141."),
    )
    assert found["The relay listens on port 4141"] == "active"
    assert found.get("The relay listens on port 4040") != "active"


def test_a_pass_leaves_statements_of_different_conditions_undisputed(tmp_path: Path):
    with bardo.open(tmp_path / "ops", clock=bardo.ManualClock(START), seed=1) as memory:
        memory.learn(subject="orders cache", attribute="size", value="512 MB")
        memory.learn(subject="orders cache", attribute="size", value="64 MB", condition="qa")
        memory.sleep()
        facts = memory.facts.list()
        assert len(facts) == 2
        assert not memory.facts.links(*facts)
        assert {found.standing for found in memory.recall("orders cache size")} == {""}


def test_a_statement_of_a_time_that_is_over_enters_as_history(tmp_path: Path):
    with bardo.open(tmp_path / "ops", clock=bardo.ManualClock(START), seed=1) as memory:
        fact = memory.learn(
            subject="crawler", attribute="zone", value="north", until=datetime(2025, 1, 1, tzinfo=UTC)
        )
        assert (fact.status, fact.ended_by, fact.superseded_by) == ("superseded", "until", None)
        assert [each.id for each in memory.facts.list(status="superseded")] == [fact.id]
        assert not memory.facts.list()


def test_a_denial_of_one_of_several_values_ends_not_all(tmp_path: Path):
    found, _ = told(
        tmp_path, ("user", "I'm allergic to kiwi and latex."), ("user", "I'm no longer allergic to latex.")
    )
    assert found["Miriam is allergic to kiwi and latex"] == "active"


def test_the_same_allergy_denied_ends(tmp_path: Path):
    found, _ = told(
        tmp_path, ("user", "I'm allergic to walnuts."), ("user", "I'm not allergic to walnuts after all.")
    )
    assert found["Miriam is allergic to walnuts"] != "active"


def test_an_announced_correction_gives_the_value_and_is_corrected_in_turn(tmp_path: Path):
    found, _ = told(
        tmp_path,
        ("user", "The submission deadline is 30 May."),
        ("user", "Correction: the submission deadline is 6 June."),
        ("user", "Correction: the submission deadline is 13 June."),
    )
    assert [text for text, status in found.items() if status == "active"] == [
        "The submission deadline is 13 June"
    ]


@pytest.mark.parametrize(
    ("text", "is_stated"),
    [
        ("I'm basically married to my espresso machine.", False),
        ("I'm allergic to Mondays.", False),
        ("I'm allergic to penicillin.", True),
        ("I'm married to Jonas.", True),
    ],
)
def test_a_joke_about_a_state_states_nothing(text: str, is_stated: bool):
    rules = reader("english", BUILT_IN)
    assert rules is not None
    (clause,) = rules.read(Speech(text, "Miriam", START))
    assert clause.stated is is_stated


def test_lines_about_two_things_correct_nothing(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ops", clock=clock, seed=1) as memory:
        for text in ("cert check marlin: 17 days left", "cert check cormorant: 78 days left"):
            memory.remember(text, role="tool", kind="tool")
            memory.sleep()
            clock.advance(DAY)
        found = memory.recall("cert check marlin")
    assert [item.standing for item in found if "marlin" in item.text] == [""]


def test_lint_disputes_no_age_with_a_year(tmp_path: Path):
    with bardo.open(tmp_path / "miriam", seed=1) as memory:
        for text in (
            "Miriam is 38", "Miriam's mum died in 2019", "Miriam lives in Ennis", "Miriam likes tea",
            "Miriam plays chess",
        ):  # fmt: skip
            memory.learn(text, subjects=["Miriam"])
        assert memory.curator.lint().contradictions == ()


def test_a_new_one_of_what_a_person_has_ends_the_old_one(tmp_path: Path):
    found, _ = told(
        tmp_path,
        ("user", "My GP is Dr Halloran at the Kirkgate surgery."),
        ("user", "My new GP will be at the Walkley centre, Dr Bassi."),
    )
    assert {status for text, status in found.items() if "Halloran" in text} == {"superseded"}
