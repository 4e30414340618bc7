"""Doses that a clause sets without the medicine: "Dr Sand says 45 now", "they put me up to 88 from tomorrow"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.grammar import EXPERTS, lemma
from bardo.consolidate.languages.english.measures import SETS_DOSE, is_measure

#: Verbs by which an expert names a dose.
_NAMING = frozenset({"advise", "order", "prescribe", "recommend", "say", "want"})
#: Verbs by which one has a dose: "she's on 100 now", "I take 45 now", "he is down to 5".
_HAVING = frozenset({"be", "get", "go", "have", "take"})
#: Words of a new state beside a dose.
_NEW = frozenset({"now", "instead"})
_TITLES = frozenset({"dr", "dr.", "doctor"})
_ME = frozenset({"me", "us"})
_TIMES = frozenset({"DATE", "TIME"})
#: Nouns that say of a dose when, how or in which form it is taken.
_OF_TAKING = frozenset({
    "afternoon", "breakfast", "day", "dinner", "dose", "dosage", "evening", "lunch", "meal", "midday", "morning",
    "night", "noon", "pill", "tablet", "today", "tomorrow", "week",
})  # fmt: skip


def bare_dose(clause: Clause, head: Any, subject: Any, words: Sequence[Any]) -> tuple[str, str]:
    """The dose that a clause sets without its medicine, and who gets it by its words, in lower case; else empty.

    "Me" stands for the speaker as the one who gets it.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        words: Its words.
    """
    nothing = ("", "")
    numbers = [token for token in words if token.like_num and token.text[:1].isdigit()]
    if clause.denied or clause.past_dated or len(numbers) != 1 or not clause.stated:
        return nothing
    (number,) = numbers
    by_expert = _is_expert(subject) and lemma(head) in _NAMING
    is_set = lemma(head) in SETS_DOSE and bool(clause.new_doses)
    is_new = any(lemma(token) in _NEW for token in words)
    if not (
        is_set
        or (by_expert and (is_new or clause.new_doses))
        or (lemma(head) in _HAVING and clause.new_doses)
    ):
        return nothing
    given = next((child for child in head.children if child.dep_ in ("dobj", "nsubjpass")), None)
    about = subject if lemma(head) in _HAVING else given
    person = _person(about)
    named = {token.i for token in (*_tree(subject), *(_tree(given) if person else ()))}
    unit = number.nbor(1) if number.i + 1 < len(number.doc) and is_measure(number.nbor(1)) else None
    others = [
        token
        for token in words
        if token.pos_ in ("NOUN", "PROPN")
        and token.i not in (head.i, number.i, unit.i if unit is not None else -1)
        and token.i not in named
        and not (token.ent_type_ in _TIMES or lemma(token) in _OF_TAKING)
    ]
    if others or (lemma(head) in _HAVING and not person):
        return nothing
    return (f"{number.text} {unit.text}".lower() if unit is not None else number.text), person


def _is_expert(subject: Any) -> bool:
    """Whether a subject is a doctor or the like, by the word or by the title."""
    return subject is not None and any(
        lemma(token) in EXPERTS or token.text.lower() in _TITLES for token in subject.subtree
    )


def _person(noun: Any) -> str:
    """The one whom a noun or pronoun names, in lower case: "me" for the speaker; empty if unknown."""
    if noun is None:
        return ""
    if noun.text.lower() in (*_ME, "i", "we"):
        return "me"
    return str(noun.text.lower()) if noun.pos_ == "PROPN" and not _is_expert(noun) else ""


def _tree(noun: Any) -> Sequence[Any]:
    """The words of a noun phrase."""
    return () if noun is None else list(noun.subtree)
