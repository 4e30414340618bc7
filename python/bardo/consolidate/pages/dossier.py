"""The dossier: one page of all knowledge, compiled when that changed, so that no search is needed."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bardo import config
from bardo._atomic import parse_json, write_atomically
from bardo._core import FactStore
from bardo.clock import MICROSECONDS
from bardo.consolidate.pages import page_facts
from bardo.consolidate.pages.dossier_page import ORDERS, Order, Page, choose, missing, preface
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.consolidate.pages.page_facts import Confided, PageFacts
from bardo.ports import Progress, no_progress

#: Maximum number of lines of a passage: a long section must not stay out of a prompt because it is long.
PASSAGE_LINES = 4
_MARK = "bardo:dossier"
_HEADER = re.compile(rf"<!-- {_MARK} (\{{.*\}}) -->\n")


@dataclass(frozen=True, slots=True)
class Dossier:
    """Knowledge as of a tick, as Markdown of fewer than 600 words.

    Args:
        text: The markdown.
        tick: When it was compiled, in ticks.
        at: When, in microseconds UTC.
        learned: Number of the last change of facts that is on the page; a greater number in the store makes it stale.
        total: Facts in force then.
        shown: Those that are in the text.
        merged: Those that say the same as one in the text.
        left_out: Number of facts omitted because the page is full.
        shortened: Number of texts of which only the beginning is shown.
        expires_tick: Last tick before one of the facts in force is fading or expires; the dossier is stale after it.
        turns_at: Instant, in microseconds UTC, from which it is stale because a day that it announces has passed, or
            an end that it tells is no longer recent.
        ordered: Hash of the prohibitions and approvals in force then; other ones make it stale.
    """

    text: str
    tick: int
    at: int
    learned: int
    total: int
    shown: int
    merged: int
    left_out: int
    shortened: int
    expires_tick: int | None
    turns_at: int | None
    ordered: str = ""

    def is_fresh(self, learned: int, tick: int, now: int, ordered: str = "") -> bool:
        """Whether no fact is newer, none fades or has expired, and no day that it tells has passed since.

        Args:
            learned: Number of the last change of facts.
            tick: Now, in ticks.
            now: Now, in microseconds UTC.
            ordered: Hash of the orders in force.
        """
        return (
            self.learned == learned
            and self.ordered == ordered
            and (self.expires_tick is None or tick <= self.expires_tick)
            and (self.turns_at is None or now < self.turns_at)
        )

    def passages(self) -> list[Passage]:
        """Its sections in the shape of memories of a prompt: the lines above them, then each section in short parts.

        Prohibitions are left out: every prompt has them in a block of their own.
        """
        preface, *sections = re.split(r"\n(?=## )", self.text)
        texts = [preface.strip()]
        for section in sections:
            heading, *lines = section.strip().splitlines()
            if heading == f"## {ORDERS}":
                continue
            texts += [
                "\n".join((heading, *lines[first : first + PASSAGE_LINES]))
                for first in range(0, len(lines), PASSAGE_LINES)
            ]
        return [Passage(text, self.tick, self.at, self.learned) for text in texts]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Passage:
    """A section of a dossier, or a part of a long one, in the shape of a recalled memory.

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


