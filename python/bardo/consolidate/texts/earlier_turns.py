"""Turns of a speaker before a turn, in which the people are named to whom it points."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from bardo._core import EpisodeLog
from bardo.consolidate.clause import Clause, Speech, form_of
from bardo.consolidate.languages.english.play import without_play
from bardo.consolidate.texts import rule_extraction
from bardo.consolidate.texts.rule_extraction import speaker
from bardo.model import Episode, Fact

_WORD = re.compile(r"[^\W\d_]{2,}")
#: Number of turns around a turn among which those of its speaker are looked up.
_NEAR_TURNS = 4
#: Maximum number of earlier turns of a speaker.
_EARLIER = 2
#: Maximum time between a turn and an earlier one in microseconds: "he" of another day is rather another person.
_APART = 12 * 3_600_000_000
#: Maximum time between a turn of a play and the one before it in microseconds: a later turn is no part of it.
_PLAY_APART = 3_600_000_000


def speech_of(episode: Episode, log: EpisodeLog, agent: str) -> Speech:
    """The text of an episode with its circumstances, and with what its speaker said right before."""
    turns = earlier_turns(episode, log)
    return Speech(
        _meant(episode, turns),
        speaker(episode, agent),
        episode.at,
        form_of(episode),
        tuple(turn.text for turn in turns),
    )


def meant_text(episode: Episode, log: EpisodeLog) -> str:
    """The text of an episode without what is said in a play that it, or a turn of its speaker right before, begins."""
    return _meant(episode, earlier_turns(episode, log))


def plain_facts(episode: Episode, log: EpisodeLog, agent: str) -> list[Fact]:
    """The facts that the plain forms of an episode state."""
    return rule_extraction.of_episode(episode, agent, meant_text(episode, log))


def _meant(episode: Episode, earlier: Sequence[Episode]) -> str:
    """The text of an episode outside of plays, after the earlier turns of its speaker."""
    if form_of(episode) == "record":
        return episode.text
    is_playing = False
    for turn in reversed(earlier):
        is_playing = without_play(turn.text, is_playing=is_playing)[1] and episode.at - turn.at <= _PLAY_APART
    return without_play(episode.text, is_playing=is_playing)[0]


def evidence_of(text: str, clauses: Sequence[Clause], episode: Episode, log: EpisodeLog) -> tuple[str, ...]:
    """Ids of the episodes that a note rests on: that of its clauses, and one that names a person of its text.

    Args:
        text: Text of the note.
        clauses: Its clauses.
        episode: Their episode.
        log: Episode log.
    """
    numbers = {clause.named_in for clause in clauses if clause.named_in and clause.told in text}
    if not numbers:
        return (episode.id,)
    earlier = earlier_turns(episode, log)
    return (episode.id, *(earlier[number - 1].id for number in sorted(numbers) if number <= len(earlier)))


def is_named_by(fact: Fact, episodes: Container[str], log: EpisodeLog) -> bool:
    """Whether a quote has a word that only some of its episodes have: a name of an earlier turn.

    Args:
        fact: A fact.
        episodes: Ids of episodes.
        log: Episode log, which has all episodes of the fact.
    """
    gone = [id_ for id_ in fact.evidence if id_ in episodes]
    kept = [id_ for id_ in fact.evidence if id_ not in episodes]
    who, mark, quote = fact.text.partition(": ")
    if not (gone and kept and mark) or who not in fact.subjects:
        return False
    only = _words_of(gone, log) - _words_of(kept, log)
    return not only.isdisjoint(_WORD.findall(quote.casefold()))


def _words_of(ids: Sequence[str], log: EpisodeLog) -> set[str]:
    """The words of the texts of some episodes, in lower case."""
    return {word for each in log.get(ids) if each is not None for word in _WORD.findall(each.text.casefold())}


def earlier_turns(episode: Episode, log: EpisodeLog) -> list[Episode]:
    """The last turns of the speaker of an episode before it in its thread, the latest first."""
    if not episode.thread or episode.role not in ("user", "agent"):
        return []
    ((before, _),) = log.neighbours([episode.id], _NEAR_TURNS)
    turns = [turn for turn in log.get(before) if turn is not None]
    own = [
        turn
        for turn in turns
        if (turn.role, turn.speaker) == (episode.role, episode.speaker)
        and 0 <= episode.at - turn.at <= _APART
        and (turn.tick, turn.event_index, turn.id) < (episode.tick, episode.event_index, episode.id)
    ]
    return sorted(own, key=lambda turn: (turn.tick, turn.event_index, turn.id), reverse=True)[:_EARLIER]
