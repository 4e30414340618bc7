"""Records of an ancestor are older than its conclusions: re-read by the heir, they end no inherited fact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import bardo
from bardo.bequeath.testament import signing, trust
from bardo.model import Fact
from bequeath.estate import KEY, NOW, bequeath, episode, fact

DAY = 86_400 * 1_000_000
RECORDS = [
    "fix(gateway): timeout 30s -> 45s",
    "build: bump python from 3.11 to 3.12",
    "feat(worker): pool size 20 -> 35",
]


@pytest.fixture(autouse=True)
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signer is known: episodes of a stranger have no role."""
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "keys"))
    trust.add(signing.signer_of(KEY))


def heir_of(tmp_path: Path, name: str, facts: list[Fact], records: list[str]) -> bardo.Grimoire:
    """An heir after its first pass, whose ancestor left facts, and records of tools from before them."""
    episodes = [
        episode(90 + place, record, role="tool", kind="tool", at=NOW - (30 - place) * DAY)
        for place, record in enumerate(records)
    ]
    left = bequeath(tmp_path, name=f"{name}.testament", facts=facts, episodes=episodes)
    clock = bardo.ManualClock(NOW + 30 * DAY)
    heir = bardo.inherit(left.path, tmp_path / name, clock=clock)
    heir.sleep()
    return heir


def learned(heir: bardo.Grimoire) -> list[Fact]:
    return [one for one in heir.facts.list(status=None) if one.source != "testament"]


def concluded(tmp_path: Path, record: str, value: str) -> Fact:
    """A fact of an ancestor with another value in the slot of which a record tells."""
    with heir_of(tmp_path, "reader", [], [record]) as heir:
        (read,) = learned(heir)
    assert read.statement is not None
    said = replace(read.statement, value=value, until=None)
    return fact(1, f"The {said.subject} {said.attribute} was set to {value}", statement=said)


@pytest.mark.parametrize("record", RECORDS)
def test_an_inherited_record_ends_no_inherited_fact(tmp_path: Path, record: str) -> None:
    known = concluded(tmp_path, record, "99")
    with heir_of(tmp_path, "heir", [known], [record]) as heir:
        assert [(one.text, one.status) for one in heir.facts.list(status=None)] == [(known.text, "active")]
        assert heir.recall(known.text, limit=1)[0].standing == ""


@pytest.mark.parametrize("record", RECORDS)
def test_an_inherited_record_is_no_evidence_for_an_inherited_fact(tmp_path: Path, record: str) -> None:
    with heir_of(tmp_path, "reader_again", [], [record]) as heir:
        (read,) = learned(heir)
    known = fact(1, read.text, statement=read.statement)
    with heir_of(tmp_path, "heir", [known], [record]) as heir:
        (kept,) = heir.facts.list(status=None)
        assert (kept.source, kept.generation, kept.support) == ("testament", 1, 0)


@pytest.mark.parametrize("record", RECORDS)
def test_an_own_record_still_ends_an_inherited_fact(tmp_path: Path, record: str) -> None:
    known = concluded(tmp_path, record, "99")
    with heir_of(tmp_path, "heir", [known], []) as heir:
        heir.remember(record, role="tool", kind="tool")
        heir.sleep()
        statuses = {one.text: one.status for one in heir.facts.list(status=None)}
        assert statuses[known.text] == "superseded"
        assert [one.status for one in learned(heir)] == ["active"]


def test_an_inherited_record_of_another_thing_is_learned(tmp_path: Path) -> None:
    known = concluded(tmp_path, RECORDS[0], "99")
    with heir_of(tmp_path, "heir", [known], RECORDS[1:]) as heir:
        assert len(learned(heir)) == 2
        assert all(one.status == "active" for one in heir.facts.list(status=None))
