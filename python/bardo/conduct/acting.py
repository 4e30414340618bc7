"""Actions under a gate: a block of code that is checked before and recorded after, and a decorator for functions."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from bardo.conduct.verdict import Verdict
from bardo.errors import ActionBlockedError, InvalidInputError

Function = TypeVar("Function", bound=Callable[..., Any])


class Checks(Protocol):
    """Verbs of a gate around an action."""

    def before(self, action: str, *, approved_by: str = "") -> Verdict:
        """Checks an action."""

    def after(self, action: str, *, passed: bool, note: str = "", flow: str = "") -> object:
        """Records the result of an action."""


#: Maximum length of the note of an error, in characters.
_NOTE = 300


@contextlib.contextmanager
def acting(gate: Checks, action: str, *, approved_by: str, flow: str, strict: bool) -> Iterator[Verdict]:
    """Checks an action, runs the block, and records its result; see `Gate.acting`."""
    verdict = gate.before(action, approved_by=approved_by)
    if not verdict.allowed or (strict and verdict.decision == "warn"):
        ids = ", ".join(each.id for each in verdict.findings if each.blocks or verdict.allowed)
        how = "warned of" if verdict.allowed else "blocked"
        raise ActionBlockedError(
            f"{verdict.action!r} is {how} by {ids}: {verdict.findings[0].text}. {_remedy(verdict)}",
            verdict=verdict,
        )
    try:
        yield verdict
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        gate.after(action, passed=False, note=told[:_NOTE], flow=flow)
        raise
    gate.after(action, passed=True, flow=flow)


def _remedy(verdict: Verdict) -> str:
    """Says what a person can do about the first finding."""
    first = verdict.findings[0]
    if not first.blocks:
        return "Pass strict=False to act in spite of warnings"
    match first.reason:
        case "rejected":
            return f"A person lifts the rejection: gate.lift({first.id!r}, by=...)"
        case "forbidden":
            return f"A person retires the rule: gate.retire({first.id!r}, by=...)"
        case "approval" | "flow":
            return "A person approves the action: approved_by=..."


def gated(
    gate: Checks, action: str, *, approved_by: str, flow: str, strict: bool
) -> Callable[[Function], Function]:
    """Makes a decorator; see `Gate.gated`."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise InvalidInputError(
                f"{function.__qualname__} is a generator, whose end no gate sees. Use `acting`"
            )

        def told(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            try:
                return action.format(**given.arguments)
            except (KeyError, IndexError, AttributeError, ValueError) as error:
                raise InvalidInputError(
                    f"the action {action!r} cannot be made of the arguments of {function.__qualname__}: {error!r}"
                ) from error

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_later(*args: Any, **kwargs: Any) -> Any:
                with acting(gate, told(args, kwargs), approved_by=approved_by, flow=flow, strict=strict):
                    return await function(*args, **kwargs)

            return run_later  # type: ignore[return-value] # of the same signature

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with acting(gate, told(args, kwargs), approved_by=approved_by, flow=flow, strict=strict):
                return function(*args, **kwargs)

        return run  # type: ignore[return-value] # of the same signature

    return decorate
