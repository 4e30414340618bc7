"""New doses without the medicine: "Dr Sand says 45 now" after "Pepper's on phenobarbital, 30 mg twice a day".

The medicine is the only one that is known of the person. Of several, or where the figure is no likely next dose, the
clause stays as it is: it says not which dose it means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import words_of
from bardo.model import Fact, Statement

#: Greatest ratio of two doses of a medicine after each other: another figure is rather no dose of it.
_GREATEST_RATIO = 4.0
_DOSE = "dose"

#: A medicine with a dose, and the case to which that is limited.
_Known = tuple[str, str, str]


def with_medicines(
    clauses: Sequence[Clause],
    who: str,
    known: Callable[[Clause], Sequence[tuple[Fact, Sequence[Clause]]]],
) -> Sequence[Clause]:
    """The clauses of a text, each new dose with the medicine that it leaves out.

    Args:
        clauses: The clauses.
        who: Name of the speaker; empty if unknown.
        known: Returns the facts near a clause, each with its clauses.
    """
    if not who or not any(clause.bare_dose for clause in clauses):
        return clauses
    return [
        _with_medicine(clause, _patient(clauses[:place], clause, who.lower()), known)
        if clause.bare_dose
        else clause
        for place, clause in enumerate(clauses)
    ]


def _patient(before: Sequence[Clause], clause: Clause, who: str) -> str:
    """The patient of a dose: by the words of its clause, else the last one of its text, else the speaker."""
    if clause.dosed:
        return who if clause.dosed == "me" else clause.dosed
    named = [
        each.owner for each in before if each.owner and (each.is_kin or each.features.get("subject named"))
    ]
    return named[-1] if named else who


def _with_medicine(
    clause: Clause,
    patient: str,
    known: Callable[[Clause], Sequence[tuple[Fact, Sequence[Clause]]]],
) -> Clause:
    """A clause with the medicine of the one dose that is known of a person; else unchanged."""
    near = known(replace(clause, owner=patient))
    doses = {
        dose for fact, said in near if fact.status == "active" for dose in _doses_of(fact, said, patient)
    }
    if len({(medicine, value) for medicine, value, _ in doses}) != 1:
        return clause
    medicine, old, case = min(doses)
    number, _, unit = clause.bare_dose.partition(" ")
    old_number, _, old_unit = old.partition(" ")
    if (unit and unit != old_unit.casefold()) or not _is_next(_number(number), _number(old_number)):
        return clause
    value = f"{number} {old_unit}".strip()
    return replace(
        clause,
        text=f"{patient[:1].upper()}{patient[1:]} takes {value} of {medicine}",
        owner=patient,
        alias="",
        is_completed=True,
        anchors=clause.anchors | {medicine},
        doses=frozenset({(medicine, value.casefold())}),
        new_doses=frozenset({value.casefold()}),
        statement=Statement(
            f"{patient} {medicine}",
            _DOSE,
            value,
            condition=case,
            since=clause.since,
            until=clause.until,
            functional=True,
        ),
    )


def _doses_of(fact: Fact, clauses: Sequence[Clause], patient: str) -> Iterator[_Known]:
    """The medicines of a person that a fact tells, with their doses."""
    stated = fact.statement
    if stated is not None and stated.attribute == _DOSE:
        medicine = stated.subject.removeprefix(f"{patient} ")
        if medicine != stated.subject and not stated.denied:
            yield medicine, stated.value, stated.condition
        return
    for clause in clauses:
        is_of_patient = patient in (clause.owner, clause.alias) or (
            not clause.owner and words_of(patient) <= clause.anchors | clause.names
        )
        if is_of_patient and not clause.past:
            yield from ((medicine, dose, "") for medicine, dose in clause.doses)


def _is_next(new: float, old: float) -> bool:
    """Whether a figure is a likely dose after another one."""
    return new != old and min(new, old) > 0 and max(new, old) <= _GREATEST_RATIO * min(new, old)


def _number(figure: str) -> float:
    """The number of a figure; 0 if it is none."""
    try:
        return float(figure.replace(",", "."))
    except ValueError:
        return 0.0
