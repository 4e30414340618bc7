"""Validation of the arguments of a method against its declared signature.

The check runs only after a call has failed, because a check before each call would slow down valid calls.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

from bardo.errors import BardoError, InvalidInputError, UnknownArgumentError

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

#: Exceptions of Python and of the core for a value of the wrong type, out of range, or not valid Unicode.
_UNFIT = (TypeError, ValueError, OverflowError, AttributeError)
#: Types that are checked. Values of other types may implement any protocol, such as an embedder.
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None))
#: Plain types that each word of an annotation accepts. Other words are classes, which accept none of them, or aliases
#: for a choice of strings, such as `Role`.
_ACCEPTED: dict[str, type | tuple[type, ...]] = {
    **{kind.__name__: kind for kind in _PLAIN},
    "None": type(None),
    "float": (int, float),
    "SupportsIndex": int,
    "Sequence": (list, tuple),
    "Iterable": (list, tuple, set, frozenset),
    "Mapping": dict,
    "Any": object,
}
#: Lengths of the tuples of numbers, by annotation: a mood, and the weights of recall.
_NUMBERS = {"Pad": 3, "Factors": 4}
_LARGEST = 2**63 - 1
#: Words of annotations whose numbers may be negative; those of the others count ticks or things.
_SIGNED = frozenset({"float", "Any", "object"})
#: Maximum length of a value quoted in a message, in characters.
_QUOTED = 80


def checked(verb: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorates a method so that it raises `InvalidInputError` for an argument that does not fit its annotation.

    An undeclared option raises `UnknownArgumentError`, also where the method unpacks a `TypedDict`. An exception of a
    call whose arguments fit is not changed.
    """
    options = _options(verb)
    declared = None if options is None else {*_named(verb), *options.__annotations__}

    @functools.wraps(verb)
    def run(*args: Arguments.args, **keywords: Arguments.kwargs) -> Answer:
        if declared is not None and not declared.issuperset(keywords):
            raise _unknown(verb, declared, keywords)
        try:
            return verb(*args, **keywords)
        except _UNFIT as error:
            if isinstance(error, BardoError):
                raise
            if declared is None and not (names := _named(verb)).issuperset(keywords):
                raise _unknown(verb, names, keywords) from None
            if problems := list(_problems(verb, options, args, keywords)):
                raise InvalidInputError("; ".join(problems)) from error
            raise

    return run


def require_text(text: str, name: str, remedy: str) -> None:
    """Refuses an empty or blank text where one is required.

    Args:
        text: Text from a caller.
        name: Name of the text, for the error.
        remedy: Sentence that tells what to pass.
    """
    if not text.strip():
        raise InvalidInputError(f"the {name} is {'blank' if text else 'empty'}. {remedy}")


def _named(verb: Callable[..., Any]) -> set[str]:
    """Names of the parameters of a method that a keyword may have."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {each.name for each in inspect.signature(verb).parameters.values() if each.kind in by_name} - {
        "self"
    }


def _unknown(verb: Callable[..., Any], declared: set[str], given: Iterable[str]) -> UnknownArgumentError:
    """Makes the error for the first undeclared keyword of a call, with the nearest declared one."""
    import difflib  # opening a memory does not need it

    name = next(name for name in given if name not in declared)
    near = difflib.get_close_matches(name, sorted(declared), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It takes {', '.join(sorted(declared))}"
    return UnknownArgumentError(f"{verb.__qualname__}() got an unexpected keyword argument {name!r}. {hint}")


def _options(verb: Callable[..., Any]) -> type | None:
    """The `TypedDict` that a method unpacks; None if it unpacks none."""
    for annotation in verb.__annotations__.values():
        if annotation.startswith("Unpack["):
            return verb.__globals__[annotation[len("Unpack[") : -1]]  # type: ignore[no-any-return]
    return None


def _problems(
    verb: Callable[..., Any], options: type | None, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Iterator[str]:
    """Yields a message for each argument of a call that does not fit its annotation."""
    try:
        bound = inspect.signature(verb).bind(*args, **keywords)
    except TypeError:
        return  # a parameter is missing, which Python itself has reported
    for name, value in bound.arguments.items():
        annotation = verb.__annotations__.get(name, "Any")
        if options is not None and annotation.startswith("Unpack["):
            scope = vars(sys.modules[options.__module__])
            for option, given in value.items():
                kind = options.__annotations__[option].__forward_arg__
                yield from _problem(f"{option} of {verb.__name__}()", given, kind, scope)
        else:
            yield from _problem(f"{name} of {verb.__name__}()", value, annotation, verb.__globals__)


def _problem(where: str, value: object, annotation: str, scope: Mapping[str, object]) -> Iterator[str]:
    """Yields a message if one argument does not fit; `scope` holds the names that its annotation may use."""
    kinds = _kinds(annotation)
    if not any(_fits(value, kind, scope) for kind in kinds):
        yield f"{where} is {_shown(value)}. It must be {annotation.replace('SupportsIndex', 'int')}"
    elif isinstance(value, int) and not _SIGNED.intersection(kinds) and not 0 <= value <= _LARGEST:
        # Code that has a narrower range checks it.
        yield f"{where} is {_shown(value)}. It must not be {'negative' if value < 0 else 'so large'}"
    elif holds_surrogate(value):
        yield f"{where} is {_shown(value)}: a lone surrogate is no text. Decode it properly first"


def _kinds(annotation: str) -> list[str]:
    """Splits an annotation into its alternatives: `str | Iterable[str | Fact]` is a str or an Iterable."""
    kinds = [""]
    for part in annotation.split(" | "):
        is_open = kinds[-1].count("[") > kinds[-1].count("]")
        kinds[-1:] = [f"{kinds[-1]} | {part}"] if is_open else [*filter(None, kinds[-1:]), part]
    return kinds


def _fits(value: object, kind: str, scope: Mapping[str, object]) -> bool:
    """Whether a value fits one alternative of an annotation; values other than of plain types always do."""
    if not isinstance(value, _PLAIN):
        return True
    if kind in _NUMBERS:
        return (
            isinstance(value, (list, tuple))
            and len(value) == _NUMBERS[kind]
            and all(isinstance(number, (int, float)) for number in value)
        )
    name, _, parameters = kind.partition("[")
    if name in ("Sequence", "Iterable") and isinstance(value, (list, tuple, set, frozenset)):
        inner = _kinds(parameters[:-1])
        return isinstance(value, _ACCEPTED[name]) and all(
            any(_fits(element, each, scope) for each in inner) for element in value
        )
    if name in _ACCEPTED:
        return isinstance(value, _ACCEPTED[name])
    return isinstance(value, str) and not isinstance(scope.get(name), type)


def holds_surrogate(value: object) -> bool:
    """Whether a text, or any text of a list, holds a lone surrogate."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_surrogate, value))
    return isinstance(value, str) and not value.isascii() and re.search("[\ud800-\udfff]", value) is not None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
