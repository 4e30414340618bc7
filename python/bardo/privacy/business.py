"""Finds identifiers of a business, such as orders, policies, tickets, parts, and published classification numbers.

They name no person and open nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy.cues import after, cue

#: Characters searched before an identifier for its label, and after it for a unit.
_REACH, _BESIDE = 64, 28
#: Minimum number of digits, and of those of a number without letters.
_DIGITS, _BARE_DIGITS = 3, 5
#: Numbers of digits of a bank card; longer ones are no identifier that people write.
_LONGEST = 12
_IDENTIFIER = re.compile(
    r"(?<![\w.,$€£@/:+#-])(?=[^\s]{0,24}\d)[A-Z]{0,6}[-#/.]?[A-Z\d]{1,12}(?:[-/.][A-Za-z\d]{1,12}){0,4}(?![\w%@/-]|[.,:]\d|\s?[€$£%])"
)
#: A number of a published classification, such as a customs tariff, in groups.
_CLASSIFIED = re.compile(
    r"(?<![\w.,$€£@/:+#-])[A-Z]{0,4}\d{1,10}(?:[ .-]\d{1,6}){0,5}(?![\w%@/-]|[.,:]\d|\s?[€$£%])"
)
#: Words between a label and a number without letters: the label's own word, then a verb or a sign.
_NUMBERED = re.compile(
    r"(?i)(?:\s(?:number|no|nr|id|ref|reference)\b\.?(?:[^.;\d]{0,44}\b(?:is|was)|\s{0,1}[:=#]|,)?|\s?[:#]|)\s?$"
)
#: The same before letters and digits.
_LABELLED = re.compile(r"[^;!?\d]{0,60}$")


def mask(text: str) -> str:
    """Replaces each identifier of a business by underscores, so that no search for private data finds it."""
    if not any(map(str.isdigit, text)):
        return text
    for start, end in (*_identifiers(text), *_classified(text)):
        text = text[:start] + "_" * (end - start) + text[end:]
    return text


def _identifiers(text: str) -> Iterator[tuple[int, int]]:
    labels = [match.end() for match in cue("business").finditer(text)]
    if not labels:
        return
    for match in _IDENTIFIER.finditer(text):
        label = max((end for end in labels if match.start() - _REACH <= end <= match.start()), default=None)
        digits = sum(map(str.isdigit, match[0]))
        if label is None or not _DIGITS <= digits <= _LONGEST:
            continue
        between, behind = text[label : match.start()], text[match.end() : match.end() + _BESIDE]
        is_bare = match[0].isdigit()
        is_dated = re.fullmatch(r"[\d./-]+", match[0]) and not is_bare
        is_amount = any(after(name).match(behind) for name in ("money", "market", "measure", "scale"))
        if is_amount or is_dated or (is_bare and digits < _BARE_DIGITS):
            continue
        if cue("personal").search(text[max(label - _BESIDE, 0) : match.start()]):
            continue
        if (_NUMBERED if is_bare else _LABELLED).match(between):
            yield match.span()


def _classified(text: str) -> Iterator[tuple[int, int]]:
    for label in cue("classification").finditer(text):
        number = _CLASSIFIED.search(text, label.end(), label.end() + _REACH + _LONGEST)
        if number is None:
            continue
        between, behind = text[label.end() : number.start()], text[number.end() : number.end() + _BESIDE]
        is_amount = any(after(name).match(behind) for name in ("money", "market", "measure", "scale"))
        if _LABELLED.match(between) and not is_amount and not cue("personal").search(between):
            yield number.span()
