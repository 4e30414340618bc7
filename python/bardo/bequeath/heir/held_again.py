"""Beliefs that an heir has as ended by its testaments so far, and that a later descendant held again.

`order.without_outdated` leaves out such an end where both testaments are taken in one call. In a later call the end is
stored already, and the belief takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from bardo._core import FactStore
from bardo.bequeath.content.tables import TOMBSTONES
from bardo.bequeath.heir import order
from bardo.bequeath.testament.testament import Testament
from bardo.model import Fact


def held_again(
    testament: Testament,
    ids: Mapping[str, str],
    facts: FactStore,
    provenance: Mapping[str, Sequence[str]],
    copy: Callable[[str], Testament | None],
) -> Iterator[tuple[int, str]]:
    """Finds the entries of a testament that are in force, and that ancestors of its testator alone had ended.

    Args:
        testament: Testament of a known signer.
        ids: Ids of the heir's facts that stand for its entries, by the ids of these.
        facts: Fact store of the heir.
        provenance: Hashes of the testaments that brought each fact of the heir before, by id.
        copy: Reads the heir's copy of a testament by its hash.

    Returns:
        Place of each such entry, and the id of the last fact in the line that replaced the heir's.
    """
    ancestors = {life.testament for life in testament.lineage.ancestors if life.testament is not None}
    places = [
        place
        for place, entry in enumerate(testament.facts)
        if entry.status not in TOMBSTONES and entry.id in ids
    ]
    stored = facts.get([ids[testament.facts[place].id] for place in places])
    for place, fact in zip(places, stored, strict=True):
        if fact is None or fact.status == "active":
            continue
        line = _line(fact, facts)
        if _are_ended_by(ancestors, line, provenance, copy):
            yield place, line[-1].id


def _line(fact: Fact, facts: FactStore) -> list[Fact]:
    """Returns a fact and those that replaced it, the latest last."""
    found = {fact.id: fact}
    while (following := fact.superseded_by) is not None and following not in found:
        (successor,) = facts.get([following])
        if successor is None:
            break
        found[following] = fact = successor
    return list(found.values())


def _are_ended_by(
    ancestors: Collection[str],
    line: Sequence[Fact],
    provenance: Mapping[str, Sequence[str]],
    copy: Callable[[str], Testament | None],
) -> bool:
    """Whether facts came with testaments alone, and those that ended the first or hold the others are of ancestors.

    Args:
        ancestors: Hashes of the testaments of ancestors.
        line: Facts, each of which replaced the one before.
        provenance: Hashes of the testaments that brought each fact, by id.
        copy: Reads the heir's copy of a testament by its hash.
    """
    if any(one.source != "testament" or one.support for one in line):
        return False
    for fact in line:
        brought = provenance.get(fact.id, ())
        others = [copy(hash_) for hash_ in brought if hash_ not in ancestors]
        if not brought or any(one is None or order.ends(one, fact) == (fact is line[0]) for one in others):
            return False
    return True
