"""Fits a testament into a number of tokens: what is of most worth to an heir for its length, and nothing twice."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bardo._core import count_tokens, count_tokens_batch
from bardo.bequeath import markdown, worth
from bardo.bequeath.directives import Directive
from bardo.bequeath.questions import Question
from bardo.model import Episode, Fact

#: Share of the tokens that the reflection may take.
REFLECTION_SHARE = 0.125
#: Tokens of the headings.
_HEADINGS = 48
#: Tokens that a line costs besides its own, in the comparison of worths: without them the shortest lines always win.
_OVERHEAD = 16
#: Worth of directives by kind. Those that bind come before those that inform.
_DIRECTIVES = {"rejected": 2.0, "rule": 2.0, "mission": 2.0, "decision": 1.6, "task": 1.4, "flow": 1.4}
#: Factor on the worth of what no longer holds, and worth of a question that a pass derived.
_ENDED, _QUESTION = 0.25, 0.3
#: Share of the words of a line that another tells already, from which on it is left out; its exact words all are told.
_TOLD = 0.85
_WORD = re.compile(r"\w+")
#: Words with a digit, and names inside a sentence: a line that differs in one of them tells something else.
_EXACT_WORD = re.compile(r"\w*\d\w*|(?<=[^\W_] )[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Parts:
    """Content of a testament, each part in its order."""

    conduct: Sequence[Directive]
    facts: Sequence[Fact]
    episodes: Sequence[Episode]
    questions: Sequence[Question]
    reflection: str

    def tokens(self) -> int:
        """Returns the length of the parts as Markdown, in tokens of `o200k`."""
        return count_tokens(
            markdown.render(self.conduct, self.facts, self.episodes, self.questions, self.reflection)
        )


@dataclass(frozen=True, slots=True)
class _Line:
    part: str
    place: int
    text: str
    worth: float


def fit(
    parts: Parts, limit: int, *, worths: Mapping[str, float], ended: Collection[str], left_out: Counter[str]
) -> Parts:
    """Chooses the lines of most worth whose Markdown has no more than a number of tokens.

    Greedy selection by worth over length (Khuller, Moss and Naor 1999, the budgeted maximum coverage problem): a line
    whose words the chosen ones already tell is skipped.

    Args:
        parts: Content to choose from.
        limit: Maximum number of tokens, in tokens of `o200k`.
        worths: Worth of facts and episodes by id; that of others is judged by their text alone.
        ended: Ids of episodes that later ones correct.
        left_out: Counter of omitted lines by reason; updated in place.
    """
    reflection = parts.reflection
    if count_tokens(reflection) > REFLECTION_SHARE * limit:
        reflection = ""
        left_out["reflection"] += 1
    lines = _judged(parts, worths, ended)
    costs = count_tokens_batch([f"- {line.text}\n" for line in lines])
    order = sorted(
        range(len(lines)), key=lambda at: (-lines[at].worth / math.sqrt(costs[at] + _OVERHEAD), at)
    )
    room = limit - _HEADINGS - count_tokens(reflection)
    chosen: dict[str, set[int]] = {name: set() for name in ("conduct", "facts", "episodes", "questions")}
    told: set[str] = set()
    for at in order:
        line = lines[at]
        words = set(_WORD.findall(line.text.casefold()))
        if len(words & told) >= _TOLD * len(words) and _is_told(words, line, lines, chosen):
            left_out["told_elsewhere"] += 1
        elif costs[at] > room:
            left_out["over_tokens"] += 1
        else:
            room -= costs[at]
            told |= words
            chosen[line.part].add(line.place)
    return Parts(
        [one for place, one in enumerate(parts.conduct) if place in chosen["conduct"]],
        [one for place, one in enumerate(parts.facts) if place in chosen["facts"]],
        [one for place, one in enumerate(parts.episodes) if place in chosen["episodes"]],
        [one for place, one in enumerate(parts.questions) if place in chosen["questions"]],
        reflection,
    )


def _judged(parts: Parts, worths: Mapping[str, float], ended: Collection[str]) -> list[_Line]:
    lines = [
        _Line("conduct", place, markdown.of_directive(one), _DIRECTIVES.get(one.kind, 1.0))
        for place, one in enumerate(parts.conduct)
    ]
    for place, fact in enumerate(parts.facts):
        value = worths.get(fact.id, worth.worth_of_fact(fact, 1.0, worths))
        value *= _ENDED if fact.status in markdown.ENDED else 1.0
        lines.append(_Line("facts", place, markdown.of_fact(fact), value))
    for place, episode in enumerate(parts.episodes):
        value = worths.get(episode.id, worth.worth(episode, 1.0))
        value *= _ENDED if episode.id in ended else 1.0
        lines.append(_Line("episodes", place, markdown.of_episode(episode), value))
    lines += [
        _Line("questions", place, markdown.of_question(one), _QUESTION)
        for place, one in enumerate(parts.questions)
    ]
    return lines


def _is_told(words: set[str], line: _Line, lines: Sequence[_Line], chosen: Mapping[str, set[int]]) -> bool:
    """Whether one chosen line alone tells the words of another, and all that are exact."""
    exact = {word.casefold() for word in _EXACT_WORD.findall(line.text)}
    for other in lines:
        if other is line or other.place not in chosen[other.part]:
            continue
        told = set(_WORD.findall(other.text.casefold()))
        if exact <= told and len(words & told) >= _TOLD * len(words):
            return True
    return False
