"""Tells whether a question asks for the secret that a text tells.

A secret is an answer to a question for one of its kind ("what's the PIN?"), to an act that opens what it opens ("log
in to the portal"), to the name of the thing alone ("the wifi?"), and to a question that quotes it. The words
are in `asked.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from bardo import _core
from bardo.privacy import secrets
from bardo.privacy.cues import cue
from bardo.privacy.secrets import Span

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
#: Signs between the part of a text that says what a secret is for and another part.
_CLAUSE = re.compile(r"[,;!?\n]|\.(?=\s|$)|\s[-–—]\s")


class Asked:
    """Secrets that a question asks for.

    Args:
        question: Question, task or message.
    """

    def __init__(self, question: str) -> None:
        self._kinds = _kinds(question)
        self._is_opening = _pattern("opening").search(question) is not None
        self._words = _content(question)
        self._question = question

    def wants(self, text: str) -> bool:
        """Whether the question asks for the secret that a text tells."""
        spans = secrets.spans(text)
        if "every" in self._kinds or any(text[span.start : span.end] in self._question for span in spans):
            return True
        about = _about(text, spans)
        if self._kinds:
            told = _kinds(text)
            return not told or not self._kinds.isdisjoint(told) or not self._words.isdisjoint(about)
        if self._is_opening:
            return not self._words.isdisjoint(about)
        return bool(self._words) and self._words <= about


def _kinds(text: str) -> set[str]:
    """Returns the kinds of secrets that a text names."""
    for public in (_pattern("other"), cue("public_code"), cue("public_secret")):
        text = public.sub(" ", text)
    found = {kind for kind in _table()["kinds"] if _pattern("kinds", kind).search(text)}
    return found | {"every"} if _pattern("every").search(text) else found


def _about(text: str, spans: Sequence[Span]) -> set[str]:
    """Returns the stems of what the secrets of a text are for: of the clauses that have one."""
    if not spans:
        return _content(text)
    found: set[str] = set()
    ends = [match.span() for match in _CLAUSE.finditer(text)]
    for span in spans:
        first = max((end for _, end in ends if end <= span.start), default=0)
        last = min((start for start, _ in ends if start >= span.end), default=len(text))
        found |= _content(text[first : span.start] + " " + text[span.end : last])
    return found


def _content(text: str) -> set[str]:
    """Returns the stems of the words of a text, without those of a request that name nothing."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in _fillers()]
    return {stem or word for stem, word in zip(_core.stems(words), words, strict=True)}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("asked.toml").read_text("utf-8"))


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_terms(_table()["request"]["words"]))


@cache
def _pattern(section: str, name: str = "words") -> re.Pattern[str]:
    """Returns the pattern that finds a term of a list."""
    terms = [
        re.escape(term.removesuffix("*")).replace(r"\ ", r"[\s-]{1,3}")
        + (r"\w*" if term.endswith("*") else r"(?!\w)")
        for term in _terms(_table()[section][name])
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(terms)})", re.IGNORECASE)


def _terms(listed: str) -> list[str]:
    return [" ".join(term.split()) for term in listed.split(",") if term.strip()]
