"""Deletion from every store and file (law 11), with a verification that searches for remaining traces.

The log goes first, in one transaction with an intent for the other stores: the next opening after a crash finishes
from the intent. Every step is idempotent. The intent holds the deleted texts, for the verification; they are removed
from it before the files are rewritten.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bardo._atomic import drafts
from bardo._core import forget_gaps, number_names
from bardo._printed import printed
from bardo.capture import archive, inbox, traces
from bardo.capture.recorder import PAGE, arrivals
from bardo.capture.traces import Needles
from bardo.conduct.storage.store import ConductStore
from bardo.consolidate.pages import playbook
from bardo.consolidate.texts.earlier_turns import is_named_by
from bardo.converse.summary_store import SummaryStore
from bardo.errors import (
    InvalidInputError,
    NotFoundError,
    StoreError,
    TestamentError,
)
from bardo.folder import Folder
from bardo.grimoire.intent import DeletionRequest, Intent, TripleTuple
from bardo.grimoire.results import triple_id
from bardo.grimoire.stores import Stores, all_facts
from bardo.index.embedding.cache import VectorCache
from bardo.index.indexer import Indexer
from bardo.model import Episode, Fact
from bardo.ports import Clock, Embedder, Progress, no_progress, stage

#: Names of files to delete: copies of an older schema or of a damaged file, temporary files from a crash, and files
#: derived from the log that are rebuilt when missing.
_LEFTOVERS = re.compile(r"(\.v\d+|\.damaged|\.damaged-wal|\.new|\.snapshot)$|^\..+\.[0-9a-f]{8}$")
#: Limit that reads all rows of a table at once.
ALL = 2**31
#: Counts of a step without work.
_NOTHING: Mapping[str, int] = {"entities": 0, "triples": 0}


@dataclass(frozen=True, slots=True)
class PlaceCheck:
    """One place checked in the verification of a deletion.

    Args:
        place: File in the folder, or name of a store.
        how: `bytes` if the raw bytes were searched, `records` if the records were queried.
        bytes: Number of bytes read.
    """

    place: str
    how: str
    bytes: int = 0

    __str__ = printed


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """Report of a deletion.

    Args:
        reason: Reason given by the caller.
        episodes: Ids of the deleted episodes.
        facts: Ids of the deleted facts, including those supported by the episodes alone.
        loosened: Ids of facts that lost an episode and are supported by others.
        baselines: Number of running statistics that were deleted, or recounted without the episodes.
        entities: Number of deleted entities, which no other memory names.
        triples: Number of deleted triples, from texts or `entities.relate`.
        links: Number of deleted links between facts.
        questions: Number of deleted open questions.
        conduct: Ids of the rows of `conduct.db` that came from the episodes, or name a deleted entity.
        summaries: Ids of summaries that rested on the episodes; the next pass makes them again.
        rows: Number of rows deleted from LanceDB.
        rewritten: Rewritten files, such as of the archive and the inbox.
        removed: Deleted files.
        refused_again: Whether the same content is refused from now on.
        bytes_written: Approximate number of bytes written to rewrite the files.
        looked: Places checked in the verification.
        shared: Number of pieces of text, and vectors, that other memories hold too; finding their bytes proves nothing.
        notes: Notes on steps that could not be done or verified.
    """

    reason: str
    episodes: tuple[str, ...]
    facts: tuple[str, ...]
    loosened: tuple[str, ...]
    baselines: int
    entities: int
    triples: int
    links: int
    questions: int
    conduct: tuple[str, ...]
    summaries: tuple[str, ...]
    rows: int
    rewritten: tuple[str, ...]
    removed: tuple[str, ...]
    refused_again: bool
    bytes_written: int
    looked: tuple[PlaceCheck, ...]
    shared: int
    notes: tuple[str, ...]

    __str__ = printed


@dataclass(frozen=True, slots=True)
class _RemovedRecords:
    """Counts of the deleted records of facts and acts, as in `ForgetReport`."""

    facts: list[str]
    loosened: list[str]
    baselines: int
    entities: int
    triples: int
    links: int
    questions: int
    conduct: Sequence[str]
    summaries: Sequence[str]


class Eraser:
    """Deletes records from every store of one grimoire.

    Args:
        folder: Folder of the grimoire.
        stores: Log, facts and hot set.
        upkeep: Indexer, which opens LanceDB.
        embedder: Embedder whose cache is cleared.
        clock: Wall clock.
    """

    def __init__(
        self, folder: Folder, stores: Stores, upkeep: Indexer, embedder: Embedder, clock: Clock
    ) -> None:
        self._folder = folder
        self._log, self._facts, self._hot = stores.log, stores.facts, stores.hot
        self._ticks = stores.ticks
        self._upkeep = upkeep
        self._embedder, self._clock = embedder, clock
        self._conduct = ConductStore(folder.root, facts=self._facts)
        self._summaries = SummaryStore(folder.root)

    def forget(
        self, wanted: DeletionRequest, *, reason: str, tombstones: bool, progress: Progress = no_progress
    ) -> ForgetReport:
        """Deletes records and verifies the deletion; see `Grimoire.forget`."""
        with self._upkeep.archive_lock():
            with self._upkeep.exclusive_lock(), stage("facts", progress):
                intent = self.plan(wanted, reason, tombstones=tombstones)
                number = self._log.forget(
                    intent.episodes, intent=intent.to_json(), now=self._clock.now(), tombstones=tombstones
                )
                gone = self._release(intent)
            # Texts embedded from here on were read after the records were deleted.
            return self._finish(number, intent, gone, progress)

    def resume(self) -> tuple[ForgetReport, ...]:
        """Finishes the deletions that a crash interrupted."""
        left = [(number, Intent.from_json(text)) for number, text in self._log.intents()]
        return tuple(self._finish(number, intent, self._release(intent)) for number, intent in left)

    def plan(self, wanted: DeletionRequest, reason: str, *, tombstones: bool) -> Intent:
        """Lists the records that a deletion removes. The caller holds the indexer meanwhile."""
        if not wanted:
            raise InvalidInputError(
                "there is nothing to forget. Pass ids, records or questions, or name an about, subject, author or query"
            )
        if not isinstance(reason, str) or not reason.strip():
            raise InvalidInputError("a deletion needs a reason. Say why in a sentence")
        ids = list(dict.fromkeys([*wanted.records, *self._naming(wanted.about)]))
        triples = self._triples(wanted)
        episodes: list[Episode] = []
        facts: list[Fact] = []
        for id_, episode, fact in zip(ids, self._log.get(ids), self._facts.get(ids), strict=True):
            if episode is not None:
                episodes.append(episode)
            elif fact is not None:
                facts.append(fact)
            else:
                raise NotFoundError(
                    f"no episode or fact with id {id_}; nothing was forgotten. List them with `bardo episodes list`"
                )
        given = [episode.id for episode in episodes]
        derived = self._facts.derived_from(given)
        if given:
            gone = frozenset(given)
            quotes = self._facts.supported_by(given)
            derived += [fact for fact in quotes if is_named_by(fact, gone, self._log)]
        facts = list({fact.id: fact for fact in (*facts, *derived)}.values())
        texts = [text for episode in episodes for text in (episode.text, *traces.texts_in(episode.payload))]
        texts += [triple[1] for triple in triples]
        return Intent(
            episodes=given,
            facts=[fact.id for fact in facts],
            reason=reason,
            tombstones=tombstones,
            texts=[*texts, *(fact.text for fact in facts)],
            vectors=[b64encode(vector).decode() for vector in self._vectors(given)],
            numbers=number_names(episodes),
            names=sorted(
                {
                    name
                    for episode in episodes
                    for name in (*episode.subjects, *traces.texts_in(episode.payload))
                }
            ),
            hashes=[episode.content_hash for episode in episodes],
            triples=[triple[7] for triple in triples],
            links=self._links(wanted),
            questions=list(wanted.questions),
            entities=list(wanted.about),
            called=[
                name
                for about in wanted.about
                for name in _every_name(about, self._upkeep.names.entities(name=about, limit=1))
            ],
        )

    def _naming(self, about: Sequence[str]) -> list[str]:
        """Finds the ids of the memories that name an entity or have it as subject."""
        if not about:
            return []
        self._upkeep.read_names()
        found: list[str] = []
        for name in about:
            entities = self._upkeep.names.entities(name=name, limit=1)
            for *_, mentions, _ in entities:
                found += self._upkeep.names.mentions(name, limit=mentions) if mentions else []
            for subject in _every_name(name, entities):
                found += [fact.id for fact in all_facts(self._facts, subject=subject, status=None)]
                found += [episode.id for episode in self._log.by_subject(subject, limit=len(self._log))]
            if not found and not entities:
                raise NotFoundError(
                    f"nothing is known of {name!r}; nothing was forgotten. List who is with `bardo entities list`"
                )
        # The index of names may still hold deleted records.
        held = [one.id for one in (*self._log.get(found), *self._facts.get(found)) if one is not None]
        return list(dict.fromkeys(held))

    def _triples(self, wanted: DeletionRequest) -> list[TripleTuple]:
        """Finds the relations to delete, by number or by either end."""
        found = []
        for number, triple in zip(wanted.triples, self._upkeep.names.triples_of(wanted.triples), strict=True):
            if triple is None:
                raise NotFoundError(
                    f"no triple has the id {triple_id(number)}; nothing was forgotten. List them with "
                    "relations(every=True)"
                )
            if triple[8]:
                raise InvalidInputError(
                    f"{triple_id(number)} is read from fact {triple[4]}, and would come back. Forget that fact"
                )
            found.append(triple)
        for name in wanted.about:
            found += self._upkeep.names.triples(entity=name, limit=ALL)
        return found

    def _links(self, wanted: DeletionRequest) -> list[tuple[str, str, str]]:
        """Returns the requested links; each must exist."""
        held = (
            {link[:3] for link in self._facts.links([src for src, _, _ in wanted.links])}
            if wanted.links
            else set()
        )
        for link in wanted.links:
            if link not in held:
                raise NotFoundError(
                    f"no link says that {link[0]} {link[2]} {link[1]}; nothing was forgotten. List them with links()"
                )
        return list(wanted.links)

    def _vectors(self, ids: Sequence[str]) -> list[bytes]:
        found = []
        for id_ in ids:
            try:
                whole, _, _ = self._log.vectors([id_])
            except NotFoundError:
                continue
            found.append(whole[0].astype(np.float16).tobytes())
        return found

    def _release(self, intent: Intent) -> _RemovedRecords:
        """Deletes the records that depend on those deleted from the log; steps may have run before a crash."""
        if intent.tombstones:
            self._facts.add_tombstones(intent.facts)
        derived = self._facts.forget_episodes(intent.episodes)
        named = self._facts.forget_facts(intent.facts)
        baselines, emptied = self._facts.recount(self._log, intent.numbers, seconds=self._ticks.seconds)
        emptied += self._facts.forget_claims(set(intent.names), intent.episodes)
        told = self._upkeep.names.forget_triples(intent.triples) if intent.triples else _NOTHING
        about = self._upkeep.names.forget(intent.entities) if intent.entities else _NOTHING
        links = self._facts.forget_links(intent.links) if intent.links else 0
        questions = forget_gaps(self._facts, intent.questions) if intent.questions else 0
        self._facts.forget_questions([*intent.texts, *intent.names, *intent.entities])
        facts = list(dict.fromkeys([*intent.facts, *derived["facts"], *emptied]))
        self._hot.remove([*intent.episodes, *facts])
        self._hot.sync_facts(self._facts)
        cache = getattr(self._embedder, "cache", None)
        if isinstance(cache, VectorCache):
            cache.clear()
        conduct = self._conduct.erase(intent.episodes, intent.called, texts=intent.texts)
        summaries = self._summaries.erase(intent.episodes)
        return _RemovedRecords(
            facts=facts,
            loosened=[id_ for id_ in derived["kept"] if id_ not in facts],
            baselines=baselines + derived["baselines"],
            entities=sum(part["entities"] for part in (derived, named, told, about)),
            triples=sum(part["triples"] for part in (derived, named, told, about)),
            links=links,
            questions=questions,
            conduct=conduct,
            summaries=summaries,
        )

    def _finish(
        self, number: int, intent: Intent, gone: _RemovedRecords, progress: Progress = no_progress
    ) -> ForgetReport:
        """Runs the steps after the deletion of the records; each may have run before a crash."""
        facts = gone.facts
        looked_for = traces.needles(intent.texts, [b64decode(vector) for vector in intent.vectors])
        with stage("lance", progress):
            rows = self._upkeep.forget(intent.episodes) if self._folder.lance.exists() else 0
        with stage("files", progress):
            rewritten, removed = self._files(intent, facts, looked_for)
        with stage("write again", progress):
            self._log.update_intent(number, intent.to_json(bare=True))
            _, log_bytes = self._log.vacuum()
            notes = self._vacuum_facts()
        try:
            looked, shared = self._verify_removal(intent, facts, looked_for, progress)
        finally:
            self._conduct.close()
            self._summaries.close()
        self._log.update_intent(number)
        return ForgetReport(
            reason=intent.reason,
            episodes=tuple(intent.episodes),
            facts=tuple(facts),
            loosened=tuple(gone.loosened),
            baselines=gone.baselines,
            entities=gone.entities,
            triples=gone.triples,
            links=gone.links,
            questions=gone.questions,
            conduct=tuple(gone.conduct),
            summaries=tuple(gone.summaries),
            rows=rows,
            rewritten=tuple(rewritten),
            removed=tuple(removed),
            refused_again=intent.tombstones,
            bytes_written=log_bytes + self._folder.facts.stat().st_size,
            looked=looked,
            shared=shared,
            notes=tuple(notes),
        )

    def _vacuum_facts(self) -> list[str]:
        if self._facts.vacuum():
            return []
        return [
            "another process reads facts.db, so its write-ahead log could not be emptied: "
            "forget again when that process is done"
        ]

    def _files(
        self, intent: Intent, facts: Sequence[str], looked_for: Needles
    ) -> tuple[list[str], list[str]]:
        """Rewrites or deletes files that people or other programs read, and leftovers of a crash."""
        changed = archive.forget(self._folder.archive, intent.episodes)
        refused = set(intent.hashes) if intent.tombstones else set()
        changed += inbox.forget(self._folder.root, set(intent.episodes), refused, looked_for)
        versions = [self._folder.playbook, *sorted(self._folder.playbook_history.glob("*.md"))]
        changed += playbook.forget(versions, facts, looked_for)
        removed = [path for path in changed if not path.exists()]
        # Derived; compiled again from the remaining facts.
        removed += [self._folder.dossier] if self._folder.dossier.exists() else []
        for path in sorted(self._folder.root.rglob("*")):
            copied = path.parent == self._folder.testaments and _bequeaths(path, intent, facts, looked_for)
            if copied or self._is_left_over(path):
                removed.append(path)
        for path in removed:
            path.unlink(missing_ok=True)
        return [self._name(path) for path in changed if path not in removed], [
            self._name(path) for path in removed
        ]

    def _is_left_over(self, path: Path) -> bool:
        # Temporary files in the inbox belong to the processes that write them.
        is_written = path in drafts or self._folder.inbox in path.parents
        return bool(_LEFTOVERS.search(path.name)) and not is_written and path.is_file()

    def _verify_removal(
        self, intent: Intent, facts: Sequence[str], looked_for: Needles, progress: Progress
    ) -> tuple[tuple[PlaceCheck, ...], int]:
        left = [f"episode {one.id} in the log" for one in self._log.get(intent.episodes) if one is not None]
        left += [f"fact {one.id} in facts.db" for one in self._facts.get(list(facts)) if one is not None]
        left += [f"summary {id_}, which rests on it" for id_ in self._summaries.resting_on(intent.episodes)]
        with self._upkeep.hosting:
            left += [f"{id_} in the hot set" for id_ in [*intent.episodes, *facts] if id_ in self._hot]
        left += [f"fact {one.id}, which stands on it" for one in self._facts.derived_from(intent.episodes)]
        looked = [PlaceCheck(place, "records") for place in ("log", "facts", "hot set")]
        found: dict[int, list[str]] = {}
        paths = sorted(self._folder.root.rglob("*"))
        for done, path in enumerate(paths):
            progress("look again", done, len(paths))
            if not path.is_file() or path.name.startswith(f"{self._folder.facts.name}-"):
                continue
            if path == self._folder.facts:
                places, size = self._facts.traces(looked_for.raw)
            else:
                places, size = traces.find(path, looked_for)
            looked.append(PlaceCheck(self._name(path), "bytes", size))
            for place in places:
                found.setdefault(place, []).append(self._name(path))
        progress("look again", len(paths), len(paths))
        shared = self._shared({looked_for.pieces[place] for place in found} - {""})
        twins = self._twins({looked_for.raw[place] for place in found if not looked_for.pieces[place]})
        for place, files in found.items():
            if looked_for.pieces[place] not in shared and looked_for.raw[place] not in twins:
                left.append(f"{len(looked_for.raw[place])} of its bytes in {', '.join(files)}")
        if left:
            raise StoreError(
                f"the deletion left traces: {'; '.join(left[:5])}. Close other processes that use {self._folder.root} "
                "and open it again: the deletion goes on then"
            )
        return tuple(looked), len(shared) + len(twins)

    def _shared(self, pieces: set[str]) -> set[str]:
        """Finds the pieces of text that remaining memories hold as well."""
        shared: set[str] = set()
        if not pieces:
            return shared
        # Pending files of the inbox remain as well.
        for page in (*arrivals(self._log), inbox.waiting_episodes(self._folder.root)):
            for episode in page:
                held = (episode.text, *traces.texts_in(episode.payload), *episode.subjects)
                shared |= {piece for piece in pieces - shared if any(piece in text for text in held)}
        after = None
        while facts := self._facts.list(status=None, after=after, limit=PAGE):
            after = facts[-1].id
            for fact in facts:
                shared |= {piece for piece in pieces - shared if piece in fact.text}
        for subject, predicate, object_, *_ in self._upkeep.names.triples(limit=ALL):
            told = (subject, predicate, object_)
            shared |= {piece for piece in pieces - shared if any(piece in text for text in told)}
        for text in (*self._conduct.texts(), *self._summaries.texts()):
            shared |= {piece for piece in pieces - shared if piece in text}
        return shared

    def _twins(self, vectors: set[bytes]) -> set[bytes]:
        """Finds the pieces of vectors that remaining memories have as well: some models give two texts one vector."""
        twins: set[bytes] = set()
        if not vectors:
            return twins
        for page in arrivals(self._log):
            for held in self._vectors([episode.id for episode in page]):
                twins |= {piece for piece in vectors - twins if piece in held}
        return twins

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._folder.root))


def _bequeaths(path: Path, intent: Intent, facts: Sequence[str], looked_for: Needles) -> bool:
    """Whether a copy of a testament holds deleted records; an unreadable one is searched for their bytes."""
    try:
        from bardo.bequeath.legacy import DRAFT
        from bardo.bequeath.testament import testament

        held = testament.read(path)
    except (TestamentError, StoreError):
        return bool(traces.find(path, looked_for)[0])
    gone, texts = {*intent.episodes, *facts}, set(intent.texts)
    entries: list[Episode | Fact] = [*held.facts, *held.episodes]
    told = [text for text in texts if len(text) >= traces.SHORTEST_CHARACTERS]
    # The bundle of the agent's own draft holds the words of every text of the log.
    if path.name == DRAFT.name and held.known is not None and any(held.knew(text).is_whole for text in told):
        return True
    return any(entry.id in gone or entry.text in texts for entry in entries) or any(
        text in held.reflection for text in told
    )


def _every_name(about: str, entities: Iterable[tuple[str, str, list[str], *tuple[object, ...]]]) -> list[str]:
    """Returns every name of an entity, the given one first."""
    known = (name for name, _, aliases, *_ in entities for name in (name, *aliases))
    return list(dict.fromkeys([about, *known]))
