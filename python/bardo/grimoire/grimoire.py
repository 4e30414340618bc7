"""One agent's whole local memory: the verbs of an agent's loop, and the resources for everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeVar, Unpack

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.capture.fields import EpisodeFields
from bardo.folder import Folder
from bardo.grimoire.session import Session
from bardo.grimoire.stores import Stores
from bardo.grimoire.writer import Writer
from bardo.model import Episode, Fact, FactKind, Link, Source
from bardo.ports import LLM, Clock, Embedder, Progress, no_progress
from bardo.recall.options import CONSIDERED, OwnerRecallOptions, Selection

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.assemble.context import Phase, Profile, Prompt, Task
    from bardo.bequeath.testament import Testament
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.consolidate.lint import Gap
    from bardo.grimoire.curator import Curator, Replays
    from bardo.grimoire.decisions import Decisions
    from bardo.grimoire.deletion import Deletion
    from bardo.grimoire.embedding import Embedding
    from bardo.grimoire.entities import Entities
    from bardo.grimoire.episodes import Episodes
    from bardo.grimoire.erasure import ForgetReport
    from bardo.grimoire.extraction import Extraction
    from bardo.grimoire.facts import Facts
    from bardo.grimoire.intent import Forgettable
    from bardo.grimoire.journal import Journal
    from bardo.grimoire.lineage import Lineage
    from bardo.grimoire.maintenance import Maintenance
    from bardo.grimoire.pages import Pages, PageWriter
    from bardo.grimoire.passes import CuratorPasses
    from bardo.grimoire.prompts import PromptParts, Prompts
    from bardo.grimoire.results import Entity, Triple
    from bardo.grimoire.retrieval import Retrieval
    from bardo.recall.feedback import OutcomeReport
    from bardo.recall.recollection import Recollection

Event = TypeVar("Event")


class Grimoire:
    """One agent's memory: a folder on disk and the object that opens it. Made by `bardo.open`.

    The verbs that an agent's loop calls are methods; everything else is a noun with verbs, such as `facts.why`. A verb
    that cannot use an argument, for its type or its range, raises `InvalidInputError`, which names it. Safe to use from
    many threads. After `fork` it refuses to work in the child (redb and Lance are not fork-safe).

    Attributes:
        path: The folder.
        agent: Whose memory it is; part of every file in the folder.
        config: The settings in force.
        lost: What was wrong with the journal, where its file is kept, and how many of its episodes were taken over;
            None where no loss was accepted.
        resumed: Reports of the deletions that a crash had interrupted, finished when this grimoire was opened.
    """

    def __init__(
        self, folder: Folder, stores: Stores, *, clock: Clock, embedder: Embedder, llm: LLM | None = None
    ) -> None:
        self._session = Session(folder, stores, clock=clock, embedder=embedder)
        self._writer = Writer(self._session)
        self._llm = llm
        self.path, self.agent, self.config = folder.root, self._session.agent, stores.config
        self.lost = stores.log.lost
        self.resumed: tuple[ForgetReport, ...] = self._deletion.resume() if stores.log.intents() else ()
        if folder.death.exists():
            from bardo.grimoire import death

            death.finish(self._session)
        self._writer.drain_inbox()

    @property
    def now_tick(self) -> int:
        """The current tick."""
        return self._session.now_tick

    # -- resources -----------------------------------------------------------------------------------------------

    @locked_cached_property
    def episodes(self) -> Episodes:
        """Episodes: `list`, `get`, `verify`, `find`."""
        from bardo.grimoire.episodes import Episodes

        return Episodes(self._session)

    @locked_cached_property
    def facts(self) -> Facts:
        """Facts: `list`, `get`, `why`, `history`, `confidence`, `supersede`, `contradict`, `link`, `links`."""
        from bardo.grimoire.facts import Facts

        return Facts(self._session)

    @locked_cached_property
    def entities(self) -> Entities:
        """Entities that memories name: `list`, `of`, `related`, `merge`, `part`, `relate`, `relations`."""
        from bardo.grimoire.entities import Entities

        return Entities(self._session)

    @locked_cached_property
    def curator(self) -> Curator:
        """Curator on demand: `replay`, `dream`, `lint`, `gaps`, `calibration`."""
        from bardo.grimoire.curator import Curator

        return Curator(self._session, self._retrieval, self._replays)

    @locked_cached_property
    def pages(self) -> Pages:
        """Pages compiled from facts: `dossier`, `playbook`, `versions`."""
        from bardo.grimoire.pages import Pages

        return Pages(self._session, self._page_writer)

    @locked_cached_property
    def prompts(self) -> Prompts:
        """Contributors to prompts and feedback on them: `list`, `contribute`, `withdraw`, `acted`, `reset_weights`."""
        from bardo.grimoire.prompts import Prompts

        return Prompts(self._session, self._prompt_parts)

    @locked_cached_property
    def journal(self) -> Journal:
        """Acts of inference about facts: `list`, `undo`."""
        from bardo.grimoire.journal import Journal

        return Journal(self._session)

    @locked_cached_property
    def embedding(self) -> Embedding:
        """The embedding model: `check`, `migrate`, `abandon`."""
        from bardo.grimoire.embedding import Embedding

        return Embedding(self._session, self._retrieval)

    @locked_cached_property
    def maintenance(self) -> Maintenance:
        """Upkeep: `rebuild`, `check`, `drain_inbox`, `costs`, `rebase_ticks`."""
        from bardo.grimoire.maintenance import Maintenance

        return Maintenance(self._session, self._writer, self._extraction, self._prompt_parts)

    @locked_cached_property
    def lineage(self) -> Lineage:
        """The agent's family: `generation`, `parents`, `is_dead`, `adopt`, `inheritance`."""
        from bardo.grimoire.lineage import Lineage

        return Lineage(self._session)

    @locked_cached_property
    def _retrieval(self) -> Retrieval:
        from bardo.grimoire.retrieval import Retrieval

        return Retrieval(self._session, self._writer)

    @locked_cached_property
    def _replays(self) -> Replays:
        from bardo.grimoire.curator import Replays

        return Replays(self._session)

    @locked_cached_property
    def _extraction(self) -> Extraction:
        from bardo.grimoire.extraction import Extraction

        return Extraction(self._session, self._llm)

    @locked_cached_property
    def _page_writer(self) -> PageWriter:
        from bardo.grimoire.pages import PageWriter

        return PageWriter(self._session)

    @locked_cached_property
    def _prompt_parts(self) -> PromptParts:
        from bardo.grimoire.prompts import PromptParts

        return PromptParts(self._session)

    @locked_cached_property
    def _decisions(self) -> Decisions:
        from bardo.grimoire.decisions import Decisions

        return Decisions(self._session, self._writer, self._retrieval, self._prompt_parts, self._page_writer)

    @locked_cached_property
    def _passes(self) -> CuratorPasses:
        from bardo.grimoire.passes import CuratorPasses

        return CuratorPasses(
            self._session, self._writer, self._retrieval,
            extraction=self._extraction, pages=self._page_writer, curator=self.curator,
        )  # fmt: skip

    @locked_cached_property
    def _deletion(self) -> Deletion:
        from bardo.grimoire.deletion import Deletion

        return Deletion(
            self._session, self._writer, self._prompt_parts, self._page_writer,
            replays=self._replays, retrieval=self._retrieval,
        )  # fmt: skip

    # -- the loop of a life --------------------------------------------------------------------------------------

    @checked
    def remember(
        self,
        what: str | Episode | Mapping[str, Any] | Iterable[str | Episode | Mapping[str, Any]],
        *,
        tick: SupportsIndex | None = None,
        truncate: bool = False,
        **fields: Unpack[EpisodeFields],
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
            truncate: Cut texts over 64 KiB instead of refusing them.
            fields: Of the episodes that are made here (`role`, `subjects`, ...); see `EpisodeFields`.

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
        return self._writer.remember(what, tick, fields, truncate=truncate)

    @checked
    def recall(
        self, query: str, *, limit: int | None = None, **options: Unpack[OwnerRecallOptions]
    ) -> Recollection:
        """A few memories that matter for a query, best first; each explains itself by `why`.

        Args:
            query: In words.
            limit: At most so many.
            options: Conditions and weights (`kinds`, `thread`, `as_of`, `window`, ...); see `OwnerRecallOptions`.

        Returns:
            A sequence of `Memory`, empty when nothing passes the thresholds; `notes` says what could not be done.
        """
        return self._retrieval.recall(query, limit, options)

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
        dossier: bool | None = None,
        **recall: Unpack[OwnerRecallOptions],
    ) -> Prompt:
        """A prompt for a task within a token budget, with the memories that matter for it.

        Args:
            task: What is to be decided: the instruction, and the query of the recall.
            blocks: Further blocks by name: text, table rows (mappings), or `Block`s.
            budget: Tokens of the prompt and of the answer together.
            reserve: Tokens kept for the answer. If not given, as `config.assemble.reserve` says: 500, and of a small
                budget a quarter.
            limit: Memories that are considered.
            phase: How much of the budget is spent, from `thriving` to `terminal`.
            task_type: What the blocks are weighted for: `anomaly`, `routine` or `trade_evaluation`.
            framing: Who the memories are told to: `briefing` or `first_person`.
            dossier: Whether the dossier, while no fact is newer, stands in place of facts that are searched for; as
                `config.dossier.in_context` says if not given. An outcome of such a prompt moves no fact: it is
                unknown which of them helped.
            recall: As `OwnerRecallOptions` says; the turns of a window stand in the entry of their memory, once.

        Returns:
            A `Prompt`; `str(prompt)` is its text.

        Raises:
            BudgetTooSmallError: The blocks that may not be cut are larger than the budget.
        """
        self._session.ready()
        return self._decisions.context(
            task, recall, blocks=blocks, budget=budget, reserve=reserve, limit=limit, phase=phase,
            task_type=task_type, framing=framing, dossier=dossier,
        )  # fmt: skip

    @checked
    def outcome(
        self, used: Prompt | Recollection | str, *, value: float, note: str | None = None
    ) -> OutcomeReport:
        """Tells what came of acting on memories: only this raises (or lowers) the confidence of facts.

        The outcome is recorded as a verified episode of kind `outcome`, too.

        A good outcome counts once in `decay.spacing_ticks` (50) for each fact; a bad one counts always. An inherited
        fact becomes the agent's own with the third good outcome that counts, if the sum of those is above zero.

        Args:
            used: The prompt or recollection that was acted on, or the id of a prompt on record (`prompts.list`).
            value: From -1 (it went as badly as can be) to 1.
            note: What happened, in words.

        Returns:
            Which facts moved, which are not there any more, and what could not be done.

        Raises:
            InvalidInputError: The value is not a number from -1 to 1; nothing was stored.
            NotFoundError: No prompt on record has the id; nothing was stored.
        """
        return self._decisions.outcome(used, value=value, note=note)

    @checked
    def learn(
        self,
        what: str | Fact | Iterable[str | Fact] = "",
        *,
        subject: str = "",
        attribute: str = "",
        value: str = "",
        denied: bool = False,
        condition: str = "",
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        kind: FactKind | None = None,
        category: str = "",
        subjects: Sequence[str] = (),
        confidence: float | None = None,
        importance: float = 0.5,
        source: Source = "self",
        pinned: bool = False,
        tick: SupportsIndex | None = None,
    ) -> Any:
        """Adds knowledge; what is known already is reinforced, not stored twice.

        With `subject` and `attribute` the fact is a statement: a new value of an attribute that has one value at a time
        ends the old one in the same call, and a denial ends the value that it denies. The ended fact is history
        (`facts.history`, `facts.list(as_of=...)`).

        What others say or a dream proposes starts at the confidence of its source at most, and a dream expires after 14
        days unless it is confirmed; a fact that is given more is taken with less, and a warning says so.

        Args:
            what: A sentence, a `Fact`, or an iterable of these. Copies of prompts in a text are not learned again. A
                statement needs none: its text is made of its parts.
            subject: Person or thing that a statement describes.
            attribute: Its attribute, such as `port`; `curator.attributes` sets which have many values at a time.
            value: Value of the attribute.
            denied: Whether the statement denies the value, or with an empty one every value.
            condition: Case in which it holds, such as `staging`; values of different cases do not meet.
            since: First instant at which it holds, microseconds UTC or a datetime with a time zone.
            until: First instant at which it no longer holds, likewise.
            kind: See `Fact`, as the other fields; `insight`, or of a statement the kind of its attribute, if not given.
            category: A slash path.
            subjects: What it is about.
            confidence: 0..1; .7 if not given, or less where the source starts with less.
            importance: 0..1.
            source: Where it came from.
            pinned: Exempt from decay and pruning.
            tick: The current tick if not given.

        Returns:
            The stored `Fact`, or a list of them.

        Raises:
            InvalidInputError: A text, a part of a statement, or another argument is missing or out of range.
        """
        from bardo.grimoire.learner import Learner, statement_of

        statement = statement_of(
            subject=subject, attribute=attribute, value=value, denied=denied, condition=condition, since=since,
            until=until, own=self._session.config.curator.attributes,
        )  # fmt: skip
        return Learner(self._session).learn(
            what, tick, statement=statement, kind=kind, category=category, subjects=subjects, confidence=confidence,
            importance=importance, source=source, pinned=pinned,
        )  # fmt: skip

    @checked
    def forget(
        self,
        what: str | Episode | Fact | Triple | Link | Gap | Entity | Iterable[Forgettable] = (),
        *,
        reason: str,
        about: str | Sequence[str] = (),
        allow_again: bool = False,
        dry_run: bool = False,
        progress: Progress = no_progress,
        **selection: Unpack[Selection],
    ) -> ForgetReport:
        """Deletes episodes and facts everywhere, with the facts that stand on those episodes alone, and looks again.

        Args:
            what: Ids, or what a verb lists: episodes, facts, triples, links, questions; an entity is as `about`.
            reason: Why, for the report.
            about: Names of entities or subjects: what names one goes, and its relations, other names and questions.
            allow_again: Whether the same content may be captured again: else `remember` raises `ForgottenError`.
            dry_run: Only say what would go: `episodes`, `facts` and the counts of the rest.
            progress: Told of every stage and file.
            selection: Memories by `subject`, `author` or `query`, beside the others; see `Selection`.

        Raises:
            NotFoundError: One is not there, or nothing is selected; nothing was deleted.
            StoreError: The second look found a trace.
        """
        return self._deletion.forget(
            what, selection, reason=reason, about=about, allow_again=allow_again, dry_run=dry_run, progress=progress
        )  # fmt: skip

    def tick(self, now: SupportsIndex) -> CuratorCycleComplete | None:
        """Moves logical time on and runs what is due.

        Args:
            now: The new tick.

        Returns:
            What the Curator did, if a pass was due.
        """
        return self._passes.tick(now)

    def sleep(self, *, dry_run: bool = False, progress: Progress = no_progress) -> CuratorCycleComplete:
        """Consolidates everything that is verified, embeds what is not, and brings LanceDB up to date.

        Where the embedding model is out of reach, what needs it waits for the next pass; the report has a note.

        Args:
            dry_run: Only say what consolidating would do: `changes` of the report has every fact before and after.
            progress: Told how far it has come.

        Returns:
            The sum over the passes.
        """
        return self._passes.sleep(dry_run=dry_run, progress=progress)

    @checked
    def bequeath(
        self, path: str | Path, *, cause: str = "unspecified", reflection: str | None = None
    ) -> Testament:
        """Ends this life: consolidates once more, writes the signed testament, and makes the memory read-only.

        Args:
            path: The testament file to write, where there is none.
            cause: Of death, in a word or a sentence.
            reflection: Markdown of at most 5 KiB; written from the evidence if not given.

        Returns:
            The testament as read back from the file and verified. Where a crash stopped an earlier call, the testament
            that was signed then.

        Raises:
            InvalidInputError: There is a file already, or the reflection is too long; the agent lives on.
        """
        from bardo.grimoire import death

        return death.bequeath(self._session, self._passes, path, cause=cause, reflection=reflection)

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Lets a callable know of what happens in this memory, while it is open and by this process.

        It is called with the report that the verb returns, once all of it is done, in the thread that did it: after a
        pass of the Curator (`CuratorCycleComplete`), a dream (`DreamComplete`), a lint (`LintReport`), a deletion
        (`ForgetReport`), a death (`Testament`) and an inheritance (`InheritanceReport`); no dry run. What it raises
        is logged (logger `bardo.events`) and stops neither the verb nor other listeners.

        Args:
            event: The class of the report.
            listener: Called with it.

        Returns:
            Ends the subscription when called; calling it again does nothing.

        Raises:
            InvalidInputError: The class is no event.
        """
        self._session.ready()
        return self._session.events.on(event, listener)

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of every part, in plain types; no `model` where none has ever answered."""
        from bardo.grimoire import maintenance

        return maintenance.stats(self._session, self._prompt_parts)

    def close(self) -> None:
        """Brings the derived indexes up to date where that is cheap, and releases the files. Idempotent."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Grimoire({str(self.path)!r}, agent={self.agent!r})"
