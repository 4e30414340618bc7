"""The shadow check: a new fact goes live only if questions about episodes it does not come from are answered no worse.

Consolidation can hurt: a fact that is near everything takes the place of the episode that was asked for. So what was
inferred is held, and tried in the memory as it would be with it: for each held fact, episodes near it that are not its
evidence are asked for by some of their own words. Where such an episode drops out of an answer because the fact stands
in it, the fact is withdrawn, as an act that can be taken back; the others are released. Until then recall
does not see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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


class Answer(Protocol):
    """A memory that was recalled."""

    @property
    def id(self) -> str:
        """Id of the recalled record."""
        ...

    @property
    def record(self) -> Episode | Fact:
        """Recalled episode or fact."""
        ...


#: Recalls without leaving a trace: a query, how many memories, and the held facts that may answer beside those in
#: force; None for episodes alone.
Ask = Callable[[str, int, Sequence[str] | None], Iterable[Answer]]


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """Report of the shadow check.

    Args:
        tried: Facts that were tried.
        withdrawn: Ids of those that made an answer worse; they are archived.
        unchecked: Facts that went live without it.
        superseded: Facts that those that went live ended.
        held: Facts that wait for it.
        act: Its number in the journal; None if nothing was withdrawn.
        notes: Omitted checks, with the reason.
    """

    tried: int = 0
    withdrawn: tuple[str, ...] = ()
    unchecked: int = 0
    superseded: int = 0
    held: int = 0
    act: int | None = None
    notes: tuple[str, ...] = ()


def check(facts: FactStore, ask: Ask, *, most: int, tick: int, now: int) -> ShadowReport:
    """Tries the facts that are held, the oldest first; withdraws what makes answers worse and releases the others.

    Whenever the process is killed, what was not released is held still, and tried again the next time.

    Args:
        facts: What is known.
        ask: Recalls.
        most: Facts that are tried at most.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
    """
    worse: list[str] = []
    passed: list[str] = []
    for fact in facts.quarantined(most):
        # In the memory as it will be: beside what was tried and stays.
        is_worse = not fact.pinned and harms(fact, ask, (*passed, fact.id))
        (worse if is_worse else passed).append(fact.id)
    act = facts.withdraw(worse, tick=tick, now=now) if worse else None
    _, superseded = facts.release(passed, tick=tick, now=now)
    waiting = facts.count_quarantined()
    notes = (f"{waiting} new facts wait for their check and are held until then",) if waiting else ()
    return ShadowReport(
        len(worse) + len(passed), tuple(worse), superseded=superseded, held=waiting, act=act, notes=notes
    )


def release(facts: FactStore, why: str, *, tick: int, now: int) -> ShadowReport:
    """Lets everything that is held go live without a check, and says so.

    Args:
        facts: What is known.
        why: Reason for the missing check.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
    """
    released, superseded = 0, 0
    while page := facts.quarantined(BY_NIGHT):
        live, ended = facts.release([fact.id for fact in page], tick=tick, now=now)
        released, superseded = released + live, superseded + ended
    notes = (f"{released} new facts went live unchecked: {why}",) if released else ()
    return ShadowReport(unchecked=released, superseded=superseded, notes=notes)


def harms(fact: Fact, ask: Ask, trying: Sequence[str]) -> bool:
    """Whether an episode that a fact does not come from drops out of the answer to a question about it.

    Args:
        fact: Which.
        ask: Recalls.
        trying: Ids of the held facts that may answer; the fact is one of them.
    """
    near = ask(fact.text, QUESTIONS + len(fact.evidence), None)
    held_out = [memory.record for memory in near if memory.id not in fact.evidence]
    for episode in held_out[:QUESTIONS]:
        if not isinstance(episode, Episode) or not (question := cue(episode.text)):
            continue
        answer = [memory.id for memory in ask(question, ANSWERS + 1, trying)]
        # It would be the last of the answer, if the fact were not in it.
        if answer[ANSWERS:] == [episode.id] and fact.id in answer[:ANSWERS]:
            return True
    return False


def cue(text: str) -> str:
    """Every second longer word of a text: a question that its author might ask for it again."""
    words = [word for word in re.findall(r"\w+", text) if len(word) >= LETTERS]
    return " ".join(words[::2][:WORDS])
