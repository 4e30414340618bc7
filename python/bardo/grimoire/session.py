"""Parts of an open memory, shared by all resources of a grimoire."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from bardo._cached_property import locked_cached_property
from bardo.assemble.copies import MadePrompts
from bardo.capture.recorder import Recorder
from bardo.clock import MAX_TICK
from bardo.errors import GrimoireClosedError
from bardo.folder import Folder, dead_error, dying_error, forked_error
from bardo.grimoire.events import Events
from bardo.grimoire.idle import IdleDreams
from bardo.grimoire.stores import Stores
from bardo.index.indexer import Indexer
from bardo.index.keeper import ModelKeeper
from bardo.model import INHERITED_KIND, Fingerprint
from bardo.ports import Clock, Embedder, Progress, no_progress

if TYPE_CHECKING:
    from bardo.bequeath.death_journal import DeathRecord
    from bardo.bequeath.lineage import Tombstone
    from bardo.consolidate.contested import ContestedBeliefs
    from bardo.grimoire.checkpoints import Checkpoints
    from bardo.index.archive.lance_index import LanceIndex
    from bardo.life.clocks import DeathPhase
    from bardo.life.vitals import Vitals

#: Episodes after a tick among which one of the agent's own tells its instant: those of a testament share one tick.
NEAR = 256

Event = TypeVar("Event")

#: Name of the log's watermark for the last verification before the last dream.
LAST_DREAM = "dream.last_verification"


class Closable(Protocol):
    """Part with open files."""

    def close(self) -> None:
        """Releases the files."""


Part = TypeVar("Part", bound=Closable)


class Session:
    """State of an open memory.

    Args:
        folder: Folder of the memory.
        stores: Open stores of the folder.
        clock: Wall clock.
        embedder: Current embedder.

    Attributes:
        path: Path of the folder.
        agent: Name of the agent.
        config: Current settings.
        log: Episode log.
        facts: Fact store.
        hot: In-memory index over both.
        ticks: Logical time.
        clock: Wall clock.
        recorder: Writer to the log and the hot set.
        indexer: Updater of vectors, names and LanceDB.
        models: Keeper of the current embedder.
        unembedded: Number of episodes stored since vectors were last written.
        idle: Dreams that start by themselves.
    """

    def __init__(self, folder: Folder, stores: Stores, *, clock: Clock, embedder: Embedder) -> None:
        self.folder = folder
        self.stores = stores
        self.path = folder.root
        self.config = stores.config
        self.agent = stores.config.agent
        self.log, self.facts, self.hot, self.ticks = stores.log, stores.facts, stores.hot, stores.ticks
        self.clock = clock
        self.recorder = Recorder(self.log, self.hot, self.ticks, clock)
        self.indexer = Indexer(
            self.log, self.facts, self.hot, embedder, self._open_archive,
            hot_limit=self.config.index.hot_limit, late=self.config.embedding.late_interaction,
        )  # fmt: skip
        self.models = ModelKeeper(
            self.path, self.log, self.facts, self.hot, self.indexer,
            embedder=embedder, settings=self.config.embedding, clock=clock,
        )  # fmt: skip
        self.unembedded = 0
        self.idle = IdleDreams(self.config.dreams, clock, self._can_dream)
        self._closables: list[Closable] = []
        self._pid = os.getpid()
        self._closed = False
        self._reflecting: int | None = None
        self.stop_time_of_the_dead()
        if self.config.life.budget and not self.is_dead:
            self.vitals.set_aside()
        if self.config.life.lifespan_ticks and not self.is_dead:
            self.vitals.note_lifespan()

    # -- state ---------------------------------------------------------------------------------------------------

    @property
    def now_tick(self) -> int:
        """The current tick."""
        return self.ticks.now()

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory is read-only."""
        return self.tombstone is not None

    @property
    def tombstone(self) -> Tombstone | None:
        """Record of the agent's death; None while it lives."""
        if not self.folder.tombstone.exists():
            return None
        from bardo.bequeath import lineage

        return lineage.is_dead(self.path)

    def stop_time_of_the_dead(self) -> None:
        """Stops logical time at the tick of death, so that nothing of a dead agent ages or fades."""
        if (stone := self.tombstone) is not None:
            self.ticks.end(stone.tick)

    @property
    def death(self) -> DeathRecord | None:
        """Journal of a death that has begun and is not complete."""
        if not self.folder.death.exists():
            return None
        from bardo.bequeath import death_journal

        return death_journal.load(self.path)

    @contextmanager
    def reflecting(self) -> Iterator[None]:
        """Lets this thread, and no other, write during the last consolidation."""
        self._reflecting = threading.get_ident()
        try:
            yield
        finally:
            self._reflecting = None

    @property
    def embedder(self) -> Embedder:
        """The current embedder."""
        return self.models.embedder

    def moment(self, tick: int) -> int | None:
        """Instant of a tick, microseconds UTC; where ticks count loops, that of the agent's next episode.

        Args:
            tick: Tick of a record.

        Returns:
            The instant; None if no episode tells it.
        """
        known = self.ticks.moment(tick)
        if known is not None:
            return known
        near = self.log.range(tick, MAX_TICK, limit=1)
        if near and near[0].kind == INHERITED_KIND:
            # Inherited episodes keep the dates of another life.
            near = self.log.range(tick, MAX_TICK, limit=NEAR)
        near += self.log.latest(1)
        return next((episode.at for episode in near if episode.kind != INHERITED_KIND), None)

    def model(self) -> Fingerprint:
        """The model of the stored vectors; without vectors that of the embedder, which may be unavailable."""
        return self.log.fingerprint or self.embedder.fingerprint

    def ready(self, *, write: bool = False, idle: bool = False) -> None:
        """Begins a call: interrupts a dream that started by itself, and checks that the memory can be used.

        It cannot be if it is closed, inherited by a fork, or to be written after the agent's last consolidation.

        Args:
            write: Whether the caller is about to write.
            idle: Whether the call is no use of the memory, so that a dream goes on.

        Raises:
            GrimoireClosedError: The memory cannot be used.
        """
        if not idle:
            self.idle.called()
        if self._pid != os.getpid():
            raise forked_error(self.path, self._pid)
        if self._closed:
            raise GrimoireClosedError(
                f"{self.path} is closed. Open it again with bardo.open({str(self.path)!r})"
            )
        if write and self.is_dead:
            raise dead_error(self.agent)
        if write and (death := self.death) is not None and death.is_closed:
            signed = death.phase == "legacy"
            if signed or self._reflecting != threading.get_ident():
                raise dying_error(self.agent, signed=signed)

    # -- indexes -------------------------------------------------------------------------------------------------

    def embed(self, progress: Progress = no_progress) -> int:
        """Writes missing vectors; returns the number of memories that got one.

        Args:
            progress: Callback for progress.
        """
        embedded = self.indexer.embed(progress)
        self.unembedded = 0
        return embedded

    def embed_now(self, *, facts: bool = True) -> bool:
        """Writes missing vectors, except those that another thread is writing.

        Args:
            facts: Whether facts may lack vectors too.

        Returns:
            Whether all records that can have a vector have one.
        """
        if is_whole := self.indexer.catch_up(facts=facts):
            self.unembedded = 0
        return is_whole

    def ready_with_names(self) -> None:
        """Extracts names from pending records, so that an answer about entities is complete."""
        self.ready()
        self.indexer.read_names()

    def _can_dream(self) -> bool:
        """Whether episodes were verified since the last dream, and the memory may be written."""
        dreamt = self.log.watermark(LAST_DREAM) < self.log.stats()["last_verification"]
        return dreamt and not self.is_dead and not self.folder.death.exists()

    def _open_archive(self) -> LanceIndex:
        from bardo.index.archive import lance_index

        return lance_index.LanceIndex(
            self.folder.lance,
            agent=self.agent,
            fingerprint=self.model(),
            settings=self.config.archive,
        )

    # -- events --------------------------------------------------------------------------------------------------

    @locked_cached_property
    def made_prompts(self) -> MadePrompts:
        """Passages of this agent's prompts, by which copies are recognised."""
        return self.closing(MadePrompts(self.path, agent=self.agent))

    @locked_cached_property
    def checkpoints(self) -> Checkpoints:
        """Checkpoints of the agent's session."""
        from bardo.grimoire.checkpoints import Checkpoints

        return self.closing(Checkpoints(self.folder.checkpoint))

    @locked_cached_property
    def events(self) -> Events:
        """Listeners."""
        return Events()

    def emit(self, happened: Event) -> Event:
        """Notifies the listeners, and returns the event.

        Args:
            happened: Report that is an event.
        """
        if "events" in vars(self):
            self.events.emit(happened)
        return happened

    @locked_cached_property
    def vitals(self) -> Vitals:
        """State of the agent's life."""
        from bardo.life.vitals import Vitals

        return Vitals(
            self.log, self.ticks, self.config.life, self.folder.life, birth=self._birth_tick, death=self._death_phase
        )  # fmt: skip

    def observe_phase(self) -> None:
        """Emits a `PhaseChange` if a mortal agent came to another phase of life; part of every call that counts."""
        if self.vitals.is_mortal and not self.is_dead:
            if (change := self.vitals.changed()) is not None:
                self.emit(change)
            self.vitals.checkpoint()

    def _death_phase(self) -> DeathPhase | None:
        death = self.death
        return None if death is None else death.phase

    def _birth_tick(self) -> int | None:
        from bardo.bequeath.lineage import birth_tick

        return birth_tick(self.log, self.facts)

    def contested_beliefs(self) -> ContestedBeliefs:
        """Returns the comparison of new facts with contested beliefs."""
        from bardo.consolidate import languages
        from bardo.consolidate.attributes import AttributeTable
        from bardo.consolidate.contested import ContestedBeliefs

        settings = self.config.curator
        return ContestedBeliefs(
            self.facts, lambda: languages.reader(settings.language, AttributeTable(settings.attributes))
        )

    # -- closing -------------------------------------------------------------------------------------------------

    def closing(self, part: Part) -> Part:
        """Closes a part together with this session, and returns it.

        Args:
            part: Part with open files.
        """
        self._closables.append(part)
        return part

    def close(self) -> None:
        """Updates the derived indexes where that is cheap, and releases the files. Idempotent."""
        if self._closed or self._pid != os.getpid():
            return
        self.idle.close()
        self._closed = True
        failed: BaseException | None = None
        parts = (*self._closables, self.indexer, self.stores)
        steps: list[Callable[[], object]] = [self._settle_indexes, *(part.close for part in parts)]
        for step in steps:
            # Releases every file even if one part fails: a file left open would lock out all other processes.
            try:
                step()
            except BaseException as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _settle_indexes(self) -> None:
        if self.indexer.archive_is_open and not self.is_dead:
            self.indexer.sync_archive()
        with self.indexer.archive_lock():
            self.stores.snapshot.save_if_due()
