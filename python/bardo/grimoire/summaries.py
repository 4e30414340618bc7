"""Summaries of conversations: their store, the passes that make them, and access to them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.converse.summary_store import LEVELS, Level, Summary, SummaryStore
from bardo.errors import InvalidInputError, NotFoundError, StoreError
from bardo.grimoire.extraction import Extraction
from bardo.grimoire.session import Session
from bardo.model import Episode

if TYPE_CHECKING:
    from bardo.converse.summaries import Summariser, SummaryReport

#: Maximum number of summaries that a pass of `tick` makes, because the agent waits for it.
BY_DAY = 2


class SummaryParts:
    """Store of summaries and the passes over it, created on first use.

    Args:
        session: Open memory.
        extraction: Source of the language model.
    """

    def __init__(self, session: Session, extraction: Extraction) -> None:
        self._session = session
        self._extraction = extraction

    @locked_cached_property
    def store(self) -> SummaryStore:
        """Store of the summaries."""
        return self._session.closing(SummaryStore(self._session.path))

    @locked_cached_property
    def _summariser(self) -> Summariser:
        from bardo.converse.summaries import Summariser

        session = self._session
        return Summariser(
            session.log, self.store, session.agent, embed=session.indexer.vectors_of,
            advisor=self._extraction.advisor,
        )  # fmt: skip

    def run(self, *, until_done: bool) -> SummaryReport:
        """Makes the summaries that are due; a failure of the store is a note.

        Args:
            until_done: Whether to make all of them.
        """
        from bardo.converse.summaries import SummaryReport

        session = self._session
        if not session.config.curator.summaries:
            return SummaryReport()
        if not session.config.curator.texts and self._extraction.advisor is not None:
            # Otherwise the extraction of facts has begun the pass.
            self._extraction.advisor.begin()
        try:
            return self._summariser.run(now=session.clock.now(), most=None if until_done else BY_DAY)
        except StoreError as error:
            return SummaryReport(notes=(f"no summaries were made: {error}",))


class Summaries:
    """Summaries of conversations; `Grimoire.summaries`. The Curator makes them.

    Args:
        session: Open memory.
        parts: Store of the summaries.
    """

    def __init__(self, session: Session, parts: SummaryParts) -> None:
        self._session = session
        self._parts = parts

    @checked
    def list(
        self, *, level: Level | None = None, thread: str | None = None, limit: int = 20
    ) -> builtins.list[Summary]:
        """Lists summaries, the latest first.

        Args:
            level: `messages`, `day`, `week` or `month`; all if None.
            thread: Thread of the messages; all if None.
            limit: Maximum number of summaries.

        Raises:
            InvalidInputError: There is no such level.
        """
        self._session.ready()
        if level is not None and level not in LEVELS:
            raise InvalidInputError(f"level is {level!r}. Use {', '.join(LEVELS)}")
        return self._parts.store.list(level=level, thread=thread, limit=limit)

    @checked
    def get(self, summary: str) -> Summary:
        """Returns a summary.

        Args:
            summary: Id of the summary.

        Raises:
            NotFoundError: There is no such summary, or it has to be made again because a message was forgotten.
        """
        self._session.ready()
        (found,) = self._parts.store.get([summary])
        if found is None:
            raise NotFoundError(
                f"there is no summary with the id {summary!r}. List them with summaries.list(); the next sleep makes "
                "those again of which a message was forgotten"
            )
        return found

    @checked
    def of(self, summary: str | Summary) -> builtins.list[Summary | Episode]:
        """Lists the inputs of a summary, oldest first: messages as episodes, or summaries of lower levels.

        Args:
            summary: Summary or its id.

        Raises:
            NotFoundError: There is no such summary.
        """
        found = self.get(summary.id if isinstance(summary, Summary) else summary)
        inputs: builtins.list[Episode | None] | builtins.list[Summary | None] = (
            self._session.log.get(found.inputs)
            if found.level == "messages"
            else self._parts.store.get(found.inputs)
        )
        return [each for each in inputs if each is not None]
