"""Hands the gate's rejections, rules, flows and tasks to an heir, marked as inherited, and their ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bardo.bequeath.content.directive_kinds import KINDS
from bardo.bequeath.content.directives import Directive
from bardo.conduct.hearing.changes import superseding
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.authors import author_of, mark_of, said_at, word_at
from bardo.conduct.model.entries import ALLOWED_AGAIN, Rule, StateEntry, StateKind, StateStatus
from bardo.conduct.model.procedures import Flow, Mission
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.procedures.flows import results_text
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError

#: Detail of a task that is the work of an agent at its end, with its step.
UNDER_WAY = "Under way"
#: Row that crosses a death.
Held = StateEntry | Rule | Flow | Mission


def directives_of(store: ConductStore, *, now: int) -> list[Directive]:
    """Reads what is in force.

    Args:
        store: State and rules of the testator.
        now: Wall clock, microseconds UTC.
    """
    found = [_of_entry(entry) for entry in store.state() if entry.kind in KINDS]
    # The work of the testator is an open task of its heir.
    found += [
        replace(_of_entry(entry), kind="task", detail=UNDER_WAY) for entry in store.state(kind="agent_state")
    ]
    found += [_of_rule(rule, rule.score_at(now)) for rule in store.rules() if rule.in_force(now)]
    for flow in store.rows(Flow, every=False):
        found.append(replace(_of_flow(flow), detail=results_text(flow, now)))
    return found + [_of_mission(mission) for mission in store.rows(Mission, every=False)]


def ended_directives(store: ConductStore) -> list[Directive]:
    """Reads what a person or the agent ended, so that no older testament brings it back."""
    found = [
        _ended(_of_entry(entry), entry.changed_at, entry.closed_by, entry.closed_why, entry.episode)
        for entry in store.state(every=True)
        if entry.status != "active" and entry.kind in KINDS
    ]
    # The time of retirement by the gate is not stored: the last confirmation is the last word before it. A pass tells a
    # reason; a replaced rule, or one that was allowed again, was ended by a person.
    found += [
        _ended(
            _of_rule(rule, 0.0), rule.confirmed_at, rule.retired_by,
            "" if rule.superseded_by else rule.retired_why, rule.episode,
        )
        for rule in store.rules()
        if rule.retired_by
        and (rule.superseded_by or not rule.retired_why or rule.retired_why.startswith(ALLOWED_AGAIN))
    ]  # fmt: skip
    found += [
        _ended(_of_flow(flow), flow.changed_at, flow.retired_by, flow.retired_why)
        for flow in store.rows(Flow)
        if flow.retired_by
    ]
    found += [
        _ended(_of_mission(mission), mission.ended_at, mission.ended_by, mission.ended_why)
        for mission in store.rows(Mission)
        if mission.ended_at
    ]
    return found


def _of_entry(entry: StateEntry) -> Directive:
    by, origin, generation = author_of(entry.by)
    return Directive(
        entry.kind, entry.summary, entry.detail, entry.domain, by=by, at=word_at(entry), origin=origin,
        generation=generation, corrections=entry.corrections,
    )  # fmt: skip


def _of_rule(rule: Rule, score: float) -> Directive:
    by, origin, generation = author_of(rule.by)
    return Directive(
        "rule", rule.text, forbids=rule.forbids, approval=rule.approval, score=score, by=by, at=said_at(rule),
        origin=origin, generation=generation, corrections=rule.corrections,
    )  # fmt: skip


def _of_flow(flow: Flow) -> Directive:
    by, origin, generation = author_of(flow.by)
    return Directive(
        "flow", flow.name, domain=flow.domain, by=by, at=word_at(flow), origin=origin, generation=generation,
        steps=flow.steps, triggers=flow.triggers, needs_approval=flow.needs_approval,
    )  # fmt: skip


def _of_mission(mission: Mission) -> Directive:
    by, origin, generation = author_of(mission.by)
    return Directive("mission", mission.text, by=by, at=mission.at, origin=origin, generation=generation)


def _ended(one: Directive, at: int, by: str, why: str = "", episode: str = "") -> Directive:
    person, where, _ = author_of(by)
    return replace(one, ended_at=max(at, 1), ended_by=person, ended_why=why, ended_in=where, heard_in=episode)


def take(store: ConductStore, given: Sequence[Directive], *, agent: str, now: int) -> tuple[int, int]:
    """Adds directives, and ends what they say has ended; of two words on the same the later one counts.

    What the heir holds already with the same meaning stays as it is. What it ended comes back only by a later word of a
    person.

    Args:
        store: State and rules of the heir.
        given: Directives of a testament, with their generation at the heir.
        agent: Name of the heir.
        now: Wall clock, microseconds UTC.

    Returns:
        Numbers of new and of ended entries and rules.
    """
    new = ended = 0
    with store.writing():
        held: defaultdict[str, list[Held]] = defaultdict(list)
        for entry in store.state(every=True):
            held[entry.kind].append(entry)
        held["rule"] += store.rules()
        held["flow"] += store.rows(Flow)
        held["mission"] += store.rows(Mission)
        has_mission = bool(store.rows(Mission, every=False))
        for one in given:
            rows = held[one.kind]
            place = place_of_same([_text_of(row) for row in rows], one.text)
            if place is None:
                if one.kind == "mission" and has_mission and not one.ended_at:
                    continue
                rows.append(store.put(_row(one, now)))
                new += not one.ended_at
            elif one.ended_at:
                if not _is_ended(rows[place]) and _outdates(one, rows[place]):
                    rows[place] = store.put(_closed(rows[place], one))
                    ended += 1
            elif _is_ended(rows[place]) and one.by and one.at > _ended_at(rows[place]):
                rows[place] = store.put(replace(_row(one, now), id=rows[place].id))
                new += 1
            has_mission |= one.kind == "mission" and not one.ended_at
        if new:
            superseding.settle(store, agent=agent)
    return new, ended


def under_way(store: ConductStore) -> StateEntry | None:
    """Returns the latest inherited task that was under way when its agent ended; None if there is none."""
    left = [entry for entry in store.state(kind="task") if entry.detail == UNDER_WAY]
    return max(left, key=lambda entry: entry.changed_at, default=None)


def _text_of(row: Held) -> str:
    match row:
        case StateEntry():
            return row.summary
        case Flow():
            return row.name
    return row.text


def _is_ended(row: Held) -> bool:
    match row:
        case StateEntry():
            return row.status != "active"
        case Mission():
            return row.ended_at > 0
    return bool(row.retired_by)


def _ended_at(row: Held) -> int:
    match row:
        case Mission():
            return row.ended_at
        case Rule():
            return row.confirmed_at
    return row.changed_at


def _outdates(one: Directive, row: Held) -> bool:
    """Whether an end counts more than a row in force: it is no earlier, and the heir's own row is ended by a person."""
    is_own = not author_of(row.by)[1]
    return one.ended_at >= word_at(row) and (bool(one.ended_by) or not is_own)


