"""Parses the operation and the objects of an action, by a table of commands and words (`operations.toml`).

Words alone do not show that `npm i moment` adds moment.js, nor that `git push origin main` forces nothing. The table
decides where it knows the operation, and makes no statement elsewhere.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from bardo import _core
from bardo.conduct import operation_table

#: Maximum numbers of cached rulings and actions.
_RULINGS, _ACTIONS = 16_384, 16
#: Forms that forbid an object without an operation: "no yarn here", "we voted against GraphQL".
_NAMES_A_THING = re.compile(r"^(?:please )?no\b|\bagainst\b|\bno (?:on|to)\b|\bwithout\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
SUFFIX = re.compile(r"\.(?:js|ts|py|rs|rb|io|net)\b")
#: Ends of a command or a clause.
_PARTS = re.compile(r"&&|\|\||[;|\n]|[,.:!?](?:\s|$)")
_COMMANDS = re.compile(r"&&|\|\||[;|\n]|(?<=\S):\s")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'")
#: Redirections into files and command substitutions, which do more than the program itself.
_WRITES = re.compile(r"(?<!2)>{1,2}\s*(?!/dev/null|&)\S|\$\(|`")
#: Operations whose object is the named program or package.
_BY_NAME = frozenset({"use", "install"})
#: An identifier of code, with a dot, an underscore, an inner capital or a parenthesis.
_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*(?:[._][A-Za-z]\w*)+|\b[A-Za-z_]\w*(?=\()|\b[a-z]+[A-Z]\w*")
_OFF = re.compile(
    r"\b(?:enabled?|active|on|running|state|power|status|mode)[\"']?\s*[=:]\s*[\"']?(?:false|0|off|disabled)\b",
    re.IGNORECASE,
)
#: Word with a sign, a digit or a capital inside.
_NAME = re.compile(r"\w[._@/\d-]\w|[a-z][A-Z]")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=\S*")


class Reading(StrEnum):
    """Relation of an action to a rejection or a rule."""

    #: The action is the same.
    SAME = "same"
    #: The action is similar, and not the same.
    NEAR = "near"
    #: The action shares a name; the table knows no more.
    TOUCHES = "touches"
    #: The action is different: it only reads, is the opposite, or has other objects.
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ruling:
    """Parsed rejection or rule.

    Args:
        text: Text without framing words, approver and reason; the whole text if one word or less would remain.
        operations: Forbidden operations; empty if unknown to the table.
        things: Stems of the objects.
        names: Stems of the objects that are names.
        words: Stems of all words.
    """

    text: str
    operations: frozenset[str]
    things: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Action:
    """Parsed action: its operations and objects.

    Args:
        operations: Operations; empty if unknown to the table.
        programs: Stems of the programs that run.
        used: Stems of the programs, of objects related to them, and of named packages.
        things: Stems of all other words.
        kin: Stems of objects that are probably related to these.
        command: Whether the action consists of commands known to the table.
        whole: Whether the operations are complete, as far as can be determined.
        first: Stems of the words for the operation.
        mentioned: Operations mentioned anywhere in prose.
    """

    operations: frozenset[str]
    programs: frozenset[str]
    used: frozenset[str]
    things: frozenset[str]
    kin: frozenset[str]
    command: bool
    whole: bool
    first: frozenset[str]
    mentioned: frozenset[str]


def rulings(texts: Iterable[str]) -> list[Ruling]:
    """Parses rejections and rules."""
    return [_ruling(text) for text in texts]


@lru_cache(_RULINGS)
def _ruling(text: str) -> Ruling:
    table = operation_table.table()
    bare = text
    for clause in table.clauses:
        bare = clause.sub(" ", bare)
    spoken = [word for word in _words(bare) if word.lower().replace("’", "'") not in table.framing]
    operations, rest = _mentioned_operations(bare, spoken)
    if operations - {"use"}:
        operations -= {"use"}
    if not operations and _NAMES_A_THING.search(text.strip()):
        operations = frozenset({"use"})
    things = _stems(rest) | _canonical(bare, table.same_phrases)
    # The first word is capitalised by the sentence.
    capital = {word for word in _words(text)[1:] if word[:1].isupper()}
    capital |= {word for word in text.split() if _NAME.search(word)}
    names = frozenset(_stems(part for word in capital for part in _words(word))) & things
    # A single remaining word is too general: any action with it would match the ruling.
    kept = " ".join(spoken) if len(_stems(spoken)) > 1 else text
    return Ruling(kept, operations, things, names, _stems(_words(text)))


@lru_cache(_ACTIONS)
def action(text: str) -> Action:
    """Parses an action: shell commands, a call in code, or prose."""
    table = operation_table.table()
    operations: set[str] = set()
    programs: set[str] = set()
    used: set[str] = set()
    kin: set[str] = set()
    known = []
    for part in _split(text):
        found = _command(part)
        known.append(
            found is not None and not (_WRITES.search(part) and table.operations[found[0].does].reads)
        )
        if found is None:
            continue
        command, names = found
        operations.add(command.does)
        programs |= _stems(names[:1])
        used |= command.about
        if command.named:
            for name in names[1:]:
                whole = SUFFIX.sub("", re.split(r"(?<!^)@|[=<>~!^\[:]", name)[0]).lower()
                used |= _stems([whole, *re.split(r"[/@]", whole)])
                kin |= _stems(_names([name]))
    is_command = bool(known) and all(known)
    first: set[str] = set()
    mentioned: frozenset[str] = frozenset()
    is_prose = not operations
    if is_prose:
        told, first = _prose(text)
        operations |= told
        mentioned, _ = _mentioned_operations(text, _words(text))
    things = set(_stems(_parts(text))) | _canonical(text, table.same_phrases)
    if any(unicodedata.category(character) == "So" for character in text):
        things |= _stems(["emoji"])
    kin |= _kin(things) | _canonical(text, table.near_phrases)
    return Action(
        frozenset(operations), frozenset(programs), frozenset(used | programs), frozenset(things), frozenset(kin),
        is_command, is_command or is_prose, frozenset(first), mentioned,
    )  # fmt: skip


def _prose(text: str) -> tuple[set[str], set[str]]:
    """Finds the operations at the beginning of clauses and function names, and the stems of these words."""
    operations: set[str] = set()
    first: set[str] = set()
    for clause in filter(str.strip, _PARTS.split(text)):
        told, stems = _leading(clause)
        operations |= told
        first |= stems
    for name in _IDENTIFIER.findall(text):
        called = CAMEL.sub(" ", name.rsplit(".", 1)[-1])
        told, stems = _leading(called)
        operations |= told or operation_table.table().called.get(_words(called)[0].lower(), frozenset())
        first |= stems
    return ({"stop"} if _OFF.search(text) else operations), first


def compare(ruling: Ruling, done: Action) -> Reading:
    """Returns the relation of an action to a ruling, as far as known to the table."""
    touching = _touching(ruling, done)
    known = Reading.TOUCHES if touching else Reading.UNKNOWN
    if not done.operations or not ruling.operations:
        return known
    kinds = operation_table.table().operations
    meeting = [name for name in done.operations if closure(name) & ruling.operations]
    if done.whole and not meeting and _is_harmless(ruling, done):
        return Reading.OTHER
    if done.command and "use" in ruling.operations:
        meeting = [name for name in done.operations if not kinds[name].reads]
    if not meeting:
        return known
    grave = any(kinds[name].grave for name in meeting)
    if _contrasting(ruling, done):
        return Reading.NEAR if grave or not done.whole else Reading.OTHER
    return _by_things(ruling, done, grave=grave, touching=touching)


def _is_harmless(ruling: Ruling, done: Action) -> bool:
    """Whether an action only reads, or is the opposite of the forbidden one, and no other word suggests more."""
    kinds = operation_table.table().operations
    if any(closure(name) & ruling.operations for name in done.mentioned):
        return False
    looks = all(kinds[name].reads for name in done.operations) and not done.first & ruling.words
    return (looks and not any(kinds[name].reads for name in ruling.operations)) or all(
        _apart(name, ruling.operations) for name in done.operations
    )


def _by_things(ruling: Ruling, done: Action, *, grave: bool, touching: bool) -> Reading:
    """Returns the relation of an action with a forbidden operation, by its objects: the same, some or others."""
    table = operation_table.table()
    by_name = done.command and bool(ruling.operations & _BY_NAME)
    there = done.used if by_name else done.used | done.things
    things = (done.command and ruling.things - table.kinds) or ruling.things
    near = Reading.NEAR if done.command else Reading.TOUCHES
    if things <= there:
        # A single common word of prose is ambiguous: yarn of wool.
        sure = done.command or len(things) > 1 or ruling.names
        alone = not things and len(ruling.operations) > 1
        return Reading.SAME if sure and not alone else near
    if grave or (not by_name and things - frozenset().union(*table.contrasts) <= there):
        return Reading.NEAR
    if touching or (not done.command and ruling.things & done.things):
        return near
    # A package other than the named one differs; of a described kind of package it may be a case.
    other = done.command and (not by_name or ruling.things <= ruling.names | table.commands.keys())
    return Reading.OTHER if other else Reading.UNKNOWN


def _touching(ruling: Ruling, done: Action) -> bool:
    """Whether ruling and action share an object that is sufficient alone: a name, or any object of a command."""
    common = ruling.things & (done.used | done.things | done.kin)
    if ruling.operations and not ruling.operations & _BY_NAME:
        common -= done.programs
    return bool(common & (ruling.things if done.command else ruling.names) or common & done.kin - done.things)


def _apart(name: str, forbidden: frozenset[str]) -> bool:
    """Whether an operation is the opposite of a forbidden one, or a milder one."""
    kinds = operation_table.table().operations
    return any(
        other in kinds[name].opposite or closure(name) & (kinds[other].opposite | kinds[other].milder)
        for other in forbidden
    )


def _contrasting(ruling: Ruling, done: Action) -> bool:
    """Whether the action has a contrasting word instead of the ruling's: Monday, not Friday."""
    table = operation_table.table()
    if ruling.things.isdisjoint(table.contrasting):
        return False
    return any(
        ruling.things & group and done.things & group and not ruling.things & done.things & group
        for group in table.contrasts
    )


