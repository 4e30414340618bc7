"""Words of a language by which a query names a period, such as "two weeks ago"."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from bardo import _core


@cache
def period_words(language: str) -> _core.PeriodWords | None:
    """Reads `periods.toml` of the package of a language; None if there is none.

    Args:
        language: Name of the language, as in `curator.language`.
    """
    if not language.isidentifier():
        return None
    try:
        file = resources.files(f"bardo.consolidate.languages.{language}") / "periods.toml"
        words = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ModuleNotFoundError, FileNotFoundError):
        return None
    return _core.PeriodWords(
        months=words["months"],
        weekdays=words["weekdays"],
        units={word: unit for unit, forms in words["units"].items() for word in forms},
        numbers=words["numbers"],
        phrases=[(meaning, phrase) for meaning, phrases in words["phrases"].items() for phrase in phrases],
        fillers=words["fillers"],
    )
