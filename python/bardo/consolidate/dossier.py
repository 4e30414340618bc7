"""The dossier: one page of all knowledge, compiled when that changed, so that no search is needed."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bardo import config
from bardo._atomic import parse_json, write_atomically
from bardo._core import Digest, FactStore, digest_facts
from bardo.clock import MICROSECONDS
from bardo.ports import Progress, no_progress

#: Facts that are read for a dossier: more cannot stand in it.
CANDIDATES = 128
#: Facts in a row that no longer fit, after which no other is tried.
PATIENCE = 12
#: Words of one fact at most; a longer one is cut, and counted.
FACT_WORDS = 40
#: A word has so many characters; what has more without a space counts as several (web addresses, Chinese).
WORD_CHARACTERS = 16
#: Categories that the index names, links that a fact names.
INDEXED, REFERENCES = 12, 3
#: Heading of what has no category.
UNFILED = "general"

_MARK = "bardo:dossier"
_HEADER = re.compile(rf"<!-- {_MARK} (\{{.*\}}) -->\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_WORDS_OF_RELATIONS = {"see_also": "see", "part_of": "part of"}


@dataclass(frozen=True, slots=True)
class Dossier:
    """Knowledge as of a tick, as Markdown of fewer than 600 words.

    Args:
        text: The markdown.
        tick: When it was compiled, in ticks.
        at: When, in microseconds UTC.
        learned: Number of the last change of what was known then; no fact is newer while it stands.
        total: Facts in force then.
        shown: Those that are in the text.
        outweighed: Those that are not because a stronger one contradicts them.
        left_out: Number of facts omitted because the page is full.
        shortened: Those in the text of which only the beginning is.
        expires_tick: The first tick at which one of the facts in force expires; the dossier is stale after it.
    """

    text: str
    tick: int
    at: int
    learned: int
    total: int
    shown: int
    outweighed: int
    left_out: int
    shortened: int
    expires_tick: int | None

    def is_fresh(self, learned: int, tick: int) -> bool:
        """Whether no fact is newer, and none has expired since."""
        return self.learned == learned and (self.expires_tick is None or tick <= self.expires_tick)

    def passages(self) -> list[Passage]:
        """Its sections as what a prompt fences as memories: the beginning with the index first, then each category."""
        parts = re.split(r"\n(?=## )", self.text)
        return [Passage(part.strip(), self.tick, self.at, self.learned) for part in parts]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Passage:
    """A section of a dossier in the shape of a recalled memory.

    Args:
        text: Markdown.
        tick: When it was compiled, in ticks.
        at: When, in microseconds UTC.
        learned: Number of the change up to which it was compiled.
        layer: What it is: neither an episode nor one fact, so that no outcome moves a fact by it.
        source: Where it came from, as a prompt says it.
        confidence: None: each of its lines says its own.
        inherited: Nothing of that either.
        record: There is no single one.
    """

    text: str
    tick: int
    at: int
    learned: int
    layer: str = "dossier"
    source: str = "dossier"
    confidence: float | None = None
    inherited: bool = False
    record: Any = None

    @property
    def id(self) -> str:
        """Id of the dossier in the records of prompts."""
        return f"dossier-{self.learned}"


def words(text: str) -> int:
    """How many words a text has; a run of more than 16 characters counts as several."""
    pieces = text.split()
    return len(pieces) + sum(
        (len(piece) - 1) // WORD_CHARACTERS for piece in pieces if len(piece) > WORD_CHARACTERS
    )


def compose(digest: Digest, *, agent: str, tick: int, at: int, limit: int) -> Dossier:
    """Writes a dossier: the same facts at the same tick give the same text.

    Args:
        digest: The strongest facts in force.
        agent: Whose they are.
        tick: Now, in ticks.
        at: Now, in microseconds UTC.
        limit: It has fewer words than this.
    """
    page = _Page(digest, agent, tick)
    count = len(digest.facts)

    def fits(places: Sequence[int]) -> bool:
        return words(page.write(places)) < limit

    # The page grows with each fact, so that as many of the first as fit are found by doubling and halving; of the rest
    # each is tried.
    tried = 16
    while tried < count and fits(range(tried)):
        tried *= 2
    tried = min(tried, count)
    first = (
        tried if fits(range(tried)) else bisect_left(range(1, tried), True, key=lambda n: not fits(range(n)))
    )
    chosen = list(range(first))
    missed = 0
    for place in range(first, count):
        if fits([*chosen, place]):
            chosen.append(place)
            missed = 0
        elif (missed := missed + 1) == PATIENCE:
            break
    return Dossier(
        text=page.write(chosen),
        tick=tick,
        at=at,
        learned=digest.learned,
        total=digest.total,
        shown=len(chosen),
        outweighed=digest.outweighed,
        left_out=page.left_out(chosen),
        shortened=page.shortened(chosen),
        expires_tick=digest.expires_tick,
    )


class _Page:
    """A dossier in the making: which facts are on it is tried out."""

    def __init__(self, digest: Digest, agent: str, tick: int) -> None:
        self._digest = digest
        self._title = f"# What {one_line(agent)} holds true"
        self._tick = tick
        self._texts = [_cut(one_line(fact.text)) for fact, _ in digest.facts]
        self._sections = [one_line(fact.category.split("/")[0]) or UNFILED for fact, _ in digest.facts]
        self._disputed = set(digest.disputed)
        self._places = {fact.id: place for place, (fact, _) in enumerate(digest.facts)}

    def left_out(self, chosen: Sequence[int]) -> int:
        return self._digest.total - self._digest.outweighed - len(chosen)

    def shortened(self, chosen: Sequence[int]) -> int:
        return sum(self._texts[place][1] for place in chosen)

    def write(self, chosen: Sequence[int]) -> str:
        sections: dict[str, list[int]] = {}
        for place in chosen:
            sections.setdefault(self._sections[place], []).append(place)
        order = [place for held in sections.values() for place in held]
        numbers = {place: number for number, place in enumerate(order, start=1)}
        parts = [self._title, self._preface(chosen), self._index()]
        for name, held in sections.items():
            parts.append(f"## {name}\n" + "\n".join(self._line(place, numbers) for place in held))
        return "\n\n".join(part for part in parts if part) + "\n"

    def _preface(self, chosen: Sequence[int]) -> str:
        told = [
            f"{len(chosen)} of {self._digest.total} facts in force at tick {self._tick}; in brackets how sure each is."
        ]
        counts = (
            (self.left_out(chosen), "left out because the page is full"),
            (self._digest.outweighed, "left out because a stronger one contradicts them"),
            (self.shortened(chosen), "cut short"),
        )
        told += [f"{count} {why}." for count, why in counts if count]
        return " ".join(told)

    def _index(self) -> str:
        most = sorted(self._digest.categories, key=lambda pair: (-pair[1], pair[0]))
        named = ", ".join(f"{one_line(name) or UNFILED} {count}" for name, count in most[:INDEXED])
        more = f", and {len(most) - INDEXED} more" if len(most) > INDEXED else ""
        return f"Index: {named}{more}." if most else ""

    def _line(self, place: int, numbers: dict[int, int]) -> str:
        fact, sure = self._digest.facts[place]
        remarks = [f"{sure:.2f}", *(("pinned",) if fact.pinned else ())]
        remarks += ["disputed"] if fact.id in self._disputed else []
        found = [
            (-weight, numbers[other], relation)
            for source, target, relation, weight, _ in self._digest.links
            if source == fact.id and (other := self._places[target]) in numbers and target != source
        ]
        remarks += [
            f"{_WORDS_OF_RELATIONS.get(relation, relation)} {number}"
            for _, number, relation in sorted(found)[:REFERENCES]
        ]
        return f"{numbers[place]}. {self._texts[place][0]} ({', '.join(remarks)})"


def one_line(text: str) -> str:
    """A text on one line, which opens no comment."""
    return " ".join(_CONTROL.sub(" ", text).split()).replace("<!--", "&lt;!--")


def _cut(text: str) -> tuple[str, bool]:
    """At most so many words of a text, and whether that was not all."""
    if words(text) <= FACT_WORDS:
        return text, False
    kept: list[str] = []
    room = FACT_WORDS
    for piece in text.split():
        part = piece[: room * WORD_CHARACTERS]
        kept.append(part)
        room -= words(part)
        if room <= 0:
            break
    return f"{' '.join(kept)} ...", True


class Dossiers:
    """The dossier of one grimoire: the only writer of `DOSSIER.md`; safe to share among threads.

    Args:
        path: The file.
        facts: What is known.
        settings: Its size, and how far behind it may be.
        agent: Whose it is.
    """

    def __init__(self, path: Path, facts: FactStore, settings: config.Dossier, agent: str) -> None:
        self._path = path
        self._facts = facts
        self._settings = settings
        self._agent = agent
        self._lock = threading.Lock()
        self._known: Dossier | None = None
        #: The last change that was seen and when, and since when the file has been behind; microseconds UTC.
        self._seen: tuple[int, int] | None = None
        self._behind_since: int | None = None

    def fresh(self, *, tick: int) -> Dossier | None:
        """The dossier, if no fact is newer than it."""
        with self._lock:
            known = self._latest()
            return known if known and known.is_fresh(self._facts.last_learned, tick) else None

    def current(self, *, tick: int, now: int, keep: bool = True, progress: Progress = no_progress) -> Dossier:
        """The dossier of now: compiled again if it is not fresh, and kept in its file.

        Args:
            tick: Now, in ticks.
            now: Now, in microseconds UTC.
            keep: Whether it may be written.
            progress: Told when it is compiled.
        """
        with self._lock:
            known = self._latest()
            if known and known.is_fresh(self._facts.last_learned, tick):
                return known
            return self._compile(tick, now, keep=keep, progress=progress)

    def compile_if_due(self, *, tick: int, now: int, at_once: bool) -> bool:
        """Compiles the dossier again if facts changed and it is time.

        It waits until nothing more has changed for a while (60 s), but is never longer behind than a limit (5 min).

        Args:
            tick: Now, in ticks.
            now: Now, in microseconds UTC.
            at_once: Whether not to wait.

        Returns:
            Whether it was compiled.
        """
        with self._lock:
            learned = self._facts.last_learned
            known = self._latest()
            if known.is_fresh(learned, tick) if known else not learned:
                return False
            if not at_once and not self._is_due(learned, known, now):
                return False
            self._compile(tick, now, keep=True)
            return True

    def _is_due(self, learned: int, known: Dossier | None, now: int) -> bool:
        if self._behind_since is None:
            # After opening, the time of the first change is unknown: not before the dossier.
            self._behind_since = known.at if known else now
        if self._seen is None or self._seen[0] != learned:
            self._seen = (learned, now)
        # A clock that went back makes it due as well.
        waited, behind = now - self._seen[1], now - self._behind_since
        return not (
            0 <= waited < self._settings.debounce_seconds * MICROSECONDS
            and 0 <= behind < self._settings.behind_seconds * MICROSECONDS
        )

    def _compile(self, tick: int, now: int, *, keep: bool, progress: Progress = no_progress) -> Dossier:
        progress("dossier", 0, 1)
        digest = digest_facts(self._facts, tick=tick, limit=CANDIDATES)
        made = compose(digest, agent=self._agent, tick=tick, at=now, limit=self._settings.words)
        if keep and (made.total or self._path.exists()):
            write_atomically(self._path, _to_file(made).encode())
        self._known = made
        self._seen = self._behind_since = None
        progress("dossier", 1, 1)
        return made

    def _latest(self) -> Dossier | None:
        # A person or a deletion may have taken the file away.
        if self._known is None or (self._known.total and not self._path.exists()):
            self._known = _from_file(self._path)
        return self._known


def _to_file(dossier: Dossier) -> str:
    fields = asdict(dossier)
    text = fields.pop("text")
    header = json.dumps(fields | {"hash": _hash(text)}, separators=(",", ":"))
    return f"<!-- {_MARK} {header} -->\n{text}"


def _from_file(path: Path) -> Dossier | None:
    """Reads the dossier in a file; none if there is none, or if another program changed it."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    found = _HEADER.match(content)
    if found is None:
        return None
    text = content[found.end() :]
    try:
        fields = parse_json(found[1])
        return Dossier(text=text, **fields) if fields.pop("hash") == _hash(text) else None
    except (ValueError, TypeError, KeyError):
        return None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
