"""Marks of English clauses that only some corrections need: who left, what is owed, which numbered things it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.bare_doses import bare_dose
from bardo.consolidate.languages.english.debts import debt_of
from bardo.consolidate.languages.english.frames import phrase_of
from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.numbered import numbered_in
from bardo.consolidate.languages.english.past_times import past_instant, with_past_dates
from bardo.consolidate.languages.english.role_slots import left_role, who_left
from bardo.model import Statement

#: One number, with its groups and its fraction.
_FIGURE = re.compile(r"\d[\d.,:]*")


def with_marks(clause: Clause, head: Any, subject: Any, words: Sequence[Any], at: int) -> Clause:
    """The clause with its marks.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        words: Its words.
        at: Instant of its text, microseconds UTC; 0 if unknown.
    """
    clause = _with_instant(clause, words, at)
    topic = numbered_in([token for token in words if token.i < head.i])
    dose, dosed = bare_dose(clause, head, subject, words)
    return replace(
        clause,
        bare_dose=dose,
        dosed=dosed,
        statement=_of_number(clause, topic),
        gone=who_left(clause, head, subject),
        left_role=left_role(head),
        figure="" if clause.denied else _figure_of(head),
        debt=debt_of(head),
        numbered=numbered_in(words),
        numbered_topic=topic,
    )


def _with_instant(clause: Clause, words: Sequence[Any], at: int) -> Clause:
    """A clause that tells in the past what one value has become, with the time from which the value holds."""
    stated = clause.statement
    if stated is None or not (stated.functional and clause.past) or clause.since is not None:
        return clause
    since = past_instant(" ".join(token.text for token in words), at)
    if since is None or since > at:
        return clause
    text = with_past_dates(clause.text, at)
    return replace(clause, text=text, since=since, statement=replace(stated, since=since))


def _of_number(clause: Clause, topic: frozenset[tuple[str, str]]) -> Statement | None:
    """The statement of a clause; of a thing, with the number that tells the thing from others of its kind."""
    stated = clause.statement
    if stated is None or not (stated.functional and clause.features.get("subject thing")):
        return stated
    missing = sorted(" ".join(each) for each in topic if each[1] not in stated.subject.split())
    return replace(stated, subject=" ".join((stated.subject, *missing))) if missing else stated


def _figure_of(head: Any) -> str:
    """The complement of "be" that is or has one figure, as in "flat 3 is 890 warm"; empty if there is none."""
    complements = [
        child for child in head.children if child.dep_ in ("attr", "acomp", "nummod") and child.i > head.i
    ]
    if lemma(head) != "be" or len(complements) != 1:
        return ""
    phrase = phrase_of(complements[0])
    return phrase if len(_FIGURE.findall(phrase)) == 1 else ""
