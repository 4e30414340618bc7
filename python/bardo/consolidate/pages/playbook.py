"""PLAYBOOK.md: the heuristics that are acted by, and what people wrote beside them."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bardo import config
from bardo._atomic import make_folder, parse_json, write_atomically
from bardo._core import FactStore, Standing, modes_with, promoted_facts
from bardo._printed import printed
from bardo.capture.traces import Needles
from bardo.clock import day_of
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.consolidate.pages.subjects import GENERAL
from bardo.consolidate.pages.twins import Wording
from bardo.consolidate.pages.wording import Rule, counted, one_line

#: Marks around lines of a person, which are kept.
HAND_BEGINS, HAND_ENDS = "<!-- by hand -->", "<!-- end of by hand -->"
#: Bytes kept free for the line that counts what did not fit.
_ROOM_FOR_COUNT = 128

_HEADER = re.compile(r"<!-- bardo:playbook (\{[^\n]*\}) -->\n")
#: The footnote of an entry, which names its fact.
_NOTE = re.compile(r"^\[\^[0-9a-f]{8}\]: fact ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$", re.MULTILINE)
#: The mark of a footnote at the end of an entry.
_MARK = re.compile(r" ?\[\^[0-9a-f]{8}\]$")
#: Lines that bardo writes, by their form.
_OURS = re.compile(r"# Playbook of |Rules to act by: |## |- .*\[\^[0-9a-f]{8}\]$|\d+ less sure rules? ")
#: Categories that say no more than that a fact is a rule, and the heading for them.
_PLAIN_CATEGORIES, _RULES = ("", "heuristics"), "Rules"


@dataclass(frozen=True, slots=True)
class Entry:
    """A heuristic that is acted by.

    Args:
        fact: Id of the fact.
        section: Category of the fact, or the ancestor from whom it came.
        line: Line of the file, `When X, prefer Y` where the fact says both.
        confidence: Today, 0..1.
        innate: Whether an ancestor lived it, and the agent's own episodes bore it out.
    """

    fact: str
    section: str
    line: str
    confidence: float
    innate: bool

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Playbook:
    """The playbook as it is.

    Args:
        text: The file, without the line that states its version.
        version: Counts the versions; 0 before the first.
        entries: What stands in it, the surest first.
        left_out: Further heuristics that are acted by and did not fit; the least sure.
        merged: Further heuristics that are acted by and say the same as an entry.
        promoted: Ids of facts that this version took in.
        retired: Ids of facts that it no longer has.
        by_hand: What people wrote.
        changed: Whether the file was written.
    """

    text: str
    version: int
    entries: tuple[Entry, ...]
    left_out: int
    merged: int
    promoted: tuple[str, ...]
    retired: tuple[str, ...]
    by_hand: str
    changed: bool

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the playbook that is kept.

    Args:
        number: From 1.
        tick: When it was written, in ticks.
        at: When it was written, in microseconds UTC.
        entries: How many heuristics it had.
        path: The file.
    """

    number: int
    tick: int
    at: int
    entries: int
    path: Path

    __str__ = printed


