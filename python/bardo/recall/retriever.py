"""A query in, a few memories out, each with its reasons. The ranking itself is one call into the Rust core."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, cast, overload

from bardo import _core
from bardo.config import Recall
from bardo.errors import EmbedderUnavailableError, InvalidInputError
from bardo.model import NEUTRAL, Episode, Fact, Pad, Role, Source
from bardo.ports import Embedder, LateEmbedder, Tokens, Vectors

Layer = Literal["episode", "fact"]

#: Evidence ids that one line of explanation names; the rest are in `Explanation.evidence`.
EVIDENCE_SHOWN = 3
#: What the conversation around a memory adds, by the names of its weights.
CONVERSATION = (
    "previous_question", "next_turn", "session_best", "session_words", "speaker", "role", "date", "time",
    "question_penalty",
)  # fmt: skip
#: Bytes of a query that are embedded: a model reads a page at most, and the words of the rest still count.
EMBEDDED_QUERY_CHARACTERS = 8_192


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that a memory must meet, all of them; None lets everything through (spec 4, "Filters").

    Args:
        layers: `episode`, `fact` or both.
        kinds: Kinds of episodes or facts.
        category: Category of a fact, or the beginning of its path up to a slash. Episodes have none.
        subjects: At least one of these.
        thread: This thread. Facts have none.
        session: This session. Facts have none.
        mode: This mode, or none recorded.
        roles: Authors. Facts have none.
        without_roles: Authors whose episodes are left out; facts stay.
        since: Wall clock from here on, microseconds UTC.
        until: Wall clock up to and including here, microseconds UTC.
        min_confidence: Of a fact, decayed to now, 0..1. Episodes are what happened and pass.
        sources: Where it came from; episodes are `self`.
        as_of: What was known, and in force, at this tick.
    """

    layers: Sequence[Layer] | None = None
    kinds: Sequence[str] | None = None
    category: str | None = None
    subjects: Sequence[str] | None = None
    thread: str | None = None
    session: str | None = None
    mode: str | None = None
    roles: Sequence[Role] | None = None
    without_roles: Sequence[Role] | None = None
    since: int | None = None
    until: int | None = None
    min_confidence: float | None = None
    sources: Sequence[Source] | None = None
    as_of: int | None = None

    def __post_init__(self) -> None:
        """Refuses one string where a list of strings is meant: it would be taken letter by letter."""
        for name in ("layers", "kinds", "subjects", "roles", "without_roles", "sources"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidInputError(f"{name} is one string ({value!r}). Pass a list: {name}=[{value!r}]")


@dataclass(frozen=True, slots=True)
class ArmReason:
    """What one signal said of a memory.

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
        fused: Fused relevance.
        semantic: Factor 0..1: fused relevance, the best candidate 1.
        temporal: Factor 0..1: retention.
        importance: Factor 0..1: quality or importance; 0.5 while nobody judged it.
        emotional: Factor 0..1: mood congruence; 0.5 where no affect is recorded.
        discounts: Factors other than 1 by name: `source`, `bloodstain`, `thread`.
        age_days: Days since it was made.
        confidence: Confidence now.
        matched: Terms of the query that it holds, stemmed.
        provenance: Source, origin and generation in words.
        evidence: Ids of the episodes behind it.
        duplicates: Ids of near-duplicates that it stands for.
    """

    arms: tuple[ArmReason, ...]
    conversation: Mapping[str, float]
    fused: float
    semantic: float
    temporal: float
    importance: float
    emotional: float
    discounts: Mapping[str, float]
    age_days: float
    confidence: float
    matched: tuple[str, ...]
    provenance: str
    evidence: tuple[str, ...]
    duplicates: tuple[str, ...]

    def __str__(self) -> str:
        found = [
            _arm_in_words(reason) for reason in self.arms if reason.rank is not None or reason.arm == "late"
        ]
        parts = [", ".join(found)] if found else []
        if self.matched:
            parts.append("words: " + " ".join(self.matched))
        if self.conversation:
            parts.append(", ".join(f"{name} {part:+.2f}" for name, part in self.conversation.items()))
        parts.append(
            f"semantic {self.semantic:.2f}, temporal {self.temporal:.2f}, "
            f"importance {self.importance:.2f}, emotional {self.emotional:.2f}"
        )
        parts += [f"{name} x{factor:g}" for name, factor in self.discounts.items()]
        parts.append(f"{self.age_days:.1f} days old, {self.provenance}, confidence now {self.confidence:.2f}")
        if self.evidence:
            shown = ", ".join(self.evidence[:EVIDENCE_SHOWN])
            more = len(self.evidence) - EVIDENCE_SHOWN
            parts.append(f"evidence {shown}" + (f" and {more} more" if more > 0 else ""))
        if self.duplicates:
            parts.append(f"stands for {len(self.duplicates)} near-duplicates")
        return "; ".join(parts)


class _Outlined:
    """A memory whose fields are made of what the core found when one of them is asked for."""

    __slots__ = ("_found",)
    _found: tuple[_core.Found, int]

    @classmethod
    def _at(cls, found: _core.Found, place: int) -> Self:
        memory = object.__new__(cls)
        _FOUND(memory, (found, place))
        return memory

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called for a field that is not there yet."""
            found, place = object.__getattribute__(self, "_found")
            if name == "record":
                object.__setattr__(self, name, found.record(place))
            elif name == "why":
                object.__setattr__(self, name, _explanation(found.hit(place), self.record))
            else:
                for put, value in zip(_OUTLINE, found.outline(place), strict=False):
                    put(self, value)
                _BEFORE(self, ())
                _AFTER(self, ())
            return object.__getattribute__(self, name)


@dataclass(frozen=True, slots=True)
class Memory(_Outlined):
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


#: Fill the fields of a memory that `_core.Found.outline` gives, in its order, and those that `window.py` adds.
_OUTLINE = tuple(
    getattr(Memory, name).__set__
    for name in ("text", "id", "layer", "score", "confidence", "tick", "at", "source", "inherited")
)
_BEFORE, _AFTER = (getattr(Memory, name).__set__ for name in ("before", "after"))
_FOUND = vars(_Outlined)["_found"].__set__


class _Asked:
    """A recollection whose id is made when it is asked for."""

    __slots__ = ("_asked",)
    _asked: tuple[int, _core.Found | None]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called for a field that is not there yet."""
            tick, _ = object.__getattribute__(self, "_asked")
            if name == "id":
                ids = "".join(memory.id for memory in self.memories)
                digest = hashlib.blake2s(f"{self.query}\0{tick}\0{ids}".encode(), digest_size=8)
                object.__setattr__(self, name, digest.hexdigest())
            return object.__getattribute__(self, name)


@dataclass(frozen=True, slots=True)
class Recollection(_Asked, Sequence[Memory]):
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
        return len(self.memories)

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    @property
    def facts(self) -> list[str]:
        """Ids of the facts among the memories."""
        _, found = getattr(self, "_asked", (0, None))
        if found is not None:
            return cast("_core.Found", found).facts()
        return [memory.id for memory in self.memories if memory.layer == "fact"]


class Searcher(Protocol):
    """Where memories are found: the hot set, or more than it."""

    def search(self, text: str, vector: Vectors | None = None, **options: Any) -> _core.Found:
        """As `_core.HotSet.search`."""
        ...


class EpisodeReader(Protocol):
    """Where episodes are read from."""

    def get(self, ids: Sequence[str]) -> Sequence[Episode | None]:
        """The episodes with these ids."""
        ...


class FactReader(Protocol):
    """Where facts are read from."""

    def get(self, ids: Sequence[str], *, as_of: int | None = None) -> Sequence[Fact | None]:
        """The facts with these ids, as they were at the end of a tick if one is given."""
        ...


@dataclass(frozen=True, slots=True)
class Retriever:
    """Recalls from a hot set and reads the records out of their stores.

    Args:
        hot: The index in memory.
        log: Where episodes are read from.
        facts: Where facts are read from.
        embedder: Turns queries into vectors; None searches by words alone.
        config: Settings of recall.
        tau_ticks: e-folding time of decay, in ticks.
        factors: Weights of the semantic, temporal, importance and emotional factor, if they were learned.
        tokens: Where the codes of episodes' tokens are read from, for late interaction; None goes without.
    """

    hot: Searcher
    log: EpisodeReader
    facts: FactReader
    embedder: Embedder | None = None
    config: Recall = field(default_factory=Recall)
    tau_ticks: float = 500.0
    factors: tuple[float, float, float, float] | None = None
    tokens: _core.EpisodeLog | None = None

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        now_tick: int = 0,
        now: int = 0,
        filters: Filters | None = None,
        pad: Pad | None = None,
        thread: str | None = None,
        policy: str | None = None,
        diversity: float = 0.0,
    ) -> Recollection:
        """Finds the few memories that matter for a query.

        Args:
            query: A question or a description of the situation, in any language.
            limit: Memories at most, 1 to 10,000; the setting if None.
            now_tick: Logical time of the asker: decay and expiry are as of this tick.
            now: Wall clock of the asker, microseconds UTC, for ages.
            filters: Which memories may answer.
            pad: Affect of the asker.
            thread: The asker's active thread, whose memories are boosted.
            policy: `four_factor`, `rrf` or `pinned`; the setting if None.
            diversity: How much unlike each other the memories are to be, 0 to 1.

        Returns:
            The memories, best first; empty with a note when nothing passes a threshold.

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The embedder gave a vector of other dimensions than the stored ones.
        """
        notes: list[str] = []
        query = query.encode("utf-8", "replace").decode("utf-8")
        vector, tokens = self._vector(query, notes)
        as_of = filters.as_of if filters else None
        log, facts = self.log, self.facts
        # The stores themselves are read by the core in the same call.
        stores = isinstance(log, _core.EpisodeLog) and isinstance(facts, _core.FactStore)
        found = self.hot.search(
            query,
            vector,
            limit=self.config.limit if limit is None else limit,
            now_tick=now_tick,
            now=now,
            filters=filters,
            pad=pad or NEUTRAL,
            thread=thread,
            settings=self._settings(policy, diversity),
            tokens=tokens and (list(tokens.words), list(tokens.counts), tokens.vectors),
            log=log if stores else self.tokens,
            facts=facts if stores else None,
        )
        notes += found.notes
        if stores:
            memories = tuple(Memory._at(found, place) for place in range(len(found)))
        else:
            memories = self._read(found.hits, notes, as_of=as_of)
        if as_of is not None and not stores:
            memories = tuple(self._then(memory, as_of) for memory in memories)
        return _recollection(query, memories, notes, found, now_tick, as_found=stores)

    def _settings(self, policy: str | None, diversity: float) -> _core.RecallSettings:
        weights = self.config.weights
        return _core.RecallSettings(
            policy=policy or self.config.policy,
            dense=weights.dense,
            lexical=weights.lexical,
            recency=weights.recency,
            late=weights.late,
            rare=weights.rare,
            conversation=None if weights.conversation else dict.fromkeys(CONVERSATION, 0.0),
            tau_ticks=self.tau_ticks,
            factors=self.factors,
            diversity=diversity,
        )

    def _vector(self, query: str, notes: list[str]) -> tuple[Vectors | None, Tokens | None]:
        if not query.strip():
            return None, None
        if self.embedder is None:
            notes.append("there is no embedder: searched by words alone")
            return None, None
        texts = [query[:EMBEDDED_QUERY_CHARACTERS]]
        try:
            # `isinstance` with a protocol looks at every member, which takes longer than the whole search may.
            if self.tokens is not None and getattr(self.embedder, "gives_tokens", False):
                vectors, tokens = cast("LateEmbedder", self.embedder).embed_late_queries(texts)
                return vectors[0], tokens[0]
            return self.embedder.embed_queries(texts)[0], None
        except EmbedderUnavailableError as error:
            notes.append(f"searched by words alone: {error}")
            return None, None

    def _read(
        self, hits: Sequence[_core.Hit], notes: list[str], *, as_of: int | None = None
    ) -> tuple[Memory, ...]:
        records: dict[str, Episode | Fact] = {}
        episodes = [hit.id for hit in hits if hit.layer == "episode"]
        facts = [hit.id for hit in hits if hit.layer == "fact"]
        if episodes:
            records.update((record.id, record) for record in self.log.get(episodes) if record is not None)
        if facts:
            found = self.facts.get(facts) if as_of is None else self.facts.get(facts, as_of=as_of)
            records.update((record.id, record) for record in found if record is not None)
        missing = [hit.id for hit in hits if hit.id not in records]
        if missing:
            notes.append(f"{len(missing)} memories are no longer in their store: {', '.join(missing[:3])}")
        return tuple(_memory(hit, records[hit.id]) for hit in hits if hit.id in records)

    def _then(self, memory: Memory, tick: int) -> Memory:
        """The memory with the confidence that its record, as it was, had at a tick of the past."""
        if not isinstance(memory.record, Fact):
            return memory
        sure = _core.confidence_now(memory.record, tick=tick, tau_ticks=self.tau_ticks)
        return replace(memory, confidence=sure, why=replace(memory.why, confidence=sure))


