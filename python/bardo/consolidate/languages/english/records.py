"""Statements in the output of tools, in logs and in commit subjects: keys with values, and changes of values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.consolidate.attributes import BUILT_IN, AttributeTable
from bardo.consolidate.clause import Clause, Cue, Speech
from bardo.consolidate.languages.english.record_assertion import asserted
from bardo.consolidate.languages.english.record_renames import rename_of
from bardo.consolidate.languages.english.record_slots import change_of
from bardo.consolidate.languages.english.slots import environments_in

#: Maximum characters, and lines, of a record that are read.
READ_CHARACTERS, READ_LINES = 8_192, 80
#: Maximum characters of a line that are kept as the sentence of its clause.
SENTENCE_CHARACTERS = 400
#: Number of different words from which on a record is too long for all of them to be the context of each line.
CONTEXT_WORDS = 40
#: Maximum number of words of an entry, such as `worker.concurrency 8 -> 24`, in a message.
ENTRY_WORDS = 12

_ARROW = re.compile(
    r"(?P<old>[\w./:@%+-]+(?: ?(?:GB|MB|KB|ms|s|m|h|min)\b)?)\s*(?:->|=>|→|-->)\s*"
    r"(?P<new>[\w./:@%+-]+(?: ?(?:GB|MB|KB|ms|s|m|h|min)\b)?)"
)
_JSON_CHANGE = re.compile(
    r"\"(?:from|old|before|previous)\"\s*:\s*\"?(?P<old>[^\s\",}]+)\"?\s*,\s*"
    r"\"(?:to|new|after|current)\"\s*:\s*\"?(?P<new>[^\s\",}]+)"
)
_FROM_TO = re.compile(r"\bfrom\s+(?P<old>[^\s,;()]+)\s+to\s+(?P<new>[^\s,;()]+)", re.IGNORECASE)
_CHANGED = re.compile(
    r"(?P<old>\S+(?: \S+)?) (?:changed to|renamed to|moved to|replaced by|replaced with) (?P<new>\S+(?: \S+)?)",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    r"\b(?:replace|swap|port|switch|migrate|move)\w*\s+(?:\w+ )?(?:from\s+)?(?P<old>[\w./@-]+)\s+"
    r"(?:with|to|for|by|onto|over to)\s+(?P<new>[\w./@-]+)",
    re.IGNORECASE,
)
_RENAME = re.compile(
    r"\b(?:rename[sd]?|renaming|git mv|mv)\s+(?P<old>[\w./:@()-]+)\s+(?:(?:in)?to\s+|as\s+)?(?P<new>[\w./:@()-]+)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?P<new>[@\w./-]+)[^.;\n]{0,40}?"
    r"(?:\b(?:instead of|rather than|in place of|replaces)|,\s*not)\s+(?P<old>[@\w./-]+)",
    re.IGNORECASE,
)
#: Patterns of a change from an old value to a new one.
_CHANGES = (_JSON_CHANGE, _ARROW, _FROM_TO, _CHANGED, _REPLACE, _RENAME, _INSTEAD)
_WAS = re.compile(
    r"\(?\b(?:was(?= \d)|previously|formerly|old|earlier figure of|before that)[: ]+(?P<old>[^\s,;)]+)",
    re.IGNORECASE,
)
_REMOVED = re.compile(
    r"\b(?:remove[sd]?|removing|drop(?:s|ped)?|delete[sd]?|deleting|disable[sd]?|deprecate[sd]?|retire[sd]?|"
    r"kill(?:ed)?|tear(?:s|ing)? down|shut(?:s|ting)? down|stop(?:s|ped)? \w+ing|turn(?:s|ed)? off|no longer|goodbye|"
    r"discontinue[sd]?|decommission(?:ed)?|unused|uninstall(?:ed)?|purge[sd]?|strip(?:ped)?|end of support|"
    r"revoke[sd]?|(?:rip(?:s|ped)?|tore|cut|take[sn]?|took) out)\b",
    re.IGNORECASE,
)
_RESTORED = re.compile(r"\b(?:revert\w*|roll(?:ed|s|ing)?[ -]?back|backed out|undone)\b", re.IGNORECASE)
_NO_LONGER = re.compile(r"\bno longer\b", re.IGNORECASE)
_UNTIL = re.compile(
    r"\b(?:until|through|sunset|expires?|deprecated|ends?|as of|starting with|from next|scheduled)\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?P<key>[A-Za-z_][\w .\-/\[\]]{0,60}?)\s*(?:[:=]|\bis\b|\bat\b)\s*"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;{}\[\]]+(?: (?:GB|MB|KB|ms|s|min|hours?|days?|minutes?)\b)?)"
)
#: A key with a number at the end of a line, without a sign between them.
_TRAILING = re.compile(
    r"(?P<key>[A-Za-z_][\w -]{2,40}?) (?:to |= ?)?"
    r"(?P<value>v?\d[\w.:]*(?: ?(?:GB|MB|KB|Gi|Mi|ms|s|min|hours?|days?|minutes?))?)$"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d[\w.:-]*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FIGURE = re.compile(r"[\w.:/@-]*\d[\w.:/%-]*")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
#: Hash of a commit, and its type or the component before its subject.
_COMMIT = re.compile(r"^(?:[0-9a-f]{7,40}\s+)?(?:[a-z]+(?:\([^)]*\))?!?:\s+)?")
#: Values of switches, which a sentence about them does not write.
_STATES = frozenset(
    {"yes", "no", "true", "false", "on", "off", "enabled", "disabled", "none", "null", "0", "1"}
)
#: A line of a log of commits, and the subject that a commit takes back.
_LISTED = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40}\s+\S")
_REVERTS = re.compile(r"(?i)\brevert:? [\"'](?P<body>[^\"']+)[\"']")
#: Beginning of a subject in the form of Conventional Commits, or of a command that changes files.
_SUBJECT = re.compile(
    r"^(?:commit )?(?:[0-9a-f]{7,40}\s+)?"
    r"(?:(?:feat|fix|chore|docs|refactor|perf|test|build|ci|style|revert|commit)(?:\([^)]*\))?!?:\s|git (?:mv|rm)\s)"
)


def read(speech: Speech, attributes: AttributeTable) -> list[Clause]:
    """The clauses of a record, one per line.

    Args:
        speech: Text of the record.
        attributes: Table of attributes.
    """
    lines = _lines_of(speech.text)
    around = words(speech.text[:READ_CHARACTERS])
    context = around if len(around) < CONTEXT_WORDS else set()
    return [_clause(line, context, attributes, is_made=is_made) for line, _, is_made in lines]


def is_unmade(text: str) -> bool:
    """Whether a record names changes, and tells of none that was made.

    Args:
        text: Text of the record.
    """
    changes = [is_made for _, is_change, is_made in _lines_of(text) if is_change]
    return bool(changes) and not any(changes)


def _lines_of(text: str) -> list[tuple[str, bool, bool]]:
    """The lines of a record, each with whether it names a change, and whether it tells of what took place."""
    text = text[:READ_CHARACTERS]
    lines = [line.strip() for line in text.splitlines() if line.strip()][:READ_LINES]
    if sum(map(bool, map(_LISTED.match, lines))) > 1:
        # A log of commits has the newest first.
        lines.reverse()
    changes = [_place_of_change(line) for line in lines]
    are_made = asserted(lines, changes, is_short=len(words(text)) < CONTEXT_WORDS)
    reverted = [match["body"] for match in map(_REVERTS.search, lines) if match]
    return [
        (line, change is not None, is_made and not any(line.endswith(body) for body in reverted))
        for line, change, is_made in zip(lines, changes, are_made, strict=True)
    ]


def _place_of_change(line: str) -> tuple[int, int] | None:
    """Place of the first and end of the last value that a line names as changed; None if it names none."""
    spans = [match.span() for pattern in _CHANGES for match in pattern.finditer(line)]
    return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None


def _clause(line: str, context: set[str], attributes: AttributeTable, *, is_made: bool) -> Clause:
    """The clause of a line.

    Args:
        line: The line.
        context: Words that count as words of the line.
        attributes: Table of attributes.
        is_made: Whether the line tells of what took place.
    """
    # A mark of code is no part of a name.
    body = _COMMIT.sub("", line).replace("`", "")
    left, value = _changed_values(body)
    change = rename_of(line, attributes) or change_of(line, attributes) if is_made else None
    return Clause(
        text=change.text if change else "",
        sentence=line[:SENTENCE_CHARACTERS],
        anchors=frozenset(words(body) | context),
        figures=frozenset(match[0].lower().rstrip(".,:") for match in _FIGURE.finditer(body)),
        stated=is_made,
        denied=bool(_NO_LONGER.search(body)),
        restores=bool(_RESTORED.search(line)),
        cues=frozenset(_cues(body)),
        left=frozenset(left),
        value=frozenset(value),
        replaced=frozenset([change.old.lower()] if change and change.old else _replaced(body)) - _STATES,
        fillers=frozenset(_pairs(body)),
        condition=change.statement.condition if change else " ".join(environments_in(line)),
        statement=change.statement if change else None,
    )


def _cues(body: str) -> set[Cue]:
    """Effects on earlier statements that a line announces."""
    found: set[Cue] = set()
    if any(pattern.search(body) for pattern in _CHANGES):
        found |= {"from", "change"}
    if _WAS.search(body):
        found.add("instead")
    if _REMOVED.search(body):
        found.add("ending")
    if _UNTIL.search(body):
        found.add("bound")
    if not found and _KEY.search(body):
        found.add("now")
    return found


def _changed_values(body: str) -> tuple[set[str], set[str]]:
    """Words of the values that a line names as replaced, and of those that it names as new."""
    left: set[str] = set()
    value: set[str] = set()
    for pattern in _CHANGES:
        for match in pattern.finditer(body):
            left |= words(match["old"]) | {match["old"].lower(), *_NUMBER.findall(match["old"])}
            value |= words(match["new"]) | {match["new"].lower()}
    for match in _WAS.finditer(body):
        left |= words(match["old"]) | {match["old"].lower()}
    return left, value


def _replaced(body: str) -> Iterator[str]:
    """Whole values that a line names as replaced, in lower case."""
    for pattern in _CHANGES:
        for match in pattern.finditer(body):
            # "A -> A" maps a name.
            if match["old"].lower() != match["new"].lower():
                yield match["old"].lower()


def _pairs(body: str) -> Iterator[tuple[str, str]]:
    """Pairs of a word of a key and its value."""
    for match in _KEY.finditer(body):
        value = match["value"].strip("\"'").lower()
        yield from ((word, value) for word in words(match["key"]))
    for match in _TRAILING.finditer(body):
        yield from ((word, match["value"].lower()) for word in words(match["key"]))


def is_record(line: str) -> bool:
    """Whether a line of a message is the subject of a commit, a rename, or an entry such as `concurrency 8 -> 24`."""
    is_entry = bool(_ARROW.search(line)) and len(line.split()) <= ENTRY_WORDS
    return bool(_SUBJECT.search(line)) or is_entry or rename_of(line, BUILT_IN, is_record=False) is not None


def words(text: str) -> set[str]:
    """The words of identifiers, in lower case and without plural: `maxConnections` is "max" and "connection"."""
    found = set()
    for match in _WORD.finditer(_CAMEL.sub(" ", text)):
        for part in match[0].lower().split("_"):
            is_plural = len(part) > 3 and part.endswith("s") and not part.endswith("ss")
            found.add(part[:-1] if is_plural else part)
    return found
