"""`functools.cached_property` with a lock, which Python 3.12 and later leave out."""

from __future__ import annotations

import functools
import threading
from typing import Any, Self, TypeVar, overload

Value = TypeVar("Value")

#: Reentrant lock, because the computation of one value may read another.
_LOCK = threading.RLock()


class locked_cached_property(functools.cached_property[Value]):  # noqa: N801 - reads as a decorator
    """Computes an attribute once, at its first use, even when several threads read it."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | Value:
        """Returns the cached value; later reads find it in the instance's `__dict__` without this call."""
        if instance is None:
            return self
        with _LOCK:
            return super().__get__(instance, owner)
