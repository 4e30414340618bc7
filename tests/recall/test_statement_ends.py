"""A statement with an end holds no longer from that instant on, for every read, before any pass of the Curator."""

from __future__ import annotations

from pathlib import Path

import bardo
from bardo.ports import Embedder, ManualClock

START = 1_760_000_000_000_000
HOUR = 3_600


def test_a_statement_past_its_end_is_in_no_answer_before_the_next_sleep(
    tmp_path: Path, minilm: Embedder
) -> None:
    clock = ManualClock(START)
    with bardo.open(tmp_path / "ann", clock=clock, seed=1, embedder=minilm) as g:
        g.remember("Nadia met Rome's mayor")
        leased = g.learn(
            subject="Nadia", attribute="home", value="Rome", until=START + HOUR * 1_000_000, confidence=0.9
        )
        g.learn("Nadia likes tea", confidence=0.9)

        def seen() -> tuple[bool, ...]:
            with bardo.visit(g.path, clock=clock, embedder=minilm) as visitor:
                return (
                    leased.id in {fact.id for fact in g.facts.list()},
                    leased.id in {memory.id for memory in g.recall("Where is Nadia's home?")},
                    "home is Rome" in g.pages.dossier().text.partition("## Ended lately")[0],
                    any(triple.source == leased.id for triple in g.entities.relations("Nadia")),
                    leased.id in {fact.id for fact in visitor.facts.list()},
                    leased.id in {memory.id for memory in visitor.recall("Where is Nadia's home?")},
                )

        assert seen() == (True,) * 6
        now = g.now_tick
        clock.advance(HOUR)
        assert seen() == (False,) * 6
        # The fact itself stays, as do questions about the time before.
        assert leased.id in {fact.id for fact in g.facts.list(status=None)}
        assert leased.id in {fact.id for fact in g.facts.list(valid_at=START + 1)}
        assert leased.id in {memory.id for memory in g.recall("Where is Nadia's home?", as_of=now)}
        assert any(triple.source == leased.id for triple in g.entities.relations("Nadia", every=True))
        g.sleep()
        assert seen() == (False,) * 6
        assert g.facts.get(leased.id).ended_by == "until"