class Playbooks:
    """The playbook of one grimoire: the only writer of `PLAYBOOK.md`; safe to share among threads.

    Args:
        path: The file.
        history: Folder of its versions, the one in force included.
        facts: What is known.
        settings: What is promoted, and how large the file may be.
        agent: Whose it is.
        dates: Dates of facts.
    """

    def __init__(
        self,
        path: Path,
        history: Path,
        facts: FactStore,
        settings: config.Playbook,
        *,
        agent: str,
        dates: FactDates,
    ) -> None:
        self._dates = dates
        self._path = path
        self._history = history
        self._facts = facts
        self._settings = settings
        self._agent = agent
        self._lock = threading.Lock()

    def renew(self, *, tick: int, now: int, keep: bool = True, mode: str | None = None) -> Playbook:
        """The playbook of now; written if anything but the time has changed.

        Args:
            tick: Now, in ticks.
            now: Now, in microseconds UTC.
            keep: Whether it may be written.
            mode: Only heuristics of this mode, of those it shares with, and of none; the file is then not written.
        """
        keep = keep and mode is None
        with self._lock:
            before = _read(self._path)
            version = _header(before).get("version", 0)
            by_hand = self._by_hand(before, version)
            standings = promoted_facts(
                self._facts,
                tick=tick,
                active_ticks=self._settings.active_ticks,
                confidence=self._settings.confidence,
            )
            scopes = self._facts.scopes([standing.fact.id for standing in standings])
            of_modes = {standing.fact.id: own for standing, (_, own) in zip(standings, scopes, strict=True)}
            if mode is not None:
                seen = {None, *modes_with(mode)}
                standings = [standing for standing in standings if of_modes[standing.fact.id] in seen]
            known = _notes(before)
            distinct = self._distinct(standings)
            entries = [self._entry(standing, of_modes[standing.fact.id]) for standing in distinct]
            stored = {standing.fact.id: standing.fact.confidence for standing in standings}
            body, shown = self._compose(entries, stored, by_hand)
            there = {entry.fact for entry in shown}
            changed = body != _HEADER.sub("", before, count=1) and bool(before or entries)
            if changed:
                version = max([version, *self._numbers()]) + 1
                if keep:
                    header = {"version": version, "tick": tick, "at": now}
                    self._write(
                        f"<!-- bardo:playbook {json.dumps(header, separators=(',', ':'))} -->\n{body}",
                        version,
                    )
            return Playbook(
                text=body if before or entries else "",
                version=version,
                entries=tuple(shown),
                left_out=len(entries) - len(shown),
                merged=len(standings) - len(entries),
                promoted=tuple(entry.fact for entry in shown if entry.fact not in known),
                retired=tuple(sorted(known - there)),
                by_hand=by_hand,
                changed=changed and keep,
            )

    def versions(self) -> list[Version]:
        """The versions that are kept, the latest first."""
        with self._lock:
            found = []
            for number in sorted(self._numbers(), reverse=True):
                path = self._version(number)
                text = _read(path)
                header = _header(text)
                found.append(
                    Version(number, header.get("tick", 0), header.get("at", 0), len(_notes(text)), path)
                )
            return found

    def _distinct(self, standings: Sequence[Standing]) -> list[Standing]:
        """The heuristics without those that say the same as another: of these the agent's own measured one stands."""

        def worth(place: int) -> tuple[bool, int]:
            rule = Rule.of(standings[place].fact)
            return standings[place].innate or rule is None or rule.interval is None, place

        kept: dict[int, Wording] = {}
        for place in sorted(range(len(standings)), key=worth):
            wording = Wording(standings[place].fact)
            if not any(other.says_same(wording) for other in kept.values()):
                kept[place] = wording
        return [standings[place] for place in sorted(kept)]

    def _entry(self, standing: Standing, mode: str | None) -> Entry:
        fact, rule = standing.fact, Rule.of(standing.fact)
        said = rule.advice if rule else one_line(fact.text)
        remarks = [rule.likely] if rule and rule.likely else []
        remarks.append(rule.evidence(fact, self._agent) if rule else counted(fact.support, "episode"))
        if standing.outcomes:
            good, bad, *_ = standing.outcomes
            # A rule that lowers an outcome is borne out by bad ones.
            verdict = "as it says" if rule and rule.effect < 0 else "good"
            remarks.append(f"{good:,} of {counted(good + bad, 'outcome')} {verdict}")
        confirmed = self._dates.confirmed(fact)
        remarks += [] if confirmed is None else [f"last confirmed {day_of(confirmed)}"]
        remarks += [] if mode is None else [f"mode {one_line(mode)}"]
        section = one_line(fact.category)
        if standing.innate:
            section = f"From {one_line(fact.origin)}, confirmed here"
        elif section in _PLAIN_CATEGORIES:
            section = _RULES if rule else GENERAL
        line = f"- {said} ({'; '.join(remarks)}){_mark(fact.id)}"
        return Entry(fact.id, section, line, standing.confidence, standing.innate)

    def _compose(
        self, entries: Sequence[Entry], stored: Mapping[str, float], by_hand: str
    ) -> tuple[str, list[Entry]]:
        """The file without its first line, and the entries that fit: the least sure are left out."""
        title = (
            f"# Playbook of {one_line(self._agent)}\n\n"
            "Rules to act by: confirmed, tried with success, and at least "
            f"{100 * self._settings.confidence:g} % sure today. bardo writes this file again; what you write between "
            "the next two lines is kept.\n\n"
            f"{HAND_BEGINS}\n{by_hand}{HAND_ENDS}\n"
        )
        room = self._settings.bytes - len(title.encode()) - _ROOM_FOR_COUNT
        sections: dict[str, list[Entry]] = {}
        shown = []
        for entry in entries:
            heading = 0 if entry.section in sections else len(_heading(entry.section).encode())
            size = heading + len(f"{entry.line}\n{_note(entry.fact)}\n".encode())
            if size > room:
                break
            room -= size
            sections.setdefault(entry.section, []).append(entry)
            shown.append(entry)
        parts = [title]
        innate = {entry.section for entry in shown if entry.innate}
        for name in sorted(sections, key=lambda name: (name in innate, name)):
            # By the confidence that is stored, not by that of today: time alone changes no order.
            held = sorted(sections[name], key=lambda entry: (-stored[entry.fact], entry.line))
            parts.append(_heading(name) + "".join(f"{entry.line}\n" for entry in held))
        if missing := len(entries) - len(shown):
            parts.append(f"\n{counted(missing, 'less sure rule')} did not fit.\n")
        if shown:
            parts.append("\n" + "".join(f"{note}\n" for note in sorted(_note(entry.fact) for entry in shown)))
        return "".join(parts), shown

    def _by_hand(self, text: str, version: int) -> str:
        """Returns the lines of people: between the marks, and lines elsewhere that the last version did not have."""
        kept, rest = _split(text)
        last = _read(self._version(version)) if version else ""
        # Without a copy of the last version, changed lines of bardo cannot be told from a person's.
        written = Counter(_split(last)[1] if last or not version else filter(_is_ours, rest))
        strays = []
        for line in rest:
            if written[line]:
                written[line] -= 1
            elif line.strip() and not _HEADER.match(f"{line}\n"):
                strays.append(_MARK.sub("", line.rstrip()))
        return "".join(f"{line}\n" for line in [*kept, *strays])

    def _write(self, text: str, version: int) -> None:
        # The copy first: what a person changes in the file is told by it.
        make_folder(self._history)
        write_atomically(self._version(version), text.encode())
        write_atomically(self._path, text.encode())
        for number in sorted(self._numbers())[: -max(self._settings.history, 1)]:
            self._version(number).unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        return [int(path.stem) for path in self._history.glob("*.md") if path.stem.isdigit()]

    def _version(self, number: int) -> Path:
        return self._history / f"{number:06}.md"


