"""Atomic and durable writes of files."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bardo.errors import StoreDamagedError, StoreFullError, StoreReadOnlyError, StoreUnavailableError

#: Error numbers of a full disk, and of missing permission to write.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
#: Temporary files that this process is writing; a deletion in another thread must not remove them as leftovers.
drafts: set[Path] = set()


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a temporary file, syncs it, and renames it to its final name.

    Raises:
        StoreUnavailableError: The operating system refused; the temporary file is deleted.
    """
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    drafts.add(draft)
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise unavailable("write", path, error) from error
    finally:
        drafts.discard(draft)


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents, unless it exists.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unavailable("make the folder", folder, error) from error


def sync_folder(folder: Path) -> None:
    """Makes new, moved and deleted entries of a folder durable. Windows does so by itself."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unavailable(action: str, path: Path, error: OSError) -> StoreUnavailableError:
    """Maps an error of the operating system to ours."""
    refused = f"cannot {action} {path}: {error.strerror or error}"
    if error.errno in _FULL:
        return StoreFullError(f"{refused}. Make room on the disk and try again")
    if error.errno in _READ_ONLY:
        return StoreReadOnlyError(f"{refused}. Make the file and its folder writable")
    return StoreUnavailableError(
        f"{refused}. Check that the disk has room and the folder is writable, then try again"
    )


def parse_json(text: str | bytes, **options: Any) -> Any:
    """Parses a JSON text.

    Args:
        text: JSON text, trusted or not.
        options: Options of `json.loads`.

    Raises:
        ValueError: It is not JSON, or nested too deeply.
    """
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replaces a JSON file atomically and durably.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    write_atomically(path, text.encode())


def read_json(path: Path) -> dict[str, Any] | None:
    """Reads the object in a JSON file; None if there is no file.

    Raises:
        StoreDamagedError: It is not a JSON object.
        StoreUnavailableError: The operating system refused.
    """
    try:
        fields = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnavailableError(f"cannot read {path}: {error}. Check its permissions") from error
    except ValueError as error:
        raise damaged(path, error) from error
    if not isinstance(fields, dict):
        raise damaged(path, TypeError("not an object"))
    return fields


def damaged(path: Path, error: Exception) -> StoreDamagedError:
    """Makes the error for a file with unexpected content."""
    return StoreDamagedError(f"{path} is damaged: {error}. Restore it from a copy; nothing was changed")
