"""The upkeep of a memory: its derived parts, its files, its inbox, its ticks, and what language models cost."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._validation import checked
from bardo.clock import OFFSET
from bardo.config import MONTH_DAYS
from bardo.grimoire.extraction import Extraction
from bardo.grimoire.prompts import PromptParts
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.ports import Progress, no_progress, stage

if TYPE_CHECKING:
    from bardo.grimoire.integrity import CheckReport
    from bardo.language.ledger import Costs

#: Acts in the journal at most.
ACTS_KEPT = 1_024


@dataclass(frozen=True, slots=True)
class TickRebase:
    """Report of taking a leap of the clock back.

    Args:
        tick: The last tick, which is now.
        by: How long the leap was, in ticks.
        offset: Ticks by which the agent's own are later than the clock, or than those that are passed, from here on.
        facts: How many facts it concerned.
        acts: What was inferred about facts during the leap, for `journal.undo`; the last first.
    """

    tick: int
    by: int
    offset: int
    facts: int
    acts: tuple[int, ...] = ()


class Maintenance:
    """Keeps a memory in order; `Grimoire.maintenance`.

    Args:
        session: The open memory.
        writer: Takes over the inbox.
        extraction: Has the ledger of language models.
        parts: Has the records of prompts, for `stats`.
    """

    def __init__(self, session: Session, writer: Writer, extraction: Extraction, parts: PromptParts) -> None:
        self._session = session
        self._writer = writer
        self._extraction = extraction
        self._parts = parts

    def rebuild(self, *, progress: Progress = no_progress) -> dict[str, Any]:
        """Rebuilds everything that is derived from the log, and reads the daily archive against it.

        Vectors and token codes that are missing are made; so are the words of facts, what memories name, the LanceDB
        table, the hot set and its snapshot.

        Args:
            progress: Told of every stage, and of each page of episodes.

        Returns:
            The same as `stats`, and under `rebuilt` how much of each was made: `vectors`, `fact_vectors`, `names` (what
            was read, by sort), `lance` (episodes), `hot` (memories), `snapshot` (bytes; 0 where none is needed), and of
            the daily archive how many `episodes` it holds, and how many are `missing` in the log or `different` there.
        """
        from bardo.capture import archive

        session = self._session
        session.ready()
        session.indexer.ask_again()
        rebuilt: dict[str, Any] = {"vectors": session.embed(progress)}
        with stage("facts", progress):
            rebuilt["fact_vectors"] = session.indexer.embed_facts()
            # It makes the words of facts again as well.
            session.facts.vacuum()
        with stage("names", progress):
            rebuilt["names"] = session.indexer.read_names(again=True)
        rebuilt["lance"] = session.indexer.rebuild_archive(progress)
        with stage("hot", progress):
            rebuilt["hot"] = session.indexer.reload()
        with stage("snapshot", progress), session.indexer.archive_lock():
            rebuilt["snapshot"] = session.stores.snapshot.renew()
        rebuilt["days"] = dataclasses.asdict(archive.compare(session.log, session.folder.archive, progress))
        return stats(session, self._parts) | {"rebuilt": rebuilt}

    @checked
    def check(self, *, repair: bool = False) -> CheckReport:
        """Reads every file of the memory against what it can be held to: checksums, signatures, the log.

        `bardo.check(folder)` does the same for a memory that cannot be opened.

        Args:
            repair: Whether to mend single flipped bits, indexes and words of `facts.db`, which is kept beside it first.

        Returns:
            Every damage with its file, table and row, and what was done about it.
        """
        from bardo.grimoire import integrity

        session = self._session
        session.ready()
        report = integrity.check_open(session.folder, session.log, repair=repair)
        if repair and report.damaged:
            session.indexer.reload()
        return report

    def drain_inbox(self) -> int:
        """Takes over the episodes that other processes dropped meanwhile; a file that cannot be read is set aside.

        Returns:
            How many were new.
        """
        return self._writer.drain_inbox()

    @checked
    def costs(self, *, days: int = MONTH_DAYS) -> Costs:
        """Sums up the cost of language models: calls, tokens, money by your price table, latency, and results of calls.

        Args:
            days: How far to look back, in days of 24 hours.
        """
        from bardo.language import ledger

        session = self._session
        session.ready()
        now = session.clock.now()
        # A text times a number is a very long text.
        since = max(0, now - index(days) * ledger.MICROS_PER_DAY)
        kept = self._extraction.ledger
        return ledger.Costs(
            since, kept.tokens_of_day(now), session.config.llm.daily_tokens, kept.spent(since)
        )

    @checked
    def rebase_ticks(self, *, tick: SupportsIndex | None = None) -> TickRebase:
        """Takes a leap of time back: a clock that was wrong for a while, or a tick that was passed by mistake.

        Ticks never go back. They go on from the last one, which stands for now from here on, and the leap is taken out
        of the age of every fact of before it, and put on what expires: each is as sure as if it had not been. What
        was kept during the leap stays as it is; `acts` of the report tells what a Curator inferred meanwhile, and
        `journal.undo` takes it back.

        Args:
            tick: Now, as you count; where ticks are seconds, the clock's second if not given.

        Raises:
            InvalidInputError: The last tick does not run ahead of now, or ticks are your own and none is given.
        """
        session = self._session
        session.ready(write=True)
        last, by = session.now_tick, session.ticks.leap(tick)
        offset = session.ticks.offset + by
        moved = session.facts.rebase(through=last - by, by=by, tick=last, name=OFFSET, offset=offset)
        session.ticks.rebase(offset)
        session.hot.sync_facts(session.facts)
        meanwhile = (number for number, _, at, *_ in session.facts.acts(ACTS_KEPT) if at > last - by)
        return TickRebase(last, by, offset, moved, tuple(meanwhile))


def stats(session: Session, parts: PromptParts) -> dict[str, Any]:
    """Counts and sizes of every part of a memory; see `Grimoire.stats`.

    Args:
        session: The open memory.
        parts: Has the records of prompts.
    """
    from bardo.bequeath import lineage

    session.ready()
    family = lineage.Lineage.load(session.path)
    files = (file for file in session.path.rglob("*") if file.is_file())
    return {
        "agent": session.agent,
        "path": str(session.path),
        "generation": family.life.generation if family else 0,
        "dead": session.is_dead,
        "tick": session.now_tick,
        "model": session.indexer.if_model_answers(lambda: str(session.model().model), None),
        "embedding": session.models.stats(),
        "feedback": parts.records.stats(),
        "log": session.log.stats(),
        "facts": session.facts.stats(),
        "hot": session.hot.stats() | {"cold_upto": session.hot.cold_upto} | session.stores.snapshot.opened,
        "archive": {"missing": session.indexer.missing_in_archive()},
        "bytes_on_disk": sum(file.stat().st_size for file in files),
    }
