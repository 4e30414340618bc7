"""What a verb cannot use is refused by name, wherever below the verb that comes out.

Nothing is looked at beforehand, so a call that is right costs nothing: the core and Python itself refuse what they
cannot use, and only then is it found out which argument that was.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FrameType, TracebackType
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
#: Flags of a code object; `inspect` has them too, but takes long to load.
CO_VARARGS, CO_VARKEYWORDS = 0x04, 0x08
#: Characters of a value that a message quotes.
_QUOTED = 80


def checked(verb: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """A verb that raises `InvalidInputError` for an argument that it cannot use.

    An option that the verb does not have is refused as Python does, also where it unpacks a `TypedDict`.
    """
    declared = _declared(verb)
    own = _named(verb.__code__) if declared is not None else ()

    @functools.wraps(verb)
    def run(*args: Asked.args, **options: Asked.kwargs) -> Answer:
        if declared is not None and options:
            check_options([name for name in options if name not in own], declared, verb.__qualname__)
        try:
            return verb(*args, **options)
        except UNFIT as error:
            refuse(error, verb)
            raise

    return run


def check_options(given: Iterable[str], declared: type, verb: str) -> None:
    """Refuses an option that a verb does not have, as Python does.

    Args:
        given: Names of the options.
        declared: `TypedDict` of those that the verb unpacks.
        verb: Its name, for the error.

    Raises:
        TypeError: An option is not declared.
    """
    known = declared.__annotations__
    for name in given:
        if name not in known:
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")


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
    for name, value, annotation, names in _arguments(verb, called):
        told = f"{name} of {verb.__name__}() is {_shown(value)}"
        if isinstance(value, _PLAIN) and not any(_fits(value, kind, names) for kind in _kinds(annotation)):
            yield f"{told}. It must be {annotation}"
        elif isinstance(value, int) and not 0 <= value <= _LARGEST:
            # Many have a narrower range, which whoever looks at it next tells.
            yield f"{told}. It must not be {'negative' if value < 0 else 'so large'}"
        elif holds_surrogate(value):
            yield f"{told}: a lone surrogate is no text. Decode it properly first"


def _arguments(
    verb: Callable[..., Any], called: FrameType
) -> Iterator[tuple[str, Any, str, Mapping[str, object]]]:
    """Name, value and annotation of each argument of a call, and the names that the annotation was written among."""
    given = called.f_locals
    for name in _named(called.f_code):
        if name in verb.__annotations__ and name in given:
            yield name, given[name], str(verb.__annotations__[name]), verb.__globals__
    declared = _declared(verb)
    if declared is not None:
        names = vars(sys.modules[declared.__module__])
        for name, value in given.get(_keywords(called.f_code), {}).items():
            if name in declared.__annotations__:
                yield name, value, declared.__annotations__[name].__forward_arg__, names


def _named(code: CodeType) -> tuple[str, ...]:
    """The parameters of a function that have a name each."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _keywords(code: CodeType) -> str:
    """The name of the parameter that holds every other keyword argument; empty if there is none."""
    if not code.co_flags & CO_VARKEYWORDS:
        return ""
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & CO_VARARGS)]


def _declared(verb: Callable[..., Any]) -> type | None:
    """The `TypedDict` that a verb unpacks; None if it unpacks none."""
    annotation = verb.__annotations__.get(_keywords(verb.__code__), "")
    return verb.__globals__.get(annotation[len("Unpack[") : -1]) if annotation.startswith("Unpack[") else None


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
