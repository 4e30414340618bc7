"""Prompts tell an order with its allowed cases and its doubt, and no order that a person lifted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import bardo
from bardo.conduct.model.doubt import with_doubt
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.storage.store import ConductStore
from helpers.models import flat

QUIET = {"embedding": {"batch": 0}}
ORDERS = [
    ("send reminders by SMS", "Mr Finch"),
    ("stay away from legacy/", "legacy/reports"),
    ("take walk-ins", "vaccinations"),
]


@pytest.fixture(autouse=True)
def agent(tmp_path: Path) -> None:
    """A memory that its user has opened before."""
    bardo.open(tmp_path, config=QUIET, embedder=flat()).close()


def prompts(folder: Path, about: str) -> dict[str, str]:
    """Every prompt that tells what is in force."""
    with bardo.open(folder, config=QUIET, embedder=flat()) as memory:
        told = {
            "boot": str(memory.boot()),
            "recover": str(memory.recover()),
            "context": str(memory.context(about, budget=1_500)),
            "turn": str(memory.turn(f"May I {about}?")),
        }
    with bardo.visit(folder) as visitor:
        told["visit"] = str(visitor.context(about, budget=1_500))
    return told


def doubted(folder: Path, id_: str, source: str) -> None:
    with bardo.open(folder, config=QUIET, embedder=flat()) as memory:
        store = ConductStore(folder, facts=memory._session.facts)
        with store.writing():
            row = store.get(id_)
            assert isinstance(row, StateEntry | Rule)
            store.put(replace(row, corrections=with_doubt(row.corrections, source)))
        store.close()


@pytest.mark.parametrize(("act", "case"), ORDERS)
def test_a_rejection_is_told_with_its_allowed_case(tmp_path: Path, act: str, case: str) -> None:
    with bardo.gate(tmp_path) as gate:
        entry = gate.reject(act, by="Tilda")
        other = gate.reject("paint the gate green", by="Tilda")
        gate.correct(entry.id, forbids={"allowed": [case]}, by="Tilda")
    for where, text in prompts(tmp_path, act).items():
        assert f"{act} [except: {case}]" in text, where
        assert other.summary in text, where
        assert f"{other.summary} [" not in text, where


def test_an_order_in_doubt_is_told_with_the_day_of_the_doubt(tmp_path: Path) -> None:
    with bardo.gate(tmp_path) as gate:
        entry = gate.reject("deploy on Fridays", by="Ira")
        rule = gate.rule("No writes to the ledger", forbids="write to the ledger", by="Ira", score=9.5)
    doubted(tmp_path, entry.id, "Ira, 2026-11-04, episode 0190")
    doubted(tmp_path, rule.id, "Ira, 2026-11-05, episode 0191")
    for where, text in prompts(tmp_path, "deploy on Fridays").items():
        assert "deploy on Fridays [in doubt since 4 November 2026: only warns]" in text, where
        assert "[in doubt since 5 November 2026: only warns]" in text, where


def test_a_lifted_order_is_not_told(tmp_path: Path) -> None:
    with bardo.gate(tmp_path) as gate:
        entry = gate.reject("upgrade SQLAlchemy", by="Joren")
        gate.reject("rename the tables", by="Joren")
        gate.lift(entry.id, by="Joren")
    for where, text in prompts(tmp_path, "rename the tables").items():
        assert "rename the tables" in text, where
        assert f"({entry.id})" not in text, where


def test_many_cases_are_counted(tmp_path: Path) -> None:
    with bardo.gate(tmp_path) as gate:
        entry = gate.reject("order gloves", by="Marek")
        cases = [f"glove {number} " + "x" * 90 for number in range(5)]
        gate.correct(entry.id, forbids={"allowed": cases}, by="Marek")
    text = prompts(tmp_path, "order gloves")["boot"]
    assert "except: glove 4 x" in text
    assert "and 2 more]" in text
    assert "glove 1" not in text
