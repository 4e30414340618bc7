"""The shadow check: a new fact stays only if questions about episodes that it does not come from are answered no worse.

Consolidation can hurt: a fact that is near everything takes the place of the episode that was asked for. So what a pass
brought into being is tried in the memory as it is: for each new fact, episodes near it that are not its evidence are
asked for by some of their own words. Where such an episode drops out of an answer because the fact stands in it, the
fact is withdrawn, as an act that can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from bardo._core import FactStore
from bardo.model import Episode, Fact

#: Questions that a fact is held against.
QUESTIONS = 8
#: Memories of an answer.
ANSWERS = 5
#: Facts that one pass in a loop tries; a night tries more.
BY_DAY, BY_NIGHT = 16, 256
#: Words of a question at most, and letters that a word of it has at least.
WORDS, LETTERS = 12, 4
#: The name of its acts in the journal.
ACTOR = "shadow"


class Answer(Protocol):
    """A memory that was recalled."""

    @property
    def id(self) -> str:
        """Of the record."""
        ...

    @property
    def record(self) -> Episode | Fact:
        """What was recalled."""
        ...


#: Recalls without leaving a trace: a query, how many memories, and whether facts may answer.
Ask = Callable[[str, int, bool], Iterable[Answer]]


@dataclass(frozen=True, slots=True)
class Shadowed:
    """What the shadow check did.

    Args:
        tried: Facts that were tried.
        withdrawn: Ids of those that made an answer worse; they are archived.
        untried: Whether there were more than could be tried.
        act: Its number in the journal; None if nothing was withdrawn.
    """

    tried: int = 0
    withdrawn: tuple[str, ...] = ()
    untried: bool = False
    act: int | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and why."""
        return (f"only {self.tried} new facts were held against questions",) if self.untried else ()


def hold_out(facts: FactStore, ask: Ask, *, since: int, most: int, tick: int, now: int) -> Shadowed:
    """Tries what came into being after an act, and withdraws what makes answers worse.

    Args:
        facts: What is known.
        ask: Recalls.
        since: Number of the last act before.
        most: Facts that are tried at most.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
    """
    born = facts.born_since(since, most + 1)
    worse = tuple(fact.id for fact in born[:most] if harms(fact, ask))
    act = facts.withdraw(worse, name=ACTOR, tick=tick, now=now) if worse else None
    return Shadowed(min(len(born), most), worse, len(born) > most, act)


def harms(fact: Fact, ask: Ask) -> bool:
    """Whether an episode that the fact does not come from drops out of the answer to a question about it."""
    near = ask(fact.text, QUESTIONS + len(fact.evidence), False)
    held_out = [memory.record for memory in near if memory.id not in fact.evidence]
    for episode in held_out[:QUESTIONS]:
        if not isinstance(episode, Episode) or not (question := cue(episode.text)):
            continue
        answer = [memory.id for memory in ask(question, ANSWERS + 1, True)]
        # It would be the last of the answer, if the fact were not in it.
        if answer[ANSWERS:] == [episode.id] and fact.id in answer[:ANSWERS]:
            return True
    return False


def cue(text: str) -> str:
    """Every second longer word of a text: a question that its author might ask for it again."""
    words = [word for word in re.findall(r"\w+", text) if len(word) >= LETTERS]
    return " ".join(words[::2][:WORDS])
