"""Checks notes for what a later reader will miss, and extracts their addresses, commands and paths.

A note is a Markdown or text file. Three things are warned of: a tool without a link, an install without a command, a
decision without a next step. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bardo._core import findings
from bardo._printed import printed
from bardo._validation import checked
from bardo.errors import InvalidInputError, NotFoundError

WarningKind = Literal["tool_without_link", "install_without_command", "decision_without_next_step"]
#: Suffixes of the files of a folder that are notes.
SUFFIXES = (".md", ".markdown", ".txt", ".rst", ".org")
#: Maximum size of a file that is read, in bytes.
LARGEST = 2 * 1_024 * 1_024
SUGGESTIONS: dict[WarningKind, str] = {
    "tool_without_link": "add the address of {name}",
    "install_without_command": "add the command that installs {name}",
    "decision_without_next_step": "add who does what next, such as `Next: ...`, or a task `- [ ] ...`",
}
_KINDS = r"(?:tool|library|package|framework|plugin|extension|app|utility|SDK|CLI)"
_NAME = r"(?:`(?P<quoted>[^`\s]+)`|\*\*(?P<bold>[^*\s]+)\*\*|(?P<plain>[A-Za-z][\w.+-]*\w))"
#: "Tool: ripgrep", "a tool called ripgrep", "the library `httpx`".
_TOOL = re.compile(rf"\b{_KINDS}(?::\s*|\s+(?:called|named)\s+|\s+(?=[`*])){_NAME}", re.IGNORECASE)
#: Nouns of programs, and nouns of programs or persons with the word before that tells the program.
_PROGRAMS = (
    rf"(?:{_KINDS}|proxy|server|database|cache|broker|balancer|gateway|scheduler|linter|formatter|debugger|profiler|compiler|"
    r"bundler|parser|generator|viewer|browser|shell|multiplexer|ORM|UI|GUI|TUI|IDE|DSL|"
    r"(?:migration|task|test|job|process|package|version|window|password|file|git|http|rest|sql|database|text|code|mail|"
    r"e-?mail|terminal|dependency|environment)[\s-]+(?:runner|manager|client|editor))"
)
#: "Discovered dbmate, a migration runner", "I use lazygit now, a terminal UI for git".
_APPOSED = re.compile(
    r"\b(?:discovered|found|came across|tried(?: out)?|us(?:e|ed|es|ing)|adopted|switched to|moved to|recommends?)\s+"
    rf"{_NAME}(?:\s+(?:now|today|lately|instead|daily))?\s*,\s+an?\s+(?:[\w-]+\s+){{0,4}}?{_PROGRAMS}\b",
    re.IGNORECASE,
)
#: "Set up Caddy as reverse proxy", "set up Postgres on the box".
_SET_UP = re.compile(
    rf"(?<!not )(?<!n't )\bset(?:ting)?\s+up\s+{_NAME}\s+(?:"
    rf"as\s+(?:an?\s+|the\s+|our\s+)?(?:[\w-]+\s+){{0,3}}?{_PROGRAMS}\b"
    r"|on\s+(?:the|my|our)\s+(?:box|server|host|laptop|machine|vps|cluster)\b)",
    re.IGNORECASE,
)
#: "Install Docker", "installed `ripgrep`"; not "the install", "installed yesterday" or "not installed".
_INSTALL = re.compile(
    rf"(?<!not )(?<!n't )(?<!the )(?<!an )\b(?:re)?install(?:ed|ing)?\s+(?:the\s+)?(?:latest\s+|new\s+)?{_NAME}",
    re.IGNORECASE,
)
#: Words after "install" that are no name of a program.
_NO_PROGRAM = re.compile(
    r"""(?x) (?:
    a|all|an|and|any|as|at|base|before|by|command|commands|everything|failed|fails|
    first|for|from|guide|here|how|i|in|instructions|into|is|it|latest|manual|no|not|
    of|on|one|only|or|our|out|page|process|script|section|so|step|steps|successfully|
    that|them|then|there|these|they|this|to|today|took|twice|was|we|were|when|which|
    with|without|yesterday|you|your
    )""",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:we|i|they|team)(?:'ve|'ll| have| has)? (?:finally |then |just )?(?:decided|agreed|chose|settled on|opted)\b"
    r"|\b(?:decision|decided|agreed)\s*:|\bit (?:was|is) (?:decided|agreed)\b|\bthe (?:team|group|board) decided\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\bnext\b|\bto-?do\b|\[ \]|\bfollow[- ]?ups?\b|\bactions?(?: items?)?\s*:|\bowner\s*:|\bdue\b|\bdeadline\b"
    r"|\bby (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bby \d|\bby tomorrow\b|\b(?:will|shall|'ll|is going to)\b"
    r"|\bremaining\b|→|->|\bdone\b|\balready\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class NoteWarning:
    """Gap in a note.

    Args:
        path: File.
        line: Number of the line, from 1.
        kind: Kind of the gap.
        text: The line.
        suggestion: What to add.
    """

    path: Path
    line: int
    kind: WarningKind
    text: str
    suggestion: str

    __str__ = printed


@dataclass(frozen=True, slots=True)
class NotesReport:
    """Report of a check of notes.

    Args:
        files: Files that were read.
        warnings: Warnings in the order of the files and lines.
        urls: Web addresses, each once.
        commands: Shell commands, each once.
        paths: Paths of files, each once.
        notes: Files that were not read, with the reason.
    """

    files: tuple[Path, ...]
    warnings: tuple[NoteWarning, ...]
    urls: tuple[str, ...]
    commands: tuple[str, ...]
    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()

    __str__ = printed


@dataclass(slots=True)
class _Unit:
    """Paragraph or list item with the fenced blocks that follow it."""

    line: int
    section: int
    lines: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)

    @property
    def prose(self) -> str:
        return " ".join(line.strip() for line in self.lines)

    @property
    def whole(self) -> str:
        return "\n".join((*self.lines, *self.code))


@checked
def check_notes(path: str | Path) -> NotesReport:
    """Checks a file, or all notes of a folder and its subfolders, and extracts addresses, commands and paths.

    Hidden files and folders are left out. Nothing is changed.

    Args:
        path: File of any suffix, or folder, of which `.md`, `.markdown`, `.txt`, `.rst` and `.org` files are read.

    Raises:
        NotFoundError: There is no such file or folder.
        InvalidInputError: A file that was named cannot be read as UTF-8 text, or is over 2 MiB.
    """
    root = Path(path)
    if not root.exists():
        raise NotFoundError(f"there is no file or folder {str(root)!r}. Pass the path of your notes")
    read, warned, notes = [], list[NoteWarning](), []
    found: dict[str, dict[str, None]] = {"urls": {}, "commands": {}, "paths": {}}
    for file in [root] if root.is_file() else _notes_of(root):
        try:
            text = _text_of(file)
        except InvalidInputError as error:
            if root.is_file():
                raise
            notes.append(str(error))
            continue
        read.append(file)
        units = list(_units(text))
        for unit in units:
            for kind, values in findings(unit.whole).items():
                found[kind].update(dict.fromkeys(values))
        warned += _warnings(file, units)
    return NotesReport(
        tuple(read), tuple(warned), tuple(found["urls"]), tuple(found["commands"]), tuple(found["paths"]),
        tuple(notes),
    )  # fmt: skip


def _notes_of(folder: Path) -> list[Path]:
    return sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _text_of(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise InvalidInputError(f"{str(file)!r} is over {LARGEST} bytes. Split it, or pass another file")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{str(file)!r} is no UTF-8 text. Convert it, or pass another file"
        ) from error
    except OSError as error:
        raise InvalidInputError(
            f"{str(file)!r} cannot be read: {error.strerror}. Check its permissions"
        ) from error


def _units(text: str) -> Iterator[_Unit]:
    """Yields paragraphs and list items; a fenced block belongs to the unit before it."""
    unit: _Unit | None = None
    section, is_open, is_fenced = 0, False, False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            is_fenced = not is_fenced
            unit = unit or _Unit(number, section)
            unit.code.append(line)
            continue
        if is_fenced:
            assert unit is not None
            unit.code.append(line)
            continue
        is_heading = bool(_HEADING.match(line))
        if not line.strip():
            is_open = False
            continue
        if unit is None or not is_open or is_heading or _ITEM.match(line):
            if unit is not None:
                yield unit
            section += is_heading
            unit = _Unit(number, section)
        unit.lines.append(line)
        is_open = not is_heading
    if unit is not None:
        yield unit


def _warnings(file: Path, units: list[_Unit]) -> Iterator[NoteWarning]:
    addresses = " ".join(url for unit in units for url in findings(unit.whole)["urls"]).casefold()
    for place, unit in enumerate(units):
        prose = unit.prose
        has = findings(unit.whole)
        tool = _TOOL.search(prose) or _APPOSED.search(prose)
        name = _name(tool)
        if name and not has["urls"] and name.casefold() not in addresses:
            yield _warning(file, unit, "tool_without_link", name)
        install = _INSTALL.search(prose) or _SET_UP.search(prose)
        name = _name(install)
        # A command may stand between backticks, or in the code of this unit or of the next one.
        after = units[place + 1] if place + 1 < len(units) else None
        coded = unit.code or (after is not None and after.section == unit.section and after.code)
        if name and not _NO_PROGRAM.fullmatch(name) and not has["commands"] and not coded:
            yield _warning(file, unit, "install_without_command", name)
        if _DECISION.search(prose):
            rest = [other for other in units[place:] if other.section == unit.section]
            if not any(_NEXT.search(other.prose) for other in rest):
                yield _warning(file, unit, "decision_without_next_step", "")


def _name(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    return match["quoted"] or match["bold"] or match["plain"] or ""


def _warning(file: Path, unit: _Unit, kind: WarningKind, name: str) -> NoteWarning:
    return NoteWarning(file, unit.line, kind, unit.prose, SUGGESTIONS[kind].format(name=name))
