"""Migration of a store to another embedding model, without mixing vectors of two models.

The vectors of the new model are staged page by page beside the old ones, which stay in use; a kill costs one page. When
all are staged, log and facts switch, each in one transaction. `migration.json` records the beginning of the switch, and
the next process that opens the folder completes it first.

Until the switch, the index holds old vectors alone, so queries must be vectors of the old model: from that model while
it can be loaded, else from the new one through an adapter fitted on texts whose old vectors are stored.
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
from bardo._printed import printed
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
#: Number of episodes or facts per step, which bounds its memory and the cost of a kill.
PAGE = 64
#: Number of pairs to fit an adapter on, and number of places of the log that they come from.
SAMPLE, PLACES = 768, 12


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """Progress of a migration.

    Args:
        old: Model before the switch.
        new: Model after the switch.
        done: Number of episodes and facts with vectors of the new model.
        total: Number of episodes and facts.
        switched: Whether the switch is complete.
        serving: Embedder of queries: `old model`, `adapter`, or `new model` after the switch.
        adapter: Kind of the adapter; empty if there were too few vectors to fit one.
        adapter_error: Mean cosine distance of the adapter on held-out pairs.
    """

    old: str
    new: str
    done: int
    total: int
    switched: bool
    serving: str
    adapter: str = ""
    adapter_error: float | None = None

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Pending:
    """Content of `migration.json`.

    Args:
        to: Name of the new model for `bardo.toml`; empty for a caller's own embedder.
        old: Fingerprint of the old model.
        new: Fingerprint of the new model.
        started: Start of the migration, microseconds UTC.
        switching: Whether the switch has begun, after which it cannot be abandoned.
    """

    to: str
    old: Fingerprint
    new: Fingerprint
    started: int
    switching: bool = False

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Reads the running migration of a folder; None if there is none.

        Raises:
            StoreDamagedError: The file is not valid.
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
        """Writes `migration.json` atomically."""
        write_atomically(folder / MIGRATION_FILE, json.dumps(dataclasses.asdict(self)).encode())


class Migration:
    """Migration of an open folder.

    Args:
        folder: Folder of the grimoire.
        log: Episode log.
        facts: Fact store.
        pending: Content of `migration.json`.
        new: Embedder of the new model.
        late: Whether codes of tokens are stored for late interaction.
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
        """Begins a migration, or resumes the running one.

        Args:
            folder: Folder of the grimoire.
            log: Episode log.
            facts: Fact store.
            to: Name of the new model for `bardo.toml`; empty for a caller's own embedder.
            new: Embedder of the new model.
            now: Current time, microseconds UTC.
            late: Whether codes of tokens are stored for late interaction.

        Raises:
            InvalidInputError: It is the current model, or a migration to a third model is under way.
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
        """Makes the new vectors of the next page of episodes or facts.

        Returns:
            Number of records; 0 when none is left for which the new model has a vector.

        Raises:
            UnusableVectorError: The new model has no vector for a text that has one of the old model.
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
                # A record was deleted meanwhile; the next iteration processes the others.
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
        """Skips records without a vector of either model; raises if a record would lose its old vector."""
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
        """Makes the missing vectors, and switches. The caller must block all writes of old vectors meanwhile."""
        done, total = self.counts()
        while made := self.step():
            done += made
            progress("migrate", done, max(done, total))
        self.pending = replace(self.pending, switching=True)
        self.pending.write(self._folder)
        self.complete_switch()

    def complete_switch(self) -> None:
        """Completes a switch that has begun; every part is idempotent."""
        if self.is_behind():
            while self.step():
                pass
        # LanceDB holds old vectors and is rebuilt from the log.
        self._log.set_watermark(ARCHIVE_WATERMARK, 0)
        shutil.rmtree(self._folder / ARCHIVE_FOLDER, ignore_errors=True)
        for store in (self._log, self._facts):
            while self._is_old(store):
                self._switch(store)
        if self.pending.to:
            from bardo.settings_file import write_setting

            write_setting(self._folder, "embedding", "model", self.pending.to)
        self._log.drop_staged()
        self._facts.drop_staged()
        DriftWatch(self._folder).forget()
        (self._folder / ADAPTER_FILE).unlink(missing_ok=True)
        (self._folder / MIGRATION_FILE).unlink(missing_ok=True)

    def _switch(self, store: EpisodeLog | FactStore) -> None:
        """Switches a store; if records lack new vectors, since any process may add facts, makes some instead."""
        try:
            store.switch_vectors(self.pending.new)
        except InvalidInputError:
            if not self.step():
                raise

    def _is_old(self, store: EpisodeLog | FactStore) -> bool:
        stored = store.fingerprint
        return stored is not None and not is_same_space(stored, self.pending.new)

    def is_behind(self) -> bool:
        """Whether either store still uses old vectors; its staged ones may lack the latest records."""
        return self._is_old(self._log) or self._is_old(self._facts)

    def counts(self) -> tuple[int, int]:
        """Returns the number of episodes with a new vector, and of all episodes and facts."""
        staged = self._log.staged()
        return (staged[1] if staged else 0), len(self._log) + self._facts.stats()["facts"]

    def report(self, *, serving: str, switched: bool = False) -> MigrationReport:
        """Returns the progress of the migration."""
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
    """Deletes all data of a migration.

    Raises:
        InvalidInputError: The switch has begun, and cannot be abandoned.
    """
    pending = Pending.read(folder)
    if pending is not None and pending.switching:
        raise InvalidInputError("the switch has begun and only goes forward. Open the folder to end it")
    (folder / MIGRATION_FILE).unlink(missing_ok=True)
    (folder / ADAPTER_FILE).unlink(missing_ok=True)
    log.drop_staged()
    facts.drop_staged()


