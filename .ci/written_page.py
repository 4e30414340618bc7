"""Writes a page of the documentation from the code, or compares it; the scripts of `make lint` that do so call it."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Maximum characters of a line of text.
WIDTH = 118


def filled(text: str, indent: str = "") -> str:
    """Returns a text in lines of at most `WIDTH` characters, those after the first indented."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def first_paragraph(docstring: str | None) -> str:
    """Returns the first paragraph of a docstring on one line."""
    return " ".join((docstring or "").split("\n\n", maxsplit=1)[0].split())


def run(script: str, arguments: Sequence[str], path: Path, page: Callable[[Path], str], source: str) -> int:
    """Returns the exit code: 1 if the page differs, and `--write` does not ask to write it.

    Args:
        script: Name of the script.
        arguments: Its arguments: a folder of the project, `--write`.
        path: Path of the page in the project.
        page: Makes the page of a folder.
        source: What the page is made from, with its verb.
    """
    root = Path(next((each for each in arguments if not each.startswith("--")), ROOT))
    if "--write" in arguments:
        (root / path).write_text(page(root), encoding="utf-8")
        return 0
    if (root / path).read_text(encoding="utf-8") == page(root):
        return 0
    print(f"{path.as_posix()} is not what {source}: run python3 .ci/{script} --write", file=sys.stderr)
    return 1