def _recollection(
    query: str,
    memories: tuple[Memory, ...],
    notes: list[str],
    found: _core.Found,
    now_tick: int,
    *,
    as_found: bool,
) -> Recollection:
    recollection = object.__new__(Recollection)
    values = {
        "query": query, "memories": memories, "notes": tuple(notes), "searched": found.searched,
        "candidates": found.candidates, "_asked": (now_tick, found if as_found else None),
    }  # fmt: skip
    for name, value in values.items():
        object.__setattr__(recollection, name, value)
    return recollection


def _memory(hit: _core.Hit, record: Episode | Fact) -> Memory:
    inherited = record.generation > 0 if isinstance(record, Fact) else hit.source != "self"
    return Memory(
        text=record.text,
        id=hit.id,
        layer=hit.layer,
        score=hit.score,
        confidence=hit.confidence,
        tick=hit.tick,
        at=hit.at,
        source=hit.source,
        inherited=inherited,
        why=_explanation(hit, record),
        record=record,
    )


def _explanation(hit: _core.Hit, record: Episode | Fact) -> Explanation:
    if isinstance(record, Fact):
        origin = f" of {record.origin}" if record.origin else ""
        provenance = f"{record.source}{origin}, generation {record.generation}"
        evidence = record.evidence
    else:
        author = record.speaker or record.role
        provenance = f"{'verified ' if record.verified else ''}{record.kind} by {author}"
        evidence = ()
    boosts = {
        "source": hit.source_discount,
        "bloodstain": hit.bloodstain_boost,
        "thread": hit.thread_boost,
    }
    return Explanation(
        arms=tuple(ArmReason(*reason) for reason in hit.arms),
        conversation=dict(hit.conversation),
        fused=hit.fused,
        semantic=hit.semantic,
        temporal=hit.temporal,
        importance=hit.importance,
        emotional=hit.emotional,
        discounts={name: factor for name, factor in boosts.items() if factor != 1.0},
        age_days=hit.age_days,
        confidence=hit.confidence,
        matched=tuple(hit.matched),
        provenance=provenance,
        evidence=evidence,
        duplicates=tuple(hit.duplicates),
    )


def _arm_in_words(reason: ArmReason) -> str:
    value = "" if reason.value is None else f" ({reason.value:.2f})"
    rank = "" if reason.rank is None else f" #{reason.rank}"
    return f"{reason.arm}{rank}{value}"
