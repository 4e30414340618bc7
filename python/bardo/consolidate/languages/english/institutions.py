"""Places in the names of institutions: "the Thomastown credit union" tells of no stay in Thomastown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bardo.consolidate.languages.english.grammar import lemma

#: Nouns of institutions, by which a place tells one from another.
_INSTITUTIONS = frozenset({
    "academy", "airport", "association", "bank", "branch", "brewery", "choir", "church", "clinic", "club", "college",
    "council", "court", "gallery", "hospital", "hotel", "insurance", "library", "museum", "newspaper", "office",
    "orchestra", "paper", "school", "society", "station", "team", "theater", "theatre", "union", "university",
})  # fmt: skip
_MODIFIERS = frozenset({"compound", "nmod", "amod", "poss"})


def places_of_institutions(words: Sequence[Any]) -> Iterator[str]:
    """Proper names, in lower case, that only tell an institution from another one.

    Args:
        words: Words of a clause.
    """
    for token in words:
        if token.pos_ == "PROPN" and _names_institution(token):
            yield token.text.lower()


def _names_institution(name: Any) -> bool:
    """Whether a name belongs to a noun of an institution: "the Ghent rowing club", "the post office in Sligo"."""
    if name.dep_ in _MODIFIERS:
        return lemma(name.head) in _INSTITUTIONS
    is_in_place = name.dep_ == "pobj" and lemma(name.head) == "in"
    return is_in_place and lemma(name.head.head) in _INSTITUTIONS
