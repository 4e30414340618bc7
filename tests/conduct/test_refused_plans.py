"""A refused proposal of the agent is a rejection, and never a rule in the agent's words."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.changes.replacement import replaces
from bardo.conduct.hearing.orders.answers import is_contradiction, is_redirection, proposal
from bardo.conduct.hearing.talk.announcements import is_announcement


@pytest.mark.parametrize(
    "text",
    [
        "I'm going to delete every branch that is older than 30 days.",
        "I'll rewrite all tests, and only then the code.",
    ],
)
def test_a_single_act_is_an_announcement(tmp_path: Path, text: str) -> None:
    assert is_announcement(text)
    with bardo.open(tmp_path) as memory:
        memory.remember(text, role="agent", kind="turn", thread="chat")
        memory.remember("No, please don't.", role="user", kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.rules() == []
        assert [entry.kind for entry in gate.state()] == ["rejected"]


def test_a_habit_that_an_agent_takes_on_is_no_single_act() -> None:
    assert not is_announcement("From now on I'll run the tests before every push.")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("My plan: 1. drop the sessions table 2. recreate it.", "drop the sessions table, then recreate it"),
        ("I would do this:\n1) Export the list.\n2) Mail it.\n\nOk?", "Export the list, then Mail it"),
        ("I found two bugs: 1. a leak 2. a race", ""),
    ],
)
def test_the_steps_of_a_plan_are_one_proposal(text: str, steps: str) -> None:
    assert proposal(text) == steps


@pytest.mark.parametrize(
    ("older", "newer", "is_replaced"),
    [
        (
            "Let's use date-fns for the picker.",
            "Actually, let's use dayjs instead of date-fns for the picker.",
            True,
        ),
        ("Let's use date-fns.", "Wait, let's use dayjs instead of date-fns.", True),
        ("Let's use date-fns.", "Let's use dayjs instead of date-fns in the mobile app.", False),
        (
            "Let's use luxon for the picker.",
            "Actually, let's use dayjs instead of date-fns for the picker.",
            False,
        ),
    ],
)
def test_a_choice_instead_of_another_replaces_the_decision_for_it(
    older: str, newer: str, is_replaced: bool
) -> None:
    assert replaces(older, newer) is is_replaced


CALL = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"cmd": "pytest -q"}'}}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "57 passed"}


@pytest.mark.parametrize(
    "between",
    [
        [],
        [RESULT],
        [RESULT, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT],
        [RESULT, {"role": "assistant", "content": "The tests pass."}],
    ],
)
@pytest.mark.parametrize("is_heard_at_once", [True, False])
def test_a_refusal_reaches_the_plan_across_results_of_tools(
    tmp_path: Path, between: list[dict[str, object]], is_heard_at_once: bool
) -> None:
    plan = {"role": "assistant", "content": "My plan: delete the unused groups table.", "tool_calls": [CALL]}
    with bardo.open(tmp_path) as memory:
        memory.remember([plan, *between], thread="chat")
        if not is_heard_at_once:
            memory.sleep()
        memory.remember([{"role": "user", "content": "Nope, keep it, finance reads from it"}], thread="chat")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        held = [(entry.kind, entry.summary) for entry in gate.state()]
    assert held == [("rejected", "delete the unused groups table")]


@pytest.mark.parametrize(
    ("answer", "is_refused"),
    [
        ("That's not what I want. The query fix is enough.", True),
        ("I don't want that, the query fix is enough", True),
        ("No wait, the query fix is enough", True),
        ("I don't like it, but go ahead", False),
        ("No problem, go ahead", False),
    ],
)
def test_a_refusal_may_have_a_reason_after_it(answer: str, is_refused: bool) -> None:
    assert is_contradiction(answer) is is_refused
    assert is_redirection(answer) is is_refused
