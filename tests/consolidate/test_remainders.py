"""A sentence that ends leaves facts of its other clauses, without the thing that is over."""

from __future__ import annotations

from pathlib import Path

import bardo

DAY = 86_400


def test_no_remainder_names_the_thing_that_is_over(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_772_442_000_000_000)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        for text in (
            "label-web is TypeScript built with Vite on node 20.",
            "We dropped Vite, label-web is built with Rspack since today.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Ruth")
            memory.sleep()
            clock.advance(9 * DAY)
        known = [fact.text for fact in memory.facts.list() if fact.status == "active"]
    assert not [text for text in known if "node 20" in text]
    assert any("Rspack" in text for text in known)
