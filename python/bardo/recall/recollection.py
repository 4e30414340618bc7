"""Result of a recall: memories with their explanations. Fields are decoded from the core's answer on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, overload

from bardo import _core
from bardo._printed import printed
from bardo.model import INHERITED_KIND, Episode, Fact, Source
from bardo.recall import standing
from bardo.recall.filters import Layer
from bardo.recall.lifted import Lifted, lifted_by

#: Maximum number of evidence ids in a line of explanation; all are in `Explanation.evidence`.
EVIDENCE_SHOWN = 3
#: Reasons for a reserved place in words.
_SEATS = {"rule": "a rule that applies here", "danger": "a danger that fits the query"}


@dataclass(frozen=True, slots=True)
class ArmReason:
    """Value of one signal for a memory.

    Args:
        arm: `dense`, `lexical`, `recency`, or `late` for late interaction, which has no candidates of its own.
        rank: Rank from 1 among this arm's own candidates; None if the memory is a candidate of another arm.
        value: Cosine, BM25 score, or recency from 0 to 1; None where the memory has no vector yet.
        part: Contribution to the fused relevance.
    """

    arm: str
    rank: int | None
    value: float | None
    part: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of a recalled memory; its `str()` is one readable line.

    Args:
        arms: Value of each signal.
        conversation: Contributions of the conversation around the memory to the fused relevance, by name.
        fused: Fused relevance: the sum of the parts of `arms` and of `conversation`.
        parts: Weighted terms of the score, by name.
        discounts: Factors other than 1 that multiply the sum of `parts`, by name: `trust`, `contradicted`, `source`,
            `inherited`, `bloodstain`, `thread`; `restated` for an episode with the rank of a fact made of it,
            `corrects` for a memory placed before what it corrects, `newer` for a turn placed before an older one
            about the same, `stated` for a statement placed before records that hold fewer words of the query, and
            `in_force` for a fact placed before what is told of the attribute of which it has the value.
        relevance: Fused relevance from 0 to 1, 1 for the best candidate; as for the next three, None where the policy
            does not use it.
        temporal: Retention, 0..1.
        importance: Quality or importance, 0..1; 0.5 before it is judged.
        emotional: Mood congruence, 0..1; 0.5 where no affect is recorded.
        age_days: Days since its creation.
        confidence: Current confidence.
        matched: Stemmed terms of the query in the memory.
        provenance: Source, origin and generation in words.
        evidence: Ids of the supporting episodes.
        duplicates: Ids of near-duplicates merged into it.
        seat: Reason for the place that was reserved for it: `rule` (it applies in the situation), `danger` (a warning
            that fits the query); None if none was.
    """

    arms: tuple[ArmReason, ...]
    conversation: Mapping[str, float]
    fused: float
    parts: Mapping[str, float]
    discounts: Mapping[str, float]
    relevance: float | None
    temporal: float | None
    importance: float | None
    emotional: float | None
    age_days: float
    confidence: float
    matched: tuple[str, ...]
    provenance: str
    evidence: tuple[str, ...]
    duplicates: tuple[str, ...]
    seat: str | None = None

    @property
    def is_seated(self) -> bool:
        """Whether a place was reserved for it."""
        return self.seat is not None

    @property
    def values(self) -> Mapping[str, float]:
        """Values of the terms that the policy adds, by name; for `rrf` the fused relevance alone."""
        named = {name: getattr(self, name) for name in ("relevance", "temporal", "importance", "emotional")}
        return {name: value for name, value in named.items() if value is not None} or {"fused": self.fused}

    @property
    def age(self) -> str:
        """Age in words; that of an inherited episode counts from the inheritance."""
        is_inherited = self.provenance.startswith(INHERITED_KIND)
        return f"inherited {self.age_days:.1f} days ago" if is_inherited else f"{self.age_days:.1f} days old"

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
        parts.append(f"{self.age}, {self.provenance}, confidence now {self.confidence:.2f}")
        if self.evidence:
            shown = ", ".join(self.evidence[:EVIDENCE_SHOWN])
            more = len(self.evidence) - EVIDENCE_SHOWN
            parts.append(f"evidence {shown}" + (f" and {more} more" if more > 0 else ""))
        if self.seat is not None:
            unsure = ", inherited and not confirmed by own evidence" if "inherited" in self.discounts else ""
            parts.append(_SEATS[self.seat] + unsure)
        if self.duplicates:
            parts.append(f"stands for {len(self.duplicates)} near-duplicates")
        return "; ".join(parts)


