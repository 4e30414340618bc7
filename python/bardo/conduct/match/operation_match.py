"""Compares an action with a text by their operations and objects, as far as the table of operations knows them."""

from __future__ import annotations

from functools import partial

from bardo.conduct.match import own_words, receivers
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.actions.operations import closure
from bardo.conduct.parse.rejections.forbidden import CHANGING
from bardo.conduct.parse.rejections.rejection import ParsedRejection, ParsedText

#: Operations whose object is the named program or package.
_BY_NAME = frozenset({"use", "install"})
#: Operations that a request may do which only fetches.
_BY_REQUEST = frozenset({"use", "call", "send", "download"})
_relation = partial(Relation, by="operation")
_UNKNOWN = _relation(Reading.UNKNOWN)
#: Number of content words beside its operations with which a text says more than an operation.
_SAYS_MORE = 2


def compare(text: ParsedText, action: ParsedAction) -> Relation:
    """Returns the relation of an action to a text, as far as known to the table."""
    if receivers.is_of_receiver(text, action):
        return _relation(Reading.OTHER, "of the receiver alone")
    return _by_table(text, action)


def _by_table(text: ParsedText, action: ParsedAction) -> Relation:
    common = _common(text, action)
    # The longest tells most: of "Orchard 8.3" the name, and not "8".
    shown = max(sorted(common), key=len, default="")
    known = _relation(Reading.TOUCHES, f"{shown!r} in common") if common else _UNKNOWN
    if not action.operations or not text.operations:
        return known
    kinds = operation_table.table().operations
    meeting = [name for name in action.operations if closure(name) & text.operations]
    if action.whole and not meeting and _is_harmless(text, action):
        return _relation(Reading.OTHER, f"operation {min(action.operations)!r} {_difference(text, action)}")
    if action.is_command and "use" in text.operations:
        meeting = [name for name in action.operations if not kinds[name].reads]
    if not meeting:
        return known
    reason = f"operation {min(meeting)!r}"
    grave = any(kinds[name].grave for name in meeting)
    if _contrasting(text, action):
        reading = Reading.NEAR if grave or not action.whole else Reading.OTHER
        return _relation(reading, f"{reason}, in another environment or at another time")
    reading = _by_things(text, action, grave=grave, touching=bool(common))
    if reading is Reading.SAME and action.is_command and action.reads and not kinds[min(meeting)].reads:
        return _relation(Reading.NEAR, f"{reason}; a dry run")
    things = "the same things" if reading is Reading.SAME else "not all of its things"
    return _UNKNOWN if reading is Reading.UNKNOWN else _relation(reading, f"{reason} on {things}")


def undone(verbs: frozenset[str], action: ParsedAction) -> Relation:
    """Returns the relation of an action in the other direction of a forbidden operation; `UNKNOWN` if it is in none.

    Scaling up is not the forbidden scaling down; scaling without a direction may be.

    Args:
        verbs: Forbidden operations.
        action: Parsed action.
    """
    kinds = operation_table.table().operations
    if verbs & action.verbs:
        return _UNKNOWN
    opposite = frozenset().union(*(kinds[name].opposite for name in verbs))
    if opposite & action.operations:
        return _relation(Reading.OTHER, f"operation {min(opposite & action.operations)!r} undoes it")
    wider = {
        wide
        for name in verbs
        for wide in kinds[name].within
        if any(wide in kinds[other].within for other in kinds[name].opposite)
    }
    if wider & action.operations:
        return _relation(
            Reading.NEAR, f"operation {min(wider & action.operations)!r} in an unknown direction"
        )
    return _UNKNOWN


def _is_harmless(text: ParsedText, action: ParsedAction) -> bool:
    """Whether an action only reads, or is the opposite of the forbidden one, and no other word suggests more."""
    kinds = operation_table.table().operations
    # A noun may look like an operation that reads ("checks"): it does no more than the others.
    forbidden = frozenset(name for name in text.operations if not kinds[name].reads) or text.operations
    if any(closure(name) & forbidden for name in action.mentioned):
        return False
    if _only_fetches(text, action):
        return True
    looks = all(kinds[name].reads for name in action.operations) and not action.first & text.words
    return (looks and not any(kinds[name].reads for name in text.operations)) or all(
        _apart(name, forbidden) for name in action.operations
    )


