"""Opens the grimoire that a verb works on, or visits it while another process has it open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.errors import NotFoundError, StoreLockedError
from bardo.surfaces.cli.options import HOME

if TYPE_CHECKING:
    from bardo.grimoire import Grimoire
    from bardo.visiting import Visitor


def grimoire(at: Path) -> Grimoire:
    """The grimoire in a folder; use it in a `with` statement.

    Raises:
        NotFoundError: There is none.
        StoreError: It cannot be opened.
    """
    import bardo  # noqa: PLC0415

    with found(at):
        return bardo.open(at, create=False)


@contextmanager
def found(at: Path) -> Iterator[None]:
    """Tells whoever names a folder without a grimoire how to name another."""
    try:
        yield
    except NotFoundError as error:
        raise NotFoundError(
            f"there is no grimoire in {at.resolve()}. Make one with `bardo init`, "
            f"or name its folder with --at or {HOME}"
        ) from error


def to_read(at: Path) -> tuple[Grimoire | Visitor, tuple[str, ...]]:
    """What a verb that only reads works on; use it in a `with` statement.

    Returns:
        The grimoire itself, or what shows of it while another process owns it; and notes that say so.

    Raises:
        NotFoundError: There is none.
        StoreError: It cannot be opened.
    """
    import bardo  # noqa: PLC0415

    try:
        return grimoire(at), ()
    except StoreLockedError as error:
        return bardo.visit(at), (f"seen from outside, and nothing was written: {error}",)
