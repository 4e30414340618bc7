"""From one embedding model to another without a moment in which the store is half of each.

The vectors of the new model are made page by page and lie beside the old ones, which stay in force; a kill in
between costs one page. When all are there, log and facts switch, each in one transaction. From the moment the switch
has begun, `migration.json` says so, and the next process that opens the folder ends it first.

Meanwhile the index holds old vectors alone, so queries must be vectors of the old model: of that model itself as long
as it can be loaded, else of the new one, led over by an adapter fitted on texts whose old vectors are stored.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from bardo import config
from bardo._atomic import parse_json, write_atomically
from bardo._core import EpisodeLog, FactStore
from bardo.errors import (
    EmbedderUnavailableError,
    EmbeddingMismatchError,
    InvalidInputError,
    NotFoundError,
    StoreDamagedError,
    UnusableVectorError,
)
from bardo.folder import MIGRATION_FILE
from bardo.index.embedding import adapter, embedders
from bardo.index.embedding.document_vectors import embed
from bardo.index.embedding.drift import DriftWatch
from bardo.index.embedding.sentences import spoken
from bardo.model import Episode, Fact, Fingerprint
from bardo.ports import Embedder, Progress, Vectors, no_progress

Record = TypeVar("Record", Episode, Fact)

ADAPTER_FILE = "migration.npz"
ARCHIVE_FOLDER, ARCHIVE_WATERMARK = "index.lance", "lance"
#: Episodes or facts of one step; bounds its memory and what a kill costs.
PAGE = 64
#: Pairs an adapter is fitted on, from this many places of the log.
SAMPLE, PLACES = 768, 12


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """How far a migration has come.

    Args:
        old: Model in force until the switch.
        new: Model that comes.
        done: Episodes and facts that have its vectors.
        total: Episodes and facts there are.
        switched: Whether it is in force.
        serving: What queries go through meanwhile: `old model`, `adapter`, or `new model` after the switch.
        adapter: Kind of the adapter; empty if there were too few vectors to fit one.
        adapter_error: Its mean cosine distance on pairs held out.
    """

    old: str
    new: str
    done: int
    total: int
    switched: bool
    serving: str
    adapter: str = ""
    adapter_error: float | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """Content of `migration.json`.

    Args:
        to: Name of the new model for `bardo.toml`; empty if the caller brings it.
        old: Fingerprint of the model in force.
        new: Fingerprint of the one that comes.
        started: Microseconds UTC.
        switching: Whether the switch has begun: from here on it only goes forward.
    """

    to: str
    old: Fingerprint
    new: Fingerprint
    started: int
    switching: bool = False

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The migration that is under way in a folder.

        Raises:
            StoreDamagedError: The file is not one of ours.
        """
        path = folder / MIGRATION_FILE
        if not path.exists():
            return None
        try:
            state = parse_json(path.read_bytes())
            models = {name: Fingerprint(**state[name]) for name in ("old", "new")}
            return cls(state["to"], models["old"], models["new"], state["started"], bool(state["switching"]))
        except (ValueError, TypeError, KeyError) as error:
            raise StoreDamagedError(
                f"{path} is damaged: {error}. Delete it to keep the model in force; "
                "the migration can be begun again with `bardo embedding migrate`"
            ) from error

    def write(self, folder: Path) -> None:
        """Keeps it, at once or not at all."""
        write_atomically(folder / MIGRATION_FILE, json.dumps(dataclasses.asdict(self)).encode())


