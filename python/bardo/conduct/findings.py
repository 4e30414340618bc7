"""Compares an action with rejections, decisions and rules, for the verdict of a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from bardo.conduct.hearing.changes.expiry import is_over
from bardo.conduct.hearing.orders.approvals import is_approved
from bardo.conduct.match.index import ConductIndex
from bardo.conduct.match.matching import NOTHING, Touch
from bardo.conduct.model.authors import author_of, said_at
from bardo.conduct.model.entries import CRITICAL, Outcome, Rule, StateEntry
from bardo.conduct.model.procedures import Flow
from bardo.conduct.parse.conditions.conditions import WITHOUT_APPROVAL
from bardo.conduct.verdict import Candidate, Finding


def findings_of(
    index: ConductIndex,
    found: Mapping[str, Touch],
    rules: Sequence[Rule],
    *,
    flows: Sequence[tuple[Flow, bool]],
    approved_by: str,
    now: int,
    is_judged: bool = False,
) -> tuple[list[Finding], list[StateEntry], list[Rule], list[Outcome]]:
    """Sorts what an action touches: findings, related entries, rules that apply, and outcomes of the same action.

    Args:
        index: Index that holds the compared texts.
        found: Matches of the action, by text.
        rules: Rules in force.
        flows: Flows that are meant for the action, and whether it equals a trigger.
        approved_by: Person who approved the action.
        now: Wall clock, microseconds UTC.
        is_judged: Whether a language model judges the findings, so that all related ones are among them.
    """

    def is_told(touch: Touch) -> bool:
        return touch.near if is_judged else touch.warns

    findings: list[Finding] = []
    near: list[tuple[float, StateEntry]] = []
    outcomes: list[tuple[float, Outcome]] = []
    touched = [text for text, touch in found.items() if touch.near]
    for row in index.rows(touched):
        if isinstance(row, StateEntry):
            touch = found[row.summary]
            if row.kind == "rejected":
                if not is_told(touch) or is_over(row, now) or _needs_no_more(row, approved_by):
                    continue
                findings.append(
                    Finding(
                        row.id, "rejected", row.summary, row.detail, row.by, said_at(row),
                        touch.same and not row.doubt, touch, touch.decided_by, _because(touch, row.doubt),
                    )
                )  # fmt: skip
            else:
                near.append((touch.closeness, row))
        elif isinstance(row, Outcome) and (touch := found[row.action]).same:
            outcomes.append((touch.closeness, row))
    applying = []
    for rule in rules:
        is_open = bool(rule.forbids) and not is_over(rule, now) and not _needs_no_more(rule, approved_by)
        if is_open and is_told(touch := found.get(rule.forbids, NOTHING)):
            blocks = touch.same and not rule.doubt and rule.score_at(now) >= CRITICAL
            findings.append(_of(rule, "forbidden", touch, blocks=blocks, doubt=rule.doubt))
        touch = found.get(rule.approval, NOTHING)
        if rule.approval and is_told(touch) and not approves(approved_by)(rule):
            findings.append(_of(rule, "approval", touch, blocks=touch.same))
        if not (rule.forbids or rule.approval):
            touch = found.get(rule.text, NOTHING)
            if touch.applies or (touch.near and rule.score_at(now) >= CRITICAL):
                applying.append(rule)
    findings += [
        Finding(
            flow.id, "flow", flow.name, "", flow.by, said_at(flow), is_same, touch, touch.decided_by,
            touch.because,
        )
        for flow, is_same in flows
        for touch in (_touch_of(flow, found),)
        if flow.needs_approval and not approved_by.strip()
    ]  # fmt: skip
    findings.sort(key=lambda finding: (not finding.blocks, -finding.touch.closeness))
    near.sort(key=lambda pair: (-pair[0], -pair[1].changed_at, -int(pair[1].id[1:])))
    outcomes.sort(key=lambda pair: (-pair[0], -pair[1].changed_at))
    return findings, [entry for _, entry in near], applying, [outcome for _, outcome in outcomes]


def approves(approved_by: str) -> Callable[[object], bool]:
    """Returns whether a person may give the approval that a rejection or rule requires; nothing else requires one.

    Args:
        approved_by: Name of the person; empty if there is none.
    """

    def is_given(row: object) -> bool:
        if not isinstance(row, StateEntry | Rule):
            return bool(approved_by.strip())
        text = row.text if isinstance(row, Rule) else row.summary
        return is_approved(text, approved_by, author_of(row.by)[0])

    return is_given


def _needs_no_more(row: StateEntry | Rule, approved_by: str) -> bool:
    """Whether an order only forbids without an approval, and the person whom it requires gave it."""
    return WITHOUT_APPROVAL in row.forbidden.conditions and approves(approved_by)(row)


def candidates_of(index: ConductIndex, found: Mapping[str, Touch]) -> tuple[Candidate, ...]:
    """Returns the rejections and rules that an action was compared with, and their matches.

    Args:
        index: Index that holds the compared texts.
        found: Matches of the action, by text.
    """
    return tuple(
        Candidate(row.id, text, found[text])
        for row in index.rows(found)
        if isinstance(row, StateEntry | Rule)
        for text in dict.fromkeys((row.forbidden_action, row.approval if isinstance(row, Rule) else ""))
        if text in found
    )


def _of(
    rule: Rule, reason: Literal["forbidden", "approval"], touch: Touch, *, blocks: bool, doubt: str = ""
) -> Finding:
    return Finding(
        rule.id,
        reason,
        rule.text,
        "",
        rule.by,
        said_at(rule),
        blocks,
        touch,
        touch.decided_by,
        _because(touch, doubt),
    )


def _because(touch: Touch, doubt: str) -> str:
    """Returns why an action is what an order forbids, and why the order only warns."""
    return f"{touch.because}; {doubt}" if doubt else touch.because


def _touch_of(flow: Flow, found: Mapping[str, Touch]) -> Touch:
    touches = [touch for text in flow.texts if (touch := found.get(text)) is not None]
    return max(touches, key=lambda touch: touch.closeness, default=NOTHING)
