"""Sentences with their clauses, and the notes by which they are kept.

A note states one clause in the third person where the clause says nearly all that the sentence says. Otherwise it
quotes the sentence: an exact quote is worth more than a rewriting that loses half of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from bardo.consolidate.attributes import is_lasting
from bardo.consolidate.clause import OF_CHANGE, Clause

#: Maximum characters of a note that quotes its sentence.
QUOTED_CHARACTERS = 240
#: Minimum share of a sentence's words that a clause must have to stand for the sentence.
COVERAGE = 0.85
#: Number of words and of clauses that count as 1 in the features.
WORDS_SCALE, CLAUSES_SCALE = 20, 3
#: Maximum number of words before a sentence that are read with it.
WORDS_BEFORE = 35
#: Maximum number of words of a short sentence.
SHORT_WORDS = 3
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_REWRITTEN = frozenset({"mine", "myself", "our", "ours", "ourselves", "their", "them", "they"})
#: Letters by which two forms of a word are the same, such as "live" and "lives".
_STEM = 4


@dataclass(frozen=True)
class Note:
    """Text of a fact with the clauses that it states.

    Args:
        text: The text.
        clauses: The clauses.
        is_part: Whether it is a part of a sentence that is kept as a whole, with any worth of its own.
    """

    text: str
    clauses: tuple[Clause, ...]
    is_part: bool = False

    @property
    def tells_change(self) -> bool:
        """Whether it tells a change, by any person: of "she changed the dose" the dose counts."""
        return any(clause.cues & OF_CHANGE for clause in self.clauses)


@dataclass(frozen=True)
class Sentence:
    """A sentence and its clauses.

    Args:
        text: The sentence as written.
        clauses: Its clauses, in order.
    """

    text: str
    clauses: tuple[Clause, ...]

    @cached_property
    def stated(self) -> tuple[Clause, ...]:
        """The clauses that state something."""
        return tuple(clause for clause in self.clauses if clause.stated)

    @cached_property
    def slots(self) -> tuple[Clause, ...]:
        """The clauses that give the one value of an attribute."""
        return tuple(
            clause for clause in self.stated if clause.statement is not None and clause.statement.functional
        )

    @cached_property
    def is_change(self) -> bool:
        """Whether the sentence tells a change of a named value, as records do."""
        return any("from" in clause.cues and clause.text for clause in self.slots)

    @cached_property
    def is_mood(self) -> bool:
        """Whether the sentence tells tastes of the moment alone."""
        return all(clause.mood for clause in self.stated)

    @cached_property
    def features(self) -> dict[str, float]:
        """Features for the decision whether it is worth keeping: those of its clauses, and its form."""
        found: dict[str, float] = {}
        for clause in self.clauses:
            for name, value in clause.features.items():
                found[name] = max(value, found.get(name, 0.0))
        count = len(self.text.split())
        form = {
            "sentence": 1.0,
            "words": count / WORDS_SCALE,
            "clauses": len(self.clauses) / CLAUSES_SCALE,
            "sentence short": float(count <= SHORT_WORDS),
            "question": float("?" in self.text),
            "exclamation": float("!" in self.text),
            "pronoun": float(any(clause.context for clause in self.stated)),
            "digit": float(any(letter.isdigit() for letter in self.text)),
            "alone": float(any(clause.text for clause in self.stated)),
        }
        return found | {name: value for name, value in form.items() if value}

    def before(self, text: str) -> str:
        """The last words of a text before the sentence; empty if the text does not contain it as written."""
        place = text.find(self.text)
        return " ".join(text[: max(place, 0)].split()[-WORDS_BEFORE:])

    def quote(self, who: str) -> str:
        """The sentence as a quote, with the one before it where it points there; empty if it cannot stand alone.

        The sentence before stays out of a long quote unless a pronoun points there.

        Args:
            who: Name of the speaker; empty for a record.
        """
        if self.clauses[0].is_open:
            return ""
        lead = self.clauses[0].lead
        is_needed = any(clause.context for clause in self.stated) and not self.clauses[0].named_in
        # A date in the place of "today" makes no quote too long.
        longer = len(self.told) - len(self.text)
        leads = (lead,) if is_needed else (lead, "")
        quotes = (attributed(f"{lead} {self.told}".strip(), who) for lead in leads)
        return next((text for text in quotes if len(text) - max(longer, 0) <= QUOTED_CHARACTERS), "")

    @cached_property
    def told(self) -> str:
        """The sentence as a quote has it."""
        return self.clauses[0].told or self.text

    def text_of(self, clause: Clause, who: str) -> str:
        """Text of a note on one clause that has a statement.

        A clause whose subject is a pronoun cannot stand alone, and beside a denial stands what holds instead: both are
        kept as a quote.

        Args:
            clause: The clause.
            who: Name of the speaker.
        """
        is_part = clause.denied and not (clause.trait or self.is_covered((clause,)))
        needs_rest = not clause.text or is_part
        return (self.quote(who) if needs_rest else "") or clause.text

    def notes(self, who: str, forms: Collection[str]) -> Iterator[Note]:
        """The notes of a sentence that is worth keeping.

        Args:
            who: Name of the speaker.
            forms: Texts of clauses, in lower case, that plain forms state.
        """
        alone = [clause for clause in self.stated if clause.text]
        is_firm = any(
            (
                clause.statement is not None
                and (clause.statement.functional or is_lasting(clause.statement.attribute, "permanent"))
            )
            or clause.text.casefold() in forms
            for clause in alone
        )
        quote = self.quote(who)
        if not is_firm and len(alone) == 1 and self.is_covered(alone):
            yield Note(alone[0].text, self.stated)
        elif is_firm or not quote:
            # A value that can be replaced must not stay in force inside a quote, nor what lasts fade with it.
            lasting = [
                clause for clause in self.stated if clause.text or clause.role or _gives_lasting_value(clause)
            ]
            texts = [self.text_of(clause, who) for clause in lasting]
            yield from (
                Note(text, (clause,))
                for clause, text in zip(lasting, texts, strict=True)
                if clause.statement is not None
                or (
                    len(text.split()) > SHORT_WORDS
                    and quote not in texts
                    and not _repeats_slot(clause, alone)
                )
            )
        elif self._is_bounded_in_part(alone):
            yield from (
                Note(clause.text, (clause,), is_part=True)
                for clause in alone
                if len(clause.text.split()) > SHORT_WORDS
            )
        else:
            yield Note(quote, self.stated)

    def _is_bounded_in_part(self, alone: Sequence[Clause]) -> bool:
        """Whether some of the clauses end by their own date and others do not, and all together say the whole sentence.

        As a quote, "I'm in hospital until the 20th, my daughter has the key" would stay in force after the 20th.

        Args:
            alone: The clauses that can stand alone.
        """
        is_ended = [
            clause.over is not None or (clause.until is not None and clause.statement is None)
            for clause in alone
        ]
        is_change = any(clause.cues & {"correction", "instead"} for clause in self.stated)
        is_whole = len(alone) == len(self.stated) and self.is_covered(alone)
        return (
            is_whole
            and any(is_ended)
            and not (all(is_ended) or is_change or any(each.past for each in alone))
        )

    def is_covered(self, clauses: Sequence[Clause]) -> bool:
        """Whether the texts of some clauses have nearly all words of the sentence."""
        said = _stems(self.told)
        return len(said & _stems(" ".join(clause.text for clause in clauses))) >= COVERAGE * len(said)


def _gives_lasting_value(clause: Clause) -> bool:
    """Whether a clause gives the one value of an attribute that holds for years, without a pronoun as its subject."""
    stated = clause.statement
    is_lasting_value = stated is not None and stated.functional and is_lasting(stated.attribute, "years")
    return is_lasting_value and not clause.context


def _repeats_slot(clause: Clause, others: Sequence[Clause]) -> bool:
    """Whether the text of a clause repeats that of another with a slot: "she rang: the dentist is on 26 March"."""
    return any(other.statement is not None and _stems(other.text) <= _stems(clause.text) for other in others)


def attributed(text: str, who: str) -> str:
    """A text with its speaker before it; "Record" where it has none."""
    return f"{who or 'Record'}: {text}"


def sentences(clauses: Sequence[Clause]) -> list[Sentence]:
    """The sentences of a text, from its clauses."""
    return [Sentence(text, tuple(group)) for text, group in groupby(clauses, lambda clause: clause.sentence)]


def _stems(text: str) -> set[str]:
    """Beginnings of the words of at least three letters, and figures, without pronouns that a note rewrites."""
    return {word[:_STEM] for word in _WORD.findall(text.casefold()) if word not in _REWRITTEN}
