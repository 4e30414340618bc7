"""Embedding model of an open grimoire: drift checks, and migration without interruption."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from bardo import config
from bardo._core import EpisodeLog, FactStore, HotSet
from bardo.errors import InvalidInputError
from bardo.folder import DRIFT_FILE
from bardo.index.embedding import embedders
from bardo.index.indexer import Indexer
from bardo.ports import Clock, Embedder, Progress, no_progress

if TYPE_CHECKING:
    from bardo.index.embedding.drift import Drift, DriftWatch
    from bardo.index.embedding.engines import EmbedFunction
    from bardo.index.embedding.migration import Migration, MigrationReport

Done = TypeVar("Done")
Asked = ParamSpec("Asked")


class ModelKeeper:
    """Holds the current embedder, checks it for drift and migrates it. Thread-safe.

    Args:
        folder: Folder of the grimoire.
        log: Episode log.
        facts: Fact store.
        hot: In-memory index, in which work on vectors waits for a switch of models, or is retried after it.
        upkeep: Indexer; locked during a switch, paused while the model has drifted or a switch is incomplete.
        embedder: Current embedder.
        settings: Settings to load another model with.
        clock: Wall clock.
    """

    def __init__(
        self,
        folder: Path,
        log: EpisodeLog,
        facts: FactStore,
        hot: HotSet,
        upkeep: Indexer,
        *,
        embedder: Embedder,
        settings: config.Embedding,
        clock: Clock,
    ) -> None:
        self._folder, self._log, self._facts, self._hot = folder, log, facts, hot
        self._upkeep, self._settings, self._clock = upkeep, settings, clock
        self._watched: DriftWatch | None = None
        self._moving: Migration | None = None
        self._lock = threading.Lock()
        self.embedder = embedder
        if (folder / DRIFT_FILE).exists():
            upkeep.paused = self._watch.paused

    @property
    def _watch(self) -> DriftWatch:
        from bardo.index.embedding import drift

        if self._watched is None:
            self._watched = drift.DriftWatch(self._folder)
        return self._watched

    @property
    def paused(self) -> str:
        """Reason why no vectors are written at present; empty if they are."""
        return self._upkeep.paused

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the reasons for missing vectors at present."""
        outage = self._upkeep.outage
        if not (outage or self._upkeep.paused):
            return ()
        without = f"what has no vector yet was found by its words alone: {outage}"
        return tuple(filter(None, (self._upkeep.paused, without if outage else "")))

    @property
    def recall_notes(self) -> tuple[str, ...]:
        """Notes on vectors at present, and on the adapter of a migration."""
        through = getattr(self.embedder, "note", "")
        return (through, *self.notes) if through else self.notes

    @property
    def refusals(self) -> tuple[str, ...]:
        """Notes on the number of memories without a vector of the model, with the reasons."""
        return tuple(
            f"{len(refused)} {what} without a vector are found by their words alone: {next(iter(refused.values()))}. "
            "They are tried again at the next opening, or by `maintenance.rebuild`"
            for what, refused in (("episodes", self._upkeep.refused), ("facts", self._upkeep.refused_facts))
            if refused
        )

    def retry_on_model_switch(
        self, work: Callable[Concatenate[Embedder, Asked], Done], *asked: Asked.args, **options: Asked.kwargs
    ) -> Done:
        """Runs work that reads vectors, and repeats it if the model was switched meanwhile (law 10)."""
        return self._hot.retry_on_model_switch(lambda: work(self.embedder, *asked, **options))

    def watch(self) -> Drift | None:
        """Checks the model if a week has passed since the last check, and there are vectors to compare with.

        Returns:
            Report of the check; None if it was not due, or the model is unavailable.
        """
        if self._log.fingerprint is None or not self._watch.due(self._clock.now()) or self._upkeep.outage:
            return None
        return self._upkeep.if_model_answers(self.check, None)

    def check(self) -> Drift:
        """Checks the model for drift; critical drift pauses the writing of vectors."""
        found = self._watch.check(self.embedder, now=self._clock.now())
        self._upkeep.paused = self._watch.paused
        return found

    def migrate(
        self,
        to: str | Embedder | EmbedFunction,
        *,
        steps: int | None = None,
        progress: Progress = no_progress,
    ) -> MigrationReport:
        """Begins or resumes a migration to another model; see `Grimoire.embedding.migrate`."""
        from bardo.index.embedding import migration

        if steps is not None and steps < 0:
            raise InvalidInputError(f"steps is {steps}. It is a number of pages, 0 or more; None for all")
        with self._lock:
            name = to if isinstance(to, str) else ""
            new = (
                embedders.load(config.Embedding(to, self._settings.threads, self._settings.batch))
                if isinstance(to, str)
                else embedders.resolve(to)
            )
            self._moving = migration.Migration.begin(
                self._folder, self._log, self._facts, to=name, new=new, now=self._clock.now(),
                late=self._settings.late_interaction,
            )  # fmt: skip
            return self._advance(self._moving, steps, progress)

    def move_on(self) -> MigrationReport | None:
        """Runs one step of the current migration; returns None if there is none, or its model is unavailable."""
        with self._lock:
            moving = self._moving or self._resume_migration()
            if moving is None:
                return None
            self._moving = moving
            return self._upkeep.if_model_answers(lambda: self._advance(moving, 1, no_progress), None)

    def abandon(self) -> None:
        """Aborts the migration and keeps the current model.

        Raises:
            InvalidInputError: There is no migration.
        """
        from bardo.index.embedding import migration

        with self._lock:
            if migration.Pending.read(self._folder) is None:
                raise InvalidInputError("no migration is under way. See `bardo embedding check`")
            migration.abandon(self._folder, self._log, self._facts)
            self._moving = None

    def stats(self) -> dict[str, Any]:
        """Returns the last check of the model, its refusals, and the current migration, in plain types."""
        from bardo.index.embedding import migration

        last, pending = self._watch.last, migration.Pending.read(self._folder)
        found: dict[str, Any] = {
            "drift": last.to_dict() if last else None,
            "paused": self.paused,
            "refused": {
                "episodes": len(self._upkeep.refused),
                "facts": len(self._upkeep.refused_facts),
                "why": "; ".join(self.refusals),
            },
        }
        if pending is not None:
            staged = self._log.staged()
            found["migration"] = {
                "to": pending.new.model,
                "done": staged[1] if staged else 0,
                "total": len(self._log),
                "serving": self._serving(),
            }
        return found

    def _resume_migration(self) -> Migration | None:
        from bardo.index.embedding import migration

        pending = migration.Pending.read(self._folder)
        if pending is None or not pending.to:
            return None
        new = embedders.load(config.Embedding(pending.to, self._settings.threads, self._settings.batch))
        return migration.Migration(
            self._folder, self._log, self._facts, pending, new, late=self._settings.late_interaction
        )

    def _advance(self, moving: Migration, steps: int | None, progress: Progress) -> MigrationReport:
        done, total = moving.counts()
        taken = 0
        while steps is None or taken < steps:
            made = moving.step()
            if not made:
                return self._switch(moving, progress)
            taken, done = taken + 1, done + made
            progress("migrate", done, max(done, total))
        return moving.report(serving=self._serving())

    def _switch(self, moving: Migration, progress: Progress) -> MigrationReport:
        """Switches models while other threads wait or retry: no search compares vectors of two models."""
        report = moving.report(serving=self._serving(), switched=True)
        with self._upkeep.exclusive_lock():
            self._hot.switch_model(lambda: self._finish(moving, progress))
        return report

    def _finish(self, moving: Migration, progress: Progress) -> None:
        """Completes the migration, and switches to the new embedder if the switch has begun."""
        try:
            self._upkeep.close()
            moving.finish(progress)
            self._moving = None
        finally:
            if moving.pending.switching:
                self._take_over(moving)

    def _take_over(self, moving: Migration) -> None:
        """Uses the new embedder after a switch; pauses the writing of vectors if the switch is incomplete."""
        if moving.is_behind():
            self._upkeep.paused = (
                f"the switch to {moving.pending.new.model} began and did not end: it is tried again by "
                "`embedding.migrate`, the next sleep and the next opening, and until then no vector is written and "
                "words alone find memories"
            )
            return
        self.embedder = moving.new
        self._upkeep.use(moving.new)
        self._upkeep.paused = ""
        self._watched = None
        # Waits for a running search, whose transient rows would otherwise stay in the reloaded hot set.
        with self._upkeep.hosting:
            self._upkeep.reload()

    def _serving(self) -> str:
        from bardo.index.embedding import migration

        return "adapter" if isinstance(self.embedder, migration.AdaptedEmbedder) else "old model"
