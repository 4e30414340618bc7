"""Tables of English (`frames.toml`, `cues.toml`), and the phrases that fill frames."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.languages.english.grammar import hangs_below, lemma

#: Dependencies of clauses and joined words below a noun.
_CLAUSES = ("relcl", "advcl", "acl", "conj", "cc")
#: Prepositions of the people who are at a place.
_BESIDE = frozenset({"with", "without", "alongside"})
#: Dependencies that hang on a noun phrase and are no part of a value.
_ASIDES = ("relcl", "advcl", "conj", "cc", "punct", "appos", "acl", "neg")


@cache
def frames() -> dict[str, Any]:
    """The tables of `frames.toml`."""
    return _tables("frames.toml")


@cache
def cue_tables() -> dict[str, Any]:
    """The tables of `cues.toml`."""
    return _tables("cues.toml")


def _tables(name: str) -> dict[str, Any]:
    path = resources.files("bardo.consolidate.languages.english").joinpath(name)
    return tomllib.loads(path.read_text(encoding="utf-8"))


def names_of(thing: Any) -> set[str]:
    """Names of a noun, by itself and with each word before it: {"replacement", "hip replacement"}."""
    before = [child for child in thing.children if child.dep_ in ("compound", "amod")]
    words = {word for child in before for word in (lemma(child), child.text.lower())}
    return {lemma(thing), thing.text.lower(), *(f"{word} {lemma(thing)}" for word in words)}


def phrase_of(value: Any) -> str:
    """A noun phrase without the clauses that hang on it and without trailing asides."""
    return _joined([token for token in value.subtree if not hangs_below(token, value, _asides_of(value))])


def list_phrase(value: Any) -> str:
    """A noun phrase with the nouns that are joined to it: "nuts, kiwi and latex"."""
    joined = next((_joined_noun(value, child) for child in value.children if child.dep_ == "conj"), None)
    if joined is None:
        return phrase_of(value)
    word = next((child.text for child in value.children if child.dep_ == "cc"), ",")
    return f"{phrase_of(value)}{' ' if word != ',' else ''}{word} {list_phrase(joined)}"


def _joined_noun(noun: Any, other: Any) -> Any:
    """A word that is joined to a noun, if it is a noun itself and begins no clause; otherwise None."""
    is_clause = any(child.dep_ in ("nsubj", "nsubjpass", "cop", "aux") for child in other.children)
    return other if other.pos_ in ("NOUN", "PROPN") and other.i > noun.i and not is_clause else None


def place_phrase(place: Any) -> str:
    """The phrase of a place, without the people who are there: "Leeds" of "in Leeds with my husband"."""
    beside = {token.i for child in place.children if lemma(child) in _BESIDE for token in child.subtree}
    kept = (token for token in place.subtree if token.i not in beside)
    return _joined([token for token in kept if not hangs_below(token, place, _asides_of(place))])


def whole_phrase(value: Any) -> str:
    """A noun phrase with its parts behind commas, such as the town of an address, without clauses."""
    return _joined([token for token in value.subtree if not hangs_below(token, value, _CLAUSES)])


def _asides_of(value: Any) -> tuple[str, ...]:
    """Dependencies that are no part of a value: "Thornbury & Pike" is one name."""
    is_one_name = any(child.dep_ == "cc" and child.text == "&" for child in value.children)
    return tuple(each for each in _ASIDES if not (is_one_name and each in ("conj", "cc")))


def _joined(kept: Sequence[Any]) -> str:
    """Words of one text as they stand there, if they are a span of it."""
    if not kept:
        return ""
    first, last = kept[0].i, kept[-1].i
    is_whole = last - first + 1 == len(kept)
    return str(kept[0].doc[first : last + 1].text) if is_whole else " ".join(token.text for token in kept)


def noun_attribute(noun: Any) -> str | None:
    """Attribute that a noun names, such as `exam`; None if it names none."""
    nouns: dict[str, str] = frames()["noun"]
    before = (f"{lemma(child)} {lemma(noun)}" for child in compounds_of(noun))
    return next((nouns[name] for name in (*before, lemma(noun)) if name in nouns), None)


def compounds_of(noun: Any) -> list[Any]:
    """The nouns that are compounded with one."""
    return [token for token in noun.children if token.dep_ == "compound"]
