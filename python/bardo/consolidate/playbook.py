"""PLAYBOOK.md: the heuristics that are acted by, and what people wrote beside them."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bardo import config
from bardo._atomic import make_folder, parse_json, write_atomically
from bardo._core import FactStore, Standing, modes_with, promoted_facts
from bardo.capture.traces import Needles
from bardo.consolidate.dossier import UNFILED, one_line

#: Heading of what was confirmed over generations.
INNATE = "Innate"
#: Marks around lines of a person, which are kept.
HAND_BEGINS, HAND_ENDS = "<!-- by hand -->", "<!-- end of by hand -->"
#: Bytes kept free for the line that counts what did not fit.
_ROOM_FOR_COUNT = 128

_HEADER = re.compile(r"<!-- bardo:playbook (\{[^\n]*\}) -->\n")
_ENTRY = re.compile(r"<!-- ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) -->$", re.MULTILINE)
#: Lines that bardo writes, by their form.
_OURS = re.compile(
    r"# PLAYBOOK of |Heuristics that were confirmed, |## |- .*<!-- [0-9a-f-]{36} -->$|\d+ less sure heuristics "
)
#: How an action reads in the payload of a heuristic that was found without a model: `action is buy`.
_ACTION = re.compile(r"(^| and )(?:[\w.]*\.)?(?:action|decision|side|strategy) is ")


@dataclass(frozen=True, slots=True)
class Entry:
    """A heuristic that is acted by.

    Args:
        fact: Id of the fact.
        section: Its strategy (the category of the fact), or `Innate`.
        line: As it stands in the file, `when X, do Y` where the fact says both.
        confidence: Today, 0..1.
        innate: Whether an ancestor lived it, and the agent's own episodes bore it out.
    """

    fact: str
    section: str
    line: str
    confidence: float
    innate: bool


@dataclass(frozen=True, slots=True)
class Playbook:
    """The playbook as it is.

    Args:
        text: The whole file.
        version: Counts the versions; 0 before the first.
        entries: What stands in it, the surest first.
        left_out: Further heuristics that are acted by and did not fit; the least sure.
        promoted: Ids of facts that this version took in.
        retired: Ids of facts that it no longer has.
        by_hand: What people wrote.
        changed: Whether the file was written.
    """

    text: str
    version: int
    entries: tuple[Entry, ...]
    left_out: int
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
        tick: When it was written.
        entries: How many heuristics it had.
        path: The file.
    """

    number: int
    tick: int
    entries: int
    path: Path


