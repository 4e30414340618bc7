"""Reads lists of orders under a heading: "ground rules for this repo", with a line for each."""

from __future__ import annotations

import re
from typing import NamedTuple

from bardo._patterns import lazy_pattern

#: Line that announces orders.
_HEADING = lazy_pattern(
    r"(?:.*[.!?]\s+)?(?:(?:and|so|ok(?:ay)?|also|first|here(?: are|'s)?|these are|a few|some|two|"
    r"three|four|five|\d+)\b[\s,]*)*"
    r"(?:(?:the|our|my|your|a|an|new|basic|simple|usual|standing|general|quick|important)\b\s*)*"
    r"(?:(?:[\w-]+ )?(?:house|ground|basic|team|kitchen|family|school|office|project|repo|shop|clinic|"
    r"desk|trading|company|"
    r"working|standing|coding|safety|class|garden|travel) )?"
    r"(?:rules?|policy|policies|orders|conventions|guidelines|no-gos|no-go's|don'ts|do's and don'ts|dos and don'ts|"
    r"constraints|limits|restrictions)\b[^:.!?]{0,60}:?\s*$",
    re.IGNORECASE,
)
_ITEM = lazy_pattern(r"\s*(?:[-*•–—]|\d{1,2}[.)]|[a-z]\))\s+")
#: Minimum number of lines of a list whose items have no marks.
_LEAST = 2


class HeadedList(NamedTuple):
    """List of orders in a message.

    Args:
        before: Words before the heading.
        items: Lines of the list, without their marks.
        after: Words after the list.
    """

    before: str
    items: tuple[str, ...]
    after: str


def headed_orders(text: str) -> HeadedList | None:
    """Returns the list of orders that a message has under a heading; None if it has none.

    Args:
        text: Message of a user.
    """
    lines = text.splitlines()
    for place, line in enumerate(lines):
        heading = line.strip().replace("’", "'")
        if not heading or heading.endswith("?") or not _HEADING.match(heading):
            continue
        items: list[str] = []
        rest = [each for each in lines[place + 1 :] if each.strip()]
        is_marked = any(map(_ITEM.match, rest))
        while rest and (_ITEM.match(rest[0]) or (not is_marked and not rest[0].rstrip().endswith("?"))):
            items.append(_ITEM.sub("", rest.pop(0), count=1).strip())
        if len(items) >= (1 if is_marked else _LEAST):
            said = re.split(r"(?<=[.!?])\s+", heading)
            return HeadedList("\n".join([*lines[:place], *said[:-1]]), tuple(items), "\n".join(rest))
    return None
