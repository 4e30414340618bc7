"""Each clause keeps its own bounds, subject and value: what one says neither ends nor mangles another."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

#: 10 June 2026, a Wednesday.
START = 1_781_086_400_000_000
DAY = 86_400


def told(folder: Path, *said: tuple[str, str], days: int = 1) -> tuple[list[str], list[str], dict[str, str]]:
    """Texts in force and ended, and the standing of each recalled episode, after records a day apart.

    Args:
        folder: Folder of the memory.
        said: Kind and text of each record; `user` for a turn of Greta.
        days: Days after the last record.
    """
    clock = bardo.ManualClock(START)
    with bardo.open(folder, clock=clock, seed=1) as memory:
        for kind, text in said:
            if kind == "user":
                memory.remember({"role": "user", "name": "Greta", "content": text}, thread="ops")
            else:
                memory.remember(text, kind=kind, verified=True)
            memory.sleep()
            clock.advance(DAY)
        clock.advance(DAY * (days - 1))
        memory.sleep()
        found = [each for _, text in said for each in memory.recall(text) if each.layer == "episode"]
        return (
            [fact.text for fact in memory.facts.list()],
            [fact.text for fact in memory.facts.list(status="superseded")],
            {each.text: each.standing for each in found},
        )


@pytest.mark.parametrize(
    "text",
    [
        "The Falkenstein boxes are being scrapped on Friday, everything answers from Gravelines since last night.",
        "Everything answers from Gravelines since last night, the Falkenstein boxes are being scrapped on Friday.",
        "The Hetzner machines are being wiped on 20 June, all of it lives at Scaleway since May.",
        "The old cluster is being shut down on Friday, everything runs on Talos since last week.",
    ],
)
def test_the_day_of_a_plan_ends_no_other_clause(tmp_path: Path, text: str) -> None:
    in_force, _, standings = told(tmp_path, ("user", text), days=40)
    assert in_force == [f"Greta: {text.replace('last night', 'the evening of 2026-06-09')}"]
    assert standings[text] == ""


@pytest.mark.parametrize(
    "text",
    [
        "The meetup is on 20 June, that's at Trinity College.",
        "The roof is being mended on 20 June, at noon.",
        "The interview is on 20 June, fingers crossed!",
        "The movers are coming on 20 June, it's the firm from Graz.",
        "The review with Kofler is on 20 June.",
    ],
)
def test_an_aside_about_a_plan_does_not_prolong_it(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, ("user", text), days=40)[0] == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "First the lay of the land: combd listens on port 7113 and its config lives in /etc/combd/comb.toml.",
            ["Combd listens on port 7113", "Combd's config lives in /etc/combd/comb.toml"],
        ),
        (
            "Quick overview: the database listens on port 5433 and its dumps go to /srv/waxdb/dumps.",
            ["The database listens on port 5433", "The database's dumps go to /srv/waxdb/dumps"],
        ),
        (
            "Some background: the importer runs on version 3.4 and its source lives in services/importer.",
            ["The importer runs on version 3.4", "The importer's source lives in services/importer"],
        ),
        ("For context: the gateway listens on port 8443.", ["The gateway listens on port 8443"]),
        ("Here's the setup: the broker listens on port 8883.", ["The broker listens on port 8883"]),
    ],
)
def test_a_message_with_two_statements_becomes_two_facts(tmp_path: Path, text: str, facts: list[str]) -> None:
    assert sorted(told(tmp_path, ("user", text))[0]) == sorted(facts)


def test_a_statement_beside_a_changed_value_stays(tmp_path: Path) -> None:
    in_force, ended, _ = told(
        tmp_path,
        (
            "user",
            "First the lay of the land: combd listens on port 7113 and its config lives in /etc/combd/comb.toml.",
        ),
        ("commit", "fix(combd): port 7113 -> 7290"),
    )
    assert "Combd's config lives in /etc/combd/comb.toml" in in_force
    assert "combd port is 7290" in in_force
    assert "Combd listens on port 7113" in ended


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We bought a boat and its name is Ida.", {"Greta bought a boat"}),
        ("Anna and I have a boat and its name is Ida.", {"Greta and Anna have a boat"}),
        ("It runs on port 80 and its logs go to /var/log/x.", set()),
        ("New apprentice: Wiebke, from Leeuwarden, starts on 18 May.", {"Wiebke starts on 18 May"}),
        ("Timo plays the cello and his birthday is on 3 May.", {"Timo plays the cello"}),
    ],
)
def test_its_points_to_no_person_and_no_object(text: str, names: set[str]) -> None:
    english = reader("english", BUILT_IN)
    assert english is not None
    assert {clause.text for clause in english.read(Speech(text, "Greta", START)) if clause.text} == names


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (("user", "My boyfriend is Tomas."), "Tomas and I aren't together on Friday, he's in Bern."),
        (("user", "My partner is Yusuf."), "Yusuf and I aren't together this weekend."),
        (("user", "I live in Porto."), "I'm not living in Porto this week, the flat is being painted."),
        (("user", "I work at Helvion."), "I'm not working at Helvion next week, I'm off."),
        (("user", "I go to parkrun on Saturdays."), "I'm not going to parkrun this weekend."),
    ],
)
def test_a_denial_for_a_few_days_ends_nothing_lasting(
    tmp_path: Path, older: tuple[str, str], newer: str
) -> None:
    _, ended, standings = told(tmp_path, older, ("user", newer))
    assert ended == []
    assert standings[older[1]] == ""


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My partner is Yusuf.", "Yusuf and I aren't together any more."),
        ("I work at Helvion.", "I don't work at Helvion since Monday."),
        ("I'm vegetarian.", "From today on I'm not vegetarian."),
        ("I'm allergic to nuts.", "I'm not allergic to nuts after all, they tested me today."),
        ("My dentist appointment is on Friday.", "My dentist appointment isn't on Friday."),
    ],
)
def test_a_denial_that_lasts_ends_what_it_denies(tmp_path: Path, older: str, newer: str) -> None:
    _, ended, standings = told(tmp_path, ("user", older), ("user", newer))
    assert len(ended) == 1
    assert standings[older].startswith("corrected")
