"""Small files of a grimoire that are replaced in one step."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bardo.errors import StoreDamagedError, StoreUnavailableError


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replaces a JSON file in one step, durably.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    replace(path, text.encode())


def replace(path: Path, content: bytes) -> None:
    """Replaces a file in one step: after a crash it holds the old bytes or the new, never a part.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise StoreUnavailableError(
            f"cannot write {path}: {error}. Check that the folder exists, may be written, and has space"
        ) from error


def make_folder(path: Path) -> None:
    """Makes a folder unless it is there.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailableError(
            f"cannot make the folder {path}: {error}. Check that {path.parent} may be written"
        ) from error


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder as a file; there the rename is durable by itself.
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file, or nothing if there is no file.

    Raises:
        StoreDamagedError: It is not a JSON object.
        StoreUnavailableError: The operating system refused.
    """
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
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
    """The error for a file whose content is not what we write there."""
    return StoreDamagedError(f"{path} is damaged: {error}. Restore it from a copy; nothing was changed")
