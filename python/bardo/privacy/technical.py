"""Values of technical lines that are no secrets: names of schemes, cells of tables of programs, and ports."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bardo.privacy.cues import any_cue, cue

_TABLE = "technical.toml"
#: Cues of the means of access; a port beside one may be a code.
_ACCESS = ("password", "code", "key", "seed", "spare_code", "lock")
#: Row of a table of a program: a name, a share such as `3/3`, further cells, and an age such as `211d` at its end.
_ROW = re.compile(
    r"^[ \t]*[\w./-]+[ \t]+\d{1,3}/\d{1,3}[ \t].*?[ \t]\d+[smhdy](?:\d+[smh])?[ \t]*$", re.MULTILINE
)
#: Number, or share, that is a cell.
_CELL = re.compile(r"(?<![^\s/])\d{1,3}(?:/\d{1,3})?(?![^\s/])")
#: Port behind a verb of serving: "the ledger runs on 9999".
_PORT = re.compile(
    r"\b(?:runs?|running|ran|listens?|listening|serves?|served|serving|binds?|bound|exposed) on "
    r"(?:port )?(?P<port>\d{4,5})"
    r"(?![\w-]|[.,:]\d)"
)
_MOST = 65_535


def permitted(text: str) -> Iterator[tuple[int, int]]:
    """Finds the places of technical values in a text that are no secrets.

    Args:
        text: Text.
    """
    yield from (match.span() for match in _schemes().finditer(text))
    for row in (*_ROW.finditer(text), *_under_heads(text)):
        yield from (cell.span() for cell in _CELL.finditer(text, row.start(), row.end()))
    if any_cue(*_ACCESS).search(text) is None and cue("software").search(text) is not None:
        yield from (match.span("port") for match in _PORT.finditer(text) if int(match["port"]) <= _MOST)


def _under_heads(text: str) -> Iterator[re.Match[str]]:
    """Finds the rows below the head of a table of a program: at least two of its columns are named in capitals."""
    for head in _head().finditer(text):
        for row in _LINE.finditer(text, head.end()):
            if not row[0].strip():
                break
            yield row


_LINE = re.compile(r"(?<=\n)[^\n]*")


@cache
def _head() -> re.Pattern[str]:
    columns = "|".join(map(re.escape, _listed("columns")))
    return re.compile(rf"^[^\na-z]*\b(?:{columns})\b[^\na-z]*[ \t](?:{columns})\b[^\na-z]*$", re.MULTILINE)


@cache
def _schemes() -> re.Pattern[str]:
    names = "|".join(_listed("schemes"))
    return re.compile(rf"(?<![\w./+=:-])(?:{names})(?![\w/+=:-]|\.\w)")


@cache
def _listed(name: str) -> tuple[str, ...]:
    table = tomllib.loads(Path(__file__).with_name(_TABLE).read_text(encoding="utf-8"))
    return tuple(table[name])
