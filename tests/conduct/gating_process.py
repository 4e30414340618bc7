"""A process that gates without owning the memory: it executes each line of its input, and answers with a line.

Started with a folder and a number of its own.
"""

import json
import sys
from pathlib import Path

import bardo
from bardo._core import FactStore
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.storage.store import ConductStore


def tell(what: object) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


folder = Path(sys.argv[1])
gate = bardo.gate(folder, words_only=True)
tell("ready")
for line in sys.stdin:
    verb, given = json.loads(line)
    match verb:
        case "reject":
            for text in given:
                tell(gate.reject(text, why="said elsewhere").id)
        case "before":
            verdict = gate.before(given)
            tell({"decision": verdict.decision, "ids": [finding.id for finding in verdict.findings]})
        case "after":
            gate.after(given, passed=True)
            tell("told")
        case "make":  # the first entry of several stores, each made by the first process
            for name in given:
                facts = FactStore(folder / name / "facts.db", agent="trader", seed=0, create=False)
                store = ConductStore(folder / name, facts=facts)
                tell(store.put(StateEntry("", "task", f"by {sys.argv[2]}")).id)
                store.close()
                facts.close()
        case "close":
            gate.close()
            tell("closed")
