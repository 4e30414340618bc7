"""Sentences about two environments, one sentence for each: "the flag is off in production, on in staging"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bardo.consolidate.languages.english.grammar import lemma, subject_of
from bardo.consolidate.languages.english.parse import parse
from bardo.consolidate.languages.english.slots import ENVIRONMENT, environments_in

#: Border between what is said of two environments.
_BORDER = re.compile(r"\s*[,;]\s*(?:and |but |while |whereas )?|\s+(?:and|but|while|whereas)\s+")
#: Subject and verb before a value.
_BEFORE_VALUE = re.compile(r".*?\b(?:is|are|runs?|uses?|listens? on)\b")
#: Environment behind a subject, where the parser takes the verb for a noun: "quayside in production listens on ...".
_BEHIND_SUBJECT = re.compile(
    rf"(?i)^(?P<subject>.+?) (?P<adjunct>(?:in|on) {ENVIRONMENT}) (?P<said>(?:runs?|uses?|listens? on) .+)$"
)
#: Pronoun with which the second part repeats subject and verb.
_REPEATED = re.compile(r"(?i)^(?:(?:it|they)(?:'s| is|'re| are)|is|are)\s+")
#: Environment as an adjunct at the beginning or the end of a part.
_ADJUNCT = re.compile(
    rf"(?i)^(?:in|on) (?P<first>{ENVIRONMENT}),? (?P<value>.+)$|^(?P<before>.+?) (?:in|on) (?P<last>{ENVIRONMENT})$"
)
#: Words of a move between environments, or of a clause that gives no value.
_BARRED = re.compile(r"(?i)\?|->|\b(?:from|to|into|both|not|if|when)\b|n't\b")
#: Maximum number of words of a value in the second part, and of words before its environment.
_VALUE_WORDS, _FIRST_WORDS = 6, 3


def by_environment(sentence: Any) -> Iterator[Any]:
    """The sentences that say of each environment what a sentence says of two; else the sentence itself.

    Args:
        sentence: The parsed sentence.
    """
    parts = _parts(str(sentence.text).strip())
    if not parts:
        yield sentence
    for part in parts:
        yield from parse(part).sents


def _parts(text: str) -> tuple[str, ...]:
    """A sentence for each of two environments; none if a text has another form."""
    end = re.search(r"[.!]*$", text)
    body = text[: end.start()] if end else text
    if _BARRED.search(body) or len(re.findall(f"(?i){ENVIRONMENT}", body)) != 2:
        return ()
    for border in _BORDER.finditer(body):
        first, second = body[: border.start()], body[border.end() :]
        ours, theirs = environments_in(first), environments_in(second)
        if len(ours) == len(theirs) == 1 and ours != theirs:
            stop = end[0] if end else ""
            if said := _second(first, second):
                plain = _BEHIND_SUBJECT.sub(r"\g<subject> \g<said> \g<adjunct>", first)
                return f"{plain}.", f"{said}{stop}"
    return ()


def _second(first: str, second: str) -> str:
    """The second of two parts as a sentence; empty if it is none.

    Args:
        first: The first part, with subject and verb.
        second: The second part: a clause about its environment, or a value in the place of the first one.
    """
    begin = _BEFORE_VALUE.match(first)
    adjunct = _ADJUNCT.match(second)
    if begin and adjunct:
        value = _REPEATED.sub("", adjunct["value"] or adjunct["before"])
        name = adjunct["first"] or adjunct["last"]
        if len(value.split()) <= _VALUE_WORDS and not _has_subject(value):
            moved = re.sub(f"(?i){ENVIRONMENT}", name, begin[0])
            if moved.endswith(" on"):
                value = value.removeprefix("on ")
            return f"{moved} {value}" if moved != begin[0] else f"{moved} {value} in {name}"
    is_of_environment = bool(environments_in(" ".join(second.split()[:_FIRST_WORDS])))
    return second if begin and is_of_environment and _has_subject(second) else ""


def _has_subject(text: str) -> bool:
    """Whether a text is a clause with a subject that is no pronoun for a thing."""
    root = next((token for token in parse(text) if token.dep_ == "ROOT"), None)
    subject = subject_of(root) if root is not None else None
    return subject is not None and lemma(subject) not in ("it", "they")
