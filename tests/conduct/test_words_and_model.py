"""Warnings by words stand with a model that is not sure of the opposite, however many rejections there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.ports import Embedder, ManualClock

#: Wednesday, 6 March 2024, 11:00 UTC.
WEDNESDAY = 1_709_722_800_000_000
REJECTED = [
    "pull in pandas for the CSV import",
    "force-push to a shared branch",
    "call the Mollie live API from tests",
    "go back to Celery for the invoices",
    "edit migrations that have been merged",
    "rename the depot code for Ghent",
    "log full IBANs",
    "reformat files you aren't otherwise changing",
]
#: Actions in other words, which have a name or operation in common with what was rejected.
RELATED = [
    "Use DataFrame.read_csv from pandas in the importer",
    "hit the real Mollie endpoint in test_payments.py",
    "bring the Celery worker back for invoices",
    "rewrite the history of the release branch on the remote",
]
OTHERS = [
    f"{verb} the {thing}"
    for verb in ("sell", "paint", "water", "cook")
    for thing in (
        "piano",
        "garden fence",
        "tomatoes",
        "lentil soup",
        "red kite",
        "old boat",
        "barn door",
        "wool hat",
    )
]


@pytest.fixture
def gates(tmp_path: Path, minilm: Embedder) -> Iterator[tuple[bardo.Gate, bardo.Gate]]:
    """A gate with the model, and one by words alone."""
    bardo.open(tmp_path, agent="trader", embedder=minilm).close()
    clock = ManualClock(WEDNESDAY)
    with (
        bardo.gate(tmp_path, embedder=minilm, clock=clock) as meaning,
        bardo.gate(tmp_path, words_only=True, clock=clock) as words,
    ):
        for what in REJECTED:
            meaning.reject(what, by="anna")
        yield meaning, words


@pytest.mark.parametrize("action", RELATED)
def test_the_model_does_not_silence_what_words_warn_of(
    gates: tuple[bardo.Gate, bardo.Gate], action: str
) -> None:
    assert [gate.before(action).decision for gate in gates] == ["warn", "warn"]


def test_unrelated_rejections_change_no_verdict_on_what_words_relate(
    gates: tuple[bardo.Gate, bardo.Gate],
) -> None:
    gate, _ = gates
    before = [[found.text for found in gate.before(action).findings] for action in RELATED]
    for what in OTHERS:
        gate.reject(what, by="anna")
    assert [[found.text for found in gate.before(action).findings] for action in RELATED] == before
    causes = [found.because for action in RELATED for found in gate.before(action).findings]
    assert any("leaves it open" in cause for cause in causes)
