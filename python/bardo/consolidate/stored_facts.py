"""Facts of a store, read page by page."""

from __future__ import annotations

from collections.abc import Iterator

from bardo._core import FactStore
from bardo.model import Fact, FactStatus, Source

#: Number of facts per read.
PAGE = 1_024


def pages(facts: FactStore, status: FactStatus = "active", *, source: Source | None = None) -> Iterator[Fact]:
    """Yields every fact of a status, by default those in force, read page by page; of one source if it is given."""
    after: str | None = None
    while page := facts.list(status=status, source=source, after=after, limit=PAGE):
        yield from page
        after = page[-1].id
