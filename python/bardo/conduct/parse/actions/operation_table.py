"""Loads the table of commands and words (`operations.toml`) that maps actions to operations."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bardo import _core
from bardo._patterns import lazy_pattern

_TABLE = "operations.toml"
#: Word of an alias, or of the text that it is searched in.
WORD = lazy_pattern(r"\w+")
CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
#: Patterns by a word that every match has, with stems.
Phrases = Mapping[str, tuple[tuple[re.Pattern[str], frozenset[str]], ...]]
#: Long names of options by the letters of their short ones, each with whether a value follows.
ShortOptions = Mapping[str, tuple[str, bool]]


class CommandPattern(NamedTuple):
    """Pattern of the command lines of one operation: a program with verbs and flags.

    Args:
        verbs: Subcommands, one of which must follow the program; None if any may.
        flags: Options, one of which must be present; empty if none is needed.
        does: Operation of the command.
        about: Stems of the objects that the command always concerns.
        named: Whether the arguments are names of packages.
        reaches: Whether it connects to the hosts that it names, though it only reads.
        unless: Options, none of which may be present.
        declared: Whether it installs what the project declares, with any arguments.
        objects: Stems of what its arguments are, which they leave out: the argument of `docker push` is an image.
    """

    verbs: tuple[tuple[str, ...], ...] | None
    flags: tuple[str, ...]
    does: str
    about: frozenset[str]
    named: bool
    reaches: bool = False
    unless: frozenset[str] = frozenset()
    declared: bool = False
    objects: frozenset[str] = frozenset()

    def fits(self, words: Sequence[str], options: Sequence[str]) -> int | None:
        """Returns the number of words after the program that form the verb; None if the command does not fit."""
        if self.flags and not any(_has_flag(flag, words, options) for flag in self.flags):
            return None
        if self.verbs is None:
            return 0
        for verb in self.verbs:
            if (not verb and not words) or (verb and tuple(words[: len(verb)]) == verb):
                return len(verb)
            if verb and verb[0].startswith("-") and verb[0] in options:
                return 0
        return None


class Operation(NamedTuple):
    """Relations of an operation to others; see `operations.toml`."""

    opposite: frozenset[str]
    milder: frozenset[str]
    within: frozenset[str]
    grave: bool
    reads: bool
    keeps: bool


class Shell(NamedTuple):
    """Programs that run another command; see `operations.toml`."""

    wrappers: frozenset[str]
    interpreters: frozenset[str]
    runners: frozenset[str]
    shells: frozenset[str]
    targeted: frozenset[str]
    repeaters: frozenset[str]
    containers: frozenset[str]
    echoes: frozenset[str]
    texts: frozenset[str]

    @property
    def lines(self) -> frozenset[str]:
        """Returns the programs that run a whole command line."""
        return self.shells | self.targeted | self.repeaters


class Tool(NamedTuple):
    """Program of which several commands do the same; see `operations.toml`."""

    name: str
    #: First form of a verb, by the words of each form.
    verbs: Mapping[tuple[str, ...], str]
    #: First name of a kind of objects, by each name.
    kinds: Mapping[str, str]
    flags: Mapping[str, frozenset[str]]
    options: frozenset[str] | None
    packages: bool
    suffix: str
    is_reversed: bool


class Table(NamedTuple):
    """Content of `operations.toml`, with words as stems."""

    operations: Mapping[str, Operation]
    #: Operations of a phrase, by its stems.
    phrases: Mapping[tuple[str, ...], frozenset[str]]
    #: Lengths of the phrases that begin with a stem, the longest first.
    lengths: Mapping[str, tuple[int, ...]]
    #: Stems that name their operation as the first word of a clause alone.
    leading: frozenset[str]
    #: Operations of an action in words, by its first word, which names none in a rejection.
    done: Mapping[str, frozenset[str]]
    #: Operations of a function, by the first word of its name.
    called: Mapping[str, frozenset[str]]
    commands: Mapping[str, tuple[CommandPattern, ...]]
    #: Tools by their programs.
    tools: Mapping[str, Tool]
    #: Options before the subcommand or the arguments that are followed by a value, by command.
    valued: Mapping[str, frozenset[str]]
    #: Short options by command.
    options: Mapping[str, ShortOptions]
    #: Programs and options that write their arguments, by which of these they write.
    writes: Mapping[str, frozenset[str]]
    #: Canonical name of an object, by the stem of an alias.
    same: Mapping[str, str]
    near: Mapping[str, frozenset[str]]
    #: Aliases of several words, by the first word of each, with the stems of their canonical names.
    same_phrases: Phrases
    near_phrases: Phrases
    contrasts: tuple[frozenset[str], ...]
    #: Words of all contrasts.
    contrasting: frozenset[str]
    framing: frozenset[str]
    kinds: frozenset[str]
    packages: frozenset[str]
    additional: frozenset[str]
    fillers: frozenset[str]
    beginning: frozenset[str]
    passing_on: frozenset[str]
    running: frozenset[str]
    articles: frozenset[str]
    shell: Shell
    clauses: tuple[re.Pattern[str], ...]
    #: Clauses that name an approval.
    approvals: tuple[re.Pattern[str], ...]


@cache
def table() -> Table:
    """Returns the table; the file is read once."""
    raw: dict[str, Any] = tomllib.loads(Path(__file__).with_name(_TABLE).read_text(encoding="utf-8"))
    operations = {
        name: Operation(
            frozenset(given.get("opposite", ())),
            frozenset(given.get("milder", ())),
            frozenset(given.get("within", ())),
            given.get("grave", False),
            given.get("reads", False),
            given.get("keeps", given.get("reads", False)),
        )
        for name, given in raw["operation"].items()
    }
    phrases: dict[tuple[str, ...], frozenset[str]] = {}
    for name, given in raw["operation"].items():
        for phrase in (*given["words"], *given.get("leading", ())):
            stems = tuple(stem_each(phrase.split()))
            phrases[stems] = phrases.get(stems, frozenset()) | {name}
    lengths: dict[str, set[int]] = {}
    for stems in phrases:
        lengths.setdefault(stems[0], set()).add(len(stems))
    commands: dict[str, tuple[CommandPattern, ...]] = {}
    for given in raw["command"]:
        verbs = given.get("verbs")
        command = CommandPattern(
            None if verbs is None else tuple(tuple(verb.split()) for verb in verbs),
            tuple(given.get("flags", ())),
            given["does"],
            content_stems(given.get("about", ())),
            given.get("named", False),
            given.get("reaches", False),
            frozenset(given.get("unless", ())),
            given.get("declared", False),
            content_stems(" ".join(given.get("objects", ())).split()),
        )
        for program in given["programs"]:
            commands[program] = (*commands.get(program, ()), command)
    same = {
        alias: canonical
        for name, aliases in raw["same"].items()
        for canonical in content_stems(name.split())
        for alias in content_stems(alias for alias in aliases if alias.isalnum())
        if " " not in name
    }
    near: dict[str, frozenset[str]] = {}
    for name, aliases in raw["near"].items():
        for alias in content_stems(alias for alias in aliases if alias.isalnum()):
            near[alias] = near.get(alias, frozenset()) | content_stems(name.split())
    framing = raw["framing"]
    clauses = {clause: lazy_pattern(clause, re.IGNORECASE) for clause in framing["clauses"]}
    return Table(
        operations=operations,
        phrases=phrases,
        lengths={stem: tuple(sorted(each, reverse=True)) for stem, each in lengths.items()},
        leading=frozenset(
            stem_each([word for given in raw["operation"].values() for word in given.get("leading", ())])
        ),
        done={
            word: frozenset({name})
            for name, given in raw["operation"].items()
            for word in given.get("done", ())
        },
        called={
            word: frozenset({name})
            for name, given in raw["operation"].items()
            for word in given.get("called", ())
        },
        commands=commands,
        tools={program: _tool(given, program) for given in raw["tool"] for program in given["programs"]},
        valued={
            command: frozenset(options.split())
            for names, options in raw["valued"].items()
            for command in names.split("|")
        },
        options={
            command: dict(map(_short_option, options.split()))
            for names, options in raw["options"].items()
            for command in names.split("|")
        },
        writes={which: frozenset(names) for which, names in raw["writes"].items()},
        same=same,
        near=near,
        same_phrases=_phrases(raw["same"]),
        near_phrases=_phrases(raw["near"]),
        contrasts=tuple(content_stems(group["words"]) for group in raw["contrast"]),
        contrasting=content_stems(word for group in raw["contrast"] for word in group["words"]),
        framing=frozenset(framing["words"]),
        kinds=content_stems([*framing["kinds"], *framing["packages"]]),
        packages=content_stems(framing["packages"]),
        additional=content_stems(framing["additional"]),
        fillers=frozenset(framing["fillers"]),
        beginning=frozenset(framing["beginning"]),
        passing_on=frozenset(framing["passing_on"]),
        running=frozenset(framing["running"]),
        articles=frozenset(framing["articles"]),
        shell=Shell(**{name: frozenset(words) for name, words in raw["shell"].items()}),
        clauses=tuple(clauses.values()),
        approvals=tuple(clause for given, clause in clauses.items() if "approv" in given),
    )


def _tool(given: Mapping[str, Any], program: str) -> Tool:
    """Reads a tool, for one of its programs."""
    return Tool(
        name=given["programs"][0],
        verbs={tuple(form.split()): verb for verb, form in _forms(given.get("verbs", ()))},
        kinds={form: kind for kind, form in _forms(given.get("kinds", ()))},
        flags={flag: frozenset(names.split()) for flag, names in given.get("flags", {}).items()},
        options=frozenset(given["options"]) if "options" in given else None,
        packages=given.get("packages", False),
        suffix=given.get("suffix", ""),
        is_reversed=program in given.get("reversed", ()),
    )


def _forms(groups: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields each form of groups such as "rm|remove" with the first one."""
    for group in groups:
        first, *_ = forms = group.split("|")
        yield from ((first, form) for form in forms)