def _only_fetches(text: ParsedText, action: ParsedAction) -> bool:
    """Whether an action fetches, where something else is forbidden that its address does not name."""
    kinds = operation_table.table().operations
    if {name for name in action.operations if not kinds[name].reads} != {"download"} or any(
        kinds[name].reads or closure(name) & _BY_REQUEST for name in text.operations
    ):
        return False
    phrases = (phrase for name in text.operations for phrase in operation_table.phrases_of(name))
    return not any(action.stems.issuperset(phrase) for phrase in phrases)


def _difference(text: ParsedText, action: ParsedAction) -> str:
    """Says how a harmless action differs from the forbidden one."""
    kinds = operation_table.table().operations
    if all(kinds[name].reads for name in action.operations):
        return "only reads"
    if action.operations == {"download"}:
        return "changes nothing"
    opposite = {each for name in action.operations for wide in closure(name) for each in kinds[wide].opposite}
    return "undoes it" if opposite & text.operations else f"is not {min(text.operations)!r}"


def _by_things(text: ParsedText, action: ParsedAction, *, grave: bool, touching: bool) -> Reading:
    """Returns the relation of an action with a forbidden operation, by its objects: the same, some or others."""
    table = operation_table.table()
    by_name = action.is_command and bool(text.operations & _BY_NAME)
    there = action.used if by_name else action.used | action.things
    things = (action.is_command and text.things - table.kinds) or text.things
    near = Reading.NEAR if action.is_command else Reading.TOUCHES
    if things <= there:
        # A single common word of prose is ambiguous: yarn of wool.
        sure = action.is_command or len(things) > 1 or text.names
        alone = not things and len(text.operations) > 1
        return Reading.SAME if sure and not alone else near
    if grave or (not by_name and things - frozenset().union(*table.contrasts) <= there):
        return Reading.NEAR
    if touching or (not action.is_command and text.things & action.things):
        return near
    # A package other than the named one differs; of a described kind of package it may be a case.
    other = action.is_command and (not by_name or text.things <= text.names | table.commands.keys())
    return Reading.OTHER if other else Reading.UNKNOWN


def _common(text: ParsedText, action: ParsedAction) -> frozenset[str]:
    """Returns common objects that are sufficient alone: names, or any object of a command."""
    common = text.things & (action.used | action.things | action.kin)
    is_change = (
        isinstance(text, ParsedRejection) and text.forbids.verbs and CHANGING.issuperset(text.forbids.verbs)
    )
    if is_change or (text.operations and not text.operations & _BY_NAME):
        common -= action.programs
    common -= own_words.of_command(action)
    common &= (text.things if action.is_command else text.names) | (action.kin - action.things)
    # Most paths of a project have a folder in common.
    return frozenset() if len(common) == 1 and common <= text.folders else common


def _apart(name: str, forbidden: frozenset[str]) -> bool:
    """Whether an operation is the opposite of a forbidden one, or a milder one."""
    kinds = operation_table.table().operations
    return any(
        other in kinds[name].opposite or closure(name) & (kinds[other].opposite | kinds[other].milder)
        for other in forbidden
    )


def _contrasting(text: ParsedText, action: ParsedAction) -> bool:
    """Whether the action has a contrasting word instead of the rejection's: Monday, not Friday."""
    table = operation_table.table()
    if text.things.isdisjoint(table.contrasting):
        return False
    return any(
        text.things & group and action.things & group and not text.things & action.things & group
        for group in table.contrasts
    )


def is_bare_operation(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action shares an operation alone with a text that names no thing, but says more than the operation.

    "We've left X. No posting there" is about one place, and "PRs over 600 lines get sent back" installs nothing.
    """
    forbids = rejection.forbids
    if forbids.things or forbids.phrases or forbids.conditions:
        return False
    of_operations = {
        stem
        for name in (*rejection.operations, *forbids.verbs)
        for phrase in operation_table.phrases_of(name)
        for stem in phrase
    }
    said = operation_table.content_stems(rejection.spoken.split()) - operation_table.framing_stems()
    others = said - of_operations
    return len(others) >= _SAYS_MORE and others.isdisjoint(action.stems)
