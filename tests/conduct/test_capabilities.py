"""Capabilities: probes with a time limit, and their last results before an action."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

import bardo
from bardo import errors

PYTHON = sys.executable


def test_probes_tell_whether_capabilities_work(gate: bardo.Gate) -> None:
    gate.capabilities.add("python", probe=f"{PYTHON} -c 'print(\"fine\")'")
    gate.capabilities.add("broken", probe=f"{PYTHON} -c 'import sys; sys.exit(\"no route\")'")
    gate.capabilities.add("missing", probe="no-such-program-here --version")
    gate.capabilities.add("unprobed")
    found = {each.name: (each.health, each.note) for each in gate.capabilities.check()}
    assert found == {
        "python": ("ok", "fine"),
        "broken": ("failed", "no route"),
        "missing": ("failed", "No such file or directory: no-such-program-here"),
    }
    kept = {each.name: each for each in gate.capabilities.list()}
    assert (kept["python"].health, kept["python"].checked_at, kept["unprobed"].health) == ("ok", gate.now, "")
    assert kept["python"].took > 0


def test_a_slow_command_is_killed_with_its_children(gate: bardo.Gate, tmp_path: Path) -> None:
    late = tmp_path / "late"
    gate.capabilities.add("slow", probe=f"sh -c '(sleep 2; touch {late}) & sleep 60'", timeout=0.3)
    began = time.monotonic()
    (slow,) = gate.capabilities.check("slow")
    assert (slow.health, time.monotonic() - began < 10) == ("timed out", True)
    time.sleep(2.5)
    assert not late.exists()


def test_functions_are_probes_of_the_open_gate(gate: bardo.Gate) -> None:
    never = threading.Event()
    gate.capabilities.add("queue", probe=lambda: "12 messages")
    gate.capabilities.add("down", probe=lambda: False)
    gate.capabilities.add("raises", probe=lambda: 1 / 0)
    gate.capabilities.add("hangs", probe=never.wait, timeout=0.2)
    found = {each.name: (each.health, each.note) for each in gate.capabilities.check()}
    never.set()
    assert found == {
        "queue": ("ok", "12 messages"),
        "down": ("failed", ""),
        "raises": ("failed", "ZeroDivisionError: division by zero"),
        "hangs": ("timed out", "no answer within 0.2 s"),
    }


def test_a_function_is_not_called_by_another_gate(gate: bardo.Gate, home: Path) -> None:
    gate.capabilities.add("queue", probe=lambda: True)
    with bardo.gate(home, words_only=True) as other:
        assert other.capabilities.check() == []
        with pytest.raises(errors.NotFoundError, match="There are 'queue'"):
            other.capabilities.check(["que"])


def test_before_tells_the_health_and_the_tools_that_exist(gate: bardo.Gate) -> None:
    gate.capabilities.add("reports", "query the reporting database", usage="psql -h reports")
    gate.capabilities.add("mailer", "send mail to customers", usage="bin/mail", probe="false")
    gate.capabilities.check()
    verdict = gate.before("query the reporting database for the revenue of Monday")
    assert [tool.name for tool in verdict.tools] == ["reports"]
    assert [(each.name, each.health) for each in verdict.capabilities] == [("mailer", "failed")]
    assert "Use: psql -h reports" in verdict.brief
    assert "mailer failed (exit code 1): send mail to customers" in verdict.text
    assert "mailer" not in verdict.brief
    assert verdict.tokens < 3_000


def test_capabilities_that_fail_come_first_in_every_text(gate: bardo.Gate, home: Path) -> None:
    probes = {"disk": "ok", "shell": "ok", "mailer": "bad", "queue": "bad", "ftp": "bad"}
    for name, result in probes.items():
        gate.capabilities.add(
            name, f"{name} service", probe=f"{PYTHON} -c 'raise SystemExit({result != 'ok':d})'"
        )
    gate.capabilities.check()
    with bardo.open(home) as memory:
        texts = (gate.before("tidy up").text, memory.boot().text)
    for text in texts:
        told = [name for line in text.splitlines() for name in probes if f"{name} service" in line]
        assert set(told[:3]) == {"mailer", "queue", "ftp"}
        assert set(told[3:]) == {"disk", "shell"}


def test_fields_are_replaced_by_name_and_removed(gate: bardo.Gate) -> None:
    first = gate.capabilities.add("psql", "query the reports", probe="true")
    second = gate.capabilities.add("PSQL", usage="psql -h reports")
    assert (second.id, second.what, second.usage, second.probe) == (
        first.id, "query the reports", "psql -h reports", "true",
    )  # fmt: skip
    assert gate.capabilities.remove("psql") == second
    assert gate.capabilities.list() == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": 1e9}, "timeout"),
        ({"probe": "echo 'open"}, "cannot be split"),
    ],
)
def test_probes_that_cannot_run_are_refused(gate: bardo.Gate, fields: dict, said: str) -> None:
    with pytest.raises(errors.InvalidInputError, match=said):
        gate.capabilities.add("psql", **fields)
    assert gate.capabilities.list() == []
