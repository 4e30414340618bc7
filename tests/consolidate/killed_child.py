"""Learns, consolidates, dreams, tidies up and takes acts back until it is killed; says before each step which it is."""

import os
import sys

from bardo._core import Curator, EpisodeLog, FactStore, lint_facts
from bardo.model import Fact

SAYINGS = (
    "The gate's port is 8080",
    "The gate's port is now 9090",
    "Gas doubles at noon",
    "Gas never doubles at noon",
)

log = EpisodeLog(sys.argv[1], agent="tester", seed=1, now=1)
facts = FactStore(sys.argv[2], agent="tester", seed=1)
run = int(sys.argv[3])


def begin(step: str) -> None:
    os.write(1, f"{step}\n".encode())


number = 0
while True:
    number += 1
    tick = 3_000 + run
    begin("learn")
    facts.upsert(
        [
            Fact(f"{SAYINGS[number % 4]}, says source {number % 5}", category="told", confidence=0.8),
            Fact(f"claim {run}.{number} holds", category="claims", confidence=0.5),
        ],
        tick=tick,
        now=1,
        actor="told",
    )
    begin("consolidate")
    Curator(facts).consolidate(log, batch=5, tick=tick, now=1)
    begin("dream")
    Curator(facts).dream(log, [episode.id for episode in log.by_subject("s", limit=200)], tick=tick, now=1)
    begin("lint")
    lint_facts(facts, tick=tick, now=1, latest=200, stale_ticks=10)
    if number % 3 == 0:
        begin("undo")
        told = next(act[0] for act in facts.acts(20) if act[1] == "told" and act[4] is None)
        facts.undo(told, tick=tick, now=1)
