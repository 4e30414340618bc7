"""Restores beliefs of testaments that were written later and adopted earlier: the time of writing counts.

Testaments of one call are taken in the order of writing, so a later value ends an older one. Of testaments adopted in
separate calls, the older may come last; the store then ends the later value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from bardo.bequeath.content.tables import TOMBSTONES
from bardo.bequeath.heir import order
from bardo.bequeath.selection.selection import folded
from bardo.bequeath.testament.testament import Testament
from bardo.model import Fact

if TYPE_CHECKING:
    from bardo._core import FactStore


class LaterTestaments:
    """Testaments of known signers that an heir adopted in earlier calls, beside one that it takes now.

    Args:
        taken: The testament that is taken.
        facts: Fact store of the heir.
        provenance: Hashes of the testaments of each inherited fact; restored facts are added.
        known: Hashes of the testaments that were adopted in earlier calls.
        copy: Reads the heir's copy of a testament by its hash.
    """

    def __init__(
        self,
        taken: Testament,
        facts: FactStore,
        provenance: dict[str, list[str]],
        known: Collection[str],
        copy: Callable[[str], Testament | None],
    ) -> None:
        self._taken, self._facts, self._provenance = taken, facts, provenance
        self._known, self._copy = known, copy
        self._before = self._in_force() if known else ()

    def has_replaced(self, fact: Fact) -> bool:
        """Whether a value that replaced another one in the slot of a statement is in force, and a later one."""
        return any(
            one.supersedes is not None and self._is_held_later(one)
            for one in self._before
            if _slot(one) == _slot(fact) is not None
        )

    def restore(self, *, tick: int, now: int) -> None:
        """Restores the beliefs that the testament ended, and that a testament written after it holds.

        Args:
            tick: Current tick of the heir.
            now: Wall clock, microseconds UTC.
        """
        standing = self._facts.get([fact.id for fact in self._before])
        for was, fact in zip(self._before, standing, strict=True):
            if fact is None or fact.status != "superseded" or fact.superseded_by is None:
                continue
            (last,) = self._facts.get([fact.superseded_by])
            # The heir's own knowledge stands, and so does what another testament holds.
            if last is None or self._provenance.get(last.id) != [self._taken.hash]:
                continue
            if last.source == "testament" and self._is_held_later(was) and not order.ends(self._taken, was):
                new = dataclasses.replace(was, id="", supersedes=None, superseded_by=None)
                id_ = self._facts.supersede(last.id, new, tick=tick, now=now)
                self._provenance[id_] = list(self._provenance[was.id])

    def _in_force(self) -> tuple[Fact, ...]:
        """Returns the inherited facts in force before the testament is taken."""
        return tuple(
            fact
            for fact in self._facts.get(sorted(self._provenance))
            if fact is not None and fact.status == "active" and fact.source == "testament"
        )

    def _is_held_later(self, fact: Fact) -> bool:
        """Whether a testament that was written after the one taken holds a belief."""
        return any(self._holds(hash_, fact) for hash_ in self._provenance.get(fact.id, ()))

    def _holds(self, hash_: str, fact: Fact) -> bool:
        if hash_ not in self._known:
            return False
        other = self._copy(hash_)
        return (
            other is not None
            and (other.written_at, other.hash) > (self._taken.written_at, self._taken.hash)
            and any(one.text == fact.text and one.status not in TOMBSTONES for one in other.facts)
        )


def _slot(fact: Fact) -> tuple[str, ...] | None:
    said = fact.statement
    return None if said is None else (folded(said.subject), folded(said.attribute), folded(said.condition))
