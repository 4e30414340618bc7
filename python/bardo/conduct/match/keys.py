"""Makes the keys by which actions find rejections: practices, kinds, commands, options, hosts, tables and paths."""

from __future__ import annotations

from collections.abc import Iterable

from bardo.conduct.parse.action import TABLE, ParsedAction, fits, folded
from bardo.conduct.parse.actions import command_forms, options
from bardo.conduct.parse.conditions import order_sizes
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections.forbidden import places_in, practices_in, propose
from bardo.conduct.parse.vocabulary import kinds_in, stems_of, vocabulary


def of_text(text: str) -> frozenset[str]:
    """Returns the keys of the practices, kinds and commands that a rejection names, by which actions find it."""
    found = {f"practice {number}" for number in practices_in(text)}
    flags, hosts, paths = places_in(text)
    command = command_forms.of_text(text)
    stems = stems_of(text)
    return frozenset(
        found
        | {f"command {key}" for key in (command.keys if command else ())}
        | {f"kind {kind}" for kind in kinds_in(stems, vocabulary().kinds_by_stem)}
        # A sale has no word of "orders above 30 lots".
        | {f"verb {verb}" for verb in (propose(text).verbs if order_sizes.names_orders(text) else ())}
        | _of_flags(flags)
        | {f"host {host}" for host in hosts}
        | {f"path {_part_of(path)}" for path in paths}
        | ({f"table {stem}" for stem in stems - TABLE} if stems & TABLE else set())
    )


def _of_flags(flags: Iterable[str]) -> frozenset[str]:
    """Returns the keys of options."""
    return frozenset(f"flag {key}" for flag in flags for key in options.keys_of(flag))


def _part_of(path: str) -> str:
    """Returns the last part of a path without wildcards, by which actions find it; `*` without one."""
    return next((part for part in reversed(path.split("/")) if part and "*" not in part), "*")


def of_correction(changes: str) -> frozenset[str]:
    """Returns the keys of the words, options and programs of a correction, by which actions find it."""
    given = Forbids.from_json(changes)
    plain = (*given.things, *given.phrases, *given.packages, *given.hosts, *given.paths)
    found = {f"word {stem}" for item in plain for stem in stems_of(item)}
    found |= {f"verb {verb}" for verb in given.verbs if not given.things}
    return frozenset(
        found
        | _of_flags(given.flags)
        | {f"program {command.split(' ', 1)[0].lower()}" for command in given.commands}
    )


def of_action(action: ParsedAction) -> frozenset[str]:
    """Returns the keys of practices, kinds, commands and places of an action, by which it finds rejections."""
    words = vocabulary()
    found = {
        number
        for stem in (*action.stems, "")
        for phrase, number in words.by_phrase.get(stem, ())
        if phrase.is_in(action.stems, action.text)
    }
    for line in map(folded, (*action.lines, *action.pipes)):
        for pattern, number in (
            *words.by_program.get(line.split(" ", 1)[0], ()),
            *words.by_program.get("", ()),
        ):
            if number not in found and fits(line, pattern):
                found.add(number)
    return frozenset(
        {f"practice {number}" for number in found}
        | {f"kind {kind}" for kind in action.kinds}
        | {f"command {key}" for form in action.forms for key in form.keys}
        | {f"word {stem}" for stem in action.stems}
        | {f"verb {verb}" for verb in action.verbs}
        | _of_flags(action.options)
        | {f"program {line.split(' ', 1)[0].lower()}" for line in action.lines}
        | {f"host {host}" for host in action.places.hosts}
        | {f"table {stem}" for table in action.tables for stem in table}
        | {f"path {part}" for path in action.places.paths for part in ("*", *path.split("/"))}
    )
