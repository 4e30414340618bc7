"""Decides whether the conditions of a rejection hold for an action: times, channels, approval, words and options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from bardo._patterns import lazy_pattern
from bardo.conduct.match.matching import Reading
from bardo.conduct.match.things import involves
from bardo.conduct.parse import parties
from bardo.conduct.parse.action import ParsedAction, has_options
from bardo.conduct.parse.actions import clock, operation_table, places, shown_places
from bardo.conduct.parse.conditions import channels, conditions, fulfilled, limits, requirements
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections.forbidden import places_in
from bardo.conduct.parse.times import DAYS
from bardo.conduct.parse.vocabulary import stems_of, vocabulary
from bardo.consolidate.languages.english.dates import MONTHS

#: Operations that plan something for another time.
_EVENT = lazy_pattern(
    r"(?i)\b(?:meeting|call|appointment|event|schedul\w*|book\w*|reserv\w*|calendar|session|flight|train)"
)
#: Words of a time that lasts, of which the days and hours in between are not named.
_LASTING = lazy_pattern(r"(?i)\b(?:until|till?|through|thru|over)\b")
#: Prepositions that exclude each other.
_SIDES = frozenset({"before", "during", "after", "with", "without"})
#: Words of an action that lacks something.
LACKS = lazy_pattern(r"(?i)\b(?:without|no|not|none|null|false|missing|lacks?|skip\w*)\b|[\"']{2}")
#: Prepositions of what is there: "with a mail", "from Dagny".
_PRESENCE = frozenset({"with", "from", "by"})
_AHEAD = lazy_pattern(r"(?i)\b(?:before|unless|until|till)\b")


def relation_of(conditions_: Sequence[str], every: Sequence[bool | None], action: ParsedAction) -> Reading:
    """Returns the relation of an action that does what is forbidden under conditions.

    Conditions on one axis are alternatives: an action is neither before nine and after six, nor on two days.
    """
    axes: dict[str, list[bool | None]] = {}
    for condition, holds in zip(conditions_, every, strict=True):
        axes.setdefault(conditions.axis(condition), []).append(holds)
    met = {axis: conditions.any_of(held) for axis, held in axes.items()}
    failed = [axis for axis, holds in met.items() if holds is False]
    if failed:
        kinds = operation_table.table().operations
        is_grave = any(kinds[name].grave for name in action.operations)
        # Whether an approval is one, and whether a grave operation hits the right environment, a person decides.
        asked = {"without approval", *(("in production",) if is_grave else ())}
        return Reading.NEAR if asked.issuperset(failed) else Reading.OTHER
    # With a condition that the action leaves open, all words decide.
    return Reading.TOUCHES if None in met.values() else Reading.SAME


def failing_in(text: str, forbids: Forbids, action: ParsedAction, *, now: int) -> str:
    """Returns a condition that does not hold for an action: an exception, a channel, or a time; empty without one.

    The words of the action decide it, or the clock.
    """
    apart = (
        each
        for each in forbids.conditions
        if channels.is_channel(each) or each.startswith("except") or parties.is_party(each)
    )
    for condition in apart:
        if _holds(condition, action, forbids, now=now, approved=False, is_event=False) is False:
            return condition
    timed = list(filter(conditions.is_of_time, forbids.conditions))
    if not timed:
        return ""
    if lasts(action.text) or lasts(text):
        return ""
    is_event = not conditions.names_time(action.text) and _EVENT.search(action.text) is not None
    held: dict[str, list[bool | None]] = {}
    for condition in timed:
        holds = _holds(condition, action, forbids, now=now, approved=False, is_event=is_event)
        held.setdefault(conditions.axis(condition), []).append(holds)
    failed = {axis for axis, each in held.items() if conditions.any_of(each) is False}
    return next((each for each in timed if conditions.axis(each) in failed), "")


def person_of(condition: str, action: ParsedAction) -> str:
    """Returns a name in an action that may be one of the persons whom a condition names by their kind; or empty.

    "Of Mila" may be "of the children": only a memory of who is who can tell.
    """
    preposition, _, words = condition.partition(" ")
    if action.form != "prose" or not words or not stems_of(words) & vocabulary().kin:
        return ""
    known = frozenset((*DAYS, *MONTHS))
    return next(
        (
            found["name"]
            for found in re.finditer(rf"\b{re.escape(preposition)} (?P<name>[A-Z][\w-]+)", action.text)
            if found["name"].casefold() not in known
        ),
        "",
    )


def lasts(text: str) -> bool:
    """Whether a text has words of a time that lasts, of which it does not name the days and hours in between."""
    return _LASTING.search(text) is not None


def holding(forbids: Forbids, action: ParsedAction, *, now: int, approved: bool) -> tuple[bool | None, ...]:
    """Returns for each condition whether it holds for an action; None if the action leaves it open."""
    is_event = _EVENT.search(action.text) is not None
    return tuple(
        _holds(condition, action, now=now, approved=approved, is_event=is_event, forbids=forbids)
        for condition in forbids.conditions
    )


def leaves_limit(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action, which may be on the allowed side of a limit or of other files, does not tell that."""
    about = _about(forbids)
    return any(
        (limits.is_limit(each) and limits.holds(each, action.text, about) is None)
        or (places.is_of_files(each) and places.of_files(each, action.text) is None)
        for each in forbids.conditions
    )


