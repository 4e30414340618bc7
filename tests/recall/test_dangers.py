"""Seats of dangers: a warning that fits the query is among the first five, however little it is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.ports import ManualClock

NOON = 1_772_712_000_000_000
#: Warning, subject, and queries that it fits.
WARNINGS = (
    (
        "Deploying the billing service on a Friday evening took the payments down for six hours", "billing",
        ("Can we ship billing tonight, it is Friday?", "rolling out the payments service before the weekend"),
    ),
    (
        "Restarting the primary database before the replica had caught up lost two hours of orders", "postgres",
        ("restart postgres primary", "restart the primary database now"),
    ),
    (
        "Providing liquidity to a pool younger than a day ended in a rug pull", "uniswap",
        ("a new pool opened an hour ago, provide liquidity?", "fresh uniswap pool with high yield"),
    ),
    (
        "Deleting old snapshots from the bucket also deleted the audit log", "backups",
        ("clean up old snapshots in the bucket", "delete snapshots from the bucket to free space"),
    ),
)  # fmt: skip
FITTING = [(text, query) for text, _, queries in WARNINGS for query in queries]
UNRELATED = (
    "Where does Nadia live?", "What time is the dentist appointment?", "Who won the chess tournament?",
    "Which book did Tom recommend?", "When is the train to Bern?", "What is the capital of Peru?",
    "Summarise the meeting about hiring", "What happened yesterday?", "How fast is the query cache?",
    "Which model embeds the texts?", "What was the revenue of March?", "Who reviews pull requests?",
)  # fmt: skip
OWN = (
    "The billing service was deployed and payments went on", "Billing was shipped on Friday: the payments are fine",
    "The payments service was rolled out before the weekend", "Postgres was restarted in two minutes",
    "The primary database was restarted for the update", "The new pool of WBTC paid four percent of yield",
    "A pool opened on uniswap, liquidity was provided", "Old snapshots in the bucket were cleaned up",
    "The bucket has free space for backups again", "Backups run at three in the morning",
)  # fmt: skip


@pytest.fixture(scope="module")
def heir(tmp_path_factory: pytest.TempPathFactory, minilm: object) -> Iterator[bardo.Grimoire]:
    """An heir of four warnings, with five own records of each sort of work, all of them good."""
    folder: Path = tmp_path_factory.mktemp("line")
    with bardo.open(folder / "elder", embedder=minilm, clock=ManualClock(NOON), seed=1) as elder:
        for text, subject, _ in WARNINGS:
            elder.learn(text, kind="anti_knowledge", subjects=[subject], confidence=0.9)
        elder.bequeath(folder / "elder.testament", cause="age")
    with bardo.inherit(
        folder / "elder.testament", folder / "heir", embedder=minilm, clock=ManualClock(NOON), seed=2
    ) as heir:
        for day in range(5):
            heir.remember(
                [
                    bardo.Episode(f"{text}, day {day}", tick=day + 1, importance=0.9, verified=True)
                    for text in OWN
                ]
            )
        yield heir


@pytest.mark.parametrize(("warning", "query"), FITTING)
def test_an_inherited_warning_that_fits_the_query_is_among_the_first_five(heir, warning, query) -> None:
    found = heir.recall(query, limit=5)
    seated = next(memory for memory in found if memory.text == warning)
    assert seated.why.is_seated
    assert seated.inherited
    assert seated.confidence < 0.5
    assert found[0].text != warning or seated.score >= found[1].score, "a seat is not the first place"


def test_the_explanation_says_that_a_danger_was_seated_and_that_it_is_unconfirmed(heir) -> None:
    found = heir.recall("restart postgres primary", limit=5)
    seated = next(memory for memory in found if memory.why.seat == "danger")
    assert "a danger that fits the query, inherited and not confirmed by own evidence" in str(seated.why)
    assert seated.why.discounts["inherited"] < 1.0


@pytest.mark.parametrize("query", UNRELATED)
def test_an_unrelated_query_gives_no_seat(heir, query) -> None:
    assert not [memory.text for memory in heir.recall(query, limit=10) if memory.why.is_seated]


def test_a_prompt_shows_the_warning_as_inherited_and_unverified(heir) -> None:
    prompt = str(heir.context("restart postgres primary", budget=1_500))
    rules = prompt.split("<learned_rules")[1].split("</learned_rules", maxsplit=1)[0]
    assert "lost two hours of orders" in rules
    assert 'inherited="true"' in rules
    assert 'status="unverified; known since 5 March 2026"' in rules


def test_one_memory_is_never_a_danger_in_place_of_the_best(heir) -> None:
    assert [memory.layer for memory in heir.recall("restart postgres primary", limit=1)] == ["episode"]


def test_own_contrary_knowledge_takes_the_seat_away(tmp_path, heir, minilm) -> None:
    with bardo.inherit(
        heir.path.parent / "elder.testament", tmp_path / "other", embedder=minilm, clock=ManualClock(NOON)
    ) as other:
        query, text = "restart postgres primary", WARNINGS[1][0]
        assert [m.text for m in other.recall(query, limit=5) if m.why.is_seated] == [text]
        warning = next(fact for fact in other.facts.list() if fact.text == text)
        own = other.learn(
            "Restarting the primary database loses nothing: it waits for the replica", confidence=0.9
        )
        assert other.facts.contradict(warning, own) == warning.id
        assert not [m.text for m in other.recall(query, limit=5) if m.why.is_seated]
