"""Writes the signatures of the verbs (`docs/reference/signatures.md`) from the code; part of `make lint`.

Without `--write` it compares, and fails if the page is not what the code says.

Usage: signatures.py [folder of the project] [--write]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import settings
import written_page

PAGE = Path("docs", "reference", "signatures.md")
#: Maximum characters of a signature on one line.
LINE = 100
ABOUT = """# Signatures

This page lists the verbs of the Python interface with their options and defaults. `help(bardo.open)` prints the same
with exceptions and examples. [Fields](fields.md) lists the fields of what they return, and the options that several
share. The [list of nouns](grimoire.md) tells what each is for. `.ci/signatures.py` writes this page.
"""


class Part(NamedTuple):
    """Section of the page.

    Args:
        title: Heading.
        call: What a method is called on: `g.` or `bardo.`.
        file: Module, below `python/bardo`.
        owner: Class; empty for functions.
        names: Its methods or functions; all public methods if empty.
    """

    title: str
    call: str
    file: str
    owner: str = ""
    names: tuple[str, ...] = ()


PARTS = (
    Part("Opening", "bardo.", "grimoire/factory.py", names=("open", "inherit", "bequeath_posthumously")),
    Part("", "bardo.", "grimoire/reader.py", names=("visit",)),
    Part("", "bardo.", "grimoire/inbox.py", names=("drop",)),
    Part("", "bardo.", "conduct/factory.py", names=("gate",)),
    Part("Memory", "g.", "grimoire/grimoire.py", "Grimoire"),
    Part("Sessions of an agent", "g.", "grimoire/continuity.py", "Continuity"),
    Part("Episodes", "g.episodes.", "grimoire/episodes.py", "Episodes"),
    Part("Facts", "g.facts.", "grimoire/facts.py", "Facts"),
    Part("Gate", "gate.", "conduct/gate.py", "Gate"),
    Part("Clock", "clock.", "ports.py", "ManualClock"),
)
#: Classes whose attributes are the fields of several verbs.
FIELDS = (("Fields of episodes", "capture/fields.py", "EpisodeFields"),)


def page(root: Path) -> str:
    """Returns the page as the code of a checkout has it."""
    code = root / "python" / "bardo"
    lines = [ABOUT]
    for part in PARTS:
        lines += [f"## {part.title}\n"] if part.title else []
        lines += _verbs(part, _parsed(code / part.file))
    for title, file, name in FIELDS:
        lines += [f"## {title}\n", *_fields(_class(_parsed(code / file), name))]
    return "\n".join(lines)


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def _verbs(part: Part, tree: ast.Module) -> Iterator[str]:
    """Yields the entries of a section."""
    body = _class(tree, part.owner).body if part.owner else tree.body
    found = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    for name in part.names or [name for name in found if not name.startswith("_")]:
        node = found[name]
        said = ast.get_docstring(node) or ""
        yield f"### `{part.call}{name}`\n```text\n{_signature(part.call, node)}\n```\n{_first(said)}\n"
        if rows := list(_rows(settings.meanings_of(said))):
            yield "\n".join(rows) + "\n"


def _signature(call: str, node: ast.FunctionDef) -> str:
    """Returns the call of a verb with its parameters; over several lines if it is long."""
    given = node.args
    positional = [each for each in (*given.posonlyargs, *given.args) if each.arg not in ("self", "cls")]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    parameters = [_parameter(*each) for each in zip(positional, defaults, strict=True)]
    if given.vararg:
        parameters.append(f"*{_parameter(given.vararg, None)}")
    elif given.kwonlyargs:
        parameters.append("*")
    parameters += [_parameter(*each) for each in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    parameters += [f"**{_parameter(given.kwarg, None)}"] if given.kwarg else []
    is_property = any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)
    returned = f" -> {_plain(node.returns)}" if node.returns else ""
    if is_property:
        return f"{call}{node.name}{returned}"
    line = f"{call}{node.name}({', '.join(parameters)}){returned}"
    if len(line) <= LINE:
        return line
    return f"{call}{node.name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){returned}"


def _parameter(given: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {_plain(given.annotation)}" if given.annotation else ""
    return f"{given.arg}{annotation}" + ("" if default is None else f" = {ast.unparse(default)}")


def _plain(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.unparse(annotation).replace("builtins.", "").strip("'")


def _first(said: str) -> str:
    """Returns the first paragraph of a docstring."""
    return written_page.filled(written_page.first_paragraph(said))


def _fields(node: ast.ClassDef) -> Iterator[str]:
    said = ast.get_docstring(node) or ""
    yield f"{_first(said)}\n"
    yield "\n".join(_rows(settings.meanings_of(said))) + "\n"


def _rows(meanings: dict[str, str]) -> Iterator[str]:
    for name, meaning in meanings.items():
        yield written_page.filled(f"- `{name}`: {meaning}", "  ")


if __name__ == "__main__":
    sys.exit(written_page.run("signatures.py", sys.argv[1:], PAGE, page, "the code says"))
