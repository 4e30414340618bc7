"""Finds operations in commands and words, by a table (`operations.toml`).

Words alone do not show that `npm i moment` adds moment.js, nor that `git push origin main` forces nothing. The table
decides where it knows the operation, and makes no statement elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import dry_runs, operation_table, options
from bardo.conduct.parse.actions.shell import Command
from bardo.conduct.parse.negation import RESTRICTS

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Forms that forbid an object without an operation: "no yarn here", "we voted against GraphQL".
_NAMES_A_THING = lazy_pattern(r"^(?:please )?no\b|\bagainst\b|\bno (?:on|to)\b|\bwithout\b", re.IGNORECASE)
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
SUFFIX = lazy_pattern(r"\.(?:js|ts|py|rs|rb|io|net)\b")
#: End of a clause.
_CLAUSE = lazy_pattern(r"&&|\|\||[;|\n]|[,.:!?](?:\s|$)")
#: An identifier of code, with a dot, an underscore, an inner capital or a parenthesis.
_IDENTIFIER = lazy_pattern(r"\b[A-Za-z_]\w*(?:[._][A-Za-z]\w*)+|\b[A-Za-z_]\w*(?=\()|\b[a-z]+[A-Z]\w*")
#: Words before the name of a function that is called.
_CALLING = lazy_pattern(
    r"\b(?:call|calls|calling|run|running|invoke|execute|use|using|via|with)(?: the)? [`\"']?$", re.IGNORECASE
)
#: Name of code or of a file, whose words are no verbs: with an underscore, an inner capital or a slash.
_CODE_NAME = lazy_pattern(r"[\w.*-]*(?:\w_\w|[a-z][A-Z]|\w/)[\w./*-]*")
#: Words of letters and digits that are joined by hyphens.
_HYPHENATED = lazy_pattern(r"(?<![\w./-])[A-Za-z]\w*(?:-[A-Za-z]\w*)+(?![\w/-])")
_PARTICLE = lazy_pattern(r"(?:up|down|in|out|on|off|over|back|away|through)", re.IGNORECASE)
_OFF = lazy_pattern(
    r"\b(?:enabled?|active|on|running|state|power|status|mode)[\"']?\s*[=:]\s*[\"']?(?:false|0|off|disabled)\b|"
    r"\.(?:(?:turn|switch)_?)?off\(",
    re.IGNORECASE,
)

#: State or event that a call gives to its object: `transition(issue="A-1", to="Done")`.
_STATE = lazy_pattern(
    r"\b(?:status|state|event|transition|to|decision|verdict)[\"']?\s*[=:]\s*[\"']([A-Za-z]+)[\"']",
    re.IGNORECASE,
)
#: Verb with its particle after the object: "switch the checks back on".
_PARTED = lazy_pattern(
    r"\b(switch|turn|shut|scale|giv(?=ing)|give|hand|pass|read)((?:e?d|ing)?) ((?:[\w'-]+ ){1,5}?)"
    r"(?:back )?(on|off|down|up|out|over)"
    r"(?= *(?:[,.;:!?]|$)| (?:again|for|in|and|until|when|while|to|by|before|after|on|at)\b)",
    re.IGNORECASE,
)

#: Remark after what is rejected: ", date-fns does it all".
_REMARK = lazy_pattern(
    r"(?<=\w)[,;] (?!.*\b(?:no|not|never|don['’]?t|nor|or|and)\b)[^,;]*\b"
    r"(?:does|do|is|are|has|have|works?|suffices?|will|handles?|covers?)\b[^,;]*$",
    re.IGNORECASE,
)
#: Word in the place of a noun: after a preposition or an article, with the next word, if that is part of a name.
_ARTICLE = r"(?:the|an?|our|your|my|any|each|every|all|this|these) "
_PLACED = lazy_pattern(
    r"\b(?:(?:to|into|onto|(?P<at>in|on|at|from|of|for|with|against|over|under|through|via)) "
    rf"(?P<article>{_ARTICLE})?|(?P<alone>{_ARTICLE}))(?P<word>[a-z]+)\b"
    r"(?: (?!(?:on|in|at|to|for|from|of|with|without|by|and|or|until|before|after|if|when|is|are)\b)(?P<next>[a-z]+))?",
    re.IGNORECASE,
)
#: Participle that only tells the kind of the things of which a text forbids an act: "generated files aren't committed".
_MADE = lazy_pattern(
    r"^\W*(?:the |our |any |all )?(?P<word>[a-z]+ed) (?:[a-z-]+ )??[a-z-]+s\b[^.;!?]*"
    r"\b(?:are|is|do|does|must|may|can|should|will|never)(?:n't| ?not| never|\b)",
    re.IGNORECASE,
)
_ATTRIBUTIVE = lazy_pattern(rf"\b{_ARTICLE}(?P<word>[a-z]+ing) (?P<next>[a-z]+)\b", re.IGNORECASE)


def operation_of(command: Command) -> tuple[operation_table.CommandPattern, Sequence[str]] | None:
    """Finds a command in the table; returns its pattern with the program and the arguments.

    Of an interpreter or a runner of packages it is the program that these run, unless the table has their own command:
    `npx` runs its argument; `yarn add` is not a program "add".
    """
    own = _match(command.words)
    shell = operation_table.table().shell
    is_started = bool(command.runs) and command.program not in shell.lines | shell.echoes
    if is_started and (own is None or command.program.endswith("x")):
        return operation_of(command.runs[0]) or own
    return own


def installs_declared(command: Command) -> bool:
    """Whether a command of a package manager installs what the project declares, without a name of a package.

    A path is of the project itself, or of a list of packages: `pip install -r requirements.txt`, `pip install -e .`.
    """
    known = operation_of(command)
    if known is None:
        return False
    pattern, (_, *names) = known
    # The value of an option is no name.
    names = [name for name in names if name in options.read(command.words).arguments]
    return pattern.declared or (pattern.named and not any(_WORD.search(name) for name in names))


def closure(name: str) -> frozenset[str]:
    """Returns an operation with the more general operations that include it."""
    found = {name}
    for wider in operation_table.table().operations[name].within:
        found |= closure(wider)
    return frozenset(found)


def in_prose(text: str) -> tuple[set[str], set[str]]:
    """Finds the operations at the beginning of clauses and function names, and the stems of these words."""
    operations: set[str] = set()
    first: set[str] = set()
    for clause in filter(str.strip, _CLAUSE.split(with_particles(text))):
        told, stems = _leading(clause)
        operations |= told
        first |= stems
    is_data = text.lstrip().startswith("{")
    for match in _IDENTIFIER.finditer(text):
        # A name that is not called does nothing: the table `order_lines`.
        if not (is_data or text[match.end() :].startswith("(") or _CALLING.search(text[: match.start()])):
            continue
        called = operation_table.CAMEL.sub(" ", match[0].rsplit(".", 1)[-1])
        told, stems = _leading(called)
        operations |= told or operation_table.table().called.get(words_of(called)[0].lower(), frozenset())
        first |= stems
    for value in _STATE.findall(text):
        told, _ = operation_table.phrase_at(operation_table.stem_each([value.lower()]))
        operations |= told or operation_table.table().called.get(value.lower(), frozenset())
    return ({"stop"} if _OFF.search(text) else operations), first


def with_particles(text: str) -> str:
    """Returns a text with particles beside their verbs, as the table has them: "switch on the checks"."""
    return _PARTED.sub(r"\1\2 \4 \3", text)


def _leading(clause: str) -> tuple[frozenset[str], frozenset[str]]:
    """Finds the operations of the first words of a clause, and the stems of these words."""
    table = operation_table.table()
    words = [word.lower().replace("’", "'") for word in words_of(clause)]
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
    if words[:1] and words[0] in table.running:
        # "Run the migration on staging" is a migration; "run the release script" need not be a release.
        start = 2 if words[1:2] and words[1] in table.articles else 1
        told_there, length = operation_table.phrase_at(stems, start)
        following = words[start + length : start + length + 1]
        if told_there and not operation_table.content_stems(following):
            return told_there, frozenset(stems[start : start + length])
    found, named = _starting(stems)
    if not found and words and (done := table.done.get(words[0])):
        return done, frozenset(stems[:1])
    return found, named


def _starting(stems: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    told, length = operation_table.phrase_at(stems)
    return told, frozenset(stems[:length] if told else ())


class Named(NamedTuple):
    """Operations and objects that a rejection or a rule names.

    Args:
        operations: Forbidden operations; empty if unknown to the table.
        objects: Words of the objects.
        spoken: All words without framing, approver and reason.
        text: Text without the clauses of approver and reason.
    """

    operations: frozenset[str]
    objects: Sequence[str]
    spoken: Sequence[str]
    text: str


@lru_cache(_TEXTS)
def forbidden_by(text: str) -> Named:
    """Finds the operations and objects that a rejection or a rule names."""
    table = operation_table.table()
    bare = with_particles(text)
    for clause in table.clauses:
        bare = clause.sub(" ", bare)
    remark = _REMARK.search(bare)
    if remark is not None and RESTRICTS.search(bare[: remark.start()]):
        bare = bare[: remark.start()]
    spoken = [word for word in words_of(bare) if word.lower().replace("’", "'") not in table.framing]
    operations, objects = mentioned_in(bare, spoken, nouns_in(bare))
    if operations - {"use"}:
        operations -= {"use"}
    if not operations and _NAMES_A_THING.search(text.strip()):
        operations = frozenset({"use"})
    return Named(operations, tuple(objects), tuple(spoken), bare)


def nouns_in(text: str) -> frozenset[str]:
    """Returns the words of operations that are nouns of a place or a thing: "push to release branches"."""
    table = operation_table.table()
    nouns = set()
    if (made := _MADE.match(text)) is not None:
        nouns.add(made["word"].lower())
    for found in _PLACED.finditer(text):
        word = found["word"].lower()
        stems = operation_table.stem_each([word])
        if not operation_table.phrase_at(stems)[0]:
            continue
        if word.endswith("ing"):
            # After an article and before no noun a gerund is a thing: "leave the building".
            if (found["article"] or found["alone"]) and not found["next"]:
                nouns.add(word)
            continue
        before = operation_table.stem_each([each.lower() for each in words_of(text[: found.start("word")])])
        told = frozenset().union(
            *(operation_table.phrase_at(before, place)[0] for place in range(len(before)))
        )
        following = operation_table.content_stems([found["next"] or ""])
        is_named = bool((found["article"] or found["alone"]) and following) or bool(following & table.kinds)
        # "To deploy" after a verb is its purpose; "to release" may be the branch.
        is_place = bool(found["at"]) or (bool(told - {"use"}) and not found["next"])
        if is_named or (told and is_place):
            nouns.add(word)
    return frozenset(word for word in nouns if len(re.findall(rf"(?i)\b{word}\b", text)) == 1)


def parts_of_names(text: str) -> frozenset[str]:
    """Returns the words that stand in names of code and files alone, in lower case: "order" of `order_lines`."""
    names = [*_CODE_NAME.findall(text), *filter(_is_name, _HYPHENATED.findall(text))]
    if not names:
        return frozenset()
    rest = _CODE_NAME.sub(" ", text)
    others = {
        word.lower()
        for word in words_of(_HYPHENATED.sub(lambda each: "" if _is_name(each[0]) else each[0], rest))
    }
    return frozenset(word.lower() for name in names for word in parts_of(name)) - others


def attributive(text: str) -> frozenset[str]:
    """Returns the words of operations in lower case that only tell the kind of a thing: "the parking permit"."""
    return frozenset(
        found["word"].lower()
        for found in _ATTRIBUTIVE.finditer(text)
        if operation_table.content_stems([found["next"]])
    )


def _is_name(word: str) -> bool:
    """Whether a word with hyphens is a name that begins with an operation: `orders-db`, not `force-push`."""
    stems = operation_table.stem_each([part.lower() for part in word.split("-")])
    told, length = operation_table.phrase_at(stems)
    return bool(told) and length == 1 and _PARTICLE.fullmatch(word.rpartition("-")[2]) is None


def mentioned_in(
    text: str, spoken: Sequence[str], nouns: frozenset[str] = frozenset()
) -> tuple[frozenset[str], list[str]]:
    """Finds the operations mentioned anywhere in a text, and the other words.

    Args:
        text: Text.
        spoken: Its words.
        nouns: Words of operations in lower case that are parts of names, and name no operation.
    """
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
    names = parts_of_names(text)
    start = 0
    while start < len(stems):
        found_there, length = operation_table.phrase_at(stems, start)
        is_adjective = start > 0 and length == 1 and stems[start] in operation_table.table().leading
        if is_adjective or (length == 1 and spoken[start].lower() in names):
            rest.append(spoken[start])
        elif length == 1 and spoken[start].lower() in nouns:
            # Alone it is no thing either: a build server is none of the things of `docker build`.
            found_there = frozenset()
        elif found_there:
            told |= found_there
        else:
            rest.append(spoken[start])
        start += length
    return frozenset(told), rest


def _match(words: Sequence[str]) -> tuple[operation_table.CommandPattern, Sequence[str]] | None:
    if not words:
        return None
    program = words[0]
    arguments = [word for word in words[1:] if not word.startswith("-")]
    flags = [word for word in words[1:] if word.startswith("-")]
    if program in operation_table.table().commands and dry_runs.is_help(words):
        return operation_table.CommandPattern(None, (), "read", frozenset(), named=False), [program]
    for command in operation_table.table().commands.get(program, ()):
        is_excluded = command.unless and not command.unless.isdisjoint(options.read(words).names)
        length = None if is_excluded else command.fits(arguments, flags)
        if length is not None and _is_no_sentence(arguments[length:], every=not command.verbs):
            return command, [program, *arguments[length:]]
    return None


def _is_no_sentence(arguments: Sequence[str], *, every: bool) -> bool:
    """Whether the words after a program can be its arguments: "find a buyer" and "cut costs by half" are English."""
    looked_at = arguments if every else arguments[:1]
    return not any(stem is None for stem in _core.stems([word for word in looked_at if word.isalpha()]))


def words_of(text: str) -> list[str]:
    """Splits a text into words; `snake_case` is two, and the suffix of moment.js is dropped."""
    return _WORD.findall(SUFFIX.sub("", text).replace("_", " "))


def parts_of(text: str) -> list[str]:
    """Splits a text into words and the parts of names: RedisStore gives three."""
    return [*words_of(text), *(word for word in words_of(operation_table.CAMEL.sub(" ", text)))]


def word_stems(words: Iterable[str]) -> frozenset[str]:
    """Returns the stems of content words, and of the canonical names of aliases."""
    same = operation_table.table().same
    return frozenset(same.get(stem, stem) for stem in operation_table.content_stems(words))


def related_to(stems: Iterable[str]) -> set[str]:
    """Returns the stems of objects that are probably related to others."""
    return {each for stem in stems for each in operation_table.table().near.get(stem, ())}


def canonical(text: str) -> frozenset[str]:
    """Returns the stems of the canonical names of the aliases in a text that are not single words."""
    table = operation_table.table()
    return canonical_in(text, table.same_phrases, table.near_phrases)


def canonical_in(text: str, *phrases: operation_table.Phrases) -> frozenset[str]:
    """Returns the stems of the canonical names of the aliases in a text, among given aliases."""
    lower = operation_table.spaced(text)
    words = set(operation_table.WORD.findall(lower))
    return frozenset(
        stem
        for each in phrases
        for word in words & each.keys()
        for pattern, stems in each[word]
        if pattern.search(lower)
        for stem in stems
    )
