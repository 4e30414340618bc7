"""Deletion of records from the stores and from everything derived from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bardo import _core
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.curator import Replays
from bardo.grimoire.erasure import Eraser, ForgetReport
from bardo.grimoire.intent import DeletionRequest, Forgettable
from bardo.grimoire.pages import PageWriter
from bardo.grimoire.prompts import PromptParts
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.grimoire.stores import all_facts
from bardo.grimoire.writer import Writer
from bardo.model import ROLES, Episode, Fact
from bardo.ports import Progress
from bardo.recall.filters import Filters
from bardo.recall.options import Selection

#: Default and maximum number of memories that a query selects.
SELECTED, MOST_SELECTED = 20, 10_000


class Deletion:
    """Deletes records from all stores.

    Args:
        session: Open memory.
        writer: Drains the inbox, which may hold records to delete.
        parts: Records of prompts and the agent's own words.
        pages: Compiler of the dossier and the playbook.
        replays: Priorities of episodes.
        retrieval: Search for the memories that a query selects.
    """

    def __init__(
        self,
        session: Session,
        writer: Writer,
        parts: PromptParts,
        pages: PageWriter,
        *,
        replays: Replays,
        retrieval: Retrieval,
    ) -> None:
        self._session = session
        self._writer = writer
        self._parts = parts
        self._pages = pages
        self._replays = replays
        self._retrieval = retrieval

    def forget(
        self,
        what: Forgettable | Iterable[Forgettable],
        selection: Selection,
        *,
        reason: str,
        about: str | Sequence[str],
        allow_again: bool,
        dry_run: bool,
        progress: Progress,
    ) -> ForgetReport:
        """Deletes records; see `Grimoire.forget`."""
        session = self._session
        session.ready()
        if not session.is_dead:
            self._writer.drain_inbox()
        items = list(what) if isinstance(what, Iterable) and not isinstance(what, str) else [what]
        items += self._selected_ids(**selection)
        wanted = DeletionRequest.of(items, [about] if isinstance(about, str) else list(about))
        if dry_run:
            return self._preview(wanted, reason, tombstones=not allow_again)
        with session.idle.awake():
            report = self._eraser().forget(
                wanted, reason=reason, tombstones=not allow_again, progress=progress
            )
        session.indexer.discard((*report.episodes, *report.facts))
        self._replays.reset()
        self._parts.words.forget()
        self._parts.feedback.erase((*report.episodes, *report.facts, *report.summaries))
        session.vitals.forget()
        self._pages.recompile(report)
        return session.emit(report)

    def _preview(self, wanted: DeletionRequest, reason: str, *, tombstones: bool) -> ForgetReport:
        with self._session.indexer.exclusive_lock():
            intent = self._eraser().plan(wanted, reason, tombstones=tombstones)
        return ForgetReport(
            reason=reason, episodes=tuple(intent.episodes), facts=tuple(intent.facts), loosened=(), baselines=0,
            entities=len(intent.entities), triples=len(intent.triples), links=len(intent.links),
            questions=len(intent.questions), conduct=(), summaries=(), rows=0, rewritten=(), removed=(),
            refused_again=tombstones, bytes_written=0, looked=(), shared=0,
            notes=("a dry run: nothing was deleted",),
        )  # fmt: skip

    def _selected_ids(
        self,
        *,
        subject: str | None = None,
        author: str | None = None,
        query: str | None = None,
        limit: int | None = None,
    ) -> list[str]:
        """Finds the ids of the memories that a selection matches.

        Raises:
            InvalidInputError: A limit was given without a query.
            NotFoundError: There are none.
        """
        named = {"subject": subject, "author": author, "query": query}
        given = {name: value for name, value in named.items() if value is not None}
        for name, value in given.items():
            if not value.strip():
                raise InvalidInputError(f"{name} is {value!r}, which would select every memory. Name one")
        if limit is not None and (query is None or not 1 <= limit <= MOST_SELECTED):
            raise InvalidInputError(
                f"limit is {limit!r}. It goes with a query, and is a number from 1 to {MOST_SELECTED:,}"
            )
        if not given:
            return []
        found = (
            self._ids_by_selection(subject, author)
            if query is None
            else self._ids_by_query(query, SELECTED if limit is None else limit, subject, author)
        )
        ids = list(dict.fromkeys(found))
        if not ids:
            told = ", ".join(f"{name} {value!r}" for name, value in given.items())
            words = "" if query is None else "A query selects only memories that have all of its words. "
            raise NotFoundError(
                f"no memory has {told}; nothing was forgotten. {words}Look with recall() first, and forget by id"
            )
        return ids

    def _ids_by_selection(self, subject: str | None, author: str | None) -> Iterator[str]:
        session = self._session
        records: tuple[Episode | Fact, ...] = (
            *session.recorder.browse(from_tick=0, to_tick=None, subject=subject, thread=None, last=None),
            *all_facts(session.facts, subject=subject, status=None),
        )
        return (record.id for record in records if author is None or _is_by(record, author))

    def _ids_by_query(self, query: str, limit: int, subject: str | None, author: str | None) -> Iterator[str]:
        session = self._session
        seen = None if subject is None else Filters(subjects=(subject,))
        # Recall without the limit, so that near-duplicates are complete and the limit counts memories of the author.
        found = self._retrieval.selected(query, MOST_SELECTED, seen)
        wanted = _stems(query)
        if not wanted:
            raise InvalidInputError(
                f"query is {query!r}, which has no content word. Name what is to be forgotten"
            )
        for memory in found:
            if not _holds(memory.record, wanted):
                continue
            ids = [memory.id, *memory.why.duplicates]
            if author is not None:
                records = (*session.log.get(ids), *session.facts.get(ids))
                ids = [record.id for record in records if record is not None and _is_by(record, author)]
            limit -= bool(ids)
            yield from ids
            if not limit:
                return

    def resume(self) -> tuple[ForgetReport, ...]:
        """Finishes the deletions that a crash interrupted."""
        self._session.vitals.forget()
        return self._eraser().resume()

    def _eraser(self) -> Eraser:
        session = self._session
        return Eraser(session.folder, session.stores, session.indexer, session.embedder, session.clock)


def _stems(text: str) -> frozenset[str]:
    """Returns the stems of the content words of a text."""
    stems = _core.stems(re.findall(r"\w+", text.lower()))
    return frozenset(stem for stem in stems if stem is not None)


def _holds(record: Episode | Fact, stems: frozenset[str]) -> bool:
    """Whether the text, subjects and speaker of a memory hold every content word of a query, in any form.

    A recall ranks by similarity and always has a best hit, so it alone must not decide a deletion.
    """
    speaker = record.speaker or "" if isinstance(record, Episode) else ""
    return stems <= _stems(" ".join((record.text, *record.subjects, speaker)))


def _is_by(record: Episode | Fact, author: str) -> bool:
    if isinstance(record, Fact):
        return record.origin == author
    return record.speaker == author or record.role == ROLES.get(author)
