"""Writes the fields of the classes that verbs return (`docs/reference/fields.md`) from the code; part of `make lint`.

The classes are those that the pages of values, results and the grimoire list. Without `--write` it compares, and fails
if the page is not what the code says.

Usage: fields.py [folder of the project] [--write]
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import settings
import written_page

PAGE = Path("docs", "reference", "fields.md")
#: Pages that list modules whose classes are described, and modules with options of verbs.
LISTS = ("values.md", "results.md", "grimoire.md")
OPTIONS = ("recall/options.py", "grimoire/factory.py")
ABOUT = """# Fields

This page lists the fields of the objects that bardo returns, and the options that several verbs share, as plain text.
[Values](values.md) and [return values](results.md) tell more of each class. `.ci/fields.py` writes this page.
"""
_MODULE = re.compile(r"^::: (bardo[\w.]*)\n(?: +options:\n +members: \[([^\]]*)\])?", re.MULTILINE)


def page(root: Path) -> str:
    """Returns the page as the code of a checkout has it."""
    found: dict[str, str] = {}
    for name in LISTS:
        text = (root / "docs" / "reference" / name).read_text(encoding="utf-8")
        for module, members in _MODULE.findall(text):
            file = root / "python" / Path(*module.split(".")).with_suffix(".py")
            chosen = {each.strip() for each in members.split(",")} if members else None
            found |= {
                each.name: _described(each) for each in _classes(file) if not chosen or each.name in chosen
            }
    for name in OPTIONS:
        found |= {
            each.name: _described(each)
            for each in _classes(root / "python" / "bardo" / name)
            if each.name.endswith("Options")
        }
    return "\n".join([ABOUT, *(found[name] for name in sorted(found) if found[name])])


def _classes(file: Path) -> Iterator[ast.ClassDef]:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node


def _described(node: ast.ClassDef) -> str:
    """Returns the section of a class; an empty text if it has no fields of its own."""
    said = ast.get_docstring(node) or ""
    types = {
        each.target.id: ast.unparse(each.annotation).strip("'")
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    meanings = settings.meanings_of(said)
    rows = [_row(name, types[name], meaning) for name, meaning in meanings.items() if name in types]
    if not rows:
        return ""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id.endswith("Options")]
    about = written_page.first_paragraph(said) + "".join(f" All options of `{base}`, and:" for base in bases)
    heading = f"## {node.name}\n{written_page.filled(about)}\n"
    return "\n".join([heading, *rows, *_properties(node), ""])


def _properties(node: ast.ClassDef) -> Iterator[str]:
    """Yields a row for each public property of a class."""
    for each in node.body:
        if not isinstance(each, ast.FunctionDef) or each.name.startswith("_"):
            continue
        marks = {one.id for one in each.decorator_list if isinstance(one, ast.Name)}
        if marks & {"property", "cached_property"}:
            returned = ast.unparse(each.returns).strip("'") if each.returns else ""
            yield _row(each.name, returned, written_page.first_paragraph(ast.get_docstring(each)))


def _row(name: str, kind: str, meaning: str) -> str:
    return written_page.filled(f"- `{name}` ({kind}): {meaning}", "  ")


if __name__ == "__main__":
    sys.exit(written_page.run("fields.py", sys.argv[1:], PAGE, page, "the code says"))
