"""Beliefs of testaments that an heir adopts in separate calls: in force as if all had come in one call.

Of several testaments in one call, `order` decides what is in force. In separate calls the store has decided on the
first already, so the result would depend on their order. Here the beliefs that several of them have an entry for are
taken once more, in one call, into an empty store; where the heir has changed nothing itself, what is in force there is
in force at the heir.
"""

from __future__ import annotations

import dataclasses
import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bardo._atomic import make_folder, read_json, write_json
from bardo._core import FactStore
from bardo.bequeath.selection.selection import folded
from bardo.bequeath.testament.testament import Testament
from bardo.consolidate.stored_facts import pages
from bardo.model import Fact


class Together:
    """Beliefs of the testaments of earlier calls, and of those taken now, as one call would have left them.

    Args:
        facts: Fact store of the heir.
        provenance: Hashes of the testaments of each inherited fact; restored facts are added.
        earlier: Testaments that were adopted in earlier calls.
        fresh: Testaments that are taken now.
        take: Takes testaments into an empty store.
        unfinished: File that notes what the heir itself has changed, until `finish`: a call that was killed half-way
            has changed more.
    """

    def __init__(
        self,
        facts: FactStore,
        provenance: dict[str, list[str]],
        earlier: Sequence[Testament],
        fresh: Sequence[Testament],
        *,
        take: Callable[[Sequence[Testament], FactStore], object],
        unfinished: Path,
    ) -> None:
        self._facts, self._provenance, self._unfinished = facts, provenance, unfinished
        shared = _shared([*earlier, *fresh])
        #: Beliefs that several testaments have an entry for, by their texts.
        self._beliefs = _taken(shared, take)
        #: Digests of the texts of beliefs that the heir itself has changed since the earlier calls.
        self._changed: frozenset[str] = frozenset()
        if self._beliefs:
            self._changed = self._noted(
                sorted(one.hash for one in fresh), _taken(shared[: len(earlier)], take)
            )

    def restore(self, *, tick: int, now: int) -> dict[str, str]:
        """Restores what is in force together, and ends what is not.

        Args:
            tick: Current tick of the heir.
            now: Wall clock, microseconds UTC.

        Returns:
            Ids of restored facts, by those of the facts whose place they take.
        """
        restored: dict[str, str] = {}
        if not self._beliefs:
            return restored
        latest = {fact.text: fact.id for fact in self._inherited()}
        for fact in self._differing(active=True):
            old = latest[fact.text]
            last = self._facts.history(old)[-1]
            if not _is_inherited(last):
                continue
            restored[old] = self._facts.supersede(last.id, _new(fact), tick=tick, now=now)
            self._provenance[restored[old]] = list(self._provenance[old])
        if ended := [_new(fact) for fact in self._differing(active=False)]:
            self._facts.upsert(ended, tick=tick, now=now)
        return restored

    def finish(self) -> None:
        """Deletes the note of what the heir itself has changed."""
        self._unfinished.unlink(missing_ok=True)

    def _noted(self, fresh: Sequence[str], known: Mapping[str, Fact]) -> frozenset[str]:
        """Returns the beliefs that the heir itself has changed, as a call that was killed half-way has noted them."""
        noted = read_json(self._unfinished) or {}
        if noted.get("testaments") == list(fresh):
            return frozenset(noted["changed"])
        was = _in_force(self._inherited())
        changed = {
            _digest(text) for text, fact in known.items() if was.get(text) != (fact.status == "active")
        }
        make_folder(self._unfinished.parent)
        write_json(self._unfinished, {"testaments": list(fresh), "changed": sorted(changed)})
        return frozenset(changed)

    def _differing(self, *, active: bool) -> list[Fact]:
        """Returns the beliefs that are in force together, or are not, and the other way at the heir."""
        standing = _in_force(self._inherited())
        return [
            fact
            for text, fact in self._beliefs.items()
            if (fact.status == "active") == active
            and standing.get(text, active) != active
            and _digest(text) not in self._changed
        ]

    def _inherited(self) -> list[Fact]:
        """Facts of the heir that came with testaments alone, in the order in which they were stored."""
        found = self._facts.get(sorted(self._provenance))
        return [fact for fact in found if fact is not None and _is_inherited(fact)]


def _taken(
    testaments: Sequence[Testament], take: Callable[[Sequence[Testament], FactStore], object]
) -> dict[str, Fact]:
    """Returns the beliefs of testaments that are taken in one call, by their texts; one in force counts."""
    if not any(one.facts for one in testaments):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        store = FactStore(Path(folder) / "facts.db", agent="heir", seed=0)
        take(testaments, store)
        found = sorted(pages(store, None), key=lambda fact: fact.status == "active")
    return {fact.text: fact for fact in found}


def _shared(testaments: Sequence[Testament]) -> list[Testament]:
    """Returns testaments with the entries alone whose text or slot stands in several of them, without vectors."""
    counts = Counter(key for one in testaments for key in {key for fact in one.facts for key in _keys(fact)})
    return [
        dataclasses.replace(
            one,
            facts=tuple(fact for fact in one.facts if any(counts[key] > 1 for key in _keys(fact))),
            vectors=None,
        )
        for one in testaments
    ]


def _keys(fact: Fact) -> Iterator[Hashable]:
    """Yields the text of a fact and, of a statement, its slot."""
    yield folded(fact.text)
    if (said := fact.statement) is not None:
        yield tuple(map(folded, (said.subject, said.attribute, said.condition)))


def _digest(text: str) -> str:
    """Returns what a text is noted by, so that no file holds a text that may be deleted."""
    return hashlib.sha256(text.encode()).hexdigest()


def _new(fact: Fact) -> Fact:
    return dataclasses.replace(fact, id="", supersedes=None, superseded_by=None)


def _is_inherited(fact: Fact) -> bool:
    return fact.source == "testament" and not fact.support


def _in_force(facts: Iterable[Fact]) -> dict[str, bool]:
    """Whether a belief is in force, by its text."""
    found: dict[str, bool] = {}
    for fact in facts:
        found[fact.text] = found.get(fact.text, False) or fact.status == "active"
    return found
