"""Memories as data: fenced, dated, sourced, inert, and marked so that they are never captured again as new (law 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo import _core

if TYPE_CHECKING:
    from bardo.assemble.prompt_memory import MemoryLike

#: Stands in the tags around recalled memories in every prompt, with an id of the section.
MARK = "bardo:recalled"


def neutralise(text: str, tags: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """A text that can no longer act on a prompt, and what was found in it.

    Tags that a prompt of bardo uses or that chat templates use lose their bracket, in any spelling: look-alike
    letters and brackets (Unicode's tables of confusables), unseen characters, escapes, spaces between the letters.
    HTML, generic types, comparisons and placeholders stay. Control characters and direction overrides are taken out.
    If anything but those was found, every line is quoted with `| `. Orders are recognised by a list of patterns, which
    only warns; the fence keeps them inert.

    Args:
        text: What was recalled.
        tags: Tags of the prompt besides the standard ones.

    Returns:
        The text, and any of `tag`, `role`, `fence`, `instruction`, `hidden`, `mark`.

    Raises:
        InvalidInputError: The text holds a lone surrogate.
    """
    inert, flags = _core.neutralise(text, list(tags))
    return inert, tuple(flags)


def fence(memory: MemoryLike, tags: Sequence[str] = ()) -> str:
    """One memory as it stands in a prompt: fenced, with date, source, confidence, and what was flagged.

    Args:
        memory: A memory of `bardo.recall`, or any object of its shape.
        tags: Tags of the prompt besides the standard ones.

    Raises:
        InvalidInputError: An attribute is missing or has the wrong type.
    """
    return _core.frame_memory(memory, list(tags))
