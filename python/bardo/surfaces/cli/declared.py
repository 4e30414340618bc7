"""Command-line options for the fields of a `TypedDict`: names, types and help come from the library's declaration."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, is_typeddict

import typer

from bardo._atomic import parse_json
from bardo.errors import InvalidInputError
from bardo.surfaces.cli.options import tick_or_time, time_given

#: Options whose name differs from that of their field: `--at` is the folder.
RENAMED: Final = {"at": "--time"}
#: One-letter names of options.
_SHORT: Final = {"subjects": ("-s",), "subject": ("-s",), "limit": ("-n",)}
#: An entry under `Attributes:` of a docstring.
_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """Option for a field.

    Args:
        field: Name of the field.
        flag: Long name of the option.
        parameter: Parameter for Typer.
        parse: Function from the value of the option to that of the field.
    """

    field: str
    flag: str
    parameter: inspect.Parameter
    parse: Callable[[Any, str], Any]


def options_of(declared: type) -> list[DeclaredOption]:
    """Makes the options for the fields of a `TypedDict`.

    Raises:
        KeyError: The type of a field has no kind of option.
    """
    told = _descriptions(declared)
    hints = {
        name: str(getattr(hint, "__forward_arg__", hint)) for name, hint in declared.__annotations__.items()
    }
    return [_option(name, hint, told.get(name, "")) for name, hint in hints.items()]


def given_fields(options: list[DeclaredOption], values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields whose options were given.

    Raises:
        InvalidInputError: A value is not valid for its field.
    """
    return {
        each.field: each.parse(value, each.flag)
        for each in options
        if (value := values[each.parameter.name]) is not None and value is not False and value != []
    }


def _option(name: str, hint: str, told: str) -> DeclaredOption:
    repeatable = hint.startswith("Sequence[")
    kind: Any
    parse: Callable[[Any, str], Any]
    if repeatable:
        kind, metavar, parse = list[str], None, _as_given
        told = f"{told.rstrip('.')}; repeatable."
    else:
        bare = hint.removesuffix(" | None")
        kind, metavar, parse = _KINDS[name if name in _KINDS else bare]
    flag = RENAMED.get(name, "--" + (name.removesuffix("s") if repeatable else name).replace("_", "-"))
    option = typer.Option(flag, *_SHORT.get(name, ()), metavar=metavar, help=told)
    parameter = inspect.Parameter(
        f"field_{name}",
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind is bool else None,
        annotation=Annotated[kind if kind is bool else kind | None, option],
    )
    return DeclaredOption(name, flag, parameter, parse)


def _descriptions(declared: type) -> dict[str, str]:
    """Reads the descriptions of fields from the docstrings of a declaration and of its bases in the same module."""
    module = vars(sys.modules[declared.__module__]).values()
    return {name: text for each in module if is_typeddict(each) for name, text in _attributes(each)}


def _attributes(declared: type) -> Iterator[tuple[str, str]]:
    for name, text in _ATTRIBUTE.findall(inspect.getdoc(declared) or ""):
        yield name, " ".join(text.replace("`", "").split())


def _as_given(value: Any, flag: str) -> Any:
    return value


def _json(value: str, flag: str) -> Any:
    try:
        return parse_json(value)
    except ValueError as error:
        raise InvalidInputError(
            f"{flag} is not JSON: {error}. Quote it for the shell, as in '{{\"lag\": 2}}'"
        ) from error


def _numbers(value: str, flag: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in value.split(","))
    except ValueError as error:
        raise InvalidInputError(
            f"{flag} is {value[:60]!r}. Write numbers with commas between them"
        ) from error


def _situation(pairs: list[str], flag: str) -> dict[str, Any]:
    """Reads features as `KEY=VALUE`: numbers, lists and truth values as JSON has them, and anything else as a word.

    Subjects and actions are names with commas between them, or a list as JSON.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InvalidInputError(f"{flag} is {pair[:60]!r}. Write KEY=VALUE, as in volatility=0.3")
        try:
            read = parse_json(value)
        except ValueError:
            read = value
        if name.strip() in _NAMES and not isinstance(read, list):
            read = [part.strip() for part in value.split(",") if part.strip()]
        found[name.strip()] = value if read is None else read
    return found


#: Features of a situation that are lists of names.
_NAMES: Final = ("subjects", "actions")
#: Type of the option, its placeholder in the help, and its parser, by the type of a field or its name.
_KINDS: Final[dict[str, tuple[Any, str | None, Callable[[Any, str], Any]]]] = {
    "str": (str, None, _as_given),
    "Role": (str, "ROLE", _as_given),
    "int": (int, None, _as_given),
    "float": (float, None, _as_given),
    "bool": (bool, None, _as_given),
    "Any": (str, "JSON", _json),
    "situation": (list[str], "KEY=VALUE", _situation),
    "Pad": (str, "P,A,D", _numbers),
    "Factors": (str, "S,T,I,E", _numbers),
    "int | datetime": (str, "TIME", time_given),
    "as_of": (str, "TICK|DATE", tick_or_time),
}
