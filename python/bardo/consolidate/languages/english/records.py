"""Statements in the output of tools, in logs and in commit subjects: keys with values, and changes of values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.consolidate.clause import Clause, Cue, Speech

#: Maximum characters and lines of a record that are read.
READ_CHARACTERS, READ_LINES = 8_192, 80
_ARROW = re.compile(
    r"(?P<old>[\w./:@%+-]+(?: ?(?:GB|MB|KB|ms|s|m|h|min))?)\s*(?:->|=>|→|-->)\s*(?P<new>[\w./:@%+-]+(?: ?(?:GB|MB|KB|ms|s|m|h|min))?)"
)
_JSON_CHANGE = re.compile(
    r"\"(?:from|old|before|previous)\"\s*:\s*\"?(?P<old>[^\s\",}]+)\"?\s*,\s*\"(?:to|new|after|current)\"\s*:\s*\"?(?P<new>[^\s\",}]+)"
)
_FROM_TO = re.compile(r"\bfrom\s+(?P<old>[^\s,;()]+)\s+to\s+(?P<new>[^\s,;()]+)", re.IGNORECASE)
_CHANGED = re.compile(
    r"(?P<old>\S+(?: \S+)?) (?:changed to|renamed to|moved to|replaced by|replaced with) (?P<new>\S+(?: \S+)?)",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    r"\b(?:replace|swap|port|switch|migrate|move)\w*\s+(?:\w+ )?(?:from\s+)?(?P<old>[\w./@-]+)\s+(?:with|to|for|by|onto|over to)\s+(?P<new>[\w./@-]+)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?P<new>[@\w./-]+)[^.;\n]{0,40}?\b(?:instead of|rather than|not|in place of|replaces)\s+(?P<old>[@\w./-]+)",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"\(?(?:was(?= \d)|previously|formerly|old|earlier figure of|before that)[: ]+(?P<old>[^\s,;)]+)",
    re.IGNORECASE,
)
_REMOVED = re.compile(
    r"\b(?:remove[sd]?|removing|drop(?:s|ped)?|delete[sd]?|deleting|disable[sd]?|deprecate[sd]?|retire[sd]?|kill(?:ed)?|tear(?:s|ing)? down|shut(?:s|ting)? down|"
    r"stop(?:s|ped)? \w+ing|turn(?:s|ed)? off|no longer|goodbye|discontinue[sd]?|decommission(?:ed)?|unused|uninstall(?:ed)?|purge[sd]?|strip(?:ped)?|end of support|revoke[sd]?)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|through|sunset|expires?|deprecated|ends?|as of|starting with|from next|scheduled)\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?P<key>[A-Za-z_][\w .\-/\[\]]{0,60}?)\s*(?:[:=]|\bis\b|\bat\b)\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;{}\[\]]+(?: (?:GB|MB|KB|ms|s|min|hours?|days?|minutes?))?)"
)
_TRAILING = re.compile(
    r"(?P<key>[A-Za-z_][\w -]{2,40}?) (?:to |= ?)?(?P<value>v?\d[\w.:]*(?: ?(?:GB|MB|KB|Gi|Mi|ms|s|min|hours?|days?|minutes?))?)$"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d[\w.:-]*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FIGURE = re.compile(r"[\w.:/@-]*\d[\w.:/%-]*")
#: Words of a change that was not made.
_PLANNED = re.compile(
    r"\b(?:dry[- ]?run|would|planned|plan:|no changes|proposal|todo|fixture|draft|not started|if approved)\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(r"^(?:[0-9a-f]{7,40}\s+)?(?:[a-z]+(?:\([^)]*\))?!?:\s+)?")


def read(speech: Speech) -> list[Clause]:
    """The clauses of a record, one a line that says something."""
    return list(_read(speech.text[:READ_CHARACTERS]))


def _read(text: str) -> Iterator[Clause]:
    around = words(text)
    for line in [line.strip() for line in text.splitlines() if line.strip()][:READ_LINES]:
        body = _COMMIT.sub("", line)
        cues: set[Cue] = set()
        left: set[str] = set()
        value: set[str] = set()
        for pattern in (_JSON_CHANGE, _ARROW, _FROM_TO, _CHANGED, _REPLACE, _INSTEAD):
            for match in pattern.finditer(body):
                cues.add("from")
                left |= words(match["old"]) | {
                    match["old"].lower(),
                    *re.findall(r"\d+(?:[.:]\d+)*", match["old"]),
                }
                value |= words(match["new"]) | {match["new"].lower()}
        for match in _WAS.finditer(body):
            cues.add("instead")
            left |= words(match["old"]) | {match["old"].lower()}
        if _REMOVED.search(body):
            cues.add("ending")
        if _UNTIL.search(body):
            cues.add("bound")
        if _KEY.search(body) and not cues:
            cues.add("now")
        figures = frozenset(m[0].lower().rstrip(".,:") for m in _FIGURE.finditer(body))
        pairs = {
            (word, match["value"].strip("\"'").lower())
            for match in _KEY.finditer(body)
            for word in words(match["key"])
        }
        pairs |= {
            (word, match["value"].lower())
            for match in _TRAILING.finditer(body)
            for word in words(match["key"])
        }
        yield Clause(
            text="", sentence=line[:400], predicate="", stated=not _PLANNED.search(text), fillers=frozenset(pairs), anchors=frozenset(words(body) | (around if len(around) < 40 else set())),
            names=frozenset(), figures=figures, cues=frozenset(cues | {"change"} if "from" in cues else cues), left=frozenset(left),
            value=frozenset(value), denied=bool(re.search(r"\bno longer\b", body, re.IGNORECASE)),
        )  # fmt: skip


def is_record(line: str) -> bool:
    """Whether a line of a message is an entry such as `worker.concurrency 8 -> 24` rather than a sentence."""
    return bool(_ARROW.search(line)) and len(line.split()) <= 12


def words(text: str) -> set[str]:
    """The words of identifiers, in lower case and without plural: `maxConnections` is "max" and "connection"."""
    found = set()
    for match in _WORD.finditer(_CAMEL.sub(" ", text)):
        for part in match[0].lower().split("_"):
            found.add(part[:-1] if len(part) > 3 and part.endswith("s") and not part.endswith("ss") else part)
    return found
