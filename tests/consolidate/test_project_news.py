"""News of a project: what replaces a value, and what only stands beside it, in messages and passed-on changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech, form_of
from bardo.consolidate.languages import reader
from helpers.chats import START

DAY = 86_400
TOOL = "tool: "
AGENT = "agent: "


def clauses_of(text: str) -> list[Clause]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    return list(rules.read(Speech(text, "Ruth", START)))


def slots_of(text: str) -> set[tuple[str, str, str, str]]:
    stated = [clause.statement for clause in clauses_of(text) if clause.stated]
    return {(one.subject, one.attribute, one.value, one.condition) for one in stated if one is not None}


def lived(folder: Path, *messages: str) -> bardo.Grimoire:
    """A memory after messages of Ruth, of tools and of the agent, with a day and a pass after each."""
    clock = bardo.ManualClock(START)
    memory = bardo.open(folder, clock=clock, seed=1)
    for message in messages:
        if message.startswith(TOOL):
            memory.remember(message.removeprefix(TOOL), role="tool", kind="tool")
        elif message.startswith(AGENT):
            memory.remember(message.removeprefix(AGENT), role="assistant", kind="turn")
        else:
            memory.remember(message, role="user", kind="turn", speaker="Ruth")
        memory.sleep()
        clock.advance(DAY)
    return memory


def in_force(folder: Path, *messages: str) -> set[str]:
    """Texts of the facts in force, in lower case, those that nothing disputes."""
    with lived(folder, *messages) as memory:
        facts = memory.facts.list()
        disputed = {
            id_ for fact in facts for link in memory.facts.links(fact) if link.relation == "contradicts"
            for id_ in (link.src, link.dst)
        }  # fmt: skip
        return {fact.text.casefold() for fact in facts if fact.id not in disputed}


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        (
            "In staging the gateway timeout is 20s now, for the load test.",
            ("gateway", "timeout", "20s", "staging"),
        ),
        ("The database host is db-4 now, db-2 is gone.", ("database", "host", "db-4", "")),
        ("A massage costs 40 euros.", ("massage", "price", "40 euros", "")),
        ("The rate limit is 300 as of today.", ("rate", "limit", "300", "")),
        ("Log retention goes to 30 days, the auditors asked for it.", ("log", "retention", "30 days", "")),
        ("Ivo owns the billing service from now on.", ("billing service", "owner", "Ivo", "")),
        ("I own the export job.", ("export job", "owner", "ruth", "")),
        ("The night shift is Tariq.", ("ruth night", "shift", "Tariq", "")),
        ("Malu is on call from today on, thanks everyone.", ("team", "on_call", "Malu", "")),
        ("I'm on call at the moment.", ("team", "on_call", "ruth", "")),
    ],
)
def test_a_message_states_a_value_of_a_project(text: str, slot: tuple[str, str, str, str]) -> None:
    assert slot in slots_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "My car cost me a fortune.",
        "The rent goes to my brother.",
        "Ivo owns the beach house.",
        "I'm on call in the week of the 11th.",
        "Malu is on a call.",
        "Malu will be on call from Monday.",
        "PR 12 'limit 5 -> 9' is not approved yet.",
        "There's a draft that sets worker.count 4 -> 8.",
    ],
)
def test_other_messages_state_none(text: str) -> None:
    assert not {
        slot
        for slot in slots_of(text)
        if slot[1] in ("limit", "on_call", "owner", "price", "worker.count", "count")
    }


def test_words_stay_in_the_text_of_a_fact() -> None:
    texts = [clause.text for clause in clauses_of("Malu uses advisory locks instead of a lock table.")]
    assert texts == ["Malu uses advisory locks instead of a lock table"]
    texts = [
        clause.text
        for clause in clauses_of("The cache listens on 6380 in staging and on 6379 in production.")
    ]
    assert texts == ["The cache listens on 6380 in staging", "The cache listens on 6379 in production"]


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "The cache listens on port 6380 in staging and on 6379 in production.",
            "Good, the production cache has three replicas now.",
            "the cache listens on 6379 in production",
        ),
        (
            "The gateway timeout is 45s.",
            "In staging the gateway timeout is 20s now.",
            "the gateway timeout is 45s",
        ),
        (
            "In staging the proxy timeout is 20s.",
            f"{TOOL}7be1120 fix(proxy): timeout 30s -> 45s",
            "the proxy timeout is 20s in staging",
        ),
        (
            "The upload limit is 80 MB, Legal signed it off.",
            "PR 71 'upload limit 80 -> 200 (pending approval)' is not approved, leave it open.",
            "the upload limit is 80 mb",
        ),
        (
            "Since Tuesday production runs Postgres 15.",
            "NEW_BANNER is on in production since this morning.",
            "production runs postgres 15 since tuesday",
        ),
    ],
)
def test_news_beside_a_value_leaves_it_in_force(tmp_path: Path, before: str, after: str, fact: str) -> None:
    assert fact in in_force(tmp_path, before, after)


@pytest.mark.parametrize(
    ("before", "after", "stale"),
    [
        (
            "The staging database host is db-1.",
            "The staging database host is db-3 now, db-1 is gone.",
            "db-1",
        ),
        ("I own the export job, ask me first.", "Ivo owns the export job from now on.", "ruth owns"),
        ("Log retention is 14 days.", "Log retention goes to 30 days, the auditors asked for it.", "14 days"),
        (
            "To get the postage you call calc_shipping(weight, country). It returns cents!",
            f"{AGENT}CHANGELOG 3.1.0 - Changed: calc_shipping() is now called quote_delivery(). The old name is gone.",
            "you call calc_shipping",
        ),
    ],
)
def test_a_new_value_ends_the_old_one(tmp_path: Path, before: str, after: str, stale: str) -> None:
    found = in_force(tmp_path, before, after)
    assert found
    assert not any(stale in text for text in found)


def test_an_order_about_a_place_ends_nothing_that_is_said_of_it(tmp_path: Path) -> None:
    place = "From now on migration scripts are in db/migrations."
    order = "No DROP TABLE in migrations, we rename tables to _old first and drop them a release later."
    with lived(tmp_path, place, order) as memory:
        found = {fact.text: fact.status for fact in memory.facts.list(status=None)}
    assert {status for text, status in found.items() if "db/migrations" in text} == {"active"}


def test_a_log_of_commits_is_read_from_the_oldest_without_what_was_reverted(tmp_path: Path) -> None:
    log = (
        'aa10b3c Revert "fix(gateway): timeout 45s -> 60s"\n'
        "b7710aa fix(gateway): timeout 45s -> 60s\n"
        "7be1120 fix(gateway): timeout 30s -> 45s"
    )
    assert in_force(tmp_path, f"{TOOL}[master 7be1120] fix(gateway): timeout 30s -> 45s", f"{TOOL}{log}") == {
        "gateway timeout is 45s"
    }


def test_lines_found_in_old_notes_and_tests_are_not_news(tmp_path: Path) -> None:
    found = "CHANGELOG.md:14:- gateway timeout 30s -> 45s\ntests/test_gateway.py:20:gateway timeout 1s -> 2s"
    assert in_force(tmp_path, f"{TOOL}{found}") == set()


def test_the_output_of_a_commit_tells_its_change(tmp_path: Path) -> None:
    output = f"{TOOL}[main 5c2f9aa] build: bump python from 3.11 to 3.12\n 3 files changed, 4 insertions(+)"
    assert in_force(tmp_path, output) == {"python version is 3.12"}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("helm(spark): raise driver memory limit to 10Gi after the rollup (#2214)", "record"),
        ("commit 5d20f1c: raise SESSION_AGE from 30 minutes to 4 hours", "record"),
        ("Release 2.17: the Idealo export has been removed.", "record"),
        ("## 2.14.0\n- Admin: uploads are accepted up to 12 MB", "record"),
        ("I would raise the limit to 10Gi.", "speech"),
        ("Release notes are due on Friday.", "speech"),
        ("defaced pages are back", "speech"),
        ("## Plan\n- raise the limit", "speech"),
    ],
)
def test_a_change_that_an_agent_passes_on_is_a_record(text: str, form: str) -> None:
    assert form_of(bardo.Episode(text, role="agent")) == form
    assert form_of(bardo.Episode(text, role="user")) == "speech"


def test_a_turn_that_is_corrected_in_part_answers_by_the_part_that_holds(tmp_path: Path) -> None:
    told = "A travel consultation costs 65 euros. The cleaners are Sparkle, they come on Thursday evenings."
    with lived(
        tmp_path, told, "Sparkle have changed their round, they're here on Tuesdays from now on."
    ) as memory:
        price = memory.recall("What do we charge for a travel consultation?", limit=1)[0]
        assert (price.record.text, price.standing) == ("A travel consultation costs 65 euros", "")
        cleaners = memory.recall("When do the cleaners come?", limit=1)[0]
        assert "Tuesdays" in cleaners.record.text
