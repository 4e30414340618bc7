"""Feedback from outcomes of acting on memories, which alone raises or lowers confidence (law 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bardo._core import FactStore, judge_facts
from bardo._patterns import lazy_pattern
from bardo.errors import InvalidInputError, NotFoundError
from bardo.model import Fact
from bardo.recall.situation import ACTION_PATHS, Condition, Situation, parse_conditions
from bardo.recall.topic import Topic

#: Sources of the agent's own facts: experienced, inferred or dreamt by itself, or given by its user.
OWN_SOURCES = frozenset({"self", "dream", "upload", "derived"})
#: Kinds of fact that predict a bad outcome.
DANGERS = frozenset({"warning", "anti_knowledge"})
#: Mean of the outcomes in the cases of a measured rule (`rust/bardo-core/src/consolidate/discovery/claims.rs`).
_MEAN = lazy_pattern(r": (-?\d[\d.]*(?:e[-+]?\d+)?) on average in ")
_NOTE = lazy_pattern(r"Outcome [+-]\d\.\d\d of acting on \d+ memories")


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """Report of the facts changed by an outcome.

    Args:
        ids: Ids of the facts acted on.
        reinforced: Number of facts whose confidence rose.
        weakened: Number of facts whose confidence fell.
        refuted: Ids of facts that outcomes now speak against for certain.
        earned: Ids of inherited facts that became the agent's own, confirmed by spaced outcomes.
        missing: Ids of facts acted on that no longer exist.
        unjudged: Ids of facts about which the outcome says nothing: they are about something else, the decision was
            another one, or its action is unknown.
        notes: Notes on steps that could not be done.
    """

    ids: tuple[str, ...]
    reinforced: int
    weakened: int
    refuted: tuple[str, ...] = ()
    earned: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def checked_value(value: float) -> float:
    """Validates an outcome, from -1 (the worst) to 1.

    Raises:
        InvalidInputError: It is not a number from -1 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1.0 <= value <= 1.0:
        raise InvalidInputError(f"value is {value!r}. It must be a number from -1 to 1")
    return float(value)


def note_of(value: float, memories: int) -> str:
    """Returns the text of an outcome of which the caller wrote none.

    Args:
        value: Outcome, from -1 to 1.
        memories: Number of memories acted on.
    """
    return f"Outcome {value:+.2f} of acting on {memories} memories"


def is_note(text: str) -> bool:
    """Whether the text of an outcome says nothing but its value, as that of `note_of`."""
    return _NOTE.fullmatch(text) is not None


def standing(facts: FactStore, ids: Sequence[str]) -> tuple[str, ...]:
    """Returns the ids of existing facts among these.

    Raises:
        InvalidInputError: One of them is not an id.
    """
    return tuple(id_ for id_, fact in zip(ids, facts.get(list(ids)), strict=True) if fact is not None)


def _unconfirmed_inherited(facts: FactStore, ids: Sequence[str]) -> frozenset[str]:
    """Returns the ids of inherited facts among these that are not the agent's own yet."""
    found = facts.get(list(ids))
    return frozenset(fact.id for fact in found if fact is not None and fact.source not in OWN_SOURCES)


def _refuted(facts: FactStore, ids: Sequence[str]) -> frozenset[str]:
    """Returns the ids of the refuted facts among these."""
    return frozenset(fact.id for fact in facts.get(list(ids)) if fact is not None and fact.is_refuted)


def _held(condition: Condition, decision: Situation) -> bool | None:
    """Whether a condition held in a decision; one on a word that its features do not tell may be on the action."""
    held = condition.holds(decision)
    if held is not None or not condition.is_word or len(decision.actions) != 1:
        return held
    is_taken = Condition("action", condition.sign, condition.value).holds(
        Situation({"action": decision.actions[0]})
    )
    return is_taken if is_taken or condition.path.rpartition(".")[2] in ACTION_PATHS else None


def _direction(fact: Fact, decision: Situation, topic: Topic, value: float) -> int | None:
    """Whether a good outcome of a decision speaks for a fact (1) or against it (-1); None if this one says nothing.

    A warning with conditions predicts a bad outcome where all of them hold, the warned action among them.

    Args:
        fact: The fact.
        decision: Features of the decision, with the action taken if it is known.
        topic: What the decision is about.
        value: Outcome of the decision, from -1 to 1.
    """
    payload = fact.payload
    if payload.get("type") != "heuristic":
        return 1 if topic.has(fact) else None
    told = (str(payload.get(name, "")) for name in ("condition", "action"))
    met = [_held(condition, decision) for part in told for condition in parse_conditions(part)]
    if any(held is False for held in met) or topic.is_of_others(fact):
        return None
    if fact.kind not in DANGERS:
        return _foretold(fact, value)
    return -1 if met and all(met) else None


