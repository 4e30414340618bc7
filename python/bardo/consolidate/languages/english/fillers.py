"""Fillers of a clause: values with the place in which each stands, as pairs of a governor and a value.

"The gateway listens on port 8080" has `listen:on` and `port` filled by 8080; "my editor is Zed" has `editor` filled by
zed. Two clauses whose common governors have other values are rivals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS, lemma, predicate_of

_VALUES = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "X", "SYM"})
_COPULAS = frozenset({"be", "become", "remain", "stay"})
_DIGIT = re.compile(r"\d")


def fillers(head: Any, subject: Any, words: list[Any]) -> frozenset[tuple[str, str]]:
    """Pairs of a governor and a value in a clause.

    Args:
        head: Head of the clause.
        subject: Subject of the clause; None if it has none.
        words: Words of the clause.
    """
    about = lemma(subject) if subject is not None and subject.pos_ == "NOUN" else ""
    return frozenset((*_of_verb(head, about), *_of_figures(words, about)))


def _of_verb(head: Any, about: str) -> Iterator[tuple[str, str]]:
    """Values of the objects, complements and adjuncts of a verb.

    Args:
        head: Head of the clause.
        about: Lemma of the noun that is the subject; empty for other subjects.
    """
    verb = predicate_of(head)
    is_copula = lemma(head) in _COPULAS
    noun = about if is_copula else ""
    for child in head.children:
        if child.dep_ in SUBJECTS or child.pos_ == "PRON":
            continue
        if child.dep_ in ("dobj", "attr", "oprd", "acomp"):
            governor = noun or f"{verb}:{'attr' if is_copula else 'object'}"
            yield from ((governor, value) for value in _names(child))
            yield from _of_roles(child)
        elif child.dep_ in ("prep", "agent"):
            governor = noun or f"{verb}:{lemma(child)}"
            for inner in (each for each in child.children if each.dep_ in ("pobj", "pcomp")):
                if lemma(child) == "as" and inner.pos_ == "NOUN":
                    objects = [each for each in head.children if each.dep_ == "dobj"]
                    yield from ((lemma(inner), value) for each in objects for value in _names(each))
                yield from ((governor, value) for value in _names(inner))
        elif child.dep_ in ("npadvmod", "advmod", "nummod") and _DIGIT.search(child.text):
            yield f"{verb}:time", child.text.lower()


def _of_roles(value: Any) -> Iterator[tuple[str, str]]:
    """The roles that a value has by "as", as in "Zed as editor"."""
    for preposition in value.children:
        if preposition.dep_ == "prep" and lemma(preposition) == "as":
            roles = [role for role in preposition.children if role.dep_ == "pobj"]
            yield from ((lemma(role), name) for role in roles for name in _names(value))


def _of_figures(words: list[Any], about: str) -> Iterator[tuple[str, str]]:
    """Numbers with the nouns beside and above them, as in "port 8080".

    Args:
        words: Words of the clause.
        about: Lemma of the noun that is the subject; empty for other subjects.
    """
    for token in words:
        if not _DIGIT.search(token.text) and token.pos_ != "NUM":
            continue
        number = token.text.lower().rstrip(".,")
        up = token.head
        if token.dep_ in ("nummod", "compound", "amod", "appos", "nmod") and up.pos_ in ("NOUN", "PROPN"):
            yield lemma(up), number
        elif token.dep_ == "pobj" and up.head.pos_ in ("NOUN", "PROPN"):
            yield lemma(up.head), number
        if about:
            yield about, number
        for compound in up.children:
            if compound.dep_ in ("compound", "nmod") and compound.i != token.i:
                yield lemma(compound), number


def _names(token: Any) -> Iterator[str]:
    """Lemmas of the head of a phrase, its conjuncts and the name that it is part of."""
    yield lemma(token)
    for child in token.children:
        if child.dep_ in ("compound", "nummod", "appos", "conj") and child.pos_ in _VALUES:
            yield lemma(child)
