"""Reads a log for what was told in confidence: the message that asks for it, and the talk that goes on about it."""

from __future__ import annotations

from dataclasses import dataclass

from bardo.model import Episode
from bardo.privacy import confidences

#: Roles of the messages after a confidence that go on about it; the last place has none.
_TURNS = ("agent", "user", "agent", "")
#: Maximum time between a confidence and what goes on about it, in microseconds: ten minutes.
_TALK = 600_000_000


@dataclass(frozen=True, slots=True)
class Confidence:
    """Episode that was told in confidence.

    Args:
        episode: The episode.
        teller: Speaker who asked for confidence; None if not known.
    """

    episode: Episode
    teller: str | None


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


class ConfidenceReader:
    """Finds confidences in the episodes of a log, which it reads one by one in their order.

    A message that says nothing but the request means the one before it by the same person, or the one after it if it
    announces one. The reply of the agent is told in confidence too, and so are the next message of the person and the
    reply to it: they go on about the same ("My lips are sealed." "The band is Ravi's.").
    """

    def __init__(self) -> None:
        self._latest: dict[tuple[str | None, ...], Episode] = {}
        self._announced: set[tuple[str | None, ...]] = set()
        self._talks: dict[tuple[str | None, ...], _Talk] = {}

    def read(self, episode: Episode) -> list[Confidence]:
        """Returns the confidences that an episode shows: itself, or an earlier one that it means."""
        found: list[Confidence] = []
        place = (episode.thread, episode.session)
        talk = self._talks.get(place)
        if talk is not None and not talk.goes_on(episode):
            del self._talks[place]
        elif talk is not None:
            found.append(Confidence(episode, talk.confided.speaker))
        person = (episode.role, episode.speaker, episode.thread, episode.session)
        if person in self._announced:
            self._announced.discard(person)
            found.append(Confidence(episode, episode.speaker))
        if confidences.asks(episode.text):
            if episode.role == "user":
                self._talks[place] = _Talk(episode)
            found.append(Confidence(episode, episode.speaker))
            if confidences.is_bare(episode.text) and episode.role != "agent":
                if confidences.announces(episode.text):
                    self._announced.add(person)
                elif person in self._latest:
                    found.append(Confidence(self._latest[person], episode.speaker))
        self._latest[person] = episode
        return found
