"""Hands the gate's rejections, rules, flows and tasks to an heir, where they stay marked as inherited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bardo.bequeath.directives import KINDS, Directive
from bardo.conduct.authors import author_of, mark_of
from bardo.conduct.entries import Rule, StateEntry, StateKind
from bardo.conduct.findings import place_of_same
from bardo.conduct.flows import results_text
from bardo.conduct.forbidden import Forbids
from bardo.conduct.procedures import Flow, Mission
from bardo.conduct.rows import Row
from bardo.conduct.store import ConductStore
from bardo.errors import InvalidInputError


def directives_of(store: ConductStore, *, now: int) -> list[Directive]:
    """Reads what is in force.

    Args:
        store: State and rules of the testator.
        now: Wall clock, microseconds UTC.
    """
    found = []
    for entry in store.state():
        if entry.kind in KINDS:
            by, origin, generation = author_of(entry.by)
            found.append(
                Directive(
                    entry.kind, entry.summary, entry.detail, entry.domain, by=by, at=entry.changed_at, origin=origin,
                    generation=generation, corrections=entry.corrections,
                )
            )  # fmt: skip
    for rule in store.rules():
        if rule.in_force(now):
            by, origin, generation = author_of(rule.by)
            found.append(
                Directive(
                    "rule", rule.text, forbids=rule.forbids, approval=rule.approval, score=rule.score_at(now), by=by,
                    at=rule.confirmed_at, origin=origin, generation=generation, corrections=rule.corrections,
                )
            )  # fmt: skip
    for flow in store.rows(Flow, every=False):
        by, origin, generation = author_of(flow.by)
        found.append(
            Directive(
                "flow", flow.name, results_text(flow, now), flow.domain, by=by, at=flow.changed_at, origin=origin,
                generation=generation, steps=flow.steps, triggers=flow.triggers, needs_approval=flow.needs_approval,
            )
        )  # fmt: skip
    for mission in store.rows(Mission, every=False):
        by, origin, generation = author_of(mission.by)
        found.append(
            Directive("mission", mission.text, by=by, at=mission.at, origin=origin, generation=generation)
        )
    return found


def take(store: ConductStore, given: Sequence[Directive], *, now: int) -> int:
    """Adds directives; what the heir holds already with the same meaning stays as it is.

    Args:
        store: State and rules of the heir.
        given: Directives of a testament, with their generation at the heir.
        now: Wall clock, microseconds UTC.

    Returns:
        Number of new entries and rules.
    """
    new = 0
    with store.writing():
        # A rejection that a person lifted stays lifted.
        known: defaultdict[str, list[str]] = defaultdict(list)
        for entry in store.state(every=True):
            known[entry.kind].append(entry.summary)
        known["rule"] = [rule.text for rule in store.rules()]
        known["flow"] = [flow.name for flow in store.rows(Flow)]
        known["mission"] = [mission.text for mission in store.rows(Mission)]
        has_mission = bool(store.rows(Mission, every=False))
        for one in given:
            if place_of_same(known[one.kind], one.text) is not None or (
                one.kind == "mission" and has_mission
            ):
                continue
            known[one.kind].append(one.text)
            has_mission |= one.kind == "mission"
            store.put(_row(one, now))
            new += 1
    return new


def _row(one: Directive, now: int) -> Row:
    """Makes the heir's row of a directive. Results of a flow are counted from zero."""
    by, episode = mark_of(one), one.episode().id
    match one.kind:
        case "rule":
            return Rule(
                "", one.text, one.forbids, one.approval, one.score, by, episode, one.at, now,
                corrections=_corrections(one),
            )  # fmt: skip
        case "flow":
            return Flow(
                "", one.text, one.steps, one.triggers, one.needs_approval, one.domain, by, episode, at=one.at,
                changed_at=now,
            )  # fmt: skip
        case "mission":
            return Mission("", one.text, by, episode, now)
    kind: StateKind = one.kind  # type: ignore[assignment] # one of `KINDS`
    entry = StateEntry(
        "", kind, one.text, one.detail, one.domain, by=by, episode=episode, corrections=_corrections(one)
    )
    return replace(entry, at=one.at, changed_at=now)


def _corrections(one: Directive) -> str:
    """Returns the corrections of a directive; none if they are not valid, so that its words say what is forbidden."""
    if not one.corrections:
        return ""
    try:
        Forbids.from_json(one.corrections)
    except InvalidInputError:
        return ""
    return one.corrections
