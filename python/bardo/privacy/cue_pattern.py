"""Finds the terms of a cue; skips a text that has the first word of none of them.

Most sentences have no word of most cues. Comparing sets of words is cheaper than a regular expression of a hundred
alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

#: Characters of a word that are compared.
_PREFIX = 6
#: Maximum number of characters of a text whose words are collected; longer ones are searched.
_LONGEST = 4_096
_WORD = re.compile(r"[^\W_]+")
#: Characters that a regular expression takes for an ASCII letter when it ignores case, and `str.lower` does not.
_FOLDED = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"))


class CuePattern:
    """Pattern of terms that begin at a word.

    Args:
        expression: Regular expression of the terms; case is ignored.
        terms: The terms: "*" at the end for any ending, at the beginning for any beginning; "=" for exact case.
    """

    def __init__(self, expression: str, terms: Iterable[str]) -> None:
        self._pattern = re.compile(expression, re.IGNORECASE)
        keys: set[str] = set()
        self._inner: list[str] = []
        #: Whether a text with other characters than ASCII is always searched.
        self._is_international = False
        for term in terms:
            bare = term.strip("=*").lower()
            first = _WORD.match(bare)
            if not bare.isascii():
                self._is_international = True
            elif first is None or term.startswith("*"):
                self._inner.append(bare if first is None else first[0])
            elif term.endswith("*") and first[0] == bare:
                keys.add(f"{bare[:_PREFIX]}*")
            else:
                keys.add(first[0])
        self._keys = frozenset(keys)

    def search(self, text: str) -> re.Match[str] | None:
        """Finds the first term of a text."""
        return self._pattern.search(text) if self._may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Finds all terms of a text."""
        return self._pattern.finditer(text) if self._may_match(text) else iter(())

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Matches a text that is a term."""
        return self._pattern.fullmatch(text)

    def sub(self, instead: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Replaces all terms of a text."""
        return self._pattern.sub(instead, text) if self._may_match(text) else text

    def _may_match(self, text: str) -> bool:
        if len(text) > _LONGEST or (self._is_international and not text.isascii()):
            return True
        plain, keys = _keys(text)
        return not self._keys.isdisjoint(keys) or any(inner in plain for inner in self._inner)


def folded(text: str) -> str:
    """Returns a text in lower case, with the letters that a regular expression takes for ASCII ones."""
    if not text.isascii():
        for character, letter in _FOLDED:
            text = text.replace(character, letter)
    return text.lower()


@lru_cache(maxsize=64)
def _keys(text: str) -> tuple[str, frozenset[str]]:
    """Returns a text in lower case, and its words with their beginnings."""
    plain = folded(text)
    words = set(_WORD.findall(plain))
    return plain, frozenset(words).union(
        f"{word[:size]}*" for word in words for size in range(1, min(len(word), _PREFIX) + 1)
    )