class Migration:
    """A migration of a folder that is open.

    Args:
        folder: Of the grimoire.
        log: Episodes.
        facts: Facts.
        pending: What is under way.
        new: The model that comes.
        late: Whether codes of tokens are kept for late interaction.
    """

    def __init__(
        self, folder: Path, log: EpisodeLog, facts: FactStore, pending: Pending, new: Embedder, *, late: bool
    ) -> None:
        self._folder, self._log, self._facts, self._late = folder, log, facts, late
        self.pending, self.new = pending, new
        #: Ids of texts without a vector of either model.
        self._refused: set[str] = set()

    @classmethod
    def begin(
        cls, folder: Path, log: EpisodeLog, facts: FactStore, *, to: str, new: Embedder, now: int, late: bool
    ) -> Migration:
        """Begins a migration, or goes on with the one that is under way.

        Args:
            folder: Of the grimoire.
            log: Episodes.
            facts: Facts.
            to: Name of the new model for `bardo.toml`; empty if the caller brings it.
            new: The new model.
            now: Microseconds UTC.
            late: Whether codes of tokens are kept for late interaction.

        Raises:
            InvalidInputError: The model is the one in force, or a migration to a third is under way.
        """
        coming = new.fingerprint
        pending = Pending.read(folder)
        if pending is not None:
            if not is_same_space(pending.new, coming):
                raise InvalidInputError(
                    f"a migration to {pending.new.model} is under way. End it, or give it up with "
                    "`bardo embedding abandon`"
                )
            return cls(folder, log, facts, pending, new, late=late)
        stored = log.fingerprint or facts.fingerprint
        if stored is None or is_same_space(stored, coming):
            raise InvalidInputError(
                f"the vectors are those of {coming.model} already"
                if stored
                else "there are no vectors to migrate. Set embedding.model in bardo.toml"
            )
        log.drop_staged()
        facts.drop_staged()
        begun = cls(folder, log, facts, Pending(to, stored, coming, now), new, late=late)
        begun._fit_adapter()
        begun.pending.write(folder)
        return begun

    def _fit_adapter(self) -> None:
        texts, old = _sample(self._log)
        path = self._folder / ADAPTER_FILE
        path.unlink(missing_ok=True)
        if len(texts) >= adapter.LEAST_PAIRS:
            adapter.fit(self.new.embed_documents(texts), old).save(path)

    def step(self, count: int = PAGE) -> int:
        """Gives the next few episodes or facts their new vectors.

        Returns:
            How many; 0 when all have theirs that the new model has one for.

        Raises:
            UnusableVectorError: The new model has none for a text that has one of the old model.
        """
        if not is_same_space(self.new.fingerprint, self.pending.new):
            raise EmbeddingMismatchError(
                f"the migration goes to {self.pending.new.model}, and the embedder is {self.new.fingerprint.model}. "
                "Open the folder with the model that the migration goes to"
            )
        behind = self._is_old(self._log)
        while behind and (page := self._next(self._log.without_staged_vectors, count)):
            try:
                self._stage(page)
            except NotFoundError:
                # One was forgotten meanwhile; the next round takes the others.
                continue
            except UnusableVectorError as error:
                self._refuse([page[row].id for row in error.rows], self._has_vector, error)
                continue
            return len(page)
        behind = self._is_old(self._facts)
        while behind and (facts := self._next(self._facts.without_staged_vectors, count)):
            try:
                vectors = self.new.embed_documents([fact.text for fact in facts])
            except UnusableVectorError as error:
                self._refuse([facts[row].id for row in error.rows], self._knows_vector, error)
                continue
            self._facts.stage_vectors([fact.id for fact in facts], vectors, self.pending.new)
            return len(facts)
        return 0

    def _next(self, waiting: Callable[[int], Sequence[Record]], count: int) -> list[Record]:
        found = waiting(count + len(self._refused))
        return [record for record in found if record.id not in self._refused][:count]

    def _refuse(
        self, ids: Sequence[str], has_vector: Callable[[str], bool], error: UnusableVectorError
    ) -> None:
        """Leaves out what has no vector of the old model either; no other vector is ever lost by a migration."""
        if known := [id_ for id_ in ids if has_vector(id_)]:
            raise UnusableVectorError(
                f"{len(known)} texts have a vector of {self.pending.old.model} and would lose it, such as that of "
                f"{known[0]}: {error}. Migrate to another model, or give it up with `bardo embedding abandon`",
                rows=error.rows,
            ) from error
        self._refused.update(ids)

    def _has_vector(self, episode: str) -> bool:
        try:
            self._log.vectors([episode])
        except NotFoundError:
            return False
        return True

    def _knows_vector(self, fact: str) -> bool:
        return self._facts.vectors([fact])[0] is not None

    def _stage(self, page: Sequence[Episode]) -> None:
        found = embed(
            self.new,
            [episode.text for episode in page],
            [episode.speaker for episode in page],
            late=self._late,
        )
        ids = [episode.id for episode in page]
        self._log.stage_vectors(
            ids, found.whole, found.parts, found.counts, self.pending.new, tokens=found.tokens
        )

    def finish(self, progress: Progress = no_progress) -> None:
        """Makes what is missing, and switches. Nothing may write vectors of the old model meanwhile."""
        done, total = self.counts()
        while made := self.step():
            done += made
            progress("migrate", done, max(done, total))
        self.pending = replace(self.pending, switching=True)
        self.pending.write(self._folder)
        self.complete_switch()

    def complete_switch(self) -> None:
        """Ends a switch that has begun; every part can be done twice."""
        if self.is_behind():
            while self.step():
                pass
        # LanceDB holds old vectors and is made again from the log.
        self._log.set_watermark(ARCHIVE_WATERMARK, 0)
        shutil.rmtree(self._folder / ARCHIVE_FOLDER, ignore_errors=True)
        for store in (self._log, self._facts):
            while self._is_old(store):
                self._switch(store)
        if self.pending.to:
            config.write_setting(self._folder, "embedding", "model", self.pending.to)
        self._log.drop_staged()
        self._facts.drop_staged()
        DriftWatch(self._folder).forget()
        (self._folder / ADAPTER_FILE).unlink(missing_ok=True)
        (self._folder / MIGRATION_FILE).unlink(missing_ok=True)

    def _switch(self, store: EpisodeLog | FactStore) -> None:
        """Switches a store, or makes the vectors of what came to it since the last step: any process may learn."""
        try:
            store.switch_vectors(self.pending.new)
        except InvalidInputError:
            if not self.step():
                raise

    def _is_old(self, store: EpisodeLog | FactStore) -> bool:
        stored = store.fingerprint
        return stored is not None and not is_same_space(stored, self.pending.new)

    def is_behind(self) -> bool:
        """Whether either store still has old vectors in force; its staged ones may lack the latest records."""
        return self._is_old(self._log) or self._is_old(self._facts)

    def counts(self) -> tuple[int, int]:
        """Episodes that have a new vector, and episodes and facts there are."""
        staged = self._log.staged()
        return (staged[1] if staged else 0), len(self._log) + self._facts.stats()["facts"]

    def report(self, *, serving: str, switched: bool = False) -> MigrationReport:
        """How far it has come."""
        done, total = self.counts()
        led = _adapter(self._folder)
        return MigrationReport(
            old=self.pending.old.model,
            new=self.pending.new.model,
            done=total if switched else done,
            total=total,
            switched=switched,
            serving="new model" if switched else serving,
            adapter=led.kind if led else "",
            adapter_error=led.error if led else None,
        )


