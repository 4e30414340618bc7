"""Deletion: the stores lose what was forgotten, and so does everything that was made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bardo.grimoire.curator import Replays
from bardo.grimoire.erasure import Eraser, ForgetReport
from bardo.grimoire.intent import DeletionRequest, Forgettable
from bardo.grimoire.pages import PageWriter
from bardo.grimoire.prompts import PromptParts
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.ports import Progress


class Deletion:
    """Deletes everywhere.

    Args:
        session: The open memory.
        writer: Takes over the inbox, which may hold what is to be forgotten.
        parts: Has the records of prompts and the agent's own words.
        pages: Compiles the dossier and the playbook again.
        replays: Has priorities of episodes.
    """

    def __init__(
        self, session: Session, writer: Writer, parts: PromptParts, pages: PageWriter, replays: Replays
    ) -> None:
        self._session = session
        self._writer = writer
        self._parts = parts
        self._pages = pages
        self._replays = replays

    def forget(
        self,
        what: Forgettable | Iterable[Forgettable],
        *,
        reason: str,
        about: str | Sequence[str],
        allow_again: bool,
        progress: Progress,
    ) -> ForgetReport:
        """Deletes what `Grimoire.forget` is given; see there."""
        session = self._session
        session.ready()
        if not session.is_dead:
            self._writer.drain_inbox()
        items = list(what) if isinstance(what, Iterable) and not isinstance(what, str) else [what]
        wanted = DeletionRequest.of(items, [about] if isinstance(about, str) else list(about))
        report = self._eraser().forget(wanted, reason=reason, tombstones=not allow_again, progress=progress)
        session.indexer.discard((*report.episodes, *report.facts))
        self._replays.reset()
        self._parts.words.forget()
        self._parts.records.erase((*report.episodes, *report.facts))
        self._pages.recompile(report)
        return session.emit(report)

    def resume(self) -> tuple[ForgetReport, ...]:
        """Finishes the deletions that a crash interrupted."""
        return self._eraser().resume()

    def _eraser(self) -> Eraser:
        session = self._session
        return Eraser(session.folder, session.stores, session.indexer, session.embedder, session.clock)