def _foretold(fact: Fact, value: float) -> int | None:
    """The same for a rule, by the number that it foretells.

    "Higher" foretells a good outcome and "lower" a bad one if the mean of the rule's cases has that sign. Otherwise the
    other sign speaks neither for nor against a difference: the passes test it by the number itself.
    """
    effect = float(fact.payload.get("effect") or 0.0)
    if not effect:
        return 1
    direction = 1 if effect > 0 else -1
    mean = _MEAN.search(fact.text)
    foretells_sign = mean is None or float(mean[1]) * direction > 0
    return direction if foretells_sign or value * direction > 0 else None


def apply(
    facts: FactStore,
    ids: Sequence[str],
    value: float,
    decision: Situation,
    *,
    text: str = "",
    tick: int,
    reinforcement: float,
) -> OutcomeReport:
    """Changes the confidence of the facts that an outcome judges; facts forgotten meanwhile are skipped.

    Args:
        facts: Fact store.
        ids: Ids of the facts acted on.
        value: Outcome, from -1 to 1; its absolute value scales the step.
        decision: Features of the decision, with the action taken if it is known.
        text: Task or query of the decision; empty if it is not known.
        tick: Current tick.
        reinforcement: Fraction of the gap that an outcome of size 1 closes.
    """
    found = [fact for fact in facts.get(list(ids)) if fact is not None]
    topic = Topic.of(decision, text)
    directions = {fact.id: _direction(fact, decision, topic, value) for fact in found}
    reports = [
        _judge(
            facts,
            [id_ for id_ in ids if directions.get(id_, 1) == direction],
            direction * value,
            tick=tick,
            reinforcement=reinforcement,
        )
        for direction in (1, -1)
    ]
    unjudged = tuple(id_ for id_ in ids if id_ in directions and directions[id_] is None)
    notes = tuple(note for report in reports for note in report.notes)
    if unjudged:
        notes += (
            f"the outcome says nothing about {len(unjudged)} {'fact' if len(unjudged) == 1 else 'facts'}: about "
            "something else than the decision, of conditions that did not hold, or of an action that is unknown. Name "
            "the `subjects` in the situation, and pass `action=` if several were possible",
        )
    return OutcomeReport(
        tuple(id_ for report in reports for id_ in report.ids),
        reinforced=sum(report.reinforced for report in reports),
        weakened=sum(report.weakened for report in reports),
        refuted=tuple(sorted(id_ for report in reports for id_ in report.refuted)),
        earned=tuple(sorted(id_ for report in reports for id_ in report.earned)),
        missing=tuple(id_ for report in reports for id_ in report.missing),
        unjudged=unjudged,
        notes=notes,
    )


def _judge(
    facts: FactStore, ids: Sequence[str], value: float, *, tick: int, reinforcement: float
) -> OutcomeReport:
    there = standing(facts, ids)
    heard = _unconfirmed_inherited(facts, there) if value > 0 else frozenset()
    before_it = _refuted(facts, there) if value < 0 else frozenset()
    while True:
        try:
            moved = judge_facts(facts, there, value, tick=tick, reinforcement=reinforcement) if there else 0
            break
        except NotFoundError:
            # Another process has deleted one since the lookup; none was changed.
            before, there = there, standing(facts, there)
            if there == before:
                raise
    missing = tuple(id_ for id_ in ids if id_ not in there)
    notes = [f"{len(missing)} facts are not there any more and were left out"] if missing else []
    if refuted := sorted(_refuted(facts, there) - before_it) if value < 0 else []:
        notes.append(f"outcomes refuted {len(refuted)} facts, which are no longer in force")
    return OutcomeReport(
        there,
        reinforced=moved if value > 0 else 0,
        weakened=moved if value < 0 else 0,
        refuted=tuple(refuted),
        earned=tuple(sorted(heard - _unconfirmed_inherited(facts, there))),
        missing=missing,
        notes=tuple(notes),
    )
