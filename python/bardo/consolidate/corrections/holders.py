"""Holders of roles: a newer holder, or the departure of the known one, ends what names the older one."""

from __future__ import annotations

import re

from bardo.consolidate.clause import Clause, Rule
from bardo.model import Statement

#: Words before a name that tell no person from another.
_TITLES = frozenset({"dr", "fr", "hon", "madam", "miss", "mr", "mrs", "ms", "mx", "prof", "rev", "sir"})
#: Cues that tell of a role only where its noun stands beside them.
_OF_OTHERS = frozenset({"bound", "ending", "now"})
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def ends_holding(older: Clause, newer: Clause) -> Rule:
    """Name of the rule by which a newer clause ends that a person holds a role; empty if it does not.

    "The risk manager is now Joaquim" ends "the risk manager is Ingrid Vass", and so does "Ingrid has left".
    """
    held = _held(older)
    if held is None or not newer.stated:
        return ""
    if newer.died and newer.died in _name(held):
        return "ending"
    if newer.gone and newer.gone <= _name(held) and newer.left_role in ("", held.attribute):
        return "ending"
    given = newer.statement
    if (
        not newer.role
        or given is None
        or not (_is_one_role(held, given) or _is_of_speaker_or_not(older, newer))
    ):
        return ""
    if given.denied:
        return "denial" if _is_one_person(held, given) else ""
    return "" if _is_one_person(held, given) else "judged slot"


def is_of_another_role(older: Clause, newer: Clause) -> bool:
    """Whether two clauses give the holders of two roles, or one holder twice."""
    held, given = _held(older), newer.statement
    if held is None or not newer.role or given is None:
        return False
    is_one = _is_one_role(held, given) or _is_of_speaker_or_not(older, newer)
    return not is_one or (_is_one_person(held, given) and not given.denied)


def keeps_holder(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause leaves a role with its holder, since nothing in it says that another one has it.

    "Ingrid has left for lunch" and "Ann stepped down as captain" name no end of the role that each has, and "a manager
    is Tom" announces none.
    """
    held = _held(older)
    if held is None or ends_holding(older, newer):
        return False
    nouns = {held.attribute} | (older.anchors - older.names - _name(held))
    if nouns & (newer.anchors | newer.objects | newer.ended | set(newer.topic)):
        return not newer.cues
    return not newer.cues - _OF_OTHERS


def _held(clause: Clause) -> Statement | None:
    """The statement by which a clause names the holder of a role; None if it names none."""
    return (
        clause.statement
        if clause.role and clause.statement is not None and not clause.statement.denied
        else None
    )


def _is_one_role(one: Statement, other: Statement) -> bool:
    """Whether two statements are about one role of one organisation or person, in one case."""
    return (one.subject, one.attribute, one.condition) == (other.subject, other.attribute, other.condition)


def _is_of_speaker_or_not(older: Clause, newer: Clause) -> bool:
    """Whether a newer holder is announced for one role that only one of two clauses calls the speaker's.

    "Our new head of operations is Tomas" is about "the head of operations".
    """
    one, other = older.statement, newer.statement
    if one is None or other is None or not newer.cues & {"change", "new", "now"}:
        return False
    speakers = {clause.owner.partition("'s ")[0] for clause in (older, newer) if "'s " in clause.owner}
    plain = [
        next(
            (each.subject.removeprefix(f"{who} ") for who in speakers if each.subject.startswith(f"{who} ")),
            each.subject,
        )
        for each in (one, other)
    ]
    return plain[0] == plain[1] and (one.attribute, one.condition) == (other.attribute, other.condition)


def _is_one_person(one: Statement, other: Statement) -> bool:
    """Whether two names can be those of one person: "Ingrid" and "Ms Ingrid Vass"."""
    ours, theirs = _name(one), _name(other)
    return ours <= theirs or theirs <= ours


def _name(stated: Statement) -> frozenset[str]:
    """Words of the name of a holder in lower case, without titles."""
    return name_words(stated.value)


def name_words(name: str) -> frozenset[str]:
    """Words of a name in lower case, without titles."""
    return frozenset(_WORD.findall(name.casefold())) - _TITLES
