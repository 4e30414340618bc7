"""Base forms of verbs in the third person and of participles: "changes", "edited", "sent"."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

_VOWEL = re.compile(r"[aeiouy]")


def base_of(verb: str) -> str:
    """Returns the base form of a participle or of a verb in the third person; empty if it is neither.

    Args:
        verb: Verb in lower case.
    """
    if base := _irregular().get(verb):
        return base
    if verb.endswith("ed") and _VOWEL.search(verb[:-2]):
        return _without_ending(verb[:-2])
    if not verb.endswith("s") or verb.endswith("ss"):
        return ""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:sh|ch|ss|x|zz|o)es$", verb) else verb[:-1]


def _without_ending(stem: str) -> str:
    if stem in _silent():
        return f"{stem}e"
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsfz"
    return stem[:-1] if doubled and stem != "add" else stem


@cache
def _irregular() -> dict[str, str]:
    return {form: base for base, forms in _table()["irregular"].items() for form in forms.split()}


@cache
def _silent() -> frozenset[str]:
    return frozenset(_table()["silent"].split())


@cache
def _table() -> dict[str, Any]:
    text = resources.files("bardo.conduct.hearing").joinpath("verb_forms.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    return table
