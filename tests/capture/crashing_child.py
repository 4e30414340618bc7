"""Remembers from several threads until it is killed, and says on stdout which episodes were acknowledged."""

import os
import sys
import threading

from bardo._core import EpisodeLog
from bardo.model import Episode

THREADS = 4
path, run = sys.argv[1], int(sys.argv[2])
log = EpisodeLog(path, agent="crash", seed=run, now=run)
os.write(1, b"ready\n")


def work(thread: int) -> None:
    number = 0
    while True:
        number += 1
        text = f"запуск {run} поток {thread} событие {number} " + "х" * (number * 37 % 900)
        # Every fourth life fills the journal again and again, so that some die while it is emptied.
        size = 1 + number % 3 if run % 4 else 48
        batch = [Episode(f"{text} #{part}", tick=run, subjects=("сбой",)) for part in range(size)]
        ids = [recorded.id for recorded in log.record(batch, now=run)]
        # One write of no more than PIPE_BUF (4,096) bytes arrives whole or not at all.
        os.write(1, "".join(f"{id_} {len(e.text)}\n" for id_, e in zip(ids, batch, strict=True)).encode())


threads = [threading.Thread(target=work, args=(thread,), daemon=True) for thread in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
