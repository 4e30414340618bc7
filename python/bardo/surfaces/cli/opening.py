"""Opens the grimoire that a verb works on, or visits it while another process has it open."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.errors import NotFoundError, StoreLockedError
from bardo.surfaces.cli.options import HOME

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.reader import Visitor

#: Seconds between two attempts to open a grimoire that another process has open.
LOOKS_AGAIN = 0.03


def grimoire(at: Path, *, wait: float = 0.0) -> Grimoire:
    """The grimoire in a folder; use it in a `with` statement.

    Args:
        at: The folder.
        wait: Seconds to wait while another process has it open.

    Raises:
        NotFoundError: There is none.
        StoreLockedError: Another process still has it open.
        StoreError: It cannot be opened.
    """
    import bardo

    until = time.monotonic() + wait
    with found(at):
        while True:
            try:
                return bardo.open(at, create=False)
            except StoreLockedError:
                # Not a number is no time to wait.
                if not time.monotonic() < until:
                    raise
            # At random, so that those who wait do not meet again and again.
            time.sleep(random.uniform(0.5, 1.5) * LOOKS_AGAIN)


@contextmanager
def found(at: Path) -> Iterator[None]:
    """Says how to name another folder where one without a grimoire was named."""
    try:
        yield
    except NotFoundError as error:
        raise NotFoundError(
            f"there is no grimoire in {at.absolute()}. Make one with `bardo init`, "
            f"or name its folder with --at or {HOME}"
        ) from error


def to_read(at: Path) -> tuple[Grimoire | Visitor, tuple[str, ...]]:
    """Opens a grimoire for a command that only reads; use the result in a `with` statement.

    Returns:
        The grimoire, or a visitor while another process owns it; and notes that say so.

    Raises:
        NotFoundError: There is none.
        StoreError: It cannot be opened.
    """
    import bardo

    try:
        return grimoire(at), ()
    except StoreLockedError as error:
        return bardo.visit(at), (f"seen from outside, and nothing was written: {error}",)
