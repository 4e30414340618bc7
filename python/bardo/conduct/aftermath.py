"""Records the outcome of an action: rules that applied are reinforced by a pass, and a failure counts against them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from bardo._printed import printed
from bardo.conduct.match.matching import Touch
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.entries import CRITICAL, STEP, Answer, Outcome, Result, Rule
from bardo.conduct.model.procedures import Flow
from bardo.conduct.state.rules import raised_score
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError

#: Number of the latest outcomes in which an earlier one of the same action is sought.
RECENT = 200
#: Question after an action.
QUESTION = "Did a flow, a tool or a check change, so that this holds by itself, or only a rule?"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Record of the result of an action.

    Args:
        outcome: Consolidated results of the action.
        confirmed: Ids of rules that applied to the passed action; their scores rose.
        violated: Ids of rules that forbade the action; the violation was counted, and their scores rose, too.
        failed: Ids of rules that applied to the failed action; the failure was counted, and their scores fell.
        question: Question for the agent that acted; empty if it is answered.
        notes: Failures and omissions.
        flow: Flow that was followed, with the counted result; None if none is known.
    """

    outcome: Outcome
    confirmed: tuple[str, ...]
    violated: tuple[str, ...]
    failed: tuple[str, ...]
    question: str
    notes: tuple[str, ...]
    flow: Flow | None = None

    __str__ = printed


def split(
    rules: Collection[Rule], found: Mapping[str, Touch], named: Collection[str]
) -> tuple[set[str], set[str]]:
    """Splits rules by an action into ids of those that applied, and of those that it violated.

    A prohibition applies to an action only if the agent names it: that the forbidden action was not done shows nothing.
    An approval applies if the action is the one that needs it.

    Args:
        rules: Rules in force.
        found: Matches of the action, by the text that it was compared with.
        named: Ids of rules that the agent says it followed.

    Raises:
        NotFoundError: A named rule is not in force.
    """
    if unknown := set(named) - {rule.id for rule in rules}:
        raise NotFoundError(f"no rule in force has the id {min(unknown)!r}. List them with `bardo gate show`")
    applied, violated = set(), set()
    for rule in rules:
        if rule.forbids and (touch := found.get(rule.forbids)) and touch.same:
            violated.add(rule.id)
        elif rule.id in named or _applies(rule, found):
            applied.add(rule.id)
    return applied, violated


def _applies(rule: Rule, found: Mapping[str, Touch]) -> bool:
    if rule.forbids or rule.approval:
        return bool(rule.approval and (touch := found.get(rule.approval)) and touch.same)
    return bool((touch := found.get(rule.text)) and touch.applies)


def record(
    store: ConductStore,
    given: Outcome,
    applied: Collection[str],
    violated: Collection[str],
    *,
    now: int,
) -> Outcome:
    """Stores an outcome, consolidated with earlier ones of the action, and adjusts the rules.

    Args:
        store: State and rules of the agent.
        given: Single result, with `passed` or `failed` of 1.
        applied: Ids of the rules that applied.
        violated: Ids of the rules that the action violated.
        now: Wall clock, microseconds UTC.
    """
    with store.writing():
        known = store.outcomes(limit=RECENT)
        place = place_of_same([each.action for each in known], given.action)
        kept = store.put(given if place is None else _consolidated(known[place], given))
        for rule in store.rules():
            if rule.in_force(now) and (rule.id in applied or rule.id in violated):
                store.put(_adjusted(rule, given.last, violated=rule.id in violated, now=now))
    return kept


def answer(store: ConductStore, id_: str, changed: Answer) -> Outcome:
    """Stores the answer to the question after an action.

    Raises:
        NotFoundError: There is no such outcome.
        InvalidInputError: The id is not of an outcome.
    """
    with store.writing():
        there = store.get(id_)
        if not isinstance(there, Outcome):
            raise InvalidInputError(f"{id_} is no outcome. Use the id that `after` returned")
        return store.put(replace(there, answer=changed))


def _consolidated(known: Outcome, given: Outcome) -> Outcome:
    there = replace(
        known,
        last=given.last,
        passed=known.passed + given.passed,
        failed=known.failed + given.failed,
        applied=given.applied,
        changed_at=given.changed_at,
        answer=given.answer or known.answer,
    )
    if given.episode and not known.episode:
        return there
    if known.episode != given.episode:
        there = replace(there, action=given.action, note="", episode=given.episode)
    return replace(there, note=given.note or there.note)


def _adjusted(rule: Rule, last: Result, *, violated: bool, now: int) -> Rule:
    if violated:
        return replace(rule, score=raised_score(rule, now), confirmed_at=now, violations=rule.violations + 1)
    if last == "passed":
        return replace(rule, score=raised_score(rule, now), confirmed_at=now, uses=rule.uses + 1)
    # A person's rule keeps its score; the failure is on record.
    score = rule.score if rule.score >= CRITICAL else rule.score - STEP
    return replace(rule, score=score, failures=rule.failures + 1)
