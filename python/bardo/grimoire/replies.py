"""Memories of a prompt for a reply to a chat message, by what its triage says that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from bardo._core import modes_with
from bardo.assemble.prompt_memory import PromptMemory
from bardo.capture.recorder import PAGE, pages
from bardo.converse import replies
from bardo.converse.replies import GENERAL, PERSONAL, memory_of_fact
from bardo.errors import StoreError
from bardo.grimoire.prompt_dates import dated
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.grimoire.summaries import SummaryParts
from bardo.model import Fact
from bardo.recall import scope
from bardo.recall.filters import Filters, Layer
from bardo.recall.options import FILTERS, OwnerRecallOptions

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block
    from bardo.assemble.prompt_memory import MemoryLike
    from bardo.converse.summary_store import Summary
    from bardo.recall.recollection import Recollection

#: Note of a prompt whose message needs no memory.
UNSEARCHED = "the triage says that the message needs no memory, so that none was searched"
#: Periods in which the latest personal facts are looked for, in hours; the next one where one has too few.
_LATEST_HOURS = (1, 24, 30 * 24)
#: Milliseconds in an hour.
_HOUR = 3_600_000
#: Number of the latest personal facts whose mode is looked up.
_VIEWED = 64
#: Beginning of a note of a recall: here its filters are the categories, and not the caller's.
_FILTERED = "the filters let none of"


@dataclass(slots=True)
class Gathered:
    """Memories of a reply.

    Args:
        memories: Episodes and knowledge, best first; None if the prompt says nothing about a search.
        blocks: Further blocks by name.
        notes: Notes on limits of the searches.
    """

    memories: Sequence[MemoryLike] | None
    blocks: dict[str, Block] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Replies:
    """Gathers memories for replies.

    Args:
        session: Open memory.
        retrieval: Recall of memories.
        summaries: Store of summaries.
    """

    def __init__(self, session: Session, retrieval: Retrieval, summaries: SummaryParts) -> None:
        self._session = session
        self._retrieval = retrieval
        self._summaries = summaries
        #: Number of the last change of knowledge, and ids of the latest personal facts at that time.
        self._known: tuple[int, list[str]] = (-1, [])

    def gather(self, text: str, limit: int, recall: OwnerRecallOptions, *, facts: bool) -> Gathered:
        """Gathers the memories of a reply.

        Args:
            text: Message.
            limit: Maximum number of episodes.
            recall: Options of the recall.
            facts: Whether facts are searched; not where the dossier replaces them.
        """
        gathered = Gathered(())
        tokenizer = self._session.config.assemble.tokenizer
        modes = self._modes(recall)
        narrow = facts and bool(FILTERS & recall.keys())
        memories = [*self._recall(text, limit, recall, layer="episode", gathered=gathered)]
        if facts:
            known = self._recall(text, replies.KNOWN, recall, kinds=GENERAL, gathered=gathered)
            pending: Sequence[PromptMemory] = () if narrow else self._unembedded(modes)
            memories += replies.knowledge([*known, *_others(pending, known)], tokenizer=tokenizer)
            heard = self._recall(text, replies.HEARD, recall, kinds=PERSONAL, gathered=gathered)
            latest = () if narrow else self._latest(modes)
            for block in replies.personal_blocks(heard, latest, tokenizer=tokenizer):
                gathered.blocks[block.name] = block
        if not narrow:
            self._add_summaries(text, recall.get("thread"), modes, gathered)
        # "Nothing was found" would be wrong beside a block of memories.
        gathered.memories = memories or (None if gathered.blocks or not facts else ())
        return gathered

    def _recall(
        self,
        text: str,
        limit: int,
        recall: OwnerRecallOptions,
        *,
        layer: Layer = "fact",
        kinds: Sequence[str] | None = None,
        gathered: Gathered,
    ) -> list[PromptMemory]:
        """Recalls memories of one layer and of some kinds, as far as the caller's own conditions leave any."""
        deciding = kinds is not PERSONAL
        wanted, layers = recall.get("kinds"), recall.get("layers", (layer,))
        if kinds is not None and wanted is not None:
            kinds = [kind for kind in kinds if kind in wanted]
        if (layers is not None and layer not in layers) or (kinds is not None and not kinds):
            return []
        asked: dict[str, Any] = {**recall, "layers": layers and (layer,)}
        if kinds is not None:
            asked["kinds"] = tuple(kinds)
        found: Recollection = self._retrieval.recall(
            text, limit, cast("OwnerRecallOptions", asked), deciding=deciding
        )
        gathered.notes += [
            note for note in found.notes if note not in gathered.notes and not note.startswith(_FILTERED)
        ]
        return dated(found, self._session)

    def _modes(self, recall: OwnerRecallOptions) -> list[str] | None:
        """Returns the modes whose memories are visible; None for all."""
        filters, _ = scope.narrowed(
            Filters(mode=recall.get("mode")), self._retrieval.everything, thread=recall.get("thread"),
            session=None,
        )  # fmt: skip
        return None if filters.mode is None else modes_with(filters.mode)

    def _latest(self, modes: Sequence[str] | None) -> list[PromptMemory]:
        """Returns the latest personal facts, the latest first."""
        facts = self._session.facts
        learned = facts.last_learned
        if self._known[0] != learned:
            # Ids alone: a fact that is forgotten is in no cache.
            self._known = learned, self._latest_personal()
        found = [fact for fact in facts.get(self._known[1]) if fact is not None and fact.status == "active"]
        return self._visible(found, modes)[: replies.HEARD_LATEST]

    def _latest_personal(self) -> list[str]:
        """Returns the ids of the latest personal facts in force, the latest first."""
        found: list[str] = []
        for hours in _LATEST_HOURS:
            found = sorted((fact.id for fact in self._personal_since(hours)), reverse=True)[:_VIEWED]
            if len(found) >= replies.HEARD_LATEST:
                break
        return found

    def _personal_since(self, hours: int) -> Iterator[Fact]:
        """Yields the personal facts in force of the last hours."""
        session = self._session
        # Ids begin with the time of creation.
        since = max(0, session.clock.now() // 1_000 - hours * _HOUR)
        first = f"{since >> 16:08x}-{since & 0xFFFF:04x}-7000-8000-000000000000"

        def page(kind: str) -> Callable[[str | None], list[Fact]]:
            return lambda after: session.facts.list(kind=kind, after=after or first, limit=PAGE)

        for kind in PERSONAL:
            yield from pages(page(kind))

    def _unembedded(self, modes: Sequence[str] | None) -> list[PromptMemory]:
        """Returns the latest knowledge that no vector finds yet, the latest first."""
        lacking = self._session.facts.without_vectors()
        found = [fact for fact in reversed(lacking) if fact.status == "active" and fact.kind in GENERAL]
        return self._visible(found, modes)[: replies.KNOWN_UNEMBEDDED]

    def _visible(self, found: Sequence[Fact], modes: Sequence[str] | None) -> list[PromptMemory]:
        """Returns the facts of visible modes with their confidence."""
        facts = self._session.facts
        ids = [fact.id for fact in found]
        sure = facts.confidence_now(ids, tick=self._session.now_tick)
        visible = [
            memory_of_fact(fact, confidence)
            for fact, confidence, (_, mode) in zip(found, sure, facts.scopes(ids), strict=True)
            if modes is None or mode is None or mode in modes
        ]
        return dated(visible, self._session)

    def _add_summaries(
        self, text: str, thread: str | None, modes: Sequence[str] | None, gathered: Gathered
    ) -> None:
        from bardo.converse.summaries import similar, without_overlap

        try:
            stored, vectors = self._summaries.store.latest()
        except StoreError as error:
            gathered.notes.append(f"the summaries are left out: {error}")
            return
        every = [each for each in stored if modes is None or each.mode is None or each.mode in modes]
        near = (
            similar(text, every, vectors, self._session.indexer.vectors_of, limit=replies.SIMILAR)
            if every
            else []
        )
        own = [each for each in every if each.thread == thread] if thread is not None else every
        latest = own[: replies.LATEST_SUMMARIES]
        # The best of each first, so that both have a place.
        ordered: list[Summary] = [*near[:1], *latest[:1], *near[1:], *latest[1:]]
        chosen = without_overlap(ordered, replies.SUMMARIES_MOST)
        block = replies.summaries_block(chosen, tokenizer=self._session.config.assemble.tokenizer)
        if block is not None:
            gathered.blocks[block.name] = block


def _others(memories: Sequence[PromptMemory], known: Sequence[PromptMemory]) -> list[PromptMemory]:
    ids = {memory.id for memory in known}
    return [memory for memory in memories if memory.id not in ids]
