"""Records shared by all stages: frozen dataclasses without I/O, which the Rust core reads and creates as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from bardo._printed import printed

#: Author of an episode; `assistant` is another name of `agent`, which is stored.
Role = Literal["user", "agent", "assistant", "system", "environment", "tool"]
#: Stored role of each accepted name.
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
#: Rules by which a newer text ends an older statement; `read` is that of the cross-encoder, `value` that of a record.
CorrectionRule = Literal[
    "judged slot", "denial", "from", "instead", "ending", "bound", "correction", "change", "new", "now", "value", "read"
]  # fmt: skip
Source = Literal["self", "dream", "clade", "testament", "styx", "lethe", "market", "upload", "derived"]
FactStatus = Literal["active", "superseded", "contradicted", "archived", "held"]
#: Relation of the first fact of a link to the second.
Relation = Literal["supports", "contradicts", "refines", "causes", "part_of", "see_also", "corrects"]

#: Weights of a link `corrects`: the older record has ended; it is open which of the two holds; the newer one probably
#: replaces the older one; the newer one is about the same. The last two speak against neither: the newer one is shown
#: first.
ENDED, DISPUTED, PRESUMED, FOLLOWED = 1.0, 0.5, 0.375, 0.25
#: The names of relations.
RELATIONS: tuple[Relation, ...] = get_args(Relation)
#: State of a rule in the table `[innate]` of `bardo.toml`, by the id of its fact.
InnateState = Literal["active", "revoked"]
Pad = tuple[float, float, float]

NEUTRAL: Pad = (0.0, 0.0, 0.0)
#: Kind of an episode that was inherited with a testament rather than experienced (law 15).
INHERITED_KIND = "inherited"


@dataclass(frozen=True, slots=True)
class Episode:
    """Verbatim record of an event; never edited, only annotated.

    Args:
        text: Description of the event; embedded and searched. 1 byte to 64 KiB of UTF-8.
        id: Version-7 UUID; assigned by the store if empty.
        tick: Logical time of the agent, 0 to 2**62 - 1. Never decreases within one writer. Where ticks are seconds, at
            most a day ahead of the clock.
        event_index: Order within the tick; 0 lets the log assign it.
        at: Wall clock of the observation, microseconds since the epoch, UTC, from the year 1 to 9999; 0 means now.
        kind: `turn`, `event`, `trade`, `tool`, `outcome`, `regime_shift`, `note`, `dream`, ... (open).
        role: Author; `assistant` is stored as `agent`.
        speaker: Name of the speaker, none if empty; conversations are indexed as "speaker: text".
        subjects: Topics of the episode: protocols, people, files, symbols. At most 256 of 256 bytes.
        payload: Full decoded event (JSON-like, at most 1 MiB); finite numbers in it feed the baselines.
        thread: Project scope.
        session: Run.
        mode: Posture (chat, code, ...).
        curiosity: Predicted interest at capture, 0..1.
        importance: Importance, 0..1, set on verification.
        verified: Quality gate: only verified episodes are consolidated.
        pad: Pleasure, arousal, dominance at capture, each in [-1, 1]; zeros mean none.
        replay_count: Number of replays.
        content_hash: Hash of role, speaker, text and payload; assigned by the store.
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

    _printed = ("text", "role", "speaker", "at", "kind", "verified", "id")
    __str__ = printed


@dataclass(frozen=True, slots=True)
class Quality:
    """Five scores of a fact, each 0..1; its quality is their mean."""

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

    _printed = (
        "subject",
        "attribute",
        "value",
        "denied",
        "condition",
        "since",
        "until",
    )
    __str__ = printed


@dataclass(frozen=True, slots=True)
class Fact:
    """Generalisation whose confidence decays unless outcomes reinforce it.

    Args:
        text: One or two self-contained sentences.
        id: Version-7 UUID; assigned by the store if empty.
        kind: Kind of generalisation.
        category: Slash path such as `trading/slippage`.
        subjects: Topics of the fact.
        support: Number of supporting episodes.
        evidence: Ids of (the latest of) the supporting episodes.
        confidence: Confidence as of `reinforced_tick`, 0..1. The current one is
            `confidence * R(now - reinforced_tick)`.
        importance: Importance, 0..1.
        quality: Five scores of a judge; None before it is judged.
        created_tick: Tick of creation in this store.
        created_at: Wall clock of creation in this store, microseconds UTC.
        observed: First and last tick of the evidence.
        reinforced_tick: Tick from which decay counts.
        accessed_tick: Tick of the last retrieval.
        mentions: Number of retrievals.
        source: Origin of the fact.
        origin: Name of the agent that learned it first.
        generation: Generations since that agent; 0 is the agent's own.
        pad: Affect at origin.
        supersedes: Id of the fact that it replaced.
        superseded_by: Id of the fact that replaced it.
        expires_tick: Tick after which it is no longer in force.
        status: Lifecycle status.
        pinned: Exempt from decay and pruning.
        bloodstain: Learned in a death or a severe failure; recalled with a boost.
        metadata: `urls`, `commands` and `paths` found in the text.
        payload: Typed part: a mapping with a `type` of `baseline`, `pattern`, `causal_link`, `heuristic`,
            `procedural`, `anti_knowledge` or `none` and the fields of that type.
        statement: Subject, attribute and value; None if the fact has no such form.
        persistence: How long it holds without being said again; None if its kind decides.
        ended_by: Cause of its end, such as `slot` or `expiry`; for a fact in force, that of the end of its statement.
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

    _printed = ("text", "status", "confidence", "kind", "subjects", "created_at", "source", "id")
    __str__ = printed

    @property
    def is_contested(self) -> bool:
        """Whether evidence refuted it or an ancestor had ended it, and no own evidence restored it since."""
        return self.status != "active" and self.ended_by in ("refutation", "ancestor")

    @property
    def is_refuted(self) -> bool:
        """Whether evidence refuted it: outcomes of acting on it, or later episodes, here or in an ancestor's life."""
        return self.status != "active" and self.ended_by == "refutation"


@dataclass(frozen=True, slots=True)
class Link:
    """Relation between two facts.

    Args:
        src: Id of the first fact.
        dst: Id of the second fact.
        relation: Relation of the first to the second: `supports`, `contradicts`, `refines`, `causes`, `part_of`,
            `see_also`, `corrects`.
        weight: Weight, 0..1.
        tick: Tick of creation.
    """

    src: str
    dst: str
    relation: str
    weight: float
    tick: int

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity of an embedding model; vectors are comparable only if all fields but `created` are equal.

    Args:
        model: Name, such as `sentence-transformers/all-MiniLM-L6-v2`.
        version: Version of the weights.
        preprocessing: Hash of the processing of the text before the model and of the vector after it.
        dims: Number of components.
        created: Time of the model's first use in the store, microseconds UTC.
    """

    model: str
    version: str
    preprocessing: str
    dims: int
    created: int = 0

    @property
    def key(self) -> str:
        """Returns the name under which vectors are stored: models with the same one have comparable vectors."""
        return f"{self.model} {self.version} {self.preprocessing} {self.dims}"

    def is_same_model(self, other: Fingerprint) -> bool:
        """Whether vectors of the two models are comparable."""
        return replace(self, created=0) == replace(other, created=0)
