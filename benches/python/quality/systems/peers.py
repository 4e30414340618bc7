"""The peers that are memory engines or vector databases, loaded where they are installed and listed where not."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, util

from bardo.ports import Embedder
from quality.systems import System

#: Module of the adapter -> (module that it needs, package on PyPI).
PEERS = {
    "lancedb": ("lancedb", "lancedb"),
    "chroma": ("chromadb", "chromadb"),
    "mem0": ("mem0", "mem0ai"),
    "txtai": ("txtai", "txtai"),
    "mempalace": ("mempalace", "mempalace"),
    "yantrikdb": ("yantrikdb", "yantrikdb"),
    "engram": ("engram", "engram-search"),
}


@dataclass(frozen=True, slots=True)
class Missing:
    """A peer that cannot run here, and why."""

    name: str
    reason: str


def load(name: str, embedder: Embedder) -> list[System] | Missing:
    """The systems of one adapter, or why there are none.

    Args:
        name: A key of `PEERS`.
        embedder: The model for those that take one.
    """
    module, package = PEERS[name]
    if util.find_spec(module) is None:
        return Missing(name, f"{package} is not installed")
    try:
        build: Callable[[Embedder], list[System]] = importlib.import_module(f"quality.systems.{name}").build
        return build(embedder)
    except Exception as error:
        return Missing(f"{name} {metadata.version(package)}", f"{type(error).__name__}: {error}"[:200])
