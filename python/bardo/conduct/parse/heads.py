"""Heads of an action: the verbs at the beginnings of its clauses, in the names of its calls and its subcommands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.actions.operations import words_of

#: Maximum number of cached actions.
_ACTIONS = 64
#: End of a clause that may be followed by another act.
_CLAUSE = lazy_pattern(
    r"[.;!?](?:\s+|$)|,? (?:and|then|but) (?:then )?(?=[a-z]+ing\b)|(?<=\w)[:,] (?=[a-z]+ing\b)|\s[-–—]\s"
)
#: Act that an action leaves: what follows is not done.
_LEFT = lazy_pattern(r"\b(?:instead of|rather than|as opposed to)\b", re.IGNORECASE)
_CALLED = lazy_pattern(r"\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\(")
#: Maximum number of words of a program and its subcommands, with the program.
_SUBCOMMANDS = 4
#: Words of a question that is passed on.
_OPEN = frozenset({"whether", "if", "when", "how", "what", "which", "who", "why"})
#: Comment of a command, and text that one substitutes for another.
_COMMENT = lazy_pattern(r"\s#\s")
_SUBSTITUTED = lazy_pattern(
    r"\bs(?P<mark>[/#|,])(?:(?!(?P=mark)).)*(?P=mark)(?P<new>(?:(?!(?P=mark)).)*)(?P=mark)"
)
#: Value or comment that denies, or takes something out.
_DENIED = lazy_pattern(
    r"\b(?:no|not|none|never|without|out|nothing|instead|false|fail\w*|\w+n't)\b|^$", re.IGNORECASE
)
_SQL_VERB = lazy_pattern(r"sql (\w+)")
_PAIR = lazy_pattern(r"\"(\w+)\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"")
_ARGUMENT = lazy_pattern(r"(?:(\w+)\s*[=:]\s*)?[\"'`]((?:[^\"'`\\]|\\.)*)[\"'`]")
_OPTION = lazy_pattern(r"(?<!\S)--([\w-]+)[= ]('[^']*'|\"[^\"]*\"|[^\s-]\S*)")


class Words(NamedTuple):
    """Content of `heads.toml`."""

    #: Base form by irregular form.
    base: Mapping[str, str]
    #: Words before the verb of a clause.
    before: frozenset[str]
    #: Words before the verb of a clause that deny it.
    denying: frozenset[str]
    #: Keys of a call whose values name its tool or its operation.
    calling: frozenset[str]
    #: Keys of a call whose values are texts for people.
    spoken: frozenset[str]
    #: Keys of a call whose values are what is replaced or left out.
    replaced: frozenset[str]
    #: Parts of the names of calls that read, end or tell.
    ending: frozenset[str]


class Clause(NamedTuple):
    """Clause of an action.

    Args:
        verbs: Stems of the words that may be its verb: one in prose, all parts of the name of a call.
        text: The clause after its verb, or the whole call or command.
    """

    verbs: tuple[str, ...]
    text: str


class Field(NamedTuple):
    """Argument of a call or option of a command.

    Args:
        key: Name in lower case; empty for an argument without one.
        value: Value.
    """

    key: str
    value: str


@cache
def words() -> Words:
    """Returns the words of heads; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("heads.toml").read_text(encoding="utf-8"))
    base = {form: verb for verb, forms in raw["irregular"].items() for form in forms.split()}
    return Words(
        base,
        *(
            frozenset(raw[name].split())
            for name in ("before", "denying", "calling", "spoken", "replaced", "ending")
        ),
    )


def stem_of(verb: str) -> str:
    """Returns the stem of the base form of a verb; of a function word the word itself."""
    low = verb.lower().replace("’", "'")
    return operation_table.stem_each([words().base.get(low, low)])[0]


@lru_cache(_ACTIONS)
def clauses_of(action: ParsedAction) -> tuple[Clause, ...]:
    """Returns the clauses of an action with their verbs.

    Args:
        action: Parsed action.
    """
    if action.form == "prose":
        return tuple(filter(None, map(clause_of, _CLAUSE.split(_LEFT.split(action.text)[0]))))
    found = [_of_call(action)] if action.form == "tool" else []
    for line in action.lines:
        if line not in action.dry_lines:
            verb = _SQL_VERB.match(line)
            plain = [verb[1]] if verb is not None else _program(line)
            found.append(Clause(tuple(map(stem_of, plain)), line))
    return tuple(each for each in found if each.verbs)


