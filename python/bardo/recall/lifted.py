"""Entries of the gate that were ended, by which recall marks the memories that tell them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bardo.model import INHERITED_KIND, Episode, Fact


@dataclass(frozen=True, slots=True)
class Lifted:
    """Entry of the gate that was ended.

    Args:
        text: Its words, as `plain` writes them.
        episode: Id of the turn that it was heard from; empty if it was told, or heard in an earlier life.
        at: Time of its end, microseconds UTC; 0 if it is unknown.
        told: Beginning of the episode by which an heir finds it, as `plain` writes it (`open task: order new crates`).
        word: How it ended: `lifted`, `done`, or `ended`.
        by_person: Whether a person ended a rejection or an order, which also ends the turn that it was heard from.
        act: Act that a rejection forbids, as `plain` writes it, with which its fact ends; empty without one.
    """

    text: str
    episode: str
    at: int
    told: str = ""
    word: str = "lifted"
    by_person: bool = True
    act: str = ""

    def marks(self, record: Episode | Fact, said: str) -> bool:
        """Whether a record tells it: the turn, an earlier one in the same words, a fact read from it, or its episode.

        Args:
            record: Record of a memory.
            said: Its text, as `plain` writes it.
        """
        if isinstance(record, Fact):
            who, is_rejection, act = said.partition(" rejects: ")
            is_told = self.text in said or (bool(is_rejection) and is_act_of(self.act, act, who))
            return self.by_person and self.episode in record.evidence and is_told
        if record.kind == INHERITED_KIND and self.told and record.at <= (self.at or record.at):
            rest = said.removeprefix(self.told)
            if len(rest) < len(said) and not rest[:1].strip(".!"):
                return True
        return self.by_person and (record.id == self.episode or (record.at < self.at and said == self.text))


#: Returns what was ended, and a note if that is unknown.
LiftedOf = Callable[[], tuple[Sequence[Lifted], str]]


def none_lifted() -> tuple[Sequence[Lifted], str]:
    """Returns no entries: for a recall without a gate."""
    return (), ""


def lifted_by(record: Episode | Fact, lifted: Sequence[Lifted]) -> Lifted | None:
    """Returns the latest end of an entry that a record tells; None if it tells none.

    Args:
        record: Record of a memory.
        lifted: What was ended.
    """
    if not lifted:
        return None
    said = plain(record.text)
    return max((one for one in lifted if one.marks(record, said)), key=lambda one: one.at, default=None)


def is_act_of(act: str, told: str, who: str) -> bool:
    """Whether an act is the one that a fact tells of a person, who said it in the first person.

    Args:
        act: Act of a rejection, as `plain` writes it: "book anyone into my afternoons".
        told: Act in the fact of it, as `plain` writes it: "book anyone into ann's afternoons".
        who: Name of the person in the fact.
    """
    from bardo.consolidate.texts import statements

    return begins(act, told) or begins(statements.standing(act, who) or "", told)


def begins(act: str, told: str) -> bool:
    """Whether an act is the one that a fact tells, also with a reason after it: "use the dryer, it costs a fortune".

    Args:
        act: Act of a rejection, as `plain` writes it.
        told: Act in the fact of it, as `plain` writes it.
    """
    return bool(told) and act.startswith(told) and not act[len(told) : len(told) + 1].isalnum()


def plain(text: str) -> str:
    """Writes a text without case, repeated spaces and its last mark, for comparison."""
    return " ".join(text.casefold().split()).rstrip(".!")
