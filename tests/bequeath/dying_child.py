"""Dies in a process of its own, which tells each phase of its death, and kills itself at an operation on a file."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import bardo
from bardo.index.embedding import embedders

#: Modules that take seconds to import; a server imports them once and forks the children.
SLOW = ["lancedb", "numpy", "bardo.grimoire.death", "bardo.bequeath.testament.testament"]
WATCHED = {"open", "os.rename", "os.remove", "os.mkdir", "os.link"}
#: Journaled phases of a death; 0 is the life before.
PHASES = ("life", "acceptance", "settle", "reflect", "legacy")


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.0] for _ in texts]


def opened(folder: Path, **options: object) -> bardo.Grimoire:
    return bardo.open(folder, embedder=embedders.function_embedder(embed, name="flat"), **options)


def die(
    folder: Path, path: Path, told: Connection, *, steps: bool, fatal: tuple[int, int], env: dict[str, str]
) -> None:
    """Ends a life in one call, or step by step.

    Args:
        folder: Folder of the memory.
        path: Testament.
        told: Takes each phase, each acknowledged step, and at the end the operations of each phase.
        steps: Whether to settle tasks in between.
        fatal: Phase, and the number of its operation on a file at which the process kills itself.
        env: Environment of the tests.
    """
    os.environ.update(env)
    counts = [0] * len(PHASES)
    phase = 0

    def watch(event: str, given: tuple[object, ...]) -> None:
        nonlocal phase
        if event not in WATCHED or not any(str(part).startswith(str(folder.parent)) for part in given):
            return
        counts[phase] += 1
        if (phase, counts[phase]) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        if event == "os.rename" and str(given[1]).endswith("death.json"):
            phase += 1
            told.send(("phase", phase))

    with opened(folder) as g:
        told.send(("phase", 0))
        sys.addaudithook(watch)
        if steps:
            g.death.begin(
                cause="economic", obligations=["Close the short", "Pay the keeper"], path=path, deadline=10**6
            )
            first = g.death.checklist()[0]
            g.death.settle(first.id, "closed at market")
            told.send(("settled", first.id))
            g.remember("the short was closed at market", verified=True)
            told.send(("remembered", 0))
            g.death.complete(abandon=True, reflection="# I lived\n\nAnd learned.\n")
        else:
            g.bequeath(path, cause="age")
        told.send(("done", counts))
