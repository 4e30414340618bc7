"""Reads input texts of commands from files or stdin."""

from __future__ import annotations

import sys
from pathlib import Path

from bardo.errors import InvalidInputError


def read_text(path: Path) -> str:
    """Reads the text of a file; `-` is stdin.

    Raises:
        InvalidInputError: It cannot be read, or is not UTF-8.
    """
    if str(path) == "-":
        return read_stdin()
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is not UTF-8 text: {error.reason}. Convert it first") from error
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}. Name a file that can be read"
        ) from error


def read_stdin() -> str:
    """Reads the text on stdin.

    Raises:
        InvalidInputError: It is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"stdin is not UTF-8 text: {error.reason}. Convert it first") from error