def closure(name: str) -> frozenset[str]:
    """Returns an operation with the more general operations that include it."""
    found = {name}
    for wider in operation_table.table().operations[name].within:
        found |= closure(wider)
    return frozenset(found)


def _split(text: str) -> list[str]:
    """Splits a line into commands, except inside of quotes."""
    whole = _QUOTED.sub(lambda found: re.sub(r"[&|;:\n]", " ", found[0]), text)
    return [part for part in _COMMANDS.split(whole) if part.strip()]


def _command(part: str) -> tuple[operation_table.Command, list[str]] | None:
    """Finds the command in the table; returns it with its program and arguments."""
    try:
        words = shlex.split(part, comments=True)
    except ValueError:
        words = part.split()
    table = operation_table.table()
    while words and (words[0] in table.before or _ASSIGNMENT.fullmatch(words[0])):
        words = words[1:]
    if words and words[0].rstrip("0123456789.") in table.interpreters:
        words = words[2 if words[1:2] == ["-m"] else 1 :]
    if words and words[0] in table.runners:
        # `npx` runs its argument; `yarn add` is not a program "add".
        inner = _match(words[2:] if words[1:2] == ["run"] else words[1:])
        if inner is not None and (words[0].endswith("x") or _match(words) is None):
            return inner
    return _match(words)


