"""Prompts: their contributors, their use by the agent, and the weights learned from outcomes."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.assemble.condense import OwnWords
from bardo.assemble.contributors import Contributor, Contributors
from bardo.assemble.records import PromptRecord, PromptRecords
from bardo.grimoire.session import Session

if TYPE_CHECKING:
    from bardo.assemble.blocks import Place
    from bardo.assemble.context import Prompt


class PromptParts:
    """Parts that build prompts, created on first use.

    Args:
        session: The open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @locked_cached_property
    def words(self) -> OwnWords:
        """Model of the agent's predictable words."""
        return OwnWords(self._session.log)

    @locked_cached_property
    def contributors(self) -> Contributors:
        """Plugins that bring a block to every prompt."""
        return Contributors()

    @locked_cached_property
    def records(self) -> PromptRecords:
        """Records of prompts and their outcomes."""
        session = self._session
        settings = session.config.feedback
        return session.closing(PromptRecords(session.path, learn=settings.learn, evidence=settings.evidence))


class Prompts:
    """The contributors and the records of prompts; `Grimoire.prompts`.

    Args:
        session: The open memory.
        parts: What prompts are made with.
    """

    def __init__(self, session: Session, parts: PromptParts) -> None:
        self._session = session
        self._parts = parts

    @checked
    def contribute(
        self,
        name: str,
        contribute: Contributor,
        *,
        order: int = 10,
        priority: int | None = None,
        cap: int | None = None,
        place: Place | None = None,
    ) -> None:
        """Lets a callable bring a block to every prompt of this grimoire while it is open.

        A contributor that raises, or brings what no block can hold, is logged and left out of that prompt, and the
        prompt's `notes` say so. A block of the same name that `context` is given wins.

        Args:
            name: Name and tag of the block: lower-case ASCII letters, digits and `_`, at most 40.
            contribute: Called with a `Situation` (task, agent, tick, budget, phase, task_type); gives text, rows, a
                `Block`, or None for nothing.
            order: When it runs, the lowest first: stability 5, contemplation 7, current truths 8, continuity 10, code
                evolution 20.
            priority: Of the block: higher ones are filled first; 4 if neither this nor the block says anything.
            cap: Tokens the block is given at first.
            place: `first`, `middle` or `last`.

        Raises:
            InvalidInputError: The name cannot be a tag, or a number is out of range.
        """
        self._session.ready()
        self._parts.contributors.add(name, contribute, order=order, priority=priority, cap=cap, place=place)

    @checked
    def list(self, *, limit: int = 20) -> builtins.list[PromptRecord]:
        """Lists the prompts on record, the latest first: ids and numbers, none of their texts.

        Args:
            limit: At most so many.
        """
        self._session.ready()
        return self._parts.records.list(limit=limit)

    def withdraw(self, name: str) -> bool:
        """Takes a contributor away; whether there was one of that name."""
        return self._parts.contributors.remove(name)

    @checked
    def acted(self, prompt: Prompt | str, taken: bool = True) -> bool:
        """Tells whether the action that a prompt was for was taken; what was not acted on teaches nothing.

        Args:
            prompt: A prompt or its id.
            taken: Whether it was taken.

        Returns:
            Whether the prompt is on record: it is while it is among the latest 5,000 without an outcome.
        """
        self._session.ready(write=True)
        return self._parts.records.acted(prompt if isinstance(prompt, str) else prompt.id, taken)

    def reset_weights(self) -> None:
        """Forgets the records of prompts and outcomes, and with them every weight that was learned from them."""
        self._session.ready(write=True)
        self._parts.records.unlearn()
