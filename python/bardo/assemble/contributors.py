"""Blocks that others bring to every prompt, in hook order: a failing one never costs the prompt."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bardo.assemble.blocks import Block, Place, block
from bardo.assemble.context import assemble
from bardo.errors import InvalidInputError

#: When contributors run, the lowest first.
STABILITY, CONTEMPLATION, CURRENT_TRUTHS, CONTINUITY, CODE_EVOLUTION = 5, 7, 8, 10, 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
#: Tokens a contributed block is tried with by itself; it is cut to its share later.
_TRIAL = 1_000_000


@dataclass(frozen=True, slots=True)
class Situation:
    """Description of the prompt for a contributor.

    Args:
        task: What is to be decided or done.
        agent: Whose prompt it is.
        tick: Logical time.
        budget: Tokens of the prompt and the answer.
        phase: Phase of life, if it was given.
        task_type: `anomaly`, `routine` or `trade_evaluation`, if it was given.
    """

    task: str
    agent: str = ""
    tick: int = 0
    budget: int = 0
    phase: str | None = None
    task_type: str | None = None


Contribution = Block | str | Sequence[Mapping[str, Any]] | None
Contributor = Callable[[Situation], Contribution]


@dataclass(frozen=True, slots=True)
class _Hook:
    name: str
    order: int
    contribute: Contributor
    priority: int | None
    cap: int | None
    place: Place | None


class Contributors:
    """The contributors of one grimoire; safe to share among threads."""

    def __init__(self) -> None:
        self._hooks: dict[str, _Hook] = {}
        self._lock = threading.Lock()

    def add(
        self,
        name: str,
        contribute: Contributor,
        *,
        order: int = CONTINUITY,
        priority: int | None = None,
        cap: int | None = None,
        place: Place | None = None,
    ) -> None:
        """Adds a contributor, or puts it in the place of the one of the same name; arguments as `g.prompts.contribute`.

        Raises:
            InvalidInputError: The name cannot be a tag, or `contribute` cannot be called.
        """
        if not _NAME.fullmatch(name):
            raise InvalidInputError(
                f"{name!r} cannot name a contributor. Use up to 40 lower-case ASCII letters, digits and underscores, "
                "beginning with a letter"
            )
        if not callable(contribute):
            raise InvalidInputError(
                f"the contributor {name} is a {type(contribute).__name__}. Pass a callable"
            )
        # The block's own rules are checked here and not in the middle of a prompt.
        Block(name, "", priority=priority, cap=cap, place=place)
        with self._lock:
            self._hooks[name] = _Hook(name, order, contribute, priority, cap, place)

    def remove(self, name: str) -> bool:
        """Takes a contributor away; whether there was one."""
        with self._lock:
            return self._hooks.pop(name, None) is not None

    def __len__(self) -> int:
        return len(self._hooks)

    def blocks(
        self, situation: Situation, taken: frozenset[str] = frozenset()
    ) -> tuple[list[Block], list[str]]:
        """Collects the blocks of the contributors, in hook order, and a note for each that failed.

        Args:
            situation: What they are told.
            taken: Names of blocks that the caller brings, which win.
        """
        with self._lock:
            hooks = sorted(self._hooks.values(), key=lambda hook: hook.order)
        blocks, notes = [], []
        for hook in hooks:
            if hook.name in taken:
                continue
            try:
                brought = _checked(hook, hook.contribute(situation))
            except Exception as error:  # a plugin may raise any error; the prompt is made without it
                import logging

                logging.getLogger("bardo.assemble").warning(
                    "the contributor %s failed", hook.name, exc_info=error
                )
                notes.append(
                    f"the contributor {hook.name} failed and was left out: {type(error).__name__}: {error}"
                )
                continue
            blocks += [brought] if brought is not None else []
        return blocks, notes


def _checked(hook: _Hook, brought: Contribution) -> Block | None:
    """A contribution as a block that cannot fail the prompt: it may be cut, and is not trusted as the user's own."""
    if brought is None or (isinstance(brought, (str, Sequence)) and not brought):
        return None
    made = block(hook.name, brought)
    made = replace(
        made,
        name=hook.name,
        tag=hook.name,
        protected=False,
        trusted=False,
        priority=made.priority if hook.priority is None else hook.priority,
        cap=made.cap if hook.cap is None else hook.cap,
        place=made.place if hook.place is None else hook.place,
    )
    if made.content is None or not made.content.isascii():
        # Lone surrogates, cells of no known type, memories without a text: better found here than by the prompt.
        assemble([made], budget=_TRIAL, reserve=0, tokenizer="estimate")
    return made
