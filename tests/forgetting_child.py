"""Forgets one episode, to be killed at any moment."""

import os
import sys

import bardo
from helpers.models import letters

with bardo.open(sys.argv[1], embedder=letters(), seed=3) as grimoire:
    os.write(1, b"ready\n")
    grimoire.forget(sys.argv[2], reason="to be killed")
    os.write(1, b"done\n")
