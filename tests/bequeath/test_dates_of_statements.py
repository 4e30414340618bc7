"""Facts that were learned late have the dates of their statements, for the heir and on the pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import bardo


def _micros(month: int, day: int) -> int:
    return int(datetime(2026, month, day, 9, tzinfo=UTC).timestamp() * 1_000_000)


def test_an_heir_knows_when_a_late_transcript_was_said(tmp_path: Path) -> None:
    clock = bardo.ManualClock(_micros(11, 30))
    said = [
        ("The metrics port is 9102.", _micros(11, 9)),
        ("Helga lives in Kiel.", _micros(11, 16)),
        ("Backups of production run at 02:30 UTC.", _micros(11, 25)),
    ]
    with bardo.open(tmp_path / "elder", agent="elder", clock=clock) as g:
        g.remember([{"role": "user", "content": "Hello, let us begin."}], at=_micros(11, 29))
        g.remember(
            [{"role": "user", "content": text, "timestamp": at // 1_000_000} for text, at in said],
            verified=True,
        )
        g.sleep()
        known = [fact for fact in g.facts.list() if fact.evidence]
        assert known
        g.bequeath(tmp_path / "elder.testament")
    with bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir", clock=clock) as heir:
        for text, at in said:
            words = text.rstrip(".").split()[-1]
            for fact in heir.facts.list():
                if words in fact.text:
                    assert fact.observed == (at // 1_000_000, at // 1_000_000)
        assert "30 November 2026" not in str(heir.pages.dossier()).partition("From elder")[2]
