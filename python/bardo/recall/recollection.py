"""Result of a recall: memories, each with its reasons. Fields are decoded from the core's answer on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, overload

from bardo import _core
from bardo.model import Episode, Fact, Source
from bardo.recall.filters import Layer

#: Evidence ids that one line of explanation names; the rest are in `Explanation.evidence`.
EVIDENCE_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ArmReason:
    """Value of one signal for a memory.

    Args:
        arm: `dense`, `lexical`, `recency`, or `late` for late interaction, which brings nothing in by itself.
        rank: From 1 among this arm's own candidates; None if another arm brought the memory in.
        value: Cosine, BM25 score, or recency from 0 to 1; None where the memory has no vector yet.
        part: What it added to the fused relevance.
    """

    arm: str
    rank: int | None
    value: float | None
    part: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was recalled; its `str()` is one readable line.

    Args:
        arms: What each signal said.
        conversation: What the conversation around the memory added to the fused relevance, by name.
        fused: Fused relevance: the sum of the parts of `arms` and of `conversation`.
        parts: Terms of the score by name, each times its weight.
        discounts: Factors other than 1 that multiply the sum of `parts`, by name: `trust`, `contradicted`, `source`,
            `inherited`, `bloodstain`, `thread`, and `restated` of an episode that ranks where a fact made of it would.
        semantic: Fused relevance from 0 to 1, the best candidate 1; like the next three None where the policy leaves it
            out.
        temporal: Retention, 0..1.
        importance: Quality or importance, 0..1; 0.5 while it is not judged.
        emotional: Mood congruence, 0..1; 0.5 where no affect is recorded.
        age_days: Days since it was made.
        confidence: Confidence now.
        matched: Terms of the query that it holds, stemmed.
        provenance: Source, origin and generation in words.
        evidence: Ids of the episodes behind it.
        duplicates: Ids of near-duplicates that it stands for.
        is_seated: Whether a place was reserved for it, as a rule that applies in the situation.
    """

    arms: tuple[ArmReason, ...]
    conversation: Mapping[str, float]
    fused: float
    parts: Mapping[str, float]
    discounts: Mapping[str, float]
    semantic: float | None
    temporal: float | None
    importance: float | None
    emotional: float | None
    age_days: float
    confidence: float
    matched: tuple[str, ...]
    provenance: str
    evidence: tuple[str, ...]
    duplicates: tuple[str, ...]
    is_seated: bool = False

    @property
    def values(self) -> Mapping[str, float]:
        """Values of the terms that the policy adds, by name; of `rrf` the fused relevance alone."""
        named = {name: getattr(self, name) for name in ("semantic", "temporal", "importance", "emotional")}
        return {name: value for name, value in named.items() if value is not None} or {"fused": self.fused}

    def __str__(self) -> str:
        found = [
            _arm_in_words(reason) for reason in self.arms if reason.rank is not None or reason.arm == "late"
        ]
        parts = [", ".join(found)] if found else []
        if self.matched:
            parts.append("words: " + " ".join(self.matched))
        if self.conversation:
            parts.append(", ".join(f"{name} {part:+.2f}" for name, part in self.conversation.items()))
        parts.append(", ".join(f"{name} {value:.2f}" for name, value in self.values.items()))
        parts += [f"{name} x{factor:.3g}" for name, factor in self.discounts.items()]
        parts.append(f"{self.age_days:.1f} days old, {self.provenance}, confidence now {self.confidence:.2f}")
        if self.evidence:
            shown = ", ".join(self.evidence[:EVIDENCE_SHOWN])
            more = len(self.evidence) - EVIDENCE_SHOWN
            parts.append(f"evidence {shown}" + (f" and {more} more" if more > 0 else ""))
        if self.is_seated:
            parts.append("a rule that applies here")
        if self.duplicates:
            parts.append(f"stands for {len(self.duplicates)} near-duplicates")
        return "; ".join(parts)


class Answer(Protocol):
    """Hits of a query with their records: a `_core.Found`, or a reader of records elsewhere."""

    @property
    def notes(self) -> list[str]:
        """Notes on limits of the answer."""

    @property
    def searched(self) -> int:
        """Memories that the filters let through."""

    @property
    def candidates(self) -> int:
        """Memories that were scored."""

    def __len__(self) -> int: ...
    def hit(self, place: int) -> _core.Hit:
        """One hit by its place from 0."""

    def outlines(self) -> list[tuple[str, str, Layer, float, float, int, int, Source, bool]]:
        """Visible fields of each hit."""

    def record(self, place: int) -> Episode | Fact:
        """The whole record of a memory."""

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""


class _LazyField:
    """A field computed at its first use. Not `__getattr__`: a class that has it is slower at every field.

    Args:
        slot: Where the field is kept.
        make: Makes it of the object.
    """

    __slots__ = ("_make", "_slot")

    def __init__(self, slot: Any, make: Callable[[Any], Any]) -> None:
        self._slot, self._make = slot, make

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self
        try:
            return self._slot.__get__(owner)
        except AttributeError:
            made = self._make(owner)
            self._slot.__set__(owner, made)
            return made

    def __set__(self, owner: Any, value: Any) -> None:
        self._slot.__set__(owner, value)


class _MutableMemory:
    """A memory while it is made: where it stands in what the core has found, and what it shows of itself."""

    __slots__ = (
        "_found", "after", "at", "before", "confidence", "id", "inherited", "layer", "record", "score", "source",
        "text", "tick", "why",
    )  # fmt: skip
    _found: tuple[Answer, int]

    def __init__(self, found: tuple[Answer, int], outline: tuple[Any, ...]) -> None:
        self._found = found
        (
            self.text, self.id, self.layer, self.score, self.confidence, self.tick, self.at, self.source,
            self.inherited,
        ) = outline  # fmt: skip


