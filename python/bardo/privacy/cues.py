"""Patterns from the word lists of `private.toml`, which classify numbers and words as private or harmless."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import pairwise
from math import log2
from typing import Any

from bardo.privacy.cue_pattern import CuePattern

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: First character of the scripts without spaces between words.
_UNSPACED = "\u2e80"


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("private.toml").read_text("utf-8"))


@cache
def _expression(section: str, name: str) -> str:
    # Grouped by first letter, so that a word is compared with few terms.
    bounded: defaultdict[str, list[str]] = defaultdict(list)
    unspaced = []
    for term in _terms(_table()[section][name]):
        word = re.escape(term.strip("=*")).replace("\\ ", r"['’\s_-]{1,3}")
        if term >= _UNSPACED:
            unspaced.append(word)
            continue
        word += r"\w*" if term.endswith("*") else r"(?![^\W_])"
        word = f"(?-i:{word})" if term.startswith("=") else word
        first = "" if term.startswith("*") else re.escape(term.strip("=")[0])
        bounded[first].append(word if first else r"\w{0,30}" + word)
    groups = [f"(?={first})(?:{'|'.join(words)})" for first, words in bounded.items()]
    return "|".join([rf"(?<![^\W_])(?:{'|'.join(groups)})", *unspaced])


def _terms(listed: str) -> Iterator[str]:
    """Yields the terms of a list, and the slips of typing of those with "~" in front."""
    for entry in listed.split(","):
        term = " ".join(entry.split())
        yield term.removeprefix("~")
        if term.startswith("~"):
            yield from slips(term.strip("~*"))


def slips(word: str) -> set[str]:
    """Returns the slips of typing: one inner letter left out, doubled, exchanged, or replaced by the one beside it."""
    inner = range(1, len(word) - 1)
    without = {word[:at] + word[at + 1 :] for at in inner}
    doubled = {word[:at] + word[at] + word[at:] for at in inner}
    replaced = {word[:at] + word[at + step] + word[at + 1 :] for at in inner for step in (-1, 1)}
    return (
        without
        | doubled
        | replaced
        | {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner} - {word}
    )


@cache
def cue(name: str) -> CuePattern:
    """Returns the pattern that finds a cue anywhere in a text."""
    return CuePattern(_expression("cue", name), _terms(_table()["cue"][name]))


@cache
def any_cue(*names: str) -> CuePattern:
    """Returns the pattern that finds any of some cues anywhere in a text."""
    expression = "|".join(f"(?:{_expression('cue', name)})" for name in names)
    return CuePattern(expression, (term for name in names for term in _terms(_table()["cue"][name])))


@cache
def before(name: str) -> re.Pattern[str]:
    """Returns the pattern that finds a word at the end of a text, before a space or `#`."""
    return re.compile(rf"(?:{_expression('near', name)})\s{{0,2}}#?$", re.IGNORECASE)


@cache
def after(name: str) -> re.Pattern[str]:
    """Returns the pattern that finds a word at the beginning of a text, after a space."""
    return re.compile(rf"[\s-]{{0,2}}(?:{_expression('near', name)})", re.IGNORECASE)


def weights() -> dict[str, float]:
    """Returns the weight of each feature of a number towards being private."""
    found: dict[str, float] = _table()["weights"]
    return found


@cache
def private_words() -> frozenset[str]:
    """Returns the words that make a field private; a payload field with one in its name is dropped with its content."""
    return frozenset(_table()["fields"].split())


@cache
def common_words() -> frozenset[str]:
    """Returns the words of seed phrases that are also common in plain sentences."""
    return frozenset(_table()["common"].split())


@cache
def field_words(name: str) -> frozenset[str]:
    """Returns words in the names of fields: of secrets, of keys, of what is about a secret, of failed logins."""
    return frozenset(_table()["field"][name].split())


def command_options() -> dict[str, str]:
    """Returns the options that take a secret, by the programs that have them."""
    found: dict[str, str] = _table()["command"]
    return found


def pipe_readers() -> list[str]:
    """Returns programs and options that read a secret from a pipe."""
    return [reader.strip() for reader in _table()["pipe"]["readers"].split(",")]


def is_private(name: str) -> bool:
    """Whether a field name (`position_size`, `unrealizedPnl`, `wallet.balance`) marks private content."""
    words = [word.lower() for word in _WORD.findall(name)]
    joined = {one + other for one, other in pairwise(words)}
    return not private_words().isdisjoint({*words, *joined}) or "p&l" in name.lower()


def bits(token: str) -> float:
    """Returns the Shannon entropy of a token in bits per character."""
    return -sum(count / len(token) * log2(count / len(token)) for count in Counter(token).values())
