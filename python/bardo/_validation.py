"""What a verb cannot use is refused by name, wherever below the verb that comes out.

Nothing is looked at beforehand, so a call that is right costs nothing: the core and Python itself refuse what they
cannot use, and only then is it found out which argument that was.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from bardo.errors import BardoError, InvalidInputError

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

#: What Python and the core raise for a value of the wrong type, out of range, or that is no valid Unicode.
UNFIT = (TypeError, ValueError, OverflowError, AttributeError)
#: Types of which it is certain that they stand for nothing else: an embedder may be of any other.
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None))
#: What each word of an annotation takes of them. Words that are not here name a class, which takes none of them, or
#: stand for a choice of strings, such as `Role`.
_TAKEN: dict[str, type | tuple[type, ...]] = {
    **{kind.__name__: kind for kind in _PLAIN},
    "None": type(None),
    "float": (int, float),
    "SupportsIndex": int,
    "Sequence": (list, tuple),
    "Iterable": (list, tuple, set, frozenset),
    "Mapping": dict,
    "Any": object,
}
#: Tuples of numbers, and how many they hold: a mood, and the weights of recall.
_NUMBERS = {"Pad": 3, "Factors": 4}
_LARGEST = 2**63 - 1
#: Characters of a value that a message quotes.
_QUOTED = 80


def checked(verb: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """A verb that raises `InvalidInputError` for an argument that it cannot use."""

    @functools.wraps(verb)
    def run(*args: Asked.args, **options: Asked.kwargs) -> Answer:
        try:
            return verb(*args, **options)
        except UNFIT as error:
            refuse(error, verb)
            raise

    return run


def handing_on(to: str) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
    """For a method that hands options on to another one: what neither knows is refused as Python does.

    Args:
        to: Name of the other.
    """

    def around(verb: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
        code = getattr(verb, "__wrapped__", verb).__code__
        own = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

        @functools.wraps(verb)
        def run(*args: Asked.args, **options: Asked.kwargs) -> Answer:
            if further := options.keys() - own:
                owner = type(args[0])
                if unknown := further - getattr(owner, to).__kwdefaults__.keys():
                    called = f"{owner.__name__}.{verb.__name__}()"
                    raise TypeError(f"{called} got an unexpected keyword argument {min(unknown)!r}")
            return verb(*args, **options)

        return run

    return around


def refuse(error: Exception, verb: Callable[..., Any]) -> None:
    """Raises `InvalidInputError` if bardo or the core could not use an argument; what others raised is left alone.

    Args:
        error: What came out of the verb; of the classes in `UNFIT`.
        verb: Whose frame is the first of bardo's in the traceback, but for `checked`.

    Raises:
        InvalidInputError: From `error`. It names the argument where that can be found out.
    """
    if isinstance(error, BardoError):
        return
    frames = [frame for frame in _frames(error.__traceback__) if frame.f_globals.get("__name__") != __name__]
    packages = [str(frame.f_globals.get("__name__")).partition(".")[0] for frame in frames]
    # The standard library raises for whoever called it. With no frame at all, the verb has no such parameter.
    raised_by = next((name for name in reversed(packages) if name not in sys.stdlib_module_names), None)
    if raised_by != __package__:
        return
    problems = list(_unfit(verb, frames[0]))
    if problems:
        raise InvalidInputError("; ".join(problems)) from error
    raise InvalidInputError(
        f"{verb.__name__}() cannot use what it was given: {_shown(error)}. "
        "See which types and ranges its documentation names"
    ) from error


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _unfit(verb: Callable[..., Any], called: FrameType) -> Iterator[str]:
    """What is wrong with which argument of a call, and what it may be."""
    code, given = called.f_code, called.f_locals
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name not in verb.__annotations__ or name not in given:
            continue
        value, annotation = given[name], str(verb.__annotations__[name])
        told = f"{name} of {verb.__name__}() is {_shown(value)}"
        if isinstance(value, _PLAIN) and not any(
            _fits(value, kind, verb.__globals__) for kind in _kinds(annotation)
        ):
            yield f"{told}. It must be {annotation}"
        elif isinstance(value, int) and not 0 <= value <= _LARGEST:
            # Many have a narrower range, which whoever looks at it next tells.
            yield f"{told}. It must not be {'negative' if value < 0 else 'so large'}"
        elif holds_surrogate(value):
            yield f"{told}: a lone surrogate is no text. Decode it properly first"


def _kinds(annotation: str) -> list[str]:
    """The alternatives of an annotation without what they hold: `str | Iterable[str | Fact]` is a str or Iterable."""
    bare = annotation
    while (inner := re.sub(r"\[[^\[\]]*\]", "", bare)) != bare:
        bare = inner
    return bare.split(" | ")


def _fits(value: object, kind: str, names: Mapping[str, object]) -> bool:
    """Whether a value of a plain type may be of a kind; `names` are those that the annotation was written among."""
    if kind in _NUMBERS:
        return (
            isinstance(value, (list, tuple))
            and len(value) == _NUMBERS[kind]
            and all(isinstance(number, (int, float)) for number in value)
        )
    if kind in _TAKEN:
        return isinstance(value, _TAKEN[kind])
    return isinstance(value, str) and not isinstance(names.get(kind), type)


def holds_surrogate(value: object) -> bool:
    """Whether there is a lone surrogate in a text, or in the texts of a list."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_surrogate, value))
    return isinstance(value, str) and not value.isascii() and re.search("[\ud800-\udfff]", value) is not None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
