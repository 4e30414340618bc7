"""Measures of medicines: numbers with a unit, and verbs that set a dose."""

from __future__ import annotations

import re
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
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_NUMBER = r"\d+(?:[.,]\d+)?"
#: Words before a dose that are no medicine.
_NO_MEDICINE = (
    "about|another|currently|daily|dose|evening|every|from|just|mine|morning|night|only|pills?|still|tablets?|take|takes|"
    "taking|twice|weekly|with"
)
#: A dose beside the name of its medicine: "ramipril 5 mg", "5 mg of ramipril".
_DOSE = re.compile(
    rf"\b(?!(?:{_NO_MEDICINE})\b)(?P<before>[^\W\d_]{{4,}}),? (?P<figure>{_NUMBER}) ?(?P<unit>{_UNIT})\b(?! of\b)|"
    rf"\b(?P<figure2>{_NUMBER}) ?(?P<unit2>{_UNIT}) of (?P<after>[^\W\d_]{{4,}})\b",
    re.IGNORECASE,
)
#: A dose that a word announces as another than before: "up to 10 mg", "from now 88", "on 75 mg now".
_MOVED = re.compile(
    r"\b(?:(?:up|down|back) to|back on|now(?: at| on)?|"
    r"(?:raised|increased|lowered|reduced|lifted|doubled|halved|cut|bumped)"
    rf"(?: \w+){{0,3}}? to|(?=(?:on|to|,) {_NUMBER} ?(?:{_UNIT}) (?:now|instead|again)\b)(?:on|to|,))"
    rf" (?P<figure>{_NUMBER})(?: ?(?P<unit>{_UNIT}))?"
    r"(?![\w:%]| [^\W\d]*(?:am|pm|day|week|month|year|hour|minute|percent)s?\b)",
    re.IGNORECASE,
)


def is_measure(token: Any) -> bool:
    """Whether a word is a unit of a dose behind a number."""
    return token.text.lower() in _UNITS and bool(number_before(token))


def number_before(unit: Any) -> str:
    """The number just before a unit; empty if there is none."""
    before = unit.nbor(-1) if unit.i > 0 else None
    return str(before.text) if before is not None and before.like_num else ""


def patient_of(head: Any, who: str) -> str:
    """Person whose dose a verb sets, in lower case: the speaker of "they put me on sertraline, 50 mg"; else empty."""
    if lemma(head) not in SETS_DOSE or not any(is_measure(token) for token in head.subtree):
        return ""
    given = next((child for child in head.children if child.dep_ == "dobj"), None)
    if given is None or given.text.lower() in _ME:
        return "" if given is None else who
    is_on = any(child.dep_ == "prep" and lemma(child) == "on" for child in (*head.children, *given.children))
    return str(given.text.lower()) if given.pos_ == "PROPN" and is_on and lemma(head) == "put" else ""


def doses_in(text: str) -> frozenset[tuple[str, str]]:
    """Medicines in a clause with their doses, in lower case: "I take ramipril 5 mg" has `("ramipril", "5 mg")`."""
    return frozenset(
        (
            (match["before"] or match["after"]).lower(),
            f"{match['figure'] or match['figure2']} {match['unit'] or match['unit2']}".lower(),
        )
        for match in _DOSE.finditer(text)
    )


def new_doses_in(text: str) -> frozenset[str]:
    """Doses that a clause announces as another than before, in lower case, some without a unit."""
    return frozenset(
        f"{match['figure']} {match['unit'] or ''}".rstrip().lower() for match in _MOVED.finditer(text)
    )
