"""Slots of English clauses: which attribute of which subject a clause states, by frames (`frames.toml`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.attributes import attribute as properties
from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.grammar import lemma, predicate_of
from bardo.model import Statement

#: Words of a case to which a statement is limited.
CASES = re.compile(
    r"\b(?:(?:for|at|with|before|after|during|on|in) )?(?:the )?(breakfast|lunch|dinner|supper|weekdays?|weekends?|mornings?|evenings?|"
    r"nights?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|staging|production|prod|dev|development|test|"
    r"testing|qa|canary|summer|winter|spring|autumn|holidays|vacation|left|right|work|home|office|school)\b",
    re.IGNORECASE,
)


@cache
def _frames() -> dict[str, Any]:
    text = (
        resources.files("bardo.consolidate.languages.english")
        .joinpath("frames.toml")
        .read_text(encoding="utf-8")
    )
    return tomllib.loads(text)


def condition_of(head: Any, words: list[Any]) -> str:
    """Case to which a clause is limited: adjuncts such as "for breakfast" or "on staging", sorted."""
    del head
    span = " ".join(token.text for token in words)
    found = {
        match[1].lower().rstrip("s") if match[1].lower().endswith("days") else match[1].lower()
        for match in CASES.finditer(span)
    }
    return " ".join(sorted(found))[:64]


def with_slot(clause: Clause, head: Any, subject: Any, words: list[Any], *, future: bool) -> Clause:
    """The clause with its statement, if a frame fits; unchanged otherwise."""
    if not clause.owner or future:
        return clause
    found = _by_verb(clause, head) or _by_noun(clause, head, subject)
    if found is None:
        return clause
    name, value, subject_name = found
    value = _clean(value)
    if not value:
        return clause
    known = properties(name)
    statement = Statement(
        subject=subject_name or clause.owner, attribute=name, value=value, denied=clause.denied, condition=clause.condition
        if known.functional and name not in ("home", "employer", "job", "partner", "birthday", "name") else "",
        since=clause.since, until=clause.until, functional=known.functional,
    )  # fmt: skip
    return replace(clause, statement=statement)


def _by_verb(clause: Clause, head: Any) -> tuple[str, str, str] | None:
    """A frame of the verb: lemma and preposition or object."""
    frames = _frames()["verb"]
    frame = frames.get(predicate_of(head)) or frames.get(lemma(head))
    if frame is None or (clause.past and not frame.get("past")):
        return None
    for child in head.children:
        if child.dep_ in ("prep", "agent") and (name := frame.get(lemma(child))):
            value = next((each for each in child.children if each.dep_ in ("pobj", "pcomp")), None)
            if value is not None and _fits(name, value):
                return name, _phrase(value), ""
    for child in head.children:
        if child.dep_ in ("dobj", "attr") and (name := frame.get("object")) and _fits(name, child):
            return name, _phrase(child), ""
        if child.dep_ == "acomp" and (name := frame.get("adjective")):
            for each in child.children:
                if (
                    each.dep_ == "prep"
                    and lemma(child) in frames
                    and (inner := frames[lemma(child)].get(lemma(each)))
                ):
                    value = next((one for one in each.children if one.dep_ == "pobj"), None)
                    return (inner, _phrase(value), "") if value is not None else None
            if lemma(child) in _frames()["adjectives"]:
                return _frames()["adjectives"][lemma(child)], child.text, ""
            del name
    return None


def _by_noun(clause: Clause, head: Any, subject: Any) -> tuple[str, str, str] | None:
    """ "My deadline is 14 June", "the API's port is 8080": the attribute is the noun of the subject."""
    if subject is None or lemma(head) not in ("be", "stay", "remain", "become"):
        return None
    nouns = _frames()["noun"]
    name = nouns.get(lemma(subject))
    if name is None or clause.past:
        return None
    value = next(
        (child for child in head.children if child.dep_ in ("attr", "acomp", "prep", "npadvmod", "nummod")),
        None,
    )
    if value is None:
        return None
    if value.dep_ == "prep":
        value = next((each for each in value.children if each.dep_ in ("pobj", "pcomp")), None)
        if value is None:
            return None
    owner = [token for token in subject.children if token.dep_ in ("poss", "compound", "amod", "nmod")]
    qualifier = " ".join(
        token.text.lower()
        for token in owner
        if token.text.lower() not in ("my", "our", "the", "new", "current", "old")
    )
    who = clause.owner.split("'s ")[0] if any(token.text.lower() in ("my", "our") for token in owner) else ""
    of = next(
        (token for token in subject.children if token.dep_ == "prep" and lemma(token) in ("of", "for")), None
    )
    if of is not None:
        qualifier = f"{qualifier} {' '.join(token.text.lower() for token in of.subtree if token.i != of.i and token.pos_ != 'DET')}".strip()
    about = " ".join(part for part in (who, qualifier) if part) or clause.owner
    return name, _phrase(value), about


def _fits(name: str, value: Any) -> bool:
    """Whether a value can be one of an attribute: a home is a place, an employer has a name."""
    if value.pos_ == "PRON":
        return False
    wanted = _frames()["types"].get(name)
    if wanted == "place":
        return value.pos_ == "PROPN" or value.ent_type_ in ("GPE", "LOC", "FAC")
    if wanted == "name":
        return value.pos_ == "PROPN"
    return True


def _phrase(value: Any) -> str:
    """A noun phrase without clauses that hang on it and without trailing asides."""
    kept = [
        token for token in value.subtree
        if not _hangs(token, value, ("relcl", "advcl", "conj", "cc", "punct", "appos", "acl"))
    ]  # fmt: skip
    if not kept:
        return ""
    return (
        str(value.doc[kept[0].i : kept[-1].i + 1].text)
        if kept[-1].i - kept[0].i + 1 == len(kept)
        else " ".join(token.text for token in kept)
    )


def _hangs(token: Any, top: Any, labels: tuple[str, ...]) -> bool:
    while token.i != top.i:
        if token.dep_ in labels:
            return True
        token = token.head
    return False


def _clean(value: str) -> str:
    value = re.sub(
        r"\b(?:now|these days|nowadays|currently|again|instead|actually|though|btw)\b",
        "",
        value,
        flags=re.IGNORECASE,
    )
    return re.sub(r"\s+", " ", value).strip(" ,.;:!-")[:200]
