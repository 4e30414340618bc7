"""Feedback on prompts: records of prompts by ids and numbers, of their use and outcomes; no text."""

from __future__ import annotations

import builtins
import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._database import Database, statements, unchanged
from bardo.assemble.context import Prompt
from bardo.assemble.learned_weights import FACTORS, LearnedWeights, SettledPrompt, derive
from bardo.folder import FEEDBACK_FILE

#: Prompts that wait in memory to be written; an outcome writes them at once.
WAITING = 64
#: Records of one kind of task that are looked at: the latest.
LATEST = 500
#: Prompts that are kept: the latest without an outcome, which may still come, and of each kind of task the latest with
#: one. What is beyond is dropped when as many as `WAITING` have come since.
KEPT_OPEN, KEPT_SETTLED = 5_000, 4 * LATEST
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
class PromptRecord:
    """A prompt on record: ids and numbers, none of its text.

    Args:
        id: Id of the prompt.
        at: Wall clock when it was made, microseconds UTC.
        tick: Logical time when it was made.
        task_type: Kind of its task; empty if it named none.
        memories: Layer and id of each memory in it.
        acted: Whether the action was taken; None if it was not reported.
        outcome: From -1 to 1; None without one.
    """

    id: str
    at: int
    tick: int
    task_type: str
    memories: tuple[tuple[str, str], ...]
    acted: bool | None
    outcome: float | None


class PromptFeedback:
    """Records of the prompts of one grimoire, in a file of their own; safe to share among threads.

    Args:
        folder: Folder of the grimoire.
        learn: Whether learned weights may come into force.
        evidence: Outcomes of a kind of task from which they do.
    """

    def __init__(self, folder: Path, *, learn: bool, evidence: int) -> None:
        self._path = folder / FEEDBACK_FILE
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

    def note(self, prompt: Prompt, *, task_type: str | None, phase: str | None, tick: int, at: int) -> None:
        """Keeps what stands in a prompt; written with the next outcome, or when enough wait.

        Args:
            prompt: Prompt that was handed out.
            task_type: Kind of its task.
            phase: Phase of life.
            tick: Logical time.
            at: Wall clock, microseconds UTC.
        """
        with self._lock:
            self._waiting.append((prompt, task_type or ANY, phase or "", tick, at))
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
                id_, at, tick, task_type,
                tuple((layer, memory) for memory, layer, *_ in json.loads(memories) if memory),
                None if acted is None else bool(acted), outcome,
            )
            for id_, at, tick, task_type, memories, acted, outcome in rows
        ]  # fmt: skip

    def acted(self, prompt_id: str, taken: bool) -> bool:
        """Keeps whether the action of a prompt was taken; whether the prompt is known."""
        with self._lock:
            self.flush()
            return self._change("SET acted = ?", (int(taken),), prompt_id)

    def outcome(self, prompt_id: str, value: float, *, at: int) -> bool:
        """Keeps what came of a prompt, durably; whether the prompt is known.

        Args:
            prompt_id: Id of the prompt; it stands for the latest of several equal ones.
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

    def learned(self, task_type: str | None) -> LearnedWeights:
        """Returns the weights learned from the outcomes of a kind of task, or the defaults."""
        with self._lock:
            task_type = task_type or ANY
            if task_type not in self._known:
                settled = self._settled(task_type)
                self._known[task_type] = derive(
                    task_type, settled, learn=self._learn, evidence=self._evidence
                )
            return self._known[task_type]

    def stats(self) -> dict[str, Any]:
        """Counts, and what was learned for each kind of task beside the defaults, in plain types; writes nothing."""
        with self._lock:
            query = "SELECT task, COUNT(*), COUNT(value) FROM prompts GROUP BY task ORDER BY task"
            counts = self._database.read(query)
            return {
                "prompts": sum(count for _, count, _ in counts) + len(self._waiting),
                "outcomes": sum(settled for _, _, settled in counts),
                "learning": self._learn,
                "tasks": [self.learned(task_type).to_dict() for task_type, _, settled in counts if settled],
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

    def _settled(self, task_type: str) -> builtins.list[SettledPrompt]:
        rows: Sequence[tuple[Any, ...]] = self._database.read(
            "SELECT window, blocks, memories, value FROM prompts "
            "WHERE task = ? AND value IS NOT NULL AND acted != 0 AND intact ORDER BY serial DESC LIMIT ?",
            (task_type, LATEST),
        )
        return [
            SettledPrompt(
                window,
                {name: used for name, used, *_ in json.loads(blocks)},
                [factors for _, _, *factors in json.loads(memories)],
                value,
            )
            for window, blocks, memories, value in rows
        ]


def _row(prompt: Prompt, task_type: str, phase: str, tick: int, at: int) -> tuple[Any, ...]:
    blocks = [[block.name, block.used, block.given, block.cut] for block in prompt.blocks]
    memories = []
    for memory in (memory for block in prompt.blocks for memory in block.memories):
        if not memory.id:  # an entry of the gate
            continue
        why = memory.why
        factors = [] if why is None else [round(float(getattr(why, name)), 4) for name in FACTORS]
        memories.append([memory.id, memory.layer, *factors])
    return prompt.id, at, tick, task_type, phase, prompt.window, json.dumps(blocks), json.dumps(memories)
