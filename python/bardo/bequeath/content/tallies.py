"""Outcomes of acting on a fact that cross a death: how many were good, and how many bad."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bardo._atomic import read_json, write_json
from bardo.folder import TESTAMENTS_FOLDER
from bardo.model import Fact

#: Entry of the metadata of a fact in a testament: its numbers of good and bad outcomes. Facts without outcomes, and
#: those of older testaments, have none.
OUTCOMES = "bardo.outcomes"
#: File in the folder of inherited testaments with the outcomes of each inherited fact, by its id.
TALLIES_FILE = "outcomes.json"
#: Number of outcomes of a fact that count as much as its confidence (`OWN_PRIOR` in `calibration.rs`).
_PRIOR = 8.0
#: Kinds of facts that bad outcomes do not speak against.
_DANGERS = frozenset({"warning", "anti_knowledge"})
#: Maximum number of digits of a count.
_DIGITS = 9


class Tally(NamedTuple):
    """Numbers of good and bad outcomes of acting on a fact."""

    good: int = 0
    bad: int = 0

    def __str__(self) -> str:
        """States the bad outcomes, as `5 of 5 outcomes were bad`; empty without any."""
        every = self.good + self.bad
        if not self.bad:
            return ""
        if every == 1:
            return "its one outcome was bad"
        return f"{self.bad:,} of {every:,} outcomes {'was' if self.bad == 1 else 'were'} bad"


def of(fact: Fact) -> Tally:
    """Returns the outcomes of a fact as its testament tells them; zeros without any, and if they are not valid."""
    told = fact.metadata.get(OUTCOMES)
    if not isinstance(told, Sequence) or isinstance(told, str) or len(told) != len(Tally._fields):
        return Tally()
    if not all(
        isinstance(one, str) and one.isascii() and one.isdigit() and len(one) <= _DIGITS for one in told
    ):
        return Tally()
    return Tally(*map(int, told))


def with_tally(fact: Fact, tally: Tally) -> Fact:
    """Returns a fact with its outcomes in the metadata."""
    metadata = {name: value for name, value in fact.metadata.items() if name != OUTCOMES}
    if any(tally):
        metadata[OUTCOMES] = [str(count) for count in tally]
    return dataclasses.replace(fact, metadata=metadata) if metadata != fact.metadata else fact


def counted(facts: Iterable[Fact], own: Iterable[tuple[int, int]], folder: Path) -> tuple[Fact, ...]:
    """Adds the outcomes, those of ancestors included, to the facts of a life that ends.

    Args:
        facts: Facts of the testator.
        own: Numbers of good and bad outcomes in its own life, one pair per fact.
        folder: Folder of the grimoire.
    """
    before = inherited(folder)
    return tuple(
        with_tally(fact, _sum(Tally(*counts), before.get(fact.id, Tally())))
        for fact, counts in zip(facts, own, strict=True)
    )


def expected(fact: Fact, confidence: float) -> float:
    """Expected frequency at which an inherited fact holds, from its outcomes; never above the confidence.

    Mean of a beta distribution (Gelman and others, Bayesian Data Analysis, section 2.4), as `stated` in the core
    computes it for the outcomes of one life.

    Args:
        fact: Fact as its testament tells it.
        confidence: Confidence without its outcomes, 0..1.
    """
    good, bad = of(fact)
    if fact.kind in _DANGERS:
        return confidence
    return min(confidence, (good + _PRIOR * confidence) / (good + bad + _PRIOR))


def merged(one: Mapping[str, Tally], two: Mapping[str, Tally]) -> dict[str, Tally]:
    """Merges the outcomes that several testaments tell of: the greater numbers, since they may share ancestors."""
    found = dict(one)
    for id_, tally in two.items():
        known = found.get(id_, Tally())
        found[id_] = Tally(max(known.good, tally.good), max(known.bad, tally.bad))
    return found


def take(folder: Path, told: Mapping[str, Tally]) -> None:
    """Stores the outcomes of inherited facts. The caller passes none of unknown signers.

    Args:
        folder: Folder of the heir.
        told: Outcomes by id of the heir's fact.

    Raises:
        StoreUnavailableError: The folder cannot be written.
    """
    known = inherited(folder)
    found = {id_: tally for id_, tally in merged(known, told).items() if any(tally)}
    if found != known:
        write_json(folder / TESTAMENTS_FOLDER / TALLIES_FILE, found)


def inherited(folder: Path) -> dict[str, Tally]:
    """Returns the outcomes of the inherited facts of a grimoire in the lives of its ancestors, by the fact's id."""
    known = read_json(folder / TESTAMENTS_FOLDER / TALLIES_FILE) or {}
    return {id_: Tally(*counts) for id_, counts in known.items()}


def _sum(one: Tally, two: Tally) -> Tally:
    return Tally(one.good + two.good, one.bad + two.bad)
