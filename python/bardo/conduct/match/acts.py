"""Compares an action with the act that a rejection forbids: the same verb, on the same things and places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.match import circumstances
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.parse import heads
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import clock, command_forms, operation_table, operations
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.rejections import acts, refused_things
from bardo.conduct.parse.rejections.acts import ANYWHERE, Act, Part
from bardo.conduct.parse.rejections.forbidden import ANY
from bardo.conduct.parse.rejections.rejected_names import word_lists
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import stems_of

#: Stems of words, and their letters and digits without spaces.
_Words = tuple[frozenset[str], str]
_UNKNOWN = Relation(Reading.UNKNOWN)
#: Words of an action after which it names what is not done, or not there.
_WITHOUT = lazy_pattern(r"\b(?:instead of|rather than|without|not|no|never)\b.*", re.IGNORECASE)
#: Operations too general to take one verb for another.
_GENERAL = ANY | {"install", "read", "contact"}
#: Operation whose verbs name the way, and the verb that names none: to text is not to email.
_WAYS, _ANY_WAY = "send", "send"
#: Prepositions that mean the same place.
_SIDES = {"into": "in", "inside": "in", "onto": "on", "to": "on", "via": "by", "through": "by", "with": "by"}
#: Limit of a time that lasts, of which figures in other units tell nothing.
_LASTS = lazy_pattern(
    r"\b(?:above|below|over|under|more than|less than|longer than|fewer than) (?:\w+ )"
    r"?(?:seconds?|minutes?|hours?|days?|"
    r"weeks?|months?)\b",
    re.IGNORECASE,
)


def compare(
    rejection: ParsedRejection, action: ParsedAction, *, now: int, approved: bool = False
) -> Relation:
    """Returns `SAME` for the forbidden act, `TOUCHES` if its places or conditions are left open, else `UNKNOWN`.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    act, clause = _meeting(rejection, action)
    if act is None or clause is None:
        return _UNKNOWN
    held = circumstances.holding(rejection.forbids, action, now=now, approved=approved)
    holds = dict(zip(rejection.forbids.conditions, held, strict=True))
    missing, is_pointed = _missing(act, _segments(clause.text, is_prose=action.form == "prose"))
    if False in held or not _may_be_open(act, missing, action):
        return _UNKNOWN
    reason = f"act {act.verb or 'any'!r} of {' '.join(sorted(act.parts[0].members[0][0]))!r}"
    is_open = bool(missing) or is_pointed or act.is_conditional or _LASTS.search(rejection.text) is not None
    # A sentence may bring about something else with the words of a thing, or ask another person for the act.
    is_open |= action.form == "prose" and (not act.verb or conditions.asks(action.text))
    # Patterns of commands and options tell more exactly than a verb whether an action is what they stand for.
    forbids = rejection.forbids
    is_open |= bool(forbids.flags or (forbids.commands and act.verb))
    if is_open or not all(holds.get(each) for each in act.conditions):
        return Relation(Reading.TOUCHES, f"{reason}; the rest is left open", whole=True)
    return Relation(Reading.SAME, reason, exact=True)


def _meeting(rejection: ParsedRejection, action: ParsedAction) -> tuple[Act | None, heads.Clause | None]:
    """Returns the act that a rejection forbids, and the clause of the action that may do it."""
    if rejection.forbids.by or command_forms.of_text(rejection.text) is not None:
        # A person corrected what is forbidden, or it is a command, of which the forms decide.
        return None, None
    if (act := acts.of_text(rejection.text)) is not None:
        return act, next((each for each in heads.clauses_of(action) if _does(act, each)), None)
    act = refused_things.of_text(rejection.text)
    return act, None if act is None else _bringing_about(action)


