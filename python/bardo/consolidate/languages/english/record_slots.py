"""Slots of lines that tell a change: `worker.concurrency 8 -> 24` gives the worker's concurrency, which is 24."""

from __future__ import annotations

import re

from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.languages.english.slots import case_in
from bardo.model import Statement

#: Maximum number of words of a key.
KEY_WORDS = 4
_UNIT = r"(?: ?(?:GB|MB|KB|GiB|MiB|Gi|Mi|ms|us|s|m|h|min|days?|hours?|minutes?|seconds?))?"
_VALUE = rf"[\"'`]?[\w./:@%+,-]*\w%?{_UNIT}[\"'`]?"
_CHANGED = (
    r"(?:changed|raised|lowered|increased|decreased|reduced|moved|set|bumped|upgraded|switched|went|goes)"
)
_ARROW = r"(?:->|=>|→|-->)"
#: A key with its old and its new value. What follows the new value gives a reason or a reference.
_CHANGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<key>[A-Za-z_][^\n]{{0,80}}?)\s*[:=]?\s+(?P<old>{_VALUE})\s*{_ARROW}\s*(?P<new>{_VALUE})(?P<rest>.*)$",
        rf"^(?P<key>[A-Za-z_][^\n]{{0,80}}?)(?:\s+(?:is |was |has been )?{_CHANGED})?\s+from\s+(?P<old>{_VALUE})"
        rf"\s+to\s+(?P<new>{_VALUE})(?P<rest>.*)$",
        r"^(?P<key>[A-Za-z_][^\n]{0,80}?)\s+(?:is|are)\s+now\s+(?P<new>[^,.;()]{1,40}(?:\.\d[^,;()]{0,20})?)(?P<old>)(?P<rest>.*)$",
    )
)
#: A commit that takes another back.
_REVERT = re.compile(r"(?i)^revert:?\s+[\"'`](?P<body>.+?)[\"'`]?\s*$")
#: Verbs of a change of a value at the beginning of a subject, those of a version first.
_OF_VERSION = re.compile(
    r"(?i)^(?:bump(?:s|ed)?|upgrade[sd]?|downgrade[sd]?|pin(?:s|ned)?|deploy(?:s|ed)?|"
    r"release[sd]?|roll(?:s|ed)? out)\s+"
)
_OF_VALUE = re.compile(
    r"(?i)^(?:update[sd]?|set|raise[sd]?|lower(?:s|ed)?|increase[sd]?|decrease[sd]?|reduce[sd]?|change[sd]?|"
    r"switch(?:e[sd])?|move[sd]?|adjust(?:s|ed)?|tune[sd]?|cut)\s+"
)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+[\w.-]*|v\d+")
_SCOPE = re.compile(r"^(?:[0-9a-f]{7,40}\s+)?[a-z]+\((?P<scope>[^)]+)\)!?:\s+")
_PREFIX = re.compile(r"^(?P<scope>[\w./-]+):\s+(?=\S)")
#: Words that no key has: the line is a sentence.
_PROSE = re.compile(
    r"(?i)\b(?:is|are|was|were|i|we|you|they|he|she|it|went|goes|moved|our|my|so|but|and|or|not|no)\b|[,;?!\"]"
)
#: Scopes of commits that name no component.
_GENERIC = frozenset({"deps", "deps-dev", "build", "ci", "config", "release", "infra", "ops"})
_ARTICLE = re.compile(r"(?i)^(?:the|our|a)\s+")


def slot_of(line: str, body: str, attributes: AttributeTable) -> tuple[str, Statement] | None:
    """The change of a line as a sentence, and its statement; None if the line tells of no change of a named value.

    Args:
        line: Line of a record.
        body: The line without hash and type of a commit.
        attributes: Table of attributes.
    """
    reverted = _REVERT.match(body)
    if reverted:
        line = body = reverted["body"]
        body = _SCOPE.sub("", body)
    scoped = _SCOPE.match(line)
    scope = scoped["scope"] if scoped and scoped["scope"] not in _GENERIC else ""
    if not scope and (prefixed := _PREFIX.match(body)):
        scope, body = prefixed["scope"], body[prefixed.end() :]
    is_version = bool(_OF_VERSION.match(body))
    body = _ARTICLE.sub("", _OF_VALUE.sub("", _OF_VERSION.sub("", body)))
    match = next(filter(None, (pattern.match(body) for pattern in _CHANGES)), None)
    if match is None:
        return None
    key, old, new = (match[name].strip(" \"'`:=,.") for name in ("key", "old", "new"))
    if reverted:
        old, new = new, old
    if new.lower().startswith("version "):
        is_version, new = True, new.split(maxsplit=1)[1]
    if not key or not new or _PROSE.search(key) or len(key.split()) > KEY_WORDS:
        return None
    is_version = is_version or bool(_VERSION.fullmatch(new) and _VERSION.fullmatch(old))
    named = _named(key, scope, is_version=is_version)
    if named is None:
        return None
    subject, attribute, shown = named
    condition = case_in(f"{key} {match['rest']}")
    where = f" ({condition})" if condition else ""
    text = f"{shown} is {new}{where}"
    is_functional = attributes.attribute(attribute).functional
    return text, Statement(
        subject.lower(), attribute.lower(), new, condition=condition, functional=is_functional
    )


def _named(key: str, scope: str, *, is_version: bool) -> tuple[str, str, str] | None:
    """Subject and attribute of a key, and how both are written together; None if one of them is missing."""
    key = _ARTICLE.sub("", key)
    whole = f"{scope} {key}".strip()
    words = key.split()
    if is_version and words[-1].lower() != "version":
        return whole, "version", f"{whole} version"
    if "of" in words[1:-1]:
        place = words.index("of", 1)
        before, last = [_ARTICLE.sub("", " ".join(words[place + 1 :]))], " ".join(words[:place])
    else:
        *before, last = words
        head, _, name = last.rpartition(".")
        before, last = ([*before, head], name) if head else (before, last)
    subject = " ".join(filter(None, [scope, *before]))
    return (subject, last, whole) if subject and last else None
