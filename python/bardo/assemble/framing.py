"""Memories as data: fenced, dated, sourced, inert, and marked so that they are never captured again as new (law 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo import _core

if TYPE_CHECKING:
    from bardo.assemble.blocks import Recalled

#: Stands in the tags around recalled memories in every prompt.
MARK = "bardo:recalled"


def strip_recalled(text: str) -> str:
    """A text without the recalled sections in it, as capture must see it.

    Whole and nested sections go, and so do those of which only the beginning or only the end is left. A piece from the
    inside of a section carries no mark and stays. A text without the mark is returned as it is.

    Raises:
        InvalidInputError: The text holds a lone surrogate.
    """
    return _core.strip_recalled(text)


def as_captured(text: str) -> str:
    """`strip_recalled` for a text that is checked for lone surrogates elsewhere."""
    return _core.strip_recalled(text) if MARK in text else text


def neutralise(text: str, tags: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """A text that can no longer act on a prompt, and what was found in it.

    Tags that close anything, that a prompt of bardo uses or that chat templates use lose their bracket, in any
    spelling; control characters and direction overrides are taken out. If anything but those was found, every line is
    quoted with `| `. Orders are recognised by a list of patterns, which only warns; the fence keeps them inert.

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


def frame(memory: Recalled, tags: Sequence[str] = ()) -> str:
    """One memory as it stands in a prompt: fenced, with date, source, confidence, and what was flagged.

    Args:
        memory: A memory of `bardo.recall`, or any object of its shape.
        tags: Tags of the prompt besides the standard ones.

    Raises:
        InvalidInputError: An attribute is missing or has the wrong type.
    """
    return _core.frame_memory(memory, list(tags))