def abandon(folder: Path, log: EpisodeLog, facts: FactStore) -> None:
    """Deletes everything that a migration made.

    Raises:
        InvalidInputError: The switch has begun, and only goes forward.
    """
    pending = Pending.read(folder)
    if pending is not None and pending.switching:
        raise InvalidInputError("the switch has begun and only goes forward. Open the folder to end it")
    (folder / MIGRATION_FILE).unlink(missing_ok=True)
    (folder / ADAPTER_FILE).unlink(missing_ok=True)
    log.drop_staged()
    facts.drop_staged()


class AdaptedEmbedder:
    """A new model that stands in for the old one until the switch: its vectors are led into the old one's space.

    Args:
        old: Fingerprint of the model in force, whose place it takes.
        new: The model that comes.
        lead: The map from one to the other.
    """

    def __init__(self, old: Fingerprint, new: Embedder, lead: adapter.Adapter) -> None:
        self._old, self._new, self._lead = old, new, lead
        #: Note of a recall through it.
        self.note = (
            f"searched with {new.fingerprint.model} through the migration's adapter into the vectors of {old.model} "
            f"(mean cosine distance {lead.error:.2f}): what is near in meaning is found less surely until the "
            "migration ends"
        )
        #: Vectors of recent texts, if the new model keeps any.
        self.cache = getattr(new, "cache", None)

    @property
    def fingerprint(self) -> Fingerprint:
        """That of the model in force: what it makes lives beside its vectors until the switch, and no longer."""
        return self._old

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors in the old space, float32 of shape (len(texts), dims of the old model)."""
        return self._lead(self._new.embed_documents(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed_documents`, for texts to search with."""
        return self._lead(self._new.embed_queries(texts))