class Answer(Protocol):
    """Hits of a query with their records: a `_core.Found`, or hits with records from other stores."""

    @property
    def notes(self) -> list[str]:
        """Notes on limits of the answer."""

    @property
    def searched(self) -> int:
        """Number of memories that meet the filters."""

    @property
    def candidates(self) -> int:
        """Number of scored memories."""

    def __len__(self) -> int: ...
    def hit(self, place: int) -> _core.Hit:
        """Returns a hit by its position from 0."""

    def outlines(self) -> list[tuple[str, str, Layer, float, float, int, int, Source, bool]]:
        """Visible fields of each hit."""

    def record(self, place: int) -> Episode | Fact:
        """Returns the whole record of a memory."""

    def corrections(self, place: int) -> list[tuple[str, int | None, bool]]:
        """Later memories that correct or dispute a hit; see `_core.Hit`."""

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""


class _LazyField:
    """Field computed at its first use. Not `__getattr__`, which would slow down access to every field of the class.

    Args:
        slot: Slot of the computed value.
        make: Callable that computes the value from the object.
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


class Moment(NamedTuple):
    """Circumstances by which memories are said to hold.

    Args:
        now: Time at which they must hold, microseconds UTC; None if the query is about the past.
        language: Language of the texts; empty for none.
        ends: Ends of what episodes told, by id, microseconds UTC.
        tick: Tick of the query, or the earlier one that it asks about.
        tau_ticks: e-folding time of decay, in ticks.
        lifted: Entries of the gate that were ended.
    """

    now: int | None
    language: str
    ends: Mapping[str, int] = MappingProxyType({})
    tick: int = 0
    tau_ticks: float = 1.0
    lifted: Sequence[Lifted] = ()


class _MutableMemory:
    """Memory under construction, with its position in the core's answer and its visible fields."""

    __slots__ = (
        "_found", "after", "at", "before", "confidence", "corrected_by", "disputed_by", "id", "inherited", "layer",
        "outdated", "record", "retention", "score", "source", "standing", "text", "tick", "why",
    )  # fmt: skip
    _found: tuple[Answer, int, Moment]

    def __init__(self, found: tuple[Answer, int, Moment], outline: tuple[Any, ...]) -> None:
        self._found = found
        (
            self.text, self.id, self.layer, self.score, self.confidence, self.tick, self.at, self.source,
            self.inherited,
        ) = outline  # fmt: skip


