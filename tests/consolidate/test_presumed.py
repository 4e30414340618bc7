"""A message that probably replaces an earlier one comes first in recall, and changes no knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.corrections.effects import Message
from bardo.consolidate.corrections.presumed import LIKELY, POSSIBLE, READ_AT_MOST, presumed
from bardo.consolidate.drawn import Older
from bardo.consolidate.languages import Reader, reader
from bardo.model import FOLLOWED, PRESUMED

#: Seconds.
WEEK = 604_800
START = 1_772_442_000_000_000
AROUND = (
    "The tomatoes on the balcony are finally ripe.",
    "Our train to Basel was two hours late again.",
    "The printer on the second floor eats every third page.",
)
POOL = "I swim at the Nordbad."
NEW_POOL = "The Nordbad is closed for good. I do my lengths at the university pool."


@pytest.fixture(scope="module")
def rules() -> Reader:
    made = reader("english", BUILT_IN)
    assert made is not None, "run: make dev"
    return made


def replaced(
    rules: Reader, olders: Sequence[str], newer: str, odds: Mapping[str, float], cosine: float = 0.6
) -> dict[str, float]:
    """The older texts that a message may replace, with the weights of the links, by given log odds and one cosine."""
    read: list[tuple[str, str]] = []

    def odds_of(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(pairs)
        return [odds.get(older, -9.0) for older, _ in pairs]

    clauses = {text: tuple(rules.read(Speech(text, "Ann", START))) for text in (*olders, newer)}
    message = Message(newer, [clause for clause in clauses[newer] if clause.stated])
    records = [Older(text, False, clauses[text], (text,)) for text in olders]
    found = presumed(message, records, lambda _, others: [cosine] * len(others), odds_of)
    assert len(read) <= READ_AT_MOST
    return found


def test_the_odds_of_the_pair_decide(rules: Reader) -> None:
    of = partial(replaced, rules, (POOL, AROUND[0]), NEW_POOL)
    assert of({POOL: LIKELY}) == {POOL: PRESUMED}
    assert of({POOL: LIKELY - 0.1}) == of({POOL: POSSIBLE}) == {POOL: FOLLOWED}
    assert of({POOL: POSSIBLE - 0.1}) == {}
    assert of({POOL: LIKELY}, cosine=0.1) == {}


def test_questions_replace_nothing_and_are_not_replaced(rules: Reader) -> None:
    sure = {POOL: 9.0, "Do I swim at the Nordbad?": 9.0}
    assert replaced(rules, (POOL,), "Is the Nordbad closed?", sure) == {}
    assert replaced(rules, ("Do I swim at the Nordbad?",), NEW_POOL, sure) == {}


def test_what_probably_replaces_an_earlier_turn_comes_first(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "a", clock=clock, seed=1) as memory:
        for text in (*AROUND, POOL, NEW_POOL):
            memory.remember(text, role="user", kind="turn")
            memory.sleep()
            clock.advance(WEEK)
        found = [one.text for one in memory.recall("At which pool do I swim my lengths?")]
        places = [
            next(n for n, text in enumerate(found) if said in text) for said in ("university", "I swim")
        ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("weight", "older_text", "is_first"),
    [
        (PRESUMED, POOL, True),
        # Far less relevant than the older one.
        (FOLLOWED, POOL, False),
        (FOLLOWED, "The pool where I swim is the Nordbad.", True),
        (None, "The pool where I swim is the Nordbad.", False),
    ],
)
def test_a_presumption_ends_disputes_and_marks_nothing(
    tmp_path: Path, weight: float | None, older_text: str, *, is_first: bool
) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "a", clock=clock, seed=1) as memory:
        older = memory.remember(older_text, role="user", kind="turn")
        clock.advance(WEEK)
        newer = memory.remember("I swim at the university pool.", role="user", kind="turn")
        memory._session.facts.upsert_resolved(
            [],
            tick=0,
            now=clock.now(),
            actor="curator",
            marks={},
            answered={},
            resolutions=[],
            corrections=[(newer.id, older.id, weight)] if weight else [],
        )
        query = "Where do I swim at the Nordbad?" if older_text == POOL else "Where is the pool where I swim?"
        found = memory.recall(query)[:2]
        expected = [newer.id, older.id] if is_first else [older.id, newer.id]
        assert [one.record.id for one in found] == expected
        assert not any(one.standing or one.corrected_by or one.disputed_by for one in found)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My sister Eva is allergic to cats.", "The bakery on the corner closes at six on Saturdays."),
        ("We rent a garage in Elm Street.", "Should we rent a second garage?"),
        ("The staging host has 16 cores.", "The build took nine minutes today."),
    ],
)
def test_other_news_is_no_replacement(tmp_path: Path, older: str, newer: str) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "a", clock=clock, seed=1) as memory:
        for text in (older, newer):
            memory.remember(text, role="user", kind="turn")
            memory.sleep()
            clock.advance(WEEK)
        facts = memory.facts.list(status=None)
        assert not [
            link for fact in facts for link in memory.facts.links(fact) if link.relation == "corrects"
        ]
