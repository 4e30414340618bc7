"""Allows a case of what was forbidden: "just this once, run it for tenant 88", "the living room up to 22 is ok".

The rest stays forbidden. A case is kept in the words that the person has beside those of the order, so that it allows
nothing that the person did not name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources

from bardo._patterns import lazy_pattern
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse import wording
from bardo.conduct.parse.forbidden import stems_of
from bardo.conduct.parse.forbids import LONG
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.operation_table import framing_stems
from bardo.conduct.parse.times import DAYS
from bardo.conduct.persons import is_person
from bardo.conduct.storage.store import ConductStore
from bardo.conduct.storage.words import heard
from bardo.consolidate.languages.english.dates import MONTHS

#: End of a clause; one that goes on with "and" or a time belongs to it.
_CLAUSE = lazy_pattern(
    r"\s*[.!?;]+(?:\s+|$)|\s+[-–—]+\s+|,\s+(?=(?:but|because|as|since|i|she's|he's|it's|her|his|i'm|we|they)\b)",
    re.IGNORECASE,
)
_SOURCE = lazy_pattern(
    r"^(?:\w+ ){1,3}?(?:says|said|told (?:me|us)|wrote|agreed|thinks)(?: that)? ", re.IGNORECASE
)
_REASON = lazy_pattern(r"\b(?:because|since|as|so that|in case)\b.*$|\bas long as\b.*$", re.IGNORECASE)
#: Scope of a case: "for the four Sundays of Advent", "on your own branches".
_SCOPE = lazy_pattern(
    r"\b(?:for|on|in) (?P<words>(?!(?:this|that|it|them|those|these|her|him|me|us)\b)[^,;.!?]+?)"
    r"(?=$|[,;.!?]| (?:they|we|i|you|she|he|it|is|are|can|may|will|so|that|which|who|to|on|for|in)\b)",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[\w'./@*-]+")
#: Name with a sign: `agent/*`.
_NAME = lazy_pattern(r"[\w.-]+[/@_][\w*./-]*")
_DAYS = stems_of(" ".join((*DAYS, *MONTHS)))
_FIGURE = lazy_pattern(r"\d+(?:st|nd|rd|th)?\b")
#: Words that say nothing of a case.
_IDLE = frozenset(stems_of(
    "again now today tonight ok okay fine allow rule ban exception once time case count apply stand scrap "
    "drop forget part like please go ahead game fair put get let right just own say fill use one two three four five "
    "first second way thing stay rest otherwise"
))  # fmt: skip


def permits(text: str) -> bool:
    """Whether a person's words may allow a case of what was forbidden.

    Args:
        text: Words of the person.
    """
    return "?" not in text and _permitting().search(wording.straight(text)) is not None


def allow(
    store: ConductStore, text: str, *, by: str, agent: str, episode: str, at: int
) -> list[StateEntry | Rule]:
    """Adds the case that words allow to the order of a person that they are about; returns the changed rows.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of the person.
        by: Name of the person.
        agent: Name of the agent.
        episode: Id of the episode of the words, whose own orders they do not change.
        at: Time of the words, microseconds UTC; later orders stay.
    """
    if not permits(text):
        return []
    rows: list[StateEntry | Rule] = [
        *(entry for entry in store.state(kind="rejected", limit=-1) if entry.changed_at <= at),
        *(rule for rule in store.rules(every=False) if rule.forbids and not rule.approval and rule.at <= at),
    ]
    rows = [
        row for row in rows if row.episode not in ("", episode) and is_person(author_of(row.by)[0], agent)
    ]
    if not rows:
        return []
    changed: list[StateEntry | Rule] = []
    for clause in _permitting_clauses(text):
        row = _meant(clause, text, rows)
        case = _case(clause, row) if row is not None else ""
        if row is not None and case:
            before = row.forbidden.allowed
            case = case[:LONG]
            given = {"allowed": list(dict.fromkeys([*before, case])), "by": by}
            told = heard(json.loads(row.corrections or "{}") | given, episode, [case] * (case not in before))
            kept = replace(row, corrections=json.dumps(told))
            changed.append(store.put(kept))
            rows = [kept if each.id == kept.id else each for each in rows]
    return changed


def _permitting_clauses(text: str) -> list[str]:
    """Returns the sentences of a text that allow something, and forbid nothing."""
    parts = [each for each in _CLAUSE.split(wording.straight(text)) if each.strip()]
    return [
        each
        for each in parts
        if _permitting().search(each) is not None and FORBIDS.search(_permitting().sub(" ", each)) is None
    ]


def _meant(clause: str, text: str, rows: Sequence[StateEntry | Rule]) -> StateEntry | Rule | None:
    """Returns the order that a clause is about: the latest that shares a word with it, or that the text points at."""
    latest = sorted(rows, key=lambda row: (row.at, row.id), reverse=True)
    said = stems_of(clause) - framing_stems() - _IDLE
    sharing = [(len(said & _stems(row)), row) for row in latest]
    most = max((number for number, _ in sharing), default=0)
    if most:
        return next(row for number, row in sharing if number == most)
    every = stems_of(text) - framing_stems() - _IDLE
    if _pointing().search(text) is not None or any(every & _stems(row) for row in latest[:1]):
        return latest[0]
    return None


def _case(clause: str, row: StateEntry | Rule) -> str:
    """Returns the words of a case beside those of the order; empty if they name none."""
    own = _stems(row)
    bare = _permitting().sub(" ", _REASON.sub("", _SOURCE.sub("", clause)))
    if names := _NAME.findall(bare):
        return " ".join(names)
    scopes = [_words_beside(scope["words"], own) for scope in _SCOPE.finditer(bare)]
    kept = next((words for words in scopes if any(stems_of(word) - _DAYS for word in words)), None)
    # "You can scrap the Tesla part": one of several things that it names of the order is allowed itself.
    things = stems_of(" ".join(row.forbidden.things)) - framing_stems() - _IDLE
    part = [
        word
        for word in _WORD.findall(bare)
        if (stems := stems_of(word) - framing_stems()) and stems <= things and not word.endswith("'s")
    ]
    is_part = bool(part) and stems_of(" ".join(part)) != things and kept is None
    kept = part if is_part else kept or _words_beside(bare, own) or part
    return " ".join(re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word) for word in kept)


def _words_beside(text: str, own: frozenset[str]) -> list[str]:
    """Returns the figures and content words of a text that an order has not."""
    return [
        word
        for word in _WORD.findall(text)
        if _FIGURE.fullmatch(word)
        or (bool(stems := stems_of(word) - framing_stems() - _IDLE) and not stems <= own)
    ]


def _stems(row: StateEntry | Rule) -> frozenset[str]:
    return stems_of(f"{row.forbidden_action} {' '.join(row.forbidden.things)}") - framing_stems() - _IDLE


@cache
def _permitting() -> re.Pattern[str]:
    return _either("permitting")


@cache
def _pointing() -> re.Pattern[str]:
    return _either("pointing")


def _either(name: str) -> re.Pattern[str]:
    text = resources.files("bardo.conduct.hearing").joinpath("partial_lifts.toml").read_text(encoding="utf-8")
    items = sorted(
        (each.strip() for each in tomllib.loads(text)[name].replace("\n", " ").split(",")),
        key=len,
        reverse=True,
    )
    return re.compile(rf"\b(?:{'|'.join(re.escape(each) for each in items if each)})\b", re.IGNORECASE)
