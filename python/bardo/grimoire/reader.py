"""Read-only access to a memory that another process may own, without the log."""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from bardo._core import FactStore, confidence_now, journaled, retention_now
from bardo._validation import checked, require_text
from bardo.assemble.copies import MadePrompts
from bardo.capture.recorder import PAGE
from bardo.clock import OFFSET, Ticks
from bardo.config import Config, Decay
from bardo.errors import EmbedderUnavailableError, InvalidVectorError, StoreError
from bardo.folder import Folder
from bardo.grimoire.facts import facts_listed, links_of, stored_fact
from bardo.grimoire.lifted import LiftedReader
from bardo.grimoire.stores import LOOPS
from bardo.handle import Handle, facts_of
from bardo.index.archive.lance_index import LanceIndex
from bardo.index.embedding.serving import serving
from bardo.model import Fact, FactKind, FactStatus, Fingerprint, Link, Source
from bardo.ports import Clock, Embedder, checked_clock
from bardo.recall.arrivals import Arrivals
from bardo.recall.options import CONSIDERED, QUERY, TASK, RecallOptions, conditions, of_asker
from bardo.recall.recollection import Recollection
from bardo.recall.retriever import Retriever, without_surrogates
from bardo.recall.rules import RuleBook
from bardo.recall.scope import ANY_MODE
from bardo.recall.shared import SharedRecall
from bardo.recall.situation import Situation
from bardo.recall.untold import Untold

if TYPE_CHECKING:
    from bardo.assemble.context import Phase, Prompt, TaskType, Voice


