"""Contrasts within a sentence: "the mailer no longer listens on 25, it listens on 26"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import (
    COMPLEMENTS,
    clause_heads,
    is_denied,
    lemma,
    predicate_of,
    subject_of,
)

#: Pronouns that point to a thing, or to several, by the tags of the nouns for them.
_TAGS = {"it": frozenset({"NN", "NNP"}), "they": frozenset({"NNS", "NNPS"})}


def contrasted(head: Any, subject: Any) -> Any:
    """The noun to which the subject of a clause points, if the clause tells what holds instead of what one denies.

    Args:
        head: Head of the clause.
        subject: Its subject, a pronoun.

    Returns:
        The subject of the clause before, which denies the same of it; None if there is none.
    """
    tags = _TAGS.get(subject.text.lower())
    if tags is None or is_denied(head):
        return None
    for other in clause_heads(head.sent):
        noun = subject_of(other)
        is_before = noun is not None and noun.i < subject.i and noun.tag_ in tags
        if is_before and is_denied(other) and _says_same(other, head):
            return noun
    return None


def _says_same(one: Any, other: Any) -> bool:
    """Whether two clauses say the same kind of thing: one verb, with complements of one kind."""
    return predicate_of(one) == predicate_of(other) and _kinds(one) & _kinds(other) != set()


def _kinds(head: Any) -> set[str]:
    """Dependencies of the complements of a verb."""
    return {child.dep_ for child in head.children if child.dep_ in {*COMPLEMENTS, "prep", "npadvmod"}}


def changed_before(head: Any) -> Any:
    """The thing to which "it" points behind its change, as in "the choir has moved, it's Thursdays now"; else None.

    Args:
        head: Head of the clause with "it".
    """
    subject = subject_of(head)
    if lemma(head) != "be" or subject is None or subject.text.lower() != "it":
        return None
    verbs = (child for child in head.children if child.dep_ in ("ccomp", "parataxis") and child.i < subject.i)
    for verb in verbs:
        thing = subject_of(verb)
        if lemma(verb) in cue_tables()["change"] and thing is not None and thing.pos_ == "NOUN":
            return thing
    return None
