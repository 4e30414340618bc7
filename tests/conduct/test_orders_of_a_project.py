"""Orders of a project at the gate: freezes, branches and folders, named approvers, lifts, and tasks that end."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts.lifting import lift
from bardo.conduct.hearing.talk.idle_words import is_apology, is_guess, is_options, points_only
from bardo.conduct.hearing.utterance import Utterance

DAY = 86_400
#: 11 August 2026, 09:00 UTC.
AUGUST = 1_786_438_800_000_000


def told(folder: Path, *turns: tuple[str, str]) -> bardo.ManualClock:
    clock = bardo.ManualClock(AUGUST)
    with bardo.open(folder, agent="moss", clock=clock) as memory:
        for who, text in turns:
            role = "agent" if who == "Moss" else "user"
            memory.remember(text, role=role, kind="turn", speaker=who, thread="t")
            clock.advance(60)
        memory.sleep()
    return clock


@pytest.mark.parametrize(
    "order",
    [
        "No deploys to production until 24 August, please.",
        "Summer freeze: no production deploys until 24 August.",
    ],
)
def test_a_freeze_blocks_until_its_date_and_ends_with_it(tmp_path: Path, order: str) -> None:
    clock = told(tmp_path, ("Maren", order))
    with bardo.gate(tmp_path, agent="moss", clock=clock) as gate:
        assert gate.before("deploy to production").decision == "block"
        assert gate.before("deploy to staging").decision != "block"
        clock.advance(14 * DAY)
        assert gate.before("deploy to production").decision == "allow"
    with bardo.open(tmp_path, agent="moss", clock=clock) as memory:
        memory.sleep()
    with bardo.gate(tmp_path, agent="moss", clock=clock) as gate:
        assert gate.rules() == [] or all(not rule.forbids for rule in gate.rules())
        assert gate.state(kind="rejected") == []


def test_an_order_of_a_list_is_kept_by_itself_and_never_fades(tmp_path: Path) -> None:
    clock = told(
        tmp_path,
        (
            "Tobias",
            "Two things from ops: never delete volumes on staging or production, no `docker compose down -v`.",
        ),
    )
    clock.advance(60 * DAY)
    with bardo.open(tmp_path, agent="moss", clock=clock) as memory:
        memory.sleep()
    with bardo.gate(tmp_path, agent="moss", clock=clock) as gate:
        assert gate.before("docker compose down -v").decision == "block"
        assert gate.before("docker volume rm pgdata  # on staging").decision == "block"
        assert gate.before("docker compose down").decision != "block"


@pytest.mark.parametrize(
    ("order", "inside", "elsewhere"),
    [
        (
            "never force-push to release branches",
            "git push --force origin release/4.8",
            "git push -f origin feat/x",
        ),
        ("don't force-push to main", "git push --force origin main", "git push --force origin feat/x"),
        (
            "no sleeps in tests",
            "Edit tests/test_a.py: add time.sleep(2)",
            "time.sleep(1) in app/worker/backoff.py",
        ),
        ("no print statements in scripts", "add print(x) to scripts/a.py", "add print(x) to app/cli.py"),
    ],
)
def test_another_branch_or_folder_is_not_blocked(
    gate: bardo.Gate, order: str, inside: str, elsewhere: str
) -> None:
    gate.reject(order, by="anna")
    assert gate.before(inside).decision == "block"
    assert gate.before(elsewhere).decision != "block"


def test_a_push_without_a_branch_stays_blocked(gate: bardo.Gate) -> None:
    gate.reject("never force-push to release branches", by="anna")
    assert gate.before("git push --force").decision == "block"


def test_only_the_person_whom_a_rule_names_approves(gate: bardo.Gate) -> None:
    gate.rule("Deploys to production need Maren's OK", approval="deploy to production", by="Tobias")
    assert gate.before("deploy to production", approved_by="Iqra").decision == "block"
    assert gate.before("deploy to production", approved_by="Maren").decision == "allow"
    assert gate.before("deploy to production", approved_by="Maren Ott").decision == "allow"


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("Please no pandas in the scripts.", "Pandas is fine now after all."),
        ("Don't use pytest-xdist until every test has its own schema.", "You can use pytest-xdist again."),
        ("Don't push to main directly.", "We lifted the ban on pushing to main."),
        ("Never deploy on Fridays.", "The ban on deploying on Fridays is lifted."),
        ("Never park in the yard.", "We've dropped the ban on parking in the yard."),
    ],
)
def test_a_ban_that_is_lifted_in_these_words_ends(gate: bardo.Gate, order: str, said: str) -> None:
    gate.reject(order, by="anna")
    with gate._store.writing():
        assert lift(gate._store, said, by="anna", episode="e1", at=2 * 10**18)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("Don't push to main directly.", "We lifted the ban on pushing to staging."),
        ("Don't push to main directly.", "We lifted the ban on merging to main."),
        ("Don't push to main directly.", "The ban on pushing to main is not lifted."),
        ("Don't push to main directly.", "Did we lift the ban on pushing to main?"),
        ("No pandas in production.", "Pandas is fine now after all."),
        ("No pandas in the tests.", "Pandas is fine now after all."),
        ("Don't use Redis.", "We can use Redis again for the session cache."),
    ],
)
def test_a_lift_of_something_else_ends_no_ban(gate: bardo.Gate, order: str, said: str) -> None:
    gate.reject(order, by="anna")
    with gate._store.writing():
        assert lift(gate._store, said, by="anna", episode="e1", at=2 * 10**18) == []


def test_a_case_that_is_allowed_again_becomes_an_exception(gate: bardo.Gate) -> None:
    gate.reject("Don't use Redis.", by="anna")
    with gate._store.writing():
        lift(
            gate._store,
            "We can use Redis again for the session cache.",
            by="anna",
            episode="e1",
            at=2 * 10**18,
        )
    assert gate.before("introduce a Redis session cache").decision != "block"
    assert gate.before("use Redis as the queue").decision == "block"


@pytest.mark.parametrize(
    ("asked", "answer", "status"),
    [
        ("Raise the db pool to 40.", "Done, the db pool is 40.", "done"),
        ("Add a health check to the worker.", "Done.", "done"),
        ("Raise the db pool to 40.", "Done with half of it.", "active"),
        ("Raise the db pool to 40.", "I look at the settings first.", "active"),
    ],
)
def test_a_task_is_done_when_the_agent_says_so_in_answer_to_it(
    tmp_path: Path, asked: str, answer: str, status: str
) -> None:
    clock = told(tmp_path, ("Tobias", asked), ("Moss", answer))
    with bardo.gate(tmp_path, agent="moss", clock=clock) as gate:
        assert [entry.status for entry in gate.state(kind="task", every=True)] == [status]


def test_a_newer_order_with_another_value_replaces_a_task(tmp_path: Path) -> None:
    clock = told(
        tmp_path,
        ("Tobias", "Set the db pool to 40."),
        ("Moss", "Looking."),
        ("Tobias", "Set the db pool to 30."),
    )
    with bardo.gate(tmp_path, agent="moss", clock=clock) as gate:
        assert [entry.summary for entry in gate.state(kind="task")] == ["Set the db pool to 30."]


def test_apologies_options_guesses_and_bare_requests_are_told_from_tasks_and_decisions() -> None:
    assert is_apology("Sorry, I'll amend with the hooks on.")
    assert is_options("Options: wait for replicas with WAIT, or move the queue to NATS.")
    assert is_guess("Both tokens are present, the publish step should work.")
    assert points_only("Write a new one.")
    assert not is_apology("I'll amend with the hooks on.")
    assert not is_options("I'll take the second option.")
    assert not is_guess("The publish step should run before the tests.")
    assert not points_only("Write a new migration.")
    assert Utterance("no wildcard imports", is_listed=True).is_prohibition
