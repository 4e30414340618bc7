"""Facts of a store, read page by page."""

from __future__ import annotations

from collections.abc import Iterator

from bardo._core import FactStore
from bardo.capture import recorder
from bardo.capture.recorder import PAGE
from bardo.model import Fact, FactStatus, Source


def pages(
    facts: FactStore, status: FactStatus | None = "active", *, source: Source | None = None
) -> Iterator[Fact]:
    """Yields every fact of a status, by default those in force, read page by page; of one source if it is given."""
    return recorder.pages(lambda after: facts.list(status=status, source=source, after=after, limit=PAGE))
