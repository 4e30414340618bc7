"""Tells that an action is at another branch or folder than the one that an order names."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.vocabulary import stems_of

_AT = frozenset({"in", "on", "to", "into", "onto", "under", "inside", "within", "against", "at"})
#: Push of named references: remote, then references, each with its destination after the colon.
_PUSH = lazy_pattern(r"git(?: -\S+(?: \S+)?)*? push (?P<words>.+)")
_BRANCH = stems_of("branch")
#: Options of a push that take the next word.
_TAKES = frozenset({"-o", "--push-option", "--repo", "--receive-pack", "--exec"})
_NAME = lazy_pattern(r"[a-z0-9]+")
_MAIN = frozenset({"main", "master", "trunk"})


class _Place(NamedTuple):
    """Place that an order names.

    Args:
        branch: Words of the names of branches; empty if it names none.
        folder: Stems of folders; empty if it names none.
    """

    branch: frozenset[str]
    folder: frozenset[str]


def is_elsewhere(text: str, action: ParsedAction) -> bool:
    """Whether an action names branches or paths, and none that the forbidding clause of an order names.

    Args:
        text: Text of a rejection or rule.
        action: Parsed action.
    """
    branch, folder = _place(text)
    if branch and (pushed := _pushed(action)):
        return not any(branch & _stems(name) for name in pushed)
    paths = action.places.paths
    if not folder or not paths or (action.form == "command" and not action.places.written):
        return False
    return not any(folder & _stems(path) for path in paths) and not folder & action.stems


@lru_cache(16_384)
def _place(text: str) -> _Place:
    _, scopes = conditions.scopes(wording.forbidding(text))
    branch, folder = set[str](), set[str]()
    for preposition, words in scopes:
        if preposition not in _AT:
            continue
        stems = stems_of(words)
        names = frozenset(_NAME.findall(words.lower()))
        if stems & _BRANCH:
            branch |= stems - _BRANCH
        elif names & _MAIN:
            branch |= _MAIN
        folder |= stems & _folders()
    return _Place(frozenset(branch), frozenset(folder))


def _pushed(action: ParsedAction) -> list[str]:
    """Returns the names of the branches that the commands push to; none if one does not tell."""
    names: list[str] = []
    for line in action.lines:
        if (found := _PUSH.match(line)) is None:
            continue
        words, skip = [], False
        for word in found["words"].split():
            if skip:
                skip = False
            elif word in _TAKES:
                skip = True
            elif not word.startswith("-"):
                words.append(word)
        if len(words) < 2 or {"--all", "--mirror"} & set(found["words"].split()):
            return []
        names += [word.lstrip("+").rpartition(":")[2] for word in words[1:]]
    return [] if any(name.upper() == "HEAD" for name in names) else names


def _stems(name: str) -> frozenset[str]:
    """Returns the stems of the parts of a branch or path, and its parts."""
    parts = _NAME.findall(name.lower())
    return stems_of(" ".join(parts)) | frozenset(parts)


@cache
def _folders() -> frozenset[str]:
    text = Path(__file__).with_name("elsewhere.toml").read_text(encoding="utf-8")
    return stems_of(tomllib.loads(text)["folders"])
