"""New telephone numbers of people."""

from __future__ import annotations

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.holders import name_words
from bardo.model import Statement

_PHONE = "phone"


def changes_phone(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause gives another number of the person of the older one: "Silvia" is "Silvia Lindt"."""
    one, other = _phone(older), _phone(newer)
    if one is None or other is None or one.condition != other.condition or _digits(one) == _digits(other):
        return False
    ours, theirs = name_words(one.subject), name_words(other.subject)
    return bool(ours and theirs) and (ours <= theirs or theirs <= ours)


def is_of_another_phone(older: Clause, newer: Clause) -> bool:
    """Whether two clauses give the numbers of different people, or numbers of different kinds, or one number twice."""
    return _phone(older) is not None and _phone(newer) is not None and not changes_phone(older, newer)


def _phone(clause: Clause) -> Statement | None:
    """The statement by which a clause gives a telephone number; None if it gives none."""
    stated = clause.statement
    return stated if stated is not None and stated.attribute == _PHONE and not stated.denied else None


def _digits(stated: Statement) -> str:
    """Digits of a number without its groups."""
    return "".join(filter(str.isdigit, stated.value))