@checked
def visit(
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
) -> Visitor:
    """Opens an agent's memory read-only, whether or not another process has it open.

    Args:
        path: Folder of the memory.
        agent: Name of the agent, if `bardo.toml` does not have it.
        config: Settings that override those of `bardo.toml`.
        clock: Wall clock; the system clock if not given.
        embedder: Embedder as in `bardo.open`. Without the model of the stored vectors, memories are found by words.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner is still making it.
        StoreError: A file is damaged, foreign, newer, or cannot be reached.
        ConfigError: A setting does not exist or is out of range.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    settings = config.check() if isinstance(config, Config) else Config.load(folder.root, config)
    facts = facts_of(folder, agent, settings)
    try:
        port = serving(folder, settings.embedding, embedder)
        return Visitor(folder, settings, facts, clock=checked_clock(clock), embedder=port)
    except BaseException:
        facts.close()
        raise


class VisibleFacts:
    """Facts of the agent, as visible to this process; `Visitor.facts`.

    Args:
        store: Fact store.
        ready: Callable that raises an error after close.
        ticks: Logical time, as far as visible to this process.
        decay: Settings of decay.
        clock: Wall clock.
    """

    def __init__(
        self,
        store: FactStore,
        ready: Callable[[], None],
        ticks: Callable[[], Ticks],
        decay: Decay,
        clock: Clock,
    ) -> None:
        self._store = store
        self._ready = ready
        self._ticks = ticks
        self._decay = decay
        self._clock = clock

    @checked
    def list(
        self,
        *,
        kind: FactKind | None = None,
        category: str | None = None,
        subject: str | None = None,
        source: Source | None = None,
        status: FactStatus | None = "active",
        as_of: int | datetime | None = None,
        valid_at: int | datetime | None = None,
    ) -> builtins.list[Fact]:
        """Lists the facts that meet every condition given.

        Args:
            kind: Kind of the facts.
            category: Category, a slash path, with those below it.
            subject: Subject of the facts.
            source: Source of the facts.
            status: Status of the facts; None for every status.
            as_of: Past tick as of which to list them; where ticks are seconds, a datetime with a time zone too.
            valid_at: Instant at which statements hold, as in `Facts.list`.
        """
        self._ready()
        return facts_listed(
            self._store, self._ticks(), self._clock.now(), as_of=as_of, valid_at=valid_at,
            kind=kind, category=category, subject=subject, source=source, status=status,
        )  # fmt: skip

    @checked
    def confidence(self, fact: str | Fact) -> float:
        """Returns the confidence of a fact or of its id, 0..1, at the current tick visible to this process."""
        self._ready()
        ticks = self._ticks()
        return confidence_now(
            stored_fact(self._store, fact), tick=ticks.now(), tau_ticks=ticks.tau(self._decay)
        )

    @checked
    def retention(self, fact: str | Fact) -> float:
        """Returns how likely a fact or that of an id still holds by its age and persistence, 0..1."""
        self._ready()
        ticks = self._ticks()
        return retention_now(
            stored_fact(self._store, fact), tick=ticks.now(), tau_ticks=ticks.tau(self._decay)
        )

    def links(self, *facts: str | Fact) -> builtins.list[Link]:
        """Lists the links from or to any of these facts."""
        self._ready()
        return links_of(self._store, facts)


class Visitor(Handle):
    """Read-only memory for a process that does not own it. Made by `bardo.visit`; close it after use.

    It sees every fact as soon as any process stores it. It reads episodes without payload and affect from LanceDB, to
    which the owner appends when it sleeps. Later episodes are found by their words in the owner's journal and the
    inbox. The `notes` of each recollection state how far the episodes reach, and how many between are visible to the
    owner alone. Only the hashes of prompts are written: a recall here counts neither as a retrieval nor as an
    unanswered query. Thread-safe.

    Attributes:
        path: Folder of the memory.
        agent: Name of the agent.
        config: Current settings.
        facts: Facts: `list`, `confidence`, `retention`, `links`.
    """

    _CLOSED = "{0} is closed. Visit it again with bardo.visit({0!r})"

    def __init__(
        self, folder: Folder, config: Config, facts: FactStore, *, clock: Clock, embedder: Embedder
    ) -> None:
        super().__init__(folder, facts)
        self._clock = clock
        self._embedder = embedder
        self.config = config
        self.facts = VisibleFacts(self._facts, self._ready, self._ticks, config.decay, clock)
        self._apart = SharedRecall(
            self._facts,
            self._open_archive,
            Arrivals(partial(journaled, folder.episodes), folder.journal, folder.root),
        )
        self._rules = RuleBook(self._facts)
        self._lifted = LiftedReader(folder.root, self._facts)
        self._untold = Untold()
        self._made_prompts = MadePrompts(folder.root, agent=self.agent)
        #: Latest tick in any fact, and the number of the last change of facts that it covers.
        self._latest = (0, 0)

    @property
    def now_tick(self) -> int:
        """The current tick: the clock's or, where ticks are the caller's own, the last one visible to this process."""
        self._ready()
        return self._ticks().now()

    @checked
    def recall(
        self, query: str, *, limit: int | None = None, **options: Unpack[RecallOptions]
    ) -> Recollection:
        """Returns the most relevant memories for a query, ranked and explained as by `Grimoire.recall`.

        Args:
            query: Query in words.
            limit: Maximum number of memories.
            options: Options of `RecallOptions`. The mode of a thread is not known here.

        Returns:
            Sequence of `Memory`. `notes` states the last arrival that was searched, the number of episodes from the
            journal and the inbox, and the number visible to the owner alone.

        Raises:
            InvalidInputError: An argument is out of range.
        """
        require_text(query, "query", QUERY)
        return self._recall(query, limit, options, deciding=False)

    def _recall(
        self, query: str, limit: int | None, options: RecallOptions, *, deciding: bool
    ) -> Recollection:
        self._ready()
        ticks, now = self._ticks(), self._clock.now()
        seen = conditions(cast("Mapping[str, Any]", options), ticks)
        if seen is not None and seen.mode == ANY_MODE:
            seen = dataclasses.replace(seen, mode=None)
        asked: dict[str, Any] = {
            "limit": limit, "now_tick": ticks.now(), "now": now, "filters": seen,
            "deciding": deciding,
            "asker": options.get("asker"),
            **{name: options[name] for name in ("thread", "policy", "diversity", "secrets") if name in options},
        }  # fmt: skip
        if (moment := options.get("situation")) is not None:
            asked["situation"] = Situation.of(moment)
        while True:
            model = self._apart.model()
            embedder, without = self._serving(model)
            retriever = Retriever(
                self._apart, None, self._facts, embedder, self.config.recall, ticks.tau(self.config.decay),
                without=without, rules=self._rules,
                language=self.config.curator.language, lifted=self._lifted, untold=self._untold,
            )  # fmt: skip
            try:
                found = retriever.recall(of_asker(without_surrogates(query), options.get("asker")), **asked)
            except InvalidVectorError:
                if self._apart.model() == model:
                    raise
                continue
            # If the owner has switched models meanwhile, vectors of two models may have been compared (law 10).
            if self._apart.model() == model:
                return found

    @checked
    def context(
        self,
        /,
        task: str,
        *,
        blocks: Mapping[str, Any] | None = None,
        budget: int | None = None,
        reserve: int | None = None,
        limit: int = CONSIDERED,
        phase: Phase | None = None,
        task_type: TaskType | None = None,
        voice: Voice | None = None,
        **recall: Unpack[RecallOptions],
    ) -> Prompt:
        """Builds a prompt for a task within a token budget, as `Grimoire.context` does, from the visible memories.

        No plugin contributes to it, the dossier replaces no fact, and outcomes of it cannot be recorded. The owner
        recognises copies of it by its hashes in `prompts.db`; where this process cannot write them, there is a note.

        Args:
            task: Decision to make: the instruction, and the query of the recall.
            blocks: Further blocks by name.
            budget: Token budget of the prompt and the answer together.
            reserve: Tokens kept for the answer.
            limit: Number of memories to choose from.
            phase: Phase of the budget's spending.
            task_type: Kind of task for the weights of the blocks.
            voice: Voice of the memories.
            recall: Options of `recall`; see `RecallOptions`.

        Raises:
            BudgetTooSmallError: The blocks that may not be cut are larger than the budget.
        """
        from bardo.assemble import context

        require_text(task, "task", TASK)
        settings = self.config.assemble
        budget = settings.budget if budget is None else budget
        conduct, unread = self._conduct(budget)
        prompt = context.build(
            task,
            self._recall(task, limit, recall, deciding=True),
            blocks=conduct | dict(blocks or {}),
            budget=budget,
            reserve=context.reserve_set(settings.reserve) if reserve is None else reserve,
            tokenizer=settings.tokenizer,
            phase=phase,
            task_type=task_type,
            voice=voice,
            situation=recall.get("situation"),
        )
        notes = ["the prompt is not on record: no outcome can be told of it", *unread]
        if not self._folder.tombstone.exists():
            texts = [block.text for block in prompt.blocks]
            notes += self._made_prompts.note_text(prompt.id, texts, others_write=True)
        return dataclasses.replace(prompt, notes=(*prompt.notes, *notes))

    def _conduct(self, budget: int) -> tuple[dict[str, Any], list[str]]:
        """Returns the block of state and rejections by its name, and a note if they cannot be read."""
        from bardo.conduct import briefing
        from bardo.conduct.storage.store import ConductStore

        store = ConductStore(self.path, facts=self._facts)
        try:
            made = briefing.state_block(store, cap=briefing.tokens_in(budget))
        except StoreError as error:
            return {}, [f"the state and rejections are left out: {error}"]
        finally:
            store.close()
        return ({} if made is None else {made.name: made}), []

    def stats(self) -> dict[str, Any]:
        """Returns counts and sizes of the visible parts, in plain types; `archive` is None without LanceDB."""
        from bardo.bequeath import death_journal

        self._ready()
        archive, model = self._apart.archive(), self._apart.model()
        return {
            "agent": self.agent,
            "path": str(self.path),
            "dead": self._folder.tombstone.exists(),
            "death": None if (death := death_journal.load(self.path)) is None else death.to_dict(),
            "tick": self.now_tick,
            "model": model and str(model.model),
            "facts": self._facts.stats(),
            "archive": archive and archive.stats(),
            "waiting": self._apart.waiting(),
        }

    def _release(self) -> None:
        self._made_prompts.close()
        self._lifted.close()
        self._apart.close()
        self._facts.close()

    def _open_archive(self) -> LanceIndex | None:
        index = LanceIndex(self._folder.lance, agent=self.agent, fingerprint=None, reader=True)
        return index if index.exists() else None

    def _serving(self, stored: Fingerprint | None) -> tuple[Embedder | None, str]:
        """Returns the embedder if its model is that of the stored vectors; otherwise None and the reason."""
        if stored is None:
            return None, "no vectors show from here yet"
        try:
            given = self._embedder.fingerprint
        except EmbedderUnavailableError as error:
            return None, str(error)
        if given.is_same_model(stored):
            return self._embedder, ""
        return None, (
            f"the stored vectors are of {stored.model} ({stored.dims}-d, version {stored.version}), "
            f"but the embedder is {given.model} ({given.dims}-d, version {given.version})"
        )

    def _ticks(self) -> Ticks:
        """Logical time, as far as visible to this process."""
        latest, seen = self._latest
        while page := self._facts.changed_since(seen, PAGE):
            seen = page[-1][0]
            latest = max(
                latest,
                *(max(fact.created_tick, fact.reinforced_tick, fact.accessed_tick) for _, fact in page),
            )
        self._latest = (latest, seen)
        ticks = Ticks(
            self.config.clock, self._clock, last=latest, loops=bool(self._facts.mark(LOOPS)),
            offset=self._facts.mark(OFFSET),
        )  # fmt: skip
        if ticks.loops:
            # Loops are independent of the wall clock; the latest episode gives the tick.
            ticks.seen(self._apart.reach().tick, own=True)
        if self._folder.tombstone.exists():
            from bardo.bequeath import lineage

            if (stone := lineage.is_dead(self._folder.root)) is not None:
                ticks.end(stone.tick)
        return ticks
