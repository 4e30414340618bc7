"""Records of prompts, of their use and outcomes, and the weights learned from them.

The records are evidence; the weights are derived from them again each time, so that they can be looked at beside the
defaults, switched off, and forgotten without a trace in anything else. They hold ids and numbers, no text.
"""

from __future__ import annotations

import builtins
import json
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._database import Database, statements, unchanged
from bardo.assemble.blocks import standard_blocks
from bardo.assemble.context import Prompt

FILE_NAME = "feedback.db"
#: The four factors of recall and their default weights.
FACTORS = {"relevance": 0.40, "temporal": 0.20, "importance": 0.25, "emotional": 0.15}
#: Prompts that wait in memory to be written; an outcome writes them at once.
WAITING = 64
#: A weight is never more than this multiple of its default, nor less than its inverse; the same for a block's share.
LARGEST_FACTOR, LARGEST_SHARE = 2.0, 1.5
#: Outcomes at which half of what the records say is believed.
HALF_BELIEVED = 30
#: Records of one kind of task that are looked at: the latest.
LATEST = 500
#: Prompts that are kept: the latest without an outcome, which may still come, and of each kind of task the latest with
#: one. What is beyond is dropped when as many as `WAITING` have come since.
KEPT_OPEN, KEPT_SETTLED = 5_000, 4 * LATEST
#: Tokens of the prompt that the table of standard blocks is made for.
BASE_WINDOW = 2_700
#: Task type of prompts that named none.
ANY = ""

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS prompts (
        serial INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        at INTEGER NOT NULL,
        tick INTEGER NOT NULL,
        task TEXT NOT NULL,
        phase TEXT NOT NULL,
        window INTEGER NOT NULL,
        blocks TEXT NOT NULL,
        memories TEXT NOT NULL,
        acted INTEGER,
        value REAL,
        settled INTEGER
    );
    CREATE INDEX IF NOT EXISTS prompts_by_id ON prompts (id);
    CREATE INDEX IF NOT EXISTS prompts_by_outcome ON prompts (task, serial) WHERE value IS NOT NULL;
    CREATE INDEX IF NOT EXISTS prompts_open ON prompts (serial) WHERE value IS NULL;
"""
_DROP_OPEN = """
    DELETE FROM prompts WHERE serial IN (
        SELECT serial FROM prompts INDEXED BY prompts_open WHERE value IS NULL ORDER BY serial DESC LIMIT -1 OFFSET ?
    )
"""
_DROP_SETTLED = """
    DELETE FROM prompts WHERE serial IN (
        SELECT serial FROM (
            SELECT serial, ROW_NUMBER() OVER (PARTITION BY task ORDER BY serial DESC) AS place
            FROM prompts INDEXED BY prompts_by_outcome WHERE value IS NOT NULL
        ) WHERE place > ?
    )
"""


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights learned from the outcomes of one kind of task, beside the defaults.

    Args:
        task: Kind of task; empty for prompts that named none.
        outcomes: Prompts with a known outcome.
        enough: Whether there are enough of them to learn from.
        in_force: Whether recall and the prompt use them: enough, and switched on.
        factors: Weight of each factor of recall; they add up to 1.
        defaults: The same as they are without learning.
        shares: What the share of a block is multiplied by, for blocks whose size went with the outcome.
    """

    task: str
    outcomes: int
    enough: bool
    in_force: bool
    factors: dict[str, float]
    defaults: dict[str, float]
    shares: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """A prompt on record: ids and numbers, none of its text.

    Args:
        id: Of the prompt.
        at: Wall clock when it was made, microseconds UTC.
        tick: Logical time when it was made.
        task: Its task type; empty if it named none.
        memories: Layer and id of each memory in it.
        acted: Whether the action was taken; None if it was not reported.
        outcome: From -1 to 1; None without one.
    """

    id: str
    at: int
    tick: int
    task: str
    memories: tuple[tuple[str, str], ...]
    acted: bool | None
    outcome: float | None


