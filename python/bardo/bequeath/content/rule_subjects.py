"""Subjects of learned rules: what all their decisions were about, which an heir could not tell otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bardo._core import EpisodeLog
from bardo.model import Fact

#: Maximum number of decisions of a rule that are read.
_READ = 64


def with_subjects(facts: Iterable[Fact], log: EpisodeLog) -> tuple[Fact, ...]:
    """Returns facts, rules of the life without a subject with the one that all their decisions have.

    Args:
        facts: Facts of a life.
        log: Episode log.
    """
    return tuple(_with_subject(fact, log) if _is_without(fact) else fact for fact in facts)


def _is_without(fact: Fact) -> bool:
    return fact.payload.get("type") == "heuristic" and not fact.subjects and bool(fact.evidence)


def _with_subject(fact: Fact, log: EpisodeLog) -> Fact:
    decisions = [one for one in log.get(list(fact.evidence)[-_READ:]) if one is not None]
    common = set.intersection(*(set(one.subjects) for one in decisions)) if decisions else set()
    return replace(fact, subjects=tuple(common)) if len(common) == 1 else fact
