"""Messages told to a dying agent in confidence, and the facts read from them alone, which do not cross."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bardo.bequeath.content.contents import StoreContents
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.left_behind import LeftBehind
from bardo.model import Episode, Fact
from bardo.privacy import confidences

#: Name of the reason for which a record stays behind.
REASON = "confidential"
#: Minimum number of characters of a text that is looked for among the confidences.
_LEAST = 8
#: Roles of the messages after a confidence that go on about it; the last place has none.
_TURNS = ("agent", "user", "agent", "")
#: Maximum time between a confidence and what goes on about it, in microseconds: ten minutes.
_TALK = 600_000_000


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


@dataclass(frozen=True, slots=True)
class Confidences:
    """Episodes that were told in confidence.

    Args:
        ids: Ids of these episodes.
        texts: Their texts, without differences of case and of spaces.
    """

    ids: frozenset[str]
    texts: tuple[str, ...]

    def holds(self, fact: Fact) -> bool:
        """Whether a fact is known from confidences alone."""
        return confidences.asks(fact.text) or (bool(fact.evidence) and self.ids.issuperset(fact.evidence))

    def tells(self, text: str) -> bool:
        """Whether the words of a directive or a task are those of a confidence."""
        plain = _plain(text)
        return len(plain) >= _LEAST and any(plain in told for told in self.texts)

    def without(self, contents: StoreContents) -> tuple[StoreContents, list[LeftBehind]]:
        """Returns the content of a fact store without what is known in confidence, and that."""
        held = {fact.id for fact in contents.facts if self.holds(fact)}
        asked = [one for one in contents.questions if not held.isdisjoint(one.facts)]
        behind = [LeftBehind("fact", fact.id, REASON) for fact in contents.facts if fact.id in held]
        behind += [LeftBehind("question", one.id, REASON) for one in asked]
        if not behind:
            return contents, []
        places = [place for place, fact in enumerate(contents.facts) if fact.id not in held]
        return replace(
            contents,
            facts=tuple(contents.facts[place] for place in places),
            confidences=tuple(contents.confidences[place] for place in places),
            vectors=None if contents.vectors is None else contents.vectors[places],
            questions=tuple(one for one in contents.questions if one not in asked),
        ), behind

    def without_directives(self, held: Sequence[Directive]) -> tuple[list[Directive], list[LeftBehind]]:
        """Returns the directives that no confidence tells, and the others."""
        kept = [one for one in held if not self.tells(one.text)]
        return kept, [LeftBehind("directive", one.id, REASON) for one in held if one not in kept]


def confidences_of(episodes: Iterable[Episode]) -> Confidences:
    """Finds what was told in confidence.

    A message that says nothing but the request means the one before it by the same person, or the one after it if it
    announces one. The reply of the agent is told in confidence too, and so are the next message of the person and the
    reply to it: they go on about the same ("My lips are sealed." "The band is Ravi's.").

    Args:
        episodes: All episodes of a log, in their order.
    """
    found: dict[str, str] = {}
    latest: dict[tuple[str | None, ...], Episode] = {}
    announced: set[tuple[str | None, ...]] = set()
    talks: dict[tuple[str | None, ...], _Talk] = {}
    for episode in episodes:
        place = (episode.thread, episode.session)
        talk = talks.get(place)
        if talk is not None and not talk.goes_on(episode):
            del talks[place]
        elif talk is not None:
            found[episode.id] = episode.text
        person = (episode.role, episode.speaker, episode.thread, episode.session)
        if person in announced:
            announced.discard(person)
            found[episode.id] = episode.text
        if confidences.asks(episode.text):
            if episode.role == "user":
                talks[place] = _Talk(episode)
            found[episode.id] = episode.text
            if confidences.is_bare(episode.text) and episode.role != "agent":
                if confidences.announces(episode.text):
                    announced.add(person)
                elif person in latest:
                    found[latest[person].id] = latest[person].text
        latest[person] = episode
    return Confidences(frozenset(found), tuple(map(_plain, found.values())))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
