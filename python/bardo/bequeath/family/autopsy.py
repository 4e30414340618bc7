"""Posthumous audit of a life: its last decisions, the memories they cited, and those that would have warned."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bardo._printed import printed
from bardo.bequeath.content.worth import inherited_fields
from bardo.bequeath.lineage import Life
from bardo.bequeath.testament.testament import Testament
from bardo.clock import MICROSECONDS
from bardo.errors import InvalidInputError
from bardo.life.history import NO_FEATURES, OUTCOME, RECORDED_AS, VALUE
from bardo.model import INHERITED_KIND, Episode, Fact
from bardo.recall.feedback import is_note
from bardo.recall.rules import Rule
from bardo.recall.situation import MOST_FEATURES, Situation

#: Number of the last decisions that are audited by default.
ACTIONS = 5
#: Known facts, warnings, and precedents that are listed per decision.
LISTED = 8
#: Minimum share of common subjects and words of two decisions in all of theirs, from which they are alike.
ALIKE = 0.5
#: Names of the action in the payload of a decision.
_CHOICES = ("action", "decision", "side", "strategy")
_DANGERS = frozenset({"warning", "anti_knowledge"})
_STANDING = frozenset({"active", "contradicted"})


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a life, from its grimoire or from its testament.

    Args:
        life: Life that is audited.
        end: Last tick: that of the death, or the current one of an agent that lives.
        episodes: Returns all episodes, in order.
        facts_at: Returns the facts as they were at the end of a tick, of every status.
        confidence: Returns the confidence of such a fact at a tick.
        decided: Returns the tick at which a prompt was made, by its id; None if it is not on record.
        outcomes: Names of the numbers in payloads that measure an outcome.
        seconds: Offset of the ticks from the seconds of the epoch; None where ticks are no seconds.
        notes: Limits of the records, one sentence each.
    """

    life: Life
    end: int
    episodes: Callable[[], Iterable[Episode]]
    facts_at: Callable[[int], Sequence[Fact]]
    confidence: Callable[[Fact, int], float]
    decided: Callable[[str], int | None] = lambda _: None
    outcomes: Sequence[str] = (VALUE,)
    seconds: int | None = None
    notes: tuple[str, ...] = ()

    def begin(self) -> int:
        """First tick of the life: that of its birth, or of its first record where the birth is not on record."""
        if self.life.birth_tick:
            return self.life.birth_tick
        first = next(iter(self.episodes()), None)
        ticks = [fact.created_tick for fact in self.facts_at(self.end)]
        return min(ticks if first is None else [first.tick, *ticks], default=0)

    def decisions(self, until: int) -> Iterator[Decision]:
        """Yields the decisions up to a tick in their order, also those that ancestors lived.

        One that an episode records, and of which an outcome was told, is one decision.
        """
        told = {_recorded_as(episode) for episode in self.episodes() if episode.tick <= until}
        recorded: dict[str, Decision] = {}
        for episode in self.episodes():
            decision = Decision.of(episode, self.outcomes) if episode.tick <= until else None
            if decision is None:
                continue
            if episode.id in told:
                recorded[episode.id] = decision
            else:
                yield decision.beside(recorded.get(_recorded_as(episode)))

    @classmethod
    def of_testament(cls, left: Testament, outcomes: Sequence[str]) -> Records:
        """Returns the records in a testament: only what crossed.

        Args:
            left: Testament of the life.
            outcomes: Names of the numbers that measure an outcome.
        """
        end = left.life.death_tick or 0
        own = [episode for episode in left.episodes if episode.kind != INHERITED_KIND]
        acted = sum(Decision.of(episode, outcomes) is not None for episode in own)
        note = (
            f"A testament holds what crossed: {len(left.facts)} facts with their confidence at death, of which "
            f"{left.held} held, and "
            f"{len(left.episodes)} episodes, {acted} of them decisions with an outcome. The grimoire holds the rest"
        )
        return cls(
            left.life,
            end,
            lambda: sorted(left.episodes, key=lambda one: (one.tick, one.event_index)),
            lambda tick: [fact for fact in left.facts if fact.created_tick <= tick],
            lambda fact, _: fact.confidence,
            outcomes=outcomes,
            seconds=left.seconds,
            notes=(note,),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision with its outcome, as an episode tells it.

    Args:
        episode: Episode of the outcome.
        value: Outcome; negative is bad.
        situation: Features, with the action among them, and subjects.
        cited: Ids of the memories in its prompt.
        prompt: Id of its prompt or recollection; empty if the episode names none.
        inherited: Name of the ancestor that lived it; empty for the agent's own.
    """

    episode: Episode
    value: float
    situation: Situation
    cited: tuple[str, ...] = ()
    prompt: str = ""
    inherited: str = ""

    @classmethod
    def of(cls, episode: Episode, outcomes: Sequence[str]) -> Decision | None:
        """Reads a decision; None for an episode without a numeric outcome, or with neither action nor prompt.

        Args:
            episode: Episode; an inherited one is read as its ancestor recorded it.
            outcomes: Names of the numbers that measure an outcome.
        """
        lived = inherited_fields(episode)
        payload = lived.get("payload") if lived else episode.payload
        kind = lived.get("kind") if lived else episode.kind
        if not isinstance(payload, Mapping) or not (lived or episode.verified):
            return None
        features = {name: each for name, each in payload.items() if name not in NO_FEATURES}
        numbers = [float(payload[name]) for name in (VALUE, *outcomes) if _is_number(payload.get(name))]
        if not numbers or (kind != OUTCOME and not any(name in payload for name in _CHOICES)):
            return None
        told = {name: each for name, each in features.items() if name not in outcomes}
        cited = payload.get("memories")
        return cls(
            episode,
            numbers[0],
            _situation(told, episode.subjects),
            tuple(one for one in cited if isinstance(one, str)) if isinstance(cited, list | tuple) else (),
            str(payload.get("of") or ""),
            str(lived.get("agent") or "") if lived else "",
        )

    def beside(self, recorded: Decision | None) -> Decision:
        """The decision with what an episode that records it, too, tells of it."""
        if recorded is None:
            return self
        features = {**recorded.situation.features, **self.situation.features}
        subjects = self.situation.subjects or recorded.situation.subjects
        episode = recorded.episode if is_note(self.episode.text) else self.episode
        return replace(self, episode=episode, situation=Situation(features, subjects))

    @property
    def traits(self) -> frozenset[str]:
        """Subjects and words of the situation, in lower case."""
        words = [f"{path}={each}" for path, each in self.situation.features.items() if isinstance(each, str)]
        return frozenset(part.strip().casefold() for part in (*self.situation.subjects, *words))


@dataclass(frozen=True, slots=True)
class KnownFact:
    """Fact as it was at a past tick.

    Args:
        id: Id of the fact.
        text: Text then.
        kind: Kind of fact.
        confidence: Confidence then, 0..1.
        source: Source of the fact then.
        bloodstain: Whether it was learned in a severe failure or a death.
        conditions: Number of its conditions that held in the situation of the decision.
    """

    id: str
    text: str
    kind: str
    confidence: float
    source: str
    bloodstain: bool
    conditions: int = 0

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Precedent:
    """Earlier decision in a situation alike that ended badly.

    Args:
        id: Id of its episode.
        tick: Tick of its outcome.
        text: Text of its episode.
        value: Outcome.
        alike: Share of common subjects and words in all of both, 0..1.
        inherited: Name of the ancestor that lived it; empty for the agent's own.
    """

    id: str
    tick: int
    text: str
    value: float
    alike: float
    inherited: str = ""

    __str__ = printed


@dataclass(frozen=True, slots=True)
class AuditedDecision:
    """One of the last decisions, with the knowledge that stood at that time.

    Args:
        id: Id of the episode of its outcome.
        tick: Tick of the outcome.
        decided: Last tick before the decision: knowledge is as of its end.
        text: Text of the episode.
        value: Outcome.
        features: Features of the situation, the action among them.
        subjects: Subjects of the decision.
        cited: Memories in its prompt: facts as they were, and the texts of episodes.
        gone: Ids of cited memories that are no longer there, or did not cross.
        known: Most confident facts about its subjects.
        known_total: Number of all facts about its subjects.
        heeded: Warnings that applied and were cited.
        missed: Warnings that applied, stood in memory, and were not cited.
        precedents: Earlier decisions alike that ended badly, the most alike first.
    """

    id: str
    tick: int
    decided: int
    text: str
    value: float
    features: Mapping[str, Any]
    subjects: tuple[str, ...]
    cited: tuple[KnownFact | Precedent, ...]
    gone: tuple[str, ...]
    known: tuple[KnownFact, ...]
    known_total: int
    heeded: tuple[KnownFact, ...]
    missed: tuple[KnownFact, ...]
    precedents: tuple[Precedent, ...]

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Autopsy:
    """Audit of a life as of a tick.

    Args:
        agent: Name of the agent.
        generation: Generation of the agent.
        cause: Cause of death; None while it lives.
        death_tick: Tick of death; None while it lives.
        tick: Tick as of which it was audited.
        in_force: Number of facts in force then.
        decisions: Last decisions up to then, the latest first.
        notes: Limits of the audit, one sentence each.
        seconds: Offset of the ticks from the seconds of the epoch; None where ticks are no seconds.
    """

    agent: str
    generation: int
    cause: str | None
    death_tick: int | None
    tick: int
    in_force: int
    decisions: tuple[AuditedDecision, ...]
    notes: tuple[str, ...] = field(default=())
    seconds: int | None = None

    __str__ = printed

    def moment(self, tick: int) -> int | None:
        """Returns the instant of a tick, in microseconds UTC; None where ticks are no seconds."""
        return None if self.seconds is None else (tick - self.seconds) * MICROSECONDS


def examine(records: Records, *, at: int | None = None, last: int = ACTIONS) -> Autopsy:
    """Audits the last decisions of a life up to a tick.

    A warning would have warned if all of its conditions held in the situation of the decision, or, without a condition
    that a situation can meet, if it shares a subject with it. It must have stood in memory before the decision: as of
    the tick of its prompt where that is on record, else as of the tick before its outcome.

    Args:
        records: Records of the life.
        at: Tick as of which to audit; the end of the life if not given.
        last: Number of decisions.

    Raises:
        InvalidInputError: The tick is before the first record of the life or after its end, or `last` is below 1.
    """
    tick = records.end if at is None else at
    begin = records.begin()
    if not begin <= tick <= records.end:
        raise InvalidInputError(
            f"tick {tick} is not in the life of {records.life.agent}, whose records begin at tick {begin} and end at "
            f"{records.end}. Use one of these ticks or one between them"
        )
    if last < 1:
        raise InvalidInputError(f"last is {last}. Ask for at least one decision")
    latest: deque[Decision] = deque(maxlen=last)
    bad: list[Decision] = []
    texts: dict[str, Episode] = {}
    for decision in records.decisions(tick):
        if not decision.inherited:
            latest.append(decision)
        if decision.value < 0:
            bad.append(decision)
    wanted = {id_ for decision in latest for id_ in decision.cited}
    texts = {one.id: one for one in records.episodes() if one.id in wanted}
    audited = tuple(_audit(one, records, bad, texts) for one in reversed(latest))
    notes = (
        records.notes
        if latest
        else (*records.notes, f"No decision with an outcome is recorded up to tick {tick}")
    )
    life = records.life
    in_force = sum(fact.status == "active" for fact in records.facts_at(tick))
    return Autopsy(
        life.agent,
        life.generation,
        life.cause,
        life.death_tick,
        tick,
        in_force,
        audited,
        notes,
        records.seconds,
    )


def _audit(
    decision: Decision, records: Records, bad: Sequence[Decision], texts: Mapping[str, Episode]
) -> AuditedDecision:
    made = records.decided(decision.prompt) if decision.prompt else None
    before = max(decision.episode.tick - 1, 0) if made is None else min(made, decision.episode.tick)
    standing = {fact.id: fact for fact in records.facts_at(before) if fact.status in _STANDING}
    means = {
        str(fact.payload.get("metric")): float(fact.payload.get("mean") or 0.0)
        for fact in standing.values()
        if fact.payload.get("type") == "baseline"
    }

    def known(fact: Fact, held: int = 0) -> KnownFact:
        sure = round(records.confidence(fact, before), 4)
        return KnownFact(fact.id, fact.text, fact.kind, sure, fact.source, fact.bloodstain, held)

    cited = set(decision.cited)
    about = [fact for fact in standing.values() if _shares_subject(fact, decision.situation)]
    warned: dict[bool, list[KnownFact]] = {True: [], False: []}
    for fact in standing.values():
        if _warns(fact) and (held := _applies(Rule.of(fact, means), decision.situation)) is not None:
            warned[fact.id in cited].append(known(fact, held))
    used = [known(standing[id_]) for id_ in decision.cited if id_ in standing]
    told = [
        Precedent(id_, texts[id_].tick, texts[id_].text, 0.0, 0.0) for id_ in decision.cited if id_ in texts
    ]
    return AuditedDecision(
        id=decision.episode.id,
        tick=decision.episode.tick,
        decided=before,
        text=decision.episode.text,
        value=decision.value,
        features=dict(decision.situation.features),
        subjects=decision.situation.subjects,
        cited=(*used, *told),
        gone=tuple(id_ for id_ in decision.cited if id_ not in standing and id_ not in texts),
        known=tuple(_surest(map(known, about))),
        known_total=len(about),
        heeded=tuple(_surest(warned[True])),
        missed=tuple(_surest(warned[False])),
        precedents=tuple(_precedents(decision, before, bad)),
    )


def _surest(found: Iterable[KnownFact]) -> list[KnownFact]:
    """Orders facts: those with conditions that held first, then bloodstains, then the most confident."""
    order = sorted(found, key=lambda one: (-one.conditions, not one.bloodstain, -one.confidence, one.id))
    return order[:LISTED]


def _warns(fact: Fact) -> bool:
    """Whether a fact names a danger: a warning, or a rule by which an outcome is lower."""
    payload = fact.payload
    is_loss = payload.get("type") == "heuristic" and payload.get("outcome") and payload.get("effect", 0.0) < 0
    return fact.kind in _DANGERS or fact.bloodstain or bool(is_loss)


def _applies(rule: Rule, situation: Situation) -> int | None:
    """Returns the number of conditions that held; None if a rule does not apply."""
    met = [condition.holds(situation) for condition in rule.conditions if condition.path]
    if met:
        return len(met) if all(known is True for known in met) else None
    return 0 if _shares_subject(rule.fact, situation) else None


def _shares_subject(fact: Fact, situation: Situation) -> bool:
    asked = {subject.strip().casefold() for subject in situation.subjects}
    return any(subject.strip().casefold() in asked for subject in fact.subjects)


def _precedents(decision: Decision, before: int, bad: Sequence[Decision]) -> Iterator[Precedent]:
    """Yields earlier decisions alike that ended badly, the most alike and then the latest first."""
    traits = decision.traits
    found = []
    for other in bad:
        shared = len(traits & other.traits) / len(traits | other.traits) if traits else 0.0
        if shared >= ALIKE and other.episode.tick <= before and other.episode.id != decision.episode.id:
            found.append((shared, other))
    found.sort(key=lambda pair: (-pair[0], -pair[1].episode.tick, pair[1].episode.id))
    for shared, other in found[:LISTED]:
        one = other.episode
        yield Precedent(one.id, one.tick, one.text, other.value, round(shared, 4), other.inherited)


def _recorded_as(episode: Episode) -> str:
    """Id of the episode that records the decision of an outcome; empty for any other episode."""
    lived = inherited_fields(episode)
    payload = lived.get("payload") if lived else episode.payload
    return str(payload.get(RECORDED_AS) or "") if isinstance(payload, Mapping) else ""


def _situation(features: Mapping[str, Any], subjects: tuple[str, ...]) -> Situation:
    """Builds a situation of a recorded payload; parts that no situation can have are left out."""
    flat: dict[str, float | str | tuple[float | str, ...]] = {}
    waiting = list(features.items())
    while waiting and len(flat) < MOST_FEATURES:
        path, value = waiting.pop(0)
        if isinstance(value, Mapping):
            waiting += [(f"{path}.{name}", each) for name, each in value.items()]
        elif isinstance(value, bool):
            flat[path] = str(value).lower()
        elif isinstance(value, str) or _is_number(value):
            flat[path] = value
    return Situation(flat, subjects)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
