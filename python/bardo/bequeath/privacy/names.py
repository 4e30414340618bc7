"""Names of a life: words with a figure or a sign that lines of many sorts have, such as `Retsch-2` or `truck 407`.

A secret is told a few times, or in one sort of line. A token that stands beside many different words in many texts is
the name of a thing that the agent dealt with, which an heir needs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bardo.privacy.cues import after, any_cue, before
from bardo.privacy.secrets import ACCESS

#: Minimum number of distinct texts of a life with a name, and the same of a testament, whose texts were chosen.
OF_LIFE, OF_TESTAMENT = 12, 3
#: Minimum share of that number of different words before a name, and after it.
_BESIDE = 1 / 3
#: Maximum number of characters of a text that is read, and of distinct candidates.
_LONGEST, _CANDIDATES = 1_024, 65_536
#: Characters beside a candidate that are searched for a word, and maximum number of different words that are kept.
_NEAR, _DIFFERENT = 40, 8
#: Maximum number of different numbers behind a noun; a word with more of them is followed by amounts.
_NUMBERS = 8
#: Cues of words before a number that make it a figure of the agent, a limit, a code or an amount.
_FIGURES = (
    "limit", "own", "made", "held", "tuned", "then", "price", "lock", "code", "password", "key", "seed",
)  # fmt: skip
#: A token with a figure, a hyphen or a capital inside: the form of a name, and of a secret.
_TOKEN = re.compile(
    r"(?<![\w/+@#.-])(?=[\w-]{0,30}[^\W\d_])(?=\w{0,30}[\d_-]|\w{0,30}[^\W_][A-Z])[^\W_][\w-]{2,31}(?![\w/+@#-]|\.\w)"
)
#: A number behind the noun that it belongs to.
_NUMBERED = re.compile(
    r"(?<![\w.,/-])(?P<noun>[^\W\d_]{3,24}) (?P<number>\d{1,4})(?![\w%/:-]|[.,]\d|\s?[%°€$£])"
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class _Found:
    """Number of texts that have a candidate, the two words before it and the word behind it."""

    texts: int = 0
    before: set[str] = field(default_factory=set)
    behind: set[str] = field(default_factory=set)

    def add(self, text: str, start: int, end: int) -> None:
        self.texts += 1
        words = _WORD.findall(text[max(start - _NEAR, 0) : start])
        word = _WORD.search(text, end, end + _NEAR)
        for beside, near in ((self.before, " ".join(words[-2:])), (self.behind, word[0] if word else "")):
            if len(beside) < _DIFFERENT:
                beside.add(near.casefold())

    def is_name(self, least: int) -> bool:
        return self.texts >= least and min(len(self.before), len(self.behind)) >= least * _BESIDE


@dataclass(frozen=True, slots=True)
class Names:
    """Names of a life, by which its redactor knows what is no secret.

    Args:
        tokens: Names of one token.
        numbered: Nouns with a number behind them, such as `truck 407`.
    """

    tokens: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str], *, least: int = OF_LIFE) -> Names:
        """Collects the names of distinct texts.

        Args:
            texts: Texts of a life or of a testament.
            least: Minimum number of texts with a name.
        """
        tokens: defaultdict[str, _Found] = defaultdict(_Found)
        numbered: defaultdict[str, _Found] = defaultdict(_Found)
        for text in (text[:_LONGEST] for text in texts):
            for found, pattern in ((tokens, _TOKEN), (numbered, _NUMBERED)):
                for match in {match[0]: match for match in pattern.finditer(text)}.values():
                    if match[0] in found or len(found) < _CANDIDATES:
                        found[match[0]].add(text, *match.span())
        numbers = Counter(name.split()[0] for name in numbered)
        return cls(
            frozenset(token for token, found in tokens.items() if found.is_name(least)),
            frozenset(
                name
                for name, found in numbered.items()
                if found.is_name(least) and numbers[noun := name.split()[0]] <= _NUMBERS and _is_thing(noun)
            ),
        )

    def mask(self, text: str) -> str:
        """Replaces the numbers of names by underscores, so that no search for private figures finds them."""
        if not self.numbered:
            return text
        return _NUMBERED.sub(
            lambda match: (
                f"{match['noun']} {'_' * len(match['number'])}" if match[0] in self.numbered else match[0]
            ),
            text,
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the places of names in a text; none if it tells of a means of access."""
        found = [match.span() for match in _TOKEN.finditer(text) if match[0] in self.tokens]
        found += [match.span("number") for match in _NUMBERED.finditer(text) if match[0] in self.numbered]
        if found and not any_cue(*ACCESS).search(text):
            yield from found


def _is_thing(noun: str) -> bool:
    """Whether a noun before a number names a thing, and no measure, amount or parameter."""
    is_unit = before("month").search(f"{noun} ") or before("money").search(f"{noun} ")
    return not (any_cue(*_FIGURES).search(noun) or is_unit or after("measure").match(noun))
