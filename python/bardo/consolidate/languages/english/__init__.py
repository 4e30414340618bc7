"""Rules of English: clauses by a dependency parse, their slots by frames, keys and values of tools and commits."""

from __future__ import annotations

from bardo.consolidate.languages import Reader


def reader() -> Reader | None:
    """The reader of English; None if spaCy or its English model is not installed."""
    from bardo.consolidate.languages.english import parse
    from bardo.consolidate.languages.english.read import EnglishReader

    return None if parse.pipeline() is None else EnglishReader()
