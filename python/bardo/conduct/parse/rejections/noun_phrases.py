"""Words of the objects of rejections: without framing words, and as the name of a package."""

from __future__ import annotations

from collections.abc import Collection

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table

_TOKEN = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")


def bare_words(text: str) -> list[str]:
    """Returns the words of a text that are no framing.

    Args:
        text: Part of a rejection.
    """
    framing = operation_table.table().framing
    return [word for word in _TOKEN.findall(text) if word.lower().replace("’", "'") not in framing]


def package_names(phrase: str, verbs: Collection[str]) -> tuple[str, ...]:
    """Returns the name of a package: a single word that is used or installed.

    Args:
        phrase: Object of a rejection.
        verbs: Its operations.
    """
    words = phrase.split()
    is_name = len(words) == 1 and (not verbs or not {"use", "install"}.isdisjoint(verbs))
    return (words[0].lower(),) if is_name else ()
