"""Plans with a date: they are known until their day has passed, and what they began stays."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

DAY = 86_400_000_000
NOW = int(datetime(2025, 2, 10, 12, tzinfo=UTC).timestamp()) * 1_000_000


def end_of(text: str) -> str | None:
    """Day on which what a text announces is over, of its last clause that announces something."""
    english = reader("english", BUILT_IN)
    assert english is not None
    ends = [clause.over for clause in english.read(Speech(text, "Nadia", NOW)) if clause.over is not None]
    return datetime.fromtimestamp(max(ends) / 1e6, UTC).date().isoformat() if ends else None


def test_until_the_end_of_a_month_holds_to_its_last_day() -> None:
    english = reader("english", BUILT_IN)
    assert english is not None
    ends = [
        english.read(Speech(f"I work from home {bound}", "Nadia", NOW))[0].until
        for bound in ("until March", "until the end of March")
    ]
    days = [datetime.fromtimestamp(end / 1e6, UTC).date().isoformat() for end in ends if end is not None]
    assert days == ["2025-03-01", "2025-04-01"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("my exam is on 17 March", "2025-03-18"),
        ("The cataract operation is to be the second of June now, same hour", "2025-06-03"),
        ("The appointment is the 22nd with the nurse", "2025-02-23"),
        ("Closing date is the 17th of this month", "2025-02-18"),
        ("We're flying on the 3rd", "2025-03-04"),
        ("We booked Boipeba, 20 to 30 December", "2025-12-31"),
        ("The review is in August", "2025-09-01"),
        ("Meetup planned for August", "2025-09-01"),
        ("Interview on 20 August", "2025-08-21"),
        ("The order is delivered on 20 August", "2025-08-21"),
        ("The trade fair booked for August is in Graz", "2025-09-01"),
        ("The roofers are booked for September 30", "2025-10-01"),
        ("My dentist appointment has been moved to next Tuesday", "2025-02-12"),
        ("The interview is pushed out a week, to the 20th of March", "2025-03-21"),
        ("In June we go to Crete", "2025-07-01"),
        ("I'll see the physio tomorrow", "2025-02-12"),
        ("The optician was shifted to Thursday the 20th", "2025-02-21"),
        ("The optician was moved to Wednesday the 26th, at noon", "2025-02-27"),
        ("I've got a mammogram in three weeks", "2025-03-10"),
        ("My driving test is in ten days", "2025-02-21"),
        ("The hearing is in two months", "2025-05-10"),
        ("Our housewarming is next Saturday", "2025-02-16"),
        ("Our anniversary lunch is on 3 April", "2025-04-04"),
        ("I have a parents' evening on Thursday", "2025-02-14"),
        ("I've a blood test on Monday morning", "2025-02-18"),
        ("My cousin Lea is getting married in Seville next month", "2025-04-01"),
        ("The roof is being mended on Friday", "2025-02-15"),
        ("My dad flies home this weekend", "2025-02-17"),
        ("The naming ceremony is a week on Saturday", "2025-02-23"),
        ("I'm seeing the orthodontist the day after tomorrow", "2025-02-13"),
        ("I need to hand in my thesis by Friday", "2025-02-15"),
        ("The survey must be with the council before 15 March", "2025-03-16"),
        ("The slides should be ready by 20 March", "2025-03-21"),
        ("The grant report is due before 1 June", "2025-06-02"),
        ("The council gave us until the end of June to answer", "2025-07-01"),
        ("We're off to Sicily next week", "2025-02-24"),
        ("The audit is at the end of February", "2025-03-01"),
        ("Petrov is moving out at the end of March", "2025-04-01"),
        ("Holt comes on the 13th", "2025-02-14"),
        ("The new scanner arrives on the 20th", "2025-02-21"),
        ("We have tickets for 3 August", "2025-08-04"),
        ("The lift is booked for July", "2025-08-01"),
        ("The June invoice is due on 14 July", "2025-07-15"),
    ],
)
def test_a_plan_is_over_after_its_last_day(text: str, day: str) -> None:
    assert end_of(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "The doctor moved me to 40 mg of propranolol, next check in six weeks",
        "My new physio is Marta Keogh, first session next Tuesday",
        "The GP is putting me on 15 mg, bloods in three weeks",
        "Anna moved to the day shift; holidays on 3 March",
    ],
)
def test_the_date_of_an_aside_ends_nothing_of_its_sentence(text: str) -> None:
    assert end_of(text) is None


def test_a_quote_of_a_value_and_a_plan_outlasts_the_plan(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        text = "GP put me up: it's 100 micrograms of levothyroxine, bloods again in three weeks."
        memory.remember(text, role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        clock.advance(40 * 86_400)
        memory.sleep()
        assert [fact.text for fact in memory.facts.list() if "100" in fact.text]


@pytest.mark.parametrize(
    "text",
    [
        "GP put me up: it's 100 micrograms from now on, bloods again in three months",
        "My birthday is on 9 May",
        "Our anniversary is on the third of April",
        "I teach on Monday evenings",
        "I work from home on Friday",
        "The rent is due on the 1st",
        "He's moving in with me on 25 October",
        "Mees starts daycare on the 3rd of March",
        "We open the second shop on 1 June",
        "I met Ana on 3 January",
        "We shifted to a flat in Kolar Road today",
        "Apartment in Sagrada Família, two bedrooms, bright, keys on 20 September",
        "From March the restaurant is closed on Sundays",
        "I was on call in January",
        "Invoice dispute Imkerei Sauer K-40871: charged twice in August",
        "Customer Sauer, billed twice in August",
        "The parcel sent in August is lost",
        "Imkerei Sauer disputes the fee charged in August",
        "Complaint of Imkerei Sauer about an order cancelled in August",
        "If the exam is on 17 March I can't come",
        "The meeting is not on 17 March",
        "I have lived in Bern since 2015",
        "I have a pottery class on Thursday",
        "I've been running with Ana on Friday",
        "My office was moved to the third floor",
        "We walk the Jakobsweg in two months",
        "My sister is having a baby in June",
        "I'm getting a new laptop next week",
        "Lea is marrying Tom on 3 May",
        "I read three novels in two weeks",
        "We have a flat with two rooms",
        "Rents are due on the 3rd working day of the month",
        "The ledger is due on the first Monday of the month",
        "Invoices are due on the 25th of each month",
        "The cleaner comes on the 13th of every month",
        "Mr Ruiz is behind with June and July",
        "He owes us June and July",
        "The clinic is missing the figures of July",
        "Dr Amari is late with the reports for June",
        "The meeting room on the 2nd floor is free",
    ],
)
def test_what_repeats_begins_or_is_past_is_no_plan_that_ends(text: str) -> None:
    assert end_of(text) is None


def test_an_exam_is_known_before_its_day_and_not_after(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        memory.remember(
            "My oral exam in Utrecht is on 17 March at ten.", role="user", kind="turn", speaker="Nadia"
        )
        memory.remember("I am allergic to penicillin.", role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        (exam,) = (fact for fact in memory.facts.list() if "exam" in fact.text)
        assert exam.statement is not None
        assert exam.statement.until is not None
        clock.set(NOW + 34 * DAY)
        memory.sleep()
        assert memory.facts.get(exam.id).status == "active", "the evening before"
        clock.set(NOW + 36 * DAY)
        memory.sleep()
        ended = memory.facts.get(exam.id)
        assert (ended.status, ended.ended_by) == ("superseded", "until")
        assert any("penicillin" in fact.text for fact in memory.facts.list())


def test_a_quote_that_says_more_than_its_plan_stays(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        memory.remember(
            "The inspection is tomorrow and my Octavia, a 2013 one, has a rattle in the gearbox.",
            role="user", kind="turn", speaker="Nadia",
        )  # fmt: skip
        memory.sleep()
        known = [fact for fact in memory.facts.list() if "Octavia" in fact.text]
        clock.set(NOW + 3 * DAY)
        memory.sleep()
        assert [memory.facts.get(fact.id).status for fact in known] == ["active"] * len(known)


def start_of(text: str) -> str | None:
    """Day from which what a text announces holds, of its first clause that announces something."""
    english = reader("english", BUILT_IN)
    assert english is not None
    begins = [clause.since for clause in english.read(Speech(text, "Nadia", NOW)) if clause.since is not None]
    return datetime.fromtimestamp(min(begins) / 1e6, UTC).date().isoformat() if begins else None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mees starts daycare on the 3rd of March", "2025-03-03"),
        ("We move to Graz next month", "2025-03-01"),
        ("I start at Helvion in two weeks", "2025-02-24"),
        ("I start at Helvion at the end of March", "2025-03-31"),
        ("From 1 April on I'll be teaching at the Lindenschule", "2025-04-01"),
    ],
)
def test_what_begins_holds_from_its_day(text: str, day: str) -> None:
    assert start_of(text) == day
    assert end_of(text) is None


@pytest.mark.parametrize(
    "text", ["I train in the park on Saturday", "We opened the shop on 1 June", "I start early"]
)
def test_what_begins_on_no_day_to_come_has_no_start(text: str) -> None:
    assert start_of(text) is None


def test_a_home_to_come_ends_the_present_one_on_its_day_and_then_stands_first(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        memory.remember("I live in Lyon.", role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        clock.set(NOW + DAY)
        memory.remember("From 1 April on I'll be living in Graz.", role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        assert {fact.statement.value for fact in memory.facts.list() if fact.statement} == {"Lyon", "Graz"}
        assert "## Coming up\n1. 1 April 2025: " in memory.pages.dossier().text
        clock.set(NOW + 40 * DAY)
        memory.remember("I am allergic to penicillin.", role="user", kind="turn", speaker="Nadia")
        clock.set(NOW + 60 * DAY)
        memory.sleep()
        page = memory.pages.dossier().text
        assert "passed" not in page
        assert page.split("## Nadia\n")[1].startswith("1. Nadia will be living in Graz"), page
        assert not any("Lyon" in fact.text for fact in memory.facts.list())


def test_short_plans_are_noted_and_stand_under_their_day(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        for text in (
            "I have a parents' evening on Thursday.",
            "I'll be late on Thursday.",
            "i'm booked for nov 6",
            "Ana and I see a flat.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        assert [fact.text for fact in memory.facts.list()] == ["Nadia has a parents' evening on Thursday"]
        assert (
            "## Coming up\n1. 13 February 2025: Nadia has a parents' evening" in memory.pages.dossier().text
        )
        clock.set(NOW + 4 * DAY)
        memory.sleep()
        assert memory.facts.list() == []
