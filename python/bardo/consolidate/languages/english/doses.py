"""Doses of medicines: "I take 5 mg of ramipril", "they put me on sertraline, 50 mg", "my ramipril goes up to 10 mg"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.frames import noun_attribute
from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.measures import SETS_DOSE, is_measure, number_before, patient_of
from bardo.consolidate.languages.english.owners import KIN, is_of_speaker

#: Attribute, value and subject: the person with the medicine.
DoseSlot = tuple[str, str, str]
#: Verbs and adverbs by which a medicine itself gets another dose.
_MOVES, _WAYS = frozenset({"go", "be", "come", "move"}), frozenset({"up", "down", "back"})
#: Prepositions of a place or of a meal, which are no medicine.
_OF_PLACE = frozenset({"in", "at", "near", "with"})


def dose_slot(clause: Clause, head: Any, subject: Any, who: str) -> DoseSlot | None:
    """Dose of a medicine that a clause names.

    Args:
        clause: The clause, with its owner.
        head: Its head.
        subject: Its subject; None if it has none.
        who: Name of the speaker in lower case; empty if unknown.
    """
    own = patient_of(head, who) or clause.owner
    if not own or clause.denied or (clause.past and lemma(head) not in SETS_DOSE):
        return None
    words = [token for token in head.subtree if token.i != head.i and not _is_of_other_verb(token, head)]
    unit = next((token for token in words if is_measure(token)), None)
    if unit is None:
        return None
    is_moved = lemma(head) in _MOVES and any(token.text.lower() in _WAYS for token in words)
    medicine = next(
        (
            token
            for token in _named(head, words)
            if token.pos_ in ("NOUN", "PROPN")
            and token.i != unit.i
            and not token.ent_type_
            and lemma(token) not in KIN
            and noun_attribute(token) is None
            and (subject is None or token.i != subject.i or (is_moved and is_of_speaker(token)))
        ),
        None,
    )
    if medicine is None or _has_nearer_noun(medicine, unit, words):
        return None
    owner = who if who and is_of_speaker(medicine) else own
    return "dose", f"{number_before(unit)} {unit.text}", f"{owner} {medicine.text.lower()}"


def _named(head: Any, words: list[Any]) -> Iterator[Any]:
    """Words of a clause that can name its medicine."""
    yield from (
        child for child in head.children if child.dep_ in ("dobj", "pobj", "attr", "nsubj", "nsubjpass")
    )
    for child in words:
        if child.dep_ in ("prep", "conj") and lemma(child) not in _OF_PLACE:
            yield from (below for below in child.children if below.dep_ == "pobj")


def _has_nearer_noun(medicine: Any, unit: Any, words: list[Any]) -> bool:
    """Whether the subject of another verb stands between a noun and a dose, so that the dose is that of the subject."""
    first, last = sorted((medicine.i, unit.i))
    return any(token.dep_ in ("nsubj", "nsubjpass") and first < token.i < last for token in words)


def _is_of_other_verb(token: Any, head: Any) -> bool:
    """Whether a word hangs below another verb than the head."""
    for above in token.ancestors:
        if above.i == head.i:
            return False
        if above.pos_ in ("VERB", "AUX"):
            return True
    return False
