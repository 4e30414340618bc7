"""Orders in doubt, which only warn until a person repeats or corrects them.

A model read such an order in other words than forms know (`is_read`), or took a person's later words for its end
(`doubt`: who said them when, and where; the words stay in their message, with which they are deleted). Both stand in
the corrections of the order, as JSON.
"""

from __future__ import annotations

import json
from typing import Any

#: Maximum characters of a source.
_SOURCE = 300


def reason_of(corrections: str) -> str:
    """Returns why an order only warns; empty if it blocks.

    Args:
        corrections: Its corrections, as JSON.
    """
    given = _fields(corrections)
    if given.get("is_read") is True:
        return "a model read this order in other words, so it only warns"
    if source := given.get("doubt"):
        return f"a model reads later words as its end, so it only warns: {source}"
    return ""


def is_read(corrections: str) -> bool:
    """Whether a model read an order in other words.

    Args:
        corrections: Its corrections, as JSON.
    """
    return _fields(corrections).get("is_read") is True


def with_doubt(corrections: str, source: str) -> str:
    """Returns corrections with the source of the words by which a person may have ended an order.

    Args:
        corrections: Its corrections, as JSON.
        source: Who said the words, when, and in which message.
    """
    return json.dumps(_fields(corrections) | {"doubt": source[:_SOURCE]}, ensure_ascii=False)


def without_doubt(corrections: str) -> str:
    """Returns corrections without doubt; empty if no other is left.

    Args:
        corrections: Corrections, as JSON.
    """
    kept = {name: value for name, value in _fields(corrections).items() if name not in ("is_read", "doubt")}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def _fields(corrections: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(corrections) if corrections else {}
    return found
