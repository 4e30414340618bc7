"""The embedding model of a memory: its drift, and the way to another one."""

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
    """The embedding model; `Grimoire.embedding`.

    Args:
        session: The open memory.
        retrieval: Is told when the model was switched.
    """

    def __init__(self, session: Session, retrieval: Retrieval) -> None:
        self._session = session
        self._retrieval = retrieval

    def check(self) -> Drift:
        """Whether the embedding model still is what it was: 20 reference texts embedded again.

        Runs by itself once a week, with a Curator pass. Critical drift pauses the writing of vectors: episodes are
        captured and found by their words until the model is healthy again or another takes its place.

        Returns:
            What was found; the first check of a model only keeps what later ones are compared with.
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
        """Moves every vector to another embedding model, and switches to it when all are there.

        Until then the old vectors are in force: recall goes on with the old model, or if that cannot be loaded any
        more, with the new one through a fitted adapter. What was made is kept: after a kill, the next call goes on; a
        Curator pass does a step, too. The switch is one transaction in each store and ends by itself after a crash.

        Args:
            to: A name as in `embedding.model`, which is written to `bardo.toml`, or an embedder of the caller's own,
                which has to be passed to `bardo.open` from then on.
            steps: Pages of 64 records to do now; None goes on to the end.
            progress: Told how far it has come.

        Raises:
            InvalidInputError: The model is the one in force, or another migration is under way.
            EmbedderUnavailableError: The new model cannot be loaded.
        """
        session = self._session
        session.ready(write=True)
        session.embed(progress)
        report = session.models.migrate(to, steps=steps, progress=progress)
        self._retrieval.note_migration(report)
        return report

    def abandon(self) -> None:
        """Gives a migration up: the vectors in force stay, those of the new model go.

        Raises:
            InvalidInputError: There is none, or its switch has begun.
        """
        self._session.ready(write=True)
        self._session.models.abandon()