def _short_option(given: str) -> tuple[str, tuple[str, bool]]:
    """Reads a short option: `m:message=`."""
    letter, _, long = given.partition(":")
    return letter, (f"--{long.removesuffix('=')}", long.endswith("="))


def spaced(text: str) -> str:
    """Splits the words that a name joins: RedisStore and redis_store give "redis store"."""
    return CAMEL.sub(" ", text).replace("_", " ").lower()


def _phrases(groups: Mapping[str, Sequence[str]]) -> Phrases:
    """Builds the patterns of aliases that are not a single word, or whose canonical name has several."""
    found: dict[str, list[tuple[re.Pattern[str], frozenset[str]]]] = {}
    for name, aliases in groups.items():
        for alias in (spaced(alias) for alias in aliases if not alias.isalnum() or " " in name):
            pattern = lazy_pattern(rf"(?<!\w){re.escape(alias)}s?(?!\w)"), content_stems(name.split())
            first, *more = WORD.findall(alias)
            for word in (first,) if more else (first, f"{first}s"):
                found.setdefault(word, []).append(pattern)
    return {word: tuple(patterns) for word, patterns in found.items()}


@cache
def phrases_of(operation: str) -> tuple[tuple[str, ...], ...]:
    """Returns the phrases for an operation, each as its stems."""
    return tuple(phrase for phrase, names in table().phrases.items() if operation in names)


