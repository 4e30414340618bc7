"""Parses a model's answer as JSON of a given shape; any other answer is rejected.

A shape is a pydantic model with `extra="forbid"`, which gives the JSON schema and validates the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")

#: Maximum number of reported problems of an answer.
PROBLEMS = 5


class NotOfShapeError(ValueError):
    """An answer does not have the requested shape; the message gives the location, without repeating the answer."""


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Returns the JSON schema of a shape with references resolved, since not every server supports them."""
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
    """Parses the value of an answer.

    The text between the outermost braces is used, since some models put a fence or words around their JSON.

    Raises:
        NotOfShapeError: The answer has no JSON object, or one of another shape.
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
