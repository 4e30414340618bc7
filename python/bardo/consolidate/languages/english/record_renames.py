"""Statements of renames: "rename load_all to load_batches" states that load_all is now named load_batches."""

from __future__ import annotations

import re

from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.languages.english.record_slots import Change, subject_of
from bardo.model import Statement

#: Attribute of the new name.
ATTRIBUTE = "name"
_KIND = (
    r"function|method|class|module|package|file|folder|directory|script|table|column|view|index|schema|flag|option|"
    r"setting|variable|constant|field|key|parameter|argument|endpoint|route|branch|bucket|queue|topic|job|service|"
    r"command|target|macro|struct|enum|trait|type|interface|component|hook|env var"
)
_MARK = r"[\"'`]?"
_NAME = r"(?!(?:from|to|it|them|the|this|that)\b)(?:--)?[\w./:@-]*\w(?:\(\))?"
_OLD, _NEW = rf"{_MARK}(?P<old>{_NAME}){_MARK}", rf"{_MARK}(?P<new>{_NAME}){_MARK}"
_THING = rf"(?:(?:the|our)\s+)?(?:(?P<kind>{_KIND})s?\s+)?"
#: End of a rename: no further name follows, so that "rename a to b and c to d" is left out.
_END = (
    r"(?:\s+(?:in|across|everywhere|today|yesterday|for|because|since|so|to|as|with|on|at)\b.*|\s*[(#;].*)?"
    r"(?:[.!](?:\s.*)?)?$"
)
_PAST = rf"renamed\s+{_THING}{_OLD}\s+(?:to|as|into)\s+{_NEW}{_END}"
#: Forms in which someone tells of a rename that took place.
_TOLD = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:(?:i|we|they)(?:\s+have|'ve|\s+just|\s+also)*\s+)?{_PAST}",
        rf"^{_THING}{_OLD}\s+(?:(?:was|has been|is|got)\s+(?:just\s+|now\s+)?)?renamed\s+(?:to|as|into)\s+{_NEW}{_END}",
        rf"^{_THING}{_OLD}\s+is\s+now\s+(?:named\s+|called\s+|known as\s+)?{_NEW}{_END}",
    )
)
#: The same in a record, which also has the imperative of a commit and the command.
_RECORDED = (
    *_TOLD,
    *(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"^(?:rename[sd]?|renaming)\s+{_THING}{_OLD}(?:\s+(?:to|as|into)\s+|\s*(?:->|=>|→|-->)\s*){_NEW}{_END}",
            rf"^(?P<kind>git mv)\s+{_OLD}\s+{_NEW}{_END}",
        )
    ),
)
#: Form of a name in code: a call, a flag, a path, words joined by a sign or by capitals.
_CODE = re.compile(r"\(\)$|^--|\w[_./:-]\w|[a-z\d][A-Z]")
_SAYS_NAME = re.compile(r"(?i)\brenam|\b(?:called|named|known as)\b|^git mv\b")


def rename_of(line: str, attributes: AttributeTable, *, is_record: bool = True) -> Change | None:
    """The rename that a line tells of; None if it tells of none.

    Names need the form of code, or a word such as "function" before the first one. "`mode` is now `strict`" gives a
    value and is no rename: without a verb of naming, both names are calls or both are flags.

    Args:
        line: Line of a record or of a message.
        attributes: Table of attributes.
        is_record: Whether the imperative and commands count, as they do in a record.
    """
    body, scope, is_reverted = subject_of(line)
    forms = _RECORDED if is_record else _TOLD
    match = next(filter(None, (form.match(body) for form in forms)), None)
    if match is None:
        return None
    old, new = match["old"], match["new"]
    if is_reverted:
        old, new = new, old
    names = (old, new)
    if _SAYS_NAME.search(body):
        is_thing = match["kind"] is not None or any(map(_CODE.search, names))
    else:
        is_thing = all(name.endswith("()") for name in names) or all(name.startswith("--") for name in names)
    if not is_thing or old == new:
        return None
    subject = f"{scope} {old}".strip()
    statement = Statement(
        subject.lower(), ATTRIBUTE, new, functional=attributes.attribute(ATTRIBUTE).functional
    )
    return Change(f"{subject} is now named {new}", statement, old)
