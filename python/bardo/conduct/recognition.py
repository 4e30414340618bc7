"""Decides whether an action is what a rejection forbids, by the data of the rejection (`Forbids`)."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from functools import lru_cache

from bardo.conduct import conditions
from bardo.conduct.action import ParsedAction, fits
from bardo.conduct.forbidden import ANY, ENDING, Forbids, kinds_in, phrase_of, stems_of, vocabulary
from bardo.conduct.matching import Reading

#: Operations that plan something for another time.
_EVENT = re.compile(
    r"(?i)\b(?:meeting|call|appointment|event|schedul\w*|book\w*|reserv\w*|calendar|session|flight|train)"
)
#: Words by which an action is not what it names.
NEGATED = re.compile(
    r"(?i)\b(?:without|no longer|not|never|instead of|rather than|no|from the old|away from|off of|get off|"
    r"(?:move|migrate) off|be closed)\b"
)
#: Prepositions that exclude each other.
_SIDES = frozenset({"before", "during", "after", "with", "without"})
_LACKS = re.compile(r"(?i)\b(?:without|no|not|none|null|false|missing|lacks?|skip\w*)\b|[\"']{2}")
_VERSION = re.compile(r"(?<!^)[@=<>~!^:\[].*")
_DRY = re.compile(r"(?<!\S)--(?:dry-run|help|version|check|simulate|whatif)\b")


def compare(forbids: Forbids, action: ParsedAction, *, now: int, approved: bool = False) -> Reading:
    """Returns the relation of an action to what is forbidden; `UNKNOWN` if nothing of it is in the action.

    Args:
        forbids: Data of the rejection.
        action: Parsed action.
        now: Wall clock, microseconds UTC, for conditions of time that the action leaves open.
        approved: Whether a person approved the action.
    """
    found = _by_pattern(forbids, action)
    if found is not Reading.SAME:
        by_things = _by_things(forbids, action)
        found = by_things if by_things is not Reading.UNKNOWN else found
    if found is not Reading.SAME or not forbids.conditions:
        return found
    every = holding(forbids, action, now=now, approved=approved)
    if False in every:
        return Reading.NEAR
    # With a condition that the action leaves open, all words decide.
    return Reading.TOUCHES if None in every else Reading.SAME


def holding(forbids: Forbids, action: ParsedAction, *, now: int, approved: bool) -> tuple[bool | None, ...]:
    """Returns for each condition whether it holds for an action; None if the action leaves it open."""
    is_event = _EVENT.search(action.text) is not None
    return tuple(
        _holds(condition, action, now=now, approved=approved, is_event=is_event)
        for condition in forbids.conditions
    )


def is_sure(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action is a forbidden command or package by its letters."""
    return fits(forbids.commands, action) or _has_package(forbids.packages, action)


def joined(found: Reading, by_operation: Reading) -> Reading:
    """Joins the relation by what is forbidden with that by the operation, where the first does not know."""
    if found is Reading.UNKNOWN:
        return by_operation
    if found is Reading.NEAR and by_operation is Reading.OTHER:
        return Reading.OTHER
    return found


def _by_pattern(forbids: Forbids, action: ParsedAction) -> Reading:
    """Returns the relation by commands, flags, packages, hosts, paths and phrases."""
    if fits(forbids.commands, action):
        return Reading.NEAR if any(_DRY.search(line) for line in action.lines) else Reading.SAME
    if not action.options.isdisjoint(forbids.flags) or _has_package(forbids.packages, action):
        return Reading.SAME
    named = any(host == each or host.endswith(f".{each}") for each in forbids.hosts for host in action.hosts)
    if not forbids.things and _does(forbids, action):
        named = named or any(_is_under(path, each) for each in forbids.paths for path in action.paths)
    is_prose = action.form == "prose"
    phrases = [
        found
        for phrase in forbids.phrases
        if (found := phrase_of(phrase)).is_in(action.stems, action.text, prose=is_prose)
    ]
    if not named and not phrases:
        return Reading.UNKNOWN
    # "Delete the card numbers" undoes what "store card numbers" forbids; "purge the cache" is a phrase itself.
    ending = vocabulary().removing | ENDING
    is_undone = action.form != "command" and action.removes and not set(forbids.verbs) & ENDING
    is_undone = is_undone and not any(phrase.stems & ending or "off" in phrase.text for phrase in phrases)
    if action.reads or is_undone or (action.form == "prose" and is_negated(forbids, action)):
        return Reading.NEAR
    return Reading.SAME


