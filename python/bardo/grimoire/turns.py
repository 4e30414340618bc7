"""Words of the other party before an episode of a conversation; calls and results of tools between do not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bardo.capture.tool_calls import words_beside
from bardo.consolidate.speech import is_speech
from bardo.model import Episode

if TYPE_CHECKING:
    from bardo.grimoire.session import Session

#: Maximum number of episodes of one turn that are looked at.
TURN = 8


class Before(NamedTuple):
    """Words of the other party that an episode answers.

    Args:
        id: Id of their episode.
        text: The words, without descriptions of calls.
    """

    id: str
    text: str


def with_before(episodes: Sequence[Episode], session: Session) -> list[tuple[Episode, Before | None]]:
    """Returns the spoken episodes, each with the words that it answers; None if it answers nothing.

    An earlier pass may have heard the words before.

    Args:
        episodes: Episodes by arrival.
        session: State of the opened memory.
    """
    turns: dict[tuple[str | None, str | None], list[Episode]] = {}
    answered: dict[tuple[str | None, str | None], list[Episode]] = {}
    found = []
    for episode in filter(is_speech, episodes):
        conversation = (episode.thread, episode.session)
        turn = turns.get(conversation) or _heard_before(episode, session)
        is_answer = bool(turn) and turn[-1].role != episode.role
        before = _answered(turn, episode.text) if is_answer else None
        if before is not None and turn[-1].role == "agent":
            before = before._replace(text=_with_object(before.text, answered.get(conversation, [])))
        found.append((episode, before))
        answered[conversation] = turn if is_answer else answered.get(conversation, [])
        turns[conversation] = [episode] if is_answer else [*turn, episode][-TURN:]
    return found


def _with_object(offer: str, earlier: Sequence[Episode]) -> str:
    """Returns an agent's message with the thing that the user named before it in place of the object "it"."""
    from bardo.conduct.hearing.orders.antecedents import with_object

    return with_object(offer, words_beside(earlier[-1].text, earlier[-1].payload) if earlier else "")


def _answered(turn: Sequence[Episode], answer: str) -> Before | None:
    """Returns the last words of a turn; of a contradicted one those that propose an act, if the last do not."""
    from bardo.conduct.hearing.orders.answers import is_contradiction, proposal

    spoken = [
        Before(one.id, words) for one in reversed(turn) if (words := words_beside(one.text, one.payload))
    ]
    if not spoken or not is_contradiction(answer):
        return next(iter(spoken), None)
    return next((one for one in spoken if proposal(one.text)), spoken[0])


def _heard_before(episode: Episode, session: Session) -> list[Episode]:
    """Returns the last turn before an episode in its conversation, oldest first."""
    if episode.thread is None:
        return []
    ((before, _),) = session.log.neighbours([episode.id], TURN)
    turn: list[Episode] = []
    for one in reversed(session.log.get(before)):
        if one is None or one.session != episode.session or (turn and turn[-1].role != one.role):
            break
        turn.append(one)
    return turn[::-1]
