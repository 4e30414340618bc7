"""Sentences that begin with the object in their plain order: "the trip we cancelled" as "we cancelled the trip"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS

#: Parts of speech of what can stand before the object: "and", "oh", "one thing:".
_OPENING = frozenset({"ADV", "CCONJ", "INTJ", "PUNCT", "SPACE"})
_MARKS = frozenset({",", ";", ".", "!"})


def plain_order(sentence: Any) -> str:
    """A sentence in its plain order; empty if it does not begin with the object of its first verb.

    "The car we sold was red" begins with its subject: what follows has no subject of its own.

    Args:
        sentence: The parsed sentence.
    """
    start = next((token.i + 1 for token in sentence if token.text == ":"), sentence.start)
    words = [token for token in sentence.doc[start : sentence.end] if token.pos_ not in _OPENING]
    clause = next((token for token in words if _follows_object(token, words[0])), None)
    if clause is None:
        return ""
    verb = clause
    while (below := next((each for each in verb.children if each.dep_ == "xcomp"), None)) is not None:
        verb = below
    if any(child.dep_ == "dobj" and child.tag_ in ("NN", "NNS", "NNP", "PRP") for child in verb.children):
        return ""
    doc, first = sentence.doc, words[0].i
    particles = [child.i for child in verb.children if child.dep_ == "prt"]
    end = max(verb.i, *particles) if particles else verb.i
    thing = doc[first : clause.left_edge.i].text
    if words[0].tag_ in ("DT", "PRP$"):
        thing = thing[:1].lower() + thing[1:]
    said = doc[clause.left_edge.i : end + 1].text
    return f"{doc[sentence.start : first].text} {said} {thing}{_rest(doc, end + 1, sentence.end)}".strip()


def _rest(doc: Any, start: int, end: int) -> str:
    """Words behind the verb, with a space before a word."""
    rest = doc[start:end].text
    return rest if not rest or not rest[0].isalnum() else f" {rest}"


def _follows_object(token: Any, first: Any) -> bool:
    """Whether a verb hangs on a known thing at the beginning of a sentence, and has a subject that is a pronoun.

    Args:
        token: The verb.
        first: First word of the thing.
    """
    thing = token.head
    is_clause = token.dep_ == "relcl" and thing.pos_ == "NOUN" and token.left_edge.i > thing.i
    if not is_clause or thing.left_edge.i != first.i or first.dep_ not in ("det", "poss"):
        return False
    subject = token.left_edge
    after = token.right_edge.i + 1
    doc = token.doc
    is_whole = after >= token.sent.end or doc[after].text in _MARKS
    rest = [each for each in doc[after : token.sent.end] if each.tag_ in ("VBD", "VBP", "VBZ", "MD")]
    return (
        subject.dep_ in SUBJECTS
        and subject.pos_ == "PRON"
        and subject.head.i == token.i
        and subject.text.lower() in ("i", "we")
        and is_whole
        and (
            not rest
            or any(child.dep_ in SUBJECTS and child.i >= after for child in _clause_of(rest[0]).children)
        )
    )


def _clause_of(verb: Any) -> Any:
    """The head of the clause of a finite word."""
    return verb.head if verb.dep_ in ("aux", "auxpass") else verb
