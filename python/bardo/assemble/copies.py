"""The prompts of an agent, known again when they are captured (law 8): `prompts.db` holds hashes of their passages."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo import _core
from bardo._cached_property import locked_cached_property
from bardo.errors import BardoWarning, StoreError, StoreReadOnlyError
from bardo.folder import PASSAGES_FILE

if TYPE_CHECKING:
    from bardo._database import Database
    from bardo.assemble.context import Prompt
    from bardo.model import Episode

#: Passages that a process remembers to have written, so that a steady loop writes nothing.
WRITTEN = 100_000
#: Values in one question to the database.
ASKED = 500
#: Prompts that a report names.
NAMED = 3
#: Kinds of passages, as the core numbers them.
FRAME, SECTION = 1, 2

_SCHEMA = """
    CREATE TABLE passages (
        agent TEXT NOT NULL, hash INTEGER NOT NULL, start INTEGER NOT NULL, words INTEGER NOT NULL,
        kind INTEGER NOT NULL, prompt TEXT NOT NULL, PRIMARY KEY (agent, hash)
    ) WITHOUT ROWID;
    CREATE INDEX passages_by_start ON passages (agent, start)
"""

#: Messages of which nothing was left, behind the last episode of a hand-over; the episode by a hash of its id.
_LEFT_OUT = """
    CREATE TABLE left_out (
        agent TEXT NOT NULL, after INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (agent, after)
    ) WITHOUT ROWID
