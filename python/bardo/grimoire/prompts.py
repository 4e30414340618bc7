"""Contributors to prompts, records of their use, and weights learned from outcomes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.assemble.condense import OwnWords
from bardo.assemble.contributors import STABILITY, Contributor, Contributors, Situation
from bardo.assemble.prompt_feedback import PromptFeedback, PromptRecord
from bardo.conduct.briefing import CONDUCT, tokens_in
from bardo.errors import NotFoundError
from bardo.grimoire.session import Session

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block, Place
    from bardo.assemble.context import Prompt


class PromptParts:
    """Parts that build prompts, created on first use.

    Args:
        session: Open memory.
        conduct: Makes the block of state and rejections with a number of tokens for a task; None if nothing is in
            force.
    """

    def __init__(self, session: Session, conduct: Callable[[int, str], Block | None]) -> None:
        self._session = session
        self._conduct = conduct

    @locked_cached_property
    def words(self) -> OwnWords:
        """Model of the agent's predictable words."""
        return OwnWords(self._session.log)

    @locked_cached_property
    def contributors(self) -> Contributors:
        """Contributors to every prompt: state and rejections, and plugins."""
        made = Contributors()
        made.add(CONDUCT, self._of_conduct, order=STABILITY)
        return made

    def _of_conduct(self, situation: Situation) -> Block | None:
        return self._conduct(tokens_in(situation.budget), situation.task)

    @locked_cached_property
    def feedback(self) -> PromptFeedback:
        """Records of prompts and their outcomes."""
        session = self._session
        settings = session.config.feedback
        return session.closing(PromptFeedback(session.path, learn=settings.learn, evidence=settings.evidence))


class Prompts:
    """Contributors and records of prompts; `Grimoire.prompts`.

    Args:
        session: Open memory.
        parts: Parts that build prompts.
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
        """Registers a callable that contributes a block to every prompt of this grimoire while it is open.

        A contributor that raises, or returns an invalid block, is logged and left out of that prompt, with a note in
        the prompt's `notes`. A block of the same name passed to `context` takes precedence.

        Args:
            name: Name and tag of the block: lower-case ASCII letters, digits and `_`, at most 40.
            contribute: Callable that takes a `Situation` (task, agent, tick, budget, phase, task_type) and returns
                text, rows, a `Block`, or None for no block.
            order: Position in the order of calls, the lowest first: stability 5, contemplation 7, current truths 8,
                continuity 10, code evolution 20.
            priority: Priority of the block: higher ones are filled first; 4 if neither this nor the block sets it.
            cap: Initial number of tokens of the block.
            place: `first`, `middle` or `last`.

        Raises:
            InvalidInputError: The name cannot be a tag, or a number is out of range.
        """
        self._session.ready()
        self._parts.contributors.add(name, contribute, order=order, priority=priority, cap=cap, place=place)

    @checked
    def list(self, *, limit: int = 20) -> builtins.list[PromptRecord]:
        """Lists the recorded prompts, the latest first: ids and numbers, without texts.

        Args:
            limit: Maximum number of prompts.
        """
        self._session.ready()
        return self._parts.feedback.list(limit=limit)

    def withdraw(self, name: str) -> bool:
        """Removes a contributor; returns whether there was one of that name."""
        return self._parts.contributors.remove(name)

    @checked
    def acted(self, prompt: Prompt | str, *, taken: bool = True) -> None:
        """Records whether the action of a prompt was taken; weights are not learned from prompts without action.

        Args:
            prompt: Prompt or its id.
            taken: Whether the action was taken.

        Raises:
            NotFoundError: The prompt is not on record: the latest 5,000 without an outcome are.
        """
        self._session.ready(write=True)
        id_ = prompt if isinstance(prompt, str) else prompt.id
        if not self._parts.feedback.acted(id_, taken):
            raise NotFoundError(f"no prompt on record has the id {id_!r}. List them with prompts.list()")

    def reset_weights(self) -> None:
        """Deletes the records of prompts and outcomes, and all weights learned from them."""
        self._session.ready(write=True)
        self._parts.feedback.unlearn()
