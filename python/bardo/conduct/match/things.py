"""Tells whether the things of a rejection are in an action, and whether the action does what is forbidden to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.action import TABLE, ParsedAction
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections.forbidden import ANY, CHANGING
from bardo.conduct.parse.vocabulary import kinds_in, stems_of, vocabulary

_VERSION = lazy_pattern(r"(?<!^)[@=<>~!^:\[].*")
#: Destination of a move, and substitute: "migrate it to X", "replace it with X".
_MOVED = lazy_pattern(
    r"(?i)\b(?:(?:migrat|mov|port|switch|convert|transfer)\w* .*?\b(?:to|onto|into)|"
    r"(?:replac|swap|exchang|substitut)\w* .*?\b(?:with|by|for)) (?P<to>.+)"
)


def things_of(action: ParsedAction, verbs: frozenset[str]) -> frozenset[str]:
    """Returns the stems of the things of an action, by the forbidden operations.

    A word of an address is a name, and no thing that is changed: "api" in `https://api.weather.gov`. It counts where
    any use is forbidden, since a request uses its host, and in the path of what the forbidden operation is done to:
    `requests.delete("https://a.org/customers/5")`.
    """
    if not verbs.isdisjoint({"use", "install"}):
        return action.stems
    is_done = action.form != "prose" and not verbs.isdisjoint(action.verbs)
    return action.stems - (action.hosted if is_done else action.addressed)


def is_destination(thing: str, action: ParsedAction) -> bool:
    """Whether a sentence moves something to a thing, or replaces something with it: that is no end of the thing."""
    if action.form != "prose" or (found := _MOVED.search(action.text)) is None:
        return False
    stems, _ = words_of(thing)
    return stems <= stems_of(found["to"]) and not stems <= stems_of(action.text[: found.start("to")])


def verbs_against(forbids: Forbids, action: ParsedAction) -> frozenset[str]:
    """Returns the forbidden operations; none if any change is forbidden and the action is not known to be one."""
    verbs = frozenset(forbids.verbs)
    # An operation that a sentence only mentions is not done: "look up what changes".
    done = action.verbs if action.form != "prose" or action.operations else frozenset[str]()
    return frozenset() if verbs == CHANGING and not verbs & done else verbs


def does(verbs: frozenset[str], action: ParsedAction) -> bool:
    """Whether an action does one of the forbidden operations, or an unknown one where any will do."""
    if verbs <= ANY:
        return True
    if "install" in verbs and not action.verbs:
        return True
    return bool(verbs & action.verbs)


def keeps(action: ParsedAction) -> bool:
    """Whether an action leaves its object as it is, as far as its operations tell."""
    kinds = operation_table.table().operations
    return (
        bool(action.verbs) and not action.places.written and all(kinds[name].keeps for name in action.verbs)
    )


def involves(thing: str, action: ParsedAction, there: frozenset[str]) -> bool:
    """Whether an action has all words of a thing, or a member of the kind that they name.

    Args:
        thing: Thing in words.
        action: Action.
        there: Stems of the action.
    """
    stems, named = words_of(thing)
    if action.tables and (name := stems - TABLE) and name != stems:
        # "The bookings table" is the table of SQL: `delete from bookings`.
        return any(name <= table for table in action.tables)
    for kind in named & action.kinds:
        for name in vocabulary().kinds[kind]:
            stems -= name
    return stems <= there


def is_common_noun(package: str, action: ParsedAction) -> bool:
    """Whether a sentence has the name of a package as a common noun: "wait a moment", not "add a moment dependency"."""
    if action.form != "prose":
        return False
    with_article = (
        rf"(?i)\b(?:a|an|one|every|each|another|at (?:the|this|that)) {re.escape(package)}\b(?: (\w+))?"
    )
    found = list(re.finditer(with_article, action.text))
    named = len(re.findall(rf"(?i)\b{re.escape(package)}\b", action.text))
    kinds = operation_table.table().kinds
    return 0 < len(found) == named and not any(stems_of(match[1] or "") & kinds for match in found)


def installs(thing: str, action: ParsedAction) -> bool:
    """Whether a command that installs packages names the thing, and not a package with a longer name.

    The thing may also be the program with its prefix: `sudo pip`.
    """
    stems, named = words_of(thing)
    members = [
        name for kind in named for names in vocabulary().members.values() for name, of in names if of == kind
    ]
    wanted = (stems, *members)
    words = [line.split() for line in action.lines]
    return any(stems_of(plain_name(word)) in wanted for each in words for word in (*each, " ".join(each[:2])))


def is_other_package(forbids: Forbids, names: frozenset[str], action: ParsedAction) -> bool:
    """Whether a command installs packages, and none that is related to those of which a text has nothing but names.

    Args:
        forbids: Data of what the text forbids.
        names: Stems of its objects that are names.
        action: Action.
    """
    if not forbids.packages or not action.is_command or action.operations != {"install"}:
        return False
    stems = stems_of(" ".join((*forbids.things, *forbids.packages)))
    kinds = kinds_in(stems, vocabulary().kinds_by_stem)
    members = (each for listed in vocabulary().members.values() for each in listed)
    # Of a kind, such as an ORM, the command may install a member that the vocabulary has not.
    is_named = stems <= names and all(name <= stems for name, kind in members if kind in kinds)
    there = action.used | action.kin | action.things
    return is_named and bool(action.used - action.programs) and stems.isdisjoint(there)


def is_other_object(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether known commands of a program change nothing of the one kind of its objects that is to stay as it is.

    "Never touch the git remotes" is not about `git commit`.
    """
    if not action.is_command or not forbids.verbs or not CHANGING.issuperset(forbids.verbs):
        return False
    if len(forbids.things) != 1 or forbids.paths:
        return False
    stems, _ = words_of(forbids.things[0])
    kept = stems - action.programs
    return bool(kept) and kept < stems and kept.isdisjoint(action.stems | action.used | action.kin)


@lru_cache(4_096)
def words_of(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the stems of a thing in words, without incidental ones, and the kinds that it names."""
    stems = stems_of(thing)
    kept = stems - vocabulary().incidental
    return kept or stems, kinds_in(stems, vocabulary().kinds_by_stem)


@lru_cache(4_096)
def plain_name(name: str) -> str:
    """Returns the name of a package without version, suffix and case."""
    return re.sub(r"\.(?:js|ts|py|rs|rb|io)$", "", _VERSION.sub("", name.strip("'\"").lower()))


def package_in(packages: Sequence[str], action: ParsedAction) -> str:
    """Returns the package that a command installs or runs, in any version or a path of it; empty if none."""
    if not packages or not action.installs:
        return ""
    named = set(map(plain_name, action.installs))
    named |= {name.split("/")[0] for name in named}
    return next((package for package in packages if plain_name(package) in named), "")