class PromptRecords:
    """The records of one grimoire, in a file of their own; safe to share among threads.

    Args:
        folder: Of the grimoire.
        learn: Whether learned weights may come into force.
        evidence: Outcomes of a kind of task from which they do.
    """

    def __init__(self, folder: Path, *, learn: bool, evidence: int) -> None:
        self._path = folder / FILE_NAME
        self._learn, self._evidence = learn, evidence
        self._waiting: list[tuple[Any, ...]] = []
        self._since_drop = 0
        self._database = Database(
            self._path,
            steps=(statements(_SCHEMA), unchanged),
            loss="only what was learned from outcomes is lost with it",
        )
        self._known: dict[str, LearnedWeights] = {}
        self._lock = threading.RLock()

    def note(self, prompt: Prompt, *, task: str | None, phase: str | None, tick: int, at: int) -> None:
        """Keeps what stands in a prompt; written with the next outcome, or when enough wait.

        Args:
            prompt: As it was handed out.
            task: Its task type.
            phase: Phase of life.
            tick: Logical time.
            at: Wall clock, microseconds UTC.
        """
        with self._lock:
            self._waiting.append((prompt, task or ANY, phase or "", tick, at))
            if len(self._waiting) >= WAITING:
                self.flush()

    def list(self, *, prompt_id: str | None = None, limit: int) -> builtins.list[PromptRecord]:
        """The prompts on record, the latest first.

        Args:
            prompt_id: Only the one with this id.
            limit: At most so many.
        """
        with self._lock:
            self.flush()
            rows: Sequence[tuple[Any, ...]] = self._database.read(
                "SELECT id, at, tick, task, memories, acted, value FROM prompts "
                "WHERE intact AND (?1 IS NULL OR id = ?1) ORDER BY serial DESC LIMIT ?2",
                (prompt_id, limit),
            )
        return [
            PromptRecord(
                id_, at, tick, task, tuple((layer, memory) for memory, layer, *_ in json.loads(memories) if memory),
                None if acted is None else bool(acted), outcome,
            )
            for id_, at, tick, task, memories, acted, outcome in rows
        ]  # fmt: skip

    def acted(self, prompt_id: str, taken: bool) -> bool:
        """Keeps whether the action of a prompt was taken; whether the prompt is known."""
        with self._lock:
            self.flush()
            return self._change("SET acted = ?", (int(taken),), prompt_id)

    def outcome(self, prompt_id: str, value: float, *, at: int) -> bool:
        """Keeps what came of a prompt, durably; whether the prompt is known.

        Args:
            prompt_id: Of the prompt; of several equal ones the latest.
            value: From -1 to 1.
            at: Wall clock, microseconds UTC.
        """
        with self._lock:
            self.flush()
            self._known.clear()
            return self._change(
                "SET value = ?, settled = ?, acted = COALESCE(acted, 1)", (value, at), prompt_id
            )

    def flush(self) -> None:
        """Writes pending records, and drops what is beyond the numbers that are kept."""
        with self._lock:
            if not self._waiting:
                return
            rows = [_row(*each) for each in self._waiting]
            with self._database.writing() as connection:
                connection.executemany(
                    "INSERT INTO prompts (id, at, tick, task, phase, window, blocks, memories) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )
                self._since_drop += len(rows)
                if self._since_drop >= WAITING:
                    connection.execute(_DROP_OPEN, (KEPT_OPEN,))
                    connection.execute(_DROP_SETTLED, (KEPT_SETTLED,))
                    self._since_drop = 0
            self._waiting.clear()

    def erase(self, ids: Iterable[str]) -> int:
        """Takes memories out of every record: they were forgotten.

        Returns:
            Records that named one of them.
        """
        gone = set(ids)
        with self._lock:
            self.flush()
            if not self._database.exists():
                return 0
            changed = 0
            with self._database.writing() as connection:
                for serial, memories in connection.execute(
                    "SELECT serial, memories FROM prompts WHERE intact"
                ).fetchall():
                    left = [memory for memory in json.loads(memories) if memory[0] not in gone]
                    if len(left) < len(json.loads(memories)):
                        text = json.dumps(left)
                        connection.execute("UPDATE prompts SET memories = ? WHERE serial = ?", (text, serial))
                        changed += 1
            # Older pages may lie in the write-ahead log.
            self._database.scrub(rewrite=changed > 0)
            self._known.clear()
            return changed

    def unlearn(self) -> None:
        """Forgets every record, and with them everything that was learned from them."""
        with self._lock:
            self._waiting.clear()
            self._known.clear()
            self.close()
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def learned(self, task: str | None) -> LearnedWeights:
        """Returns the weights learned from the outcomes of a kind of task, or the defaults."""
        with self._lock:
            task = task or ANY
            if task not in self._known:
                self._known[task] = self._derive(task)
            return self._known[task]

    def stats(self) -> dict[str, Any]:
        """Counts, and what was learned for each kind of task beside the defaults, in plain types; writes nothing."""
        with self._lock:
            query = "SELECT task, COUNT(*), COUNT(value) FROM prompts GROUP BY task ORDER BY task"
            counts = self._database.read(query)
            return {
                "prompts": sum(count for _, count, _ in counts) + len(self._waiting),
                "outcomes": sum(settled for _, _, settled in counts),
                "learning": self._learn,
                "tasks": [self.learned(task).to_dict() for task, _, settled in counts if settled],
            }

    def close(self) -> None:
        """Writes pending records and releases the file."""
        with self._lock:
            try:
                self.flush()
            finally:
                self._database.close()

    def _change(self, what: str, values: tuple[Any, ...], prompt_id: str) -> bool:
        if not self._database.exists():
            return False
        with self._database.writing() as connection:
            latest = "(SELECT MAX(serial) FROM prompts WHERE id = ?)"
            done = connection.execute(
                f"UPDATE prompts {what} WHERE serial = {latest} AND intact", (*values, prompt_id)
            )
            return done.rowcount > 0

    def _derive(self, task: str) -> LearnedWeights:
        rows: Sequence[tuple[Any, ...]] = self._database.read(
            "SELECT window, blocks, memories, value FROM prompts "
            "WHERE task = ? AND value IS NOT NULL AND acted != 0 AND intact ORDER BY serial DESC LIMIT ?",
            (task, LATEST),
        )
        believed = len(rows) / (len(rows) + HALF_BELIEVED)
        values = [row[3] for row in rows]
        means = [_means([memory[2:] for memory in json.loads(row[2])]) for row in rows]
        factors = {}
        for place, (name, weight) in enumerate(FACTORS.items()):
            pairs = [(mean[place], value) for mean, value in zip(means, values, strict=True) if mean]
            factors[name] = weight * LARGEST_FACTOR ** (believed * _correlation(pairs))
        total = sum(factors.values())
        shares = {}
        parts = [
            ({name: used / max(1, row[0]) for name, used, *_ in json.loads(row[1])}, row[3]) for row in rows
        ]
        for name in sorted({name for used, _ in parts for name in used}):
            leaning = believed * _correlation([(used.get(name, 0.0), value) for used, value in parts])
            if abs(leaning) > 0.1:
                shares[name] = round(LARGEST_SHARE**leaning, 4)
        enough = len(rows) >= self._evidence
        return LearnedWeights(
            task=task,
            outcomes=len(rows),
            enough=enough,
            in_force=enough and self._learn,
            factors={name: round(weight / total, 4) for name, weight in factors.items()},
            defaults=dict(FACTORS),
            shares=shares,
        )


def caps(learned: LearnedWeights, window: int, names: Iterable[str]) -> dict[str, int]:
    """The caps of standard blocks whose share was learned, in tokens of a prompt's window.

    Args:
        learned: For the kind of task; nothing comes of what is not in force.
        window: Tokens of the prompt without the reserve.
        names: Blocks of the prompt.
    """
    if not learned.in_force:
        return {}
    table = {tag: tokens for tag, tokens, _, protected, _ in standard_blocks() if not protected}
    wanted = [name for name in names if name in learned.shares and name in table]
    return {name: int(table[name] * window / BASE_WINDOW * learned.shares[name]) for name in wanted}


def _row(prompt: Prompt, task: str, phase: str, tick: int, at: int) -> tuple[Any, ...]:
    blocks = [[block.name, block.used, block.given, block.cut] for block in prompt.blocks]
    memories = []
    for memory in prompt.memories:
        if not hasattr(memory, "id"):  # an entry of the gate
            continue
        why = getattr(memory, "why", None)
        factors = [round(float(getattr(why, name)), 4) for name in FACTORS] if why is not None else []
        memories.append([memory.id, memory.layer, *factors])
    return prompt.id, at, tick, task, phase, prompt.window, json.dumps(blocks), json.dumps(memories)


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    known = [row for row in rows if len(row) == len(FACTORS)]
    return [sum(column) / len(known) for column in zip(*known, strict=True)] if known else []


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation, -1..1; 0 where one of the two never changes."""
    if len(pairs) < 2:
        return 0.0
    left, right = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    both = sum((one - left) * (other - right) for one, other in pairs)
    spread = math.sqrt(
        sum((one - left) ** 2 for one, _ in pairs) * sum((other - right) ** 2 for _, other in pairs)
    )
    return max(-1.0, min(1.0, both / spread)) if spread > 1e-12 else 0.0
