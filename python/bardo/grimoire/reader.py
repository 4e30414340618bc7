"""Looking into a memory that another process has open: read-only, without the log, which has one owner."""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from bardo._core import FactStore, confidence_now, journaled
from bardo._validation import checked
from bardo.assemble.copies import MadePrompts
from bardo.capture.recorder import PAGE
from bardo.clock import OFFSET, Ticks
from bardo.config import Config, Decay
from bardo.errors import EmbedderUnavailableError, InvalidVectorError
from bardo.folder import Folder
from bardo.grimoire.stores import LOOPS, all_facts
from bardo.handle import Handle, facts_of
from bardo.index.archive.lance_index import LanceIndex
from bardo.index.embedding.serving import serving
from bardo.model import Fact, FactKind, FactStatus, Fingerprint, Source
from bardo.ports import Clock, Embedder, checked_clock
from bardo.recall.arrivals import Arrivals
from bardo.recall.options import CONSIDERED, RecallOptions, conditions
from bardo.recall.recollection import Recollection
from bardo.recall.retriever import Retriever, without_surrogates
from bardo.recall.rules import RuleBook
from bardo.recall.scope import ANY_MODE
from bardo.recall.shared import SharedRecall
from bardo.recall.situation import Situation

if TYPE_CHECKING:
    from bardo.assemble.context import Phase, Profile, Prompt, Task


@checked
def visit(
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
) -> Visitor:
    """Looks into an agent's memory without owning it, whether or not another process has it open.

    Args:
        path: The folder.
        agent: Whose memory it is, if `bardo.toml` does not say.
        config: Settings over those of `bardo.toml`.
        clock: Tells the wall clock; the computer's if not given.
        embedder: As `bardo.open` takes it. Without the model of the stored vectors memories are found by their words.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner has only begun to make it.
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
        store: The facts.
        ready: Refuses work after the end.
        ticks: Logical time as far as it can be seen from here.
        decay: The settings of fading.
    """

    def __init__(
        self, store: FactStore, ready: Callable[[], None], ticks: Callable[[], Ticks], decay: Decay
    ) -> None:
        self._store = store
        self._ready = ready
        self._ticks = ticks
        self._decay = decay

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
    ) -> builtins.list[Fact]:
        """Lists the facts that meet every condition given.

        Args:
            kind: Only of this kind.
            category: Only under this slash path.
            subject: Only about this.
            source: Only from this source.
            status: Only with this status; None for every status.
            as_of: What was known at this tick of the past; where ticks are seconds, a datetime with a time zone too.
        """
        self._ready()
        tick = self._ticks().given("as_of", as_of)
        return all_facts(
            self._store, kind=kind, category=category, subject=subject, source=source, status=status, as_of=tick
        )  # fmt: skip

    def confidence(self, fact: Fact) -> float:
        """How sure the agent is of a fact at the current tick, as far as that can be seen from here."""
        self._ready()
        ticks = self._ticks()
        return confidence_now(fact, tick=ticks.now(), tau_ticks=ticks.tau(self._decay))


