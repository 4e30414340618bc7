"""Lifts the rejections of a thing that a person allows again: "Pandas is fine now after all"."""

from __future__ import annotations

import re
from dataclasses import replace

from bardo._patterns import lazy_pattern
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse import wording
from bardo.conduct.parse.forbidden import corrected, stems_of, vocabulary
from bardo.conduct.storage.store import ConductStore

#: Maximum characters of the reason of an end.
_WHY = 500
#: Operations by which a thing is used.
_USES = frozenset({"use", "install"})
_AGAIN = r"(?:(?:now|again|after all|from now on)\b[\s,]*)+"
_THING = r"(?P<thing>(?!(?:it|that|this|they|everything|all|he|she|i|we|you)\b)[\w./@+' -]{2,60}?)"
_ALLOWED = r"(?:fine|ok(?:ay)?|all ?right|allowed|permitted|welcome|acceptable|back on the table)"
_FORMS = (
    lazy_pattern(rf"(?:using )?{_THING} (?:is|are|'s) {_AGAIN}{_ALLOWED}(?: {_AGAIN})?[.!]*$", re.IGNORECASE),
    lazy_pattern(rf"(?:using )?{_THING} (?:is|are|'s) {_ALLOWED} {_AGAIN}[.!]*$", re.IGNORECASE),
    lazy_pattern(
        rf"(?:you|we) (?:can|may) {_AGAIN}use {_THING}(?: {_AGAIN})?[.!]*$|"
        rf"(?:you|we) (?:can|may) use (?P<other>[\w./@+' -]{{2,60}}?) {_AGAIN}[.!]*$",
        re.IGNORECASE,
    ),
)


def lifts(text: str) -> bool:
    """Whether a person's words allow a thing that was not allowed before.

    Args:
        text: Words of a person.
    """
    return bool(_allowed(text))


def lift(store: ConductStore, text: str, *, by: str, at: int) -> None:
    """Lifts the rejections, and retires the rules, against any use of the thing that a person's words allow.

    A rejection of more than the thing, such as one in production or of one operation on it, stays.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of the person.
        by: Name of the person.
        at: Time of the words, microseconds UTC; later rejections stay.
    """
    if not (thing := _allowed(text)):
        return
    why = f"allowed again: {text.strip()}"[:_WHY]
    for entry in store.state(kind="rejected", limit=-1):
        if entry.changed_at <= at and _is_of(entry, thing):
            store.put(replace(entry, status="archived", changed_at=at, closed_by=by, closed_why=why))
    for rule in store.rules(every=False):
        if rule.forbids and not rule.approval and rule.at <= at and _is_of(rule, thing):
            store.put(replace(rule, confirmed_at=at, retired_by=by, retired_why=why))


def _allowed(text: str) -> frozenset[str]:
    """Returns the stems of the thing that words allow again; empty if they allow none."""
    bare = wording.without_interjection(text).strip()
    found = next((found for form in _FORMS if (found := form.match(bare)) is not None), None)
    if found is None:
        return frozenset()
    groups = found.groupdict()
    return stems_of(groups["thing"] or groups.get("other") or "") - vocabulary().incidental


def _is_of(row: StateEntry | Rule, thing: frozenset[str]) -> bool:
    """Whether a rejection or rule is against any use of a thing, and against nothing beside it."""
    forbids = corrected(row.forbidden_action, row.corrections)
    is_use = bool(forbids.verbs) and _USES.issuperset(forbids.verbs)
    named = [stems_of(each) - vocabulary().incidental for each in forbids.things]
    return is_use and not forbids.conditions and named == [thing]
