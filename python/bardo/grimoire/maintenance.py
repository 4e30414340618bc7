"""Maintenance of a memory: rebuild, integrity check, inbox, rebase of ticks, and cost of language models."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._printed import printed
from bardo._validation import checked
from bardo.clock import OFFSET
from bardo.config import MONTH_DAYS
from bardo.grimoire.extraction import Extraction
from bardo.grimoire.prompts import PromptParts
from bardo.grimoire.session import Session
from bardo.grimoire.summaries import SummaryParts
from bardo.grimoire.writer import Writer
from bardo.ports import Progress, no_progress, stage

if TYPE_CHECKING:
    from bardo.grimoire.integrity import CheckReport
    from bardo.language.ledger import Costs

#: Maximum number of acts in the journal.
ACTS_KEPT = 1_024


@dataclass(frozen=True, slots=True)
class TickRebase:
    """Report of a rebase of ticks after a leap of the clock.

    Args:
        tick: Last tick, which is the current one.
        by: Length of the leap, in ticks.
        offset: Offset of the agent's ticks from the clock, or from the caller's ticks, from now on.
        facts: Number of rebased facts.
        acts: Acts of inference about facts during the leap, for `journal.undo`; the last first.
    """

    tick: int
    by: int
    offset: int
    facts: int
    acts: tuple[int, ...] = ()

    __str__ = printed


class Maintenance:
    """Maintains a memory; `Grimoire.maintenance`.

    Args:
        session: Open memory.
        writer: Drains the inbox.
        extraction: Source of the ledger of language models.
        parts: Source of the records of prompts, for `stats`.
        summaries: Store of the summaries, likewise.
    """

    def __init__(
        self,
        session: Session,
        writer: Writer,
        extraction: Extraction,
        parts: PromptParts,
        summaries: SummaryParts,
    ) -> None:
        self._session = session
        self._writer = writer
        self._extraction = extraction
        self._parts = parts
        self._summaries = summaries

    def rebuild(self, *, progress: Progress = no_progress) -> dict[str, Any]:
        """Rebuilds all data derived from the log, and compares the daily archive with it.

        Makes missing vectors and token codes. Rebuilds the words of facts, the index of names, the LanceDB table, the
        hot set and its snapshot.

        Args:
            progress: Callback for every stage, and for each page of episodes.

        Returns:
            The result of `stats`, with counts of the rebuilt items under `rebuilt`: `vectors`, `fact_vectors`, `names`
            (records read, by kind), `lance` (episodes), `hot` (memories), `snapshot` (bytes; 0 where none is needed),
            and for the daily archive the number of its `episodes`, and of those `missing` or `different` in the log.
        """
        from bardo.capture import archive

        session = self._session
        session.ready()
        session.indexer.ask_again()
        rebuilt: dict[str, Any] = {"vectors": session.embed(progress)}
        with stage("facts", progress):
            rebuilt["fact_vectors"] = session.indexer.embed_facts()
            # Also rebuilds the index of words of facts.
            session.facts.vacuum()
        with stage("names", progress):
            rebuilt["names"] = session.indexer.read_names(again=True)
        rebuilt["lance"] = session.indexer.rebuild_archive(progress)
        with stage("hot", progress):
            rebuilt["hot"] = session.indexer.reload()
        with stage("snapshot", progress), session.indexer.archive_lock():
            rebuilt["snapshot"] = session.stores.snapshot.renew()
        rebuilt["days"] = dataclasses.asdict(archive.compare(session.log, session.folder.archive, progress))
        return stats(session, self._parts, self._summaries) | {"rebuilt": rebuilt}

    @checked
    def check(self, *, repair: bool = False) -> CheckReport:
        """Checks every file of the memory against checksums, signatures, and the log.

        `bardo.check(folder)` does the same for a memory that cannot be opened.

        Args:
            repair: Whether to repair single flipped bits, indexes and words of `facts.db`; a copy is kept first.

        Returns:
            Report of every damage with its file, table and row, and its repair.
        """
        from bardo.grimoire import integrity

        session = self._session
        session.ready()
        report = integrity.check_open(session.folder, session.log, repair=repair)
        if repair and report.damaged:
            session.indexer.reload()
        return report

    def drain_inbox(self) -> int:
        """Records the episodes that other processes have dropped; a file that cannot be read is set aside.

        Returns:
            Number of new episodes.
        """
        return self._writer.drain_inbox()

    @checked
    def costs(self, *, days: int = MONTH_DAYS) -> Costs:
        """Sums up the cost of language models: calls, tokens, money by your price table, latency, and results of calls.

        Args:
            days: Period up to now, in days of 24 hours.
        """
        from bardo.language import ledger

        session = self._session
        session.ready()
        now = session.clock.now()
        # `index` raises for a string, whose product with a number would be a very long string.
        since = max(0, now - index(days) * ledger.MICROS_PER_DAY)
        kept = self._extraction.ledger
        return ledger.Costs(
            since, kept.tokens_of_day(now), session.config.llm.daily_tokens, kept.spent(since)
        )

    @checked
    def rebase_ticks(self, *, tick: SupportsIndex | None = None) -> TickRebase:
        """Undoes a leap of time, from a clock that was wrong for a while or a tick passed by mistake.

        Ticks never decrease. They continue from the last one, which becomes the current tick. The leap is subtracted
        from the age of every earlier fact and added to its expiry, so that its confidence is as if there had been no
        leap. Records made during the leap are not changed. `acts` of the report lists the Curator's inferences of that
        time, which `journal.undo` takes back.

        Args:
            tick: Current tick, as you count; where ticks are seconds, the clock's second if not given.

        Raises:
            InvalidInputError: The last tick is not ahead of the current time, or ticks are your own and none is given.
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


def stats(session: Session, parts: PromptParts, summaries: SummaryParts) -> dict[str, Any]:
    """Returns counts and sizes of every part of a memory; see `Grimoire.stats`.

    Args:
        session: Open memory.
        parts: Source of the records of prompts.
        summaries: Store of the summaries.
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
        "feedback": parts.feedback.stats(),
        "summaries": summaries.store.counts(),
        # The history of an agent that is not mortal is read on demand alone.
        "death": None if (death := session.death) is None else death.to_dict(),
        "life": session.vitals.measure().to_dict() if session.vitals.is_mortal else None,
        "dreams": session.idle.stats(),
        "log": session.log.stats(),
        "facts": session.facts.stats(),
        "hot": session.hot.stats() | {"cold_upto": session.hot.cold_upto} | session.stores.snapshot.opened,
        "archive": {"missing": session.indexer.missing_in_archive()},
        "bytes_on_disk": sum(file.stat().st_size for file in files),
    }
