"""Fits a testament into a number of tokens: what is of most worth to an heir for its length, and nothing twice."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bardo._core import count_tokens, count_tokens_batch
from bardo.bequeath.content import markdown, worth
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.left_behind import Kind, LeftBehind
from bardo.bequeath.content.questions import Question
from bardo.bequeath.content.reflect import shortened
from bardo.bequeath.privacy.redact import MARK
from bardo.model import Episode, Fact

#: Tokens of the headings.
_HEADINGS = 48
#: Tokens that a line costs besides its own, in the comparison of worths: without them the shortest lines always win.
_OVERHEAD = 16
#: Worth of directives by kind. Those that bind come before those that inform.
_DIRECTIVES = {"rejected": 2.0, "rule": 2.0, "mission": 2.0, "decision": 1.6, "task": 1.4, "flow": 1.4}
#: Factor on the worth of what no longer holds, and worth of a question that a pass derived.
_ENDED, _QUESTION = 0.25, 0.3
#: Factor on the worth of a line of which redaction removed a part, which mostly was what it told.
_REDACTED = 0.5
#: Parts that are lists, and the kind of their records.
_LISTS: dict[str, Kind] = {
    "conduct": "directive", "facts": "fact", "episodes": "episode", "questions": "question",
}  # fmt: skip
#: Share of the words of a line that another tells already, from which on it is left out; its exact words all are told.
_TOLD = 0.85
_WORD = re.compile(r"\w+")
#: Words with a digit, and names inside a sentence: a line that differs in one of them tells something else.
_EXACT_WORD = re.compile(r"\w*\d\w*|(?<=[^\W_] )[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Parts:
    """Content of a testament, each part in its order; `ends` as `markdown.render` takes them."""

    conduct: Sequence[Directive]
    facts: Sequence[Fact]
    episodes: Sequence[Episode]
    questions: Sequence[Question]
    reflection: str
    ends: markdown.Ends = field(default_factory=dict)

    def tokens(self) -> int:
        """Returns the length of the parts as Markdown, in tokens of `o200k`."""
        return count_tokens(
            markdown.render(
                self.conduct, self.facts, self.episodes, self.questions, self.reflection, ends=self.ends
            )
        )


@dataclass(frozen=True, slots=True)
class _Line:
    part: str
    place: int
    id: str
    text: str
    worth: float

    def left(self, reason: str) -> LeftBehind:
        """Returns the line as one that stays behind."""
        return LeftBehind(_LISTS[self.part], self.id, reason)


def fit(parts: Parts, limit: int, *, worths: Mapping[str, float]) -> tuple[Parts, list[LeftBehind]]:
    """Chooses the lines of most worth whose Markdown has no more than a number of tokens.

    Greedy selection by worth over length (Khuller, Moss and Naor 1999, the budgeted maximum coverage problem): a line
    whose words the chosen ones already tell is skipped. A line crosses after those that end or dispute it: alone it
    would tell the heir what is outdated.

    Args:
        parts: Content to choose from.
        limit: Maximum number of tokens, in tokens of `o200k`.
        worths: Worth of facts and episodes by id; that of others is judged by their text alone.

    Returns:
        Content that crosses, and the lines that stay behind.
    """
    lines = _judged(parts, worths)
    costs = count_tokens_batch(
        [f"{markdown.BELOW if line.id in parts.ends else '- '}{line.text}\n" for line in lines]
    )
    # Figures that the heir soon has itself come last, after the reflection.
    plain = {at for at, line in enumerate(lines) if line.worth <= worth.PLAIN}
    ranked = sorted(
        range(len(lines)),
        key=lambda at: (at in plain, -lines[at].worth / math.sqrt(costs[at] + _OVERHEAD), at),
    )
    newer = _newer(lines, parts.ends)
    order = newer_first(ranked, newer)
    room = limit - _HEADINGS
    chosen = _Chosen(parts)
    told: set[int] = set()
    over: list[int] = []
    telling = len(order) - next((n for n, at in enumerate(reversed(order)) if at not in plain), len(order))
    for group in (order[:telling], order[telling:]):
        for at in group:
            line = lines[at]
            if chosen.tells(line):
                told.add(at)
            elif costs[at] <= room and told.issuperset(newer[at]):
                room -= costs[at]
                chosen.add(line)
                told.add(at)
            else:
                over.append(at)
        if not chosen.reflection:
            room -= chosen.reflect(room)
    # Headings and shared details cost less than was set aside: the rest is counted exactly.
    room = limit - chosen.parts().tokens()
    for at in over:
        line = lines[at]
        if chosen.tells(line):
            told.add(at)
        elif costs[at] <= room and told.issuperset(newer[at]):
            chosen.add(line)
            if (left := limit - chosen.parts().tokens()) >= 0:
                room = left
                told.add(at)
                continue
            chosen.remove(line)
            # A line under a new heading costs more than its own tokens: only shorter ones are tried after it.
            room = costs[at] - 1
    crossing = chosen.places()
    behind = [LeftBehind("reflection", "", "reflection")] * (chosen.reflection != parts.reflection)
    behind += [
        line.left("told_elsewhere" if at in told else "over_tokens")
        for at, line in enumerate(lines)
        if (line.part, line.place) not in crossing
    ]
    return chosen.parts(), behind


def _newer(lines: Sequence[_Line], ends: markdown.Ends) -> list[list[int]]:
    """Places of the lines that end or dispute each line."""
    places = {line.id: at for at, line in enumerate(lines)}
    return [[places[one] for one in ends.get(line.id, ()) if one in places] for line in lines]


def newer_first(ranked: Sequence[int], newer: Sequence[Collection[int]]) -> list[int]:
    """An order in which each line comes after those that end or dispute it, which take its rank if it is higher."""
    order: dict[int, None] = {}
    for first in ranked:
        path = [first]
        while path:
            missing = [one for one in newer[path[-1]] if one not in order and one not in path]
            if missing:
                path.append(min(missing))
            else:
                order[path.pop()] = None
    return list(order)


class _Chosen:
    """Lines that cross, and the words that they tell.

    Args:
        given: Content to choose from.
    """

    def __init__(self, given: Parts) -> None:
        self._given = given
        self.reflection = ""
        self._lines: dict[tuple[str, int], set[str]] = {}
        self._told: Counter[str] = Counter()

    def reflect(self, tokens: int) -> int:
        """Adds the reflection, whole or shortened to a number of tokens; returns how many it has."""
        whole = self._given.reflection
        self.reflection = whole if count_tokens(whole) <= tokens else shortened(whole, tokens)
        return count_tokens(self.reflection)

    def add(self, line: _Line) -> None:
        words = self._lines[line.part, line.place] = _words(line.text)
        self._told.update(words)

    def remove(self, line: _Line) -> None:
        self._told.subtract(self._lines.pop((line.part, line.place)))

    def tells(self, line: _Line) -> bool:
        """Whether one chosen line alone tells the words of another, and all that are exact."""
        words = _words(line.text)
        if sum(self._told[word] > 0 for word in words) < _TOLD * len(words):
            return False
        exact = {word.casefold() for word in _EXACT_WORD.findall(line.text)}
        return any(exact <= told and len(words & told) >= _TOLD * len(words) for told in self._lines.values())

    def places(self) -> Collection[tuple[str, int]]:
        """Returns the part and the place in it of each chosen line."""
        return self._lines.keys()

    def parts(self) -> Parts:
        """Returns the content that crosses, each part in its order."""
        lists: dict[str, Any] = {name: self._of(name) for name in _LISTS}
        return dataclasses.replace(self._given, reflection=self.reflection, **lists)

    def _of(self, name: str) -> list[Any]:
        return [one for place, one in enumerate(getattr(self._given, name)) if (name, place) in self._lines]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _judged(parts: Parts, worths: Mapping[str, float]) -> list[_Line]:
    lines = [
        _Line(
            "conduct", place, one.id, markdown.of_directive(one),
            _DIRECTIVES.get(one.kind, 1.0) * (_ENDED if one.ended_at else 1.0),
        )
        for place, one in enumerate(parts.conduct)
    ]  # fmt: skip
    for place, fact in enumerate(parts.facts):
        value = worths.get(fact.id, worth.worth_of_fact(fact, 1.0, worths))
        value *= _ENDED if fact.status in markdown.ENDED else 1.0
        lines.append(_Line("facts", place, fact.id, markdown.of_fact(fact), value))
    for place, episode in enumerate(parts.episodes):
        value = worths.get(episode.id, worth.worth(episode, 1.0))
        value *= _ENDED if episode.id in parts.ends else 1.0
        lines.append(_Line("episodes", place, episode.id, markdown.of_episode(episode), value))
    lines += [
        _Line("questions", place, one.id, markdown.of_question(one), _QUESTION)
        for place, one in enumerate(parts.questions)
    ]
    return [
        dataclasses.replace(line, worth=_REDACTED * line.worth) if MARK in line.text else line
        for line in lines
    ]
