"""Clauses of one template about different things: "the depot in Graz closes at 5 pm", "the depot in Linz ..."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from bardo._core import stems
from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import have_common_word, is_same_owner

#: Minimum share of the longer of two texts that both have in common, in order, if they are of one template.
LEAST_COMMON = 0.5
#: Number of content words from which a subject tells what a sentence is about.
LEAST_SUBJECT = 2

#: Cues that a verb gives: one that the older clause has too announces nothing.
_OF_VERB = frozenset({"ending", "change"})
_FIGURE = re.compile(r"\W*\d[\d.,:/-]*\W*")


class _Difference(NamedTuple):
    """A place at which two texts of one template have different words.

    Args:
        old: Words of the older text.
        new: Words of the newer text.
        begins: Place of the first word in the older and in the newer text.
    """

    old: Sequence[str]
    new: Sequence[str]
    begins: tuple[int, int]


def is_of_another_member(older: Clause, newer: Clause) -> bool:
    """Whether two clauses are about different things of a kind, so that both can hold.

    Subjects that differ in a name, an adjective or a code are two things. Of other clauses of one template, those that
    agree in everything but one value can be about one thing. Where more differs, a word of change must tell that they
    are.
    """
    if _give_one_slot(older, newer):
        return False
    # "Mum" and "my mum Hanne" are one.
    has_two_names = older.owner != newer.owner and is_same_owner(older, newer)
    subjects = [] if has_two_names else _differences(older.topic, newer.topic)
    if subjects and not any(newer.left.intersection(each.old) for each in subjects):
        return True
    old, new = _in_order(older), _in_order(newer)
    found = _differences(old, new)
    if not found or newer.left.intersection(old) or newer.left & older.figures:
        return False
    is_announced = announces(older, newer)
    if not has_two_names and any(_is_in_topic(each, older, newer) for each in found):
        # A whole subject can be the value: "Zed is my editor", "Omar now owns billing".
        is_value = len(found) == 1 and set(older.topic).isdisjoint(newer.topic)
        return not (is_value and (is_announced or newer.predicate == "be"))
    if len(found) > 1:
        return not is_announced or _is_order(newer)
    return older.denied and newer.denied and not _has_figures(found[0])


def _give_one_slot(older: Clause, newer: Clause) -> bool:
    """Whether both clauses give an attribute of one thing that is not their subject: "Ilse owns tollgate"."""
    one, other = older.statement, newer.statement
    if one is None or other is None or older.owner == newer.owner or not one.functional:
        return False
    return (one.subject, one.attribute, one.condition) == (other.subject, other.attribute, other.condition)


def are_of_one_template(older: Clause, newer: Clause) -> bool:
    """Whether two clauses have half of their words in common."""
    old, new = _in_order(older), _in_order(newer)
    return len(set(old) & set(new)) >= LEAST_COMMON * max(len(old), len(new))


def may_be_about_one(older: Clause, newer: Clause) -> bool:
    """Whether a learned sentence may end an older one.

    They share a word, each names the subject of the other, and they share a word of change or half their words.
    """
    return (
        have_common_word(older, newer)
        and (announces(older, newer) or are_of_one_template(older, newer))
        and (is_same_owner(older, newer) or (names_subject(newer, older) and names_subject(older, newer)))
    )


def names_subject(clause: Clause, other: Clause) -> bool:
    """Whether a clause names the subject of another: half of its content words, and its number if both have one.

    A subject of one word can be the value: "Berta leads the team", "the team is led by Carl".
    """
    words = _subject(other)
    topic = {word for word, stem in zip(words, stems(words), strict=True) if stem}
    if len(topic) < LEAST_SUBJECT:
        return True
    said = {*_in_order(clause), *clause.left}
    numbers = {word for word in topic if _FIGURE.fullmatch(word)}
    if numbers and numbers.isdisjoint(said) and any(map(_FIGURE.fullmatch, _subject(clause))):
        return False
    return len(topic & said) >= LEAST_COMMON * len(topic)


def _subject(clause: Clause) -> Sequence[str]:
    """Words of the subject of a clause; where the parse finds none, a noun and its number at the beginning."""
    first = clause.comment[:2]
    is_numbered = len(first) > 1 and first[0] != clause.predicate and _FIGURE.fullmatch(first[1])
    return clause.topic or (first if is_numbered else ())


def announces(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause has a word of change that is not a verb of the older one too."""
    is_same_verb = newer.predicate in _in_order(older)
    return bool(newer.cues - older.cues - (_OF_VERB if is_same_verb else frozenset()))


def _in_order(clause: Clause) -> tuple[str, ...]:
    """Lemmas of the words of a clause in order."""
    return (*clause.topic, *clause.comment)


def _differences(old: Sequence[str], new: Sequence[str]) -> list[_Difference]:
    """The places at which two texts have different words; none if the texts are not of one template."""
    least = LEAST_COMMON * max(len(old), len(new))
    if not old or not new or set(old).isdisjoint(new):
        return []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if sum(block.size for block in matcher.get_matching_blocks()) < least:
        return []
    return [
        _Difference(old[begin:end], new[first:last], (begin, first))
        for tag, begin, end, first, last in matcher.get_opcodes()
        if tag == "replace"
    ]


def _is_in_topic(difference: _Difference, older: Clause, newer: Clause) -> bool:
    """Whether two clauses differ before the predicate of one of them."""
    in_older, in_newer = difference.begins
    return in_older < len(older.topic) or in_newer < len(newer.topic)


def _is_order(clause: Clause) -> bool:
    """Whether a clause is an order."""
    return not clause.features or bool(clause.features.get("no subject"))


def _has_figures(difference: _Difference) -> bool:
    """Whether both sides of a difference have a figure."""
    return all(any(map(_FIGURE.fullmatch, words)) for words in (difference.old, difference.new))
