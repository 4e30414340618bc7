"""Recognises ways of using a thing: "trade with Halden", "write tests in Perl", "no orders to Quorum"."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.conditions import terms
from bardo.conduct.parse.rejections import wording

#: Word before the role of a thing that is used: "use Corvane as a broker".
_ROLE = "as"


class _Words(NamedTuple):
    """Content of `uses.toml`: acts on a thing by preposition ("" for none), objects of any use, idle words."""

    acts: tuple[tuple[str, tuple[str, ...]], ...]
    objects: frozenset[str]
    idle: frozenset[str]


def is_use(text: str, thing: str) -> bool:
    """Whether the act that a rejection forbids is a way of using a thing, at any time and for any purpose.

    Args:
        text: Rejection.
        thing: Name of the thing.
    """
    words = wording.act(terms.without(text))
    words = words[: words.index(_ROLE)] if _ROLE in words else words
    known = _words()
    named = frozenset(wording.act(thing))
    for preposition, act in known.acts:
        rest = list(words[len(act) :])
        if words[: len(act)] != act:
            continue
        while preposition and rest and rest[0] in known.objects:
            del rest[0]
        if preposition and rest[:1] != [preposition]:
            continue
        used = frozenset(rest[1:] if preposition else rest) - known.idle
        if used and used == named:
            return True
    return False


@cache
def _words() -> _Words:
    text = resources.files("bardo.conduct.hearing.lifts").joinpath("uses.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    acts = [
        (preposition, tuple(_stems(act)))
        for group in raw["acts"]
        for preposition in _items(group["by"])
        for act in _items(group["acts"])
    ]
    objects, idle = (
        frozenset(stem for each in _items(raw[name]) for stem in _stems(each)) for name in ("objects", "idle")
    )
    return _Words(tuple(acts), objects, idle)


def _items(text: str) -> list[str]:
    return [each.strip() for each in text.replace("\n", " ").split(",")]


def _stems(words: str) -> list[str]:
    return [stem for stem in operation_table.stem_each(words.split()) if stem]
