"""Reads the options of a command: short ones by their long names, with the values of those that have one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table

#: Number of commands whose options are cached: parsing an action asks for those of each several times.
_COMMANDS = 1_024
#: Options whose value is a text for people, in which no file or host is used.
_TEXTS = frozenset({"--message", "--body", "--title", "--notes", "--subject", "--description", "--comment"})
#: Name of a file that is a template of another one, such as `.env.example`.
_TEMPLATE = lazy_pattern(r"(?<!\S)\S*\w\.(?:example|sample|template|tpl|dist)(?![\w-]|\.\w)")
#: Several options of one letter in one word; a longer word is an option of its own, such as `-name-only`.
_CLUSTER = lazy_pattern(r"-[A-Za-z]{2,4}")


class Options(NamedTuple):
    """Options and arguments of a command.

    Args:
        names: Options, each by its short and its long name.
        canonical: Options, each by its long name as far as known, so that sets of options can be compared.
        line: Command with long names in place of short options.
        arguments: Words that are neither options nor values of them.
        used: Words without texts for people and names of templates.
    """

    names: frozenset[str]
    canonical: frozenset[str]
    line: str
    arguments: tuple[str, ...]
    used: tuple[str, ...]


def read(words: Sequence[str]) -> Options:
    """Reads the options of a command without prefixes and general options."""
    return _read(tuple(words))


def head_of(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the program of a command, with its subcommand if the options are of that."""
    return tuple(words[: 2 if " ".join(words[:2]) in operation_table.table().options else 1])


def required(head: Sequence[str], flags: str) -> frozenset[str]:
    """Returns the options of a rejection by the names that they have for a command: `-rf` of `rm`, in any form.

    Args:
        head: Program, with its subcommand if the options are of that.
        flags: Options that are forbidden together, such as "-r -f".
    """
    return read((*head, *flags.split())).canonical


def keys_of(flags: str) -> frozenset[str]:
    """Returns options and the letters of those that may be several in one word, by which actions find rejections."""
    words = flags.split()
    letters = {f"-{letter}" for word in words if _CLUSTER.fullmatch(word) for letter in word[1:]}
    return frozenset({*words, *letters})


@lru_cache(_COMMANDS)
def _read(words: tuple[str, ...]) -> Options:
    table = operation_table.table()
    head = len(head_of(words))
    by_short = table.options.get(" ".join(words[:head]), {})
    by_long = {long: (f"-{short}", valued) for short, (long, valued) in by_short.items()}
    names, canonical = set[str](), set[str]()
    told, arguments, used = list(words[:head]), list(words[1:head]), list(words[:head])
    rest = list(reversed(words[head:]))
    while rest:
        word = rest.pop()
        if word == "--":
            told += [word, *reversed(rest)]
            arguments += reversed(rest)
            used += reversed(rest)
            break
        if not word.startswith("-") or word == "-":
            told.append(word)
            arguments.append(word)
            used.append(word)
            continue
        for name, value in _named(word, by_short):
            short, valued = by_long.get(name, ("", name in _TEXTS))
            values = [value] if value else [rest.pop()] if valued and rest else []
            names |= {name, short} - {""}
            canonical.add(_sorted(name))
            told += [name, *values]
            used += [name, *(values if name not in _TEXTS else ())]
        names.add(word.partition("=")[0])
    return Options(
        frozenset(names),
        frozenset(canonical),
        " ".join(told),
        tuple(arguments),
        tuple(map(without_templates, used)),
    )


def without_templates(text: str) -> str:
    """Returns a text without the names of files that are templates of others."""
    return _TEMPLATE.sub("", text)


def _sorted(name: str) -> str:
    """Returns an unknown option with its letters in order, if it may be several in one word: `-af` for `-fa`."""
    name = name.partition("=")[0]
    return f"-{''.join(sorted(name[1:]))}" if _CLUSTER.fullmatch(name) else name


def _named(word: str, by_short: operation_table.ShortOptions) -> list[tuple[str, str]]:
    """Returns the options of a word by their long names, as far as known, each with the value that it has there."""
    if word.startswith("--"):
        name, _, value = word.partition("=")
        return [(name, value)]
    found: list[tuple[str, str]] = []
    for place, letter in enumerate(word[1:], 2):
        if letter not in by_short:
            # Of an unknown option the other letters may be the value.
            return [*found, (f"-{word[place - 1 :]}", "")]
        long, valued = by_short[letter]
        found.append((long, word[place:] if valued else ""))
        if valued:
            break
    return found