@dataclass(frozen=True, slots=True)
class Memory(_MutableMemory):
    """Recalled memory.

    Args:
        text: Text of the record.
        id: Id of the record.
        layer: `episode` or `fact`.
        score: Score that it is ranked by.
        confidence: Confidence now, 0..1: that of the last confirmation times the retention; 1 for an episode.
        tick: Tick of the episode, or of the fact's creation in this store.
        at: Wall clock of the episode or of the fact's creation, microseconds UTC.
        source: Origin of the record.
        inherited: Whether another agent learned it.
        why: Explanation with all numbers of the score.
        record: Whole record.
        before: Turns before it in its conversation, oldest first, if a window was requested.
        after: Turns after it, likewise.
        corrected_by: Ids of later memories that correct it, the latest first.
        disputed_by: Ids of later memories that dispute it: which of them holds is open.
        outdated: Whether it no longer holds: it was corrected or replaced, the gate ended what it tells, or its time
            is over.
        standing: How far it holds, in words: `until 14 March 2026`, `corrected on 14 March 2026`, `disputed on 14 March
            2026`, `lifted on 14 March 2026`, `done on 14 March 2026`, `only planned or attempted`, `told in
            confidence`; empty if nothing is known against it.
        retention: How likely a fact still holds by its age, 0..1; 1 for an episode. How sure it was when it was last
            confirmed is `record.confidence`.
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
    corrected_by: tuple[str, ...] = ()
    disputed_by: tuple[str, ...] = ()
    outdated: bool = False
    standing: str = ""
    retention: float = 1.0

    _printed = ("text", "standing", "layer", "confidence", "at", "source", "score")
    __str__ = printed


def _memories(found: Answer, moment: Moment) -> tuple[Memory, ...]:
    """Makes the memories of an answer with one call into the core."""
    made = []
    for place, outline in enumerate(found.outlines()):
        memory: Any = _MutableMemory((found, place, moment), outline)
        # Setting the fields of a frozen object from outside takes five times as long.
        memory.__class__ = Memory
        made.append(memory)
    return tuple(made)


def _record(memory: Memory) -> Episode | Fact:
    found, place, _ = memory._found
    return found.record(place)


def _make_explanation(memory: Memory) -> Explanation:
    found, place, _ = memory._found
    return _explanation(found.hit(place), memory.record)


def _corrections(memory: Memory) -> list[tuple[str, int | None, bool]]:
    found, place, _ = memory._found
    return found.corrections(place)


def _corrected_by(memory: Memory) -> tuple[str, ...]:
    return tuple(by for by, _, is_disputed in _corrections(memory) if not is_disputed)


def _disputed_by(memory: Memory) -> tuple[str, ...]:
    return tuple(by for by, _, is_disputed in _corrections(memory) if is_disputed)


def _outdated(memory: Memory) -> bool:
    moment = memory._found[2]
    return (
        bool(memory.corrected_by)
        or memory.id in moment.ends
        or standing.is_over(memory.record, moment.now)
        or lifted_by(memory.record, moment.lifted) is not None
    )


def _standing(memory: Memory) -> str:
    moment = memory._found[2]
    told_until = moment.ends.get(memory.id)
    return standing.in_words(
        memory.record,
        _corrections(memory),
        moment.now,
        moment.language,
        told_until=told_until,
        lifted=lifted_by(memory.record, moment.lifted),
    )


def _retention(memory: Memory) -> float:
    record, moment = memory.record, memory._found[2]
    if not isinstance(record, Fact):
        return 1.0
    return _core.retention_now(record, tick=moment.tick, tau_ticks=moment.tau_ticks)


for _name, _make in (
    ("corrected_by", _corrected_by),
    ("disputed_by", _disputed_by),
    ("outdated", _outdated),
    ("standing", _standing),
    ("retention", _retention),
    ("record", _record),
    ("why", _make_explanation),
    ("before", lambda _: ()),
    ("after", lambda _: ()),
):
    setattr(Memory, _name, _LazyField(getattr(Memory, _name), _make))


class _QueryContext:
    """Tick of a query, and the core's answer."""

    __slots__ = ("_asked",)
    _asked: tuple[int, Answer, Moment]


