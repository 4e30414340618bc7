"""Order in which an heir takes several testaments, so that the order of their paths does not matter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence

import numpy as np

from bardo.bequeath.content.tables import TOMBSTONES
from bardo.bequeath.selection.selection import folded
from bardo.bequeath.testament.testament import Testament
from bardo.model import Fact


def in_order(testaments: Sequence[Testament], strangers: Collection[str]) -> list[Testament]:
    """Sorts testaments by the time of writing, those of unknown signers first: a later statement ends an older one.

    Args:
        testaments: Testaments in any order.
        strangers: Hashes of the testaments with an unknown signer.
    """
    return sorted(testaments, key=lambda one: (one.hash not in strangers, one.written_at, one.hash))


def without_outdated(
    testament: Testament,
    others: Sequence[Testament],
    *,
    is_known: bool,
) -> Testament:
    """Leaves out what a descendant ended, and tombstones of what the testator or a descendant held again.

    Args:
        testament: Testament to take.
        others: Testaments of known signers that are taken in the same call, in order.
        is_known: Whether the signer is known; otherwise all others count as those of descendants do.
    """
    held = {key for fact in testament.facts if fact.status not in TOMBSTONES for key in _keys(fact)}
    has_ended: dict[Hashable, bool] = {}
    for one in others:
        if not is_known or testament.hash in {life.testament for life in one.lineage.ancestors}:
            # Of a belief that is in force under one text and ended under another, the one in force counts.
            for fact in sorted(one.facts, key=lambda fact: fact.status not in TOMBSTONES):
                has_ended |= dict.fromkeys(_keys(fact), fact.status in TOMBSTONES)

    def is_outdated(fact: Fact) -> bool:
        ends = fact.status in TOMBSTONES
        keys = list(_keys(fact))
        is_held_again = ends and not held.isdisjoint(keys)
        return is_held_again or any(has_ended.get(key, ends) != ends for key in keys)

    return _without(testament, is_outdated)


def without_hearsay(testament: Testament, others: Sequence[Testament]) -> Testament:
    """Leaves out what a testator only inherited, and what another heir of the same ancestor knows better.

    The other one ended the belief, or holds by evidence of its own the value that was replaced. A refutation stays.

    Args:
        testament: Testament of a known signer.
        others: Testaments of known signers that are taken in the same call.
    """
    siblings = [one for one in others if _are_siblings(testament, one)]
    entries = [(fact, key) for one in siblings for fact in one.facts for key in _keys(fact)]
    ended = {key for fact, key in entries if fact.status in TOMBSTONES}
    held = {key for fact, key in entries if fact.status not in TOMBSTONES and not _is_inherited(fact)}

    def is_known_better(fact: Fact) -> bool:
        if not _is_inherited(fact):
            return False
        is_end = fact.status in TOMBSTONES
        is_replaced = is_end and fact.ended_by is None
        better = held if is_replaced else () if is_end else ended
        return any(key in better for key in _keys(fact))

    return _without(testament, is_known_better)


def _are_siblings(one: Testament, other: Testament) -> bool:
    """Whether two testaments have an ancestor in common, and neither is the other's."""
    ours, theirs = ({life.testament for life in each.lineage.ancestors} for each in (one, other))
    are_related = not ours.isdisjoint(theirs) and one.hash != other.hash
    return are_related and one.hash not in theirs and other.hash not in ours


def _is_inherited(fact: Fact) -> bool:
    """Whether a testator only inherited an entry."""
    return fact.generation > 0 and not fact.support


def _without(testament: Testament, is_left_out: Callable[[Fact], bool]) -> Testament:
    """Returns a testament without some entries."""
    kept = [place for place, fact in enumerate(testament.facts) if not is_left_out(fact)]
    if len(kept) == len(testament.facts):
        return testament
    vectors = testament.vectors
    return dataclasses.replace(
        testament,
        facts=tuple(testament.facts[place] for place in kept),
        vectors=None if vectors is None else np.ascontiguousarray(vectors[kept]),
    )


def _keys(fact: Fact) -> Iterator[Hashable]:
    """Yields the text of a fact and, of a statement, its slot and value, regardless of case and spaces."""
    yield folded(fact.text)
    if (said := fact.statement) is not None:
        yield (*map(folded, (said.subject, said.attribute, said.value, said.condition)), said.denied)
