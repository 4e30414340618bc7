"""A person's words that allow a thing again lift the rejections of its use, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import bardo
from bardo.conduct.hearing.lifting import lifts


@pytest.mark.parametrize(
    "text",
    [
        "Pandas is fine now after all.",
        "ok, pandas is ok again",
        "You can use Redis again",
        "we may now use Redis",
        "Using left-pad is allowed now",
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
    ],
)
def test_other_words_lift_nothing(text: str) -> None:
    assert not lifts(text)


@pytest.mark.parametrize(
    ("rejection", "said", "role", "is_lifted"),
    [
        ("Don't use pandas.", "Pandas is fine now after all.", "user", True),
        ("Never use pandas.", "Pandas is fine now after all.", "user", True),
        ("No pandas in this project, please.", "Pandas is ok again", "user", True),
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