def _closed(row: Held, one: Directive) -> Held:
    """Returns a row as a directive ended it."""
    by = mark_of(replace(one, origin=one.ended_in, by=one.ended_by, generation=1))
    match row:
        case StateEntry():
            status: StateStatus = "done" if one.kind == "task" else "archived"
            return replace(
                row, status=status, changed_at=one.ended_at, closed_by=by, closed_why=one.ended_why
            )
        case Mission():
            return replace(row, ended_at=one.ended_at, ended_by=by, ended_why=one.ended_why)
        case Rule():
            return replace(row, confirmed_at=one.ended_at, retired_by=by, retired_why=one.ended_why)
    return replace(row, changed_at=one.ended_at, retired_by=by, retired_why=one.ended_why)


def _row(one: Directive, now: int) -> Held:
    """Makes the heir's row of a directive. Results of a flow are counted from zero.

    One that has ended has the message that it was heard in, if that crossed, which recall marks as lifted.
    """
    by, episode = mark_of(one), one.heard_in if one.ended_at else one.episode().id
    row: Held
    match one.kind:
        case "rule":
            row = Rule(
                "", one.text, one.forbids, one.approval, one.score, by, episode, one.at, now,
                corrections=_corrections(one),
            )  # fmt: skip
        case "flow":
            row = Flow(
                "", one.text, one.steps, one.triggers, one.needs_approval, one.domain, by, episode, at=one.at,
                changed_at=now,
            )  # fmt: skip
        case "mission":
            row = Mission("", one.text, by, episode, one.at)
        case _:
            kind: StateKind = one.kind  # type: ignore[assignment] # one of `KINDS`
            row = StateEntry(
                "", kind, one.text, one.detail, one.domain, by=by, episode=episode, at=one.at, changed_at=one.at or now,
                corrections=_corrections(one),
            )  # fmt: skip
    return _closed(row, one) if one.ended_at else row


def _corrections(one: Directive) -> str:
    """Returns the corrections of a directive; none if they are not valid, so that its words say what is forbidden."""
    if not one.corrections:
        return ""
    try:
        Forbids.from_json(one.corrections)
    except InvalidInputError:
        return ""
    return one.corrections