"""

Mark = tuple[int, int, int, int]


class MadePrompts:
    """The passages of memories in the prompts of one agent; safe to share among threads and processes.

    A file that cannot be read or written stops nothing: the methods say so.

    Args:
        folder: Folder of the grimoire.
        agent: Whose prompts; part of every key (law 14).
    """

    def __init__(self, folder: Path, *, agent: str) -> None:
        self._agent = agent
        self._folder = folder
        self._written: dict[int, None] = {}
        self._closed = False
        self._lock = threading.RLock()

    @locked_cached_property
    def _database(self) -> Database:
        # SQLite is loaded here, because most processes write or compare no prompt.
        from bardo._database import Database, statements

        return Database(
            self._folder / PASSAGES_FILE,
            steps=(statements(_SCHEMA), statements(_LEFT_OUT)),
            loss="copies of prompts made until now are no longer known as such",
        )

    def note(self, prompt: Prompt) -> tuple[str, ...]:
        """Puts a prompt on record. When it returns, a crash of this process does not lose it.

        Returns:
            Why it is not on record, as a note of the prompt; nothing otherwise.
        """
        return self.note_text(prompt.id, (block.text for block in prompt.blocks))

    def note_text(
        self, prompt_id: str, blocks: Iterable[str], *, others_write: bool = False
    ) -> tuple[str, ...]:
        """Puts the blocks of a prompt on record, as `note` does a whole prompt.

        Args:
            prompt_id: Id of the prompt.
            blocks: Their texts.
            others_write: Whether another process captures, also where this one cannot write.
        """
        marks = [mark for block in blocks for mark in _core.prompt_marks(block)]
        with self._lock:
            fresh = [mark for mark in marks if mark[0] not in self._written]
            if not fresh:
                return ()
            try:
                with self._database.translate_errors("write to"):
                    # A power failure may lose the latest prompts, which later ones make up for; a crash loses nothing.
                    self._database.opened().execute("PRAGMA synchronous = NORMAL")
                    with self._database.writing() as connection:
                        connection.executemany(
                            "INSERT OR REPLACE INTO passages VALUES (?, ?, ?, ?, ?, ?)",
                            [(self._agent, *mark, prompt_id) for mark in fresh],
                        )
            except StoreError as error:
                if isinstance(error, StoreReadOnlyError) and not others_write:
                    # Where nothing can be written, nothing is captured.
                    return ()
                return (f"this prompt is not on record, so a copy of it would be captured as new: {error}",)
            finally:
                if self._closed:
                    # A verdict may be read after its gate was closed.
                    self._database.close()
            if len(self._written) > WRITTEN:
                self._written.clear()
            self._written.update(dict.fromkeys(mark[0] for mark in fresh))
            return ()

    def find(self, starts: Sequence[int]) -> list[tuple[Mark, str]]:
        """The passages on record that begin with any of these words, each with the latest prompt that showed it.

        Raises:
            StoreError: The record cannot be read.
        """
        found: list[tuple[Mark, str]] = []
        for at in range(0, len(starts), ASKED):
            asked = starts[at : at + ASKED]
            query = (
                "SELECT hash, start, words, kind, prompt FROM passages INDEXED BY passages_by_start "
                f"WHERE agent = ? AND start IN ({', '.join('?' * len(asked))})"
            )
            for hash_, start, words, kind, prompt in self._database.read(query, (self._agent, *asked)):
                found.append(((hash_, start, words, kind), prompt))
        return found

    def left_after(self, episode_id: str) -> int:
        """How many messages without text a hand-over had behind an episode, its last one; 0 if that is not known."""
        query = "SELECT count FROM left_out WHERE agent = ? AND after = ?"
        try:
            return next(
                (count for (count,) in self._database.read(query, (self._agent, _key(episode_id)))), 0
            )
        except StoreError:
            # They are reported once more.
            return 0

    def leave_after(self, episode_id: str, count: int) -> None:
        """Keeps how many messages without text a hand-over has behind an episode, its last one."""
        if self.left_after(episode_id) == count:
            return
        # Where it cannot be kept, they are reported once more.
        with (
            suppress(StoreError),
            self._database.translate_errors("write to"),
            self._database.writing() as connection,
        ):
            row = (self._agent, _key(episode_id), count)
            connection.execute("INSERT OR REPLACE INTO left_out VALUES (?, ?, ?)", row)

    def cleaner(self) -> Cleaner:
        """Makes the cleaner that removes copies of these prompts from the texts of one call, and reports them."""
        return Cleaner(self)

    def close(self) -> None:
        """Releases the file; a later use opens and releases it again. Idempotent."""
        self._closed = True
        if "_database" in vars(self):
            self._database.close()


class Cleaner:
    """Takes copies of an agent's prompts out of texts; everything else stays as it is.

    Attributes:
        passages: Passages of memories that were taken out.
        prompts: Ids of the prompts that they were copied from, and how many of their passages were recognised.
        problem: Why copies could not be looked for, or None.
        place: Place of the next texts in their batch.
    """

    def __init__(self, made: MadePrompts) -> None:
        self._made = made
        self.left_after, self.leave_after = made.left_after, made.leave_after
        self.place = 0
        #: Passages and prompts of each copy by its place, until it is known whether it is a new one.
        self._found: list[tuple[int, int, Counter[str]]] = []
        self.passages = 0
        self.prompts: Counter[str] = Counter()
        self.problem: str | None = None

    def __call__(self, text: str) -> str:
        """The text as it is to be captured: the very text where it holds no copy.

        Raises:
            InvalidInputError: It holds a copy and a lone surrogate.
        """
        starts = _core.copied_starts(text)
        if not starts:
            return text
        try:
            known = self._made.find(starts)
        except StoreError as error:
            self.problem = str(error)
            return text
        if not known:
            return text
        stripped, passages, found = _core.strip_copies(text, [mark for mark, _ in known])
        if not found:
            return text
        of = {mark[0]: (mark[3], prompt) for mark, prompt in known}
        by_kind: dict[int, Counter[str]] = {}
        for each in found:
            kind, prompt = of[each]
            by_kind.setdefault(kind, Counter())[prompt] += 1
        # Only a section's own tag names its prompt surely: a memory may have stood in many.
        prompts = by_kind.get(SECTION) or by_kind.get(FRAME) or sum(by_kind.values(), Counter())
        self._found.append((self.place, passages, prompts))
        return stripped

    def exclude_places(self, known: Collection[int] = ()) -> None:
        """Counts the copies that were found since, but for those at these places: an earlier hand-over had them."""
        for place, passages, prompts in self._found:
            if place not in known:
                self.passages += passages
                self.prompts += prompts
        self._found.clear()

    def finds(self, text: str) -> bool:
        """Whether a text may hold copies: a quick look that reports nothing."""
        return bool(_core.copied_starts(text))

    @property
    def notes(self) -> tuple[str, ...]:
        """Describes the removed copies, and the copies that could not be searched for."""
        self.exclude_places()
        notes = []
        if self.prompts:
            named = [prompt for prompt, _ in self.prompts.most_common(NAMED)]
            more = f" and {len(self.prompts) - NAMED} others" if len(self.prompts) > NAMED else ""
            notes.append(
                f"{self.passages} passages were not captured again: they are copies of what stood in prompt "
                f"{', '.join(named)}{more}"
            )
        if self.problem is not None:
            notes.append(
                f"copies of prompts could not be looked for, so they were captured as they are: {self.problem}"
            )
        return tuple(notes)

    def tell(self, *, stacklevel: int) -> None:
        """Warns of what was taken out."""
        for note in self.notes:
            warnings.warn(note, BardoWarning, stacklevel=stacklevel + 1)


class Verbatim:
    """Leaves every text as it is: for doors whose owner takes out copies later."""

    place = 0

    def __call__(self, text: str) -> str:
        """The text."""
        return text

    def finds(self, text: str) -> bool:
        """Nothing."""
        return False

    def exclude_places(self, known: Collection[int]) -> None:
        """Nothing was taken out."""

    def left_after(self, episode_id: str) -> int:
        """None: the owner of the log knows."""
        return 0

    def leave_after(self, episode_id: str, count: int) -> None:
        """Nothing: the owner of the log does."""


def _key(episode_id: str) -> int:
    """A hash of an id that SQLite holds."""
    import hashlib

    digest = hashlib.blake2b(episode_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def cleaned_episode(episode: Episode, clean: Cleaner) -> Episode:
    """An episode with its text and every text of its payload cleaned."""
    text, payload = clean(episode.text), _clean_payload(episode.payload, clean)
    if text is episode.text and payload is episode.payload:
        return episode
    return replace(episode, text=text, payload=payload)


def _clean_payload(held: Any, clean: Cleaner) -> Any:
    """A payload with every text in it cleaned; the very payload where nothing changed."""
    if isinstance(held, str):
        return clean(held)
    if isinstance(held, dict):
        made = {key: _clean_payload(each, clean) for key, each in held.items()}
        return made if any(made[key] is not held[key] for key in held) else held
    if isinstance(held, (list, tuple)):
        items = [_clean_payload(each, clean) for each in held]
        return items if any(new is not old for new, old in zip(items, held, strict=True)) else held
    return held