def serving(folder: Path, given: Embedder, settings: config.Embedding, *, chosen: bool) -> Embedder:
    """The embedder a folder is opened with, where a migration may be under way.

    Args:
        folder: Of the grimoire.
        given: What the caller or the settings name.
        settings: To load the new model with.
        chosen: Whether the caller brought the embedder.

    Returns:
        The given one, the new one if the switch has begun, or the new one through the adapter if the given one is the
        new one or cannot be loaded.
    """
    pending = Pending.read(folder)
    if pending is None:
        return given
    which = _side_of(given, pending)
    if which == ("new" if pending.switching else "old"):
        return given
    if which != "new":
        if chosen or not pending.to:
            return given
        given = embedders.load(replace(settings, model=pending.to))
    lead = None if pending.switching else _adapter(folder)
    return given if lead is None else AdaptedEmbedder(pending.old, given, lead)


def _side_of(given: Embedder, pending: Pending) -> str:
    """Whether an embedder is the `old` or the `new` one of a migration; `neither` if it is not or cannot be loaded."""
    try:
        fingerprint = given.fingerprint
    except EmbedderUnavailableError:
        return "neither"
    if is_same_space(fingerprint, pending.old):
        return "old"
    return "new" if is_same_space(fingerprint, pending.new) else "neither"


def complete_switch(
    folder: Path, log: EpisodeLog, facts: FactStore, embedder: Embedder, *, late: bool
) -> bool:
    """Ends a switch that a crash interrupted, before anything else reads a vector.

    Returns:
        Whether there was one.
    """
    pending = Pending.read(folder)
    if pending is None or not pending.switching:
        return False
    Migration(folder, log, facts, pending, embedder, late=late).complete_switch()
    return True


def is_same_space(left: Fingerprint, right: Fingerprint) -> bool:
    """Whether vectors of two models may meet."""
    return left.is_same_model(right)


def _adapter(folder: Path) -> adapter.Adapter | None:
    path = folder / ADAPTER_FILE
    return adapter.Adapter.load(path) if path.exists() else None


def _sample(log: EpisodeLog) -> tuple[list[str], Vectors]:
    """Texts from all over the log as they were embedded, and their stored vectors."""
    last = log.stats()["last_seq"]
    texts: list[str] = []
    rows: list[Any] = []
    for place in range(PLACES):
        start = last * place // PLACES
        for _, episode in log.since(start, max(1, min(SAMPLE // PLACES, last // PLACES + 1))):
            try:
                whole, _, _ = log.vectors([episode.id])
            except NotFoundError:
                continue
            rows.append(whole[0])
            texts.append(spoken(episode.text, episode.speaker))
    if not rows:
        return [], np.empty((0, 0), np.float32)
    return texts, np.stack(rows).astype(np.float32)
