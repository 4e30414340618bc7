"""Order in which an heir takes several testaments, so that the order of their paths does not matter."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable, Iterator, Sequence

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

    kept = [place for place, fact in enumerate(testament.facts) if not is_outdated(fact)]
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
