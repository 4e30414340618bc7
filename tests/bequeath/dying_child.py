"""Bequeaths a grimoire, and kills itself at the n-th operation on a file; says how many there were if it lives."""

import os
import signal
import sys
from pathlib import Path

import bardo

folder, path, fatal = sys.argv[1], sys.argv[2], int(sys.argv[3])
count = 0
WATCHED = {"open", "os.rename", "os.remove", "os.mkdir", "os.link"}


def watch(event: str, given: tuple[object, ...]) -> None:
    global count  # noqa: PLW0603
    if event in WATCHED and any(
        str(part).startswith((folder, path, str(Path(path).parent))) for part in given
    ):
        count += 1
        if count == fatal:
            os.kill(os.getpid(), signal.SIGKILL)


with bardo.open(folder, embedder=lambda texts: [[1.0, 0.0] for _ in texts]) as grimoire:
    sys.addaudithook(watch)
    grimoire.bequeath(path, cause="age")
    sys.stdout.write(str(count))
