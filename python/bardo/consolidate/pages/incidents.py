"""Words warnings of severe failures for the dossier and for an heir: what happened, then its evidence in brief.

A pass of the Curator states conditions and figures alone (`rust/bardo-core/src/consolidate/bloodstains.rs`), since an
episode that a warning quotes could not be forgotten. A dossier is deleted and compiled again when an episode is
forgotten; at a death the episode crosses anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bardo.consolidate.pages.wording import RATES
from bardo.model import Episode, Fact

#: Maximum number of characters of an episode in a warning.
LONGEST = 240
#: Maximum number of episodes of a warning that cross although they are worded like routine.
FAILURES = 8
#: Beginning of a warning of a severe failure by the Curator.
_BEGIN = "Severe failure"
#: Its parts; without conditions it ends with a quotation.
_WARNING = re.compile(
    rf"{_BEGIN}(?P<about> of .+?)??(?P<when> when .+?)?: (?P<outcome>\S+) was (?P<deviations>\d+) deviations below the "
    rf"median of (?P<earlier>\d+) earlier cases(?P<rates>{RATES})?"
    r"(?P<unusual>(?:; [^\"]+? was unusually \w+)*)(?P<quoted>: \".*\")?"
)


def in_words(facts: Sequence[Fact], episodes: Mapping[str, Episode]) -> tuple[Fact, ...]:
    """Words the warnings of severe failures among facts; the others stay as they are.

    Args:
        facts: Facts of the agent.
        episodes: Episodes by id, of which a warning tells its own.
    """
    return tuple(_in_words(fact, episodes) if is_measured(fact) else fact for fact in facts)


def is_measured(fact: Fact) -> bool:
    """Whether a fact is a warning of a severe failure that tells conditions and figures alone."""
    return fact.bloodstain and fact.text.startswith(_BEGIN)


def failures(facts: Iterable[Fact]) -> frozenset[str]:
    """Ids of the latest episodes of severe failures, on which the warnings among some facts rest."""
    return frozenset(one for fact in facts if is_measured(fact) for one in fact.evidence[-FAILURES:])


def story_of(fact: Fact) -> str:
    """Returns what happened, without conditions and figures; empty if the warning does not tell it."""
    story, begin, _ = fact.text.partition(f". {_BEGIN}")
    return story if fact.bloodstain and begin else ""


def _in_words(fact: Fact, episodes: Mapping[str, Episode]) -> Fact:
    found = _WARNING.fullmatch(fact.text)
    if found is None:
        return fact
    story = next((_cut(episodes[one].text) for one in fact.evidence if one in episodes), "")
    evidence = (
        f"{found['when'] or ''}: {found['outcome']} {found['deviations']} deviations below the median of "
        f"{found['earlier']} earlier cases{found['rates'] or ''}{found['unusual']}"
    )
    if story:
        is_named = not fact.subjects or any(each.casefold() in story.casefold() for each in fact.subjects)
        about = "" if is_named else found["about"] or ""
        return replace(fact, text=f"{story}. {_BEGIN}{about}{evidence}")
    return replace(fact, text=f"{_BEGIN}{found['about'] or ''}{evidence}{found['quoted'] or ''}")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line.rstrip(".") if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"
