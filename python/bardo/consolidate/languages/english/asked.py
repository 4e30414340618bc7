"""Statements before a question in one sentence: "I'm allergic to cats by the way, are there any in the house?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bardo.consolidate.languages.english.grammar import QUESTION_TAGS, SUBJECTS, begins_question
from bardo.consolidate.languages.english.parse import parse

#: Marks between a statement and a question.
_MARKS = frozenset({",", ";", "-", "–", "—", "..", "...", "…"})
#: Minimum number of words of a question: "isn't it" and "are they" only ask whether the statement is right.
_LEAST_WORDS = 3


def apart_from_question(sentence: Any) -> Iterator[Any]:
    """The statement and the question of a sentence, each parsed alone; the sentence itself if it is no such pair."""
    words = [token for token in sentence if not token.is_space]
    border = next((place for place in range(1, len(words)) if _is_border(words, place)), None)
    if border is None or not sentence.text.rstrip().endswith("?") or not _states(words[:border]):
        yield sentence
        return
    begin = words[border].idx
    text, first = sentence.doc.text, words[0].idx
    for part in (text[first:begin].strip(), text[words[border + 1].idx : words[-1].idx + 1].strip()):
        yield from parse(part).sents


def _is_border(words: Sequence[Any], place: int) -> bool:
    """Whether a question of its own begins behind a mark."""
    rest = [token for token in words[place + 1 :] if not token.is_punct and token.dep_ != "neg"]
    return (
        words[place].text in _MARKS and len(rest) >= _LEAST_WORDS and begins_question(list(words), place + 1)
    )


def _states(words: Sequence[Any]) -> bool:
    """Whether words state something: a clause with a subject before its verb that is no condition and no question."""
    first = words[0]
    if first.dep_ == "mark" or first.tag_ in QUESTION_TAGS or begins_question(list(words), 0):
        return False
    return any(token.dep_ in SUBJECTS and token.i < token.head.i for token in words)
