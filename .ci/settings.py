"""Writes the list of settings (`docs/reference/settings.md`) from `bardo/config.py`; part of `make lint`.

Without `--write` it compares, and fails if the page is not what the code says.

Usage: settings.py [folder of the project] [--write]
"""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import written_page

CODE, PAGE = Path("python", "bardo", "config.py"), Path("docs", "reference", "settings.md")
#: Maximum characters of a line.
WIDTH = 118
ABOUT = """# Settings

This page lists every setting of `bardo.toml` with its default in brackets, and its meaning. A section is a table of the
file, as in

```toml
[recall]
limit = 8

[recall.weights]
recency = 0.1
```

Keywords take the same names: `bardo.open(folder, config={"recall": {"limit": 8}})`. A keyword wins over the file.
`.ci/settings.py` writes this page.
"""
CLASSES = """## Classes of the settings

::: bardo.config
"""
_ARGUMENT = re.compile(r"(?P<name>\w+): (?P<said>.+)")


def page(root: Path) -> str:
    """Returns the page as the code of a checkout has it."""
    tree = ast.parse((root / CODE).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return "\n".join([ABOUT, *_sections(classes["Config"], "", classes), CLASSES])


def _sections(section: ast.ClassDef, path: str, classes: dict[str, ast.ClassDef]) -> Iterator[str]:
    """Yields the parts of the page for a section and for those inside it."""
    said = ast.get_docstring(section) or ""
    meanings = meanings_of(said)
    rows: list[str] = []
    inner: list[str] = []
    for field in section.body:
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        name = field.target.id
        named = [node.id for node in ast.walk(field.annotation) if isinstance(node, ast.Name)]
        of_class = next((each for each in named if each in classes), None)
        if of_class is not None:
            table = f"{name}.NAME" if "Mapping" in named else name
            inner += _sections(classes[of_class], f"{path}.{table}".strip("."), classes)
        if of_class is None or name in meanings:
            row = f"- `{name}` ({_default(field.value)}): {meanings.get(name, '')}"
            rows.append(textwrap.fill(row, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    if path:
        about = textwrap.fill(" ".join(said.split("\n\n")[0].split()), WIDTH)
        yield f"## `[{path}]`\n{about}\n\n" + "\n".join(rows) + "\n"
    yield from inner


def meanings_of(said: str) -> dict[str, str]:
    """Returns the description of each argument or attribute of a docstring."""
    found: dict[str, str] = {}
    _, _, listed = said.replace("Attributes:\n", "Args:\n").partition("Args:\n")
    # A line that goes on is indented further than the first.
    for one in re.split(r"\n(?= {4}\w)", listed.split("\n\n")[0]):
        if match := _ARGUMENT.fullmatch(" ".join(one.split())):
            found[match["name"]] = match["said"]
    return found


def _default(value: ast.expr | None) -> str:
    """Returns a default as TOML."""
    if value is None:
        return "none"
    if isinstance(value, ast.Call):
        return "`{}`" if value.keywords else "below"
    try:
        return f"`{json.dumps(ast.literal_eval(value), ensure_ascii=False)}`"
    except ValueError:
        return f"`{ast.unparse(value)}`"


if __name__ == "__main__":
    sys.exit(written_page.run("settings.py", sys.argv[1:], PAGE, page, "the code says"))
