"""The values that every stage passes on. Frozen, without I/O; the Rust core reads and makes these same classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

#: Author of an episode; `assistant` is another name of `agent`, which is stored.
Role = Literal["user", "agent", "assistant", "system", "environment", "tool"]
#: The stored role by every name that is taken for it.
ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "agent",
    "ai": "agent",
    "agent": "agent",
    "model": "agent",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "environment": "environment",
}
FactKind = Literal[
    "insight",
    "heuristic",
    "warning",
    "causal_link",
    "anti_knowledge",
    "baseline",
    "pattern",
    "procedural",
    "identity",
    "goal",
    "preference",
    "interest",
    "context",
]
#: How long a fact holds without being said again; `permanent` until it is denied.
Persistence = Literal["permanent", "years", "months", "weeks", "days"]
Source = Literal["self", "dream", "clade", "testament", "styx", "lethe", "market", "upload", "derived"]
FactStatus = Literal["active", "superseded", "contradicted", "archived", "held"]
#: Relation of the first fact of a link to the second.
Relation = Literal["supports", "contradicts", "refines", "causes", "part_of", "see_also", "corrects"]
#: The names of relations.
RELATIONS: tuple[Relation, ...] = get_args(Relation)
Pad = tuple[float, float, float]

NEUTRAL: Pad = (0.0, 0.0, 0.0)
#: Kind of an episode that came with a testament: heard of, not lived (law 15).
INHERITED_KIND = "inherited"


@dataclass(frozen=True, slots=True)
class Episode:
    """One verbatim record of something that happened; never edited, only annotated.

    Args:
        text: What happened; embedded and searched. 1 byte to 64 KiB of UTF-8.
        id: Version-7 UUID; given by the store if empty.
        tick: Logical time of the agent, 0 to 2**62 - 1, where it counts seconds at most a day after the clock; never
            decreases within one writer.
        event_index: Order within the tick; 0 lets the log number it.
        at: Wall clock of the observation, microseconds since the epoch, UTC, from the year 1 to 9999; 0 means now.
        kind: `turn`, `event`, `trade`, `tool`, `outcome`, `regime_shift`, `note`, `dream`, ... (open).
        role: Who authored it; `assistant` is stored as `agent`.
        speaker: Who spoke, by name, none if empty; conversations are indexed as "speaker: text".
        subjects: Protocols, people, files, symbols: what it is about. At most 256 of 256 bytes.
        payload: The full decoded event (JSON-like, at most 1 MiB); finite numbers in it feed the baselines.
        thread: Project scope.
        session: Run.
        mode: Posture (chat, code, ...).
        curiosity: Predicted interest at capture, 0..1.
        importance: 0..1, set on verification.
        verified: The quality gate: only verified episodes are consolidated.
        pad: Pleasure, arousal, dominance at capture, each in [-1, 1]; zeros mean none.
        replay_count: How often it was replayed.
        content_hash: Hash of role, speaker, text and payload; given by the store.
    """

    text: str
    id: str = ""
    tick: int = 0
    event_index: int = 0
    at: int = 0
    kind: str = "event"
    role: Role = "environment"
    speaker: str | None = None
    subjects: tuple[str, ...] = ()
    payload: Any = None
    thread: str | None = None
    session: str | None = None
    mode: str | None = None
    curiosity: float = 0.0
    importance: float | None = None
    verified: bool = False
    pad: Pad = NEUTRAL
    replay_count: int = 0
    content_hash: int = 0


@dataclass(frozen=True, slots=True)
class Quality:
    """Five marks of a fact, each 0..1; their mean is its quality."""

    specificity: float
    actionability: float
    novelty: float
    verifiability: float
    consistency: float


@dataclass(frozen=True, slots=True)
class Statement:
    """Subject, attribute and value of a fact, and the time at which it holds.

    `since` and `until` bound when the statement holds; when it was known is in the history of its fact.

    Args:
        subject: Person or thing that the statement describes.
        attribute: Name of the attribute, such as `home` or `version`.
        value: Value of the attribute; empty in a denial of every value.
        denied: Whether the statement denies the value.
        condition: Case in which it holds, such as an environment or a meal; empty for every case.
        since: First instant at which it holds, microseconds UTC; None if unknown.
        until: First instant at which it no longer holds, microseconds UTC; None while it holds.
        functional: Whether the attribute has one value at a time.
    """

    subject: str
    attribute: str
    value: str = ""
    denied: bool = False
    condition: str = ""
    since: int | None = None
    until: int | None = None
    functional: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A generalisation whose confidence fades unless outcomes renew it.

    Args:
        text: One self-contained sentence or two.
        id: Version-7 UUID; given by the store if empty.
        kind: What sort of generalisation.
        category: A slash path such as `trading/slippage`.
        subjects: What it is about.
        support: Number of episodes behind it.
        evidence: Ids of (the latest of) those episodes.
        confidence: As of `reinforced_tick`, 0..1. What holds today is `confidence * R(now - reinforced_tick)`.
        importance: 0..1.
        quality: Five marks of a judge; None before it is judged.
        created_tick: Tick of birth in this store.
        created_at: Wall clock of birth in this store, microseconds UTC.
        observed: First and last tick of the evidence.
        reinforced_tick: Tick from which decay counts.
        accessed_tick: Tick of the last retrieval.
        mentions: Times retrieved.
        source: Where it came from.
        origin: The agent that lived it.
        generation: Generations since the one that lived it; 0 is the agent's own.
        pad: Affect at origin.
        supersedes: Id of the fact it replaced.
        superseded_by: Id of the fact that replaced it.
        expires_tick: Tick after which it is no longer in force.
        status: Whether it is in force.
        pinned: Exempt from decay and pruning.
        bloodstain: Learned in a death: recalled with a boost.
        metadata: `urls`, `commands` and `paths` found in the text.
        payload: The typed part: a mapping with a `type` of `baseline`, `pattern`, `causal_link`, `heuristic`,
            `procedural`, `anti_knowledge` or `none` and the fields of that type.
        statement: Subject, attribute and value; None if the fact has no such form.
        persistence: How long it holds without being said again; None if its kind decides.
        ended_by: Name of the rule that ended it.
    """

    text: str
    id: str = ""
    kind: FactKind = "insight"
    category: str = ""
    subjects: tuple[str, ...] = ()
    support: int = 0
    evidence: tuple[str, ...] = ()
    confidence: float = 0.5
    importance: float = 0.5
    quality: Quality | None = None
    created_tick: int = 0
    created_at: int = 0
    observed: tuple[int, int] = (0, 0)
    reinforced_tick: int = 0
    accessed_tick: int = 0
    mentions: int = 0
    source: Source = "self"
    origin: str = ""
    generation: int = 0
    pad: Pad = NEUTRAL
    supersedes: str | None = None
    superseded_by: str | None = None
    expires_tick: int | None = None
    status: FactStatus = "active"
    pinned: bool = False
    bloodstain: bool = False
    metadata: Mapping[str, Sequence[str]] = field(default_factory=dict)
    payload: Mapping[str, Any] = field(default_factory=lambda: {"type": "none"})
    statement: Statement | None = None
    persistence: Persistence | None = None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """How two facts stand to each other.

    Args:
        src: Id of the first.
        dst: Id of the second.
        relation: Relation of the first to the second: `supports`, `contradicts`, `refines`, `causes`, `part_of`,
            `see_also`, `corrects`.
        weight: 0..1.
        tick: When it was drawn.
    """

    src: str
    dst: str
    relation: str
    weight: float
    tick: int


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity of an embedding model; vectors meet only if all but `created` are equal.

    Args:
        model: Name, such as `sentence-transformers/all-MiniLM-L6-v2`.
        version: Version of the weights.
        preprocessing: Hash of everything done to the text before and to the vector after the model.
        dims: Number of components.
        created: When the store first saw the model, microseconds UTC.
    """

    model: str
    version: str
    preprocessing: str
    dims: int
    created: int = 0

    def is_same_model(self, other: Fingerprint) -> bool:
        """Whether vectors of the two may meet."""
        return replace(self, created=0) == replace(other, created=0)
