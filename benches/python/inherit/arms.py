"""Arms of the benchmark: agents that answer questions about a life. To add a system, add a function to `ARMS`."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import bardo
from bardo import Config, Grimoire
from inherit.lives import Event, Life

#: Wall clock of the first tick, microseconds UTC, and microseconds per tick.
START, STEP = 1_700_000_000_000_000, 60_000_000
#: Memories of an answer, and tokens of a prompt.
FIRST, TOKENS = 10, 1_500
#: Lines of the arms that keep a part of the log.
RANDOM_LINES, LAST_LINES = 2_048, 200
#: Ticks of the heir's own life before its own death.
OWN_TICKS = 200

Answers = Literal["recall", "context"]


class LifeClock:
    """Clock that stands at the tick being lived."""

    def __init__(self) -> None:
        self.tick = 0

    def now(self) -> int:
        return START + self.tick * STEP


@dataclass
class Agent:
    """Agent that can be asked.

    Args:
        grimoire: Open memory.
        bytes: Size of the inheritance; 0 if there is none.
        raw: Texts that were handed over, in which secrets are looked for too.
    """

    grimoire: Grimoire
    bytes: int = 0
    raw: str = ""

    def answer(self, query: str, by: Answers) -> list[str]:
        """Returns the texts of an answer, best first."""
        if by == "recall":
            return [memory.text for memory in self.grimoire.recall(query, limit=FIRST)]
        return str(self.grimoire.context(query, budget=TOKENS, reserve=0)).splitlines()

    def blocks(self, action: str) -> bool:
        """Whether the gate blocks an action."""
        with bardo.gate(self.grimoire.path, embedder=self.grimoire._session.embedder) as gate:
            return gate.before(action).decision == "block"


class Bench:
    """Lives, deaths and heirs of one life in a folder.

    Args:
        life: Life to be lived.
        folder: Empty folder.
        embedder: Embedder shared by all arms.
        lived: Folder of memories of lives that were lived before.
    """

    def __init__(self, life: Life, folder: Path, embedder: Any, lived: Path | None = None) -> None:
        self.life, self.folder, self.embedder, self.lived = life, folder, embedder, lived
        self.clock = LifeClock()

    def ancestor(self) -> Agent:
        """The agent itself, before its death."""
        self._live(self.embedder, None)
        return self._agent("ancestor")

    def heir(self) -> Agent:
        """Heir at birth."""
        if not (self.folder / "ancestor").exists():
            self._live(Plain(self.embedder), self.lived)
        return self._heir("ancestor", "heir")

    def _live(self, embedder: Any, lived: Path | None) -> None:
        live_whole(self.life, self.folder / "ancestor", self.clock, embedder, lived)

    def heirs_heir(self) -> Agent:
        """Heir of an heir whose short life had nothing to do with any question."""
        with self._open("heir") as grimoire:
            tick = self.life.events[-1].tick
            events = [Event(tick + n, "remember", f"tick {n}: nothing happened") for n in range(1, OWN_TICKS)]
            live(grimoire, events, self.clock, self.embedder)
        return self._heir("heir", "heirs_heir")

    def random_lines(self) -> Agent:
        """Heir that gets 2,048 random lines of the log."""
        log = self.life.log
        lines = random.Random(self.life.name).sample(range(len(log)), min(RANDOM_LINES, len(log)))
        return self._reader("random", [log[line] for line in sorted(lines)])

    def last_lines(self) -> Agent:
        """Heir that gets the last 200 lines of the log."""
        return self._reader("last", self.life.log[-LAST_LINES:])

    def _reader(self, name: str, lines: list[str]) -> Agent:
        with self._open(name) as grimoire:
            grimoire.remember(
                [{"text": line, "at": START + place * STEP} for place, line in enumerate(lines)]
            )
        text = "\n".join(lines)
        return self._agent(name, len(text.encode()), text)

    def _heir(self, parent: str, name: str) -> Agent:
        path = self.folder / f"{parent}.testament"
        with self._open(parent) as grimoire:
            left = grimoire.bequeath(path, cause="age")
        with _quiet():
            heir = bardo.inherit(
                path,
                self.folder / name,
                clock=self.clock,
                embedder=self.embedder,
                config=configured(self.life),
            )
        heir.close()
        told = [record.text for record in (*left.facts, *left.episodes)]
        raw = "\n".join(
            [*told, *left.questions, left.reflection, *map(repr, left.facts), *map(repr, left.episodes)]
        )
        return self._agent(name, path.stat().st_size, raw)

    def _agent(self, name: str, size: int = 0, raw: str = "") -> Agent:
        return Agent(self._open(name), size, raw)

    def _open(self, name: str) -> Grimoire:
        with _quiet():
            return bardo.open(
                self.folder / name, agent=name, clock=self.clock, embedder=self.embedder,
                config=configured(self.life),
            )  # fmt: skip


class Plain:
    """Embedder without token vectors: they serve recall alone, and this ancestor is not asked."""

    def __init__(self, embedder: Any) -> None:
        self.fingerprint = embedder.fingerprint
        self.embed_documents, self.embed_queries = embedder.embed_documents, embedder.embed_queries


def live_whole(life: Life, path: Path, clock: LifeClock, embedder: Any, lived: Path | None = None) -> None:
    """Lives a life to its last night, or copies the memory of an earlier run.

    Args:
        life: Life to be lived.
        path: Folder of the new memory.
        clock: Clock; stands at the last tick afterwards.
        embedder: Embedder of the memory.
        lived: Folder in which memories are kept by the name of their life; None to keep none.
    """
    kept = lived / life.name if lived is not None else None
    if kept is not None and kept.exists():
        clock.tick = life.events[-1].tick
        shutil.copytree(kept, path)
        return
    with (
        _quiet(),
        bardo.open(
            path, agent="ancestor", clock=clock, embedder=embedder, config=configured(life)
        ) as grimoire,
    ):
        live(grimoire, life.events, clock, embedder)
        grimoire.sleep()
    if kept is not None:
        # A copy that a stopped run left would be taken for a whole memory.
        part = kept.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(path, part)
        part.rename(kept)


def live(grimoire: Grimoire, events: Sequence[Event], clock: LifeClock, embedder: Any) -> None:
    """Lives events in a memory and its gate."""
    with ExitStack() as open_files, _quiet():
        gate = open_files.enter_context(bardo.gate(grimoire.path, clock=clock, embedder=embedder))
        batch: list[dict[str, Any]] = []
        for event in events:
            if event.door != "remember" and batch:
                grimoire.remember(batch)
                batch = []
            clock.tick = event.tick
            match event.door:
                case "remember":
                    batch.append({"text": event.text, "tick": event.tick, "at": clock.now(), **event.fields})
                case "learn":
                    grimoire.learn(event.text, tick=event.tick, **event.fields)
                case "outcome":
                    used = grimoire.recall(event.text, limit=3)
                    grimoire.outcome(used, note=event.text, **event.fields)
                case "note":
                    gate.note(event.fields["kind"], event.text)
                case "reject":
                    gate.reject(event.text, **event.fields)
                case "rule":
                    gate.rule(event.text, **event.fields)
            if len(batch) >= 256:
                grimoire.remember(batch)
                batch = []
        if batch:
            grimoire.remember(batch)


def configured(life: Life, tokens: int = 0) -> Config:
    """Settings of an agent whose caller knows which numbers of its payloads measure an outcome.

    Args:
        life: Life whose payloads are read; only the names of their numbers.
        tokens: Limit of the testament in tokens; 0 for none.
    """
    default = Config()
    payloads = [event.fields.get("payload", {}) for event in life.events]
    named = {name for payload in payloads for name, value in payload.items() if isinstance(value, float)}
    outcomes = (*default.curator.outcomes, *sorted(named - {*default.curator.outcomes}))
    return replace(
        default,
        curator=replace(default.curator, outcomes=outcomes),
        bequeath=replace(default.bequeath, tokens=tokens),
    )


ARMS: dict[str, Callable[[Bench], Agent]] = {
    "ancestor": Bench.ancestor,
    "heir": Bench.heir,
    "heir's heir": Bench.heirs_heir,
    "2,048 random lines": Bench.random_lines,
    "last 200 lines": Bench.last_lines,
}


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
