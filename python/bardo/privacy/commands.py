"""Finds secrets that the syntax of a program tells: `sshpass -p X`, `curl -u user:X`, `echo X | sudo -S`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from bardo.privacy.assignments import is_reference
from bardo.privacy.cues import command_options, pipe_readers
from bardo.privacy.printed import filters
from bardo.privacy.remarks import FUNCTION, PREDICATE
from bardo.privacy.tagger import Found

#: The rest of a command, up to the next one.
_REST = re.compile(r"(?:\"[^\"\n]{0,256}\"|'[^'\n]{0,256}'|\\\n|[^\n|;&\"'`]){0,512}")
_ARGUMENT = re.compile(r"(?P<open>[^\s\"'=]{0,40}[\"'])?(?(open)[^\"'\n]{1,256}[\"']|\S{1,512})")
#: An option of the table: its name, then the sign by which it takes a secret.
_OPTION = re.compile(r"(?P<name>.+?)(?P<sign>\*|(?<=\w)[:%,](?!\*)|)")
_PIPED = re.compile(
    r"(?<![\w-])(?:echo|printf)\s(?:-\w{1,3}\s|[\"']%s(?:\\n)?[\"']\s){0,2}"
    r"(?:\"(?P<double>[^\"\n]{1,256})\"|'(?P<single>[^'\n]{1,256})'|(?P<bare>[^\s|\"']{1,256}))\s{0,2}\|\s{0,2}(?P<reader>[^\n|;]{1,160})"
)
#: A file in place of a command's output: `--password-file=<(echo X)`.
_SUBSTITUTED = re.compile(
    r"(?i)(?:pass|secret|token|key)[\w-]{0,24}[= ]{1,2}<\((?:echo|printf)\s(?:-\w{1,3}\s)?[\"']?"
    r"(?P<bare>[^\s\"')]{1,256})"
)
#: Maximum number of characters of a command before `<<<`.
_READER = 160
_HERE = re.compile(rf"(?P<reader>[^\n|;]{{1,{_READER}}})<<<\s{{0,2}}[\"']?(?P<bare>[^\s\"']{{1,256}})")


def arguments(text: str) -> Iterator[Found]:
    """Finds arguments of commands that are secrets by the syntax of the program."""
    for program, end in _calls(text):
        rest = _REST.match(text, end)
        if rest and program.may_tell(text, rest.start(), rest.end()):
            yield from _of_options(text, rest.start(), rest.end(), program)
    for match in _SUBSTITUTED.finditer(text) if "<(" in text else ():
        yield (*match.span("bare"), "password")
    for match in (*(_PIPED.finditer(text) if "|" in text else ()), *_here_strings(text)):
        if _reader().search(match["reader"]):
            name = next(name for name in ("double", "single", "bare") if match.groupdict().get(name))
            start, value = match.start(name), match[name].removesuffix("\\n")
            if "chpasswd" in match["reader"] and ":" in value:
                start += value.index(":") + 1
                value = value.partition(":")[2]
            if not is_reference(value):
                yield start, start + len(value), "password"


def programs(text: str) -> Iterator[tuple[int, int]]:
    """Finds names of programs that read from a pipe, such as `base64`, which are no secrets."""
    if "|" in text:
        yield from (match.span("program") for match in _filter().finditer(text))


def _here_strings(text: str) -> Iterator[re.Match[str]]:
    """Finds `COMMAND <<< VALUE`."""
    done = 0
    while (sign := text.find("<<<", done)) >= 0 and (match := _HERE.search(text, max(done, sign - _READER))):
        yield match
        done = match.end()


def _calls(text: str) -> Iterator[tuple[_Program, int]]:
    """Finds calls of programs that take a secret: the program and the end of its name, in the order of programs."""
    found: list[tuple[int, int]] = []
    done: dict[int, int] = {}
    for first in _any_program().finditer(text):
        for number in _by_first_word()[first["name"]]:
            if first.start() >= done.get(number, 0) and (
                match := _programs()[number].names.match(text, first.start())
            ):
                done[number] = match.end()
                found.append((number, match.end()))
    yield from ((_programs()[number], end) for number, end in sorted(found))


@dataclass(frozen=True, slots=True)
class _Option:
    """Option that takes a secret.

    Args:
        name: Name with its hyphens, or "+" and the place of the secret among the arguments, a number or `last`.
        sign: "*" if the secret is attached, or the sign between a user and the secret; else empty.
    """

    name: str
    sign: str

    def value(self, word: re.Match[str], following: re.Match[str] | None) -> tuple[int, int] | None:
        """Returns the span of the secret that this option takes at a word of the command, if it does."""
        attached = None
        if word[0].startswith(self.name) and len(word[0]) > len(self.name):
            attached = word.start() + len(self.name) + word[0][len(self.name) :].startswith("="), word.end()
        if self.sign == "*":
            return attached
        span = following.span() if word[0] == self.name and following else attached
        if span is None or (span == attached and self.name.startswith("-") and not self._may_attach(word)):
            return None
        if not self.sign:
            return span
        user = word.string.find(self.sign, *span)
        return (user + 1, span[1]) if user >= 0 else None

    def _may_attach(self, word: re.Match[str]) -> bool:
        """Whether a value may be attached: behind a long name and `=`, or behind a letter before the sign of a user."""
        return word[0].startswith(f"{self.name}=") or (bool(self.sign) and len(self.name) == len("-u"))


@dataclass(frozen=True, slots=True)
class _Program:
    """Programs that take a secret by the same options.

    Args:
        names: Pattern of their names.
        options: Options that take a secret.
        begins: Pattern of the beginning of such an option.
        has_places: Whether an argument is a secret by its place.
    """

    names: re.Pattern[str]
    options: tuple[_Option, ...]
    begins: re.Pattern[str]
    has_places: bool

    def may_tell(self, text: str, start: int, end: int) -> bool:
        """Whether the arguments in a part of a text may hold a secret."""
        return self.has_places or self.begins.search(text, start, end) is not None


@cache
def _programs() -> tuple[_Program, ...]:
    """Returns the programs that take a secret, by their options."""
    compiled = []
    for programs, listed in command_options().items():
        names = "|".join(
            r"\s(?:[^\n|;]{0,60}\s)?".join(map(re.escape, one.split())) for one in programs.split(",")
        )
        parsed = (_OPTION.fullmatch(option) for option in listed.split())
        options = tuple(_Option(one["name"], one["sign"]) for one in parsed if one)
        compiled.append(
            _Program(
                re.compile(rf"(?<![\w.-])(?:{names})(?:\.exe)?(?=\s)"),
                options,
                re.compile("|".join(re.escape(option.name) for option in options)),
                any(option.name.startswith("+") for option in options),
            )
        )
    return tuple(compiled)


@cache
def _by_first_word() -> dict[str, list[int]]:
    """Returns the numbers of the programs, by the first words of their names."""
    found: dict[str, list[int]] = {}
    for number, programs in enumerate(command_options()):
        for first in {one.split()[0] for one in programs.split(",")}:
            found.setdefault(first, []).append(number)
    return found


@cache
def _any_program() -> re.Pattern[str]:
    """Returns the pattern of the first words of all programs, so that a text is searched once."""
    names = "|".join(map(re.escape, sorted(_by_first_word())))
    return re.compile(rf"(?<![\w.-])(?P<name>{names})(?:\.exe)?(?=\s)")


@cache
def _filter() -> re.Pattern[str]:
    names = "|".join(map(re.escape, filters()))
    return re.compile(
        rf"\|\s{{0,2}}(?:sudo\s)?(?P<program>(?:{names})(?:\s-{{1,2}}[A-Za-z-]{{1,16}})*)(?=\s|$|[|;>`)\"'])"
    )


@cache
def _reader() -> re.Pattern[str]:
    readers = (r"\b[^\n|]{0,60}?".join(map(re.escape, one.split())) for one in pipe_readers())
    return re.compile("|".join(rf"(?<![\w-])(?:{one})(?![\w])" for one in readers))


def _of_options(text: str, start: int, end: int, program: _Program) -> Iterator[Found]:
    words = list(_ARGUMENT.finditer(text, start, end))
    for option in program.options:
        place = _place(option, words)
        if 0 < place <= len(words):
            bare = _unquoted(text, *words[place - 1].span())
            if not is_reference(text[slice(*bare)]) and not PREDICATE.match(text[slice(*bare)]):
                yield (*bare, "password")
    for word, following in zip_longest(words, words[1:]):
        for option in program.options if program.begins.match(word[0]) else ():
            span = option.value(word, following)
            if span is None:
                continue
            bare = _unquoted(text, *span)
            value = text[slice(*bare)]
            if not is_reference(value) and not value.startswith("-") and not FUNCTION.match(value):
                yield (*bare, "password")


def _place(option: _Option, words: Sequence[re.Match[str]]) -> int:
    """Returns the place of an argument that is a secret by its place, counted from 1; zero for another option."""
    if not option.name.startswith("+"):
        return 0
    return len(words) if option.name == "+last" else int(option.name)


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    if text[start : start + 1] in "\"'":
        start += 1
    if text[end - 1 : end] in "\"'":
        end -= 1
    return start, end
