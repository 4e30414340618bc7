"""Recovery of an agent that lost its context, or whose last session was cut off."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo.assemble.blocks import Block
from bardo.assemble.hidden import hidden
from bardo.assemble.prompt import assemble, count_tokens
from bardo.capture.secret_outputs import outputs_of
from bardo.clock import EPOCH
from bardo.conduct.briefing import BOOT, InForce, block_of, boot_blocks, in_force
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.model.entry_memory import EntryMemory
from bardo.conduct.state import state
from bardo.conduct.state.tasks import require_life
from bardo.conduct.storage.rows import check
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.checkpoints import Checkpoint
from bardo.grimoire.hearing import HEARD, PAGE
from bardo.grimoire.session import Session
from bardo.model import INHERITED_KIND, Episode

if TYPE_CHECKING:
    from bardo.conduct.match.index import ConductIndex

#: Maximum number of tokens of each tier.
BUDGETS: dict[int, int] = {0: 999, 1: 10_000, 2: 15_000, 3: 100_000}
#: Number of the last messages from tier 1 on.
MESSAGES = 30
#: Maximum length of a message, and of an entry of the recap, in characters.
MESSAGE_CHARACTERS, RECAP_CHARACTERS = 4_000, 160
#: Tokens kept for the marks of a block: its tag, date and source.
_MARKS = 120
#: Number of the latest episodes that a recap and a log are made of.
_READ, _READ_OF_LOG = 500, 5_000
RESUME = "[SESSION_RESUME]"
IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Briefing:
    """Text for an agent that begins or resumes. `str()` is the text.

    Args:
        text: Text, fenced as data; empty if there is nothing to say.
        tokens: Number of its tokens.
        budget: Maximum number of tokens.
        is_resumed: Whether an earlier session was cut off, which the text says with `[SESSION_RESUME]`.
        notes: Content that did not fit, and messages of which no pass has heard the orders yet.
    """

    text: str
    tokens: int
    budget: int
    is_resumed: bool = False
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Returns the text."""
        return self.text


