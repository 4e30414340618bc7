"""Watches a transcript and a table until it is killed."""

import os
import sys
import threading

import bardo
from bardo.grimoire import scribe

path, source = sys.argv[1:]
# Small batches, so that most kills fall between two commits or into one.
scribe.BATCH = 3
with bardo.open(path, config={"embedding": {"batch": 0}}) as memory:
    os.write(1, b"ready\n")
    memory.scribe(source, watch=threading.Event(), interval=0.001)
