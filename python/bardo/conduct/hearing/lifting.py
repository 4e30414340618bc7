"""Lifts the rejections of an act or a thing that a person allows again: "Pandas is fine now after all"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse import wording
from bardo.conduct.parse.forbidden import corrected, propose, stems_of, vocabulary
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.storage.store import ConductStore

#: Maximum characters of the reason of an end.
_WHY = 500
#: Operations by which a thing is used.
_USES = frozenset({"use", "install"})
_AGAIN = r"(?:(?:now|again|after all|from now on)\b[\s,]*)+"
_THING = r"(?P<thing>(?!(?:it|that|this|they|everything|all|he|she|i|we|you)\b)[\w./@+' -]{2,60}?)"
_ALLOWED = r"(?:fine|ok(?:ay)?|all ?right|allowed|permitted|welcome|acceptable|back on the table)"
_ACT = r"(?P<act>(?!(?:be|not|never|only)\b)[a-z][\w./@+' -]{2,80}?)"
_FORMS = (
    lazy_pattern(rf"(?:using )?{_THING} (?:is|are|'s) {_AGAIN}{_ALLOWED}(?: {_AGAIN})?[.!]*$", re.IGNORECASE),
    lazy_pattern(rf"(?:using )?{_THING} (?:is|are|'s) {_ALLOWED} {_AGAIN}[.!]*$", re.IGNORECASE),
    lazy_pattern(rf"{_THING} (?:can|may) (?:{_AGAIN})?be used (?:{_AGAIN})?[.!]*$", re.IGNORECASE),
    lazy_pattern(
        rf"(?:you|we)(?: all)? (?:can|may|are allowed to|'re allowed to) {_AGAIN}{_ACT}(?: {_AGAIN})?[.!]*$",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"(?:you|we)(?: all)? (?:can|may|are allowed to|'re allowed to) {_ACT} {_AGAIN}[.!]*$", re.IGNORECASE
    ),
)
_IS_AGAIN = lazy_pattern(r"\b(?:now|again|after all|from now on)\b", re.IGNORECASE)
#: End of a clause, with the words that join the next one.
_JOINT = lazy_pattern(r"[,;:.!]+\s+(?:(?:so|and|but|then)\s+)?|\s+(?:so|and)\s+|\s+[-–—]+\s+", re.IGNORECASE)
_INSTEAD = lazy_pattern(r"\binstead\b", re.IGNORECASE)
_GERUND = lazy_pattern(r"[\w-]+ing\b", re.IGNORECASE)


class _Scope(NamedTuple):
    """Act or thing that a rejection is about: stems of things and conditions, operations, patterns of a practice."""

    things: frozenset[frozenset[str]]
    verbs: frozenset[str]
    conditions: frozenset[frozenset[str]]
    patterns: frozenset[str]


def lifts(text: str) -> bool:
    """Whether a person's words allow a thing that was not allowed before.

    Args:
        text: Words of a person.
    """
    return any(True for _ in _acts(text))


def only_lifts(text: str) -> bool:
    """Whether a person's words lift, and forbid nothing beside: "the new one is out, you can use pandas again"."""
    return lifts(text) and FORBIDS.search(text) is None and _INSTEAD.search(text) is None


def lift(store: ConductStore, text: str, *, by: str, at: int) -> None:
    """Lifts the rejections, and retires the rules, against the act or the use of the thing that a person's words allow.

    One under other conditions, such as in production, stays, and so does one of another operation on the thing.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of the person.
        by: Name of the person.
        at: Time of the words, microseconds UTC; later rejections stay.
    """
    allowed = {scope for act in _acts(text) if (scope := _scope(propose(f"don't {act}"))) is not None}
    if not allowed:
        return
    why = f"allowed again: {text.strip()}"[:_WHY]
    for entry in store.state(kind="rejected", limit=-1):
        if entry.changed_at <= at and _is_of(entry, allowed):
            store.put(replace(entry, status="archived", changed_at=at, closed_by=by, closed_why=why))
    for rule in store.rules(every=False):
        if rule.forbids and not rule.approval and rule.at <= at and _is_of(rule, allowed):
            store.put(replace(rule, confirmed_at=at, retired_by=by, retired_why=why))


def _acts(text: str) -> Iterator[str]:
    """Yields the acts that the clauses of a text allow again: "use the ladder" of "the ladder is fine again"."""
    if _IS_AGAIN.search(text) is None or "?" in text:
        return
    bare = wording.without_interjection(text).strip()
    for clause in dict.fromkeys((bare, *_JOINT.split(bare))):
        found = next((found for form in _FORMS if (found := form.match(clause)) is not None), None)
        if found is None:
            continue
        groups = found.groupdict()
        thing = groups.get("thing") or ""
        yield groups.get("act") or (thing if _GERUND.match(thing) else f"use {thing}")


def _is_of(row: StateEntry | Rule, allowed: Collection[_Scope]) -> bool:
    """Whether a rejection or rule is against an act that is allowed, and against nothing beside it."""
    return _scope(corrected(row.forbidden_action, row.corrections)) in allowed


def _scope(forbids: Forbids) -> _Scope | None:
    """Returns what a rejection or an allowance is about, for comparison; None without a thing or practice."""
    incidental = vocabulary().incidental
    things = frozenset(stems - incidental for stems in map(stems_of, forbids.things))
    verbs = frozenset({"use"}) if _USES.issuperset(forbids.verbs) else frozenset(forbids.verbs)
    conditions = frozenset(stems_of(each) - incidental or frozenset({each}) for each in forbids.conditions)
    patterns = frozenset((*forbids.phrases, *forbids.commands))
    is_clear = any(things) or patterns or (verbs and conditions)
    return _Scope(things, verbs, conditions, patterns) if is_clear else None
