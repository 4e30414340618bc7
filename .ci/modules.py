"""Writes the list of modules (`docs/concepts/modules.md`) from their docstrings; part of `make lint`.

Without `--write` it compares, and fails if the page is not what the docstrings say.

Usage: modules.py [folder of the project] [--write]
"""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path

import written_page

PACKAGE, PAGE = Path("python", "bardo"), Path("docs", "concepts", "modules.md")
#: Maximum characters of a line.
WIDTH = 118
ABOUT = """# Modules

This page lists every Python module with the first sentence of its docstring. It is for developers who look for the
place of a thing. [The architecture](architecture.md) describes how the folders work together; `.ci/modules.py` writes
this page.
"""


def first_sentence(file: Path) -> str:
    """The first sentence of a module's docstring, without its last mark."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(said.split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".")


def page(root: Path) -> str:
    """The page as the docstrings of a checkout have it."""
    parts = [ABOUT]
    package = root / PACKAGE
    for folder in sorted({file.parent for file in package.rglob("*.py")}):
        lines = [
            textwrap.fill(f"- `{file.stem}`: {said}", WIDTH, subsequent_indent="  ")
            for file in sorted(folder.glob("*.py"))
            if file.stem != "__init__" and (said := first_sentence(file))
        ]
        if lines:
            name = folder.relative_to(package.parent).as_posix()
            own = first_sentence(folder / "__init__.py") if (folder / "__init__.py").exists() else ""
            about = f"{textwrap.fill(own + '.', WIDTH)}\n\n" if own else ""
            parts.append(f"## `{name}`\n{about}" + "\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(written_page.run("modules.py", sys.argv[1:], PAGE, page, "the docstrings say"))
