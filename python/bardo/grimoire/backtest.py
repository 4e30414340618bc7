"""Backtest: replays old transcripts to seed a new agent, and reports what it learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.conduct.store import ConductStore
from bardo.errors import InvalidInputError
from bardo.folder import Folder
from bardo.grimoire import factory
from bardo.grimoire.scribe import SourceReport
from bardo.ports import Clock, Embedder, Progress, no_progress

if TYPE_CHECKING:
    from bardo.model import Fact

#: Number of learned facts that a report shows.
SHOWN = 20
