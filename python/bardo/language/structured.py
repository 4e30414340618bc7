"""Answers as values: what a model says is JSON of a known shape, or it is nothing.

A shape is a pydantic model with `extra="forbid"`: it gives the JSON schema and checks the answer by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")

#: Problems of one answer that are told, to the model or to a person.
PROBLEMS = 5


class NotOfShapeError(ValueError):
    """An answer is not what was asked for; the message says where, without repeating it."""


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape, with every part in its place: not every server follows references."""
    schema = shape.model_json_schema()
    definitions = schema.pop("$defs", {})
    placed = _resolve_references(schema, definitions)
    return placed if isinstance(placed, dict) else schema


def _resolve_references(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_resolve_references(each, definitions) for each in part]
    if not isinstance(part, dict):
        return part
    reference = part.get("$ref")
    if isinstance(reference, str):
        return _resolve_references(definitions[reference.rpartition("/")[2]], definitions)
    return {name: _resolve_references(value, definitions) for name, value in part.items()}


def parse(text: str, shape: type[Shape]) -> Shape:
    """The value that an answer holds.

    Some models put a fence or a word around their JSON: the outermost braces are taken.

    Raises:
        NotOfShapeError: There is no JSON object in it, or it has another shape.
    """
    from pydantic import ValidationError

    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise NotOfShapeError("it holds no JSON object")
    try:
        return shape.model_validate_json(text[start : end + 1])
    except ValidationError as error:
        told = error.errors(include_input=False, include_url=False, include_context=False)
        problems = [
            f"{'.'.join(map(str, each['loc'])) or 'the whole'}: {each['msg']}" for each in told[:PROBLEMS]
        ]
        raise NotOfShapeError("; ".join(problems)) from error
