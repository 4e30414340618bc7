"""Situations: features of the moment in which a decision is made, and conditions of rules over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bardo._patterns import lazy_pattern
from bardo.errors import InvalidInputError

#: Keys of a situation that are no features.
SUBJECTS, ACTIONS = "subjects", "actions"
#: Last parts of the paths under which payloads tell an action.
ACTION_PATHS = frozenset({"action", "decision", "side", "strategy"})
#: Features of a situation at most, nested ones included.
MOST_FEATURES = 256
#: Paths of a payload that name what an episode is about, and not what it measured.
_WHAT = frozenset({"subject", "kind"})

Operator = Literal[">=", "<=", ">", "<", "==", "!="]

_OPPOSITE: dict[Operator, Operator] = {">=": "<", "<": ">=", "<=": ">", ">": "<=", "==": "!=", "!=": "=="}
_COMPARISON = lazy_pattern(r"^(?P<path>.+?)\s*(?P<sign>>=|<=|==|!=|>|<|=)\s*(?P<value>.+)$")
_IDENTITY = lazy_pattern(r"^(?P<path>\S+) (?P<sign>is not|is) (?P<value>.+)$")
_NUMBER = lazy_pattern(r"^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a feature.

    Args:
        path: Path of the feature, with dots where it is nested; empty for words that state no comparison.
        sign: Comparison; `==` and `!=` also compare words.
        value: Number or word.
    """

    path: str
    sign: Operator
    value: float | str

    @property
    def is_word(self) -> bool:
        """Whether it compares a word, as the conditions on an action do."""
        return bool(self.path) and isinstance(self.value, str)

    @property
    def opposite(self) -> Condition:
        """The condition that holds where this one does not."""
        return Condition(self.path, _OPPOSITE[self.sign], self.value)

    def __str__(self) -> str:
        """The condition as a payload states it: `momentum >= 0.65`, `venue is not south`."""
        if isinstance(self.value, str):
            return f"{self.path} {'is' if self.sign == '==' else 'is not'} {self.value}"
        return f"{self.path} {self.sign} {self.value:.12g}"

    def holds(self, situation: Situation) -> bool | None:
        """Whether it holds in a situation; None where the situation does not say."""
        if self.path == "subject":
            known: Any = situation.subjects or None
        else:
            known = situation.features.get(self.path)
        if known is None or not self.path:
            return None
        values = known if isinstance(known, tuple) else (known,)
        told = [met for value in values if (met := self._met(value)) is not None]
        if not told:
            return None
        if isinstance(known, tuple) and self.path != "subject" and any(told) and len(told) > 1:
            # One of several possible values meets it: the choice is open.
            return None
        return any(told)

    def _met(self, value: float | str) -> bool | None:
        if isinstance(self.value, str):
            same = _word(value) == _word(self.value)
            return same if self.sign == "==" else not same
        if isinstance(value, str):
            return None
        return {
            ">=": value >= self.value, "<=": value <= self.value, ">": value > self.value,
            "<": value < self.value, "==": value == self.value, "!=": value != self.value,
        }[self.sign]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Situation:
    """The moment of a decision.

    Args:
        features: Numbers and words by path; a tuple holds the possible values of a feature that is open.
        subjects: Subjects of the decision.
        actions: Actions that are possible; any, if empty.
    """

    features: Mapping[str, float | str | tuple[float | str, ...]] = field(default_factory=dict)
    subjects: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Situation:
        """Reads the `situation` of a recall.

        Args:
            given: Features by name; mappings nest as in payloads, a list holds possible values. `subjects` and
                `actions` are lists of names.

        Raises:
            InvalidInputError: It is no mapping, or a value is no number, word, mapping or list of these.
        """
        if not isinstance(given, Mapping):
            raise InvalidInputError(
                f"the situation is a {type(given).__name__}. Give it a mapping such as {{'volatility': 0.3}}"
            )
        features: dict[str, Any] = {}
        for name, value in given.items():
            if name not in (SUBJECTS, ACTIONS):
                _flatten(str(name), value, features)
        return cls(features, _names(given, SUBJECTS), _names(given, ACTIONS))

    def after(self, action: str | None) -> Situation:
        """The situation once an action was taken; None if it is not told.

        Raises:
            InvalidInputError: It was not among the possible actions.
        """
        if action is None:
            return self
        possible = {_word(each): each for each in self.actions}
        if not isinstance(action, str) or not action.strip() or (possible and _word(action) not in possible):
            among = f"one of {list(self.actions)}" if possible else "the name of the action"
            raise InvalidInputError(f"action is {action!r}. Give {among}")
        return replace(self, actions=(possible.get(_word(action), action),))

    def settled(self) -> dict[str, float | str]:
        """Payload of a decision in the situation: features with one value, and the action if only one is possible."""
        known = {path: value for path, value in self.features.items() if not isinstance(value, tuple)}
        return known | ({"action": self.actions[0]} if len(self.actions) == 1 else {})

    def words(self) -> list[str]:
        """Its words: values of features that are words, subjects and actions."""
        values = [
            value
            for known in self.features.values()
            for value in (known if isinstance(known, tuple) else (known,))
        ]
        return [*(value for value in values if isinstance(value, str)), *self.subjects, *self.actions]


