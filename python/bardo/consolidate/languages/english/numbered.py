"""Things that a number or letter names, such as "flat 3", "bay B" and "invoice 118"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bardo.consolidate.attributes import is_lasting
from bardo.consolidate.languages.english.frames import frames, noun_attribute
from bardo.consolidate.languages.english.grammar import lemma

#: A number with or without a letter, a single letter, or a code with a digit, which names a thing behind its noun.
_NAME = re.compile(r"#?\d{1,6}[A-Za-z]?|[A-Z]|[A-Z]{1,4}-?\d[\w-]*")
#: Words between a noun and its number.
_NUMBER_SIGNS = frozenset({"no", "no.", "nr", "nr.", "number", "#"})


def numbered_in(words: Sequence[Any]) -> frozenset[tuple[str, str]]:
    """The numbered things among some words, each as the lemma of its noun and its number in lower case."""
    here = {token.i for token in words}
    return frozenset(
        (_kind(noun), name)
        for noun in words
        for name in _names_behind(noun, here)
        if noun.pos_ in ("NOUN", "PROPN", "ADJ") and _is_named_by_number(noun)
    )


def _names_behind(noun: Any, here: set[int]) -> list[str]:
    """The numbers right behind a noun: two of "keys 26 and 27"."""
    found: list[str] = []
    place, end = noun.i + 1, len(noun.doc)
    while place < end and noun.doc[place].text.lower() in _NUMBER_SIGNS:
        place += 1
    while place < end and place in here and _NAME.fullmatch(noun.doc[place].text):
        found.append(noun.doc[place].text.lower().lstrip("#"))
        place += 1
        if place + 1 < end and noun.doc[place].text in ("and", ",", "&"):
            place += 1
        else:
            break
    return found


def _kind(noun: Any) -> str:
    """Lemma of a noun; the parser takes "Keys" at the beginning of a sentence for a name."""
    return lemma(noun).removesuffix("s") if noun.pos_ == "PROPN" else lemma(noun)


def _is_named_by_number(noun: Any) -> bool:
    """Whether a number behind a noun is a name, not a measure, a date or the value of an attribute: "port 8080"."""
    if noun.ent_type_ in ("DATE", "TIME", "PERSON", "GPE", "ORG", "MONEY"):
        return _kind(noun) in frames()["numbered"]["kinds"]
    attribute = noun_attribute(noun)
    if attribute is not None and is_lasting(attribute, "months", "years", "permanent"):
        return False
    if _kind(noun) in frames()["numbered"]["kinds"]:
        return True
    # The parser takes "flat" of "flat 3" for an adjective; other adjectives name nothing. Behind an article and a
    # noun, a figure is no name: "the rent 3".
    return (
        noun.pos_ == "NOUN" and noun.tag_ == "NN" and not any(child.pos_ == "DET" for child in noun.children)
    )
