"""Questions for everything that is known of a thing, such as "What do you know about Ida?"."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources


def searched_text(query: str, language: str) -> str:
    """Returns what to search for a query: the topic of a question for all that is known of it, or the query.

    Args:
        query: Query in words.
        language: Name of the language, as in `curator.language`.
    """
    for form in _forms(language):
        if match := form.fullmatch(query):
            return match["topic"]
    return query


@cache
def _forms(language: str) -> tuple[re.Pattern[str], ...]:
    """Reads `overview.toml` of the package of a language; none if there is no such file."""
    if not language.isidentifier():
        return ()
    try:
        file = resources.files(f"bardo.consolidate.languages.{language}") / "overview.toml"
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ModuleNotFoundError, FileNotFoundError):
        return ()
    return tuple(re.compile(form, re.IGNORECASE) for form in table["forms"])
