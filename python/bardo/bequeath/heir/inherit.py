"""Adds the content of testaments to an heir: marked, discounted, unverified, and never replacing its own knowledge.

Facts keep their ids, so inheriting twice changes nothing. Episodes enter the heir's log as another agent's
experience: of kind `inherited`, with their original date but the tick of the inheritance, unverified and without
importance. Their original fields are in the payload under `inherited`, so they are not consolidated, and no baseline
counts their numbers (law 15).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bardo._atomic import make_folder, read_json, write_json
from bardo._printed import printed
from bardo.bequeath.content import directives, questions, tallies
from bardo.bequeath.content.contents import MODES
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.tables import TOMBSTONES
from bardo.bequeath.content.tallies import Tally
from bardo.bequeath.content.told_orders import ToldOrders
from bardo.bequeath.heir import copies, ends, innate, limits, order, replay
from bardo.bequeath.heir.births import births_of
from bardo.bequeath.heir.experience import inherited_episode, redactor_of
from bardo.bequeath.heir.known_since import known_since
from bardo.bequeath.heir.together import Together
from bardo.bequeath.lineage import GENERATION_LIMIT, Lineage, lineage_of
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.selection.selection import folded
from bardo.bequeath.testament.testament import Testament
from bardo.clock import MAX_TICK
from bardo.config import Bequeath
from bardo.errors import EmbedderUnavailableError, InvalidInputError
from bardo.folder import TESTAMENTS_FOLDER
from bardo.index.embedding.sentences import usable
from bardo.model import INHERITED_KIND, Episode, Fact, Fingerprint
from bardo.ports import Embedder, Vectors

if TYPE_CHECKING:
    from bardo._core import EpisodeLog, FactStore, Recorded

#: Maximum number of characters of a quotation in a note.
_QUOTED = 80
#: Maximum confidence of an inherited belief that was refuted or replaced.
REFUTED_CONFIDENCE = 0.2
#: Cause of the end of a belief that an ancestor ended.
ANCESTOR = "ancestor"
#: File, beside the copies of the testaments, with the testaments of each inherited fact.
PROVENANCE_FILE = "provenance.json"
#: File, beside them, of an adoption that is not finished.
UNFINISHED_FILE = "unfinished.json"


@dataclass(frozen=True, slots=True)
class InheritanceReport:
    """Report of an inheritance: accepted and refused records.

    Args:
        lineage: Lineage of the heir, with its new parents.
        adopted: Number of entries new to the heir.
        merged: Number of entries known from another testament; the greater confidence is kept.
        known: Number of entries that the heir had learned itself; its own knowledge is unchanged.
        rejected: Number of entries that break a limit of this store.
        links: Number of links added among inherited facts.
        episodes: Number of episodes added to the heir's log.
        embedded: Number of entries embedded again with the heir's model.
        without_vectors: Number of entries without a vector yet; they are found by their words.
        redacted: Number of entries whose text still held secrets, which were removed.
        repeated: Hashes of testaments without effect, since they or their replacement were inherited before.
        directives: Number of decisions, rejections, tasks and rules added to the heir's gate.
        ended: Number of these that the heir's gate held, and that an ancestor's life had ended.
        questions: Number of open questions added to the heir's (`g.curator.gaps`).
        innate: Number of heuristics that became innate (`g.lineage.innate`).
        limited: Number of limited items in testaments of unknown signers, by kind: `roles`, `speakers`, `origins`,
            `importances`, `bloodstains`, `anti_knowledge` (accepted as warnings), `own_kinds` (identity, goals,
            preferences and interests, left out), `refutations` (accepted as replaced beliefs), `questions`,
            `directives`, `ancestors`, `innate` (counts of generations, left out).
        notes: Failures and omissions, one sentence each.
    """

    lineage: Lineage
    adopted: int = 0
    merged: int = 0
    known: int = 0
    rejected: int = 0
    links: int = 0
    episodes: int = 0
    embedded: int = 0
    without_vectors: int = 0
    redacted: int = 0
    repeated: tuple[str, ...] = ()
    questions: int = 0
    directives: int = 0
    ended: int = 0
    innate: int = 0
    limited: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    __str__ = printed


def adopt(
    testaments: Testament | Sequence[Testament],
    facts: FactStore,
    *,
    tick: int,
    now: int,
    config: Bequeath | None = None,
    folder: Path | None = None,
    log: EpisodeLog | None = None,
    embedder: Embedder | None = None,
    through_archive: bool = False,
    strangers: Collection[str] = (),
    take_directives: Callable[[Sequence[Directive]], tuple[int, int]] | None = None,
) -> InheritanceReport:
    """Adds the content of testaments to an heir's stores.

    Several testaments give the same heir in any order, in one call or in several: a belief that one of them ended has
    ended, unless a descendant of that testator held it again, and of two values the one written later counts.

    Args:
        testaments: Testaments of one or several parents, read by `testament.read`.
        facts: Fact store of the heir.
        tick: Current tick of the heir; the entries decay from here.
        now: Wall clock, microseconds UTC.
        config: Base confidence and its discount per generation.
        folder: Folder of the heir's grimoire, for the lineage, the provenance of each entry and a copy of each
            testament. Without it inherited testaments are not recorded; entries are still not added twice.
        log: Episode log of the heir; without it the testaments' episodes are not added.
        embedder: Embedder of the heir. Vectors of the same model are kept, others are computed again, never mixed.
        through_archive: Whether the testament came from a public archive instead of a chosen parent, which lowers the
            base confidence.
        strangers: Hashes of the testaments with an unknown signer, from `trust.unknown_signers`: they are accepted with
            limits. The caller vouches for the others.
        take_directives: Stores decisions, rejections and rules for the heir's gate, and returns the numbers of new and
            of ended ones; they are left out if not given.

    Raises:
        StoreError: A store or the folder cannot be written. Partial results stay, and calling again completes them.
    """
    config = config or Bequeath()
    given = [testaments] if isinstance(testaments, Testament) else list(testaments)
    lineage = lineage_of(folder, log, facts, tick=tick)
    replaced = {earlier for one in given for earlier in one.replaces}
    fresh = {
        one.hash: one
        for one in order.in_order(given, strangers)
        if not lineage.has_inherited(one.hash) and one.hash not in replaced
    }
    known = [one for hash_, one in fresh.items() if hash_ not in strangers]
    known = [order.without_hearsay(one, known) for one in known]
    better = {one.hash: one for one in known}
    adoption = _Adoption(facts, embedder, tick, now, folder)
    doubtful = {*strangers, *(parent.testament for parent in lineage.life.parents if parent.limited)}

    def take(given: Sequence[Testament], store: FactStore) -> None:
        adopt(
            given, store, tick=tick, now=now, config=config, through_archive=through_archive, strangers=doubtful
        )  # fmt: skip

    together = adoption.together(lineage, list(fresh.values()), take) if fresh else None
    limited: Counter[str] = Counter()
    for hash_, one in fresh.items():
        is_known = hash_ not in strangers
        testament = fresh[hash_] = better[hash_] if is_known else limits.limit(one, limited)
        testament = order.without_outdated(testament, known, is_known=is_known)
        base = config.archive_confidence if through_archive else config.base_confidence
        base = base if is_known else min(base, config.stranger_confidence)
        redactor = redactor_of(testament)
        entries = _inherited_facts(testament, tick, config, base, redactor, is_known=is_known)
        adoption.take(testament, entries, is_known=is_known)
        if log is not None:
            brought = adoption.record(testament, log, redactor)
            if folder is not None:
                make_folder(folder / TESTAMENTS_FOLDER)
                replay.note_episodes(folder, testament.hash, brought)
        if take_directives is not None and (testament.conduct or testament.ended):
            orders = (*testament.conduct, *testament.ended)
            given_on = [replace(one, generation=min(one.generation + 1, GENERATION_LIMIT)) for one in orders]
            for name, count in zip(("directives", "ended"), take_directives(given_on), strict=True):
                adoption._add(name, count)
        if not is_known:
            adoption.notes.append(limits.note_of(one))
    if together is not None:
        adoption.rename(together.restore(tick=tick, now=now))
    lineage = lineage.heir_of((one.lineage for one in fresh.values()), limited=strangers)
    if folder is not None and fresh:
        # The lineage is written last, since it makes the next call a no-op.
        adoption.notes += copies.keep(folder, fresh.values())
        adoption._add("innate", innate.take(folder, adoption.confirmations, facts, tick=tick))
        told = {id_: tally for id_, tally in adoption.tallies.items() if id_ in adoption.provenance}
        tallies.take(folder, told)
        ends.take(folder, adoption.ends)
        write_json(folder / TESTAMENTS_FOLDER / PROVENANCE_FILE, adoption.provenance)
        lineage.save(folder)
        if together is not None:
            together.finish()
    repeated = tuple(dict.fromkeys(one.hash for one in given if one.hash not in fresh))
    return InheritanceReport(
        lineage=lineage,
        repeated=repeated,
        limited={name: count for name, count in sorted(limited.items()) if count},
        notes=tuple(adoption.notes),
        **adoption.numbers,
    )


def provenance(folder: Path) -> Mapping[str, Sequence[str]]:
    """Returns the hashes of the testaments of each inherited fact of a grimoire."""
    return _load_provenance(folder)


class _Adoption:
    """Adds testaments to the stores of one heir and collects the numbers and notes of the report."""

    def __init__(
        self,
        facts: FactStore,
        embedder: Embedder | None,
        tick: int,
        now: int,
        folder: Path | None,
    ) -> None:
        self.facts, self.folder = facts, folder
        self.embedder = embedder
        self.tick = tick
        self.now = now
        #: Id of a fact of the heir -> hashes of its testaments.
        self.provenance = _load_provenance(folder)
        #: Id of a heuristic of the heir -> number of generations running that confirmed it.
        self.confirmations: dict[str, int] = {}
        #: Id of a fact of the heir -> numbers of good and bad outcomes of ancestors.
        self.tallies: dict[str, Tally] = {}
        #: Id of a fact of the heir -> instant at which it ended in an ancestor's life.
        self.ends: dict[str, int] = {}
        #: Id of an entry of the testament taken last -> id of the heir's fact.
        self.taken: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.notes: list[str] = []

    def together(
        self,
        lineage: Lineage,
        fresh: Sequence[Testament],
        take: Callable[[Sequence[Testament], FactStore], None],
    ) -> Together | None:
        """Returns the beliefs of these testaments and those of earlier calls; None without any of these."""
        if self.folder is None or not lineage.life.parents:
            return None
        earlier, notes = copies.inherited(self.folder, lineage)
        self.notes += notes
        unfinished = self.folder / TESTAMENTS_FOLDER / UNFINISHED_FILE
        if notes:
            return None
        return Together(self.facts, self.provenance, earlier, fresh, take=take, unfinished=unfinished)

    def rename(self, restored: Mapping[str, str]) -> None:
        """Counts what belongs to facts for those that took their places."""
        self.confirmations = {restored.get(id_, id_): count for id_, count in self.confirmations.items()}
        self.tallies = {restored.get(id_, id_): tally for id_, tally in self.tallies.items()}

    def take(self, testament: Testament, entries: Sequence[Fact], *, is_known: bool) -> None:
        """Stores the entries, links and open questions of one testament."""
        self.notes += (f"{testament.life.agent} left: {problem}" for problem in testament.unfit)
        present = self.facts.get([fact.id for fact in entries])
        # An id can already have another text: a statistic that both parents kept updating.
        named = [
            fact if stored is None or stored.text == fact.text else dataclasses.replace(fact, id="")
            for fact, stored in zip(entries, present, strict=True)
        ]
        vectors = self._vectors_for_heir(testament, named)
        fingerprint = self.embedder.fingerprint if self.embedder is not None else testament.fingerprint
        bare = [vectors is None or bool(np.isnan(vectors[place]).any()) for place in range(len(named))]
        ids: dict[str, str] = {}
        for without in (False, True):
            group = [place for place in range(len(named)) if bare[place] == without]
            rows = None if vectors is None or without else np.ascontiguousarray(vectors[group])
            stored_ids = self._upsert([named[place] for place in group], rows, fingerprint)
            ids |= {
                testament.facts[place].id: one for place, one in zip(group, stored_ids, strict=True) if one
            }
        heard = {fact.id: fact.metadata.get(MODES) for fact in testament.facts}
        modes = [
            (one, mode[0])
            for fact, one in ids.items()
            if isinstance(mode := heard[fact], Sequence) and mode and isinstance(mode[0], str)
        ]
        if modes:
            self.facts.set_modes(modes)
        self._add("rejected", len(named) - len(ids))
        self._add("without_vectors", sum(bare))
        changed = (new.text != old.text for new, old in zip(entries, testament.facts, strict=True))
        self._add("redacted", sum(changed))
        self.taken = ids
        self._count(testament, present, ids)
        for fact in testament.facts:
            if (count := innate.count_of(fact)) and fact.id in ids:
                self.confirmations[ids[fact.id]] = max(count, self.confirmations.get(ids[fact.id], 0))
        self.ends |= {
            ids[fact.id]: at for fact in testament.facts if fact.id in ids and (at := ends.end_of(fact))
        }
        if is_known:
            told = {ids[fact.id]: tallies.of(fact) for fact in testament.facts if fact.id in ids}
            self.tallies = tallies.merged(self.tallies, told)
        for link in testament.links:
            src, dst = ids.get(link.src), ids.get(link.dst)
            # Corrections are stored with the episodes, which they name, too.
            if src is not None and dst is not None and src != dst and link.relation != "corrects":
                self.facts.link(src, dst, link.relation, link.weight, tick=self.tick)
                self._add("links")
        taken, _, left = questions.take(testament.gaps, ids, self.facts, tick=self.tick)
        self._add("questions", taken)
        if left:
            self.notes.append(
                f"{left} open questions of {testament.life.agent} had no room and stay in its testament"
            )

    def record(self, testament: Testament, log: EpisodeLog, redactor: Redactor) -> list[str]:
        """Records the testament's episodes in the heir's log; returns the ids of those that are there now."""
        # An order heard in a message that crosses itself would be found twice.
        said = {folded(episode.text) for episode in testament.episodes}
        orders = [
            one for one in testament.conduct if folded(one.text) not in said or one.forbids or one.steps
        ]
        told = ToldOrders.of(testament.conduct)
        given = [
            replace(one, text=redactor.text(one.text, told.limits(one.text))) for one in testament.episodes
        ]
        given += directives.redacted_episodes(orders, testament.life.agent, redactor)
        present = log.get([episode.id for episode in given])
        # An episode from another testament can already exist under its id.
        episodes = [
            inherited_episode(episode, testament, self.tick, redactor)
            for episode, known in zip(given, present, strict=True)
            if known is None
        ]
        try:
            recorded = log.record(episodes, now=self.now)
        except InvalidInputError:
            recorded = [one for episode in episodes for one in self._record_one(episode, log)]
        self._add("episodes", sum(one.fresh for one in recorded))
        self._correct(testament, log)
        return [
            one.id
            for one in log.get([episode.id for episode in testament.episodes])
            if one is not None and one.kind == INHERITED_KIND
        ]

    def _correct(self, testament: Testament, log: EpisodeLog) -> None:
        """Stores which inherited memory corrects or follows which; the heir's own are not concerned."""
        given = sorted({episode.id for episode in testament.episodes})
        heard = {
            one.id: one.id for one in log.get(given) if one is not None and one.kind == INHERITED_KIND
        } | self._inherited_ids()
        links = [
            (heard[link.src], heard[link.dst], link.weight)
            for link in testament.links
            if link.relation == "corrects" and {link.src, link.dst} <= heard.keys()
        ]
        if links:
            self.facts.upsert_resolved(
                [], tick=self.tick, now=self.now, actor=INHERITED_KIND, marks={}, answered={}, resolutions=[],
                corrections=links,
            )  # fmt: skip
            self._add("links", len(links))

    def _inherited_ids(self) -> dict[str, str]:
        """Ids of the entries taken last, and of the heir's facts that hold them, without the heir's own facts."""
        stored = self.facts.get(list(self.taken.values()))
        return {
            entry: fact.id
            for entry, fact in zip(self.taken, stored, strict=True)
            if fact is not None and fact.source == "testament"
        }

    def _record_one(self, episode: Episode, log: EpisodeLog) -> Sequence[Recorded]:
        try:
            return log.record([episode], now=self.now)
        except InvalidInputError as error:
            self.notes.append(f"Inherited episode {episode.id} was left out: {error}")
            return ()

    def _upsert(
        self, batch: Sequence[Fact], rows: Vectors | None, fingerprint: Fingerprint | None
    ) -> list[str | None]:
        """Stores facts; returns the id of each, or None for one that breaks a limit of the store."""
        if not batch:
            return []
        try:
            stored = self.facts.upsert(
                batch,
                tick=self.tick,
                now=self.now,
                vectors=rows,
                fingerprint=None if rows is None else fingerprint,
            )
        except InvalidInputError as error:
            if len(batch) == 1:
                self.notes.append(f"An inherited entry was left out, {batch[0].text[:_QUOTED]!r}: {error}")
                return [None]
            # One entry breaks a limit: bisect to find it, and keep the others.
            middle = len(batch) // 2
            first, second = (None, None) if rows is None else (rows[:middle], rows[middle:])
            return self._upsert(batch[:middle], first, fingerprint) + self._upsert(
                batch[middle:], second, fingerprint
            )
        # A testament must not restore a text that the heir deleted.
        return [None if one.outcome == "forgotten" else one.id for one in stored]

    def _count(self, testament: Testament, present: Sequence[Fact | None], ids: Mapping[str, str]) -> None:
        standing = {fact.id: fact for fact in self.facts.get(sorted(set(ids.values()))) if fact is not None}
        seen = {fact.id for fact in present if fact is not None}
        for given in testament.facts:
            fact = standing.get(ids.get(given.id, ""))
            if fact is None:
                continue
            if fact.source != "testament":
                self._add("known")
                continue
            brought = self.provenance.setdefault(fact.id, [])
            self._add("merged" if brought or fact.id in seen else "adopted")
            if testament.hash not in brought:
                brought.append(testament.hash)

    def _vectors_for_heir(self, testament: Testament, entries: Sequence[Fact]) -> Vectors | None:
        """Returns one row per entry in the heir's model, NaN where there is none; models are never mixed (law 10)."""
        heirs = self.embedder.fingerprint if self.embedder is not None else self.facts.fingerprint
        theirs = testament.fingerprint
        target = heirs or theirs
        if target is None or not entries:
            return None
        vectors = np.full((len(entries), target.dims), np.nan, np.float32)
        same = theirs is not None and target.is_same_model(theirs)
        if same and testament.vectors is not None:
            whole = [fact.text == given.text for fact, given in zip(entries, testament.facts, strict=True)]
            vectors[whole] = testament.vectors[whole]
        missing = [place for place in range(len(entries)) if np.isnan(vectors[place]).any()]
        if self.embedder is not None and missing:
            try:
                found, faults = usable(self.embedder, [entries[place].text for place in missing])
                found[list(faults)] = np.nan
                vectors[missing] = found
                self._add("embedded", len(missing) - len(faults))
            except EmbedderUnavailableError as error:
                self.notes.append(f"{len(missing)} entries were not embedded: {error}")
        elif not same and theirs is not None:
            self.notes.append(
                f"The vectors of {testament.life.agent} are of {theirs.model}, not of {target.model}; they were left"
                " out. Pass the heir's embedder to make them again"
            )
        return vectors

    def _add(self, name: str, number: int = 1) -> None:
        self.numbers[name] = self.numbers.get(name, 0) + number


