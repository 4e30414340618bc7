"""Disputes between what an heir has of several ancestors: none of them has judged the words of the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bardo._core import FactStore
from bardo.consolidate.corrections.candidates import Candidates, order
from bardo.consolidate.drawn import Resolution
from bardo.consolidate.extraction_report import ExtractionReport
from bardo.consolidate.stored_facts import pages
from bardo.model import Fact

if TYPE_CHECKING:
    from bardo.consolidate.reading import StatementReader

#: Name of the watermark of inherited facts: time of the last inheritance whose facts were compared, microseconds UTC.
COMPARED = "compared_inheritances"
#: Number of facts that are parsed together.
TOGETHER = 64
#: Rule by which two values of one person's thing dispute each other.
SAME_THING = "parents"


def dispute_parents(
    statements: StatementReader, facts: FactStore, *, tick: int, now: int, actor: str
) -> ExtractionReport:
    """Compares inherited facts of different ancestors once, and disputes those that speak against each other.

    Both stay in force, since no ancestor knew both; the one that was known later comes first.

    Args:
        statements: Reader of clauses.
        facts: Fact store of the heir.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
        actor: Name of the step in the journal.
    """
    since = facts.mark(COMPARED)
    inherited = [fact for fact in pages(facts, source="testament") if _is_sentence(fact)]
    latest = max((fact.created_at for fact in inherited), default=since)
    done = ExtractionReport()
    if latest <= since:
        return done
    if len({fact.origin for fact in inherited}) > 1:
        done = _disputed(
            statements, facts, sorted(inherited, key=order), since, tick=tick, now=now, actor=actor
        )
    facts.upsert([], tick=tick, now=now, actor=actor, marks={COMPARED: latest})
    return done


def _disputed(
    statements: StatementReader,
    facts: FactStore,
    inherited: list[Fact],
    since: int,
    *,
    tick: int,
    now: int,
    actor: str,
) -> ExtractionReport:
    candidates, by_id = Candidates(inherited), {fact.id: fact for fact in inherited}
    of_attribute: defaultdict[str | None, list[Fact]] = defaultdict(list)
    done = ExtractionReport()
    for place, fact in enumerate(inherited):
        if place % TOGETHER == 0:
            statements.prepare(inherited[place : place + TOGETHER])
        # Two facts of earlier inheritances were compared then.
        near = [
            id_
            for id_ in candidates.before(fact)
            if by_id[id_].origin != fact.origin and max(fact.created_at, by_id[id_].created_at) > since
        ]
        same = [
            other.id
            for other in of_attribute[_attribute(fact)]
            if fact.statement
            and other.origin != fact.origin
            and max(fact.created_at, other.created_at) > since
            and _is_of_same_thing(other, fact)
        ]
        of_attribute[_attribute(fact)].append(fact)
        if not near and not same:
            continue
        drawn = statements.effects_of_learned(fact, near, tick=tick)
        disputed = [
            each._replace(ends=False, since=None)
            for each in drawn.resolutions
            if each.older in near and each.older not in same
        ]
        disputed += [Resolution(0, fact.id, id_, False, None, SAME_THING) for id_ in same]
        if disputed:
            _, counts = facts.upsert_resolved(
                [],
                tick=tick,
                now=now,
                actor=actor,
                marks={},
                answered={},
                resolutions=disputed,
                corrections=[],
            )
            done = done.plus(ExtractionReport.of(counts))
    return done


def _is_of_same_thing(one: Fact, other: Fact) -> bool:
    """Whether two facts give a thing of one person different values: "the limit is 400", "Marek's limit is 500".

    A thing that is named alone is its own subject; who said it is a subject of its fact.
    """
    said, told = one.statement, other.statement
    if said is None or told is None or not set(one.subjects) & set(other.subjects):
        return False
    is_slot = (said.attribute, said.condition) == (told.attribute, told.condition)
    owners = {said.subject, told.subject}
    is_owner = len(owners) == 1 or (len(owners) == 2 and said.attribute in owners)
    is_single = said.functional and told.functional and not (said.denied or told.denied)
    return bool(is_slot and is_owner and is_single and said.value.casefold() != told.value.casefold())


def _attribute(fact: Fact) -> str | None:
    return fact.statement.attribute if fact.statement else None


def _is_sentence(fact: Fact) -> bool:
    return bool(fact.payload.get("type", "none") == "none")
