"""Fillers of a clause: which value stands in which place, as pairs of a governor and a value.

"The gateway listens on port 8080" has `listen:on` and `port` filled by 8080; "my editor is Zed" has `editor` filled by zed. Two
clauses whose common governors have other values are rivals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS, lemma, predicate_of

_VALUES = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "X", "SYM"})
_DIGIT = re.compile(r"\d")


def fillers(head: Any, subject: Any, words: list[Any]) -> frozenset[tuple[str, str]]:
    """Pairs of a governor and a value in a clause."""
    return frozenset(_of(head, subject, words))


def _of(head: Any, subject: Any, words: list[Any]) -> Iterator[tuple[str, str]]:
    verb = predicate_of(head)
    is_copula = lemma(head) in ("be", "become", "remain", "stay")
    about = lemma(subject) if subject is not None and subject.pos_ == "NOUN" else ""
    for child in head.children:
        if child.dep_ in SUBJECTS or child.pos_ == "PRON":
            continue
        if child.dep_ in ("dobj", "attr", "oprd", "acomp"):
            governor = about if is_copula and about else f"{verb}:{'attr' if is_copula else 'object'}"
            yield from ((governor, value) for value in _names(child))
            for each in child.children:
                if each.dep_ == "prep" and lemma(each) == "as":
                    yield from (
                        (lemma(role), value)
                        for role in each.children
                        if role.dep_ == "pobj"
                        for value in _names(child)
                    )
        elif child.dep_ in ("prep", "agent"):
            for inner in (each for each in child.children if each.dep_ in ("pobj", "pcomp")):
                governor = about if is_copula and about else f"{verb}:{lemma(child)}"
                if lemma(child) == "as" and inner.pos_ == "NOUN":
                    objects = [each for each in head.children if each.dep_ == "dobj"]
                    yield from ((lemma(inner), value) for each in objects for value in _names(each))
                yield from ((governor, value) for value in _names(inner))
        elif child.dep_ in ("npadvmod", "advmod", "nummod") and _DIGIT.search(child.text):
            yield f"{verb}:time", child.text.lower()
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
    """The head of a phrase, its conjuncts and the name that it is part of."""
    yield lemma(token)
    for child in token.children:
        if child.dep_ in ("compound", "nummod", "appos") and child.pos_ in _VALUES:
            yield lemma(child)
        if child.dep_ == "conj" and child.pos_ in _VALUES:
            yield lemma(child)