def clause_of(text: str) -> Clause | None:
    """Returns a clause of prose with its verb; None if it denies its act or has no word."""
    known = words()
    spoken = words_of(text)
    low = [word.lower().replace("’", "'") for word in spoken]
    start = 0
    while start < len(low) and (low[start] in known.before or low[start] in operation_table.table().fillers):
        start += 1
    if start >= len(low) or low[start] in known.denying:
        return None
    if stem_of(spoken[start]) in operation_table.table().passing_on and "to" in low[start + 1 :]:
        if not _OPEN.isdisjoint(low[start:]):
            return Clause((stem_of(spoken[start]),), _from(text, spoken, start))
        # "Tell Ben to sell" is a sale.
        place = low.index("to", start + 1) + 1
        delegated = spoken[place : place + 1]
        return Clause((stem_of(spoken[start]), *map(stem_of, delegated)), _from(text, spoken, place))
    return Clause((stem_of(spoken[start]),), _from(text, spoken, start))


def _from(text: str, spoken: list[str], place: int) -> str:
    """Returns a text after one of its words."""
    for word in spoken[: place + 1]:
        text = text[text.find(word) + len(word) :]
    return text


def _program(line: str) -> list[str]:
    """Returns the words of a program and its subcommands."""
    found: list[str] = []
    for word in line.split()[:_SUBCOMMANDS]:
        if word.startswith("-"):
            break
        found += words_of(word.rpartition("/")[2].replace("-", " "))
    return found


@lru_cache(_ACTIONS)
def called_by(action: ParsedAction) -> tuple[str, ...]:
    """Returns the parts of the names of a call in lower case: "place" and "order" of `place_order`.

    Args:
        action: Parsed action.
    """
    called = _CALLED.match(action.text)
    names = [called[1]] if called else []
    names += [each.value for each in fields_of(action) if each.key in words().calling]
    spaced = (operation_table.CAMEL.sub(" ", name.replace(".", " ")) for name in names)
    return tuple(part.lower() for name in spaced for part in words_of(name))


def _of_call(action: ParsedAction) -> Clause:
    """Returns the parts of the names of a call as verbs; of one that ends or reads something, these parts alone."""
    parts = called_by(action)
    ending = [part for part in parts if part in words().ending]
    return Clause(tuple(map(stem_of, ending or parts)), action.text)


@lru_cache(_ACTIONS)
def fields_of(action: ParsedAction) -> tuple[Field, ...]:
    """Returns the arguments of a call, those inside of others included, or the options of a command.

    Args:
        action: Parsed action.
    """
    if action.text.lstrip().startswith("{"):
        try:
            return tuple(_fields("", json.loads(action.text)))
        except ValueError:
            return tuple(Field(key.lower(), value) for key, value in _PAIR.findall(action.text))
    if action.form == "tool":
        return tuple(Field((match[1] or "").lower(), match[2]) for match in _ARGUMENT.finditer(action.text))
    if action.form == "command":
        return tuple(
            Field(match[1].lower(), match[2].strip("'\"")) for match in _OPTION.finditer(action.text)
        )
    return ()


def effective(action: ParsedAction) -> str:
    """Returns the words of a call or a command that say what it brings about.

    Arguments that deny something, or name what is replaced, and comments and old texts do not.

    Args:
        action: Parsed action.
    """
    if action.form == "command":
        text = _SUBSTITUTED.sub(r"\g<new>", action.text)
        return " ".join(part for part in _COMMENT.split(text) if not _DENIED.search(part))
    kept = [
        each
        for each in fields_of(action)
        if each.key not in words().replaced and not _DENIED.search(each.value)
    ]
    called = _CALLED.match(action.text)
    return " ".join([called[1] if called else "", *(f"{each.key} {each.value}" for each in kept)])


def _fields(key: str, given: Any) -> Iterator[Field]:
    if isinstance(given, dict):
        for name, value in given.items():
            yield from _fields(str(name).lower(), value)
    elif isinstance(given, list):
        for value in given:
            yield from _fields(key, value)
    elif isinstance(given, str | int | float):
        yield Field(key, str(given))
