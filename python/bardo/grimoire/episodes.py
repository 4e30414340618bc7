"""Listing, lookup and verification of episodes, and search for the addresses, commands and paths in their texts."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from bardo._validation import checked
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.results import Reference, record_id
from bardo.grimoire.session import Session
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from datetime import datetime


class Episodes:
    """Verbatim episodes; `Grimoire.episodes`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @checked
    def list(
        self,
        *,
        from_tick: int | datetime = 0,
        to_tick: int | datetime | None = None,
        subject: str | None = None,
        thread: str | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> builtins.list[Episode]:
        """Lists episodes in order of tick.

        Args:
            from_tick: First tick; where ticks are seconds, a datetime with a time zone as well.
            to_tick: Last tick, as `from_tick`; None means the end.
            subject: Subject of the episodes.
            thread: Thread of the episodes.
            last: Number of the latest episodes to which the other conditions apply.
            limit: Maximum number of episodes, the first that meet the conditions: the oldest, `last` gives the latest.
        """
        session = self._session
        session.ready()
        found = session.recorder.browse(
            from_tick=session.ticks.given("from_tick", from_tick),
            to_tick=session.ticks.given("to_tick", to_tick),
            subject=subject,
            thread=thread,
            last=last,
        )
        return builtins.list(islice(found, limit))

    @checked
    def get(self, episode: str | Episode) -> Episode:
        """Returns an episode as it is stored now.

        Args:
            episode: Episode or its id.

        Raises:
            NotFoundError: There is none.
        """
        session = self._session
        session.ready()
        episode_id = record_id(episode)
        (stored,) = session.log.get([episode_id])
        if stored is not None:
            return stored
        if session.facts.get([episode_id])[0] is not None:
            raise NotFoundError(f"{episode_id} is a fact, not an episode. Look it up with facts.get()")
        raise NotFoundError(
            f"there is no episode {episode_id}. List what is there with `bardo episodes list`"
        )

    @checked
    def verify(
        self, what: str | Episode | Iterable[str | Episode], *, importance: float | None = None
    ) -> int:
        """Marks episodes as verified: their outcome is known, and the Curator may learn from them.

        Args:
            what: Id, `Episode`, or several of them.
            importance: Importance, 0..1; unchanged if not given.

        Returns:
            Number of newly verified episodes.

        Raises:
            NotFoundError: One of them is not in the log; none was changed.
        """
        self._session.ready(write=True)
        return self._session.recorder.verify(what, importance)

    @checked
    def find(
        self, *, url: str | None = None, command: str | None = None, path: str | None = None, limit: int = 50
    ) -> builtins.list[Reference]:
        """Finds memories that hold a web address, a command or a file path, by a fragment of it; the latest first.

        Args:
            url: Fragment of an address, such as `github.com/bardo`.
            command: Fragment of a command, such as `git rebase`.
            path: Fragment of a path, such as `src/lib.rs`.
            limit: Maximum number of memories.

        Raises:
            InvalidInputError: Not exactly one fragment was given.
        """
        session = self._session
        given = [
            (kind, value) for kind, value in (("url", url), ("command", command), ("path", path)) if value
        ]
        if len(given) != 1:
            raise InvalidInputError(f"{len(given)} fragments were given. Pass one of url, command, path")
        session.ready_with_names()
        found = session.indexer.names.find(*given[0], limit)
        ids = [record for record, _ in found]
        records: dict[str, Episode | Fact] = {}
        for record in (*session.log.get(ids), *session.facts.get(ids)):
            if record is not None:
                records[record.id] = record
        return [Reference(value, records[record]) for record, value in found if record in records]
