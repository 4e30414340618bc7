"""Spends and learns outcomes until it is killed; says each total once it is durable."""

import os
import sys

import numpy as np

import bardo
from bardo.index.embedding.embedders import function_embedder

g = bardo.open(
    sys.argv[1],
    embedder=function_embedder(lambda texts: np.ones((len(texts), 4), dtype=np.float32), name="flat"),
    config={"life": {"budget": 1_000.0, "lifespan_ticks": 100_000}, "clock": {"unit": "loops"}},
)
while True:
    tick = g.now_tick + 1
    g.remember(
        f"round {tick}", tick=tick, kind="outcome", payload={"value": (-1) ** tick * 0.5}, verified=True
    )
    left = g.life.spend(0.25).left
    os.write(1, f"{tick} {left}\n".encode())
