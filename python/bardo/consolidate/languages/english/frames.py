"""Frames of English (`frames.toml`), and the phrases that fill them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.languages.english.grammar import hangs_below

#: Dependencies that hang on a noun phrase and are no part of a value.
_ASIDES = ("relcl", "advcl", "conj", "cc", "punct", "appos", "acl", "neg")


@cache
def frames() -> dict[str, Any]:
    """The tables of `frames.toml`."""
    text = (
        resources.files("bardo.consolidate.languages.english")
        .joinpath("frames.toml")
        .read_text(encoding="utf-8")
    )
    return tomllib.loads(text)


def phrase_of(value: Any) -> str:
    """A noun phrase without the clauses that hang on it and without trailing asides."""
    kept = [token for token in value.subtree if not hangs_below(token, value, _ASIDES)]
    if not kept:
        return ""
    first, last = kept[0].i, kept[-1].i
    is_whole = last - first + 1 == len(kept)
    return str(value.doc[first : last + 1].text) if is_whole else " ".join(token.text for token in kept)
