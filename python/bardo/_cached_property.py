"""`functools.cached_property` with a lock, which that of Python 3.12 and later lacks."""

from __future__ import annotations

import functools
import threading
from typing import Any, Self, TypeVar, overload

Value = TypeVar("Value")

#: Reentrant, because the computation of one value may ask for another.
_LOCK = threading.RLock()


class locked_cached_property(functools.cached_property[Value]):  # noqa: N801 - reads as a decorator
    """Computes an attribute at its first use, once, even when several threads ask for it."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | Value:
        """Returns the cached value; the instance's `__dict__` answers later reads without this call."""
        if instance is None:
            return self
        with _LOCK:
            return super().__get__(instance, owner)
