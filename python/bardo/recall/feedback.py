"""Feedback from outcomes of acting on memories, which alone raises or lowers confidence (law 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bardo._core import FactStore, judge_facts
from bardo._patterns import lazy_pattern
from bardo._printed import printed
from bardo.errors import InvalidInputError, NotFoundError
from bardo.model import Fact
from bardo.recall.predictions import LEAST_OTHERS, Earlier, Prediction, held
from bardo.recall.situation import Situation, parse_conditions
from bardo.recall.topic import Topic

#: Sources of the agent's own facts: experienced, inferred or dreamt by itself, or given by its user.
OWN_SOURCES = frozenset({"self", "dream", "upload", "derived"})
#: Kinds of fact that predict a bad outcome.
DANGERS = frozenset({"warning", "anti_knowledge"})
#: Payloads of what was observed: a mean or a rhythm predicts nothing of a decision.
_OBSERVED = frozenset({"baseline", "pattern"})
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
            another one, its action is unknown, a rule predicts an outcome that cannot be compared with it yet, or they
            state what was observed, which predicts nothing.
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

    __str__ = printed


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


@dataclass(frozen=True, slots=True)
class _Judge:
    """Outcome of a decision, and what facts are compared with.

    Args:
        value: Outcome, from -1 to 1.
        decision: Features of the decision, with the action taken if it is known.
        topic: What the decision was about.
        earlier: Earlier outcomes.
        outcomes: Names of the numbers of which more is better.
        measured: Outcomes that an episode of the same decision measures, by path.
    """

    value: float
    decision: Situation
    topic: Topic
    earlier: Iterable[Earlier]
    outcomes: Collection[str]
    measured: Mapping[str, float]

    def evidence(self, fact: Fact) -> float | None:
        """Evidence of the outcome for a fact, from -1 (against it) to 1; None if it says nothing."""
        payload = fact.payload
        if payload.get("type") in _OBSERVED:
            return None
        if payload.get("type") != "heuristic":
            # A value that was stated predicts nothing: a restart that failed does not speak against a port.
            is_open = fact.statement is not None and self.value < 0
            return self.value if self.topic.has(fact) and not is_open else None
        if self.topic.is_of_others(fact):
            return None
        told = (str(payload.get(name, "")) for name in ("condition", "action"))
        met = [held(condition, self.decision) for part in told for condition in parse_conditions(part)]
        holds = False if any(known is False for known in met) else True if met and all(met) else None
        prediction = self._prediction(fact)
        if fact.kind in DANGERS or prediction is None:
            return _without_figures(fact, self.value, holds=holds)
        # An agent avoids what lowers the outcome: where its conditions are unknown, it may have.
        if not (prediction.has_other_reading if holds is False else holds or prediction.is_higher):
            return None
        measured = self.measured.get(prediction.outcome)
        return prediction.evidence(self.value, self.earlier, holds=holds is not False, measured=measured)

    def _prediction(self, fact: Fact) -> Prediction | None:
        """Prediction of a rule about a number of which more is known to be better."""
        prediction = Prediction.of(fact)
        if prediction is None:
            return None
        names = {prediction.outcome, prediction.outcome.rpartition(".")[2]}
        return prediction if names & {*self.outcomes} else None


def _without_figures(fact: Fact, value: float, *, holds: bool | None) -> float | None:
    """Evidence for a warning, which predicts a bad outcome where all conditions hold, or for advice in free words."""
    if fact.kind in DANGERS:
        return -value if holds else None
    return None if holds is False else value


def apply(
    facts: FactStore,
    ids: Sequence[str],
    value: float,
    decision: Situation,
    *,
    text: str = "",
    earlier: Iterable[Earlier] = (),
    outcomes: Collection[str] = (),
    measured: Mapping[str, float] | None = None,
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
        earlier: Earlier outcomes, with which a rule of another scale is compared; read only if there is such a rule.
        outcomes: Names of the numbers of which more is better: rules about these are judged by what they predict.
        measured: Outcomes that an episode of the same decision measures, by path: they judge rules about them.
        tick: Current tick.
        reinforcement: Fraction of the gap that an outcome of size 1 closes.
    """
    found = [fact for fact in facts.get(list(ids)) if fact is not None]
    judge = _Judge(value, decision, Topic.of(decision, text), earlier, outcomes, measured or {})
    evidence = {fact.id: judge.evidence(fact) for fact in found}
    sizes = {size for size in evidence.values() if size is not None} | {value}
    reports = [
        _judge(
            facts,
            [id_ for id_ in ids if evidence.get(id_, value) == size],
            size,
            tick=tick,
            reinforcement=reinforcement,
        )
        for size in sorted(sizes)
    ]
    unjudged = tuple(id_ for id_ in ids if id_ in evidence and evidence[id_] is None)
    notes = tuple(note for report in reports for note in report.notes)
    if unjudged:
        notes += (
            f"the outcome says nothing about {len(unjudged)} {'fact' if len(unjudged) == 1 else 'facts'}: about "
            "something else than the decision, a number that was observed, a stated value after a bad outcome, of "
            "conditions that did not hold, of an action that is unknown, or of an outcome of another scale, until "
            f"{LEAST_OTHERS} outcomes of other decisions are there to compare with. "
            "Name the `subjects` in the situation, and pass `action=` if several were possible",
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