class Visitor(Handle):
    """An agent's memory as a process sees it that does not own it. Made by `bardo.visit`; close it after use.

    It knows every fact at once, from any process. Episodes it has from LanceDB, to which the owner appends when it
    sleeps, without payload and affect; by their words, from the owner's journal and from the inbox, what came since.
    Each recollection says in `notes` how far they reach, and how many between them only the owner sees. Nothing is
    written but the hashes of prompts: what is recalled here counts neither as retrieved nor as asked in vain. Safe to
    use from many threads.

    Attributes:
        path: The folder.
        agent: Whose memory it is.
        config: The settings in force.
        facts: What is known: `list`, `confidence`.
    """

    _CLOSED = "{0} is closed. Visit it again with bardo.visit({0!r})"

    def __init__(
        self, folder: Folder, config: Config, facts: FactStore, *, clock: Clock, embedder: Embedder
    ) -> None:
        super().__init__(folder, facts)
        self._clock = clock
        self._embedder = embedder
        self.config = config
        self.facts = VisibleFacts(self._facts, self._ready, self._ticks, config.decay)
        self._apart = SharedRecall(
            self._facts,
            self._open_archive,
            Arrivals(partial(journaled, folder.episodes), folder.journal, folder.root),
        )
        self._rules = RuleBook(self._facts)
        self._made_prompts = MadePrompts(folder.root, agent=self.agent)
        #: The latest tick that a fact tells of, and the number of the change up to which they were looked at.
        self._latest = (0, 0)

    @property
    def now_tick(self) -> int:
        """The current tick: the clock's or, where ticks are the caller's own, the last one that shows from here."""
        self._ready()
        return self._ticks().now()

    @checked
    def recall(
        self, query: str, *, limit: int | None = None, **options: Unpack[RecallOptions]
    ) -> Recollection:
        """A few memories that matter for a query, ranked and explained as `Grimoire.recall` does.

        Args:
            query: In words.
            limit: At most so many.
            options: Those of `RecallOptions`. The mode of a thread is not known here.

        Returns:
            A sequence of `Memory`. `notes` says up to which arrival episodes were searched, what of the journal and the
            inbox was, and how many others are seen by the owner alone.

        Raises:
            InvalidInputError: An argument is out of range.
        """
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
            "limit": limit, "now_tick": ticks.of(now), "now": now, "filters": seen,
            "deciding": deciding,
            **{name: options[name] for name in ("thread", "policy", "diversity") if name in options},
        }  # fmt: skip
        if (moment := options.get("situation")) is not None:
            asked["situation"] = Situation.of(moment)
        while True:
            model = self._apart.model()
            embedder, without = self._serving(model)
            retriever = Retriever(
                self._apart, None, self._facts, embedder, self.config.recall, ticks.tau(self.config.decay),
                without=without, rules=self._rules,
            )  # fmt: skip
            try:
                found = retriever.recall(without_surrogates(query), **asked)
            except InvalidVectorError:
                if self._apart.model() == model:
                    raise
                continue
            # If the owner went over to another model meanwhile, vectors of two may have met (law 10).
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
        task_type: Task | None = None,
        framing: Profile | None = None,
        **recall: Unpack[RecallOptions],
    ) -> Prompt:
        """A prompt for a task within a token budget, as `Grimoire.context` makes it, of what shows from here.

        No plugin contributes to it, the dossier replaces no fact, and it takes no outcome. The owner
        knows a copy of it by its hashes in `prompts.db`; where this process cannot write them, the notes say so.

        Args:
            task: What is to be decided: the instruction, and the query of the recall.
            blocks: Further blocks by name.
            budget: Tokens of the prompt and of the answer together.
            reserve: Tokens kept for the answer.
            limit: Memories that are considered.
            phase: How much of the budget is spent.
            task_type: What the blocks are weighted for.
            framing: Who the memories are told to.
            recall: Options of `recall`; see `RecallOptions`.

        Raises:
            BudgetTooSmallError: The blocks that may not be cut are larger than the budget.
        """
        from bardo.assemble import context

        settings = self.config.assemble
        prompt = context.build(
            task,
            self._recall(task, limit, recall, deciding=True),
            blocks=blocks,
            budget=settings.budget if budget is None else budget,
            reserve=context.reserve_set(settings.reserve) if reserve is None else reserve,
            tokenizer=settings.tokenizer,
            phase=phase,
            task_type=task_type,
            framing=framing,
        )
        notes = ["the prompt is not on record: no outcome can be told of it"]
        if not self._folder.tombstone.exists():
            texts = [block.text for block in prompt.blocks]
            notes += self._made_prompts.note_text(prompt.id, texts, others_write=True)
        return dataclasses.replace(prompt, notes=(*prompt.notes, *notes))

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of what shows from here, in plain types; `archive` is None while there is no LanceDB."""
        self._ready()
        archive, model = self._apart.archive(), self._apart.model()
        return {
            "agent": self.agent,
            "path": str(self.path),
            "dead": self._folder.tombstone.exists(),
            "tick": self.now_tick,
            "model": model and str(model.model),
            "facts": self._facts.stats(),
            "archive": archive and archive.stats(),
            "waiting": self._apart.waiting(),
        }

    def _release(self) -> None:
        self._made_prompts.close()
        self._apart.close()
        self._facts.close()

    def _open_archive(self) -> LanceIndex | None:
        index = LanceIndex(self._folder.lance, agent=self.agent, fingerprint=None, reader=True)
        return index if index.exists() else None

    def _serving(self, stored: Fingerprint | None) -> tuple[Embedder | None, str]:
        """The embedder if it is of the model of the stored vectors; otherwise none, and why."""
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
        """Logical time as far as it can be seen from here."""
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
            # The wall clock tells nothing of them, but episodes do.
            ticks.seen(self._apart.reach().tick, own=True)
        return ticks
