"""Verbs that the parser takes for plural nouns: the "lives" of "my mum lives in Turku"."""

from __future__ import annotations

from functools import cache
from typing import Any

from bardo.consolidate.languages.english.frames import frames
from bardo.consolidate.languages.english.owners import KIN
from bardo.consolidate.languages.english.rewrite import third_person

#: Dependencies of words before a noun.
_BEFORE_NOUN = frozenset({"amod", "compound", "det", "poss"})


def with_verbs(doc: Any) -> Any:
    """A parsed text in which "lives" behind a word of kinship is a verb, and that word its subject.

    Args:
        doc: The parsed text, which is changed in place.
    """
    for sentence in doc.sents:
        verb = sentence.root
        if _is_misread(verb):
            _read_as_verb(verb)
    return doc


@cache
def _verbs() -> dict[str, str]:
    """Verbs of the frames by their third person."""
    return {third_person(verb): verb for verb in frames()["verb"]}


def _is_misread(root: Any) -> bool:
    """Whether the root of a sentence is a verb that passes for the plural of a noun."""
    if root.tag_ != "NNS" or root.text.lower() not in _verbs() or root.i == root.sent.start:
        return False
    is_behind_person = root.nbor(-1).lemma_.lower() in KIN
    return is_behind_person and any(child.dep_ == "prep" for child in root.children)


def _read_as_verb(verb: Any) -> None:
    """Makes a root the verb of its sentence, and the word before it its subject."""
    subject = verb.nbor(-1)
    before = [child for child in verb.children if child.i < subject.i and child.dep_ in _BEFORE_NOUN]
    verb.pos_, verb.tag_, verb.lemma_ = "VERB", "VBZ", _verbs()[verb.text.lower()]
    subject.head, subject.dep_ = verb, "nsubj"
    for word in before:
        word.head = subject
