"""Deleting a message deletes its words from the rejections, rules and tasks that it ended or changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo


def night(folder: Path, *said: str) -> str:
    """Tells an agent messages of Ana, sleeps after each, and deletes the last one; returns what the gate keeps."""
    with bardo.open(folder) as memory:
        for text in said:
            last = memory.remember({"role": "user", "content": text, "name": "Ana"})
            memory.sleep()
        with bardo.gate(folder, words_only=True) as gate:
            assert "zebrafish" in _every(gate)
        memory.forget([last.id], reason="asked to")
    with bardo.gate(folder, words_only=True) as gate:
        return _every(gate)


def _every(gate: bardo.Gate) -> str:
    """Every entry and rule, with its versions."""
    rows = [*gate.state(every=True), *gate.rules(every=True)]
    return "\n".join(repr(version) for row in rows for version in gate.history(row.id))


@pytest.mark.parametrize(
    "said",
    [
        (
            "Don't use Redis for the cache.",
            "You can use Redis again for the cache, the zebrafish test passed.",
        ),
        ("Never push to main.", "You can push to main for the zebrafish tenant, just this once."),
        ("Remind me to send the form to the bank.", "I sent the form to the bank, zebrafish and all."),
    ],
)
def test_the_words_of_a_deleted_message_leave_what_it_changed(tmp_path: Path, said: tuple[str, ...]) -> None:
    kept = night(tmp_path / "agent", *said)
    assert "zebrafish" not in kept
    assert not any(b"zebrafish" in file.read_bytes() for file in (tmp_path / "agent").glob("conduct.db*"))


def test_what_a_deleted_message_allowed_is_forbidden_again(tmp_path: Path) -> None:
    night(
        tmp_path / "agent",
        "Never push to main.",
        "You can push to main for the zebrafish tenant, just this once.",
    )
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        assert gate.before("git push origin main, for the zebrafish tenant").decision == "block"


def test_what_a_deleted_message_lifted_stays_lifted(tmp_path: Path) -> None:
    kept = night(
        tmp_path / "agent", "Don't use Redis.", "You can use Redis again, the zebrafish test passed."
    )
    assert "allowed again" in kept
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        assert gate.before("use Redis").decision != "block"
