"""Nouns and names that the parser takes for verbs: the "gluten" of "I can't have gluten", "Fell" of "Piers Fell"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS, lemma

#: Verbs whose participle is like the verb itself.
_INVARIABLE = frozenset({
    "bet", "become", "bid", "burst", "cast", "come", "cost", "cut", "fit", "forecast", "hit", "hurt", "let", "overcome",
    "put", "quit", "read", "rerun", "reset", "run", "set", "shut", "spread", "split", "thrust", "upset",
})  # fmt: skip


def with_nouns(doc: Any) -> Any:
    """A parsed text in which nouns and names are no verbs.

    Args:
        doc: The parsed text, which is changed in place.
    """
    for token in doc:
        if _is_had(token):
            _read_as_object(token, token.nbor(-1))
        elif token.dep_ == "ROOT" and _is_last_name(token):
            _read_as_name(token)
    return doc


def _is_had(token: Any) -> bool:
    """Whether a word behind "can't have" passes for a verb: behind "have" a verb has the form of a participle."""
    is_participle = lemma(token) != token.text.lower() or token.text.lower() in _INVARIABLE
    if token.pos_ != "VERB" or is_participle or token.i < 2:
        return False
    have = token.nbor(-1)
    is_auxiliary = have.text.lower() == "have" and have.dep_ == "aux" and have.head.i == token.i
    before = have.nbor(-1)
    modal = before.nbor(-1) if before.dep_ == "neg" and before.i > 0 else before
    return bool(is_auxiliary and modal.tag_ == "MD")


def _read_as_object(noun: Any, verb: Any) -> None:
    """Makes "have" the verb of a clause, and the word behind it its object."""
    head, label = noun.head, noun.dep_
    is_root = head.i == noun.i
    for child in [*noun.children]:
        if child.i != verb.i:
            child.head = verb
    verb.head, verb.dep_, verb.pos_, verb.tag_ = (verb if is_root else head), label, "VERB", "VB"
    noun.head, noun.dep_, noun.pos_, noun.tag_ = verb, "dobj", "NOUN", "NN"
    noun.lemma_ = noun.text.lower()


def _is_last_name(root: Any) -> bool:
    """Whether the root of a sentence is the last name of a person behind a comma or colon: "a new cook, Piers Fell"."""
    if root.pos_ != "VERB" or not root.text.istitle() or root.i < root.sent.start + 3:
        return False
    first, mark = root.nbor(-1), root.nbor(-2)
    is_name = first.pos_ == "PROPN" and first.dep_ in SUBJECTS and first.head.i == root.i
    is_behind_noun = mark.text in (",", ":") and mark.nbor(-1).pos_ == "NOUN"
    return bool(is_name and is_behind_noun and _clause_before(root) is not None)


def _clause_before(root: Any) -> Any:
    """The clause that the parse takes for the object of a last name; None if there is none."""
    return next((child for child in root.children if child.dep_ == "ccomp" and child.i < root.i), None)


def _read_as_name(name: Any) -> None:
    """Makes a last name an apposition of the noun before its comma, and the clause before it the sentence."""
    verb, first = _clause_before(name), name.nbor(-1)
    verb.head, verb.dep_ = verb, "ROOT"
    noun = name.nbor(-2).nbor(-1)
    for child in [*name.children]:
        if child.i not in (first.i, verb.i):
            child.head = verb
    name.head, name.dep_, name.pos_, name.tag_ = noun, "appos", "PROPN", "NNP"
    name.lemma_ = name.text
    first.head, first.dep_ = name, "compound"
