"""One agent's whole local memory: opens and wires every stage, and gives it its verbs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from bardo._core import Lookout, News, confidence_now
from bardo._lazy import dataclasses, modules, once
from bardo._validation import UNFIT, checked, refuse
from bardo.assemble.copies import cleaned_episode
from bardo.capture.recorder import Recorder, Taken, name_list
from bardo.clock import moment_of
from bardo.errors import (
    BardoWarning,
    EmbeddingMismatchError,
    GrimoireClosedError,
    InvalidInputError,
    NotFoundError,
)
from bardo.folder import Folder, dead, dying, forked
from bardo.grimoire.acts import Undoing
from bardo.grimoire.curation import LAST_PASS, Consolidating
from bardo.grimoire.facts import Knowledge, as_learned, confidence_learned, tell_of_arrival
from bardo.grimoire.inheritance import Dying
from bardo.grimoire.maintenance import Keeping
from bardo.grimoire.prompts import Deciding
from bardo.grimoire.stores import Stores, listed
from bardo.index.indexer import Upkeep
from bardo.index.keeper import ModelKeeper
from bardo.model import NEUTRAL, Episode, Fact, FactKind, FactStatus, Fingerprint, Pad, Role, Source
from bardo.ports import LLM, Clock, Embedder, Progress, quiet

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.bequeath import lineage
    from bardo.capture import intake
    from bardo.consolidate.lint import Gap
    from bardo.grimoire import erasure
    from bardo.grimoire.erasure import Eraser, ForgetReport, Forgettable
    from bardo.grimoire.results import Entity, Link, Triple
    from bardo.index.archive import lance_index
    from bardo.index.archive.lance_index import LanceIndex
    from bardo.index.embedding.migration import MigrationReport
    from bardo.recall import cold_tier, filters, neighbours, retriever, scope
    from bardo.recall.cold_tier import Everything
    from bardo.recall.filters import Filters, Layer
    from bardo.recall.recollection import Recollection
    from bardo.recall.retriever import Factors, Retriever
else:
    erasure, lineage, intake, lance_index = modules(
        "grimoire.erasure", "bequeath.lineage", "capture.intake", "index.archive.lance_index"
    )
    cold_tier, scope, retriever, neighbours, filters = modules(
        "recall.cold_tier",
        "recall.scope",
        "recall.retriever",
        "recall.neighbours",
        "recall.filters",
    )

#: What `recall` looks at, and what it was asked for, where nobody says.
BOTH_LAYERS: Sequence[Layer] = ("episode", "fact")
NOTHING_ASKED = (None,) * 12


class Grimoire(Knowledge, Consolidating, Deciding, Undoing, Keeping, Dying):
    """One agent's memory: a folder on disk and the object that opens it. Made by `bardo.open`.

    A verb that cannot use an argument, for its type or its range, raises `InvalidInputError`, which names it. Safe to
    use from many threads. After `fork` it refuses to work in the child (redb and Lance are not fork-safe).

    Attributes:
        path: The folder.
        agent: Whose memory it is; part of every file in the folder.
        config: The settings in force.
    """

    def __init__(
        self, folder: Folder, stores: Stores, *, clock: Clock, embedder: Embedder, llm: LLM | None = None
    ) -> None:
        self._folder = folder
        self._stores = stores
        self._log, self._facts, self._hot, self._ticks = stores.log, stores.facts, stores.hot, stores.ticks
        self._clock, self._llm = clock, llm
        self._pid = os.getpid()
        self._closed = False
        self.path = folder.root
        self.config = stores.config
        self.agent = self.config.agent
        self._recorder = Recorder(self._log, self._hot, self._ticks, clock)
        self._upkeep = Upkeep(
            self._log, self._facts, self._hot, embedder, self._open_archive,
            hot_limit=self.config.index.hot_limit, late=self.config.embedding.late_interaction,
        )  # fmt: skip
        self._models = ModelKeeper(
            self.path, self._log, self._facts, self._upkeep,
            embedder=embedder, settings=self.config.embedding, clock=clock,
        )  # fmt: skip
        self._lookout = Lookout(folder.inbox, self._facts)
        self._retriever: Retriever | None = None
        self._unembedded = 0
        self._last_pass = self._log.watermark(LAST_PASS)
        #: What was wrong with the journal, where its file is kept, and how many of its episodes were taken over; none
        #: where no loss was accepted.
        self.lost = self._log.lost
        #: Deletions that a crash had interrupted, finished when this grimoire was opened.
        self.resumed: tuple[ForgetReport, ...] = self._eraser.resume() if self._log.intents() else ()
        if folder.death.exists():
            self._finish_death()
        self.drain_inbox()

    @once
    def _everything(self) -> Everything:
        """Where memories are looked for."""
        return cold_tier.Everything(self._hot, self._log, lambda: self._upkeep.archive, self._upkeep.hosting)

    @once
    def _eraser(self) -> Eraser:
        """Deletes in every store."""
        return erasure.Eraser(self._folder, self._stores, self._upkeep, self._embedder, self._clock)

    # -- time and state ------------------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """How many ancestors the agent has."""
        family = lineage.Lineage.load(self.path)
        return family.life.generation if family else 0

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory can be read but takes nothing more."""
        return self._folder.tombstone.exists() and lineage.is_dead(self.path) is not None

    @property
    def _embedder(self) -> Embedder:
        return self._models.embedder

    def _ready(self, *, write: bool = False) -> None:
        if self._pid != os.getpid():
            raise forked(self.path, self._pid)
        if self._closed:
            raise GrimoireClosedError(
                f"{self.path} is closed. Open it again with bardo.open({str(self.path)!r})"
            )
        if write and self.is_dead:
            raise dead(self.agent)
        if write and self._folder.death.exists():
            raise dying(self.agent)

    # -- capture -------------------------------------------------------------------------------------------------

    def remember(
        self,
        what: str | Episode | Mapping[str, Any] | Iterable[str | Episode | Mapping[str, Any]],
        *,
        tick: SupportsIndex | None = None,
        at: int | datetime = 0,
        kind: str = "event",
        role: Role = "environment",
        speaker: str | None = None,
        subjects: Sequence[str] = (),
        payload: Any = None,
        thread: str | None = None,
        session: str | None = None,
        mode: str | None = None,
        curiosity: float = 0.0,
        importance: float | None = None,
        verified: bool = False,
        pad: Pad = NEUTRAL,
        truncate: bool = False,
    ) -> Any:
        """Captures what happened, verbatim. When it returns, it survives `kill -9` and power loss and can be found.

        Until it is embedded it is found by its words. Every `embedding.batch` texts (64) the call that brings the last
        of them embeds them all before it returns, or the next call if another thread is embedding; with
        `embedding.batch = 0` none ever waits for a model, and the next `recall` or `sleep` embeds.

        Args:
            what: A string, an `Episode`, a chat message (`role`, `content`), or an iterable of any of these. Of a
                message, its tool calls, their ids, a refusal, audio and parts that are more than text are in the
                payload; what a tool answered has the role `tool`. What has no text is left out of an iterable, with a
                `BardoWarning`; so are copies of what stood in a prompt of this agent.
            tick: Logical time. If not given: of an `Episode` its own, else the second of `at`, or the last tick
                where ticks count loops.
            at: Wall clock of the observation, microseconds UTC or a datetime with a time zone; now if 0.
            kind: See `Episode`, as the other fields.
            role: Who authored it; `assistant` is stored as `agent`.
            speaker: Who spoke, by name; none if empty.
            subjects: What it is about.
            payload: The full decoded event; its numbers feed the baselines.
            thread: Project scope.
            session: Run.
            mode: Posture.
            curiosity: Predicted interest, 0..1.
            importance: 0..1.
            verified: Whether the outcome is known; only verified episodes are consolidated.
            pad: Affect.
            truncate: Cut texts over 64 KiB instead of refusing them.

        Returns:
            The stored `Episode`, or a sequence of them for a batch, whose `fresh` counts those that are new. A retry of
            the same content within 60 s, in the same tick where you count them, gives back the episode that was stored
            first; verified, if either said so. A list of chat messages without times that begins with the stored end
            of its conversation (of its `thread` and `session`) goes on there, whenever it comes: hand a growing list
            over at each turn, and each message is stored once.

        Raises:
            InvalidInputError: A field breaks a limit, or nothing has a text; nothing of the batch was stored.
            DecreasingTickError: The tick lies before the last one.
            ForgottenError: The same content was forgotten on purpose. Of a batch the rest is stored, with a
                `ForgottenWarning`.
        """
        try:
            self._ready(write=True)
            stamp = None if tick is None else self._ticks.stamp(tick)
            moment = at if type(at) is int else moment_of(at)
            defaults = {
                "at": moment, "kind": kind, "role": role, "speaker": speaker, "subjects": subjects, "payload": payload,
                "thread": thread, "session": session, "mode": mode, "curiosity": curiosity, "importance": importance,
                "verified": verified, "pad": pad,
            }  # fmt: skip
            clean = self._made_prompts.cleaner()
            handed = intake.drafts_from(what, defaults, clean=clean, truncate=truncate)
            whole = [draft for draft in handed.drafts if not isinstance(draft, str)]
            own = tick is not None or any(draft.tick for draft in whole)
            template = Episode("", **defaults) if len(whole) < len(handed.drafts) else None
            taken = self._record(
                handed.drafts, template, tick=stamp, own_ticks=own, transcript=handed.transcript
            )
            left_out = handed.settle(taken, clean)
            intake.tell_empty(left_out, len(handed.places) + len(handed.empty), stacklevel=2)
            clean.tell(stacklevel=2)
            return taken.stored if handed.batch else taken.stored[0]
        except UNFIT as error:
            refuse(error, Grimoire.remember)
            raise

    def _open_archive(self) -> LanceIndex:
        return lance_index.LanceIndex(
            self._folder.lance,
            agent=self.agent,
            fingerprint=self._model(),
            settings=self.config.archive,
        )

    def _model(self) -> Fingerprint:
        """The model of the vectors that are there; the embedder's, which may be out of reach, if there are none yet."""
        return self._log.fingerprint or self._embedder.fingerprint

    def _record(
        self,
        drafts: Sequence[str | Episode],
        template: Episode | None,
        *,
        tick: int | None,
        own_ticks: bool,
        transcript: bool,
    ) -> Taken:
        taken = self._recorder.record(
            drafts, tick=tick, own_ticks=own_ticks, template=template, transcript=transcript
        )
        if taken.forgotten:
            erasure.tell_forgotten(drafts, taken)
        self._stores.note_unit()
        self._unembedded += taken.fresh
        if self.config.embedding.batch and self._unembedded >= self.config.embedding.batch:
            self._embed_stored()
        return taken

    def _embed_stored(self) -> None:
        """Embeds what was just stored; it is stored, so what stands in the way of its vectors is told, not raised."""
        try:
            self._embed_now()
        except (InvalidInputError, EmbeddingMismatchError) as error:
            self._unembedded = 0
            warnings.warn(
                f"what was remembered is stored, and found by its words alone: {error}",
                BardoWarning,
                stacklevel=4,
            )

    def drain_inbox(self) -> int:
        """Takes over the episodes that other processes dropped meanwhile; a file that cannot be read is set aside.

        Returns:
            How many were new.
        """
        self._ready()
        if self.is_dead:
            return 0
        clean = self._made_prompts.cleaner()
        taken = self._recorder.drain(self.path, clean, lambda episode: cleaned_episode(episode, clean))
        clean.tell(stacklevel=2)
        return taken

    def _catch_up(self, news: News) -> tuple[str, ...]:
        """Takes over what came since the last look: episodes of other processes, what has no vector, changed facts.

        Returns:
            A note about memories that wait for another thread; none if there are none.
        """
        in_inbox, in_facts = news.in_inbox, news.in_facts
        if in_inbox:
            self.drain_inbox()
        if not self._embed_now(facts=in_facts):
            waiting = self._upkeep.waiting()
            note = (
                f"{waiting} memories have no vectors yet, as another thread is at work on them: they were found by "
                "their words alone"
            )
            return (note,) if waiting else ()
        if (in_inbox or in_facts) and not self._models.notes:
            self._lookout.settle(news)
        return ()

    @checked
    def verify(
        self, what: str | Episode | Iterable[str | Episode], *, importance: float | None = None
    ) -> int:
        """Marks episodes as verified: their outcome is known, and the Curator may learn from them.

        Args:
            what: An id, an `Episode`, or several.
            importance: 0..1; what it was until now if not given.

        Returns:
            How many had not been verified before.

        Raises:
            NotFoundError: One of them is not in the log; none was changed.
        """
        self._ready(write=True)
        return self._recorder.verify(what, importance)

    # -- looking things up ---------------------------------------------------------------------------------------

    @checked
    def get(self, record_id: str) -> Episode | Fact:
        """The episode or fact with an id.

        Raises:
            NotFoundError: There is none.
        """
        self._ready()
        episode = self._log.get([record_id])[0]
        if episode is not None:
            return episode
        fact = self._facts.get([record_id])[0]
        if fact is not None:
            return fact
        raise NotFoundError(f"no episode or fact with id {record_id}. List what is there with `bardo show`")

    @checked
    def episodes(
        self,
        *,
        from_tick: int | datetime = 0,
        to_tick: int | datetime | None = None,
        subject: str | None = None,
        thread: str | None = None,
        last: int | None = None,
    ) -> Iterator[Episode]:
        """Episodes in order of tick, read page by page.

        Args:
            from_tick: First tick; where ticks are seconds, a datetime with a time zone as well.
            to_tick: Last tick, as `from_tick`; none means the end.
            subject: Only those about it.
            thread: Only those of it.
            last: Only the last so many (before the other conditions).
        """
        self._ready()
        found = self._recorder.browse(
            from_tick=self._ticks.given("from_tick", from_tick),
            to_tick=self._ticks.given("to_tick", to_tick),
            subject=subject,
            thread=thread,
            last=last,
        )
        # The first is read at once: an argument that cannot be used is refused here, not where they are looped over.
        first = next(found, None)
        return found if first is None else chain((first,), found)

    @checked
    def facts(
        self,
        *,
        kind: FactKind | None = None,
        category: str | None = None,
        subject: str | None = None,
        source: Source | None = None,
        status: FactStatus | None = "active",
        as_of: int | datetime | None = None,
    ) -> list[Fact]:
        """Facts that meet every condition given; `category` is a path prefix, `as_of` a tick or time of the past."""
        self._ready()
        tick = self._ticks.given("as_of", as_of)
        return listed(
            self._facts, kind=kind, category=category, subject=subject, source=source, status=status, as_of=tick
        )  # fmt: skip

    @checked
    def confidence(self, fact: Fact) -> float:
        """How sure the agent is of a fact at the current tick (spec 2, "Ebbinghaus decay")."""
        return confidence_now(fact, tick=self.now_tick, tau_ticks=self._facts.tau_ticks)

    # -- knowledge -----------------------------------------------------------------------------------------------

    @checked
    def learn(
        self,
        what: str | Fact | Iterable[str | Fact],
        *,
        kind: FactKind = "insight",
        category: str = "",
        subjects: Sequence[str] = (),
        confidence: float | None = None,
        importance: float = 0.5,
        source: Source = "self",
        pinned: bool = False,
        tick: SupportsIndex | None = None,
    ) -> Any:
        """Adds knowledge; what is known already is reinforced, not stored twice (spec 2, "Upsert").

        What others say or a dream proposes starts at the confidence of its source at most, and a dream expires after 14
        days unless it is confirmed; a fact that is given more is taken with less, and a warning says so.

        Args:
            what: A sentence, a `Fact`, or an iterable of these. Copies of prompts in a text are not learned again.
            kind: See `Fact`, as the other fields.
            category: A slash path.
            subjects: What it is about.
            confidence: 0..1; .7 if not given, or less where the source starts with less.
            importance: 0..1.
            source: Where it came from.
            pinned: Exempt from decay and pruning.
            tick: The current tick if not given.

        Returns:
            The stored `Fact`, or a list of them.
        """
        self._ready(write=True)
        stamp = self._ticks.stamp(tick)
        batch = not isinstance(what, (str, Fact))
        given = [what] if isinstance(what, (str, Fact)) else list(what)
        clean = self._made_prompts.cleaner()
        fields: dict[str, Any] = {
            "kind": kind, "category": category, "subjects": name_list("subjects", subjects),
            "confidence": confidence_learned(confidence, source),
            "importance": importance, "source": source, "pinned": pinned,
        }  # fmt: skip
        facts = [
            dataclasses.replace(
                fact, origin=fact.origin or self.agent, created_tick=fact.created_tick or stamp,
                reinforced_tick=fact.reinforced_tick or stamp,
                observed=fact.observed if any(fact.observed) else (stamp, stamp),
            )
            for fact in (as_learned(item if isinstance(item, Fact) else Fact(item, **fields), clean) for item in given)
        ]  # fmt: skip
        clean.tell(stacklevel=3)
        named = [fact.id for fact in facts if fact.id]
        if taken := next((episode for episode in self._log.get(named) if episode is not None), None):
            raise InvalidInputError(f"the id {taken.id} is an episode's. Leave the id of the fact out")
        tell_of_arrival(facts, self._facts, tick=stamp)
        with self._upkeep.learning():
            vectors, fingerprint = self._upkeep.vectors_of([fact.text for fact in facts])
            upserted = self._facts.upsert(
                facts, tick=stamp, now=self._clock.now(), vectors=vectors, fingerprint=fingerprint
            )
        if forgotten := sum(entry.outcome == "forgotten" for entry in upserted):
            erasure.tell_forgotten_facts(facts, forgotten)
        self._ticks.seen(stamp, own=tick is not None)
        self._stores.note_unit()
        self._hot.sync_facts(self._facts)
        stored = [fact for fact in self._facts.get([entry.id for entry in upserted]) if fact is not None]
        return stored if batch else stored[0]

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kinds: Sequence[str] | None = None,
        category: str | None = None,
        subjects: Sequence[str] | None = None,
        thread: str | None = None,
        session: str | None = None,
        mode: str | None = None,
        roles: Sequence[Role] | None = None,
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        min_confidence: float | None = None,
        sources: Sequence[Source] | None = None,
        as_of: int | datetime | None = None,
        layers: Sequence[Layer] = BOTH_LAYERS,
        policy: str | None = None,
        pad: Pad = NEUTRAL,
        factors: Factors | None = None,
        window: int = 0,
        diversity: float = 0.0,
    ) -> Recollection:
        """A few memories that matter for a query, best first; each explains itself by `why`.

        Args:
            query: In words.
            limit: At most so many.
            kinds: Only these kinds of episode or fact.
            category: Only facts under this slash path.
            subjects: Only what is about one of these.
            thread: The active thread; its memories are boosted, and its latest mode is taken for the mode.
            session: The active session; on its first turn, before anything of it is remembered, what agents said
                elsewhere is left out.
            mode: Only this posture and what has none; `*` for every posture.
            roles: Only episodes by these.
            since: First wall-clock time, microseconds UTC or a datetime with a time zone.
            until: Last wall-clock time, as `since`.
            min_confidence: Only facts at least so sure today.
            sources: Only facts from these.
            as_of: What was known at this tick; where ticks are seconds, a datetime with a time zone as well.
            layers: `episode`, `fact` or both.
            policy: `four_factor`, `rrf` or `pinned`.
            pad: The current mood; memories of a like mood come easier.
            factors: Weights of the semantic, temporal, importance and emotional factor; the defaults if not given.
            window: Turns that come along on either side of each episode, in `Memory.before` and `after`.
            diversity: How much unlike each other the memories are to be: 0 by score alone, 1 as unlike as can be
                (maximal marginal relevance).

        Returns:
            A sequence of `Memory`, empty when nothing passes the thresholds; `notes` says what could not be done.
        """
        try:
            self._ready()
            if not query.isascii():
                query = retriever.without_surrogates(query)
            behind: tuple[str, ...] = ()
            if (news := self._lookout.news(self._log, self._facts)) is not None:
                behind = self._catch_up(news)
            conditions: Filters | None = None
            narrowing: tuple[str, ...] = ()
            asked = (
                kinds, category, subjects, thread, session, mode, roles, since, until, min_confidence, sources, as_of
            )  # fmt: skip
            # Making filters takes as long as a search of a small memory may take.
            if asked != NOTHING_ASKED or layers is not BOTH_LAYERS:
                tick = self._ticks.given("as_of", as_of)
                conditions = filters.Filters(
                    kinds=kinds, category=category, subjects=subjects, mode=mode, roles=roles,
                    since=moment_of(since, "since"), until=moment_of(until, "until"), min_confidence=min_confidence,
                    sources=sources, as_of=tick, layers=tuple(layers),
                )  # fmt: skip
                conditions, narrowing = scope.narrowed(
                    conditions, self._everything, thread=thread, session=session
                )
            now = self._clock.now()
            recollection = self._models.steadily(
                self._ask, factors,
                {
                    "query": query, "limit": limit, "now_tick": self._ticks.of(now), "now": now, "filters": conditions,
                    "pad": pad, "thread": thread, "policy": policy, "diversity": diversity,
                },
            )  # fmt: skip
            known = recollection.facts
            if conditions is None and not recollection and recollection.searched and not self.is_dead:
                self._facts.ask_in_vain(query, tick=self.now_tick)
            if window:
                recollection = neighbours.with_turns(
                    recollection, self._everything, self._log, window=window, filters=conditions
                )
            if notes := narrowing + behind + self._models.recall_notes:
                recollection = dataclasses.replace(recollection, notes=(*recollection.notes, *notes))
            if known and not self.is_dead:
                self._facts.touch(known, tick=self.now_tick)
            return recollection
        except UNFIT as error:
            refuse(error, Grimoire.recall)
            raise

    def _ask(self, embedder: Embedder, factors: Factors | None, asked: Mapping[str, Any]) -> Recollection:
        serving = None if self._models.paused else embedder
        made, tau = self._retriever, self._facts.tau_ticks
        if made is None or made.embedder is not serving or made.factors != factors or made.tau_ticks != tau:
            made = self._retriever = retriever.Retriever(
                self._everything, self._log, self._facts, serving, self.config.recall, tau, factors,
                self.config.embedding.late_interaction,
            )  # fmt: skip
        return made.recall(**asked)

    # -- indexes -------------------------------------------------------------------------------------------------

    def _embed(self, progress: Progress = quiet) -> int:
        embedded = self._upkeep.embed(progress)
        self._unembedded = 0
        return embedded

    def _embed_now(self, *, facts: bool = True) -> bool:
        """As `_embed`, but leaves what another thread is at to the next call; whether nothing was left."""
        if is_whole := self._upkeep.catch_up(facts=facts):
            self._unembedded = 0
        return is_whole

    # -- deletion ------------------------------------------------------------------------------------------------

    @checked
    def forget(
        self,
        what: str | Episode | Fact | Triple | Link | Gap | Entity | Iterable[Forgettable] = (),
        *,
        reason: str,
        about: str | Sequence[str] = (),
        allow_again: bool = False,
        progress: Progress = quiet,
    ) -> ForgetReport:
        """Deletes episodes and facts everywhere, with the facts that stand on those episodes alone, and looks again.

        Everything that a verb lists can be deleted: a triple of `relations`, a link of `links`, a question of `gaps`.

        The files are written again, so it costs about as much as writing all of them once: forget many at once. A
        crash in between is finished at the next opening.

        Args:
            what: Ids, episodes, facts, triples, links or questions; an entity is what `about` names.
            reason: Why, for the report.
            about: Names of entities or subjects: every memory that names one goes, what `relate` told of it, its other
                names, and the questions about it. `part_entities` takes only other names away.
            allow_again: Whether the same content may be captured again. Without, a source that is read again does not
                bring it back: `remember` raises `ForgottenError`.
            progress: Told of every stage, and of each file that is looked at again.

        Returns:
            What was deleted, and which places were looked at.

        Raises:
            NotFoundError: One of them is not there; nothing was deleted.
            StoreError: The second look found a trace; the message names it.
        """
        self._ready()
        if not self.is_dead:
            self.drain_inbox()
        items = list(what) if isinstance(what, Iterable) and not isinstance(what, str) else [what]
        wanted = erasure.Wanted.of(items, [about] if isinstance(about, str) else list(about))
        report = self._eraser.forget(wanted, reason=reason, tombstones=not allow_again, progress=progress)
        self._upkeep.let_go((*report.episodes, *report.facts))
        vars(self).pop("_replayer", None)
        self._words.forget()
        self._records.erase((*report.episodes, *report.facts))
        self._recompile(report)
        return self._emit(report)

    # -- upkeep --------------------------------------------------------------------------------------------------

    def _moved(self, report: MigrationReport | None) -> None:
        if report is not None and report.switched:
            # It empties the cache of the embedder in force.
            vars(self).pop("_eraser", None)
            # Facts want vectors of the new model.
            self._lookout = Lookout(self._folder.inbox, self._facts)

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of every part, in plain types; no `model` where none has ever answered."""
        self._ready()
        files = (file for file in self.path.rglob("*") if file.is_file())
        return {
            "agent": self.agent,
            "path": str(self.path),
            "generation": self.generation,
            "dead": self.is_dead,
            "tick": self.now_tick,
            "model": self._upkeep.unless_out(lambda: str(self._model().model), None),
            "embedding": self._models.stats(),
            "feedback": self._records.stats(),
            "log": self._log.stats(),
            "facts": self._facts.stats(),
            "hot": self._hot.stats() | {"cold_upto": self._hot.cold_upto} | self._stores.snapshot.opened,
            "archive": {"missing": self._upkeep.missing_in_archive()},
            "bytes_on_disk": sum(file.stat().st_size for file in files),
        }

    def close(self) -> None:
        """Brings the derived indexes up to date where that is cheap, and gives the files free. Idempotent."""
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        parts = (
            type(self)._records.made(self), type(self)._made_prompts.made(self), type(self)._ledger.made(self),
            self._upkeep, self._stores,
        )  # fmt: skip
        closing = [self._settle_indexes, *(part.close for part in parts if part is not None)]
        failed: BaseException | None = None
        for close in closing:
            # The files are given free whatever one part says: what stayed open would lock everybody out.
            try:
                close()
            except BaseException as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _settle_indexes(self) -> None:
        if self._upkeep.archive_is_open and not self.is_dead:
            self._upkeep.sync_archive()
        with self._upkeep.held():
            self._stores.snapshot.save_if_due()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Grimoire({str(self.path)!r}, agent={self.agent!r})"