def _match(words: Sequence[str]) -> tuple[operation_table.Command, list[str]] | None:
    if not words:
        return None
    program = words[0].rsplit("/", 1)[-1]
    arguments = [word for word in words[1:] if not word.startswith("-")]
    options = [word for word in words[1:] if word.startswith("-")]
    if set(options) & {"--version", "-V", "--help", "-h"} and program in operation_table.table().commands:
        return operation_table.Command(None, (), "read", frozenset(), named=False), [program]
    for command in operation_table.table().commands.get(program, ()):
        length = command.fits(arguments, options)
        if length is not None and _is_no_sentence(arguments[length:], every=not command.verbs):
            return command, [program, *arguments[length:]]
    return None


def _is_no_sentence(arguments: Sequence[str], *, every: bool) -> bool:
    """Whether the words after a program can be its arguments: "find a buyer" and "cut costs by half" are English."""
    looked_at = arguments if every else arguments[:1]
    return not any(stem is None for stem in _core.stems([word for word in looked_at if word.isalpha()]))


def _leading(clause: str) -> tuple[frozenset[str], frozenset[str]]:
    """Finds the operations of the first words of a clause, and the stems of these words."""
    table = operation_table.table()
    words = [word.lower().replace("’", "'") for word in _words(clause)]
    while words and (
        words[0].replace("'", "") in table.fillers
        or words[0][0].isdigit()
        or (words[0] in table.beginning and words[1:] and words[1].endswith("ing"))
    ):
        words = words[1:]
    stems = operation_table.stem_each(words)
    if words[:1] and words[0] in table.passing_on and "to" in words:
        # "Tell the desk to sell" is a sale.
        told = _starting(stems[words.index("to") + 1 :])
        if told[0]:
            return told
    return _starting(stems)


