"""Decides whether an action is what a rejection forbids, by the data of the rejection (`Forbids`)."""

from __future__ import annotations

from collections.abc import Collection

from bardo._patterns import lazy_pattern
from bardo.conduct.match import circumstances, denial
from bardo.conduct.match.elsewhere import is_elsewhere
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.match.things import (
    does,
    installs,
    involves,
    is_common_noun,
    is_destination,
    is_other_object,
    is_other_package,
    keeps,
    package_in,
    things_of,
    verbs_against,
)
from bardo.conduct.parse.action import ParsedAction, fitting, has_options
from bardo.conduct.parse.actions import command_forms, operation_table, operations
from bardo.conduct.parse.actions.places import is_of_host, is_staged, is_under
from bardo.conduct.parse.conditions import requirements
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import (
    ANY,
    CHANGING,
    ENDING,
    OMITTING,
    practice_of,
    propose,
    wants,
)
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import phrase_of, stems_of, vocabulary

#: Words by which an action is not what it names.
NEGATED = lazy_pattern(
    r"(?i)\b(?:without|no longer|not|never|instead of|rather than|no|from the old|away from|off of|get off|"
    r"(?:move|migrate) off|be closed)\b"
)
_HOLDS = {True: "holds", False: "does not hold", None: "is left open"}
_EXCEPT = lazy_pattern(r"(?i)\b(?:except|other than|besides|but|only|apart from|outside)\b")
#: Wording that forbids all but what it names.
_ALL_BUT = lazy_pattern(
    r"(?i)\b(?:nothing|no|any\w*) (?:\w+ ){0,3}(?:except|other than|besides|but|apart from)\b"
)
#: Beginnings of clauses after the first: "review the diff and push it", "check it by pushing", "ask Ben to push".
_LATER_CLAUSE = lazy_pattern(
    r"(?i)[,;.:!?](?:\s|$)|\b(?:and|then|before|after|by|or|but|while)\b|"
    r"(?<!how )(?<!when )(?<!whether )\bto\b"
)
#: Person who is named with a title, and family.
_PERSON = lazy_pattern(
    r"\b(?:[Mm](?:rs?|s|x|iss)|[Dd]r|[Pp]rof(?:essor)?|Herrn?|Frau|Sir|Madam)\.? [A-Z][\w'-]+|"
    r"\bthe [A-Z][\w'-]+s\b(?! [A-Z])"
)
#: String of code.
_STRING = lazy_pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`")


def compare(
    rejection: ParsedRejection, action: ParsedAction, *, now: int, approved: bool = False
) -> Relation:
    """Returns the relation of an action to what is forbidden; `UNKNOWN` if nothing of it is in the action.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        now: Wall clock, microseconds UTC, for conditions of time that the action leaves open.
        approved: Whether a person approved the action.
    """
    forbids = rejection.forbids
    found = _by_pattern(rejection, action)
    if found.reading is not Reading.SAME and not (found.exact and found.reading is Reading.OTHER):
        by_things = _by_things(rejection, action)
        # The pattern names the cause more precisely.
        is_as_near = found.reading is by_things.reading is Reading.NEAR
        found = found if is_as_near or by_things.reading is Reading.UNKNOWN else by_things
    if found.reading is Reading.SAME and is_elsewhere(rejection.text, action):
        return Relation(Reading.NEAR, f"{found.because}; at another branch or folder", found.by)
    is_open = found.reading is Reading.UNKNOWN or (
        not found.exact and bool(wording.substitute(rejection.text))
    )
    if is_open and is_wanted(rejection, action):
        return Relation(Reading.OTHER, "only what it wants", exact=True)
    if found.reading is Reading.UNKNOWN and is_other_package(forbids, rejection.names, action):
        return Relation(Reading.OTHER, f"package {forbids.packages[0]!r}; of another package")
    if found.reading is Reading.UNKNOWN and is_other_object(forbids, action):
        return Relation(Reading.OTHER, f"thing {forbids.things[0]!r}; of another object of the program")
    if found.reading is Reading.UNKNOWN and (
        apart := circumstances.failing_in(rejection.text, forbids, action, now=now)
    ):
        return Relation(Reading.OTHER, f"{apart!r} does not hold")
    if found.reading is Reading.UNKNOWN:
        found = _of_person(forbids, action)
    return _under_conditions(rejection, action, found, now=now, approved=approved)


def _under_conditions(
    rejection: ParsedRejection, action: ParsedAction, found: Relation, *, now: int, approved: bool
) -> Relation:
    """Returns the relation of an action of which that to things and operations is known, under the conditions."""
    forbids = rejection.forbids
    is_of_words = found.reading is Reading.TOUCHES and _begins_alike(rejection, action)
    if not forbids.conditions or not (is_of_words or found.whole or found.reading is Reading.SAME):
        return found._replace(whole=False)
    every = circumstances.holding(forbids, action, now=now, approved=approved)
    told = [
        f"{condition!r} {_HOLDS[holds]}" for condition, holds in zip(forbids.conditions, every, strict=True)
    ]
    reading = circumstances.relation_of(forbids.conditions, every, action)
    is_met = reading is Reading.SAME
    because = "; ".join((found.because, *told))
    left = [each for each, holds in zip(forbids.conditions, every, strict=True) if holds is None]
    if (
        found.whole
        and reading is Reading.TOUCHES
        and all(circumstances.person_of(each, action) for each in left)
    ):
        person = circumstances.person_of(left[0], action)
        return Relation(Reading.NEAR, f"{because}; {person!r} may be one", found.by, whole=True)
    if found.reading is Reading.NEAR and reading is Reading.TOUCHES:
        # Neither that a person is meant nor that the time is right is known.
        return Relation(Reading.UNKNOWN)
    if found.reading is not Reading.SAME:
        return Relation(found.reading if is_met else reading, because, found.by, whole=is_met)
    return Relation(reading, because, found.by, found.exact and is_met, found.whole and is_met)


def _begins_alike(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether a sentence begins with the verb of an act whose operation the table does not know."""
    if action.form != "prose" or rejection.forbids.verbs or circumstances.lasts(action.text):
        return False
    return wording.act(rejection.text)[:1] == wording.act(action.text)[:1]


def _of_person(forbids: Forbids, action: ParsedAction) -> Relation:
    """Returns the relation of an action on a named person, who may be one of those that the text names by their role.

    It is near if the operation and all conditions, of which there is one at least, are met; else unknown.
    """
    specific = verbs_against(forbids, action) - ANY
    roles = vocabulary().roles
    role = next((each for each in forbids.things if (stems := stems_of(each)) and stems <= roles), "")
    meeting = specific & action.verbs
    if not (role and meeting and forbids.conditions) or action.form != "prose" or action.reads:
        return Relation(Reading.UNKNOWN)
    if (person := _PERSON.search(action.text)) is None:
        return Relation(Reading.UNKNOWN)
    because = f"operation {min(meeting)!r}, {person[0]!r} may be of {role!r}"
    return Relation(Reading.NEAR, because, whole=True)


def is_wanted(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action is what a text asks for: a requirement of the rejected act, its substitute, or an act to keep.

    It shows all of it, or at least half of its words are of it, and none of the rest of the text.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
    """
    if circumstances.LACKS.search(action.text):
        return False
    shared = action.stems & stems_of(rejection.text)
    if wants(rejection.text):
        return bool(shared and action.operations) and action.operations.isdisjoint(
            (OMITTING | ENDING) - {"test"}
        )
    needs = [each for each in rejection.forbids.conditions if requirements.is_requirement(each)]
    wanted = stems_of(" ".join((*needs, wording.substitute(rejection.text))))
    if not wanted:
        return False
    is_apart = action.operations.isdisjoint(rejection.operations - ANY)
    is_shown = any(involves(each.partition(" ")[2], action, action.stems) for each in needs)
    return is_shown or (shared <= wanted and is_apart and 2 * len(shared) >= len(action.stems) > 0)


def shares_only_wanted(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether all words that an action shares with a text are of what it asks for: "petals or nothing"."""
    wanted = stems_of(wording.substitute(rejection.text))
    shared = action.stems & stems_of(rejection.text)
    return bool(shared) and shared <= wanted - rejection.things


def reads_only(verbs: Collection[str], action: ParsedAction) -> bool:
    """Whether an action only reads or tells, where neither is forbidden: to tell a secret is to disclose it.

    Args:
        verbs: Forbidden operations.
        action: Parsed action.
    """
    return action.reads and "read" not in verbs and not discloses(verbs, action)


def discloses(verbs: Collection[str], action: ParsedAction) -> bool:
    """Whether an action discloses something, where that is forbidden."""
    return "disclose" in verbs and "disclose" in action.verbs


def names_other_host(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action names hosts, none of which a text with names of hosts forbids; not if it makes exceptions."""
    hosts, named = rejection.forbids.hosts, action.places.hosts
    if not hosts or not named or _EXCEPT.search(rejection.text):
        return False
    return not any(is_of_host(each, host) for each in named for host in hosts)


def of_other_command(rejection: ParsedRejection, action: ParsedAction, found: Relation) -> Relation:
    """Lowers the relation of commands of a rejected tool that are not the command of which a rejection consists.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        found: Relation by the operation.
    """
    rejected = command_forms.of_text(rejection.text) if action.forms else None
    if found.reading is not Reading.SAME or rejected is None or not _has_proposed(rejection):
        return found
    if any(each.tool != rejected.tool or rejected.covers(each) for each in action.forms):
        return found
    is_alike = any(each.words & rejected.words for each in action.forms)
    reason = f"{found.because}; another command of the tool"
    return found._replace(reading=Reading.NEAR if is_alike else Reading.OTHER, because=reason)


def joined(found: Relation, by_operation: Relation) -> Relation:
    """Joins the relation by what is forbidden with that by the operation, where the first does not know."""
    if found.reading is Reading.UNKNOWN:
        return by_operation
    if found.reading is Reading.NEAR and not found.exact and by_operation.reading is Reading.OTHER:
        return by_operation
    return found


def _by_pattern(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns the relation by commands, options, packages, hosts, paths and phrases."""
    forbids = rejection.forbids
    command, is_dry = fitting(forbids.commands, action)
    if command:
        reason = _reason(rejection, "commands", command)
        return Relation(Reading.NEAR, f"{reason}; a dry run") if is_dry else _exact(reason)
    by_form = _by_form(rejection, action)
    if by_form.reading is Reading.UNKNOWN:
        by_form = _by_name(rejection, action)
    if by_form.reading is not Reading.UNKNOWN:
        return by_form
    if flags := next((each for each in forbids.flags if has_options(action, each)), ""):
        return _by_option(rejection, action, flags)
    if package := package_in(forbids.packages, action):
        return _exact(_reason(rejection, "packages", package))
    found = _by_path(rejection, action)
    if forbids.hosts and not found.exact:
        by_host = _by_host(rejection, action)
        found = found if by_host.reading is Reading.UNKNOWN else by_host
    by_phrase = Relation(Reading.UNKNOWN) if found.exact else _by_phrase(rejection, action)
    return found if by_phrase.reading is Reading.UNKNOWN else by_phrase


def _by_form(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns the relation of commands to a rejection that is one itself, by the forms that do the same.

    A correction of the things or operations takes the place of the command.
    """
    rejected = command_forms.of_text(rejection.text) if action.forms else None
    if rejected is None or not _has_proposed(rejection):
        return Relation(Reading.UNKNOWN)
    reason = f"command {rejection.text!r}"
    if covered := [each for each in action.forms if rejected.covers(each)]:
        is_dry = all(each.is_dry_run for each in covered)
        return Relation(Reading.NEAR, f"{reason}; a dry run") if is_dry else _exact(reason)
    if len(action.forms) == 1 and action.is_command and rejected.is_apart(action.forms[0]):
        return Relation(Reading.OTHER, f"{reason}; of another kind of objects", exact=True)
    return Relation(Reading.UNKNOWN)


def _by_name(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns the relation of commands of unknown programs to a rejection that names the program and its verb."""
    if action.form != "command" or not _has_proposed(rejection):
        return Relation(Reading.UNKNOWN)
    text = wording.plain(rejection.text)
    named = [(line, verb) for line in action.lines if (verb := command_forms.named_verb(text, line))]
    same = [line for line, verb in named if verb in line.split()]
    if same:
        reason = f"command {' '.join(same[0].split()[:2])!r}"
        is_dry = action.dry_lines.issuperset(same)
        return Relation(Reading.OTHER, f"{reason}; a dry run", exact=True) if is_dry else _exact(reason)
    # Of another verb of the program: `combctl status`.
    reads = {line for line, _ in named if not vocabulary().reading_calls.isdisjoint(line.split()[1:2])}
    if named and (reads | action.dry_lines).issuperset(action.lines):
        return Relation(Reading.OTHER, f"command {action.lines[0]!r}; only reads", exact=True)
    return Relation(Reading.UNKNOWN)


def _has_proposed(rejection: ParsedRejection) -> bool:
    """Whether what a text forbids has still the things and operations that are read from it."""
    proposed, forbids = propose(rejection.text), rejection.forbids
    return set(proposed.things) <= set(forbids.things) and set(proposed.verbs) <= set(forbids.verbs)


def _by_phrase(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    forbids = rejection.forbids
    phrases = [
        phrase
        for phrase in map(phrase_of, forbids.phrases)
        if phrase.is_in(action.stems, action.text, prose=action.form == "prose", bare=action.bare)
    ]
    if not phrases:
        return Relation(Reading.UNKNOWN)
    reason = _reason(rejection, "phrases", phrases[0].text)
    arguments = _STRING.sub(" ", action.text).partition("(")[2] if action.form == "tool" else ""
    if any(phrase.is_in(stems_of(arguments), arguments) for phrase in phrases):
        # An argument does it, also of a call that reads: `get(url, verify=False)`.
        return _exact(reason)
    # "Delete the card numbers" undoes what "store card numbers" forbids; "purge the cache" is a phrase itself.
    ending = vocabulary().removing | ENDING
    is_undone = action.form != "command" and action.removes and not set(forbids.verbs) & ENDING
    is_undone = is_undone and action.operations.isdisjoint(rejection.operations)
    is_undone = is_undone and not any(phrase.stems & ending or "off" in phrase.text for phrase in phrases)
    return _lowered(rejection, action, reason, is_undone=is_undone)


def _exact(reason: str) -> Relation:
    return Relation(Reading.SAME, reason, exact=True)


def _by_option(rejection: ParsedRejection, action: ParsedAction, flags: str) -> Relation:
    """Returns the relation of a command with forbidden options, which may be forbidden of other commands."""
    reason = _reason(rejection, "flags", flags)
    specific = frozenset(rejection.forbids.verbs) - ANY
    known = operation_table.table().commands.keys() | vocabulary().by_program.keys()
    named = known & set(operations.words_of(rejection.text.lower()))
    is_meant = specific & action.verbs or named & {line.split(" ", 1)[0] for line in action.lines}
    # An option of one letter means something else for each program.
    is_any = not specific and not named and flags.startswith("--")
    return _exact(reason) if is_meant or is_any else Relation(Reading.NEAR, f"{reason}; of another command")


def _lowered(rejection: ParsedRejection, action: ParsedAction, reason: str, *, is_undone: bool) -> Relation:
    """Returns the relation of an action with a pattern, which may read, undo or negate what it names."""
    if action.reads and "read" not in rejection.forbids.verbs:
        # A call that reads may have a forbidden argument.
        is_open = action.form == "tool"
        return (
            Relation(Reading.NEAR, f"{reason}; only reads")
            if is_open
            else _reading(rejection, action, reason)
        )
    if is_undone:
        return Relation(Reading.NEAR, f"{reason}; ends it")
    if action.form == "prose" and is_negated(rejection.forbids, action):
        return Relation(Reading.NEAR, f"{reason}; negated")
    return Relation(Reading.SAME, reason)


def _reading(rejection: ParsedRejection, action: ParsedAction, reason: str) -> Relation:
    """Returns the relation of an action that reads, as far as its first word or its commands tell."""
    is_meant = not vocabulary().reading.isdisjoint(rejection.words & action.stems)
    kinds = operation_table.table().operations
    _, *later = _LATER_CLAUSE.split(action.text) if action.form == "prose" else ("",)
    does_more = any(not kinds[name].reads for clause in later for name in operations.in_prose(clause)[0])
    return Relation(Reading.NEAR if is_meant or does_more else Reading.OTHER, f"{reason}; only reads")


def _by_host(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns the relation by the forbidden host that an action connects to, or only names."""
    for host in rejection.forbids.hosts:
        reason = _reason(rejection, "hosts", host)
        if any(is_of_host(each, host) for each in action.places.reached):
            # A probe, such as `ping`, sends nothing; it is no mere name either.
            is_probe = action.is_command and action.reads
            return Relation(Reading.NEAR, f"{reason}; only reads", exact=True) if is_probe else _exact(reason)
        if any(is_of_host(each, host) for each in action.places.hosts):
            if action.form == "command" and not action.reads:
                return Relation(Reading.NEAR, f"{reason}; only names it")
            if action.reads and "read" not in rejection.forbids.verbs:
                # Reading from a host is a use of it.
                return Relation(Reading.NEAR, f"{reason}; only reads")
            return _lowered(rejection, action, reason, is_undone=False)
    if action.places.reached and _ALL_BUT.search(rejection.text):
        return Relation(Reading.NEAR, f"host {min(action.places.reached)!r}, which is not excepted")
    return Relation(Reading.UNKNOWN)


def _by_path(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns the relation by the forbidden path that an action writes, or only names."""
    forbids, places = rejection.forbids, action.places
    paths = forbids.paths if _protects_paths(forbids) and does(verbs_against(forbids, action), action) else ()
    staged = [each for each in forbids.paths if "commit" in forbids.verbs and is_staged(each, action.lines)]
    if staged:
        return _exact(_reason(rejection, "paths", staged[0]))
    for path in paths:
        reason = _reason(rejection, "paths", path)
        is_written = any(is_under(each, path) for each in places.written)
        if is_written and action.form == "command":
            return _exact(reason)
        if is_written or any(is_under(each, path) for each in places.paths):
            if not is_written and not action.reads and "modify" in forbids.verbs:
                return Relation(Reading.NEAR, f"{reason}; not written, as far as seen")
            return _lowered(rejection, action, reason, is_undone=False)
    return Relation(Reading.UNKNOWN)


def _is_about_paths(forbids: Forbids) -> bool:
    """Whether the forbidden things are paths: those of "don't edit anything in legacy/" are."""
    words = stems_of(" ".join(forbids.paths)) | vocabulary().incidental
    return bool(forbids.paths) and all(stems_of(thing) <= words for thing in forbids.things)


def _protects_paths(forbids: Forbids) -> bool:
    """Whether the paths are what is forbidden to change, and not only where the forbidden thing is.

    "Leave the importer alone, everything under legacy/" protects the path as well; "the port in app/config.toml" is
    another thing, at a place.
    """
    is_kept = bool(forbids.verbs) and CHANGING.issuperset(forbids.verbs)
    is_place = any(path in condition for path in forbids.paths for condition in forbids.conditions)
    return _is_about_paths(forbids) or (bool(forbids.paths) and is_kept and not is_place)


def _reason(rejection: ParsedRejection, name: str, item: str) -> str:
    """Names a pattern, with the practice from which the rejection has it."""
    practice = practice_of(rejection.text, name, item)
    return f"{name.removesuffix('s')} {item!r}{f' of the practice {practice!r}' if practice else ''}"


def is_negated(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action in words is not what it names; "without" is none where the rejection says it itself."""
    said = {condition.split(maxsplit=1)[0] for condition in forbids.conditions}
    return any(
        match[0].lower() not in said and denial.is_of(forbids.things, action.text, match)
        for match in NEGATED.finditer(action.text)
    )


def _by_things(rejection: ParsedRejection, action: ParsedAction) -> Relation:  # noqa: PLR0911 - one return per relation
    """Returns the relation by objects and operations."""
    forbids = rejection.forbids
    verbs = verbs_against(forbids, action)
    specific = verbs - ANY
    if not forbids.things:
        meeting = specific & action.verbs
        if not meeting or action.reads:
            return Relation(Reading.UNKNOWN)
        return Relation(Reading.SAME, f"operation {min(meeting)!r}")
    stems = things_of(action, verbs)
    thing = next((each for each in forbids.things if involves(each, action, stems)), None)
    if thing is None or (thing in forbids.packages and is_common_noun(thing, action)):
        return Relation(Reading.UNKNOWN)
    reason = f"thing {thing!r}"
    if action.form == "command" and not action.reads and _is_about_paths(forbids):
        return Relation(Reading.NEAR, f"{reason}, none of the paths")
    if (undone := _undone(verbs, action, reason)) is not None:
        return undone
    if meeting := action.verbs & verbs:
        reason += f", operation {min(meeting)!r}"
    if reads_only(verbs, action):
        return _reading(rejection, action, reason)
    if action.form == "prose" and is_negated(forbids, action):
        return Relation(Reading.NEAR, f"{reason}; negated")
    if specific - {"install"}:
        # "Cancel the booking" names the forbidden operation, and ends it.
        is_ended = action.form == "prose" and action.removes and not specific & (ENDING | action.operations)
        is_done = not specific.isdisjoint(action.verbs)
        ended = Relation(Reading.NEAR, f"{reason}; ends it")
        return ended if is_ended else Relation(Reading.SAME, reason, whole=is_done)
    if (
        action.form == "command"
        and "install" in action.verbs
        and not any(installs(each, action) for each in forbids.things)
    ):
        return Relation(Reading.NEAR, f"{reason}; of another package")
    if not verbs:
        # The operation is not known: all words decide.
        return Relation(Reading.TOUCHES, reason)
    if action.removes and "modify" not in verbs and not is_destination(thing, action):
        # The call of a tool may end something else of the thing.
        return Relation(Reading.NEAR if action.form == "tool" else Reading.OTHER, f"{reason}; ends it")
    return Relation(Reading.SAME, reason)


def _undone(verbs: frozenset[str], action: ParsedAction, reason: str) -> Relation | None:
    """Returns the relation of an action that does another operation to a forbidden thing; None if it does that one."""
    is_change = verbs == {"modify"}
    if is_change and action.verbs == {"use"}:
        return Relation(Reading.NEAR, f"{reason}, used")
    if does(verbs, action) and not (is_change and keeps(action)):
        return None
    is_open = (action.reads and action.form != "command") or not (action.verbs or action.reads)
    return Relation(Reading.NEAR, f"{reason}, no operation") if is_open else Relation(Reading.UNKNOWN)