@dataclass(frozen=True, slots=True)
class Recollection(_QueryContext, Sequence[Memory]):
    """Memories found for a query, best first.

    Args:
        query: Query.
        memories: Memories, best first.
        notes: Notes on limits of the result, and on the reason for an empty one.
        id: Id of this recollection: the same query, tick and memories give the same id.
        searched: Number of memories that meet the filters.
        candidates: Number of scored memories.
    """

    query: str
    memories: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()
    id: str = ""
    searched: int = 0
    candidates: int = 0

    _printed = ("query", "memories", "notes")
    __str__ = printed

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Memory]: ...
    def __getitem__(self, index: int | slice) -> Memory | Sequence[Memory]:
        """Returns the memory at a rank from 0, or a slice of memories."""
        return self.memories[index]

    def __len__(self) -> int:
        # Does not decode the memories.
        asked = getattr(self, "_asked", None)
        return len(self.memories) if asked is None else len(asked[1])

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    @property
    def texts(self) -> list[str]:
        """Texts of the memories. It does not decode the rest of them."""
        asked: tuple[int, Answer, Moment] | None = getattr(self, "_asked", None)
        if asked is not None:
            return [text for text, *_ in asked[1].outlines()]
        return [memory.text for memory in self.memories]

    @property
    def facts(self) -> list[str]:
        """Ids of the facts among the memories."""
        asked: tuple[int, Answer, Moment] | None = getattr(self, "_asked", None)
        if asked is not None:
            return asked[1].facts()
        return [memory.id for memory in self.memories if memory.layer == "fact"]


def _id(recollection: Recollection) -> str:
    tick, _, _ = recollection._asked
    ids = "".join(memory.id for memory in recollection.memories)
    return hashlib.blake2s(f"{recollection.query}\0{tick}\0{ids}".encode(), digest_size=8).hexdigest()


#: Setters of the fields of a recollection that are known at its creation.
_KNOWN = tuple(
    getattr(Recollection, name).__set__ for name in ("query", "notes", "searched", "candidates", "_asked")
)


for _name, _making in (("memories", lambda made: _memories(*made._asked[1:])), ("id", _id)):
    setattr(Recollection, _name, _LazyField(getattr(Recollection, _name), _making))


def recollection(
    query: str,
    found: Answer,
    notes: Sequence[str],
    now_tick: int,
    *,
    moment: Moment,
) -> Recollection:
    """Wraps the core's answer to a query, with further notes; memories and their fields are decoded on demand.

    Args:
        query: Query.
        found: Answer of the core.
        notes: Further notes.
        now_tick: Tick of the query.
        moment: Circumstances by which the memories are said to hold.
    """
    made = object.__new__(Recollection)
    values = (query, (*notes, *found.notes), found.searched, found.candidates, (now_tick, found, moment))
    for put, value in zip(_KNOWN, values, strict=False):
        put(made, value)
    return made


def _lived(episode: Episode) -> str:
    """Returns the kind of an episode; of an inherited one as the agent that lived it had it."""
    lived = episode.payload.get(INHERITED_KIND) if isinstance(episode.payload, dict) else None
    if episode.kind != INHERITED_KIND or not isinstance(lived, dict):
        return episode.kind
    return f"{INHERITED_KIND} from {lived.get('agent')}: {lived.get('kind')}"


def _explanation(hit: _core.Hit, record: Episode | Fact) -> Explanation:
    if isinstance(record, Fact):
        origin = f" of {record.origin}" if record.origin else ""
        provenance = f"{record.source}{origin}, generation {record.generation}"
        evidence = record.evidence
    else:
        author = record.speaker or record.role
        provenance = f"{'verified ' if record.verified else ''}{_lived(record)} by {author}"
        evidence = ()
    values = {name: value for name, value, _ in hit.terms}
    return Explanation(
        arms=tuple(ArmReason(*reason) for reason in hit.arms),
        conversation=dict(hit.conversation),
        fused=hit.fused,
        parts={name: value * weight for name, value, weight in hit.terms},
        discounts=dict(hit.factors),
        relevance=values.get("relevance"),
        temporal=values.get("temporal"),
        importance=values.get("importance"),
        emotional=values.get("emotional"),
        age_days=hit.age_days,
        confidence=hit.confidence,
        matched=tuple(hit.matched),
        provenance=provenance,
        evidence=evidence,
        duplicates=tuple(hit.duplicates),
        seat=hit.seat,
    )


def _arm_in_words(reason: ArmReason) -> str:
    value = "" if reason.value is None else f" ({reason.value:.2f})"
    rank = "" if reason.rank is None else f" #{reason.rank}"
    return f"{reason.arm}{rank}{value}"