class Recovery:
    """Briefings and checkpoints; `boot`, `recover`, `heartbeat` and `checkpoint` of `Grimoire`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.RLock()
        # The latest reading of what is in force, with the state that it was read in: reading thousands of entries takes
        # longer than the rest of a turn.
        self._latest: tuple[tuple[tuple[int, int], str], InForce] | None = None

    @locked_cached_property
    def store(self) -> ConductStore:
        """State and rules of the agent."""
        return self._session.closing(ConductStore(self._session.path, facts=self._session.facts))

    @locked_cached_property
    def _index(self) -> ConductIndex:
        from bardo.conduct.match.index import ConductIndex

        return ConductIndex(self.store)

    def block(self, *, cap: int, task: str = "", by_words: bool = False) -> Block | None:
        """Makes the block of state and rejections for a prompt; None if nothing is in force.

        Args:
            cap: Maximum number of tokens of the block at first.
            task: What is to be done: rejections about it come first if not all fit.
            by_words: Whether words alone tell which are about it, without waiting for a model.
        """
        asked = (self.store.stamp(), self._session.checkpoints.doing)
        latest = self._latest
        if latest is None or latest[0] != asked:
            self._latest = latest = asked, in_force(self.store, first=asked[1])
        return block_of(latest[1], cap=cap, about=partial(self._about, task, by_words=by_words))

    def _about(self, task: str, *, by_words: bool) -> list[StateEntry | Rule]:
        """Returns the rejections and critical rules that are about a task, the nearest first."""
        from bardo.conduct.match.related import related

        if not task.strip():
            return []
        session = self._session
        embedder = None if by_words or session.indexer.paused else session.embedder
        return related(self._index, task, embedder, now=session.clock.now())

    def boot(self, budget: int = BOOT) -> Briefing:
        """Makes the text with which a session begins; see `Grimoire.boot`."""
        self._session.ready()
        doing = self._session.checkpoints.doing
        blocks = boot_blocks(self.store, budget=budget, now=self._session.clock.now(), first=doing)
        return self._briefing(blocks, budget)

    def recover(self, tier: int = 0, budget: int | None = None) -> Briefing:
        """Makes the text that recovers a lost context; see `Grimoire.recover`."""
        self._session.ready()
        if tier not in BUDGETS:
            raise InvalidInputError(
                f"the tier is {tier}. Use 0 (state), 1 (messages), 2 (recap) or 3 (the log)"
            )
        budget = BUDGETS[tier] if budget is None else budget
        found = self.block(cap=min(budget, BUDGETS[0]))
        blocks = [] if found is None else [found]
        if tier:
            blocks += self._past(tier, budget - min(budget, BUDGETS[0]) - 2 * _MARKS)
        return self._briefing(blocks, budget)

    def heartbeat(self) -> Briefing:
        """Resumes unfinished work, or says that there is none; see `Grimoire.heartbeat`."""
        self._session.ready()
        if self._unfinished() is None:
            return Briefing(IDLE, count_tokens(IDLE), BUDGETS[0])
        return self.recover(0)

    def checkpoint(self, doing: str | None = None, *, done: bool = False, by: str = "") -> StateEntry | None:
        """Writes a checkpoint; see `Grimoire.checkpoint`."""
        session = self._session
        session.ready(write=True)
        now = session.clock.now()
        with self._lock:
            entry = None
            if doing is not None:
                cleaner = session.made_prompts.cleaner()
                given = StateEntry("", "agent_state", cleaner(doing).strip(), by=by, at=now, changed_at=now)
                check(given)
                with self.store.writing():
                    entry = state.keep(
                        self.store,
                        given,
                        lambda _: None,
                        lambda: require_life(session.folder, session.agent),
                        agent=session.agent,
                    )
                if self._session.checkpoints.doing not in {"", entry.id}:
                    self._finish(self._session.checkpoints.doing, by, now)
                self._session.checkpoints.work(entry.id, at=now)
            elif not done:
                self._session.checkpoints.work(self._session.checkpoints.doing, at=now)
            if done:
                entry = self._finish(self._session.checkpoints.doing, by, now)
                self._session.checkpoints.work("", at=now)
                self._session.checkpoints.unfinished = None
                self._session.checkpoints.detached = False
                self._session.checkpoints.close()
            return entry

    def _finish(self, id_: str, by: str, now: int) -> StateEntry | None:
        with self.store.writing():
            entry = self._entry(id_)
            if entry is None or entry.status != "active":
                return None
            return self.store.put(replace(entry, status="done", changed_at=now, closed_by=by))

    def _entry(self, id_: str) -> StateEntry | None:
        if not id_:
            return None
        try:
            entry = self.store.get(id_)
        except NotFoundError:
            return None
        return entry if isinstance(entry, StateEntry) else None

    def _unfinished(self) -> Checkpoint | None:
        """Returns the checkpoint of a session that was cut off, or of unfinished work."""
        if self._session.checkpoints.unfinished is not None:
            return self._session.checkpoints.unfinished
        entry = self._entry(self._session.checkpoints.doing)
        return Checkpoint(doing=entry.id, at=entry.changed_at) if entry and entry.status == "active" else None

    def _briefing(self, blocks: list[Block], budget: int) -> Briefing:
        cut_off = self._session.checkpoints.unfinished
        unfinished = self._unfinished()
        if unfinished is not None:
            text = _resume_text(unfinished, cut_off=cut_off is not None)
            blocks = [
                Block("resume", text, priority=10, protected=True, place="first", trusted=True),
                *blocks,
            ]
        unheard = _unheard(self._session)
        if not blocks:
            return Briefing("", 0, budget, notes=unheard)
        prompt = assemble(blocks, budget=budget, reserve=0, tokenizer=self._session.config.assemble.tokenizer)
        notes = (*prompt.notes, *unheard)
        if not self._session.is_dead:
            notes = (*notes, *self._session.made_prompts.note(prompt))
            if cut_off is not None:
                self._session.checkpoints.resume()
        return Briefing(prompt.text, prompt.tokens, budget, cut_off is not None, notes)

    def _past(self, tier: int, room: int) -> list[Block]:
        """Makes the blocks of the last messages, of the day, or of the log."""
        log = self._session.log
        read = _READ if tier < max(BUDGETS) else _READ_OF_LOG
        latest = [episode for episode in log.latest(read) if episode.kind != INHERITED_KIND]
        latest.sort(key=lambda episode: (episode.tick, episode.event_index))
        if tier == max(BUDGETS):
            return self._conversation("log", latest, room, MESSAGE_CHARACTERS)
        messages = [episode for episode in latest if episode.kind in {"turn", "tool"}][-MESSAGES:]
        recap_room = room - BUDGETS[1] + BUDGETS[0] if tier > 1 else 0
        blocks = self._conversation("messages", messages, room - max(recap_room, 0), MESSAGE_CHARACTERS)
        if tier > 1 and latest:
            day, shown = _day(latest[-1].at), {episode.id for episode in messages}
            others = [each for each in latest if _day(each.at) == day and each.id not in shown]
            blocks += self._conversation("recap", others, max(recap_room, room // 4), RECAP_CHARACTERS)
        return blocks

    def _conversation(self, name: str, episodes: list[Episode], room: int, longest: int) -> list[Block]:
        """Makes a block of episodes in order, the latest that fit: one entry, so that its lines stay in order."""
        lines: list[str] = []
        config = self._session.config
        tokenizer = config.assemble.tokenizer
        outputs = outputs_of(episodes)
        for episode in reversed(episodes):
            text = (
                episode.text if config.recall.secrets else hidden(episode.text, outputs.get(episode.id, ()))
            )
            line = _line(episode, text, longest)
            room -= count_tokens(line, tokenizer) + 1
            if room < 0:
                break
            lines.append(line)
        if not lines:
            return []
        left = len(episodes) - len(lines)
        text = "\n".join([*([f"[{left} earlier ones are left out]"] * bool(left)), *reversed(lines)])
        last = episodes[-1]
        memory = EntryMemory(text, last.at, "self", last.tick, layer="episode")
        return [Block(name, memories=[memory], priority=6)]


def _resume_text(unfinished: Checkpoint, *, cut_off: bool) -> str:
    """Says what is resumed, in words of this module and numbers alone."""
    told = [RESUME]
    if cut_off:
        told.append(f"The last session was cut off after its checkpoint at {_moment(unfinished.at)}")
        told.append(f"({unfinished.exchanges} exchange{'' if unfinished.exchanges == 1 else 's'}).")
    if unfinished.doing:
        told.append(f"The unfinished work is the entry {unfinished.doing}: go on with it.")
    return " ".join(
        [*told, "Read what is in force before anything else; `recover` with tier 1 has the last messages."]
    )


def _line(episode: Episode, text: str, longest: int) -> str:
    text = text if len(text) <= longest else f"{text[: longest - 6]} [...]"
    lines = "\n".join(f"  {line}" for line in text.splitlines())
    name = " ".join((episode.speaker or episode.role).split())
    return f"{name}, {_moment(episode.at)}:\n{lines}"


def _moment(at: int) -> str:
    try:
        return (EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%d %H:%M")
    except OverflowError:
        return "an unknown time"


def _day(at: int) -> str:
    return _moment(at)[:10]


def _unheard(session: Session) -> tuple[str, ...]:
    """A note on the messages of users since the last pass; none if there are none."""
    page = session.log.since(session.log.watermark(HEARD), PAGE)
    told = sum(episode.role == "user" for _, episode in page)
    if not told or session.is_dead:
        return ()
    most = "at least " if len(page) == PAGE else ""
    messages = "1 message" if told == 1 else f"{most}{told} messages"
    return (f"{messages} since the last pass: orders and lifts in them are heard by the next `sleep`",)
