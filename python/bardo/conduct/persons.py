"""Tells names that may be a person's from names of the agent, words for machines, and placeholders."""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from bardo._patterns import lazy_pattern

_TABLE = "persons.toml"
#: Number of cached names.
_NAMES = 1_024
_WORD = lazy_pattern(r"[^\W_]+")


class _Words(NamedTuple):
    """Words of `persons.toml`."""

    machines: frozenset[str]
    describing: frozenset[str]
    articles: frozenset[str]
    placeholders: frozenset[str]


@cache
def _words() -> _Words:
    raw = tomllib.loads(Path(__file__).with_name(_TABLE).read_text(encoding="utf-8"))
    return _Words(**{name: frozenset(words) for name, words in raw.items()})


@lru_cache(_NAMES)
def is_person(name: str, agent: str) -> bool:
    """Whether a name may be a person's: it has a letter, and is no name or word for an agent, and no placeholder.

    Case, articles and punctuation do not count: "The Agent", "[assistant]" and "QUERN" name no person.

    Args:
        name: Name.
        agent: Name of the agent.
    """
    return not _is_placeholder(name) and not is_machine(name, agent)


def is_machine(name: str, agent: str) -> bool:
    """Whether a name is the agent's, or made of words for a machine.

    Args:
        name: Name.
        agent: Name of the agent.
    """
    said, own, words = _parts(name), _parts(agent), _words()
    if not said:
        return False
    # "quern_bot" and "Quern Bot" are the same name.
    if "".join(said) == "".join(own):
        return True
    rest = [word for word in said if word not in words.machines]
    return len(rest) < len(said) and (rest == own or words.describing.issuperset(rest))


def _is_placeholder(name: str) -> bool:
    """Whether a name has no letter, or stands for no one."""
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    if not any(character.isalpha() for character in plain):
        return True
    return not _words().placeholders.isdisjoint(
        (plain, " ".join(_WORD.findall(plain)), " ".join(_parts(name)))
    )


def _parts(name: str) -> list[str]:
    """Returns the words of a name in lower case, without the articles before it."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    while len(words) > 1 and words[0] in _words().articles:
        words = words[1:]
    return words
