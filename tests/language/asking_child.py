"""Remembers messages for a language model, runs a pass, says so on stdout, and waits to be killed."""

import os
import sys
import time

import bardo
from bardo.ports import ManualClock
from helpers.models import word_vectors

folder, url, now, *texts = sys.argv[1:]
config = {"llm": {"model": "m", "base_url": url}, "curator": {"language": "", "every_ticks": 1}}
grimoire = bardo.open(folder, embedder=word_vectors, clock=ManualClock(int(now)), seed=1, config=config)
grimoire.remember([{"role": "user", "name": "Mira", "content": text} for text in texts], tick=1)
grimoire.tick(2)
os.write(1, b"ready\n")
time.sleep(600)
