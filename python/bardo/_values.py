"""Frozen, slotted classes of values for what every process loads.

They are what `@dataclass(frozen=True, slots=True)` makes, and to `dataclasses` they are dataclasses: its `fields`,
`asdict` and `replace` work on them. But `dataclasses` loads `inspect` and compiles six functions for each class, which
together took a quarter of the time from nothing to an open memory; here one function is compiled, and five are shared.
What is loaded later may be an ordinary dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeGuard, TypeVar, dataclass_transform

T = TypeVar("T")


class Fresh(Generic[T]):
    """A default that is made for each value."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.make = make


def fresh(*, default_factory: Callable[[], T]) -> T:
    """The default of a field whose value must not be shared, such as a dictionary."""
    made: Any = Fresh(default_factory)
    return made  # type: ignore[no-any-return]  # the class puts what is made in its place


@dataclass_transform(frozen_default=True, field_specifiers=(fresh,))
def value(plain: type[T]) -> type[T]:
    """Makes a class of annotated fields one of frozen values that compare by what they hold.

    Raises:
        TypeError: A field without a default follows one with a default.
    """
    body = dict(vars(plain))
    names = tuple(body.get("__annotations__", ()))
    defaults = {name: body.pop(name) for name in names if name in body}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body |= _SHARED
    body |= {"__slots__": names, "__match_args__": names, "__dataclass_fields__": _Fields(plain, defaults)}
    kind: Any = type(plain)
    made = kind(plain.__name__, plain.__bases__, body)
    made.__init__ = _initialiser(made, names, defaults)
    return made  # type: ignore[no-any-return]  # the same class, slotted


def is_value(what: object) -> TypeGuard[type]:
    """Whether something is a class of values, of this file or of `dataclasses`."""
    return isinstance(what, type) and "__dataclass_fields__" in vars(what)


def replace(given: T, **changes: Any) -> T:
    """A copy of a value with some fields changed: `dataclasses.replace` without loading it."""
    held = {name: getattr(given, name) for name in _names(given)}
    return type(given)(**held | changes)


def _initialiser(owner: Any, names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    """`__init__` with a parameter per field; it writes past the guard that freezes the fields."""
    scope: dict[str, Any] = {}
    parameters, lines = [], []
    for name in names:
        scope[f"_set_{name}"] = vars(owner)[name].__set__
        given = name
        parameter = name
        if name in defaults:
            default = defaults[name]
            scope[f"_default_{name}"] = default
            parameter = f"{name}=_default_{name}"
            if isinstance(default, Fresh):
                scope[f"_make_{name}"] = default.make
                given = f"_make_{name}() if {name} is _default_{name} else {name}"
        parameters.append(parameter)
        lines.append(f" _set_{name}(self, {given})")
    exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines), scope)
    made: Any = scope["__init__"]
    made.__qualname__ = f"{owner.__qualname__}.__init__"
    made.__annotations__ = {**owner.__annotations__, "return": None}
    return made  # type: ignore[no-any-return]  # what was just defined


class _Fields:
    """What `dataclasses` looks for in a class, made when it looks."""

    def __init__(self, plain: type, defaults: dict[str, Any]) -> None:
        self._plain = plain
        self._defaults = defaults

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        import dataclasses  # noqa: PLC0415 - not to load it is why this file exists

        for name, default in self._defaults.items():
            if isinstance(default, Fresh):
                setattr(self._plain, name, dataclasses.field(default_factory=default.make))
        fields = {field.name: field for field in dataclasses.fields(dataclasses.dataclass(self._plain))}
        owner.__dataclass_fields__ = fields  # type: ignore[attr-defined]  # in the place of this descriptor
        return fields


def _names(given: Any) -> tuple[str, ...]:
    return type(given).__match_args__  # type: ignore[no-any-return]


def _held(given: Any) -> tuple[Any, ...]:
    return tuple(getattr(given, name) for name in _names(given))


def _repr(self: Any) -> str:
    held = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(self))
    return f"{type(self).__qualname__}({held})"


def _eq(self: Any, other: Any) -> bool:
    return _held(self) == _held(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_held(self))


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    return type(self), _held(self)


def _refuse(self: Any, name: str, *_given: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - what to expect of a dataclass

    raise FrozenInstanceError(f"cannot change field {name!r}: {type(self).__name__} is frozen")


_SHARED = {
    "__repr__": _repr, "__eq__": _eq, "__hash__": _hash, "__reduce__": _reduce, "__setattr__": _refuse,
    "__delattr__": _refuse,
}  # fmt: skip