def _inherited_facts(
    testament: Testament, tick: int, config: Bequeath, base: float, redactor: Redactor, *, is_known: bool
) -> list[Fact]:
    """Converts the entries for the heir's store, with reset support and discounted confidence."""
    births = births_of(testament.facts, config, base)
    told = ToldOrders.of(testament.conduct)
    died = testament.life.death_tick or 0
    return [
        dataclasses.replace(
            fact,
            text=redactor.text(fact.text, told.limits(fact.text)),
            confidence=min(confidence, REFUTED_CONFIDENCE) if fact.status in TOMBSTONES else confidence,
            source="testament",
            origin=fact.origin or testament.life.agent,
            generation=min(fact.generation + 1, GENERATION_LIMIT),
            support=0,
            evidence=(),
            observed=known_since(fact, testament),
            created_tick=tick,
            reinforced_tick=tick,
            accessed_tick=0,
            mentions=0,
            # Remaining time at the testator's death.
            expires_tick=None
            if fact.expires_tick is None
            else min(tick + max(fact.expires_tick - died, 0), MAX_TICK),
            # A refuted or replaced belief stays one until the heir's own evidence restores it.
            status="superseded" if fact.status in TOMBSTONES else "active",
            # The word of a stranger keeps the heir from learning no belief.
            ended_by=(fact.ended_by or ANCESTOR) if fact.status in TOMBSTONES and is_known else None,
            pinned=False,
        )
        for fact, confidence in zip(testament.facts, births, strict=True)
    ]


def _load_provenance(folder: Path | None) -> dict[str, list[str]]:
    return {} if folder is None else dict(read_json(folder / TESTAMENTS_FOLDER / PROVENANCE_FILE) or {})