def _starting(stems: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    told, length = operation_table.phrase_at(stems)
    return told, frozenset(stems[:length] if told else ())


def _mentioned_operations(text: str, spoken: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """Finds the operations mentioned anywhere in a ruling, and the other words."""
    told: set[str] = set()
    commands = operation_table.table().commands
    plain = [word.strip("`'\".,;") for word in text.split()]
    for start, word in enumerate(plain):
        found = _match(plain[start:]) if word in commands else None
        if found is not None and found[0].verbs is not None and any(found[0].verbs):
            told.add(found[0].does)
            consumed = {word, *(each for verb in found[0].verbs for each in verb)}
            spoken = [each for each in spoken if each not in consumed]
    rest: list[str] = []
    stems = operation_table.stem_each([word.lower() for word in spoken])
    start = 0
    while start < len(stems):
        found_there, length = operation_table.phrase_at(stems, start)
        if found_there:
            told |= found_there
        else:
            rest.append(spoken[start])
        start += length
    return frozenset(told), rest


def _words(text: str) -> list[str]:
    """Splits a text into words; `snake_case` is two, and the suffix of moment.js is dropped."""
    return _WORD.findall(SUFFIX.sub("", text).replace("_", " "))


def _parts(text: str) -> list[str]:
    """Splits a text into words and the parts of names: RedisStore gives three."""
    return [*_words(text), *(word for word in _words(CAMEL.sub(" ", text)))]


def _names(words: Iterable[str]) -> list[str]:
    return [part for word in words for part in (word.lower(), *_parts(word))]


def _stems(words: Iterable[str]) -> frozenset[str]:
    """Returns the stems of content words, and of the canonical names of aliases."""
    same = operation_table.table().same
    return frozenset(same.get(stem, stem) for stem in operation_table.content_stems(words))


def _kin(stems: Iterable[str]) -> set[str]:
    return {each for stem in stems for each in operation_table.table().near.get(stem, ())}


def canonical(text: str) -> frozenset[str]:
    """Returns the stems of the canonical names of the aliases in a text that are not single words."""
    table = operation_table.table()
    return _canonical(text, table.same_phrases) | _canonical(text, table.near_phrases)


def _canonical(text: str, phrases: operation_table.Phrases) -> frozenset[str]:
    lower = CAMEL.sub(" ", text).replace("_", " ").lower()
    return frozenset(
        stem
        for word in operation_table.WORD.findall(lower)
        for pattern, stems in phrases.get(word, ())
        if pattern.search(lower)
        for stem in stems
    )
