"""Opening of all stores of one agent together, with checks of their consistency."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._core import EpisodeLog, FactStore, HotSet
from bardo.capture import recorder
from bardo.clock import OFFSET, Ticks
from bardo.config import Config
from bardo.errors import (
    BardoWarning,
    EmbedderUnavailableError,
    EmbeddingMismatchError,
    InvalidInputError,
    StoreDamagedError,
)
from bardo.folder import Folder, holder
from bardo.index.indexer import archived, beyond, unarchive
from bardo.index.snapshot import Snapshot
from bardo.model import Episode, Fact
from bardo.ports import Clock, Embedder

#: Name of the mark for ticks of the caller's own, in the log and, for other processes, in the facts.
LOOPS = "clock.loops"
#: Name of the log's watermark for the latest tick, where no record has it.
_LATEST_TICK = "clock.tick"
#: Name of the log's mark that the fact store was made.
_FACTS_MADE = "facts.made"


@dataclass(frozen=True, slots=True)
class Stores:
    """Stores of an open grimoire.

    Args:
        log: Episode log, the ground truth.
        facts: Fact store.
        hot: In-memory index over both.
        snapshot: Snapshot of the hot set.
        ticks: Logical time.
        config: Current settings.
    """

    log: EpisodeLog
    facts: FactStore
    hot: HotSet
    snapshot: Snapshot
    ticks: Ticks
    config: Config

    def note_unit(self) -> None:
        """Stores the unit of ticks after the caller's first own tick, which also changes the rate of decay."""
        if self.ticks.loops and not self.log.watermark(LOOPS):
            self.log.set_watermark(LOOPS, 1)
            _tell_visitors(self.facts, self.ticks)
            self.facts.set_retention(
                tau_ticks=self.ticks.tau(self.config.decay), expiry_ticks=self.ticks.expiry
            )
        if self.ticks.loops and self.ticks.begin():
            self.facts.begin(self.ticks.now())

    def note_birth(self, *, loops: bool) -> None:
        """Sets the unit of ticks of an agent without any memory to that of its testators.

        Args:
            loops: Whether the testators' ticks were loops.
        """
        if loops and not len(self.log) and not self.facts.stats()["facts"]:
            self.ticks.seen(0, own=True)
            self.note_unit()

    def close(self) -> None:
        """Releases the files."""
        try:
            # A tick of the caller's own may be in no record, and the next opening continues from it.
            if self.ticks.loops and (tick := self.ticks.now()) > latest_tick(self.log, self.facts):
                self.log.set_watermark(_LATEST_TICK, tick)
        finally:
            try:
                self.facts.close()
            finally:
                self.log.close()


def open_stores(
    folder: Folder,
    config: Config,
    *,
    clock: Clock,
    seed: int,
    embedder: Embedder,
    durable: bool,
    relearn: bool,
    accept_loss: bool,
    complete_switch: Callable[[EpisodeLog, FactStore], object],
) -> Stores:
    """Opens the log, the facts and the hot set.

    Args:
        folder: Folder of the grimoire.
        config: Current settings.
        clock: Wall clock.
        seed: Seed of ids.
        embedder: Embedder, of the model of the stored vectors.
        durable: Whether every record waits for the disk.
        relearn: Whether lost facts may be learned again from the episodes.
        accept_loss: Whether to continue without episodes that the journal of the log should hold.
        complete_switch: Callable that completes a switch of models after a crash, before any vector is read.

    Raises:
        StoreError: One of the files cannot be opened; none stays open.
        EmbeddingMismatchError: The stored vectors are of another model.
    """
    require_log(folder)
    now = clock.now()
    log = EpisodeLog(
        str(folder.episodes), agent=config.agent, seed=seed, now=now, durable=durable, holder=holder(),
        accept_loss=accept_loss,
    )  # fmt: skip
    if log.upgraded is not None:
        found, kept = log.upgraded
        warnings.warn(
            f"{folder.episodes} had schema {found} and was brought up to {log.schema_version}; every episode was "
            f"compared. The old file is kept as {kept}: delete it when all is well",
            BardoWarning,
            stacklevel=4,
        )
    if log.lost is not None:
        # The snapshot may hold lost episodes.
        folder.snapshot.unlink(missing_ok=True)
        warnings.warn(f"{folder.journal} {_loss_message(log.lost)}", BardoWarning, stacklevel=4)
    facts = None
    try:
        require_facts(folder, log, relearn=relearn)
        ticks = Ticks(config.clock, clock, last=log.last_tick, loops=bool(log.watermark(LOOPS)))
        facts = FactStore(
            str(folder.facts),
            agent=config.agent,
            seed=seed,
            now=now,
            tau_ticks=ticks.tau(config.decay),
            reinforcement=config.decay.reinforcement,
            spacing_ticks=config.decay.spacing_ticks,
            expiry_ticks=ticks.expiry,
        )
        latest = latest_tick(log, facts)
        ticks.resume(latest, offset=facts.mark(OFFSET))
        for episode in log.latest(1):
            if episode.tick > latest:
                _resume_at(ticks, episode)
        ticks.begin()
        for note in ticks.notes:
            warnings.warn(note, BardoWarning, stacklevel=4)
        if not log.watermark(_FACTS_MADE):
            log.set_watermark(_FACTS_MADE, 1)
        if log.watermark(LOOPS) and not facts.mark(LOOPS):
            _tell_visitors(facts, ticks)
        complete_switch(log, facts)
        _require_model(folder, log, facts, embedder)
        hot = HotSet()
        if _without_archive(folder, log) or relearn:
            # The snapshot holds the lost facts, and lacks the episodes that were in LanceDB.
            folder.snapshot.unlink(missing_ok=True)
        opened = hot.load(log, facts, snapshot=folder.snapshot, cold_upto=beyond(log, config.index.hot_limit))
        snapshot = Snapshot(folder.snapshot, log, hot, opened)
    except BaseException:
        if facts is not None:
            facts.close()
        log.close()
        raise
    return Stores(log, facts, hot, snapshot, ticks, config)


