"""Beginnings of ids, as commands take them for whole ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bardo.errors import InvalidInputError

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

#: Beginning of an id, of at least four of its letters and fewer than all.
_BEGINNING = re.compile(r"[0-9a-f]{4}[0-9a-f-]{0,31}", re.IGNORECASE)
#: Maximum number of ids that an error names.
_NAMED = 3


def fact_id(opened: Grimoire, given: str) -> str:
    """Returns the id of the fact that a beginning of at least four letters means; any other text is unchanged.

    Args:
        opened: Open memory.
        given: Id of a fact, or its beginning.

    Raises:
        InvalidInputError: Several facts have ids with this beginning.
    """
    if _BEGINNING.fullmatch(given) is None:
        return given
    begun = [fact.id for fact in opened.facts.list(status=None) if fact.id.startswith(given.lower())]
    if len(begun) > 1:
        named = ", ".join(begun[:_NAMED]) + (", ..." if len(begun) > _NAMED else "")
        raise InvalidInputError(f"{given} begins the ids of {len(begun)} facts: {named}. Give more of the id")
    return begun[0] if begun else given
