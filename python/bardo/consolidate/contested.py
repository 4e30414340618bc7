"""Statements that repeat a contested belief in other words: outcomes refuted it, or an ancestor had replaced it.

A repetition takes the words of the belief, by which the store knows it and keeps it contested. Likeness is not enough:
subject, attribute and value agree as the parse of the language gives them, or, without them, every content word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from bardo import _core
from bardo._core import FactStore
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import Reader
from bardo.consolidate.texts.rule_extraction import NAMELESS
from bardo.model import Fact, Statement

#: Separator of thousands within a number.
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+)(?![\d,])")
_WORD = re.compile(r"\w+(?:[.-]\w+)*")
#: Ending of a possessive.
_POSSESSIVE = re.compile(r"['’]s\b")
#: Kinds of warnings: one is not the belief that it warns of.
_DANGERS = frozenset({"warning", "anti_knowledge"})
#: Minimum number of content words that a repetition shares with a belief: of its subject and of its value.
_LEAST_SHARED = 2
#: Maximum number of beliefs that a fact is compared with, those that share most words.
_COMPARED = 8


class ContestedBeliefs:
    """Finds the contested beliefs that facts repeat.

    Args:
        facts: Fact store.
        reader: Loads the rules of the language; without them statements given with the facts alone are compared.
    """

    def __init__(self, facts: FactStore, reader: Callable[[], Reader | None]) -> None:
        self._facts = facts
        self._load = reader

    @cached_property
    def _reader(self) -> Reader | None:
        return self._load()

    def in_their_words(self, facts: Sequence[Fact], *, tick: int) -> list[Fact]:
        """Gives each fact that repeats a contested belief the words and slot of the belief; the others are unchanged.

        A fact that repeats knowledge in force is unchanged, too: own evidence restored it, or was there before.

        Args:
            facts: Facts that are about to be stored.
            tick: Logical time.
        """
        return [self._reworded(fact, tick) for fact in facts]

    def _reworded(self, fact: Fact, tick: int) -> Fact:
        if fact.id or fact.generation or fact.payload.get("type", "none") != "none":
            return fact
        beliefs = self._near(fact)
        if not beliefs:
            return fact
        clauses, said = self._read(fact)
        if any(clause.past or not clause.stated for clause in clauses):
            return fact
        belief = next((belief for belief in beliefs if self._repeats(belief, fact, said)), None)
        if belief is None:
            return fact
        if self._is_known(fact, belief, said, tick):
            return fact
        statement = said
        if belief.statement is not None:
            bounds = (said.since, said.until) if said else (None, None)
            statement = replace(belief.statement, since=bounds[0], until=bounds[1])
        return replace(fact, text=belief.text, category=belief.category, statement=statement)

    def _is_known(self, fact: Fact, belief: Fact, said: Statement | None, tick: int) -> bool:
        """Whether knowledge in force, other than a belief, says what a fact says."""
        (known,) = self._facts.known([fact], tick=tick)
        if known not in (None, belief.id):
            return True
        return said is not None and any(
            other.status == "active" and other.statement and _core.says_same(other.statement, said)
            for other in self._facts.of_subject(said.subject, tick=tick)
        )

    def _near(self, fact: Fact) -> list[Fact]:
        """The contested beliefs with words and all figures in common with a fact, those that share most first."""
        text = _POSSESSIVE.sub("", _plain_figures(fact.text))
        if fact.statement is not None:
            text += f" {fact.statement.subject} {_plain_figures(fact.statement.value)}"
        words = _words(text)
        near = []
        for belief in self._facts.contested(_core.without_stop_words(text)):
            plain = _plain_figures(belief.text)
            shared = len(words & _words(plain))
            is_one_kind = (belief.kind in _DANGERS) == (fact.kind in _DANGERS)
            if is_one_kind and shared >= _LEAST_SHARED and _figures(plain) == _figures(text):
                near.append((-shared, belief.id, belief))
        return [belief for _, _, belief in sorted(near, key=lambda one: one[:2])[:_COMPARED]]

    def _repeats(self, belief: Fact, fact: Fact, said: Statement | None) -> bool:
        """Whether a fact, with its statement, says what a belief says."""
        _, believed = self._read(belief)
        if believed and said:
            return _core.says_same(_with_plain_value(believed), _with_plain_value(said))
        text = _plain_figures(fact.text)
        if _has_same_words(_plain_figures(belief.text), text):
            return True
        if believed is None or believed.denied or believed.condition:
            return False
        named = f"{believed.subject} {believed.attribute.replace('_', ' ')} {believed.value}"
        return _has_same_words(_plain_figures(named), text)

    def _read(self, fact: Fact) -> tuple[Sequence[Clause], Statement | None]:
        """The clauses of a fact that came as a sentence, and its statement: as given, or that of its only clause."""
        reader = None if fact.statement else self._reader
        if reader is None:
            return (), fact.statement
        clauses = reader.read(Speech(fact.text, NAMELESS, fact.created_at, "note"))
        return clauses, clauses[0].statement if len(clauses) == 1 else None


def _has_same_words(one: str, other: str) -> bool:
    """Whether two texts have the same content words in any order, and no name or negation tells them apart."""
    words = _words(one)
    return bool(words) and words == _words(other) and _core.may_be_same_statement(one, other)


def _words(text: str) -> frozenset[str]:
    """The stems of the content words of a text."""
    return frozenset(
        stem for stem in _core.stems(_WORD.findall(_POSSESSIVE.sub("", text.casefold()))) if stem
    )


def _figures(text: str) -> frozenset[str]:
    """The words of a text that have a digit."""
    return frozenset(word for word in _WORD.findall(text) if any(letter.isdigit() for letter in word))


def _with_plain_value(statement: Statement) -> Statement:
    return replace(statement, value=_plain_figures(statement.value))


def _plain_figures(text: str) -> str:
    """A text whose numbers have no separators of thousands: 7,070 and 7070 are one number."""
    return _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
