"""The verbs about the state of a memory: its derived parts rebuilt, and the model of its vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._lazy import dataclasses, modules
from bardo._validation import checked
from bardo._values import value
from bardo.clock import OFFSET
from bardo.grimoire.session import Opened
from bardo.ports import Embedder, Progress, quiet, stage

if TYPE_CHECKING:
    from bardo.capture import archive
    from bardo.grimoire import integrity
    from bardo.grimoire.integrity import CheckReport
    from bardo.index.embedding.drift import Drift
    from bardo.index.embedding.migration import MigrationReport
else:
    archive, integrity = modules("capture.archive", "grimoire.integrity")


#: Acts in the journal at most.
ACTS_KEPT = 1_024


@value
class Rebased:
    """What taking a leap back came to.

    Args:
        tick: The last tick, which is now.
        by: How long the leap was, in ticks.
        offset: Ticks by which the agent's own are later than the clock, or than those that are passed, from here on.
        facts: How many facts it concerned.
        acts: What was inferred about facts during the leap, for `undo`; the last first.
    """

    tick: int
    by: int
    offset: int
    facts: int
    acts: tuple[int, ...] = ()


class Keeping(Opened):
    """What keeps a `Grimoire` as it should be."""

    @abstractmethod
    def stats(self) -> dict[str, Any]:
        """Counts and sizes of every part, in plain types; no `model` where none has ever answered."""

    def rebuild(self, *, progress: Progress = quiet) -> dict[str, Any]:
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
        self._ready()
        self._upkeep.ask_again()
        rebuilt: dict[str, Any] = {"vectors": self._embed(progress)}
        with stage("facts", progress):
            rebuilt["fact_vectors"] = self._upkeep.embed_facts()
            # It makes the words of facts again as well.
            self._facts.vacuum()
        with stage("names", progress):
            rebuilt["names"] = self._upkeep.read_names(anew=True)
        rebuilt["lance"] = self._upkeep.rebuild_archive(progress)
        with stage("hot", progress):
            rebuilt["hot"] = self._upkeep.reload()
        with stage("snapshot", progress), self._upkeep.held():
            rebuilt["snapshot"] = self._stores.snapshot.renew()
        rebuilt["days"] = dataclasses.asdict(archive.compare(self._log, self._folder.archive, progress))
        return self.stats() | {"rebuilt": rebuilt}

    @checked
    def rebase_ticks(self, *, tick: SupportsIndex | None = None) -> Rebased:
        """Takes a leap of time back: a clock that was wrong for a while, or a tick that was passed by mistake.

        Ticks never go back. They go on from the last one, which stands for now from here on, and the leap is taken out
        of the age of every fact of before it, and put on what expires: each is as sure as if it had not been. What
        was kept during the leap stays as it is; `acts` of the report tells what a Curator inferred meanwhile, and
        `undo` takes it back.

        Args:
            tick: Now, as you count; where ticks are seconds, the clock's second if not given.

        Raises:
            InvalidInputError: The last tick does not run ahead of now, or ticks are your own and none is given.
        """
        self._ready(write=True)
        last, by = self.now_tick, self._ticks.leap(tick)
        offset = self._ticks.offset + by
        moved = self._facts.rebase(through=last - by, by=by, tick=last, name=OFFSET, offset=offset)
        self._ticks.rebase(offset)
        self._hot.sync_facts(self._facts)
        meanwhile = (number for number, _, at, *_ in self._facts.acts(ACTS_KEPT) if at > last - by)
        return Rebased(last, by, offset, moved, tuple(meanwhile))

    @checked
    def check(self, *, repair: bool = False) -> CheckReport:
        """Reads every file of the memory against what it can be held to: checksums, signatures, the log.

        `bardo.check(folder)` does the same for a memory that cannot be opened.

        Args:
            repair: Whether to mend single flipped bits, indexes and words of `facts.db`, which is kept beside it first.

        Returns:
            Every damage with its file, table and row, and what was done about it.
        """
        self._ready()
        report = integrity.check_open(self._folder, self._log, repair=repair)
        if repair and report.damaged:
            self._upkeep.reload()
        return report

    def check_model(self) -> Drift:
        """Whether the embedding model still is what it was: 20 reference texts embedded again (spec 4, "Drift check").

        Runs by itself once a week, with a Curator pass. Critical drift pauses the writing of vectors: episodes are
        captured and found by their words until the model is healthy again or another takes its place.

        Returns:
            What was found; the first check of a model only keeps what later ones are compared with.
        """
        self._ready(write=True)
        return self._models.check()

    @checked
    def migrate(
        self,
        to: str | Embedder | Callable[[list[str]], Any],
        *,
        steps: int | None = None,
        progress: Progress = quiet,
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
        self._ready(write=True)
        self._embed(progress)
        report = self._models.migrate(to, steps=steps, progress=progress)
        self._moved(report)
        return report

    def abandon_migration(self) -> None:
        """Gives a migration up: the vectors in force stay, those of the new model go.

        Raises:
            InvalidInputError: There is none, or its switch has begun.
        """
        self._ready(write=True)
        self._models.abandon()
