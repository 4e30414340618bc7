"""Memory around every turn: captures both sides, and hands back related memories and what is in force."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from bardo._core import finish_episodes
from bardo.assemble.blocks import Block, memory_blocks
from bardo.assemble.prompt import assemble_uncounted, count_tokens
from bardo.capture import intake
from bardo.capture.fields import EpisodeFields
from bardo.conduct.briefing import tokens_in
from bardo.errors import BardoError, InvalidInputError, StoreError
from bardo.grimoire.prompt_dates import dated
from bardo.grimoire.recovery import Recovery
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.model import Episode, Role
from bardo.recall import earlier_questions
from bardo.recall.options import of_asker
from bardo.recall.recollection import Memory
from bardo.recall.withheld import is_on_withheld

#: Reply of an agent: its text, or its messages (texts, tool calls and their results) in any form that `remember` takes.
Reply = str | Sequence[Mapping[str, Any]]

#: Maximum number of tokens of the text of a turn, and of memories in it.
BUDGET, LIMIT = 1_500, 3
#: Number of further memories that are searched, since earlier questions of the user take no place among those.
BEYOND = 9


@dataclass(slots=True)
class Turn:
    """Turn of a conversation. `str()` is the text for the agent; use it in a `with` statement, or call `reply`.

    Args:
        text: Related memories, state and rejections, fenced as data; empty if there are none.
        memories: Related memories, best first.
        notes: What could not be captured or found, and why; the turn goes on without it.
    """

    text: str = ""
    memories: tuple[Memory, ...] = ()
    notes: list[str] = field(default_factory=list)
    _ambient: Ambient | None = None
    _fields: EpisodeFields = field(default_factory=EpisodeFields)
    _tokenizer: str = "o200k"

    def __str__(self) -> str:
        """Returns the text for the agent."""
        return self.text

    @property
    def tokens(self) -> int:
        """Number of tokens of the text, counted when it is read."""
        return count_tokens(self.text, self._tokenizer) if self.text else 0

    def reply(self, text: Reply) -> None:
        """Captures the agent's reply: a text, or its messages. A failure of the memory is a note and no error."""
        if self._ambient is not None:
            self.notes += self._ambient.capture_reply(text, self._fields)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ambient = None


class Ambient:
    """Hook for every turn; `Grimoire.turn`.

    Args:
        session: Open memory.
        writer: Recorder of both sides.
        retrieval: Recall by words.
        recovery: State and rejections.
    """

    def __init__(self, session: Session, writer: Writer, retrieval: Retrieval, recovery: Recovery) -> None:
        self._session, self._writer = session, writer
        self._retrieval, self._recovery = retrieval, recovery

    def turn(
        self, said: str, reply: Reply, fields: EpisodeFields, *, limit: int = LIMIT, budget: int = BUDGET
    ) -> Turn:
        """Captures what was said to the agent, and finds what it should know; see `Grimoire.turn`."""
        self._session.ready()
        if "at" in fields:
            fields["at"] = self._session.ticks.instant(fields["at"], "at")
        is_replied = bool(reply.strip() if isinstance(reply, str) else reply)
        if not said.strip():
            if not is_replied:
                raise InvalidInputError(
                    "neither side of the turn has a text. Pass what was said, or the reply"
                )
            return Turn(notes=self.capture_reply(reply, fields))
        notes: list[str] = []
        blocks: list[Block] = []
        memories: tuple[Memory, ...] = ()
        try:
            state = self._recovery.block(cap=tokens_in(6 * budget), task=said, by_words=True)
            blocks += [] if state is None else [state]
        except BardoError as error:
            notes.append(f"the state and rejections are left out: {error}")
        try:
            speaker = fields.get("speaker")
            found = self._retrieval.recall_by_words(
                of_asker(said, speaker), limit + BEYOND, thread=fields.get("thread"), asker=speaker
            )
            notes += [note for note in found.notes if is_on_withheld(note)]
            other = [memory for memory in found if memory.text.strip() != said.strip()]
            memories = tuple(earlier_questions.without(said, other)[:limit])
            blocks += memory_blocks(dated(memories, self._session)) if memories else []
        except BardoError as error:
            notes.append(f"no memories were searched: {error}")
        tokenizer = self._session.config.assemble.tokenizer
        turn = Turn(memories=memories, notes=notes, _ambient=self, _fields=fields, _tokenizer=tokenizer)
        if blocks:
            shared = [replace(each, cap=budget // len(blocks)) for each in blocks]
            prompt = assemble_uncounted(shared, budget=budget, tokenizer=tokenizer)
            turn.text = prompt.text
            turn.notes += [
                *prompt.notes,
                *(() if self._session.is_dead else self._session.made_prompts.note(prompt)),
            ]
        turn.notes += self.capture(said, "user", fields)
        if is_replied:
            turn.reply(reply)
        return turn

    def capture(self, text: str, role: Role, fields: EpisodeFields) -> list[str]:
        """Records one side of a turn without waiting for a model; returns notes, and raises nothing.

        The same words said again are another turn, also within a minute.
        """
        session = self._session
        clean = session.made_prompts.cleaner()
        try:
            session.ready(write=True)
            draft = intake.draft_of(text, fields, clean, True)
            if draft is None:
                return ["the text is empty, so nothing was captured", *clean.notes]
            # A speaker is the person who spoke: the reply is the agent's own.
            of_role = {name: value for name, value in fields.items() if role != "agent" or name != "speaker"}
            made = Episode(str(draft), **{"kind": "turn", **of_role, "role": role})  # type: ignore[arg-type]
            now = session.clock.now()
            # With an id of its own it is no retry of an equal turn.
            (episode,) = finish_episodes([made], now=now, seed=int.from_bytes(os.urandom(8)))
            taken = session.recorder.record([episode], tick=None, own_ticks=False)
            session.unembedded += taken.fresh
        except BardoError as error:
            return [f"the {role}'s side was not captured: {error}"]
        notes = list(clean.notes)
        if taken.forgotten:
            notes.append(f"the {role}'s side was forgotten on purpose before and not captured")
        elif role == "agent":
            try:
                session.checkpoints.exchange(count=1, last=episode.id, session=episode.session or "", at=now)
            except StoreError as error:
                notes.append(f"no checkpoint of the session could be written: {error}")
        return notes

    def capture_reply(self, reply: Reply, fields: EpisodeFields) -> list[str]:
        """Records the agent's side: a text, or messages, of which those with a time that are known add nothing."""
        if isinstance(reply, str):
            return self.capture(reply, "agent", fields)
        try:
            self._writer.remember(list(reply), None, fields.copy(), truncate=True)
        except BardoError as error:
            return [f"the agent's side was not captured: {error}"]
        return []

    def join(self, session: str) -> None:
        """Continues a session whose turns are processes of their own: it does not end with this process.

        Raises:
            InvalidInputError: The session has no name.
        """
        if not session:
            raise InvalidInputError("a session over several processes needs a name. Pass one")
        self._session.checkpoints.detached = True
        self._session.checkpoints.join(session)
