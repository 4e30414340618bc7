"""From texts to facts: a step of the Curator that reads each episode once, in bounded pages, and survives any crash.

Turns of a conversation are read as they arrive: what a user says of themselves has no outcome to wait for. Of the rest
only what was verified is read, and only texts without a payload: numbers and events are what the statistics are for.
How far it has read is written with the facts, in one transaction, so that no episode counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bardo._core import EpisodeLog, FactStore
from bardo.consolidate import distill
from bardo.model import INHERITED_KIND, Episode, Fact, Fingerprint
from bardo.ports import Progress, Vectors

#: Names under which the facts keep how far their texts were read: by arrival, and by verification.
ARRIVED, VERIFIED = "distilled_arrivals", "distilled_verifications"
#: Kinds of episodes that are speech, by whom.
SPEECH_KINDS = frozenset({"turn", "message", "chat"})
SPEECH_ROLES = frozenset({"user", "agent"})

#: Gives texts their vectors with the model, or nothing while it cannot be asked.
Embed = Callable[[Sequence[str]], "tuple[Vectors, Fingerprint] | tuple[None, None]"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What texts taught.

    Args:
        read: Episodes that were read.
        new: Facts that came into being.
        renewed: Facts that were known already.
        updated: Facts that took the place of older ones.
        notes: What could not be done, and why.
    """

    read: int = 0
    new: int = 0
    renewed: int = 0
    updated: int = 0
    notes: tuple[str, ...] = ()

    def plus(self, other: Extracted) -> Extracted:
        """The sum of two."""
        return Extracted(
            self.read + other.read,
            self.new + other.new,
            self.renewed + other.renewed,
            self.updated + other.updated,
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )


@dataclass(frozen=True, slots=True)
class Page:
    """Episodes to read, and how far that brings the reader.

    Args:
        episodes: Those whose text counts.
        passed: How many were looked at.
        marks: What to keep once their facts are stored.
    """

    episodes: tuple[Episode, ...]
    passed: int
    marks: dict[str, int] = field(default_factory=dict)


class Extractor:
    """Reads what has not been read.

    Args:
        log: Where the episodes are.
        facts: What is known.
        embed: Gives new facts their vectors, so that what reads alike is found.
        agent: Whose memory it is.
        batch: Episodes looked at in one page, at most.
    """

    def __init__(self, log: EpisodeLog, facts: FactStore, embed: Embed, *, agent: str, batch: int) -> None:
        self._log = log
        self._facts = facts
        self._embed = embed
        self._agent = agent
        self._batch = batch

    def run(self, *, tick: int, now: int, until_done: bool, progress: Progress) -> Extracted:
        """One page, or as many as there are.

        Args:
            tick: Logical time.
            now: Wall clock, microseconds UTC.
            until_done: Whether to go on until everything was read.
            progress: Told after each page.
        """
        done = Extracted()
        passed = 0
        while page := self._page():
            done = done.plus(self._learn(page, tick=tick, now=now))
            passed += page.passed
            progress("distil", passed, passed + (0 if page.passed < self._batch else self._batch))
            if not until_done:
                break
        return done

    def rehearse(self, *, tick: int) -> list[tuple[Fact | None, Fact]]:
        """What reading the next page would change: each fact as it is, if it is known, and as it would be at least."""
        page = self._page()
        if page is None:
            return []
        found = self._found(page)
        known = self._facts.known(found)
        before = (
            dict(zip(known, self._facts.get([id_ for id_ in known if id_]), strict=False))
            if any(known)
            else {}
        )
        changes: list[tuple[Fact | None, Fact]] = []
        for fact, id_ in zip(found, known, strict=True):
            stored = before.get(id_) if id_ else None
            stamped = replace(fact, created_tick=tick, reinforced_tick=tick)
            changes.append((stored, stored or stamped))
        return changes

    def _page(self) -> Page | None:
        """What comes next; None if everything was read."""
        arrived = self._log.since(self._facts.mark(ARRIVED), self._batch)
        verified = self._log.verified_since(self._facts.mark(VERIFIED), self._batch)
        if not arrived and not verified:
            return None
        marks = {}
        if arrived:
            marks[ARRIVED] = arrived[-1][0]
        if verified:
            marks[VERIFIED] = verified[-1][0]
        spoken = [episode for _, episode in arrived if is_speech(episode)]
        told = [episode for _, episode in verified if is_told(episode)]
        return Page((*spoken, *told), len(arrived) + len(verified), marks)

    def _found(self, page: Page) -> list[Fact]:
        return [fact for episode in page.episodes for fact in distill.of_episode(episode, self._agent)]

    def _learn(self, page: Page, *, tick: int, now: int) -> Extracted:
        found = self._found(page)
        vectors, fingerprint = self._embed([fact.text for fact in found]) if found else (None, None)
        outcomes = self._facts.upsert(
            found, tick=tick, now=now, vectors=vectors, fingerprint=fingerprint, marks=page.marks
        )
        new = sum(entry.outcome == "new" for entry in outcomes)
        renewed = sum(entry.outcome in ("exact", "similar") for entry in outcomes)
        return Extracted(len(page.episodes), new, renewed)


def is_speech(episode: Episode) -> bool:
    """Whether an episode is a turn of a conversation between people and agents."""
    return episode.kind in SPEECH_KINDS and episode.role in SPEECH_ROLES


def is_told(episode: Episode) -> bool:
    """Whether a verified episode is a text, and no turn, no event with numbers, no tool's output, no inheritance."""
    return (
        not is_speech(episode)
        and episode.payload is None
        and episode.kind not in ("tool", INHERITED_KIND)
        and episode.role not in ("tool", "system")
    )
