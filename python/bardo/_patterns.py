"""Regular expressions that are compiled when they are used first."""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Pattern with the methods of `re.Pattern`: a process that needs a few of hundreds starts without the others.

    Args:
        pattern: Regular expression.
        flags: Flags of `re.compile`.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the compiled pattern; later reads find it in the instance."""
        # `re.compile` keeps what it compiled last: further methods cost no compilation of their own.
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Makes a pattern that is compiled when it is used first."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