def compose(
    known: PageFacts,
    *,
    agent: str,
    tick: int,
    at: int,
    limit: int,
    days: Callable[[str, int], Sequence[int]],
    innate: frozenset[str] = frozenset(),
    orders: Sequence[Order] = (),
) -> Dossier:
    """Writes a dossier: the same facts at the same instant give the same text.

    Args:
        known: Facts to tell.
        agent: Whose they are.
        tick: Now, in ticks.
        at: Now, in microseconds UTC.
        limit: It has fewer words than this.
        days: Returns the days that a text names, given the text and its instant.
        innate: Ids of the innate rules.
        orders: Prohibitions and approvals in force, the surest first.
    """
    page = Page(known, agent, at, days, innate, orders)
    lines = page.lines()
    chosen = choose(lines, limit)
    told = {id_ for line in chosen for id_ in line.facts}
    merged = sum(len(one.twins) for one in known.known if one.fact.id in told)
    total = known.digest.total
    left_out = total - len(told) - merged - known.confided
    not_told = len(orders) - sum(line.section == ORDERS for line in chosen)
    shortened = sum(line.shortened for line in chosen)
    counts = (
        (merged, "say the same as one below"),
        (left_out, "left out because the page is full"),
        (known.confided, "told in confidence and left out: `recall` finds them"),
        (not_told, f"prohibition{'s' * (not_told != 1)} left out: `bardo gate show` lists them"),
        (shortened, "cut short"),
    )
    # Before the tick at which a fact is fading, the page tells all that is.
    ends = (known.digest.expires_tick, None if known.fades_tick is None else known.fades_tick - 1)
    return Dossier(
        text=page.write(chosen, preface(at, total, counts, missing(lines, chosen))),
        tick=tick,
        at=at,
        learned=known.digest.learned,
        total=total,
        shown=len(told),
        merged=merged,
        left_out=left_out,
        shortened=shortened,
        expires_tick=min((end for end in ends if end is not None), default=None),
        turns_at=page.turns_at,
        ordered=_ordered(orders),
    )


class Dossiers:
    """The dossier of one grimoire: the only writer of `DOSSIER.md`; safe to share among threads.

    Args:
        path: The file.
        facts: What is known.
        settings: Its size, and how far behind it may be.
        agent: Whose it is.
        dates: Dates of facts.
        days: Returns the days that a text names, given the text and its instant.
        threshold: Confidence below which a fact is forgotten.
        innate: Returns the ids of the innate rules.
        orders: Returns the prohibitions and approvals in force, the surest first.
        confided: Returns which of some episodes were told in confidence.
    """

    def __init__(
        self,
        path: Path,
        facts: FactStore,
        settings: config.Dossier,
        agent: str,
        *,
        dates: FactDates,
        days: Callable[[str, int], Sequence[int]],
        threshold: float,
        innate: Callable[[], frozenset[str]] = frozenset,
        orders: Callable[[], Sequence[Order]] = tuple,
        confided: Confided = lambda _: {},
    ) -> None:
        self._path = path
        self._dates = dates
        self._confided = confided
        self._days = days
        self._threshold = threshold
        self._innate = innate
        self._orders = orders
        self._facts = facts
        self._settings = settings
        self._agent = agent
        self._lock = threading.Lock()
        self._known: Dossier | None = None
        #: The last change that was seen and when, and since when the file has been behind; microseconds UTC.
        self._seen: tuple[int, int] | None = None
        self._behind_since: int | None = None

    def fresh(self, *, tick: int, now: int) -> Dossier | None:
        """The dossier, if no fact is newer than it."""
        with self._lock:
            known = self._latest()
            return known if known and self._is_fresh(known, tick, now) else None

    def _is_fresh(self, known: Dossier, tick: int, now: int) -> bool:
        return known.is_fresh(self._facts.last_learned, tick, now, _ordered(self._orders()))

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
            if known and self._is_fresh(known, tick, now):
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
            if self._is_fresh(known, tick, now) if known else not (learned or self._orders()):
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
        found = page_facts.read(
            self._facts, self._dates, self._confided, tick=tick, now=now, threshold=self._threshold
        )
        made = compose(
            found, agent=self._agent, tick=tick, at=now, limit=self._settings.words, days=self._days,
            innate=self._innate(), orders=self._orders(),
        )  # fmt: skip
        if keep and (made.total or made.ordered or self._path.exists()):
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


def _ordered(orders: Sequence[Order]) -> str:
    """Returns a hash of orders; empty without any."""
    return _hash("\n".join(f"{order.text}\t{order.remark}" for order in orders)) if orders else ""


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
