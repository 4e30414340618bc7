"""Conversion of episodes to and from JSON objects, for inbox files and the archive."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bardo.errors import InvalidInputError
from bardo.model import Episode

_DEFAULTS = {
    field.name: field.default
    for field in dataclasses.fields(Episode)
    if field.default is not dataclasses.MISSING
}
_NAMES = tuple(field.name for field in dataclasses.fields(Episode))
_ORDER = ("id", "tick", *(name for name in _NAMES if name not in {"id", "tick"}))
_ALWAYS = frozenset({"id", "tick", "at", "text"})


def to_record(episode: Episode) -> dict[str, Any]:
    """Returns the fields of an episode that differ from their defaults, and always id, tick and at."""
    fields = ((name, getattr(episode, name)) for name in _ORDER)
    return {name: value for name, value in fields if name in _ALWAYS or value != _DEFAULTS[name]}


def from_record(record: object) -> Episode:
    """Makes the episode from a record of `to_record`.

    Raises:
        InvalidInputError: It is not an object, or has fields unknown to `Episode`. Types and limits are checked by the
            log.
    """
    if not isinstance(record, Mapping) or not isinstance(record.get("text"), str):
        raise InvalidInputError("a record is not a JSON object with a text. Write episodes with bardo.drop")
    unknown = sorted(str(name) for name in record.keys() - set(_NAMES))
    if unknown:
        raise InvalidInputError(
            f"a record has unknown fields {unknown}. Upgrade bardo if a newer one wrote it"
        )
    fields = dict(record)
    for name in ("subjects", "pad"):
        if isinstance(fields.get(name), list):
            fields[name] = tuple(fields[name])
    return Episode(**fields)
