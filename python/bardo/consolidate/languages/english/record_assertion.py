"""Assertion of records: a change that was planned, attempted, refused, supposed or asked about was not made.

Words that also name settings count by their place: "failed to upgrade" and "8 -> 9 failed" tell of a failure,
"failed login limit 3 -> 5" does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bardo.consolidate.languages.english.record_slots import COMMIT_TYPE, LOGGED

#: Words by which no change of a record was made.
_OF_RECORD = re.compile(
    r"\b(?:dry[- ]?run|would|planned|plan:|no changes|proposal|todo|fixture|draft|not started|if approved)\b",
    re.IGNORECASE,
)
#: Commit hash, time and level before the text of a line, and its type as a commit.
_LEAD = re.compile(
    r"\W*(?:(?:[0-9a-f]{7,40}|\d[\d:.,TZ/+-]*|info|debug|trace|notice|warn|warning)\b[\])]?:?\s+\W*)*"
    rf"(?P<type>{COMMIT_TYPE})?",
    re.IGNORECASE,
)
_VERB = (
    r"(?:upgrad|updat|bump|deploy|releas|roll|migrat|rais|lower|increas|decreas|reduc|chang|switch|mov|scal|resiz|set|"
    r"pin|downgrad|adjust|tun|renam|replac|remov|delet|drop|disabl|install)"
)
#: States of a change before it, with the mark or the word that tells them from the name of a setting.
_NOT_MADE_BEFORE = re.compile(
    r"(?:wip|rfc|poc|idea|propos(?:al|als|e|es|ed|ing)|suggest(?:s|ed|ion|ing)?|recommend(?:s|ed|ation)?|"
    r"plan(?:s|ned|ning)?|pending|upcoming|scheduled|discuss(?:ed|ion|ing)?|experiment|attempt(?:s|ed|ing)?|"
    r"fail(?:s|ed|ure|ing)?|error|fatal|critical|abort(?:s|ed|ing)?|cancel(?:s|led|ed)?|reject(?:s|ed)?|refused|"
    r"denied|skip(?:s|ped|ping)?|blocked|deferred|postponed|declined)"
    rf"(?:\s*[:\])]|\s+(?:an?|the|of)\b|\s+{_VERB}\w*)",
    re.IGNORECASE,
)
#: Verbs and adverbs by which a thing is wished, tried or supposed.
_SUPPOSED = (
    r"(?:fail(?:s|ed|ing)?|unable|refus(?:es|ed|ing)|declin(?:es|ed)|attempt(?:s|ed|ing)?|tr(?:y|ies|ied|ying)|"
    r"plan(?:s|ned|ning)?|wants?|wanted|needs?|needed|intend(?:s|ed|ing)?|hop(?:e|es|ed|ing)|aim(?:s|ed|ing)?|"
    r"propos(?:e|es|ed|ing)|going|about|supposed|scheduled|ask(?:s|ed|ing)?|request(?:s|ed|ing)?)\s+to\b|"
    r"(?:could\s?n[o']t|cannot|can't|did\s?n[o']t|won't|maybe|perhaps|possibly|probably|presumably|apparently|what if|"
    r"considering|not \w+ing|wip)\b"
)
_SUPPOSED_FIRST = re.compile(_SUPPOSED, re.IGNORECASE)
#: The same, and words by which only a line with a change supposes it.
_SUPPOSED_CHANGE = re.compile(
    rf"\b(?:{_SUPPOSED}|(?:will|shall|should|could|might|may be|let's|if|unless|whether|expect(?:s|ed|ing)?|"
    r"mock(?:s|ed)?|stub(?:s|bed)?|next (?:sprint|week|month|quarter|year|release|version|window)|tomorrow)\b)",
    re.IGNORECASE,
)
#: States of a change after it.
_NOT_MADE_AFTER = re.compile(
    r"\b(?:(?:fail(?:s|ed|ure|ing)?|(?<!\b0 )errors?)(?!\s*[=:]?\s*0)|reject\w*|abort\w*|cancel\w*|pending|awaiting|"
    r"denied|refused|skipped|blocked|declined|timed out|unsuccessful\w*|on hold|postponed|deferred|scheduled|proposed|"
    r"tomorrow|soon|later|next \w+|if|once|unless|mock\w*|stub\w*|(?:not|never) (?:yet|done|possible|\w+ed))\b",
    re.IGNORECASE,
)
#: Words after which the rest of a line gives the reason of its change.
_REASON = re.compile(
    r"\b(?:because|due|since|after|as|so|to|for|when|where|which|fix\w*|avoid\w*|prevent\w*|resolv\w*|clos\w+)\b",
    re.IGNORECASE,
)
#: Match of a search in a changelog, a document or a test, which tells no present value: `CHANGELOG.md:201:- ...`.
_OF_ANOTHER_TIME = re.compile(
    r"(?i)[\w./-]*(?:change|histor|news|release|test|spec|fixture|example|docs?/|\.md|\.rst)[\w./-]*:\d+[:-]"
)
_ARROW = re.compile(r"->|=>|→")
#: Words by which a change waits for a decision.
_OPEN = re.compile(
    r"\b(?:pending|awaiting|waits? for|waiting for|proposed|proposal|draft|open PR)\b|"
    r"(?:\bnot|n['’]t)(?: \w+)? (?:approved|merged|deployed|reviewed|signed|released|accepted)\b",
    re.IGNORECASE,
)
_UNDERWAY = re.compile(rf"{_VERB}[pt]?ing\b", re.IGNORECASE)
_DONE = re.compile(r"\b(?:done|ok|completed?|finished|success\w*|succeeded)\b", re.IGNORECASE)
#: Beginning of a line by which the changes of a short record failed.
_FAILURE = re.compile(
    r"(?:failed|failure|error|fatal|aborted|unable|could\s?n[o']t|rejected|permission denied|timed out)\b"
    r"(?!\s*[=:]\s*0)",
    re.IGNORECASE,
)


def names_open_change(text: str) -> bool:
    """Whether a sentence of a message names a change that waits for a decision: "'limit 5 -> 9' is not approved".

    Args:
        text: The sentence.
    """
    return bool(_ARROW.search(text) and _OPEN.search(text))


def asserted(
    lines: Sequence[str], changes: Sequence[tuple[int, int] | None], *, is_short: bool
) -> list[bool]:
    """Whether each line of a record tells of what took place.

    Args:
        lines: The lines.
        changes: Place of the changed values in each line; None if it names none.
        is_short: Whether the lines are about one thing, so that a failure that one of them tells is that of all.
    """
    text = "\n".join(lines)
    if _OF_RECORD.search(text):
        return [False] * len(lines)
    pairs = list(zip(lines, changes, strict=True))
    if is_short and any(change is None and _FAILURE.match(_led(line)[1]) for line, change in pairs):
        return [change is None and _is_made(line) for line, change in pairs]
    is_done = bool(_DONE.search(text))
    return [
        _is_made(line) and (change is None or _is_change_made(line, *change, is_done=is_done))
        for line, change in pairs
    ]


def _led(line: str) -> tuple[bool, str]:
    """Whether a line has the type of a commit, and its text behind time, level and type."""
    line = LOGGED.sub("", line)
    lead = _LEAD.match(line)
    return (bool(lead["type"]), line[lead.end() :]) if lead else (False, line)


def _is_made(line: str) -> bool:
    """Whether the beginning of a line does not take back what it tells."""
    return not (_OF_ANOTHER_TIME.match(line) or _SUPPOSED_FIRST.match(_led(line)[1]))


def _is_change_made(line: str, first: int, last: int, *, is_done: bool) -> bool:
    """Whether a change was made.

    Args:
        line: The line.
        first: Place of the first changed value.
        last: End of the last one.
        is_done: Whether the record says that something was completed.
    """
    is_commit, told = _led(line)
    is_underway = bool(_UNDERWAY.match(told)) and not (is_commit or is_done)
    if is_underway or line.rstrip(" )\"'").endswith("?") or _NOT_MADE_BEFORE.match(told):
        return False
    return not (
        _SUPPOSED_CHANGE.search(line[:first]) or _NOT_MADE_AFTER.search(_REASON.split(line[last:])[0])
    )