def is_negated(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action in words is not what it names; "without" is none where the rejection says it itself."""
    said = {condition.split(maxsplit=1)[0] for condition in forbids.conditions}
    return any(match[0].lower() not in said for match in NEGATED.finditer(action.text))


def _by_things(forbids: Forbids, action: ParsedAction) -> Reading:  # noqa: PLR0911 - one return per relation
    """Returns the relation by objects and operations."""
    specific = frozenset(forbids.verbs) - ANY
    if not forbids.things:
        return Reading.SAME if specific & action.verbs and not action.reads else Reading.UNKNOWN
    if not any(_involves(thing, action) for thing in forbids.things):
        return Reading.UNKNOWN
    if not _does(forbids, action):
        is_open = (action.reads and action.form != "command") or not (action.verbs or action.reads)
        return Reading.NEAR if is_open else Reading.UNKNOWN
    if action.reads and "read" not in forbids.verbs:
        return Reading.OTHER if action.form == "command" else Reading.NEAR
    if action.form == "prose" and is_negated(forbids, action):
        return Reading.NEAR
    if specific - {"install"}:
        # "Cancel the booking" names the forbidden operation, and ends it.
        is_ended = action.form == "prose" and action.removes and not specific & (ENDING | action.operations)
        return Reading.NEAR if is_ended else Reading.SAME
    if (
        action.form == "command"
        and "install" in action.verbs
        and not any(_installs(thing, action) for thing in forbids.things)
    ):
        return Reading.NEAR
    if not forbids.verbs:
        # The operation is not known: all words decide.
        return Reading.TOUCHES
    return Reading.NEAR if action.removes and "modify" not in forbids.verbs else Reading.SAME


def _does(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action does one of the forbidden operations, or an unknown one where any will do."""
    verbs = set(forbids.verbs)
    if verbs <= ANY:
        return True
    if "install" in verbs and not action.verbs:
        return True
    return bool(verbs & action.verbs)


def _involves(thing: str, action: ParsedAction) -> bool:
    """Whether an action has all words of a thing, or a member of the kind that they name."""
    stems, named = _thing(thing)
    for kind in named & action.kinds:
        for name in vocabulary().kinds[kind]:
            stems -= name
    return stems <= action.stems


def _installs(thing: str, action: ParsedAction) -> bool:
    """Whether a command that installs packages names the thing, and not a package with a longer name.

    The thing may also be the program with its prefix: `sudo pip`.
    """
    stems, named = _thing(thing)
    members = [
        name for kind in named for names in vocabulary().members.values() for name, of in names if of == kind
    ]
    wanted = (stems, *members)
    words = [line.split() for line in action.lines]
    return any(stems_of(_plain(word)) in wanted for each in words for word in (*each, " ".join(each[:2])))


@lru_cache(4_096)
def _thing(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    stems = stems_of(thing)
    kept = stems - vocabulary().incidental
    return kept or stems, kinds_in(stems, vocabulary().kinds_by_stem)


def _holds(condition: str, action: ParsedAction, *, now: int, approved: bool, is_event: bool) -> bool | None:
    if condition.casefold() in action.text.casefold():
        # The action says so itself, at any time.
        return True
    if conditions.is_known(condition):
        return conditions.holds(condition, action.text, now=now, approved=approved, is_event=is_event)
    preposition, _, words = condition.partition(" ")
    if _involves(words, action):
        if preposition == "without":
            # "Without a limit" does not hold for an order with one.
            return _LACKS.search(action.text) is not None
        others = {word for word in _SIDES if re.search(rf"(?i)\b{word}\b", action.text)}
        return preposition not in _SIDES or not others or preposition in others
    return False if conditions.excluding(stems_of(words), action.stems) else None


def _has_package(packages: Sequence[str], action: ParsedAction) -> bool:
    """Whether a command installs or runs one of the packages, in any version or a path of it."""
    if not packages or not action.verbs & {"use", "install"} or action.form != "command":
        return False
    wanted = {_plain(name) for name in packages}
    named = set(map(_plain, action.installs))
    return not wanted.isdisjoint(named | {name.split("/")[0] for name in named})


@lru_cache(4_096)
def _plain(name: str) -> str:
    """Returns the name of a package without version, suffix and case."""
    return re.sub(r"\.(?:js|ts|py|rs|rb|io)$", "", _VERSION.sub("", name.strip("'\"").lower()))


def _is_under(path: str, pattern: str) -> bool:
    path, pattern = path.removeprefix("./").rstrip("/"), pattern.removeprefix("./").rstrip("/*")
    return path == pattern or path.startswith(f"{pattern}/") or fnmatch.fnmatch(path, pattern)