def forget(paths: Iterable[Path], ids: Iterable[str], needles: Needles) -> list[Path]:
    """Takes every line that names a fact, or holds a piece of a text, out of files.

    Args:
        paths: The playbook and its versions.
        ids: Facts that are gone.
        needles: What must not be found any more, in people's own lines either.

    Returns:
        The files that were written again.
    """
    names = [name for id_ in ids for name in (id_, _mark(id_))]
    pieces = {piece for piece in needles.pieces if piece}
    changed = []
    for path in paths:
        text = _read(path)
        doomed = _lines_with(text, pieces)
        kept = [
            line
            for number, line in enumerate(text.splitlines(keepends=True))
            if number not in doomed and not any(name in line for name in names)
        ]
        left = "".join(kept)
        if left != text:
            write_atomically(path, left.encode())
            changed.append(path)
    return changed


def _lines_with(text: str, pieces: Iterable[str]) -> set[int]:
    """Numbers of the lines over which a piece of a text reaches, also where its white space became single spaces."""
    found = set()
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for piece in pieces:
        at = text.find(piece)
        while at >= 0:
            end = at + len(piece)
            found |= {
                number for number in range(len(lines)) if starts[number] < end and at < starts[number + 1]
            }
            at = text.find(piece, end)
        plain = one_line(piece)
        found |= {number for number, line in enumerate(lines) if plain and plain in one_line(line)}
    return found


def _mark(fact: str) -> str:
    """The mark of an entry's footnote; the last digits of an id are random, the first ones are its time."""
    return f"[^{fact[-8:]}]"


def _note(fact: str) -> str:
    return f"{_mark(fact)}: fact {fact}"


def _notes(text: str) -> set[str]:
    """Ids of the facts in a playbook."""
    return set(_NOTE.findall("\n".join(_split(text)[1])))


def _is_ours(line: str) -> bool:
    return bool(_OURS.match(line) or _NOTE.match(line))


def _heading(section: str) -> str:
    return f"\n## {section}\n"


def _split(text: str) -> tuple[list[str], list[str]]:
    """The lines that stand between the marks, and the others; without the marks."""
    lines = text.removesuffix("\n").split("\n") if text else []
    try:
        begin = lines.index(HAND_BEGINS)
        end = lines.index(HAND_ENDS, begin)
    except ValueError:
        begin = end = 0
    kept, rest = lines[begin + 1 : end], lines[:begin] + lines[end + bool(end) :]
    marks = (HAND_BEGINS, HAND_ENDS)
    return [line for line in kept if line not in marks], [line for line in rest if line not in marks]


def _header(text: str) -> dict[str, int]:
    """The version, tick and instant that a file says it is of; empty for a file that is not bardo's."""
    found = _HEADER.match(text)
    try:
        fields = parse_json(found[1]) if found else {}
        return {name: int(fields.get(name, 0)) for name in ("version", "tick", "at")}
    except (ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _read(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        # An editor saved it in an old encoding; this one reads every byte.
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n")
