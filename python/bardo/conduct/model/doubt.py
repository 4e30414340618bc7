"""Orders in doubt, which only warn until a person repeats or corrects them.

A model read such an order in other words than forms know (`is_read`), or took a person's later words for its end
(`doubt`: who said them when, and where; the words stay in their message, with which they are deleted). Both stand in
the corrections of the order, as JSON.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from bardo.clock import MICROSECONDS, day_of

#: Maximum characters of a source.
_SOURCE = 300
_DAY = re.compile(r", (\d{4}-\d\d-\d\d), episode ")


def reason_of(corrections: str) -> str:
    """Returns why an order only warns; empty if it blocks.

    Args:
        corrections: Its corrections, as JSON.
    """
    given = fields_of(corrections)
    if given.get("is_read") is True:
        return "a model read this order in other words, so it only warns"
    if source := given.get("doubt"):
        return f"a model reads later words as its end, so it only warns: {source}"
    return ""


def in_few_words(corrections: str) -> str:
    """Returns for a prompt that an order only warns, and since when; empty if it blocks.

    Args:
        corrections: Its corrections, as JSON.
    """
    if is_read(corrections):
        return "read in other words by a model: only warns"
    source = fields_of(corrections).get("doubt")
    if not source:
        return ""
    found = _DAY.search(str(source))
    at = datetime.fromisoformat(found[1]).replace(tzinfo=UTC) if found else None
    return f"in doubt{f' since {day_of(int(at.timestamp()) * MICROSECONDS)}' if at else ''}: only warns"


def is_read(corrections: str) -> bool:
    """Whether a model read an order in other words.

    Args:
        corrections: Its corrections, as JSON.
    """
    return fields_of(corrections).get("is_read") is True


def with_doubt(corrections: str, source: str) -> str:
    """Returns corrections with the source of the words by which a person may have ended an order.

    Args:
        corrections: Its corrections, as JSON.
        source: Who said the words, when, and in which message.
    """
    return json.dumps(fields_of(corrections) | {"doubt": source[:_SOURCE]}, ensure_ascii=False)


def without_doubt(corrections: str) -> str:
    """Returns corrections without doubt; empty if no other is left.

    Args:
        corrections: Corrections, as JSON.
    """
    kept = {name: value for name, value in fields_of(corrections).items() if name not in ("is_read", "doubt")}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def fields_of(corrections: str) -> dict[str, Any]:
    """Returns the corrections of an order by their names.

    Args:
        corrections: Its corrections, as JSON; empty if there are none.
    """
    found: dict[str, Any] = json.loads(corrections) if corrections else {}
    return found