def parse_conditions(words: str) -> tuple[Condition, ...]:
    """The conditions that a payload states in words, such as `momentum >= 0.65 and venue is south`.

    A part that states no comparison becomes a condition without a path, which no situation meets or contradicts.
    """
    found: list[Condition] = []
    for part in words.split(" and "):
        stated = part.strip()
        if not stated:
            continue
        match = _COMPARISON.match(stated) or _IDENTITY.match(stated)
        if match is None:
            found.append(Condition("", "==", stated))
            continue
        sign = {"=": "==", "is": "==", "is not": "!="}.get(match["sign"], match["sign"])
        value: float | str = match["value"].strip()
        if isinstance(value, str) and _NUMBER.match(value):
            value = float(value)
        if isinstance(value, str) and sign not in ("==", "!="):
            found.append(Condition("", "==", stated))
            continue
        found.append(Condition(match["path"].strip(), sign, value))  # type: ignore[arg-type]
    return tuple(found)


def is_of_others(learned: Iterable[str], asked: Iterable[str]) -> bool:
    """Whether something was learned of subjects of which a question, which names some, names none."""
    one, other = ({subject.strip().casefold() for subject in subjects} for subjects in (learned, asked))
    return bool(one and other and not one & other)


def payload_paths(payload: Any) -> set[str]:
    """Paths of a payload, with dots where they are nested."""
    paths: dict[str, Any] = {}
    if isinstance(payload, Mapping):
        for name, value in payload.items():
            _paths(str(name), value, paths)
    return set(paths)


def is_measured(condition: Condition) -> bool:
    """Whether a condition is about a feature of the payload, and not about subject or kind."""
    return bool(condition.path) and condition.path not in _WHAT


def _paths(path: str, value: Any, found: dict[str, Any]) -> None:
    if isinstance(value, Mapping) and len(found) < MOST_FEATURES:
        for name, each in value.items():
            _paths(f"{path}.{name}", each, found)
    elif len(found) < MOST_FEATURES:
        found[path] = value


def _flatten(path: str, value: Any, features: dict[str, Any]) -> None:
    if len(features) >= MOST_FEATURES:
        raise InvalidInputError(
            f"the situation has more than {MOST_FEATURES} features. Give those that matter"
        )
    if isinstance(value, Mapping):
        for name, each in value.items():
            _flatten(f"{path}.{name}", each, features)
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        features[path] = tuple(_feature(path, each) for each in value)
    elif value is not None:
        features[path] = _feature(path, value)


def _feature(path: str, value: Any) -> float | str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(
            f"{path} of the situation is {value!r}. Use a finite number, a word, or a list or mapping of these"
        )
    return number


def _names(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = given.get(key)
    if names is None:
        return ()
    if (
        isinstance(names, str)
        or not isinstance(names, Sequence)
        or not all(isinstance(n, str) for n in names)
    ):
        raise InvalidInputError(f"{key} of the situation is {names!r}. Use a list of names")
    return tuple(names)


def _word(value: float | str) -> str:
    return value.strip().casefold() if isinstance(value, str) else f"{value:g}"
