"""Opens the grimoire of a command, or visits it while another process has it open."""

from __future__ import annotations

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

#: Mean interval between two attempts to open a grimoire that another process has open, in seconds.
LOOKS_AGAIN = 0.03


def grimoire(at: Path, *, wait: float = 0.0) -> Grimoire:
    """Opens the grimoire in a folder; use it in a `with` statement.

    Args:
        at: Folder of the grimoire.
        wait: Maximum wait in seconds while another process has it open.

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
                # Written so that NaN does not wait.
                if not time.monotonic() < until:
                    raise
            import random

            # Random jitter, so that waiting processes do not collide repeatedly.
            time.sleep(random.uniform(0.5, 1.5) * LOOKS_AGAIN)


@contextmanager
def found(at: Path) -> Iterator[None]:
    """Adds advice on naming the folder to the error for one without a grimoire."""
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
        Grimoire, or a visitor while another process owns it, and notes on the visit.

    Raises:
        NotFoundError: There is none.
        StoreError: It cannot be opened.
    """
    import bardo

    try:
        return grimoire(at), ()
    except StoreLockedError as error:
        return bardo.visit(at), (f"seen from outside, and nothing was written: {error}",)
