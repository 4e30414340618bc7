"""Compares an action with a rejection of an act beyond a bound: a limit, a time, a date, a requirement.

A figure, time or empty field that the action states itself is strong evidence. On the allowed side it makes the action
another one with certainty. On the forbidden side fewer words must tell that the act is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.match import circumstances, operation_match, recognition
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.match.things import involves
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import clock, figures, operation_table
from bardo.conduct.parse.conditions import conditions, dated, fulfilled, limits, requirements
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import ANY
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import stems_of, vocabulary

#: Minimum share of the words of the rejected thing with which an action beyond its bound is warned of.
_SHARE = 0.5
#: First words of exceptions.
_EXCEPT = ("unless", "except")
#: Field that is set to nothing.
_EMPTIED = lazy_pattern(r"(?i)\bset \w+ ?= ?(?:0|null|false)\b")


def refined(
    rejection: ParsedRejection, action: ParsedAction, found: Relation, *, now: int, approved: bool
) -> Relation:
    """Returns the relation of an action to what is forbidden beyond a bound; the given one if it decides nothing more.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        found: Relation by what is forbidden.
        now: Wall clock, microseconds UTC, for times that the action leaves open.
        approved: Whether a person approved the action.
    """
    forbids = rejection.forbids
    about = stems_of(" ".join(forbids.things))
    bounds = [each for each in forbids.conditions if _is_bound(each) or _is_told(each, action, about)]
    if not bounds or found.exact:
        return found
    every = dict(
        zip(
            forbids.conditions,
            circumstances.holding(forbids, action, now=now, approved=approved),
            strict=True,
        )
    )
    stated = [each for each in bounds if _states(each, action, every[each])]
    met = {
        axis: conditions.any_of([every[each] for each in bounds if conditions.axis(each) == axis])
        for axis in dict.fromkeys(map(conditions.axis, bounds))
    }
    told = "; ".join(f"{each!r} {'holds' if every[each] else 'does not hold'}" for each in stated)
    if any(met[conditions.axis(each)] is False for each in stated) and not circumstances.lasts(action.text):
        return Relation(Reading.OTHER, told, exact=True)
    others = [holds for each, holds in every.items() if each not in bounds]
    is_met = bool(stated) and all(met.values()) and False not in others
    if not is_met or found.reading in (Reading.NEAR, Reading.OTHER) or _is_unlike(rejection, action):
        return found
    because = "; ".join(dict.fromkeys(filter(None, f"{found.because}; {told}".split("; "))))
    is_aged = any(each.dimension == figures.AGE for each in figures.figures_of(action.text))
    is_plain = not is_aged and all(map(limits.is_plain, stated))
    reading = _of_act(rejection, action, is_plain=is_plain)
    is_ended = _is_ended(rejection, action)
    # A practice or a phrase may tell the act as well.
    is_told = found.reading is Reading.SAME and reading is not Reading.SAME and not is_ended
    if is_told or reading is Reading.UNKNOWN or _is_excepted(every, action):
        return found
    if is_ended:
        return Relation(Reading.NEAR, f"{because}; ends it", found.by)
    return Relation(Reading.NEAR if None in others else reading, because, found.by, whole=True)


def _is_unlike(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action only reads, or negates what it names."""
    if recognition.reads_only(rejection.forbids.verbs, action):
        return True
    return action.form == "prose" and recognition.is_negated(rejection.forbids, action)


def _of_act(rejection: ParsedRejection, action: ParsedAction, *, is_plain: bool) -> Reading:
    """Returns how far an action does the rejected act, its bound aside.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        is_plain: Whether the bound is a number alone, which may be one of anything.
    """
    forbids = rejection.forbids
    specific = frozenset(forbids.verbs) - ANY
    does = not specific.isdisjoint(action.verbs)
    mentions = any(
        phrase and action.stems.issuperset(phrase)
        for verb in specific
        for phrase in operation_table.phrases_of(verb)
    )
    things = [each for each in forbids.things if stems_of(each)]
    if any(involves(each, action, action.stems) for each in things):
        return Reading.SAME if does or not specific else Reading.NEAR
    words = said(rejection.text)
    is_whole = len(words) > 1 and words <= action.stems
    if (
        (not things and does)
        or is_whole
        or operation_match.compare(rejection, action).reading is Reading.SAME
    ):
        return Reading.SAME
    # The words of a place, and of what is counted, tell nothing of the act.
    beside = stems_of(" ".join(each for each in forbids.conditions if not each.startswith("except")))
    head = said(rejection.text)
    every = (head - beside or head, *(stems_of(each) - vocabulary().incidental for each in things))
    share = max((len(each & action.stems) / len(each) for each in every if len(each) > 1), default=0.0)
    is_near = share >= _SHARE or ((does or mentions) and (share > 0 or not things) and not is_plain)
    return Reading.NEAR if is_near else Reading.UNKNOWN


@lru_cache(4_096)
def said(text: str) -> frozenset[str]:
    """Returns the stems of the act that a text rejects, without its conditions and tails."""
    head, _ = conditions.split(wording.plain(text))
    stems = operation_table.canonical_stems(re.findall(r"[^\W_]+", head.lower()))
    return stems - operation_table.framing_stems() - vocabulary().incidental


def _is_ended(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action ends or takes away something, where the rejection is of another act."""
    is_ended = action.removes or _EMPTIED.search(action.text) is not None
    return is_ended and action.verbs.isdisjoint(frozenset(rejection.forbids.verbs) - ANY)


def _is_excepted(every: Mapping[str, bool | None], action: ParsedAction) -> bool:
    """Whether an action has words of an exception that it leaves open: "unless lives are in danger"."""
    left = (
        each.partition(" ")[2] for each, holds in every.items() if holds is None and each.startswith(_EXCEPT)
    )
    return any(not stems_of(each).isdisjoint(action.stems) for each in left)


def _is_bound(condition: str) -> bool:
    condition = condition.removeprefix("except ")
    return limits.is_limit(condition) or conditions.is_of_time(condition)


def _is_told(condition: str, action: ParsedAction, about: frozenset[str]) -> bool:
    """Whether a field or plain words tell whether a requirement is fulfilled."""
    if condition == "without approval":
        return fulfilled.is_approved(action.text) is not None or fulfilled.is_unasked(condition, action.text)
    is_missing = condition.startswith("without ") or requirements.is_requirement(condition)
    return is_missing and circumstances.told_of(condition, action, about) is not None


def _states(condition: str, action: ParsedAction, holds: bool | None) -> bool:
    """Whether an action itself says whether a bound holds, rather than the clock."""
    if holds is None:
        return False
    condition = condition.removeprefix("except ")
    if limits.is_limit(condition):
        # A number of a version may be of any program.
        return not limits.is_version(condition)
    if dated.is_dated(condition):
        return dated.names_date(action.text)
    if not conditions.is_of_time(condition):
        return True
    found = clock.times_of(action.text)
    return bool(found.days) if conditions.axis(condition) == "day" else bool(found.minutes or found.spans)
