"""Finds secrets that the syntax of a program tells: `sshpass -p X`, `curl -u user:X`, `echo X | sudo -S`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from bardo.privacy.assignments import is_reference
from bardo.privacy.cues import command_options, pipe_readers
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
_HERE = re.compile(r"(?P<reader>[^\n|;]{1,160})<<<\s{0,2}[\"']?(?P<bare>[^\s\"']{1,256})")


def arguments(text: str) -> Iterator[Found]:
    """Finds arguments of commands that are secrets by the syntax of the program."""
    if _any_program().search(text):
        for program, options in _programs():
            for match in program.finditer(text):
                rest = _REST.match(text, match.end())
                if rest:
                    yield from _of_options(text, rest.start(), rest.end(), options)
    yield from ((*match.span("bare"), "password") for match in _SUBSTITUTED.finditer(text))
    for sign, pattern in (("|", _PIPED), ("<<<", _HERE)):
        for match in pattern.finditer(text) if sign in text else ():
            if _reader().search(match["reader"]):
                name = next(name for name in ("double", "single", "bare") if match.groupdict().get(name))
                start, value = match.start(name), match[name].removesuffix("\\n")
                if "chpasswd" in match["reader"] and ":" in value:
                    start += value.index(":") + 1
                    value = value.partition(":")[2]
                if not is_reference(value):
                    yield start, start + len(value), "password"


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


@cache
def _programs() -> tuple[tuple[re.Pattern[str], tuple[_Option, ...]], ...]:
    """Returns the pattern of each group of programs, with the options that take a secret."""
    compiled = []
    for programs, options in command_options().items():
        names = "|".join(
            r"\s(?:[^\n|;]{0,60}\s)?".join(map(re.escape, one.split())) for one in programs.split(",")
        )
        parsed = (_OPTION.fullmatch(option) for option in options.split())
        compiled.append(
            (
                re.compile(rf"(?<![\w.-])(?:{names})(?:\.exe)?(?=\s)"),
                tuple(_Option(one["name"], one["sign"]) for one in parsed if one),
            )
        )
    return tuple(compiled)


@cache
def _any_program() -> re.Pattern[str]:
    """Returns the pattern of the first words of all programs, so that prose is searched once."""
    first = {one.split()[0] for programs in command_options() for one in programs.split(",")}
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(first)))})(?:\.exe)?(?=\s)")


@cache
def _reader() -> re.Pattern[str]:
    readers = (r"\b[^\n|]{0,60}?".join(map(re.escape, one.split())) for one in pipe_readers())
    return re.compile("|".join(rf"(?<![\w-])(?:{one})(?![\w])" for one in readers))


def _of_options(text: str, start: int, end: int, options: Sequence[_Option]) -> Iterator[Found]:
    words = list(_ARGUMENT.finditer(text, start, end))
    for option in options:
        place = _place(option, words)
        if 0 < place <= len(words):
            bare = _unquoted(text, *words[place - 1].span())
            if not is_reference(text[slice(*bare)]) and not PREDICATE.match(text[slice(*bare)]):
                yield (*bare, "password")
    for word, following in zip_longest(words, words[1:]):
        for option in options:
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
