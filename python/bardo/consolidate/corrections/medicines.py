"""New doses of a medicine that an older clause names with its dose."""

from __future__ import annotations

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import is_of_other_person, is_same_owner, words_of


def changes_dose(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause names a medicine of the older one with another dose, which it announces as new.

    "The ramipril's up to 10 mg" needs no owner: the medicine is the one that the older clause has.
    """
    if len(newer.new_doses) != 1 or older.past or is_of_other_person(older, newer):
        return False
    if newer.is_completed and older.owner and not is_same_owner(older, newer):
        return False
    # "My mother's ramipril" is another one.
    is_of_another = (newer.is_kin or newer.is_relative) and newer.owner != older.owner
    if is_of_another or newer.holders - older.holders - words_of(older.owner):
        return False
    (new,) = newer.new_doses
    number, _, unit = new.partition(" ")
    said = newer.anchors | newer.names | words_of(newer.owner)
    known = [dose for medicine, dose in older.doses if medicine in said]
    # Two doses of one medicine are those of two times of the day.
    if len(known) != 1:
        return False
    old_number, _, old_unit = known[0].partition(" ")
    return number != old_number and unit in ("", old_unit)