def _holds(
    condition: str,
    action: ParsedAction,
    forbids: Forbids,
    *,
    now: int,
    approved: bool,
    is_event: bool,
) -> bool | None:
    kind, _, excepted = condition.partition(" ")
    if kind == "except":
        is_excepted = _holds(excepted, action, forbids, now=now, approved=approved, is_event=is_event)
        return None if is_excepted is None else not is_excepted
    if kind == "excepting":
        # Most of its words are enough: an exception that is met by mistake costs a missed block only.
        stems = stems_of(excepted)
        return not (stems and 2 * len(stems & action.stems) > len(stems))
    if condition.casefold() in action.text.casefold():
        # The action says so itself, at any time.
        return True
    if channels.is_channel(condition):
        return channels.holds(condition, action.text)
    if conditions.is_known(condition) and not places_in(condition)[0]:
        return conditions.holds(
            condition, action.text, now=now, approved=approved, is_event=is_event, about=_about(forbids)
        )
    return _has_words(condition, action, stems_of(" ".join(forbids.things)))


@lru_cache(4_096)
def _about(forbids: Forbids) -> frozenset[str]:
    """Returns the stems of things, phrases and conditions in words."""
    words = (
        each for each in forbids.conditions if not (conditions.is_known(each) or each.startswith("except"))
    )
    named = " ".join((*forbids.things, *forbids.phrases, *words))
    # "Set point" is one word in names of fields.
    joined = (f"{one}{other}" for one, other in pairwise(named.lower().split()))
    return stems_of(f"{named} {' '.join(joined)}")


def told_of(condition: str, action: ParsedAction, about: frozenset[str]) -> bool | None:
    """Whether a condition of what is there or missing holds, as far as fields or plain words tell; None if neither do.

    Args:
        condition: Condition in words: "without a PO number", "until the tenant has said yes", "with a mail".
        action: Parsed action.
        about: Stems of the rejected things, of which a field is no sign of the condition.
    """
    preposition, _, words = condition.partition(" ")
    is_missing = requirements.is_requirement(condition) or preposition == "without"
    if not is_missing and preposition not in _PRESENCE:
        return None
    if is_missing and fulfilled.is_unasked(condition, action.text):
        return True
    if action.form == "prose":
        return None
    has = fulfilled.by_fields(stems_of(words) - about, action.text)
    return None if has is None else has is not is_missing


def _has_words(condition: str, action: ParsedAction, about: frozenset[str]) -> bool | None:
    """Whether an action has the words, options or fields of a condition; None if it leaves them open.

    Args:
        condition: Condition in words.
        action: Parsed action.
        about: Stems of the rejected things, of which a field is no sign of the condition.
    """
    is_missing = requirements.is_requirement(condition)
    if flags := places_in(condition)[0]:
        has = any(has_options(action, each) for each in flags)
        return has is not is_missing if action.form == "command" else None
    preposition, _, words = condition.partition(" ")
    told = told_of(condition, action, about)
    told = _shown(condition, action) if told is None else told
    if told is not None:
        return told
    named = shown_places.alternatives(words)
    if any(involves(each, action, action.stems) for each in named):
        if is_missing or preposition == "without":
            # "Without a limit" does not hold for an order with one.
            is_ahead = is_missing and _AHEAD.search(action.text) is not None
            return is_ahead or LACKS.search(action.text) is not None
        others = {word for word in _SIDES if re.search(rf"(?i)\b{word}\b", action.text)}
        return preposition not in _SIDES or not others or preposition in others
    if preposition in shown_places.AT and any(shown_places.is_shown(each, action.text) for each in named):
        return True
    return False if conditions.excluding(stems_of(words), action.stems) else None


def _shown(condition: str, action: ParsedAction) -> bool | None:
    """Whether the files, parties or dates of an action decide a condition, and how; None if they do not."""
    every = (
        places.of_files(condition, action.text),
        parties.holds(condition, action),
        clock.is_in_month(condition, action.text),
    )
    return next((each for each in every if each is not None), None)
