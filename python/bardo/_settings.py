"""Conversion of TOML tables to dataclasses of settings, with each value checked against its annotation."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bardo.errors import ConfigError

T = TypeVar("T")


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merges nested tables; values of `over` take precedence."""
    merged = dict(base)
    for key, given in over.items():
        if isinstance(given, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = merge(merged[key], given)
        else:
            merged[key] = given
    return merged


def build(section: type[T], settings: Mapping[str, Any], where: str) -> T:
    """Builds a dataclass from a table, and checks each value against the annotation of its field.

    Raises:
        ConfigError: A setting is unknown, or its value has the wrong type.
    """
    hints = get_type_hints(section)
    values: dict[str, Any] = {}
    for key, given in settings.items():
        if key not in hints:
            import difflib

            near = difflib.get_close_matches(key, hints, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known here: {', '.join(hints)}"
            raise ConfigError(f"{where} has no setting {key!r}. {hint}")
        values[key] = _checked(hints[key], given, f"{where}: {key}")
    return section(**values)


def _checked(hint: Any, value: Any, where: str) -> Any:
    if isinstance(hint, type) and is_dataclass(hint):
        if isinstance(value, hint):
            return value
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} is {value!r}. It must be a table of settings")
        return build(hint, value, where)
    if get_origin(hint) is tuple:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ConfigError(f"{where} is {value!r}. It must be a list")
        return tuple(_checked(get_args(hint)[0], item, where) for item in value)
    if get_origin(hint) is Mapping:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} is {value!r}. It must be a table")
        return {name: _checked(get_args(hint)[1], item, f"{where}.{name}") for name, item in value.items()}
    choices = get_args(hint)
    if choices:
        if value not in choices:
            raise ConfigError(f"{where} is {value!r}. Use one of: {', '.join(map(str, choices))}")
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(f"{where} is {value!r}. It must be a {hint.__name__}")
    return value


def numbers(section: object, prefix: str) -> Iterator[tuple[str, float]]:
    """Yields every number of a section and of nested sections, by its dotted name."""
    names = section if isinstance(section, Mapping) else type(section).__match_args__  # type: ignore[attr-defined]
    for name in names:
        held = section[name] if isinstance(section, Mapping) else getattr(section, name)
        if isinstance(held, Mapping) or is_dataclass(type(held)):
            yield from numbers(held, f"{prefix}{name}.")
        elif isinstance(held, (int, float)) and not isinstance(held, bool):
            yield f"{prefix}{name}", held


def with_setting(text: str, section: str, key: str, value: str) -> str | None:
    """Sets one string in a TOML text and leaves the rest unchanged; None if its form does not allow that.

    Args:
        text: TOML text.
        section: Name of the table, which is added if it is missing.
        key: Name of the setting.
        value: New value.
    """
    if _setting(text, section, key) == value:
        return text
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    lines = text.splitlines()
    headers = [at for at, each in enumerate(lines) if re.match(rf"\s*\[{re.escape(section)}\]", each)]
    if headers:
        start = headers[0] + 1
        end = next((at for at in range(start, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
        old = [at for at in range(start, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[at])]
        lines[old[0] if old else start : old[0] + 1 if old else start] = [line]
    else:
        lines += ["", f"[{section}]", line]
    changed = "\n".join(lines) + "\n"
    return changed if _setting(changed, section, key) == value else None


def _setting(text: str, section: str, key: str) -> Any:
    try:
        return tomllib.loads(text).get(section, {}).get(key)
    except (tomllib.TOMLDecodeError, AttributeError):
        return None
