"""Disputes that words alone show: a turn that speaks against an earlier fact of its speaker, without a parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bardo._core import speaks_against
from bardo.consolidate.drawn import Correction, Resolution
from bardo.consolidate.texts import clauses
from bardo.model import DISPUTED, Episode, Fact

#: Name of the rule, which disputes and ends nothing.
RULE = "words"
_FIRST_PERSON = re.compile(
    r"^(?:(?:actually|correction|no|sorry|well|update|so|and|but|by the way|oh)[,:]?\s+)*"
    r"(?:(?P<be>I'm|I am)|(?P<have>I've|I have)|(?P<i>I)|(?P<my>my))(?!['\w])",
    re.IGNORECASE,
)


def disputes(
    episode: Episode, text: str, who: str, known: Sequence[Fact]
) -> tuple[list[Resolution], list[Correction]]:
    """The effects of a turn on earlier facts of its speaker and on the turns behind them.

    Args:
        episode: Turn.
        text: Its text without what is not meant.
        who: Name of its speaker.
        known: Facts about the speaker in force, with those of the turn.
    """
    told = list(_in_third_person(text, who))
    own = [fact for fact in known if episode.id in fact.evidence]
    resolutions: list[Resolution] = []
    corrections: list[Correction] = []
    for fact in known:
        if not _is_earlier(fact, episode) or not any(speaks_against(line, fact.text) for line in told):
            continue
        resolutions += [
            Resolution(0, newer.id, fact.id, ends=False, since=None, rule=RULE)
            for newer in own
            if speaks_against(newer.text, fact.text)
        ]
        corrections += [Correction(episode.id, older, DISPUTED) for older in fact.evidence]
    return resolutions, corrections


def _is_earlier(fact: Fact, episode: Episode) -> bool:
    """Whether all that a fact rests on was told before a turn."""
    return max(fact.evidence) < episode.id if fact.evidence else fact.created_at < episode.at


def _in_third_person(text: str, who: str) -> Iterator[str]:
    """The sentences in which a speaker tells of themselves, with their name as the subject."""
    text = text.replace("’", "'")  # an apostrophe
    if not clauses.is_meant(text):
        return
    for sentence in filter(clauses.is_assertion, clauses.sentences(text)):
        if first := _FIRST_PERSON.match(sentence):
            subject = {"be": f"{who} is", "have": f"{who} has", "i": who, "my": f"{who}'s"}
            yield subject[str(first.lastgroup)] + sentence[first.end() :]