def _missing(act: Act, segments: Sequence[tuple[str, _Words]]) -> tuple[list[Part], bool]:
    """Returns the parts of an act that a clause lacks, and whether a pronoun may stand for one that it has in part."""
    missing = [part for part in act.parts if not _is_in(part, segments, is_strict=not act.verb)]
    if not act.is_pointing:
        return missing, False
    # Of "feature flags" the pronoun may stand for the flags.
    named = segments[0][1][0]
    others = [
        each for each in missing if each.preposition or not any(words & named for words, _ in each.members)
    ]
    return others, others != missing


def _may_be_open(act: Act, missing: Sequence[Part], action: ParsedAction) -> bool:
    """Whether an action may lack parts of an act: places, of which no word excludes them, and not all of it."""
    if not act.verb and (missing or act.is_conditional):
        # Without the verb, the open part may be all that the text is about.
        return False
    if len(missing) == len(act.parts) or any(each.preposition in ("", ANYWHERE) for each in missing):
        return False
    return not any(conditions.excluding(stems, action.stems) for part in missing for stems, _ in part.members)


def _bringing_about(action: ParsedAction) -> heads.Clause | None:
    """Returns the clause of an action that may bring something about; None if it reads, ends, asks or denies."""
    lists, kinds = word_lists(), operation_table.table().operations
    if action.reads or action.removes or conditions.asks(action.text):
        return None
    if action.form == "command":
        only_reads = bool(action.operations) and all(kinds[name].reads for name in action.operations)
        is_dry = action.dry_lines.issuperset(action.lines)
        return None if only_reads or is_dry else heads.Clause((), heads.effective(action))
    clause = next(iter(heads.clauses_of(action)), None)
    if clause is None:
        return None
    if action.form == "tool":
        is_left = not heads.words().ending.isdisjoint(heads.called_by(action))
        return None if is_left else clause._replace(text=heads.effective(action))
    is_about = any(heads.stem_of(word) in lists["about"] for word in operations.words_of(clause.text))
    is_done = clause.verbs[-1] in lists["adopting"] | lists["sending"]
    return clause if is_done and not is_about else None


def _does(act: Act, clause: heads.Clause) -> bool:
    """Whether a clause has the verb of an act, or another one for the same operation."""
    if act.verb in clause.verbs:
        return True
    named = frozenset().union(*(operation_table.phrase_at([verb])[0] for verb in clause.verbs))
    told = frozenset().union(*map(operations.closure, named))
    general = _GENERAL if act.verb == _ANY_WAY else _GENERAL | {_WAYS}
    return bool(act.operations & told - general)


@lru_cache(64)
def _segments(text: str, *, is_prose: bool) -> tuple[tuple[str, _Words], ...]:
    """Returns the object of a clause and its places with their prepositions; a call or a command is one of any.

    What follows "of" belongs to what is before it: "the name of our competitor".
    """
    if not is_prose:
        return ((ANYWHERE, _named(f"{text} {' '.join(clock.months_of(text))}")),)
    head, scopes = conditions.scopes(_WITHOUT.sub("", text))
    found = [("", head)]
    for preposition, words in scopes:
        if preposition == "of":
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}")
        else:
            found.append((preposition, words))
    return tuple((preposition, _named(words)) for preposition, words in found)


def _named(text: str) -> _Words:
    """Returns the stems of a text, and its letters and digits alone."""
    return stems_of(text), re.sub(r"[\W_]", "", text).lower()


def _is_in(part: Part, segments: Sequence[tuple[str, _Words]], *, is_strict: bool) -> bool:
    """Whether an action has one of the alternatives of a part in its place, in separate words or in one.

    The object of the act is the object of the action: not "polish the parquet in the bronze hall".
    """
    for preposition, (stems, letters) in segments:
        is_place = bool(preposition) and part.preposition not in ("", "of")
        is_place &= not is_strict or _SIDES.get(preposition, preposition) == _SIDES.get(
            part.preposition, part.preposition
        )
        is_object = not preposition and part.preposition in ("", "of")
        is_meant = ANYWHERE in (preposition, part.preposition) or is_place or is_object
        if is_meant and any(
            words <= stems or (len(words) > 1 and joined in letters) for words, joined in part.members
        ):
            return True
    return False
