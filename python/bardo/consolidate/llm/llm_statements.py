"""Statements that a language model proposes, checked against the messages that they cite.

A statement ends other values of its slot, so that it needs more than a sentence does: subject, value, case and days
must stand in a cited message, and where the rules of a language can read the message, it must state what the model says
in the polarity in which the model says it. What fails is refused; the sentence of the fact can still be kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from pydantic import BaseModel, ConfigDict, Field

from bardo.consolidate import languages
from bardo.consolidate.attributes import BUILT_IN, AttributeTable
from bardo.consolidate.clause import Clause, Speech
from bardo.model import Episode, Statement

#: Maximum characters of a part of a statement.
_CHARACTERS = 120
_POSSESSIVE = re.compile(r"['’]s\b")


class ProposedStatement(BaseModel):
    """A statement as the model gives it."""

    model_config = ConfigDict(extra="forbid")

    subject: str = Field(min_length=1, max_length=_CHARACTERS)
    attribute: str = Field(min_length=1, max_length=64)
    value: str = Field(min_length=1, max_length=_CHARACTERS)
    denied: bool = False
    condition: str = Field(default="", max_length=64)
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class StatementChecks:
    """The means by which statements of a model are checked.

    Args:
        read: Reads the clauses of a text; None if no rules of a language are installed.
        language: Name of the language, for the days that a text names; empty for none.
        attributes: Table of attributes.
    """

    read: Callable[[Speech], Sequence[Clause]] | None = None
    language: str = ""
    attributes: AttributeTable = BUILT_IN

    def accepted(self, proposed: ProposedStatement, cited: Sequence[Episode], who: str) -> Statement | None:
        """The statement, if the cited messages bear it out; None otherwise.

        Args:
            proposed: The statement of the model.
            cited: Messages that it cites.
            who: Name of their speaker.
        """
        subject = " ".join(proposed.subject.split())
        backing = [
            episode
            for episode in cited
            if _stands(proposed.value, episode.text)
            and (not proposed.condition or _stands(proposed.condition, episode.text))
            and _is_named(subject, episode.text, who)
            and self._is_dated(proposed, episode)
            and self._is_stated(proposed, episode, who)
        ]
        if not backing:
            return None
        name = "_".join(proposed.attribute.casefold().split())
        return Statement(
            subject=subject,
            attribute=name,
            value=" ".join(proposed.value.split()),
            denied=proposed.denied,
            condition=proposed.condition.strip(),
            since=_instant(proposed.since),
            until=_instant(proposed.until),
            # An attribute that the model made up ends nothing.
            functional=self.attributes.is_named(name) and self.attributes.attribute(name).functional,
        )

    def is_contradicted(self, proposed: ProposedStatement, cited: Sequence[Episode], who: str) -> bool:
        """Whether the cited messages have the value, but none states it: as a question, a wish, or its denial.

        Args:
            proposed: The statement of the model.
            cited: Messages that it cites.
            who: Name of their speaker.
        """
        having = [episode for episode in cited if _stands(proposed.value, episode.text)]
        return (
            self.read is not None
            and bool(having)
            and not any(self._is_stated(proposed, episode, who) for episode in having)
        )

    def _is_dated(self, proposed: ProposedStatement, episode: Episode) -> bool:
        """Whether the message names the days that bound the statement."""
        days = {_instant(day) for day in (proposed.since, proposed.until)} - {None}
        return not days or days <= set(languages.named_days(self.language, episode.text, episode.at))

    def _is_stated(self, proposed: ProposedStatement, episode: Episode, who: str) -> bool:
        """Whether a clause of the message states the value in the polarity of the statement.

        Without rules of a language a denial is refused, for nothing tells it from its opposite.
        """
        if self.read is None:
            return not proposed.denied
        clauses = [
            clause
            for clause in self.read(Speech(episode.text, who, episode.at))
            if _stands(proposed.value, clause.sentence)
        ]
        # Of "I wonder if Helvion would hire me" the clause with the value counts.
        words = set(proposed.value.casefold().split())
        own = [each for each in clauses if words & (each.names | each.anchors | each.figures | each.value)]
        if not all(each.stated for each in own):
            return False
        return any(
            clause.stated and bool(clause.denied or "ending" in clause.cues) == proposed.denied
            for clause in own or clauses
        )


def _stands(words: str, text: str) -> bool:
    """Whether words stand in a text one after another, in any case."""
    phrase = r"\s+".join(re.escape(part) for part in words.split())
    return bool(phrase) and bool(re.search(rf"(?<!\w){phrase}(?!\w)", text, re.IGNORECASE))


def _is_named(subject: str, text: str, who: str) -> bool:
    """Whether a subject is the speaker, belongs to the speaker, or stands in the text."""
    if who and subject.casefold() == who.casefold():
        return True
    owner, _, thing = _POSSESSIVE.sub("'s", subject).rpartition("'s ")
    if owner and who and owner.casefold() == who.casefold():
        return _stands(thing, text)
    return _stands(subject, text)


def _instant(day: date | None) -> int | None:
    """First instant of a day in UTC, in microseconds."""
    if day is None:
        return None
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1_000_000
