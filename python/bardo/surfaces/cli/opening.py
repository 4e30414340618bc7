"""Opens the grimoire that a verb works on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bardo.errors import NotFoundError
from bardo.surfaces.cli.options import HOME

if TYPE_CHECKING:
    from bardo.grimoire import Grimoire


def grimoire(at: Path) -> Grimoire:
    """The grimoire in a folder; use it in a `with` statement.

    Raises:
        NotFoundError: There is none.
        StoreError: It cannot be opened.
    """
    import bardo  # noqa: PLC0415

    try:
        return bardo.open(at, create=False)
    except NotFoundError as error:
        raise NotFoundError(
            f"there is no grimoire in {at.resolve()}. Make one with `bardo init`, "
            f"or name its folder with --at or {HOME}"
        ) from error
