"""Slots of lines that tell a change: `worker.concurrency 8 -> 24` gives the worker's concurrency, which is 24."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.languages.english.slots import ENVIRONMENT, case_in, environments_in
from bardo.model import Statement

#: Type of a commit before its subject. A word that is no type is a component: "gateway: timeout".
COMMIT_TYPE = (
    r"(?:[a-z]+\([^)]*\)|feat|fix|chore|docs|refactor|perf|tests?|build|ci|style|revert|commit|wip|hotfix|release|"
    r"merge|deps|config|infra|ops)!?:\s+"
)
#: Maximum number of words of a key.
KEY_WORDS = 4
_UNIT = r"(?: ?(?:GB|MB|KB|GiB|MiB|Gi|Mi|ms|us|s|m|h|min|days?|hours?|minutes?|seconds?)\b)?"
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
#: A commit that takes another back, whose subject it quotes.
_REVERT = re.compile(
    r"(?i)^(?:revert:?\s+[\"'`](?P<body>.+?)[\"'`]?|revert:\s+(?P<subject>[a-z]+(?:\([^)]*\))?!?:\s.+?))\s*$"
)
#: End of a change that was taken back.
_REVERTED = re.compile(
    r"(?i)^\W*(?:(?:was|were|is|are|got|has been|have been|now)\s+)?(?:reverted|rolled back|backed out|undone)\b"
)
#: Verbs of a change of a value at the beginning of a subject, those of a version first.
_OF_VERSION = re.compile(
    r"(?i)^(?:bump(?:s|ed|ing)?|upgrad(?:es?|ed|ing)|downgrad(?:es?|ed|ing)|pin(?:s|ned|ning)?|"
    r"deploy(?:s|ed|ing|ment)?|releas(?:es?|ed|ing)|roll(?:s|ed|ing)? out|roll(?:s|ed|ing)?[ -]?back)(?: of)?\s+"
)
_OF_VALUE = re.compile(
    r"(?i)^(?:updat(?:es?|ed|ing)|set(?:s|ting)?|rais(?:es?|ed|ing)|lower(?:s|ed|ing)?|increas(?:es?|ed|ing)|"
    r"decreas(?:es?|ed|ing)|reduc(?:es?|ed|ing)|chang(?:es?|ed|ing)|switch(?:es|ed|ing)?|mov(?:es?|ed|ing)|"
    r"adjust(?:s|ed|ing)?|tun(?:es?|ed|ing)|cut(?:s|ting)?|scal(?:es?|ed|ing)|resiz(?:es?|ed|ing)|"
    r"extend(?:s|ed|ing)?|shorten(?:s|ed|ing)?|configur(?:es?|ed|ing))\s+"
)
#: End of a key of a version, such as "server_version" and "serverVersion", not of "conversion".
_NAMES_VERSION = re.compile(r"(?:^|[\W_])(?i:version)$|[a-z]Version$")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+[\w.-]*|v\d+")
#: Time and level of a line of a log, the name of a log of changes or of a commit, the task of a runner with its status,
#: and a process that tells of another component.
LOGGED = re.compile(
    r"(?i)^(?:(?:\[?(?:\d{4}-\d\d-\d\d\S*|\d\d:\d\d\S*|info|debug|trace|notice|warn|warning)\]?:?|"
    r"(?:deploy(?:ment)?|release|build|change|upgrade|migration|rollout|ci)[ -]?log:|commit [0-9a-f]{7,40}:|"
    r"\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\]|"
    r"(?:change ?log|release(?: notes)?) v?\d+(?:\.\d+)+(?: \([^)]*\))?(?::| [-–—])|"
    r"(?:(?:running )?handler|play|task|step) \[[^\]\n]{0,80}\]:?|"
    r"(?:changed|ok|done|success|succeeded|applied|completed|updated|modified):|"
    r"[\w.-]+\[\d+\]:(?=\s+[\w./-]+:\s))\s+)+"
)
_TYPE = re.compile(rf"^(?:[0-9a-f]{{7,40}}\s+)?(?:{COMMIT_TYPE})?")
_SCOPE = re.compile(r"^(?:[0-9a-f]{7,40}\s+)?[a-z]+\((?P<scope>[^)]+)\)!?:\s+")
#: An environment as a prefix or within a key.
_ENVIRONMENT = re.compile(
    rf"(?:(?:on|in|for|at|to|of) )?(?:the )?{ENVIRONMENT}(?: env(?:ironment)?\b)?:?\s*", re.IGNORECASE
)
_PREFIX = re.compile(r"^(?P<scope>[\w./-]+)(?:\[\d+\])?:\s+(?=\S)")
#: Words that no key has: the line is a sentence.
_PROSE = re.compile(
    r"(?i)\b(?:is|are|was|were|i|we|you|they|he|she|it|went|goes|moved|our|my|so|but|and|or|not|no|when|while|if|unless|"
    r"whether|because|that|which|than)\b|[,;?!\"]|:\s"
)
#: Scopes of commits that name no component.
_GENERIC = frozenset({"deps", "deps-dev", "build", "ci", "config", "release", "infra", "ops"})
#: The day of a change, which is no case to which its value is limited.
_DAY = re.compile(r"(?i)\bon \w+day\b")
#: Beginning of the values of a change.
_VALUES = re.compile(rf"(?i)\s+(?:from\s+{_VALUE}\s+to\s|{_VALUE}\s*{_ARROW}|(?:is|are)\s+now\s)")
_ARTICLE = re.compile(r"(?i)^(?:the|our|a)\s+")


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a named value.

    Args:
        text: The new value as a sentence.
        statement: Statement of the new value.
        old: The value before; empty if the line does not name it.
    """

    text: str
    statement: Statement
    old: str


