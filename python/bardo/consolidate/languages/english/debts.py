"""Debts: clauses that tell that a person owes, and that a person has paid all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bardo.consolidate.clause import Debt
from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import is_denied, is_future, is_unreal, lemma, predicate_of

#: Adverbs and prepositions that can stand between "be" and a state, as in "is in arrears" and "is up to date".
_BELOW = ("acomp", "advmod", "attr", "prep", "pobj", "pcomp")


def debt_of(head: Any) -> Debt:
    """Whether a clause tells that its subject owes, has paid all, or has paid something; empty for none of these."""
    if is_denied(head) or is_future(head) or is_unreal(head):
        return ""
    table = cue_tables()["debts"]
    if lemma(head) == "be":
        return next((kind for kind in ("owed", "paid") if _is_in(head, table[kind]["states"])), "")
    verbs = {predicate_of(head), lemma(head)}
    if verbs & set(table["owed"]["verbs"]):
        return "owed" if any(child.dep_ in ("dobj", "dative") for child in head.children) else ""
    is_told = head.tag_ in ("VBD", "VBN") and not any(child.dep_ == "auxpass" for child in head.children)
    if not is_told or not verbs & set(table["paid"]["verbs"]):
        return ""
    return "paid" if _pays_all(head, table["paid"]) else "part"


def _is_in(head: Any, states: dict[str, list[str]]) -> bool:
    """Whether the complement of "be" is one of some states, with one of its prepositions."""
    for word in _complements(head):
        behind = {lemma(child) for above in (word, head) for child in above.children if child.dep_ == "prep"}
        wanted = states.get(_state_of(word), [])
        if any(preposition in behind or not preposition for preposition in wanted):
            return True
    return False


def _state_of(word: Any) -> str:
    """Word of a state; "up-to-date" of "up to date" in its parts."""
    is_current = lemma(word) == "date" and word.i > 1 and word.nbor(-1).text == "to"
    return "up-to-date" if is_current else word.text.lower()


def _complements(head: Any) -> Iterator[Any]:
    """The words of the complement of a verb, through prepositions: "arrears" of "is in arrears"."""
    for child in head.children:
        if child.dep_ in _BELOW:
            yield child
            yield from _complements(child)


def _pays_all(head: Any, table: dict[str, Any]) -> bool:
    """Whether what a clause pays is all that is owed, or its last part: not "paid June", nor "paid for the taxi"."""
    things = [child for child in head.children if child.dep_ == "dobj"]
    if not things:
        is_of_part = any(child.dep_ in ("prep", "npadvmod") for child in head.children)
        return lemma(head) != "clear" and not is_of_part
    return all(
        lemma(thing) in table["all"] or any(lemma(child) in table["last"] for child in thing.children)
        for thing in things
    )
