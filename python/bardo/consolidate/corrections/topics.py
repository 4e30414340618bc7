"""Common ground of two clauses: a part of the values, their company, a time alone, or the thing that both name."""

from __future__ import annotations

import re

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import (
    WEEKDAYS,
    is_same_owner,
    plain_parts,
    said_of,
    words_of,
)

#: Marks and words between the values of a list.
_LISTED = re.compile(r",? and |,? or |, ")
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
#: Words of a time.
_TIME = re.compile(
    rf"\d+(?:st|nd|rd|th)?|{_MONTHS}|(?:{'|'.join(WEEKDAYS)}|day|week|weekend|month|year|morning|evening|night)s?"
)


def announces_topic(older: Clause, said: Clause) -> bool:
    """Whether a clause only names what a message is about: "The yards." before what became of them."""
    words = said.anchors | said.names
    return "verbless" in said.features and not said.figures and words <= older.anchors | older.names


def names_part(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies or ends some of the values that the older one lists, and not all of them.

    After "I'm not allergic to walnuts", "allergic to walnuts and latex" may hold of latex.
    """
    if older.statement is None or older.denied or not (newer.denied or newer.cues & {"correction", "ending"}):
        return False
    values = [value for value in _LISTED.split(older.statement.value.casefold()) if value]
    said = newer.anchors | newer.names | newer.left
    named = [value for value in values if any(word in said for word in (value, *plain_parts(value)))]
    return 0 < len(named) < len(values)


def names_company(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause names of the older one no more than what stands beside its one value.

    "No more sheep" ends no home of "I live in Bragar with eleven sheep".
    """
    stated = older.statement
    if stated is None or not stated.functional or older.predicate == newer.predicate:
        return False
    other = newer.statement
    if other is not None and other.attribute == stated.attribute:
        return False
    words = older.anchors | older.names | older.objects
    named = words & (said_of(newer) | newer.objects) - words_of(older.owner)
    if "ending" in newer.cues and newer.ended:
        # "Maeve gave back the cello" ends nothing of "I live in Galway with Maeve".
        named &= newer.ended
    value = stated.value.casefold()
    return bool(named) and not any(word in value for word in named)


def share_time_alone(older: Clause, newer: Clause) -> bool:
    """Whether two clauses with different verbs have no more in common than words of a time.

    "We move on 8 August" changes nothing of "due in August".
    """
    if not newer.text or older.predicate == newer.predicate:
        return False
    one, other = older.statement, newer.statement
    if one is not None and other is not None and one.attribute == other.attribute:
        return False
    shared = (older.anchors | older.names | older.objects) & (newer.anchors | newer.names | newer.objects)
    return bool(shared) and all(_TIME.fullmatch(word) for word in shared)


def are_linked(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause without a word of change names what the older one is about, beyond its own subject.

    "Kasia is cooking" says nothing of "Jon, Kasia and I share the flat", though both name her.
    """
    if is_same_owner(older, newer):
        return True
    said = (said_of(newer) | newer.objects) - words_of(newer.owner)
    old = older.objects | older.names | words_of(older.owner)
    return bool(old & said) or bool(older.objects & words_of(newer.owner))
