"""Documents: texts in chunks that recall finds, and that are removed as a whole."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import blake3

from bardo._core import finish_episodes
from bardo._printed import printed
from bardo._validation import checked
from bardo.capture.chunks import chunks
from bardo.capture.recorder import PAGE, pages
from bardo.errors import InvalidInputError, NotFoundError
from bardo.grimoire.deletion import Deletion
from bardo.grimoire.erasure import ForgetReport
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.model import Episode
from bardo.ports import Progress, no_progress

#: Kind of the episodes that are chunks.
KIND = "document"
#: Prefix of the thread of a document's chunks, before its name, and of its source in the log, before a hash of it.
PREFIX = "document:"
#: Maximum length of a document in characters, and of a name and a source in bytes.
LONGEST, LONGEST_NAME = 2_000_000, 200
_URL = re.compile(r"\s*[a-z][a-z0-9+.-]*://\S+\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """Document in the memory.

    Args:
        name: Name of the document.
        source: Origin of the document, such as a path or an address.
        at: Time at which it was added, microseconds UTC.
        chunks: Number of its chunks.
        characters: Number of characters of its chunks.
    """

    name: str
    source: str
    at: int
    chunks: int
    characters: int

    __str__ = printed


class Documents:
    """Documents; `Grimoire.documents`.

    Args:
        session: Open memory.
        writer: Recorder of chunks.
        deletion: Deletion of chunks.
    """

    def __init__(self, session: Session, writer: Writer, deletion: Deletion) -> None:
        self._session, self._writer, self._deletion = session, writer, deletion

    @checked
    def add(
        self,
        text: str = "",
        *,
        name: str,
        source: str = "",
        fetch: Callable[[str], str] | None = None,
        replace: bool = False,
    ) -> Document:
        """Adds a document in chunks of at most 400 characters, cut at sentences. `recall` finds the chunks.

        A chunk is an episode of kind `document` in the thread `document:NAME`. All are recorded in one transaction.

        Args:
            text: Text of the document.
            name: Name of the document, unique in the memory.
            source: Origin of the document, such as a path or an address.
            fetch: Function that returns the text at `source`; bardo itself fetches nothing.
            replace: Whether a document of this name is removed first.

        Returns:
            The document. Chunks that were forgotten on purpose are left out.

        Raises:
            InvalidInputError: There is no text, it is an address, it is too long, the name is taken, or there are as
                many documents as `index.documents` allows (20).
        """
        session = self._session
        session.ready(write=True)
        self._check(name, source)
        held = {document.name for document in self.list()}
        if name in held and not replace:
            raise InvalidInputError(f"there is a document {name!r}. Remove it first, or pass replace=True")
        if len(held - {name}) >= session.config.index.documents:
            raise InvalidInputError(
                f"there are {len(held)} documents, as many as index.documents allows. Remove one, or raise the setting"
            )
        parts = self._parts(text, source, fetch)
        if name in held:
            self.remove(name, reason="replaced by a newer version", allow_again=True)
        self._record(name, source, parts)
        return self._document(name, source, session.clock.now())

    def list(self) -> builtins.list[Document]:
        """Lists the documents, by name."""
        self._session.ready()
        found = []
        for key, _, state in self._session.log.sources():
            if key.startswith(PREFIX) and state:
                told = json.loads(state)
                found.append(self._document(told["name"], told["source"], told["at"]))
        # A document whose chunks were all forgotten is none.
        return sorted((each for each in found if each.chunks), key=lambda each: each.name)

    @checked
    def remove(
        self,
        name: str,
        *,
        reason: str = "the document was removed",
        allow_again: bool = False,
        progress: Progress = no_progress,
    ) -> ForgetReport:
        """Deletes a document: its chunks everywhere, as `forget` does, with the facts that rest on them alone.

        Args:
            name: Name of the document.
            reason: Reason, for the report.
            allow_again: Whether the same chunks may be recorded again.
            progress: Callback for progress.

        Raises:
            NotFoundError: There is no such document; nothing was deleted.
            StoreError: The verification found a trace.
        """
        session = self._session
        session.ready(write=True)
        ids = [episode.id for episode in self._chunks(name)]
        if not ids or session.log.source(_key(name)) is None:
            raise NotFoundError(f"there is no document {name!r}. List them with documents.list()")
        report = self._deletion.forget(
            ids, {}, reason=reason, about=(), allow_again=allow_again, dry_run=False, progress=progress
        )
        self._writer.record_from_source([], (_key(name), session.log.source(_key(name)), (0, "")))
        # The name and the source of the document leave the file too.
        session.log.vacuum()
        return report

    def _check(self, name: str, source: str) -> None:
        for field, value in (("name", name), ("source", source)):
            if len(value.encode("utf-8", "replace")) > LONGEST_NAME or (
                field == "name" and not value.strip()
            ):
                raise InvalidInputError(f"{field} is {value!r}. Use 1 to {LONGEST_NAME} bytes")

    def _parts(self, text: str, source: str, fetch: Callable[[str], str] | None) -> builtins.list[str]:
        if fetch is not None:
            if text or not source:
                raise InvalidInputError("fetch takes the place of the text. Pass source, and no text")
            text = fetch(source)
            if not isinstance(text, str):
                raise InvalidInputError(f"fetch returned a {type(text).__name__}. It must return the text")
        elif _URL.fullmatch(text):
            raise InvalidInputError(f"the text is the address {text.strip()}. Pass it as source, with fetch")
        if len(text) > LONGEST:
            raise InvalidInputError(f"the document has {len(text)} characters, at most {LONGEST}. Split it")
        clean = self._session.made_prompts.cleaner()
        parts = chunks(clean(text))
        clean.tell(stacklevel=5)
        if not parts:
            raise InvalidInputError("the document has no text. Pass one with words")
        return parts

    def _record(self, name: str, source: str, parts: builtins.list[str]) -> None:
        session = self._session
        now = session.clock.now()
        made = [Episode(part, kind=KIND, thread=f"{PREFIX}{name}", at=now) for part in parts]
        # With ids of their own, equal chunks are no retries of each other.
        seed = int.from_bytes(blake3.blake3(f"{name}\0{now}".encode()).digest(8))
        episodes = finish_episodes(made, now=now, seed=seed)
        state = json.dumps({"name": name, "source": source, "at": now})
        key = _key(name)
        self._writer.record_from_source(episodes, (key, session.log.source(key), (len(parts), state)))
        self._writer.embed_if_due()

    def _chunks(self, name: str) -> builtins.list[Episode]:
        log, thread = self._session.log, f"{PREFIX}{name}"
        found = pages(lambda after: log.by_thread(thread, after=after, limit=PAGE))
        return [episode for episode in found if episode.kind == KIND]

    def _document(self, name: str, source: str, at: int) -> Document:
        held = self._chunks(name)
        return Document(name, source, at, len(held), sum(len(one.text) for one in held))


def _key(name: str) -> str:
    return PREFIX + blake3.blake3(name.encode()).hexdigest(16)
