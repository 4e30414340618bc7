"""Options of `learn` that describe a statement, declared once for the grimoire, asyncio and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from datetime import datetime


class StatementFields(TypedDict, total=False):
    """Fields of a statement.

    Attributes:
        subject: Person or thing that the statement describes.
        attribute: Its attribute, such as `port`; `curator.attributes` sets which have many values at a time.
        value: Value of the attribute.
        denied: Whether the statement denies the value, or with an empty one every value.
        condition: Case in which it holds, such as `staging`; values of different cases do not meet.
        since: First instant at which it holds, microseconds UTC or a datetime with a time zone.
        until: First instant at which it no longer holds, likewise.
    """

    subject: str
    attribute: str
    value: str
    denied: bool
    condition: str
    since: int | datetime | None
    until: int | datetime | None
