"""Beliefs that an heir has as ended by its testaments so far, and that a later descendant held again.

`order.without_outdated` leaves out such an end where both testaments are taken in one call. In a later call the end is
stored already, and the belief takes its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bardo._core import FactStore
from bardo.bequeath.content.tables import TOMBSTONES
from bardo.bequeath.heir import copies, order
from bardo.bequeath.testament.testament import Testament
from bardo.model import Fact


def held_again(
    testament: Testament,
    ids: Mapping[str, str],
    facts: FactStore,
    provenance: Mapping[str, Sequence[str]],
    folder: Path,
) -> Iterator[tuple[int, str]]:
    """Finds the entries of a testament that are in force, and that ancestors of its testator alone had ended.

    Args:
        testament: Testament of a known signer.
        ids: Ids of the heir's facts that stand for its entries, by the ids of these.
        facts: Fact store of the heir.
        provenance: Hashes of the testaments that brought each fact of the heir before, by id.
        folder: Folder of the heir, with copies of these testaments.

    Returns:
        Place of each such entry, and the id of the last fact in the line that replaced the heir's.
    """
    ancestors = {life.testament for life in testament.lineage.ancestors if life.testament is not None}
    for place, entry in enumerate(testament.facts):
        if entry.status in TOMBSTONES or entry.id not in ids:
            continue
        line = _line(ids[entry.id], facts)
        if line and line[0].status != "active" and _are_ended_by(ancestors, line, provenance, folder):
            yield place, line[-1].id


def _line(id_: str, facts: FactStore) -> list[Fact]:
    """Returns a fact and those that replaced it, the latest last."""
    found: dict[str, Fact] = {}
    following: str | None = id_
    while following is not None and following not in found:
        (fact,) = facts.get([following])
        if fact is None:
            break
        found[following] = fact
        following = fact.superseded_by
    return list(found.values())


def _are_ended_by(
    ancestors: Collection[str], line: Sequence[Fact], provenance: Mapping[str, Sequence[str]], folder: Path
) -> bool:
    """Whether facts came with testaments alone, and those that ended the first or hold the others are of ancestors."""
    if any(one.source != "testament" or one.support for one in line):
        return False
    for fact in line:
        brought = provenance.get(fact.id, ())
        found = {hash_: copies.read(folder, hash_) for hash_ in brought if hash_ not in ancestors}
        if not brought or any(
            one is None or order.ends(one, fact) == (fact is line[0]) for one in found.values()
        ):
            return False
    return True
