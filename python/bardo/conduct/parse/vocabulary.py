"""Vocabulary of what rejections forbid (`vocabulary.toml`): practices, kinds of things with their members, roles."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.forbids import LISTS, Forbids

_NAME = lazy_pattern(r"[A-Z][a-z]+[A-Z]{2,}$")
#: Name of a file that begins with a dot.
_FILE = lazy_pattern(r"(?<!\S)\.[a-z]\w*")
_CODE = lazy_pattern(r"\w[._]\w|[(=]")
#: Stems too frequent to find a practice by, if its name has another.
_COMMON = frozenset(
    {"use", "test", "file", "data", "code", "add", "run", "send", "servic", "chang", "order", "custom"}
)
_TOKEN = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")


class Phrase(NamedTuple):
    """Words that are all in a text, in any order; or literal, if function words or signs are what makes the phrase."""

    text: str
    stems: frozenset[str]
    literal: str

    def is_in(
        self, stems: frozenset[str], text: str, *, prose: bool = False, bare: Sequence[str] = ()
    ) -> bool:
        """Whether a text with given stems has the phrase; names of code are literal in prose.

        Args:
            stems: Stems of the text.
            text: The text.
            prose: Whether it is prose.
            bare: Parts in which names of files are sought; the whole text if empty.
        """
        if not self.stems <= stems:
            return False
        if bare and any(file not in " ".join(bare) for file in _FILE.findall(self.text)):
            return False
        if prose and not self.literal and _CODE.search(self.text):
            return self.text.lower() in text.lower()
        return not self.literal or bool(re.search(self.literal, text, re.IGNORECASE))


@lru_cache(8_192)
def phrase_of(words: str) -> Phrase:
    """Reads a phrase of the vocabulary or of a person."""
    stems = stems_of(words)
    if len(stems) > 1 or (stems and words.isalnum()):
        return Phrase(words, stems, "")
    start, end = (r"(?<!\w)" if words[0].isalnum() else ""), (r"(?!\w)" if words[-1].isalnum() else "")
    return Phrase(words, stems, start + r"\s+".join(map(re.escape, words.split())) + end)


class Practice(NamedTuple):
    """Practice that rejections name in one way, and actions do in another; see `vocabulary.toml`."""

    said: tuple[Phrase, ...]
    unless: frozenset[str]
    alone: bool
    forbids: Forbids


class Vocabulary(NamedTuple):
    """Content of `vocabulary.toml`, with words as stems."""

    practices: tuple[Practice, ...]
    #: Practices by a stem of their names.
    by_stem: Mapping[str, tuple[int, ...]]
    #: Names of a kind, by kind: each is a set of stems.
    kinds: Mapping[str, tuple[frozenset[str], ...]]
    #: Members of kinds with the kind, by one stem of the member.
    members: Mapping[str, tuple[tuple[frozenset[str], str], ...]]
    #: Kinds by a stem of their names.
    kinds_by_stem: Mapping[str, tuple[tuple[frozenset[str], str], ...]]
    #: Practices by a stem of a phrase, and by the program of a command; those of any program are under "".
    by_phrase: Mapping[str, tuple[tuple[Phrase, int], ...]]
    by_program: Mapping[str, tuple[tuple[str, int], ...]]
    #: Words that are no object by themselves.
    incidental: frozenset[str]
    reading: frozenset[str]
    removing: frozenset[str]
    reading_calls: frozenset[str]
    #: Roles of persons, of whom a sentence may name one, and kinds that are called by their first names.
    roles: frozenset[str]
    kin: frozenset[str]
    products: frozenset[str]


@cache
def vocabulary() -> Vocabulary:
    """Returns the vocabulary; the file is read once."""
    text = Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8")
    # All stems in one call.
    operation_table.content_stems(_TOKEN.findall(operation_table.CAMEL.sub(" ", text)))
    raw: dict[str, Any] = tomllib.loads(text)
    practices = tuple(
        Practice(
            tuple(map(phrase_of, _items(given["said"]))),
            stems_of(given.get("unless", "")),
            given.get("alone", True),
            Forbids.of({name: _items(given[name]) for name in LISTS if name in given}),
        )
        for given in raw["practice"]
    )
    by_stem: dict[str, tuple[int, ...]] = {}
    for number, practice in enumerate(practices):
        for stem in {_key(name.stems) for name in practice.said}:
            by_stem[stem] = (*by_stem.get(stem, ()), number)
    kinds: dict[str, tuple[frozenset[str], ...]] = {}
    members: dict[str, tuple[tuple[frozenset[str], str], ...]] = {}
    kinds_by_stem: dict[str, tuple[tuple[frozenset[str], str], ...]] = {}
    for names, given in raw["kind"].items():
        kind, *_ = spoken = names.split("|")
        kinds[kind] = tuple(map(stems_of, spoken))
        for name in kinds[kind]:
            stem = min(name)
            kinds_by_stem[stem] = (*kinds_by_stem.get(stem, ()), (name, kind))
        for member in filter(None, map(stems_of, _items(given))):
            stem = min(member)
            members[stem] = (*members.get(stem, ()), (member, kind))
    by_phrase: dict[str, tuple[tuple[Phrase, int], ...]] = {}
    by_program: dict[str, tuple[tuple[str, int], ...]] = {}
    for number, practice in enumerate(practices):
        for phrase in map(phrase_of, practice.forbids.phrases):
            stem = _key(phrase.stems)
            by_phrase[stem] = (*by_phrase.get(stem, ()), (phrase, number))
        for pattern in practice.forbids.commands:
            program = pattern.split(" ", 1)[0].lower()
            program = "" if re.search(r"[*\[?=]", program) else program
            by_program[program] = (*by_program.get(program, ()), (pattern, number))
    words = raw["words"]
    listed = {name: frozenset(_items(given)) for name, given in words.items()}
    return Vocabulary(
        practices, by_stem, kinds, members, kinds_by_stem, by_phrase, by_program,
        stems_of(words["incidental"]) | operation_table.table().kinds, listed["reading"], listed["removing"],
        listed["reading_calls"], stems_of(words["roles"]), stems_of(words["kin"]), listed["products"],
    )  # fmt: skip


def _items(text: str) -> tuple[str, ...]:
    """Returns the items of a list of the vocabulary."""
    return tuple(item.strip() for item in text.replace(",\n", ", ").split(", "))


def _key(stems: frozenset[str]) -> str:
    """Returns the stem by which a phrase is found: its rarest; "" for a phrase without stems."""
    return min(stems, key=lambda stem: (stem in _COMMON, stem), default="")


@lru_cache(65_536)
def stems_of(text: str) -> frozenset[str]:
    """Returns the stems of the content words of a text, and of the canonical names of aliases.

    A word with an inner capital gives its parts, as in `sendMail`; a name stays whole, as MongoDB.
    """
    same = operation_table.table().same
    words = _TOKEN.findall(text.replace("_", " "))
    if not text.islower():
        words = [
            part
            for word in words
            for part in ([word] if _NAME.match(word) else operation_table.CAMEL.sub(" ", word).split())
        ]
    found = operation_table.content_stems(words)
    return frozenset(same.get(stem, stem) for stem in found)


def kinds_in(
    stems: frozenset[str], by_stem: Mapping[str, tuple[tuple[frozenset[str], str], ...]]
) -> frozenset[str]:
    """Returns the kinds that are named, or of which a member is named, among given stems."""
    return frozenset(kind for stem in stems for words, kind in by_stem.get(stem, ()) if words <= stems)
