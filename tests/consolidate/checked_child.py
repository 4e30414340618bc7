"""Sleeps over a memory and is killed in the middle of the shadow check; argument 2 says after how many questions."""

import os
import signal
import sys
from typing import Any

import bardo
from bardo._core import FactStore
from bardo.consolidate import shadow
from bardo.index.embedding import embedders
from bardo.ports import ManualClock

folder, questions, moment = sys.argv[1], int(sys.argv[2]), sys.argv[3]
grimoire = bardo.open(
    folder,
    agent="a",
    embedder=embedders.load(),
    clock=ManualClock(1_772_712_000_000_000),
    seed=1,
    config={"curator": {"language": ""}},
)
ask, check = grimoire._retrieval.recall_without_trace, shadow.check
left = [questions]


def asked(*given: Any) -> Any:
    """Dies at a question."""
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return ask(*given)


class Dying:
    """Facts whose owner dies when it is about to release some, after others were withdrawn."""

    def __init__(self, facts: FactStore) -> None:
        self.facts = facts

    def __getattr__(self, name: str) -> Any:
        if name == "release":
            os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self.facts, name)


def checked(facts: FactStore, *given: Any, **named: Any) -> shadow.ShadowReport:
    """Dies between the two verdicts."""
    return check(Dying(facts), *given, **named)  # type: ignore[arg-type]


if moment == "asking":
    grimoire._retrieval.recall_without_trace = asked  # type: ignore[method-assign]
else:
    shadow.check = checked
grimoire.sleep()