def require_log(folder: Folder) -> None:
    """Raises an error if the log is missing or empty but data derived from it exist; it is never silently remade."""
    lost = "missing" if not folder.exists() else "empty" if not folder.episodes.stat().st_size else ""
    made_of_it = (folder.facts, folder.lance, folder.archive)
    if lost and any(path.exists() for path in made_of_it):
        raise StoreDamagedError(
            f"{folder.episodes} is {lost}, though this agent had one. Restore it from a copy; without one, move "
            f"{folder.root} away and begin again there: facts.db and the days in archive/ can still be read"
        )


def _loss_message(lost: tuple[str, Path | None, int]) -> str:
    """Describes the loss of a journal that should hold episodes."""
    what, kept, taken = lost
    aside = f"Its file is kept as {kept}" if kept else "There was no file to keep"
    return (
        f"{what}. Episodes that were acknowledged may be lost, which was accepted: {taken} were taken over from it. "
        f"{aside}. What other parts know of lost episodes goes with `bardo maintenance rebuild`"
    )


def _without_archive(folder: Folder, log: EpisodeLog) -> bool:
    """Resets the watermark of a missing LanceDB table, so that all episodes are in memory until it is rebuilt."""
    if folder.lance.exists() or not archived(log):
        return False
    unarchive(log)
    warnings.warn(
        f"{folder.lance} is missing. Every episode is in memory until the next sleep, or `bardo maintenance rebuild`, "
        "makes it again from the log",
        BardoWarning,
        stacklevel=5,
    )
    return True


def facts_in_force(facts: FactStore, now: int, **conditions: Any) -> list[Fact]:
    """All facts that meet the conditions and have not ended by `now`, even if no pass has retired those yet.

    Args:
        facts: Fact store.
        now: Present time, microseconds UTC.
        conditions: Conditions of `FactStore.list`. With a past tick, or any other status, every fact that meets them.
    """
    # Opening a memory needs nothing of consolidation.
    from bardo.consolidate.statement_ends import has_ended

    found = all_facts(facts, **conditions)
    if conditions.get("status") != "active" or conditions.get("as_of") is not None:
        return found
    return [fact for fact in found if not has_ended(fact, now)]


def all_facts(facts: FactStore, **conditions: Any) -> list[Fact]:
    """Lists the facts that meet the conditions of `FactStore.list`, read page by page."""
    return list(recorder.pages(lambda after: facts.list(**conditions, after=after, limit=recorder.PAGE)))


def latest_tick(log: EpisodeLog, facts: FactStore) -> int:
    """Returns the latest tick of this writer's records."""
    return max(log.last_tick, facts.latest_tick, log.watermark(_LATEST_TICK))


def _resume_at(ticks: Ticks, episode: Episode) -> None:
    """Resumes from the last episode in the log, which may be another writer's.

    Its tick is ignored where it is ahead of the clock (older versions accepted any): otherwise every fact would decay.
    """
    try:
        ticks.resume(ticks.credible(episode.tick), offset=ticks.offset)
    except InvalidInputError as error:
        warnings.warn(f"the tick of episode {episode.id} does not count: {error}", BardoWarning, stacklevel=5)


def _tell_visitors(facts: FactStore, ticks: Ticks) -> None:
    """Marks in the facts that ticks are the caller's own; a reader without the log needs this for decay."""
    facts.upsert([], tick=ticks.now(), now=0, actor="clock", marks={LOOPS: 1})


def require_facts(folder: Folder, log: EpisodeLog, *, relearn: bool) -> None:
    """Raises an error if an existing fact store is missing or empty; it is never silently remade."""
    if relearn or not log.watermark(_FACTS_MADE):
        return
    lost = "missing" if not folder.facts.exists() else "empty" if not folder.facts.stat().st_size else ""
    if lost:
        raise StoreDamagedError(
            f"{folder.facts} is {lost}, though this agent had facts. Restore it from a copy, or open with relearn=True "
            "to learn again from the verified episodes"
        )


def _require_model(folder: Folder, log: EpisodeLog, facts: FactStore, embedder: Embedder) -> None:
    """Raises an error, before any write, if the embedder's model is not that of the stored vectors (law 10)."""
    stored = log.fingerprint or facts.fingerprint
    if stored is None:
        return
    try:
        given = embedder.fingerprint
    except EmbedderUnavailableError:
        # Search by words still works; a method that needs a vector reports the outage.
        return
    if not given.is_same_model(stored):
        raise EmbeddingMismatchError(
            f"{folder.root} holds vectors of {stored.model} ({stored.dims}-d, version {stored.version}), but the "
            f"embedder is {given.model} ({given.dims}-d, version {given.version}). Open it with the model it was "
            "built with: embedding.model in bardo.toml, or embedder=...; and move to another with `bardo embedding "
            "migrate`. A function is known by its module and name: if it is the same one, give it the name it had with "
            f"bardo.function_embedder(function, name={stored.model!r})"
        )
