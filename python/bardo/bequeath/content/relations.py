"""Relations between entities that a caller told, as facts: a testament has no table of relations."""

from __future__ import annotations

from bardo._core import FactStore, Names
from bardo.model import Fact, Statement

#: Maximum number of relations that are stated, the latest first.
LIMIT = 1_024


def as_facts(names: Names, store: FactStore, *, tick: int) -> list[Fact]:
    """States the relations that hold and that no record of the memory states.

    Args:
        names: Entities and relations of the testator.
        store: Fact store of the testator, which may state a relation already.
        tick: Tick of death.

    Returns:
        A fact per relation, with subject, predicate and object as its statement.
    """
    found = []
    for subject, predicate, object_, confidence, source, start, _, _, is_derived in names.triples(
        as_of=tick, limit=LIMIT
    ):
        if is_derived or source is not None:
            continue
        stated = Statement(subject, predicate, object_)
        known = [fact.statement for fact in store.of_subject(subject, tick=tick)]
        if any(one and _key(one) == _key(stated) for one in known):
            continue
        found.append(
            Fact(
                f"{subject} {predicate.replace('_', ' ')} {object_}",
                subjects=(subject, object_),
                confidence=confidence,
                statement=stated,
                persistence="years",
                observed=(start, tick),
            )
        )
    return found


def _key(statement: Statement) -> tuple[str, ...]:
    """Subject, attribute and value of a statement in any case."""
    return tuple(part.casefold() for part in (statement.subject, statement.attribute, statement.value))
