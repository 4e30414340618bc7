"""Passes of the Curator over the verified episodes, run by `tick` and `sleep`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final, SupportsIndex

from bardo._announce import announce
from bardo.bequeath.heir import innate, replay
from bardo.bequeath.selection import unsaved
from bardo.clock import MICROSECONDS, day_of
from bardo.conduct.inheritance import directives_of
from bardo.conduct.storage.store import FILE_NAME, ConductStore
from bardo.consolidate import curator, shadow
from bardo.consolidate.curator import CuratorCycleComplete
from bardo.consolidate.extraction_pass import Rank
from bardo.consolidate.lint import LintReport
from bardo.consolidate.pages.wording import counted
from bardo.errors import StoreError
from bardo.grimoire import hearing
from bardo.grimoire.curator import Curator, check_quarantine, core_curator, is_lint_due
from bardo.grimoire.extraction import Extraction
from bardo.grimoire.pages import PageWriter
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.grimoire.stores import all_facts
from bardo.grimoire.summaries import SummaryParts
from bardo.grimoire.writer import Writer
from bardo.index.indexer import NAMES_AT_ONCE
from bardo.life.clocks import Phase
from bardo.ports import Progress, no_progress, stage

#: Phases of a life that may end before all is consolidated.
DYING: Final[frozenset[Phase]] = frozenset({"declining", "terminal"})
#: Name of the log's watermark for the tick of the last pass.
LAST_PASS = "curator.last_tick"
#: Maximum number of batches that a pass of `tick` appends to LanceDB, because the agent waits for it.
BATCHES_OF_A_TICK = 4


class CuratorPasses:
    """Runs the Curator.

    Args:
        session: Open memory.
        writer: Drains the inbox.
        retrieval: Recall without side effects.
        extraction: Extraction of facts from texts.
        pages: Compiler of the dossier and the playbook.
        curator: Runner of the daily lint.
        summaries: Maker of summaries of conversations.
    """

    def __init__(
        self,
        session: Session,
        writer: Writer,
        retrieval: Retrieval,
        *,
        extraction: Extraction,
        pages: PageWriter,
        curator: Curator,
        summaries: SummaryParts,
    ) -> None:
        self._session = session
        self._writer = writer
        self._retrieval = retrieval
        self._extraction = extraction
        self._pages = pages
        self._curator = curator
        self._summaries = summaries
        #: Tick of the last pass.
        self._last_pass = session.log.watermark(LAST_PASS)

    def tick(self, now: SupportsIndex | None) -> CuratorCycleComplete | None:
        """Advances logical time and runs a pass if one is due.

        Args:
            now: New tick; None for that of the clock, or the last one where ticks are loops.
        """
        session = self._session
        session.ready(write=True, idle=True)
        stamp = session.ticks.stamp(now)
        session.ticks.seen(stamp, own=now is not None)
        session.stores.note_unit()
        done = None
        is_due = stamp - self._last_pass >= session.config.curator.every_ticks
        if not is_due and not self._extraction.has_idle_question():
            self._pages.keep_dossier(at_once=False)
        else:
            with session.idle.awake(idle=True):
                done = self._curate(flush=False)
        session.idle.look()
        session.observe_phase()
        return done

    def sleep(self, *, dry_run: bool, progress: Progress) -> CuratorCycleComplete:
        """Runs passes until all verified episodes are consolidated.

        Args:
            dry_run: Whether to report the changes without making them.
            progress: Callback for progress.
        """
        session = self._session
        session.ready(write=not dry_run)
        if dry_run:
            return curator.rehearse(
                core_curator(session), session.log, tick=session.now_tick, now=session.clock.now(),
                extractor=self._extraction.extractor if session.config.curator.texts else None,
            )  # fmt: skip
        with session.idle.awake():
            self._writer.drain_inbox()
            done = self._curate(flush=True, progress=progress)
        session.observe_phase()
        return done

    def hear(self) -> None:
        """Gives the gate the rejections, decisions, tasks and rules that were said since the last pass."""
        with self._session.idle.awake():
            self._writer.drain_inbox()
            self._hear(until_done=True)

    def _hear(self, *, until_done: bool) -> tuple[str, ...]:
        if not self._session.config.curator.texts:
            return ()
        return hearing.listen(self._session, self._extraction.advisor, until_done=until_done)

    def _curate(self, *, flush: bool, progress: Progress = no_progress) -> CuratorCycleComplete:
        from bardo.capture import archive

        session = self._session
        tick = session.now_tick
        announce("beginning a pass of the Curator: the first one of a process loads models")
        is_over = self._deadline()
        # Vectors do not cross a death: a death in a hurry reads texts instead.
        embedded = 0 if is_over else session.embed(progress)
        session.models.watch()
        self._retrieval.note_migration(session.models.move_on())
        report = curator.run(
            core_curator(session), session.log, batch=session.config.curator.batch, tick=tick, now=session.clock.now(),
            until_done=flush, progress=progress,
            extractor=self._extraction.extractor if session.config.curator.texts else None,
            is_over=is_over,
            rank=self._unsaved_first() if session.death is not None or session.vitals.phase() in DYING else None,
        )  # fmt: skip
        embedded += session.indexer.embed_facts()
        session.indexer.read_names(least=1 if flush else NAMES_AT_ONCE)
        held = check_quarantine(session, self._retrieval, shadow.BY_NIGHT if flush else shadow.BY_DAY)
        if report.confirmed or report.refuted:
            self._note_trials(report)
        progress("hear", 0, 1)
        heard = self._hear(until_done=flush)
        heard += hearing.end_outdated(session) if session.config.curator.texts else ()
        progress("hear", 1, 1)
        summarised = self._summaries.run(until_done=flush) if session.death is None else None
        replayed = replay.replay(session.path, session.facts, session.log)
        linted = self._curator.lint() if is_lint_due(session) else LintReport(tick)
        promoted = self._pages.compile(at_once=flush)
        self._last_pass = tick
        session.log.set_watermark(LAST_PASS, tick)
        archived, days = 0, 0
        waiting: tuple[str, ...] = ()
        undated: list[str] = []
        if flush or session.indexer.missing_in_archive() >= session.config.archive.batch:
            # A missing table is made for the dimensions of the model's vectors, so it needs the model first.
            most = None if flush else BATCHES_OF_A_TICK
            with stage("archive", progress):
                archived = session.indexer.if_model_answers(
                    lambda: session.indexer.sync_archive(batches=most), 0
                )
                if missing := session.indexer.missing_in_archive():
                    waiting = (f"{missing} episodes are not in LanceDB yet: the next pass appends them",)
                session.indexer.evict_archived()
        if flush:
            session.indexer.compact_log()
            with session.indexer.archive_lock():
                session.stores.snapshot.save_if_due()
            if session.config.archive.days:
                days = len(
                    archive.write_days(
                        session.log, session.folder.archive, session.clock.now(), tell=undated.append
                    )
                )
        done = dataclasses.replace(
            report,
            embedded=embedded,
            archived=archived,
            days=days,
            acts=tuple(act for act in (*report.acts, held.act, linted.act) if act is not None),
            facts_superseded=report.facts_superseded + held.superseded + len(linted.merged),
            facts_contradicted=report.facts_contradicted + len(linted.contradictions),
            entries_pruned=report.entries_pruned + len(linted.deprecated),
            facts_withdrawn=len(held.withdrawn),
            facts_held=held.held,
            facts_unchecked=held.unchecked,
            inherited_reread=replayed.episodes,
            rules_against=replayed.against,
            notes=(
                *session.ticks.notes,
                *report.notes,
                *_faded_at_once(session, report),
                *held.notes,
                *heard,
                *(summarised.notes if summarised else ()),
                *replayed.notes,
                *innate.flags(session.path, session.facts),
                *waiting,
                *undated,
                *session.models.notes,
                *session.models.refusals,
            ),
            entries_promoted=promoted,
            summaries=summarised.made if summarised else 0,
            linted=linted.actions,
        )
        return session.emit(done)

    def _deadline(self) -> Callable[[], bool] | None:
        """Tells whether the time of the last consolidation is over; None if it has no limit, or this is none."""
        session = self._session
        death, seconds = session.death, session.config.bequeath.seconds
        if not seconds or death is None or not death.is_closed:
            return None
        end = session.clock.now() + round(seconds * MICROSECONDS)
        return lambda: session.clock.now() >= end

    def _unsaved_first(self) -> Rank:
        """Judge of pending texts for an agent that may not live to read all."""
        session = self._session

        def orders() -> list[str]:
            if not (session.path / FILE_NAME).exists():
                return []
            with suppress(StoreError), closing(ConductStore(session.path, facts=session.facts)) as store:
                return [order.text for order in directives_of(store, now=session.clock.now())]
            # The order alone suffers: the death itself warns of a lost file.
            return []

        return unsaved.rank(session.log, session.facts, orders)

    def _note_trials(self, report: CuratorCycleComplete) -> None:
        from bardo.bequeath import lineage

        family = lineage.Lineage.load(self._session.path)
        if family:
            family.tried(confirmed=report.facts_confirmed, refuted=report.facts_refuted).save(
                self._session.path
            )


def _faded_at_once(session: Session, report: CuratorCycleComplete) -> tuple[str, ...]:
    """Returns a note on new facts that the same run archived, because the episodes that they rest on are old."""
    if not report.facts_new:
        return ()
    faded = [
        fact
        for fact in all_facts(session.facts, status="archived")
        if fact.created_tick == report.tick and fact.ended_by == "decay"
    ]
    if not faded:
        return ()
    at = session.ticks.moment(max(fact.observed[1] for fact in faded))
    when = f" of {day_of(at)}" if at is not None else ""
    is_one = len(faded) == 1
    return (
        f"{counted(len(faded), 'new fact')} had faded already and {'is' if is_one else 'are'} archived: nothing has "
        f"confirmed {'it' if is_one else 'them'} since the latest episode{when}",
    )
