"""Texts of facts that stand alone: at least one clause has all that it points to, and all that its verb needs.

A fact is read on other days, without the turns around it. "She was the secretary" needs a person, "it goes there on
Monday" a thing, "the right eye, 12 July" a verb, and "Graciela goes every afternoon" a goal.
"""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import (
    COMPLEMENTS,
    SUBJECTS,
    clause_heads,
    is_order,
    lemma,
    subject_of,
)
from bardo.consolidate.languages.english.owners import KIN
from bardo.consolidate.languages.english.parse import parse

_NOUNS = frozenset({"NOUN", "PROPN"})
#: Labels of times and numbers, to which no pronoun points.
_TIMES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL"})
#: Verbs that say nothing of a person without a goal, a place or a complement.
_NEEDS_COMPLEMENT = frozenset({"be", "come", "go"})
#: Dependencies that complete such a verb; a preposition does if it brings no time.
_COMPLETING = COMPLEMENTS | {"xcomp", "ccomp", "prt", "agent", "dative"}
#: Dependencies of a noun or pronoun that a verb or preposition takes.
_OBJECTS = frozenset({"attr", "dobj", "pobj"})
#: Clauses and times of which "it" is an empty subject.
_EXTRAPOSED = frozenset({"ccomp", "xcomp", "advcl", "csubj", "acl"})


def stands_alone(text: str, who: str) -> bool:
    """Whether the text of a fact can be understood without the texts around it.

    Args:
        text: Text of the fact, with or without its speaker before a colon.
        who: Name of the speaker.
    """
    speaker, mark, quote = text.partition(": ")
    doc = parse(quote if mark and speaker == who else text)
    heads = [head for sentence in doc.sents for head in clause_heads(sentence)]
    stating = [head for head in heads if not is_order(head)]
    return any(not _lacks(head, who) for head in stating or heads)


def _lacks(head: Any, who: str) -> bool:
    """Whether a clause points to what the text before it does not name, or its verb lacks a complement."""
    subject = subject_of(head)
    if subject is None:
        is_bare = not any(token.dep_ in SUBJECTS for token in head.sent)
        return is_bare and head.pos_ in _NOUNS and _is_definite(head)
    words = [subject, *(child for child in subject.children if child.dep_ == "poss")]
    if any(_is_open_person(word, who) for word in words) or _is_open_thing(subject):
        return True
    if any(_is_open_object(token, who) for token in head.subtree):
        return True
    places = (child for child in head.children if child.dep_ == "advmod" and lemma(child) == "there")
    if any(not _has_thing_before(place) for place in places):
        return True
    owners = (
        child
        for each in head.children
        if each.dep_ == "attr"
        for child in each.children
        if child.dep_ == "poss"
    )
    # "The landlord is her cousin" tells of another woman.
    if any(_gender(owner) and not _has_person_before(owner, who, without=subject) for owner in owners):
        return True
    return _is_incomplete(head, subject, who)


def _is_definite(noun: Any) -> bool:
    """Whether a noun without a verb is one that another text introduced: "the right eye", but not "the car of Jo"."""
    has_article = any(child.dep_ == "det" and lemma(child) == "the" for child in noun.children)
    return has_article and not any(token.pos_ == "PROPN" and _is_thing(token) for token in noun.subtree)


def _gender(token: Any) -> str:
    """Gender of "he" or "she" in any form; empty for another word."""
    found = token.morph.get("Gender") if token.pos_ in ("PRON", "DET") else []
    return "".join(found) if found != ["Neut"] else ""


def _is_open_person(token: Any, who: str) -> bool:
    """Whether a word is "he" or "she" without a person before it."""
    return bool(_gender(token)) and not _has_person_before(token, who)


def _has_person_before(token: Any, who: str, without: Any = None) -> bool:
    """Whether a name, a word of kinship or the subject of a verb stands before a word.

    Args:
        token: The word.
        who: Name of the speaker, to whom "she" does not point.
        without: Noun to which the word does not point.
    """
    return any(
        _can_be_person(other) and other.text not in who.split() and (without is None or other.i != without.i)
        for other in token.doc[: token.i]
    )


def _can_be_person(token: Any) -> bool:
    """Whether a noun is a name, a word of kinship, or the subject of a verb."""
    if not _is_thing(token):
        return False
    return token.pos_ == "PROPN" or lemma(token) in KIN or token.dep_ in SUBJECTS


def _points_to_thing(token: Any) -> bool:
    """Whether a word is "it", "this" or "that"."""
    is_it = token.morph.get("Gender") == ["Neut"] or token.morph.get("PronType") == ["Dem"]
    return bool(token.pos_ == "PRON" and is_it)


def _is_open_object(token: Any, who: str) -> bool:
    """Whether a word is an object "it" or "that" without a noun before it: "Jonas is allergic to that"."""
    if token.dep_ not in _OBJECTS or not _points_to_thing(token) or any(token.children):
        return False
    return not any(_is_thing(other) and other.text not in who.split() for other in token.doc[: token.i])


def _is_open_thing(subject: Any) -> bool:
    """Whether a subject is "it" or "that" without a noun before it: "they" are often people in general."""
    if not _points_to_thing(subject) or _has_thing_before(subject):
        return False
    return not any(_is_of_empty_subject(child) for child in subject.head.children)


def _is_of_empty_subject(child: Any) -> bool:
    """Whether a word below a verb makes its "it" empty: "it is Thursdays now", "it hurts that ..."."""
    is_complement = child.dep_ in ("attr", "npadvmod") and child.ent_type_ in _TIMES
    return child.dep_ in _EXTRAPOSED or is_complement


def _has_thing_before(token: Any) -> bool:
    """Whether a noun other than a time stands before a word."""
    return any(_is_thing(other) for other in token.doc[: token.i])


def _is_thing(token: Any) -> bool:
    """Whether a word is a noun that is no time."""
    return token.pos_ in _NOUNS and token.ent_type_ not in _TIMES


def _is_incomplete(head: Any, subject: Any, who: str) -> bool:
    """Whether a verb of motion or state of the speaker brings no more than a time: "Graciela goes every afternoon"."""
    if lemma(head) not in _NEEDS_COMPLEMENT or subject.text not in who.split():
        return False
    return not any(_completes(child) for child in head.children if child.i > head.i)


def _completes(child: Any) -> bool:
    """Whether a word behind a verb brings a goal, a place or a complement."""
    if child.dep_ in _COMPLETING:
        return True
    is_time = any(each.ent_type_ in _TIMES for each in (child, *child.children))
    return child.dep_ in ("prep", "advmod") and not is_time