def change_of(line: str, attributes: AttributeTable) -> Change | None:
    """The change that a line tells of; None if it tells of no change of a named value.

    Args:
        line: Line of a record.
        attributes: Table of attributes.
    """
    body, scope, is_reverted = subject_of(line)
    is_version = bool(_OF_VERSION.match(body))
    body, places = _without_environment(_without_verb(body))
    if not scope and (prefixed := _PREFIX.match(body)):
        scope, body = prefixed["scope"], body[prefixed.end() :]
        scope = "" if scope in _GENERIC else scope
        is_version = is_version or bool(_OF_VERSION.match(body))
        body, more = _without_environment(_without_verb(body))
        places |= more
    match = next(filter(None, (pattern.match(body) for pattern in _CHANGES)), None)
    if match is None:
        return None
    key, old, new = (match[name].strip(" \"'`:=,.") for name in ("key", "old", "new"))
    if is_reverted != bool(_REVERTED.match(match["rest"])):
        old, new = new, old
    if new.lower().startswith("version "):
        is_version, new = True, new.split(maxsplit=1)[1]
    if not key or not new or _PROSE.search(key) or len(key.split()) > KEY_WORDS:
        return None
    is_version = is_version or bool(_VERSION.fullmatch(new) and _VERSION.fullmatch(old))
    named = _named(key, scope, is_version=is_version)
    if named is None and len(places) == 1:
        # "staging replicas 3 -> 5": the environment is the subject.
        named, places = _named(key, *places, is_version=is_version), set()
    if named is None:
        return None
    subject, attribute, shown = named
    condition = " ".join(sorted(places | set(case_in(_DAY.sub(" ", match["rest"])).split())))
    where = f" ({condition})" if condition else ""
    is_functional = attributes.attribute(attribute).functional
    statement = Statement(
        subject.lower(), attribute.lower(), new, condition=condition, functional=is_functional
    )
    return Change(f"{shown} is {new}{where}", statement, old)


def subject_of(line: str) -> tuple[str, str, bool]:
    """The subject of a line without time, level and type of commit, its component, and whether it takes another back.

    The component is the scope of a commit, such as `gateway` of `fix(gateway): ...`, and empty without one.
    """
    line = LOGGED.sub("", line)
    body = _TYPE.sub("", line)
    reverted = _REVERT.match(body) or _REVERT.match(line)
    if reverted:
        line = reverted["body"] or reverted["subject"]
        body = _TYPE.sub("", line)
    scoped = _SCOPE.match(line)
    scope = scoped["scope"] if scoped and scoped["scope"] not in _GENERIC else ""
    return body, scope, reverted is not None


def _without_verb(body: str) -> str:
    """The text of a change without the verb at its beginning."""
    return _ARTICLE.sub("", _OF_VALUE.sub("", _OF_VERSION.sub("", body)))


def _without_environment(body: str) -> tuple[str, set[str]]:
    """The text of a change without the environments before its values, and these."""
    values = _VALUES.search(body)
    key, rest = (body[: values.start()], body[values.start() :]) if values else (body, "")
    kept = _ENVIRONMENT.sub("", key).rstrip()
    return (f"{kept}{rest}", set(environments_in(key))) if kept.strip() else (body, set())


def _named(key: str, scope: str, *, is_version: bool) -> tuple[str, str, str] | None:
    """Subject and attribute of a key, and how both are written together; None if one of them is missing."""
    key = _ARTICLE.sub("", key)
    if re.match(rf"{re.escape(scope)}(?![\w-])", key, re.IGNORECASE):
        # "perf(sync): sync.batch_size" names its component twice.
        scope = ""
    whole = f"{scope} {key}".strip()
    words = key.split()
    if is_version and not _NAMES_VERSION.search(words[-1]):
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
