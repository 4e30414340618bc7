"""Measures of medicines: numbers with a unit, and verbs that set a dose."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import lemma

#: Units of a dose, and verbs of which the past sets one.
_UNITS = frozenset({
    "mg", "mcg", "µg", "ug", "g", "ml", "iu", "units", "unit", "drops", "puffs", "tablets", "milligrams", "micrograms",
    "millilitres", "milliliters", "grams", "capsules",
})  # fmt: skip
SETS_DOSE = frozenset({
    "put", "raise", "increase", "lower", "reduce", "cut", "change", "set", "switch", "up", "halve", "double", "start",
})  # fmt: skip
_ME = frozenset({"me", "us"})


def is_measure(token: Any) -> bool:
    """Whether a word is a unit of a dose behind a number."""
    return token.text.lower() in _UNITS and bool(number_before(token))


def number_before(unit: Any) -> str:
    """The number just before a unit; empty if there is none."""
    before = unit.nbor(-1) if unit.i > 0 else None
    return str(before.text) if before is not None and before.like_num else ""


def tells_own_dose(head: Any) -> bool:
    """Whether a verb sets a dose of the speaker, as in "they put me on sertraline, 50 mg"."""
    is_object = any(child.dep_ == "dobj" and child.text.lower() in _ME for child in head.children)
    is_dose = any(is_measure(token) for token in head.subtree)
    return is_object and is_dose and lemma(head) in SETS_DOSE