class AdaptedEmbedder:
    """Embedder of the new model, with an adapter into the old model's space, for use until the switch.

    Args:
        old: Fingerprint of the old model.
        new: Embedder of the new model.
        lead: Adapter from the new model to the old one.
    """

    def __init__(self, old: Fingerprint, new: Embedder, lead: adapter.Adapter) -> None:
        self._old, self._new, self._lead = old, new, lead
        #: Note for recalls through the adapter.
        self.note = (
            f"searched with {new.fingerprint.model} through the migration's adapter into the vectors of {old.model} "
            f"(mean cosine distance {lead.error:.2f}): what is near in meaning is found less surely until the "
            "migration ends"
        )
        #: Cache of the new embedder, if it has one.
        self.cache = getattr(new, "cache", None)

    @property
    def fingerprint(self) -> Fingerprint:
        """Fingerprint of the old model, as the adapted vectors are compared with its vectors until the switch."""
        return self._old

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors in the old space, float32 of shape (len(texts), dims of the old model)."""
        return self._lead(self._new.embed_documents(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """`embed_documents`, for queries."""
        return self._lead(self._new.embed_queries(texts))


def serving(folder: Path, given: Embedder, settings: config.Embedding, *, chosen: bool) -> Embedder:
    """Chooses the embedder to open a folder with, where a migration may be under way.

    Args:
        folder: Folder of the grimoire.
        given: Embedder from the caller or the settings.
        settings: Settings to load the new model with.
        chosen: Whether the caller passed the embedder.

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
    """Completes a switch that a crash interrupted, before any other code reads a vector.

    Returns:
        Whether there was one.
    """
    pending = Pending.read(folder)
    if pending is None or not pending.switching:
        return False
    Migration(folder, log, facts, pending, embedder, late=late).complete_switch()
    return True


def is_same_space(left: Fingerprint, right: Fingerprint) -> bool:
    """Whether vectors of two models are comparable."""
    return left.is_same_model(right)


def _adapter(folder: Path) -> adapter.Adapter | None:
    path = folder / ADAPTER_FILE
    return adapter.Adapter.load(path) if path.exists() else None


def _sample(log: EpisodeLog) -> tuple[list[str], Vectors]:
    """Samples texts across the log, in their embedded form, with their stored vectors."""
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
