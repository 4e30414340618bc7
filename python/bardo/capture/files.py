"""Writing a file so that it is there whole or not at all, also after a power loss."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from bardo.errors import StoreUnavailableError


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file under a passing name, makes it durable, and gives it its own name. Its folder is made if absent.

    Raises:
        StoreUnavailableError: The operating system refused; nothing of the file is left.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise unavailable("write", path, error) from error


def sync_folder(folder: Path) -> None:
    """Makes new, moved and deleted names of a folder durable. Windows does so by itself."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unavailable(action: str, path: Path, error: OSError) -> StoreUnavailableError:
    """The error for a refusal of the operating system."""
    cause = error.strerror or str(error)
    return StoreUnavailableError(
        f"cannot {action} {path}: {cause}. Check that the disk has room and the folder is writable, then try again"
    )
