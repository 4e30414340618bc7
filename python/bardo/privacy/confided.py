"""Finds what was told in confidence: the message that asks for it, and the talk that goes on about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bardo.model import Episode
from bardo.privacy import confidences

if TYPE_CHECKING:
    from bardo._core import EpisodeLog

#: Roles of the messages after a confidence that go on about it; the last place has none.
_TURNS = ("agent", "user", "agent", "")
#: Maximum time between a confidence and what goes on about it, in microseconds: ten minutes.
_TALK = 600_000_000
#: Number of turns on either side of an episode, or of ticks outside of conversations, that may make it a confidence.
_BESIDE, _BESIDE_TICKS = 4, 60


@dataclass(slots=True)
class _Talk:
    """Talk of a person with the agent after a confidence.

    Args:
        confided: Message with the request.
        turn: Number of messages after it.
    """

    confided: Episode
    turn: int = 0

    def goes_on(self, episode: Episode) -> bool:
        """Whether an episode is the next message of the talk, which it moves on."""
        is_next = episode.role == _TURNS[self.turn] and (
            episode.role == "agent" or episode.speaker == self.confided.speaker
        )
        self.turn += 1
        return is_next and episode.at - self.confided.at <= _TALK and self.turn < len(_TURNS)


def confidences_in(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, str | None]]:
    """Yields what was told in confidence, with the speaker who told it, None if not known.

    A message that says nothing but the request, or begins with what was said, means the one before it by the same
    person, too, or the one after it if it announces one. The reply of the agent is told in confidence too, and so are
    the next message of the person and the reply to it: they go on about the same ("My lips are sealed." "The band is
    Ravi's.").

    Args:
        episodes: Episodes of a log, in their order.
    """
    latest: dict[tuple[str | None, ...], Episode] = {}
    announced: set[tuple[str | None, ...]] = set()
    talks: dict[tuple[str | None, ...], _Talk] = {}
    for episode in episodes:
        place = (episode.thread, episode.session)
        talk = talks.get(place)
        if talk is not None and not talk.goes_on(episode):
            del talks[place]
        elif talk is not None:
            yield episode, talk.confided.speaker
        person = (episode.role, episode.speaker, episode.thread, episode.session)
        if person in announced:
            announced.discard(person)
            yield episode, episode.speaker
        if confidences.asks(episode.text):
            if episode.role == "user":
                talks[place] = _Talk(episode)
            yield episode, episode.speaker
            is_bare = confidences.is_bare(episode.text)
            if episode.role != "agent" and is_bare and confidences.announces(episode.text):
                announced.add(person)
            elif (
                episode.role != "agent"
                and (is_bare or confidences.refers_back(episode.text))
                and person in latest
            ):
                yield latest[person], episode.speaker
        latest[person] = episode


def tellers(log: EpisodeLog, ids: Sequence[str]) -> dict[str, str | None]:
    """Returns the speakers who told episodes in confidence, by the ids of these; the others are left out.

    A confidence is told by the messages beside it, so few of a log are read: the nearest turns of the conversation, or,
    outside of one, the episodes of the ticks around.

    Args:
        log: Episode log.
        ids: Ids of episodes; an id of none is left out.
    """
    beside = dict(zip(ids, log.neighbours(ids, _BESIDE), strict=True))
    wanted = dict.fromkeys(id_ for own, (before, after) in beside.items() for id_ in (*before, own, *after))
    read = {episode.id: episode for episode in log.get(list(wanted)) if episode is not None}
    asking = {id_ for id_, episode in read.items() if confidences.asks(episode.text)}
    found: dict[str, str | None] = {}
    for id_, (before, after) in beside.items():
        talk = [read[each] for each in (*before, id_, *after) if each in read]
        if id_ in read and len(talk) == 1:
            tick = read[id_].tick
            around = log.range(max(0, tick - _BESIDE_TICKS), tick + _BESIDE_TICKS)
            # A page of very many does not hold it.
            talk = around if talk[0] in around else talk
        elif asking.isdisjoint(episode.id for episode in talk):
            continue
        found |= {told.id: teller for told, teller in confidences_in(talk) if told.id == id_}
    return found