def phrase_at(stems: Sequence[str], start: int = 0) -> tuple[frozenset[str], int]:
    """Returns the operations of the longest phrase at a place of a text, and its length; none and 1 without one."""
    if start < len(stems):
        for length in table().lengths.get(stems[start], ()):
            told = table().phrases.get(tuple(stems[start : start + length]))
            if told:
                return told, length
    return frozenset(), 1


@cache
def framing_stems() -> frozenset[str]:
    """Returns the stems of words that express a rejection or a rule."""
    return content_stems(table().framing)


def stem_each(words: Sequence[str]) -> list[str]:
    """Returns the stem of each word; function words stay as they are."""
    return [stem or _bare(word) for stem, word in zip(_stems(words), words, strict=True)]


def canonical_stems(words: Iterable[str]) -> frozenset[str]:
    """Returns the stems of the content words among given words, with canonical names instead of aliases."""
    same = table().same
    return frozenset(same.get(stem, stem) for stem in content_stems(words))


def content_stems(words: Iterable[str]) -> frozenset[str]:
    """Returns the stems of words, without function words."""
    return frozenset(filter(None, _stems(list({word.lower() for word in words if word}))))


#: Stems by word; None for a function word.
_KNOWN: dict[str, str | None] = {}
#: Number of cached stems above which the cache is emptied.
_STEMS = 65_536


def _stems(words: Sequence[str]) -> list[str | None]:
    with suppress(KeyError):
        return [_KNOWN[word] for word in words]
    stems = _core.stems([_bare(word) for word in words])
    if len(_KNOWN) + len(words) > _STEMS:
        _KNOWN.clear()
    _KNOWN.update(zip(words, stems, strict=True))
    return stems


def _bare(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _has_flag(flag: str, words: Sequence[str], options: Sequence[str]) -> bool:
    if flag.endswith("*"):
        return any(word.startswith(flag[:-1]) for word in words)
    if flag in ("+", ":"):
        return any(word.startswith(flag) and len(word) > 1 for word in words)
    return flag in words or any(option.partition("=")[0] == flag for option in options)
