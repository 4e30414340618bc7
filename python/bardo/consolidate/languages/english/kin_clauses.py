"""Clauses that words state beside their own clause: the names of the speaker's family."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages.english.grammar import apposed, lemma
from bardo.consolidate.languages.english.owners import FAMILY, Owner, kin_in
from bardo.consolidate.languages.english.slots import relation_attribute
from bardo.model import Statement


def kin_beside(words: list[Any], subject: Any, sentence: Any, speech: Speech) -> Iterator[Clause]:
    """Clauses that give the names of the speaker's family beside the subject: "with my husband Jonas"."""
    others = [token for token in words if subject is None or token not in subject.subtree]
    for relation, name in kin_in(others, speech.who, in_third_person=speech.form == "note"):
        yield _relation(relation, name, sentence, speech.who)


def presented(subject: Any, owner: Owner, sentence: Any, speech: Speech) -> Clause | None:
    """Clause that gives the name of the subject: "my daughter Ida swims" says that the speaker has a daughter Ida."""
    if subject is None or lemma(subject) not in FAMILY or not (owner.is_kin and owner.name):
        return None
    words = (*subject.subtree, apposed(subject))
    name = next((token.text for token in words if token is not None and token.text.lower() == owner.key), "")
    return _relation(lemma(subject), name, sentence, speech.who) if name else None


def _relation(relation: str, name: str, sentence: Any, who: str) -> Clause:
    """Clause of a relation of the speaker to a person by name."""
    return Clause(
        text=f"{who}'s {relation} is {name}",
        sentence=sentence.text.strip(),
        owner=f"{who.lower()}'s {relation}",
        predicate="be",
        anchors=frozenset({relation, name.lower()}),
        names=frozenset({name.lower()}),
        statement=Statement(who.lower(), relation_attribute(relation), name, functional=False),
    )
