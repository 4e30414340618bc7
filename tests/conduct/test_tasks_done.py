"""A report that a task is done ends the one task that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

FORM, FLIGHT = "Remind me to send the form to the insurance", "Remind me to book the flight to Oslo"


def open_tasks(folder: Path, *said: tuple[str, str]) -> list[str]:
    with bardo.open(folder) as memory:
        for role, text in (("user", FORM), ("agent", "Will do."), ("user", FLIGHT), *said):
            memory.remember(text, role=role, kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(folder) as gate:
        return sorted(entry.summary for entry in gate.state("task"))


@pytest.mark.parametrize(
    "said",
    [
        [("user", "I sent the form.")],
        [("user", "I've just sent the form to the insurance.")],
        [("agent", "Done, I sent the form yesterday.")],
        [("user", "The form has been sent.")],
        [("agent", "Did you send the form?"), ("user", "done")],
    ],
)
def test_a_report_ends_the_task_it_names(tmp_path: Path, said: list[tuple[str, str]]) -> None:
    assert open_tasks(tmp_path, *said) == [FLIGHT]


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("Please add a health check", "I added the health check"),
        ("Please add an index on orders.bakery_id", "I added the index on orders.bakery_id myself"),
        ("Please write the release notes", "I've written the release notes"),
        ("Please create the backup bucket", "I created the backup bucket"),
        ("Please embed the fonts in the report", "I embedded the fonts"),
    ],
)
def test_a_report_of_something_new_ends_its_task(tmp_path: Path, task: str, report: str) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember(task, role="user", kind="turn", thread="chat")
        memory.sleep()
        memory.remember(report, role="user", kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert [(one.summary, one.status) for one in gate.state("task", every=True)] == [(task, "done")]


@pytest.mark.parametrize(
    "said",
    [
        [("user", "done")],
        [("user", "I haven't sent the form.")],
        [("user", "I sent the form, but it bounced.")],
        [("user", "I sent the postcard.")],
        [("user", "I printed the form.")],
        [("user", "Once I sent the form, we can relax.")],
    ],
)
def test_an_unclear_report_ends_no_task(tmp_path: Path, said: list[tuple[str, str]]) -> None:
    assert {FORM, FLIGHT} <= set(open_tasks(tmp_path, *said))


def open_runs(folder: Path, *said: tuple[str, str]) -> list[str]:
    with bardo.open(folder) as memory:
        for role, text in said:
            memory.remember(text, role=role, kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(folder, words_only=True) as gate:
        return sorted(entry.summary for entry in gate.state("task"))


@pytest.mark.parametrize(
    "report",
    [
        ("agent", "All 231 tests pass."),
        ("agent", "The tests are green."),
        ("user", "OK, the tests went through."),
        ("tool", "231 passed in 4.21s"),
        ("tool", "running 12 tests\n...\ntest result: ok. 12 passed; 0 failed; 0 ignored"),
    ],
)
def test_a_result_ends_the_task_to_run_it(tmp_path: Path, report: tuple[str, str]) -> None:
    assert open_runs(tmp_path, ("agent", "I'll run the tests."), report) == []


@pytest.mark.parametrize(
    "report",
    [
        ("tool", "3 failed, 228 passed in 4.21s"),
        ("agent", "The build went through."),
        ("agent", "Not all tests pass yet."),
        ("tool", "import passed"),
    ],
)
def test_failures_and_results_of_other_things_leave_the_task(tmp_path: Path, report: tuple[str, str]) -> None:
    assert open_runs(tmp_path, ("agent", "I'll run the tests."), report) == ["I'll run the tests."]


def test_a_result_ends_the_request_and_the_promise_and_no_other_task(tmp_path: Path) -> None:
    said = [
        ("user", "Please run the tests."), ("agent", "I'll run the tests."),
        ("user", "Remind me to write the tests for the parser"), ("tool", "231 passed in 4.21s"),
    ]  # fmt: skip
    assert open_runs(tmp_path, *said) == ["Remind me to write the tests for the parser"]
