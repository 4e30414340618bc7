"""A person's words that allow a thing again lift the rejections of its use, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import bardo
from bardo.conduct.hearing.lifts.lifting import lift, lifts, only_lifts
from bardo.grimoire.lifted import LiftedReader
from bardo.recall.lifted import lifted_by

#: Time of the gate's clock.
NOW = 1_700_000_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        "Pandas is fine now after all.",
        "ok, pandas is ok again",
        "You can use Redis again",
        "we may now use Redis",
        "Using left-pad is allowed now",
        "The new ladder arrived, you can use the ladder again.",
        "The audit is over, so we can deploy on Fridays again",
        "The ladder can be used again",
        "Parking in the yard is allowed again.",
        "He passed the course; you may send Brandt to leaks again.",
    ],
)
def test_words_that_allow_again_lift(text: str) -> None:
    assert lifts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Pandas is fine",
        "It is fine now",
        "Is pandas ok now?",
        "Pandas is not fine now",
        "the build is green again",
        "We can't use the ladder again",
        "Can we use the ladder again?",
        "Don't use the ladder again",
        "The new ladder arrived, it is in the hall.",
    ],
)
def test_other_words_lift_nothing(text: str) -> None:
    assert not lifts(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You can use the staging account again", True),
        ("The tenant is back, you can use the front entrance again.", True),
        ("You can use the account again, but don't touch the backups", False),
        ("You can use the account again, but dont touch the backups", False),
    ],
)
def test_words_that_end_like_a_contraction_deny_nothing(text: str, expected: bool) -> None:
    assert only_lifts(text) is expected


@pytest.mark.parametrize(
    ("rejection", "said", "role", "is_lifted"),
    [
        ("Don't use pandas.", "Pandas is fine now after all.", "user", True),
        ("Never use pandas.", "Pandas is fine now after all.", "user", True),
        ("No pandas in this project, please.", "Pandas is ok again", "user", True),
        ("Don't use pandas.", "The new version is out, you can use pandas again.", "user", True),
        (
            "Please don't use pandas in the notebooks.",
            "You can use pandas in the notebooks again",
            "user",
            True,
        ),
        (
            "Never use pandas on Fridays.",
            "The audit is over, so we can use pandas on Fridays again",
            "user",
            True,
        ),
        ("Don't use pandas.", "The new version is out, you can use polars again.", "user", False),
        ("Don't upgrade pandas.", "The new version is out, you can use pandas again.", "user", False),
        ("Don't use pandas.", "Pandas is fine now after all.", "agent", False),
        ("Don't use pandas.", "Polars is fine now after all.", "user", False),
        ("Don't use pandas in production.", "Pandas is fine now after all.", "user", False),
        ("Please stop upgrading pandas.", "Pandas is fine now after all.", "user", False),
    ],
)
def test_a_person_lifts_the_rejection_of_a_thing(
    tmp_path: Path, rejection: str, said: str, role: Literal["user", "agent"], is_lifted: bool
) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="coder", clock=clock) as memory:
        memory.remember(rejection, role="user", kind="turn", speaker="Ana")
        memory.sleep()
        clock.advance(3_600)
        memory.remember(said, role=role, kind="turn", speaker="Ana" if role == "user" else "coder")
        memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert bool(gate.state("rejected")) is not is_lifted
        assert not (is_lifted and gate.rules())
        if is_lifted:
            assert gate.before("pip install pandas").decision == "allow"


def test_a_lift_ends_a_rejection_under_the_same_conditions_alone(gate: bardo.Gate) -> None:
    gate.reject("use pandas on Fridays", by="Ana")
    for said, is_lifted in (
        ("We can use pandas on Mondays again", False),
        ("The audit is over, so we can use pandas on Fridays again", True),
    ):
        with gate._store.writing():
            lift(gate._store, said, by="Ana", episode="e1", at=NOW + 1)
        assert bool(gate.state("rejected")) is not is_lifted


@pytest.mark.parametrize(
    ("order", "said", "exception"),
    [
        ("deploy on Fridays", "Friday deploys are okay again, but only before noon UTC.", "before 12:00"),
        ("use pandas", "Pandas is fine again, but only in the offline scripts.", "in the offline scripts"),
    ],
)
def test_a_lift_with_a_limit_ends_nothing_and_adds_an_exception(
    gate: bardo.Gate, order: str, said: str, exception: str
) -> None:
    gate.reject(order, by="Ana")
    with gate._store.writing():
        assert lift(gate._store, said, by="Ana", episode="e1", at=NOW + 1) == []
    (entry,) = gate.state("rejected")
    assert exception in " ".join((*entry.forbidden.conditions, *entry.forbidden.allowed))


def test_a_release_that_is_out_is_no_rejection_beside_a_lift() -> None:
    assert only_lifts("The new version is out, you can use pandas again.")
    assert not only_lifts("You can use polars again, but don't use pandas")


def test_the_fact_of_a_rejection_is_lifted_with_it_and_no_other_fact_of_the_episode(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="office", clock=clock) as memory:
        memory.remember(
            "Don't use the ladder. The rent of flat 3 is 890 euro warm.",
            role="user",
            kind="turn",
            speaker="Marta",
        )
        memory.sleep()
        clock.advance(3_600)
        memory.remember(
            "The new ladder arrived, you can use the ladder again.", role="user", kind="turn", speaker="Luis"
        )
        memory.sleep()
        reader = LiftedReader(memory._session.path, memory._session.facts)
        lifted, _ = reader()
        reader.close()
        marked = {fact.text: lifted_by(fact, lifted) is not None for fact in memory.facts.list(status=None)}
    assert marked["Marta rejects: use the ladder"]
    assert not any(is_marked for text, is_marked in marked.items() if "ladder" not in text)
