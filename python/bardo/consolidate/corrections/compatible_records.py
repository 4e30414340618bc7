"""Pairs with a line of a record that can both hold, which the regressions of `corrections` do not judge."""

from __future__ import annotations

import re

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import certain_rule, is_record

#: A figure with its unit, and a value of words alone.
_MEASURE = re.compile(r"(\d[\d.,]*)[ /]?[a-z%/]+")
#: Level or outcome by which a line of a log tells of an event.
_EVENT = re.compile(
    r"\b(?:WARN(?:ING)?|ERR(?:OR)?|CRIT(?:ICAL)?|FATAL|PANIC)\b|\b(?i:ok|done|succeeded|completed|finished|failed|passed)\b"
)
#: Time of the day, which a line of a log can have as a value.
_CLOCK = re.compile(r"\d\d:\d\d\S*")
#: A function or setting named with its module or component, and its own name.
_MEMBER = re.compile(r"[a-z]\w*(?:\.\w+)*\.(\w*_\w+)")
_WORDS = re.compile(r"[a-z _-]+")
_WORD = re.compile(r"[^\W_]+")
#: Cues by which a clause gives a value as the new one.
_OF_NEW_VALUE = frozenset({"change", "correction", "from", "instead", "new", "now"})


def is_of_another_slot(older: Clause, newer: Clause) -> bool:
    """Whether both clauses are lines of records about different slots.

    A line without a component, such as "timeout 30s -> 45s", is about the one whose value it replaces. One that gives a
    key a value, such as "nginx version: 1.27", is about the component that it names.
    """
    one, other = older.statement, newer.statement
    if not (is_record(older) and is_record(newer)):
        return False
    if one is None:
        return other is None and _are_two_events(older, newer)
    if other is None:
        names = _WORD.findall(one.subject.lower())
        return newer.cues == {"now"} and not any(
            name in newer.anchors or name in newer.sentence.lower() for name in names
        )
    if one.attribute != other.attribute or one.condition != other.condition:
        return True
    ours, theirs = set(one.subject.split()), set(other.subject.split())
    value = one.value.lower()
    # A thing that was renamed is renamed again.
    is_same = ours <= theirs or theirs <= ours or value in theirs
    return ours != theirs and not (is_same and value in newer.replaced)


def tells_event(older: Clause, newer: Clause) -> bool:
    """Whether the older clause is a line of a log that tells of one event, which only a denial takes back."""
    is_line = is_record(older) and older.statement is None and not older.replaced
    return (
        is_line
        and bool(_EVENT.search(older.sentence))
        and not newer.cues & {"correction", "denial", "instead"}
    )


def _are_two_events(older: Clause, newer: Clause) -> bool:
    """Whether two lines of records tell of two events, or of two things: several of their values differ."""
    if newer.replaced or newer.cues != {"now"}:
        return False
    old, new = _values_by_key(older), _values_by_key(newer)
    differences = {(old[key], new[key]) for key in old.keys() & new.keys() if old[key].isdisjoint(new[key])}
    return len(differences) > 1


def _values_by_key(record: Clause) -> dict[str, frozenset[str]]:
    """Values of the keys of a line of a record, without times of the day."""
    found: dict[str, set[str]] = {}
    for key, value in record.fillers:
        if not _CLOCK.fullmatch(value):
            found.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in found.items()}


def leaves_value_out(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is a line of a record that replaces a value which the older clause does not give."""
    if not newer.replaced:
        return False
    given = newer.replaced - (older.replaced - older.value)
    return older.condition != newer.condition or not any(_gives(older, value) for value in given)


def _gives(clause: Clause, value: str) -> bool:
    """Whether a clause gives a value: word for word, with another unit, or, of words, in another form."""
    # A function is called "load_rows()" in one line, and defined as "load_rows(path)" in another.
    value = value.removesuffix("()")
    member = _MEMBER.fullmatch(value)
    figure = _MEASURE.fullmatch(value)
    parts = set(re.findall(r"[a-z]+", value)) if _WORDS.fullmatch(value) else set()
    # A value of another clause of its sentence is none of its own.
    said = clause.text or clause.sentence
    return (
        has_value(said, value)
        or (member is not None and has_value(said, member[1]))
        or (figure is not None and has_value(said, figure[1]))
        or (bool(parts) and parts <= set(re.findall(r"[a-z]+", said.lower())))
    )


def is_of_another_line(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is a line of a record about another thing, or of another key, than the older one.

    Lines of one template that differ in a word each, such as the name of a host, are about two things. A statement in
    prose is corrected by a line that has the key of its value.
    """
    if not is_record(newer) or newer.statement is not None or newer.cues != {"now"}:
        return False
    if is_record(older):
        old, new = _words_without_figures(older), _words_without_figures(newer)
        return bool(old - new) and bool(new - old)
    keys = {key for key, _ in older.fillers} & {key for key, _ in newer.fillers}
    return not keys and not certain_rule(older, newer)


def _words_without_figures(clause: Clause) -> frozenset[str]:
    """Content words and names of a line of a record."""
    return frozenset(word for word in clause.anchors | clause.names if not any(map(str.isdigit, word)))


def has_new_value(older: Clause, newer: Clause) -> bool:
    """Whether the older clause gives the value to which a line of a record changes: both tell of one change."""
    if not (newer.replaced and newer.value and is_record(newer)) or not older.cues & _OF_NEW_VALUE:
        return False
    said = older.sentence.casefold()
    is_last = all(said.rfind(new) > said.rfind(old) for new in newer.value for old in newer.replaced)
    return is_last and not older.left & newer.value and all(has_value(said, value) for value in newer.value)


def has_value(sentence: str, value: str) -> bool:
    """Whether a sentence has a value, word for word."""
    return (
        re.search(rf"(?<![\w.]){re.escape(value.casefold())}(?![\w]|\.\w)", sentence.casefold()) is not None
    )
