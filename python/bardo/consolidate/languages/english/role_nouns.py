"""Nouns of roles, offices and posts in English (`roles.toml`), and the people who hold them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.languages.english.frames import compounds_of, frames, noun_attribute, phrase_of
from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.owners import FAMILY

#: Titles before the name of a person.
_TITLES = frozenset(
    {"dr", "fr", "hon", "madam", "messrs", "miss", "mr", "mrs", "ms", "mx", "prof", "rev", "sir"}
)
#: A name of a machine or in code, which no person has.
_CODE = re.compile(r"[_/]\w|\w\.\w|[-\w]\d+$")
#: Entities that hold no role.
_NO_HOLDERS = frozenset(
    {"CARDINAL", "DATE", "LANGUAGE", "MONEY", "NORP", "ORDINAL", "PERCENT", "QUANTITY", "TIME"}
)
#: Entities that hold one only with a title before the name, or another word that tells a person.
_PLACES = frozenset({"GPE", "LOC", "FAC"})
#: Attributes whose value is a name, and that are no roles.
_NO_ROLES = frozenset({"company", "employer", "language", "partner"})
#: Prepositions before the one to whom a role belongs.
_OF = frozenset({"at", "for", "in", "of"})
_MINE = frozenset({"my", "our"})
#: Determiners of the one holder: "the treasurer", not "a treasurer" or "one treasurer".
_ONE = frozenset({"the"})


@cache
def role_table() -> dict[str, Any]:
    """The tables of `roles.toml`."""
    path = resources.files("bardo.consolidate.languages.english").joinpath("roles.toml")
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: frozenset(value) if isinstance(value, list) else value for name, value in read.items()}


def is_role_noun(noun: Any) -> bool:
    """Whether a noun names a role by itself: it is listed, or has the ending of an agent."""
    table, word = role_table(), lemma(noun)
    if noun.pos_ not in ("NOUN", "PROPN") or word in table["none"] or word in FAMILY:
        return False
    attribute = noun_attribute(noun) or ""
    if word in table["nouns"] or (attribute not in _NO_ROLES and frames()["types"].get(attribute) == "name"):
        return True
    return len(word) > 4 and word.endswith(tuple(table["endings"]))


def tells_one_role(noun: Any, *, bare: bool = False) -> bool:
    """Whether a noun phrase is a role that has one holder now: "the risk manager", "our new bookkeeper".

    Args:
        noun: Noun of the phrase.
        bare: Whether the phrase may have no article, as in "is now head chef".
    """
    if noun.tag_ in ("NNS", "NNPS") or not is_role_noun(noun):
        return False
    table = role_table()
    words = [child for child in noun.children if child.i < noun.i]
    told = {word for child in words for word in (lemma(child), child.text.lower())}
    if told & (table["opinions"] | table["several"] | table["past"] | table["future"]):
        return False
    if any(child.tag_ in ("JJS", "RBS") or child.dep_ in ("nummod", "predet", "neg") for child in words):
        return False
    articles = [child for child in words if child.dep_ in ("det", "poss")]
    if not articles:
        return bare
    return all(child.dep_ == "poss" or child.text.lower() in _ONE for child in articles)


def holder_at(value: Any, role: Any) -> str:
    """Name of the one who holds a role, by a word; empty if it is no name of a person, or several are named.

    A firm can hold a role whose noun needs no person: "our accountant is Dunn & Co".

    Args:
        value: The last word of the name.
        role: Noun of the role.
    """
    is_joined = any(
        child.dep_ in ("conj", "cc") and child.text != "&" and child.i > value.i for child in value.children
    )
    if value.pos_ != "PROPN" and not _is_misread_name(value):
        return ""
    if (
        is_joined
        or value.ent_type_ in _NO_HOLDERS
        or any(child.dep_ in ("det", "poss") for child in value.children)
    ):
        return ""
    # Beside a name can stand more: "elected Ann Poole as treasurer", "is Ann Poole ext. 0171".
    is_firm = any(child.dep_ == "cc" and child.text == "&" for child in value.children)
    before = [
        child.left_edge.i
        for child in value.children
        if child.dep_ in ("compound", "nmod") and child.i < value.i
    ]
    name = phrase_of(value) if is_firm else str(value.doc[min(before, default=value.i) : value.i + 1].text)
    if _CODE.search(name):
        # A machine hosts, too: "the database host is db-3".
        return ""
    has_title = name.split()[0].rstrip(".").lower() in _TITLES if name else False
    if has_title or value.ent_type_ == "PERSON":
        return name
    is_listed = lemma(role) in role_table()["nouns"] or noun_attribute(role) is not None
    return name if is_listed and value.ent_type_ not in _PLACES else ""


def _is_misread_name(word: Any) -> bool:
    """Whether a capitalised word alone within a sentence passes for a common noun: "our vet is Bram"."""
    return bool(
        word.pos_ in ("NOUN", "ADJ", "INTJ", "X")
        and word.text.istitle()
        and word.i > word.sent.start
        and not any(child.dep_ in ("det", "poss", "amod") for child in word.children)
    )


def scope_of(noun: Any, who: str) -> str:
    """The one to whom a role belongs, with what tells it from others: "user risk", "leeds office", "operations".

    An organisation or a field that is named is the subject by itself. Any other role is one of the speaker's.

    Args:
        noun: Noun of the role.
        who: Name of the speaker in lower case; empty if unknown.
    """
    new = role_table()["new"]
    is_mine, owner, words = False, "", list[str]()
    for child in noun.children:
        if child.dep_ == "poss":
            is_mine = is_mine or any(each.text.lower() in _MINE for each in child.subtree)
            owner = _said(child)
        elif child.i < noun.i and child.dep_ in ("compound", "amod", "nmod") and lemma(child) not in new:
            words += [*(each.text.lower() for each in compounds_of(child)), child.text.lower()]
        elif child.dep_ == "prep" and child.i > noun.i and lemma(child) in _OF:
            place = next((each for each in child.children if each.dep_ == "pobj"), None)
            if place is None or place.ent_type_ in ("DATE", "TIME"):
                continue
            is_mine = is_mine or any(each.text.lower() in _MINE for each in place.children)
            owner = f"{owner} {_said(place)}".strip()
    speaker = (who or "user") if is_mine or not owner else ""
    return " ".join(part for part in (speaker, owner, *words) if part)


def words_behind(noun: Any) -> str:
    """The words behind the noun of a role that tell whose role it is: "of the Leeds office"; empty without any."""
    behind = [
        child for child in noun.children if child.dep_ == "prep" and child.i > noun.i and lemma(child) in _OF
    ]
    return str(noun.doc[behind[0].left_edge.i : behind[-1].right_edge.i + 1].text) if behind else ""


def _said(noun: Any) -> str:
    """A noun phrase in lower case, without articles and pronouns."""
    kept = (token for token in noun.subtree if token.pos_ not in ("DET", "PRON", "PART", "PUNCT"))
    return " ".join(token.text.lower() for token in kept)


def attribute_of_role(noun: Any) -> str:
    """Attribute of a role: that of its noun in `frames.toml`, or the noun itself."""
    return noun_attribute(noun) or lemma(noun)
