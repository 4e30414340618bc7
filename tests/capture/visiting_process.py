"""A process that does not own a grimoire: it recalls, lists facts, and drops episodes.

It reads a query per line and answers each with a line, until there are no more.
"""

import json
import sys
from pathlib import Path

import bardo
from bardo import errors
from bardo.model import Episode
from helpers.models import letters


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


folder = Path(sys.argv[1])
model = letters()
try:
    bardo.open(folder, embedder=model)
    locked = False
except errors.StoreLockedError:
    locked = True
for number in range(10):
    bardo.drop(folder, Episode(f"dropped {number}", tick=1))
with bardo.visit(folder, embedder=model) as visitor:
    tell(locked=locked, agent=visitor.agent)
    for line in sys.stdin:
        query = json.loads(line)
        found = visitor.recall(query, limit=5)
        tell(
            texts=[memory.text for memory in found],
            layers=[memory.layer for memory in found],
            why=[str(memory.why) for memory in found],
            notes=found.notes,
            facts=[fact.text for fact in visitor.facts.list()],
            tick=visitor.now_tick,
        )
