"""Main class of the API: methods for an agent's loop, and resources for everything else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeVar, Unpack

from bardo._validation import checked, require_text
from bardo.capture.fields import EpisodeFields
from bardo.folder import Folder
from bardo.grimoire.continuity import Continuity
from bardo.grimoire.session import Session
from bardo.grimoire.statement_fields import StatementFields
from bardo.grimoire.stores import Stores
from bardo.grimoire.writer import Writer
from bardo.model import Episode, Fact, FactKind, Link, Source
from bardo.ports import LLM, Clock, Embedder, Progress, no_progress
from bardo.recall.options import CONSIDERED, QUERY, TASK, OwnerRecallOptions, Selection

if TYPE_CHECKING:
    from bardo.assemble.context import Phase, Prompt, TaskType, Voice
    from bardo.bequeath.testament.testament import Testament
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.consolidate.lint import Gap
    from bardo.converse.triage import Triage
    from bardo.grimoire.ambient import Reply, Turn
    from bardo.grimoire.backtest import BacktestReport
    from bardo.grimoire.erasure import ForgetReport
    from bardo.grimoire.intent import Forgettable
    from bardo.grimoire.results import Entity, Triple
    from bardo.grimoire.scribe import ScribeReport
    from bardo.recall.feedback import OutcomeReport
    from bardo.recall.recollection import Recollection

Event = TypeVar("Event")


class Grimoire(Continuity):
    """One agent's memory: a folder on disk and the object that opens it. Made by `bardo.open`.

    The methods that an agent's loop calls are here; all others are methods of a resource, such as `facts.why`. An
    argument of a wrong type or out of range raises `InvalidInputError`, which names it. Thread-safe. After `fork` it
    raises an error in the child (redb and Lance are not fork-safe).

    Attributes:
        path: Folder of the memory.
        agent: Name of the agent; part of every file in the folder.
        config: Current settings.
        lost: Fault of the journal, its file, and its recovered episodes; None where no loss was accepted.
        resumed: Reports of interrupted deletions that were finished when this grimoire was opened.
    """

    def __init__(
        self, folder: Folder, stores: Stores, *, clock: Clock, embedder: Embedder, llm: LLM | None = None
    ) -> None:
        self._session = Session(folder, stores, clock=clock, embedder=embedder)
        self._writer, self._llm = Writer(self._session), llm
        self.path, self.agent, self.config = folder.root, self._session.agent, stores.config
        self.lost = stores.log.lost
        self.resumed: tuple[ForgetReport, ...] = self._deletion.resume() if stores.log.intents() else ()
        if folder.death.exists():
            from bardo.grimoire import death

            death.resume(self._session, self._passes)
        self._writer.drain_inbox()
        self._session.idle.start(lambda until: self._replays.dream(until))  # noqa: PLW0108 - made when needed

    @property
    def now_tick(self) -> int:
        """The current tick."""
        return self._session.now_tick

    @checked
    def remember(
        self,
        what: str | Episode | Mapping[str, Any] | Iterable[str | Episode | Mapping[str, Any]],
        *,
        tick: SupportsIndex | None = None,
        truncate: bool = False,
        **fields: Unpack[EpisodeFields],
    ) -> Any:
        """Records episodes verbatim. When it returns, they survive `kill -9` and power loss and can be recalled.

        Until an episode is embedded, it is found by its words. Every `embedding.batch` texts (64), the call that
        stores the last of them embeds them all before it returns, or the next call if another thread is embedding.
        With `embedding.batch = 0` no call waits for a model, and the next `recall` or `sleep` embeds.

        Args:
            what: String, `Episode`, chat message (`role`, `content`), tool call or result of OpenAI's Responses API or
                MCP, or an iterable of any of these. The payload keeps a message's tool calls, their ids, a refusal,
                audio and parts other than text; the answer of a tool has the role `tool`. An iterable's items without
                text are skipped with a `BardoWarning`, and so are copies of passages from a prompt of this agent.
            tick: Logical time. If None: an `Episode`'s own, else the second of `at`, or the last tick of loops.
            truncate: Whether to cut texts over 64 KiB instead of refusing them.
            fields: Fields of the episodes made here (`role`, `subjects`, ...); see `EpisodeFields`.

        Returns:
            Stored `Episode`, or a sequence of them for a batch, whose `fresh` is the number of new ones. A retry of
            the same content within 60 s, in the same tick where ticks are your own, returns the episode stored first,
            verified if either is. A list of chat messages without times that begins with the stored end of its
            conversation (of its `thread` and `session`) continues it at any later time: pass the growing list at each
            turn, and each message is stored once.

        Raises:
            InvalidInputError: A field breaks a limit, or no item has a text; nothing of the batch was stored.
            DecreasingTickError: The tick lies before the last one.
            ForgottenError: The same content was forgotten on purpose. The rest of a batch is stored, with a
                `ForgottenWarning`.
        """
        return self._writer.remember(what, tick, fields, truncate=truncate)

    @checked
    def recall(
        self, query: str, *, limit: int | None = None, **options: Unpack[OwnerRecallOptions]
    ) -> Recollection:
        """Returns the most relevant memories for a query, best first, each with its explanation in `why`.

        Args:
            query: Query in words.
            limit: Maximum number of memories.
            options: Conditions and weights (`kinds`, `thread`, `as_of`, `window`, ...); see `OwnerRecallOptions`.

        Returns:
            Sequence of `Memory`, empty when none passes the thresholds; `notes` reports limits of the result.
        """
        require_text(query, "query", QUERY)
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
        task_type: TaskType | None = None,
        voice: Voice | None = None,
        dossier: bool | None = None,
        triage: Triage | None = None,
        **recall: Unpack[OwnerRecallOptions],
    ) -> Prompt:
        """Builds a prompt for a task within a token budget, with the most relevant memories; `str(prompt)` is its text.

        Args:
            task: Decision to make: the instruction, and the query of the recall.
            blocks: Further blocks by name: text, table rows (mappings), or `Block`s.
            budget: Token budget of the prompt and the answer together.
            reserve: Tokens kept for the answer; `assemble.reserve` (500, or a quarter of a small budget) if not given.
            limit: Number of memories to choose from.
            phase: Phase of life, which sets the part of the budget that is spent; if not given, that of a mortal agent.
            task_type: Kind of task for the weights of the blocks: `anomaly`, `routine` or `trade_evaluation`.
            voice: Voice of the memories: `briefing` or `first_person`.
            dossier: Whether the dossier, while no fact is newer, replaces the search of facts; if not given,
                `config.dossier.in_context`. An outcome of such a prompt changes no fact: it is unknown which helped.
            triage: Triage of the task, a chat message: the memories are those of a reply, by category, and none is
                searched if the message needs none.
            recall: Options of the recall; see `OwnerRecallOptions`. An entry includes the turns of its window.

        Raises:
            BudgetTooSmallError: The blocks that may not be cut are larger than the budget.
        """
        self._session.ready()
        require_text(task, "task", TASK)
        return self._decisions.context(
            task, recall, blocks=blocks, budget=budget, reserve=reserve, limit=limit, phase=phase,
            task_type=task_type, voice=voice, dossier=dossier, triage=triage,
        )  # fmt: skip

    @checked
    def outcome(
        self,
        used: Prompt | Recollection | str,
        *,
        value: float,
        note: str | None = None,
        action: str | None = None,
    ) -> OutcomeReport:
        """Records the outcome of acting on memories; only outcomes raise (or lower) the confidence of facts.

        It is a verified episode of kind `outcome`, beside any that `remember` made of the same decision. A good one
        counts once in `decay.spacing_ticks` (50) per fact, a bad one always. The third good one makes an inherited fact
        the agent's own, if their sum is above 0.

        It judges no rule of which a condition did not hold. A warning with conditions predicts a bad outcome where all
        of them hold: a good one lowers it then. It does not move where the action is unknown.

        Args:
            used: Prompt or recollection that was acted on, or the id of a recorded prompt (`prompts.list`).
            value: Outcome, from -1 (the worst) to 1.
            note: Description of the outcome.
            action: Action taken, if the situation of the prompt told several or none.

        Returns:
            Report of the changed facts, of facts that it does not judge, of missing facts, and of steps that could not
            be done.

        Raises:
            InvalidInputError: The value is not a number from -1 to 1, or the action was not possible. Nothing was
                stored.
            NotFoundError: No prompt on record has the id; nothing was stored.
        """
        return self._decisions.outcome(used, value=value, note=note, action=action)

    @checked
    def learn(
        self,
        what: str | Fact | Iterable[str | Fact] = "",
        *,
        kind: FactKind | None = None,
        category: str = "",
        subjects: Sequence[str] = (),
        confidence: float | None = None,
        importance: float = 0.5,
        source: Source = "self",
        pinned: bool = False,
        tick: SupportsIndex | None = None,
        **statement: Unpack[StatementFields],
    ) -> Any:
        """Adds knowledge; a known fact is reinforced instead of stored twice.

        With `subject` and `attribute` the fact is a statement (see `StatementFields`): a new value of an attribute that
        has one value at a time ends the old one in the same call, and a denial ends the value that it denies. The
        confidence is limited by the source, and a dream expires after 14 days unless confirmed; a warning says so.

        Args:
            what: A sentence, a `Fact`, or an iterable of these; copies of prompts are left out. A statement needs none.
            kind: Kind of the fact; `insight`, or the kind of the statement's attribute, if None.
            category: Slash path.
            subjects: Subjects of the fact.
            confidence: 0..1; .7 if None, or less where the source starts with less.
            importance: 0..1.
            source: Source of the knowledge.
            pinned: Whether it is exempt from decay and pruning; it ranks higher with the policy `pinned` alone.
            tick: The current tick if None.
            statement: Fields of a statement.

        Returns:
            The stored `Fact`, or a list of them.
        """
        from bardo.grimoire.learner import Learner

        return Learner(self._session).learn(
            what, tick, statement, kind=kind, category=category, subjects=subjects, confidence=confidence,
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
        """Deletes episodes and facts everywhere, with the facts supported by those episodes alone, and verifies it.

        Args:
            what: Ids, or episodes, facts, triples, links, questions; an entity counts as `about`.
            reason: Reason, for the report.
            about: Names of entities or subjects, deleted with the memories, relations and questions that name one.
            allow_again: Whether the same content may be captured again; otherwise `remember` raises `ForgottenError`.
            dry_run: Whether to report the records without deleting them: `episodes`, `facts` and counts of the rest.
            progress: Callback for every stage and file.
            selection: Further memories by `subject`, `author` or `query`; see `Selection`.

        Raises:
            NotFoundError: A record does not exist, or nothing is selected; nothing was deleted.
            StoreError: The verification found a trace.
        """
        return self._deletion.forget(
            what, selection, reason=reason, about=about, allow_again=allow_again, dry_run=dry_run, progress=progress
        )  # fmt: skip

    @checked
    def triage(self, text: str, previous: Sequence[str] = ()) -> Triage:
        """Decides what a message needs: its intent, whether the answer needs memories, and whether it is worth saving.

        Nothing is stored. A question that names an entity of this memory, or the subject of a statement, needs memory.
        A failure counts as a message that needs memory; `note` gives its reason.

        Args:
            text: Message of a person.
            previous: Messages before it, the latest last.
        """
        from bardo.converse import triage
        from bardo.grimoire import acquaintance

        self._session.ready()
        session = self._session
        return triage.triage(
            text,
            previous,
            embed=session.indexer.vectors_of,
            knows=lambda said: acquaintance.knows(session, said),
        )

    @checked
    def tick(self, now: SupportsIndex | None = None) -> CuratorCycleComplete | None:
        """Advances logical time; returns the report of a pass of the Curator if one was due.

        Args:
            now: New tick of the caller's own; if not given, the second of the clock, or the last tick of loops.
        """
        return self._passes.tick(now)

    @checked
    def sleep(self, *, dry_run: bool = False, progress: Progress = no_progress) -> CuratorCycleComplete:
        """Consolidates all verified episodes, embeds pending records, and brings LanceDB up to date.

        Returns the sum of all reports. Work that needs an unavailable embedding model waits for the next pass.

        Args:
            dry_run: Whether to report the consolidation without doing it: `changes` has every fact before and after.
            progress: Callback for progress.
        """
        return self._passes.sleep(dry_run=dry_run, progress=progress)

    @checked
    def bequeath(
        self,
        path: str | Path,
        *,
        cause: str = "unspecified",
        reflection: str | None = None,
        progress: Progress = no_progress,
    ) -> Testament:
        """Ends the agent's life: consolidates once more, writes the signed testament, makes the memory read-only.

        Leaves open tasks to the heir, unlike `death`. After a crash the next opening completes the death and warns.

        Args:
            path: Testament file to write; must not exist.
            cause: Cause of death; a death that has begun keeps its own.
            reflection: Markdown text of at most 5 KiB; written from the evidence if not given.
            progress: Callback for progress.

        Raises:
            InvalidInputError: The file exists already, or the reflection is too long; the agent stays alive.
        """
        from bardo.grimoire import death

        return death.bequeath(self._session, self._passes, path, cause, reflection, progress=progress)

    @checked
    def scribe(
        self,
        source: str | Path,
        *,
        file_format: str | None = None,
        name: str | None = None,
        whole: bool = False,
        watch: threading.Event | None = None,
        interval: float = 1.0,
        listener: Callable[[ScribeReport], object] | None = None,
        **fields: Unpack[EpisodeFields],
    ) -> ScribeReport:
        """Records what is new in a source that another program writes; what was read before is not read again.

        The position in the source is stored in the same transaction as its episodes: a process that is killed neither
        loses nor repeats any. A changed, shortened or replaced file is noticed; the report says what was done. A line
        in the making waits until it is complete, or unchanged for ten minutes.

        Args:
            source: Transcript or other JSON lines (`.jsonl`), notes in Markdown, CSV or Parquet file; or a folder of
                these.
            file_format: `jsonl`, `notes`, `csv` or `parquet`; by the ending of the name if None.
            name: Name of the watermark; the absolute path if None.
            whole: Whether a last line without its end is complete.
            watch: Event; if given, the source is read every `interval` seconds until it is set.
            interval: Seconds between two looks at the source.
            listener: Callable for the report of each look that found anything.
            fields: Fields of the episodes, such as `thread` or `role`; see `EpisodeFields`. `speaker` names the user's
                side of messages alone, unless `role` is given, too.

        Raises:
            NotFoundError: There is no such file or folder (when watching, it is waited for).
            InvalidInputError: The format is unknown, or a field is invalid.
            StoreForeignError: A table cannot be read.
        """
        if watch is None:
            return self._scribe.read(source, fields, file_format=file_format, name=name, whole=whole)
        return self._scribe.watch(
            source,
            fields,
            file_format=file_format,
            name=name,
            stop=watch,
            interval=interval,
            listener=listener,
        )

    @checked
    def backtest(
        self, sources: str | Path | Iterable[str | Path], *, progress: Progress = no_progress
    ) -> BacktestReport:
        """Seeds a new agent by replaying old transcripts (as `scribe`) and consolidating them; they count as verified.

        Args:
            sources: Files or folders, in the order of their replay.
            progress: Callback for progress.

        Raises:
            InvalidInputError: There are no sources, or the agent has episodes already.
            NotFoundError: A source does not exist; what was replayed before it stays.
        """
        from bardo.grimoire import backtest

        return backtest.backtest(self._session, self._scribe, self._passes, sources, progress=progress)

    @checked
    def turn(
        self,
        said: str = "",
        *,
        reply: Reply = "",
        limit: int = 3,
        budget: int = 1_500,
        lasting: bool = False,
        **fields: Unpack[EpisodeFields],
    ) -> Turn:
        """Captures a turn, and returns what the agent should know for it: a few memories, state and rejections.

        The memories are found by words, so that no turn waits for a model. A failure of the memory is a note of the
        turn, and never an error. `Turn.reply` captures the agent's side.

            with memory.turn(question, thread="desk") as turn:
                turn.reply(answer(question, str(turn)))

        Args:
            said: Text that was said to the agent; if empty, nothing is searched.
            reply: Reply of the agent, where it is known already: its text, or messages with its calls and results.
            limit: Maximum number of memories.
            budget: Maximum number of tokens of the text.
            lasting: Whether the session, which then needs a name, outlives this process: every turn is a process.
            fields: Fields of both episodes (`speaker` of the user's alone); see `EpisodeFields`. `role` is set here.

        Raises:
            InvalidInputError: The session of a lasting one has no name, or neither side has a text.
        """
        if lasting:
            self._ambient.join(fields.get("session") or "")
        return self._ambient.turn(said, reply, fields, limit=limit, budget=budget)

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Subscribes a callable to events of this memory, while it is open and in this process.

        The listener is called after all work of a method, in the same thread. Dry runs are no events. An exception of a
        listener is logged (logger `bardo.events`) and stops nothing. Returns a function that ends the subscription.

        Args:
            event: `CuratorCycleComplete`, `DreamComplete`, `LintReport`, `ForgetReport`, `PhaseChange`, `Testament` or
                `InheritanceReport`.
            listener: Callable that takes the report.

        Raises:
            InvalidInputError: The class is not an event.
        """
        self._session.ready()
        return self._session.events.on(event, listener)

    def stats(self) -> dict[str, Any]:
        """Returns counts and sizes of every part, in plain types; has no `model` where none was ever available."""
        from bardo.grimoire import maintenance

        return maintenance.stats(self._session, self._prompt_parts, self._summary_parts)

    def close(self) -> None:
        """Updates the derived indexes where that is cheap, and releases the files. Idempotent."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Grimoire({str(self.path)!r}, agent={self.agent!r})"