class Playbooks:
    """The playbook of one grimoire: the only writer of `PLAYBOOK.md`; safe to share among threads.

    Args:
        path: The file.
        history: Folder of its versions, the one in force included.
        facts: What is known.
        settings: What is promoted, and how large the file may be.
        agent: Whose it is.
    """

    def __init__(
        self, path: Path, history: Path, facts: FactStore, settings: config.Playbook, agent: str
    ) -> None:
        self._path = path
        self._history = history
        self._facts = facts
        self._settings = settings
        self._agent = agent
        self._lock = threading.Lock()

    def renew(self, *, tick: int, keep: bool = True, mode: str | None = None) -> Playbook:
        """The playbook of now; written if anything but the time has changed.

        Args:
            tick: Now.
            keep: Whether it may be written.
            mode: Only heuristics of this mode, of those it shares with, and of none; the file is then not written.
        """
        keep = keep and mode is None
        with self._lock:
            before = _read(self._path)
            version, _ = _header(before)
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
            entries = [_entry(standing, of_modes[standing.fact.id]) for standing in standings]
            stored = {standing.fact.id: standing.fact.confidence for standing in standings}
            body, shown = self._compose(entries, stored, by_hand)
            known = set(_ENTRY.findall("\n".join(_split(before)[1])))
            there = {entry.fact for entry in shown}
            changed = body != _HEADER.sub("", before, count=1) and bool(before or entries)
            if changed:
                version = max([version, *self._numbers()]) + 1
                before = f'<!-- bardo:playbook {{"version":{version},"tick":{tick}}} -->\n{body}'
                if keep:
                    self._write(before, version)
            return Playbook(
                text=before,
                version=version,
                entries=tuple(shown),
                left_out=len(entries) - len(shown),
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
                found.append(Version(number, _header(text)[1], len(_ENTRY.findall(text)), path))
            return found

    def _compose(
        self, entries: Sequence[Entry], stored: Mapping[str, float], by_hand: str
    ) -> tuple[str, list[Entry]]:
        """The file without its first line, and the entries that fit: the least sure are left out."""
        title = (
            f"# PLAYBOOK of {one_line(self._agent)}\n\n"
            "Heuristics that were confirmed, tried and found good, each with a confidence of at least "
            f"{self._settings.confidence:g} today. "
            "bardo writes this file again; what you write between the next two lines is kept.\n\n"
            f"{HAND_BEGINS}\n{by_hand}{HAND_ENDS}\n"
        )
        room = self._settings.bytes - len(title.encode()) - _ROOM_FOR_COUNT
        sections: dict[str, list[Entry]] = {}
        shown = []
        for entry in entries:
            heading = 0 if entry.section in sections else len(_heading(entry.section).encode())
            size = heading + len(entry.line.encode()) + 1
            if size > room:
                break
            room -= size
            sections.setdefault(entry.section, []).append(entry)
            shown.append(entry)
        parts = [title]
        for name in sorted(sections, key=lambda name: (name == INNATE, name)):
            # By the confidence that is stored, not by that of today: time alone changes no order.
            held = sorted(sections[name], key=lambda entry: (-stored[entry.fact], entry.line))
            parts.append(_heading(name) + "".join(f"{entry.line}\n" for entry in held))
        if len(shown) < len(entries):
            parts.append(
                f"\n{len(entries) - len(shown)} less sure heuristics did not fit and are left out.\n"
            )
        return "".join(parts), shown

    def _by_hand(self, text: str, version: int) -> str:
        """Returns the lines of people: between the marks, and lines elsewhere that the last version did not have."""
        kept, rest = _split(text)
        last = _read(self._version(version)) if version else ""
        # Without a copy of the last version, changed lines of bardo cannot be told from a person's.
        written = Counter(_split(last)[1] if last or not version else filter(_OURS.match, rest))
        strays = []
        for line in rest:
            if written[line]:
                written[line] -= 1
            elif line.strip() and not _HEADER.match(f"{line}\n"):
                strays.append(_ENTRY.sub("", line).rstrip())
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
    gone = set(ids)
    pieces = {piece for piece in needles.pieces if piece}
    changed = []
    for path in paths:
        text = _read(path)
        doomed = _lines_with(text, pieces)
        kept = [
            line
            for number, line in enumerate(text.splitlines(keepends=True))
            if number not in doomed and not gone & set(_ENTRY.findall(line))
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


def _entry(standing: Standing, mode: str | None) -> Entry:
    fact = standing.fact
    payload = fact.payload
    condition, action = (one_line(str(payload.get(name, ""))) for name in ("condition", "action"))
    remarks = [f"sure {fact.confidence:.2f} at tick {fact.reinforced_tick}"]
    if payload.get("type") == "heuristic" and condition:
        outcome, effect = one_line(str(payload.get("outcome", ""))), float(payload.get("effect", 0.0))
        low, high = (float(end) for end in payload.get("interval", (0.0, 0.0)))
        said = f"when {condition}, {_advice(action, outcome, effect)}"
        remarks.insert(0, f"effect {effect:.4g}, {low:.4g} to {high:.4g}, n {payload.get('n', 0)}")
        if action:
            remarks.insert(0, outcome)
    else:
        said = one_line(fact.text)
        remarks.insert(0, f"{fact.support} episodes")
    if standing.outcomes:
        good, bad, *_ = standing.outcomes
        remarks.append(f"went well {good} times" + (f", badly {bad}" if bad else ""))
    if mode is not None:
        remarks.append(f"mode {one_line(mode)}")
    section = INNATE if standing.innate else one_line(fact.category) or UNFILED
    line = f"- {said} ({'; '.join(remark for remark in remarks if remark)}) <!-- {fact.id} -->"
    return Entry(fact.id, section, line, standing.confidence, standing.innate)


def _advice(action: str, outcome: str, effect: float) -> str:
    """Do, or avoid, what the agent did; where it did nothing in particular, what to expect."""
    if not action:
        return f"expect that {outcome}"
    plain = _ACTION.sub(r"\1", action)
    return f"{'do' if effect >= 0 else 'avoid'} {plain}"


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


def _header(text: str) -> tuple[int, int]:
    """The version and the tick that a file says it is of; zeros for a file that is not bardo's."""
    found = _HEADER.match(text)
    try:
        fields = parse_json(found[1]) if found else {}
        return int(fields.get("version", 0)), int(fields.get("tick", 0))
    except (ValueError, TypeError):
        return 0, 0


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
