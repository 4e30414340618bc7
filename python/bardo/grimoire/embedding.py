"""Embedding model of a memory: check for drift, and migration to another model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bardo._validation import checked
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.ports import Embedder, Progress, no_progress

if TYPE_CHECKING:
    from bardo.index.embedding.drift import Drift
    from bardo.index.embedding.migration import MigrationReport


class Embedding:
    """Embedding model; `Grimoire.embedding`.

    Args:
        session: Open memory.
        retrieval: Recall, notified after a switch of models.
    """

    def __init__(self, session: Session, retrieval: Retrieval) -> None:
        self._session = session
        self._retrieval = retrieval

    def check(self) -> Drift:
        """Checks the embedding model for drift: embeds 20 reference texts again and compares the vectors.

        A Curator pass runs it once a week. Critical drift pauses the writing of vectors: episodes are captured and
        found by their words until the model is healthy again or replaced.

        Returns:
            Measured drift; the first check of a model only stores the reference for later ones.
        """
        self._session.ready(write=True)
        return self._session.models.check()

    @checked
    def migrate(
        self,
        to: str | Embedder | Callable[[list[str]], Any],
        *,
        steps: int | None = None,
        progress: Progress = no_progress,
    ) -> MigrationReport:
        """Embeds all records again with another embedding model, and switches to it when all vectors are there.

        Until then recall uses the old vectors with the old model. If that cannot be loaded any more, it uses the new
        model through a fitted adapter. Progress is kept: after a kill, the next call resumes; a Curator pass does a
        step, too. The switch is one transaction in each store and is completed after a crash.

        Args:
            to: Name as in `embedding.model`, which is written to `bardo.toml`, or an embedder of the caller's own,
                which has to be passed to `bardo.open` from then on.
            steps: Number of pages of 64 records to migrate now; None migrates all.
            progress: Callback for progress.

        Raises:
            InvalidInputError: It is the current model, or another migration is under way.
            EmbedderUnavailableError: The new model cannot be loaded.
        """
        session = self._session
        session.ready(write=True)
        session.embed(progress)
        report = session.models.migrate(to, steps=steps, progress=progress)
        self._retrieval.note_migration(report)
        return report

    def abandon(self) -> None:
        """Aborts a migration: keeps the current vectors, and deletes those of the new model.

        Raises:
            InvalidInputError: There is no migration, or its switch has begun.
        """
        self._session.ready(write=True)
        self._session.models.abandon()
