"""Warns of an action that does a rejected act, of which it leaves a place, a time or a person open."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.match import bounded, circumstances, recognition
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.match.things import involves
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import shown_places
from bardo.conduct.parse.conditions import conditions, limits, requirements
from bardo.conduct.parse.rejections.forbidden import ANY, ENDING
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import stems_of, vocabulary

#: Minimum number of words of a thing that tell alone that it is meant, without its operation.
_WORDS = 2
_ONLY = lazy_pattern(r"(?i)\bonly\b")
#: Prepositions of places and times. A purpose or a narrower thing is what is rejected: "for the fraud dashboard".
_PLACED = shown_places.AT | {"by", "via", "through", "during", "after", "before", "near"}


def warned(
    rejection: ParsedRejection, action: ParsedAction, found: Relation, *, now: int, approved: bool
) -> Relation:
    """Returns a relation refined by bounds; it warns if a single condition of place or time is left open.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        found: Relation by what is forbidden.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    found = bounded.refined(rejection, action, found, now=now, approved=approved)
    forbids = rejection.forbids
    if found.reading is not Reading.TOUCHES or action.reads:
        return found
    every = circumstances.holding(forbids, action, now=now, approved=approved)
    left = [each for each, holds in zip(forbids.conditions, every, strict=True) if holds is None]
    if any(map(limits.is_limit, left)):
        # On the allowed side of a limit it is another act.
        return found._replace(reading=Reading.NEAR, whole=False)
    if False in every or len(left) > 1 or not all(_is_place(each, action) for each in left):
        return found
    specific = frozenset(forbids.verbs) - ANY
    named = [each for each in forbids.things if involves(each, action, action.stems)]
    is_done = bool(named) and not specific.isdisjoint(action.verbs)
    is_named = any(len(stems_of(each) - vocabulary().incidental) >= _WORDS for each in named)
    is_ended = action.removes and specific.isdisjoint(ENDING)
    is_other = is_ended or (action.form == "prose" and recognition.is_negated(forbids, action))
    if is_other or not (is_done or (is_named and not specific)):
        return found
    # The thing that alone is wanted may be read as a rejected one: "conda-forge only".
    is_whole = bounded.said(rejection.text) <= action.stems and _ONLY.search(rejection.text) is None
    is_met = not left and (bool(forbids.conditions) or is_whole)
    return found._replace(reading=Reading.TOUCHES if is_met else Reading.NEAR, whole=True)


def _is_place(condition: str, action: ParsedAction) -> bool:
    """Whether a condition is of a place or time in words, and an action names no other one."""
    preposition = condition.partition(" ")[0]
    if preposition not in _PLACED or conditions.is_known(condition) or requirements.is_requirement(condition):
        return False
    return action.form != "prose" or re.search(rf"(?i)\b{preposition}\b", action.text) is None
