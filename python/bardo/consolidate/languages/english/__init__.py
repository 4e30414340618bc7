"""Rules of English: clauses by a dependency parse, their slots by frames, keys and values of tools and commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bardo.consolidate.attributes import AttributeTable
    from bardo.consolidate.languages import Reader


def reader(attributes: AttributeTable) -> Reader | None:
    """The reader of English; None if spaCy or its English model is not installed.

    Args:
        attributes: Table of attributes.
    """
    from bardo.consolidate.languages.english import parse
    from bardo.consolidate.languages.english.read import EnglishReader

    return None if parse.pipeline() is None else EnglishReader(attributes)


def named_days(text: str, at: int) -> list[int]:
    """The days that a text names by day and month, in ISO form, or counted from its instant as in "tomorrow"."""
    from bardo.consolidate.languages.english.dates import DATE, instant

    named = [
        match
        for match in DATE.finditer(text)
        if match["iso"] or match["day"] or match["day2"] or (match["near"] and not _names_end(match["near"]))
    ]
    found = [instant(match, at, past=False) for match in named]
    return [day for day in found if day is not None]


def is_unmade(record: str) -> bool:
    """Whether a record names changes that were planned, attempted or refused, and none that was made."""
    from bardo.consolidate.languages.english import records

    return records.is_unmade(record)


def _names_end(words: str) -> bool:
    """Whether words name the end of a period, or a whole year, and no day."""
    return "end of" in words.lower() or words.lower().endswith("year")