@dataclass(frozen=True, slots=True)
class Memory(_MutableMemory):
    """A memory that was recalled.

    Args:
        text: What it says.
        id: Id of the record.
        layer: `episode` or `fact`.
        score: What it was ranked by.
        confidence: Decayed to now, 0..1; 1 for an episode, which is what happened.
        tick: Tick of the episode, or of the fact's birth here.
        at: Wall clock of the same, microseconds UTC.
        source: Where it came from.
        inherited: Whether another life learned it.
        why: Every number that went into the score.
        record: The whole record.
        before: Turns before it in its conversation, oldest first, if a window was asked for.
        after: Turns after it, likewise.
    """

    text: str
    id: str
    layer: Layer
    score: float
    confidence: float
    tick: int
    at: int
    source: Source
    inherited: bool
    why: Explanation
    record: Episode | Fact
    before: tuple[Episode, ...] = ()
    after: tuple[Episode, ...] = ()


def _memories(found: Answer) -> tuple[Memory, ...]:
    """All that was found, made at once: the core is asked once for all of them."""
    made = []
    for place, outline in enumerate(found.outlines()):
        memory: Any = _MutableMemory((found, place), outline)
        # Setting the fields of a frozen object from outside takes five times as long.
        memory.__class__ = Memory
        made.append(memory)
    return tuple(made)


def _record(memory: Memory) -> Episode | Fact:
    found, place = memory._found
    return found.record(place)


def _nothing(_: Memory) -> tuple[Episode, ...]:
    return ()


def _why(memory: Memory) -> Explanation:
    found, place = memory._found
    return _explanation(found.hit(place), memory.record)


for _name, _make in (("record", _record), ("why", _why), ("before", _nothing), ("after", _nothing)):
    setattr(Memory, _name, _LazyField(getattr(Memory, _name), _make))


class _QueryContext:
    """When a recollection was asked for, and what the core has found."""

    __slots__ = ("_asked",)
    _asked: tuple[int, Answer]


@dataclass(frozen=True, slots=True)
class Recollection(_QueryContext, Sequence[Memory]):
    """The memories that answer a query, best first.

    Args:
        query: What was asked.
        memories: Best first.
        notes: What could not be done, and why there is nothing if there is nothing.
        id: Of this recollection: the same query, tick and memories give the same id.
        searched: Memories that the filters let through.
        candidates: Memories that were scored.
    """

    query: str
    memories: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()
    id: str = ""
    searched: int = 0
    candidates: int = 0

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Memory]: ...
    def __getitem__(self, index: int | slice) -> Memory | Sequence[Memory]:
        """The memory at a rank from 0, or a slice of them."""
        return self.memories[index]

    def __len__(self) -> int:
        # Counting makes no memories.
        asked = getattr(self, "_asked", None)
        return len(self.memories) if asked is None else len(asked[1])

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    @property
    def facts(self) -> list[str]:
        """Ids of the facts among the memories."""
        asked: tuple[int, Answer] | None = getattr(self, "_asked", None)
        if asked is not None:
            return asked[1].facts()
        return [memory.id for memory in self.memories if memory.layer == "fact"]


def _id(recollection: Recollection) -> str:
    tick, _ = recollection._asked
    ids = "".join(memory.id for memory in recollection.memories)
    return hashlib.blake2s(f"{recollection.query}\0{tick}\0{ids}".encode(), digest_size=8).hexdigest()


#: Fill the fields of a recollection that are known when it is made.
_KNOWN = tuple(
    getattr(Recollection, name).__set__ for name in ("query", "notes", "searched", "candidates", "_asked")
)


for _name, _making in (("memories", lambda made: _memories(made._asked[1])), ("id", _id)):
    setattr(Recollection, _name, _LazyField(getattr(Recollection, _name), _making))


def recollection(
    query: str,
    found: Answer,
    notes: Sequence[str],
    now_tick: int,
) -> Recollection:
    """Wraps the core's answer to a query, with further notes; memories and their fields are decoded on demand."""
    made = object.__new__(Recollection)
    values = (query, (*notes, *found.notes), found.searched, found.candidates, (now_tick, found))
    for put, value in zip(_KNOWN, values, strict=False):
        put(made, value)
    return made


def _explanation(hit: _core.Hit, record: Episode | Fact) -> Explanation:
    if isinstance(record, Fact):
        origin = f" of {record.origin}" if record.origin else ""
        provenance = f"{record.source}{origin}, generation {record.generation}"
        evidence = record.evidence
    else:
        author = record.speaker or record.role
        provenance = f"{'verified ' if record.verified else ''}{record.kind} by {author}"
        evidence = ()
    values = {name: value for name, value, _ in hit.terms}
    return Explanation(
        arms=tuple(ArmReason(*reason) for reason in hit.arms),
        conversation=dict(hit.conversation),
        fused=hit.fused,
        parts={name: value * weight for name, value, weight in hit.terms},
        discounts=dict(hit.factors),
        semantic=values.get("semantic"),
        temporal=values.get("temporal"),
        importance=values.get("importance"),
        emotional=values.get("emotional"),
        age_days=hit.age_days,
        confidence=hit.confidence,
        matched=tuple(hit.matched),
        provenance=provenance,
        evidence=evidence,
        duplicates=tuple(hit.duplicates),
        is_seated=hit.is_seated,
    )


def _arm_in_words(reason: ArmReason) -> str:
    value = "" if reason.value is None else f" ({reason.value:.2f})"
    rank = "" if reason.rank is None else f" #{reason.rank}"
    return f"{reason.arm}{rank}{value}"
