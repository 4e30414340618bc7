"""Death of an agent: acceptance, settlement, reflection and legacy, each journaled and resumed after a crash."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

from bardo._validation import checked, require_text
from bardo.bequeath import death_journal, legacy
from bardo.bequeath.content import left_behind, relations
from bardo.bequeath.content.left_behind import LeftBehind
from bardo.bequeath.content.reflect import checked_reflection
from bardo.bequeath.death_journal import CAUSE, DeathRecord
from bardo.bequeath.privacy.redact import Redactor
from bardo.conduct.inheritance import directives_of, ended_directives
from bardo.conduct.state import tasks
from bardo.conduct.storage.store import ConductStore
from bardo.consolidate.pages.wording import counted
from bardo.errors import (
    BardoError,
    BardoWarning,
    InvalidInputError,
    NotFoundError,
    StoreError,
    StoreUnavailableError,
)
from bardo.folder import dead_error
from bardo.grimoire.passes import CuratorPasses
from bardo.grimoire.session import Session
from bardo.life.clocks import EARLY_CONFIDENCE
from bardo.ports import Progress, no_progress

if TYPE_CHECKING:
    from bardo.bequeath.content.directives import Directive
    from bardo.bequeath.testament.testament import Testament
    from bardo.conduct.model.entries import StateEntry
    from bardo.config import Bequeath
    from bardo.consolidate.cross_encoder import CrossEncoder
    from bardo.consolidate.languages import Reader

#: Tasks that an error names.
_NAMED = 3


class Death:
    """Death of the agent, step by step; `Grimoire.death`. `Grimoire.bequeath` takes all steps at once.

    Args:
        session: Open memory.
        passes: Makes the runner of the last consolidation.
    """

    def __init__(self, session: Session, passes: Callable[[], CuratorPasses]) -> None:
        self._session = session
        self._passes = passes

    def status(self) -> DeathRecord | None:
        """Returns the state of a death that has begun; None before, and after it is complete."""
        self._session.ready()
        return self._session.death

    @checked
    def begin(
        self,
        *,
        cause: str = "unspecified",
        obligations: str | Iterable[str] = (),
        deadline: SupportsIndex | None = None,
        path: str | Path | None = None,
        posthumous: bool = False,
    ) -> DeathRecord:
        """Begins the death (phases acceptance and settle): the agent takes on no new tasks and decisions.

        Episodes and facts are still recorded, so that what the settlement teaches is known. The state is durable, and
        every later opening continues from it.

        Args:
            cause: Cause of death, in a word or a sentence.
            obligations: Open positions and promises, each in a sentence: they become tasks of the gate.
            deadline: Ticks after which open tasks no longer hold the death up; without one `complete` waits for all.
            path: Testament file to write; needed for an opening after the deadline to complete the death.
            posthumous: Whether the agent was killed, perhaps while dying: its last record tells the tick of its death.

        Raises:
            InvalidInputError: A death has begun already, the deadline is negative, or the file exists.
            StoreUnavailableError: The folder of the file does not exist, or cannot be written to.
            GrimoireClosedError: The agent has died.
        """
        session = self._session
        session.ready(write=True)
        begun = session.death
        if posthumous:
            session.ticks.end()
        if begun is not None and posthumous:
            begun = replace(begun, posthumous=True)
            death_journal.save(session.path, begun)
            return begun
        if begun is not None:
            raise InvalidInputError(
                f"the death of {session.agent} began at tick {begun.tick} and is in the phase {begun.phase}. "
                "See death.checklist() (`bardo death show`), and end it with death.complete() (`bardo death complete`)"
            )
        require_text(cause, "cause", CAUSE)
        ticks = None if deadline is None else operator.index(deadline)
        if ticks is not None and ticks < 0:
            raise InvalidInputError(f"deadline is {ticks}. It must be a number of ticks from now, 0 or more")
        if path is not None:
            legacy.check_place(Path(path), session.path)
        given = [obligations] if isinstance(obligations, str) else list(obligations)
        self._passes().hear()  # the checklist has the tasks that were said since the last pass
        with session.idle.awake(), _conduct(session) as store:
            now = session.clock.now()
            tasks.add_tasks(store, given, by=session.agent, now=now)
            place = "" if path is None else str(Path(path).absolute())
            end = None if ticks is None else session.now_tick + ticks
            record = DeathRecord("acceptance", cause, session.now_tick, now, end, place, posthumous)
            death_journal.save(session.path, record)
        return _settle(session, record)

    def checklist(self) -> list[StateEntry]:
        """Lists the tasks of the gate to settle: the open ones, oldest first, then those ended since the death began.

        Raises:
            StoreError: The tasks cannot be read.
        """
        self._session.ready()
        since = self._begun().at
        with _conduct(self._session) as store:
            return tasks.tasks_of(store, since=since)

    @checked
    def settle(self, id_: str, note: str = "", *, by: str = "") -> StateEntry:
        """Marks a task of the checklist as settled; `gate.finish` does the same from another process.

        Args:
            id_: Id of the task.
            note: How it was settled.
            by: Person or agent that settled it; this agent if empty.

        Raises:
            NotFoundError: No death has begun, or it has no such open task.
            GrimoireClosedError: The last consolidation has begun.
        """
        session = self._session
        session.ready(write=True)
        self._begun()
        with _conduct(session) as store:
            return tasks.settle_task(store, id_, note=note, by=by or session.agent, now=session.clock.now())

    @checked
    def complete(
        self,
        path: str | Path | None = None,
        *,
        reflection: str | None = None,
        abandon: bool = False,
        progress: Progress = no_progress,
    ) -> Testament:
        """Completes the death (phases reflect and legacy): consolidates, writes the testament, ends all writing.

        Open tasks of a death past its deadline are told in the reflection and cross to the heir.

        Args:
            path: Testament file to write, if `begin` was given none; must not exist.
            reflection: Markdown text of at most 5 KiB; written from the evidence if not given.
            abandon: Whether to leave open tasks to the heir before the deadline.
            progress: Callback for progress.

        Returns:
            Testament, read back from the file and verified. After a crash in the last phase, the testament that was
            signed then.

        Raises:
            NotFoundError: No death has begun.
            InvalidInputError: Tasks are open before the deadline, no path is known, the file exists, or the reflection
                is too long; the state stays.
            StoreUnavailableError: The file cannot be written; the state stays.
        """
        session = self._session
        session.ready()
        if reflection is not None:
            checked_reflection(reflection, _redactor(session))
        if session.is_dead:
            raise dead_error(session.agent)
        begun = self._begun()
        place = None if path is None else Path(path)
        if begun.phase == "legacy":
            return _end(session, legacy.finish(session.path, place))
        if begun.phase != "reflect" and not abandon and not begun.is_overdue(session.now_tick):
            _require_settled(session, begun)
        if place is None and not begun.path:
            raise InvalidInputError("the death has no place for its testament. Pass a path to complete")
        return _die(
            session,
            self._passes(),
            begun,
            place or Path(begun.path),
            reflection,
            before=begun,
            progress=progress,
        )

    @checked
    def left_behind(self, id_: str | None = None) -> list[LeftBehind]:
        """Lists the records that did not cross to the heir, each with its reason.

        Args:
            id_: Id of one record, for its reason alone; empty list if it crossed.

        Raises:
            NotFoundError: The agent lives, died before bardo kept the reasons, or never had such a record.
        """
        session = self._session
        session.ready()
        kept = left_behind.load(session.path) if session.is_dead else None
        if kept is None:
            why = "has not died" if not session.is_dead else "died before bardo kept the reasons"
            raise NotFoundError(
                f"{session.agent} {why}, so that nothing tells which records stayed behind. "
                "The testament counts them (`Testament.left_out`)"
            )
        if id_ is None:
            return kept
        found = [one for one in kept if one.id == id_]
        if not found and session.log.get([id_]) == [None] and session.facts.get([id_]) == [None]:
            raise NotFoundError(
                f"no record with id {id_} is known. List what is there with g.episodes.list() or g.facts.list()"
            )
        return found

    def _begun(self) -> DeathRecord:
        """Returns the state of the death."""
        record = self._session.death
        if record is None:
            raise NotFoundError(
                f"no death of {self._session.agent} has begun. Begin one with death.begin (`bardo death begin`), or "
                "call bequeath"
            )
        return record


def bequeath(
    session: Session,
    passes: CuratorPasses,
    path: str | Path,
    cause: str,
    reflection: str | None,
    *,
    progress: Progress,
) -> Testament:
    """Ends the agent's life in one call; see `Grimoire.bequeath`.

    Args:
        session: Open memory.
        passes: Runner of the last pass.
        path: Testament file to write.
        cause: Cause of death; a death that has begun keeps its own.
        reflection: Markdown text; written from the evidence if None.
        progress: Callback for progress.
    """
    require_text(cause, "cause", CAUSE)
    place = Path(path)
    session.ready()
    if (begun := session.death) is not None and begun.phase == "legacy":
        return _end(session, legacy.finish(session.path, place))
    legacy.check_place(place, session.path)
    if reflection is not None:
        checked_reflection(reflection, _redactor(session))
    if begun is None:
        session.ready(write=True)
    record = begun
    if record is None:
        tick = session.now_tick
        # The deadline is now, so that the next opening completes the death after a crash.
        record = DeathRecord("acceptance", cause, tick, session.clock.now(), tick, str(place.absolute()))
    return _die(session, passes, record, place, reflection, before=begun, progress=progress)


def resume(session: Session, passes: CuratorPasses) -> None:
    """Continues a death that a crash interrupted, and reports it.

    A signed testament is published. A death that had reached its last consolidation, or whose deadline has passed, is
    completed where its place is known. Any other waits for its tasks.

    Args:
        session: Open memory.
        passes: Runner of the last pass.
    """
    if session.is_dead:
        legacy.drop(session.path)
        return
    record = session.death
    if record is None:
        return
    if record.posthumous:
        session.ticks.end()
    if record.phase == "acceptance":
        record = _settle(session, record)
    is_due = record.is_closed or record.is_overdue(session.now_tick)
    if not is_due or not record.path:
        return
    # A damaged signed testament is no reason for warnings alone; an unsigned death waits for the next opening.
    expected = (StoreUnavailableError, InvalidInputError, NotFoundError) if record.tombstone else BardoError
    try:
        if record.tombstone:
            left = _end(session, legacy.finish(session.path))
        else:
            left = _die(session, passes, record, Path(record.path), None, before=record)
    except expected as error:
        warnings.warn(f"{_interruption(session, record)}: {error}", BardoWarning, stacklevel=5)
    else:
        warnings.warn(
            f"{_interruption(session, record)}, and it is complete now: the testament is {left.path}",
            BardoWarning,
            stacklevel=5,
        )


def _interruption(session: Session, record: DeathRecord) -> str:
    """Tells why an opening continues a death: its last consolidation was cut short, or its deadline has passed."""
    if record.is_closed:
        return f"a crash interrupted the death of {session.agent}"
    return f"the deadline of the death of {session.agent}, tick {record.deadline}, has passed"


def _settle(session: Session, record: DeathRecord) -> DeathRecord:
    """Enters the phase in which tasks are settled: from here on the gate refuses new ones."""
    settling = replace(record, phase="settle")
    death_journal.save(session.path, settling)
    return settling


def _die(
    session: Session,
    passes: CuratorPasses,
    record: DeathRecord,
    place: Path,
    reflection: str | None,
    *,
    before: DeathRecord | None,
    progress: Progress = no_progress,
) -> Testament:
    """Consolidates for the last time, and writes the testament and the tombstone.

    Args:
        session: Open memory.
        passes: Runner of the last pass.
        record: State of the death.
        place: Path of the testament.
        reflection: Reflection in the testator's own words; that of an interrupted call, or a composed one, if None.
        before: State to return to if the testament cannot be written; None lets the agent live.
        progress: Callback for progress.
    """
    with session.idle.awake(), session.reflecting():
        try:
            legacy.check_place(place, session.path)
            if record.phase == "acceptance":
                death_journal.save(session.path, record)
                record = _settle(session, record)
            record = replace(record, phase="reflect", path=str(place.absolute()))
            own = death_journal.own_words(session.path, reflection)
            death_journal.save(session.path, record)
            unread = passes.sleep(dry_run=False, progress=progress).texts_unread
            progress("testament", 0, 1)
            _state_relations(session)
            conduct = _directives(session)
            left = legacy.leave(
                place, folder=session.path, log=session.log, facts=session.facts, config=_settings(session),
                tick=session.now_tick, now=session.clock.now(), record=record, loops=session.ticks.loops,
                reflection=own, moment=session.moment, conduct=conduct, outcomes=session.config.curator.outcomes,
                unsettled=[one.text for one in conduct if one.kind == "task" and not one.ended_at],
                settled=_settled(session, record), rules=_rules(session), encoder=_encoder(session),
            )  # fmt: skip
            progress("testament", 1, 1)
        except BaseException:
            # If this fails too, the death goes on at the next opening.
            with suppress(StoreError):
                _return_to(session, before, forget_words=reflection is not None)
            raise
    if unread:
        warnings.warn(
            f"the time for the last consolidation (bequeath.seconds) ended with {counted(unread, 'text')} unread for "
            "facts: those without another copy were read first, and the best cross as episodes",
            BardoWarning,
            stacklevel=5,
        )
    for problem in left.unfit:
        warnings.warn(f"the testament is written, but for this: {problem}", BardoWarning, stacklevel=5)
    return _end(session, left)


def _state_relations(session: Session) -> None:
    """Learns the relations that a caller told as facts, which cross a death."""
    session.ready_with_names()
    tick, now = session.now_tick, session.clock.now()
    with session.indexer.learning():
        told = relations.as_facts(session.indexer.names, session.facts, tick=tick)
        vectors, fingerprint = session.indexer.vectors_of([fact.text for fact in told])
        if told:
            session.facts.upsert(told, tick=tick, now=now, vectors=vectors, fingerprint=fingerprint)


def _end(session: Session, left: Testament) -> Testament:
    """Stops the time of an agent that is dead now, and reports its testament."""
    session.stop_time_of_the_dead()
    return session.emit(left)


def _encoder(session: Session) -> CrossEncoder | None:
    """Cross-encoder of corrections, if the agent reads texts with it."""
    from bardo.consolidate import cross_encoder

    settings = session.config.curator
    return cross_encoder.load("corrections") if settings.texts and settings.cross_encoder else None


def _rules(session: Session) -> Reader | None:
    """Reader of texts in the language of the agent."""
    from bardo.consolidate import languages
    from bardo.consolidate.attributes import AttributeTable

    settings = session.config.curator
    return languages.reader(settings.language, AttributeTable(settings.attributes))


def _return_to(session: Session, before: DeathRecord | None, *, forget_words: bool) -> None:
    """Takes back a last consolidation that led to no signed testament."""
    now = session.death
    if now is None or now.phase == "legacy":
        return
    if forget_words:
        death_journal.forget_own_words(session.path)
    if before is None:
        death_journal.delete(session.path)
    else:
        death_journal.save(session.path, before)


def _require_settled(session: Session, record: DeathRecord) -> None:
    """Refuses to complete a death with open tasks before its deadline."""
    with _conduct(session) as store:
        left = [task for task in tasks.tasks_of(store, since=record.at) if task.status == "active"]
    if left:
        named = "; ".join(f"{task.id} {task.summary}" for task in left[:_NAMED])
        more = f"; and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        wait = "" if record.deadline is None else f", wait for the deadline at tick {record.deadline}"
        raise InvalidInputError(
            f"{counted(len(left), 'task')} of the checklist {'is' if len(left) == 1 else 'are'} open: {named}{more}. "
            f"Settle them with death.settle (`bardo death settle`){wait}, or pass abandon=True (`--abandon`) to leave "
            "them to the heir"
        )


@contextmanager
def _conduct(session: Session) -> Iterator[ConductStore]:
    """Opens the gate's decisions, rejections, tasks and rules."""
    store = ConductStore(session.path, facts=session.facts)
    try:
        yield store
    finally:
        store.close()


def _directives(session: Session) -> list[Directive]:
    """Reads the gate's decisions, rejections, tasks and rules; a lost file does not hold a death up."""
    try:
        with _conduct(session) as store:
            return [*directives_of(store, now=session.clock.now()), *ended_directives(store)]
    except StoreError as error:
        warnings.warn(
            f"the testament has no decisions, rejections and rules: {error}", BardoWarning, stacklevel=6
        )
        return []


def _settled(session: Session, record: DeathRecord) -> list[tuple[str, str]]:
    """Returns the tasks that were settled since the death began, each with how; `_directives` warns of a lost file."""
    try:
        with _conduct(session) as store:
            found = tasks.tasks_of(store, since=record.at)
    except StoreError:
        return []
    return [(entry.summary, entry.closed_why) for entry in found if entry.status != "active"]


def _redactor(session: Session) -> Redactor:
    return Redactor(personal=session.config.bequeath.personal)


def _settings(session: Session) -> Bequeath:
    """Settings of the testament: an old agent leaves insights that are less sure, too."""
    settings = session.config.bequeath
    if not session.vitals.measure().pushes_legacy:
        return settings
    return replace(settings, insight_threshold=min(settings.insight_threshold, EARLY_CONFIDENCE))
