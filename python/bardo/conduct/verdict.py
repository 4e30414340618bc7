"""Verdict of a gate on an action, and its text for a prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bardo.assemble.blocks import Block
from bardo.assemble.context import assemble
from bardo.assemble.copies import MadePrompts
from bardo.conduct.capabilities import health_text, tool_text
from bardo.conduct.entries import Outcome, Rule, StateEntry
from bardo.conduct.entry_memory import told as _told
from bardo.conduct.flows import told as flow_text
from bardo.conduct.matching import Touch
from bardo.conduct.procedures import Capability, Flow

Decision = Literal["allow", "warn", "block"]
_OPENINGS: dict[Decision, str] = {
    "allow": "Nothing stands against this action.",
    "warn": "This action is near something that was rejected or ruled. Look before acting.",
    "block": "This action is blocked. Do not do it, or anything that amounts to it, and say so.",
}
_REASONS = {
    "rejected": "Rejected",
    "forbidden": "A rule forbids it",
    "approval": "A rule wants a person's approval",
    "flow": "A flow wants a person's approval",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Rejection, rule or flow that concerns an action.

    Args:
        id: Id of the entry, rule or flow.
        reason: `rejected`, `forbidden` by a rule, in need of `approval` by a rule, or by a `flow`.
        text: Rejected action, text of the rule, or name of the flow.
        detail: Reason, if known.
        by: Author.
        at: Time of the last repetition, microseconds UTC.
        blocks: Whether the finding blocks the action; otherwise the action is only related, or the rule is not
            critical.
        touch: Match with the action, by words and embeddings.
        decided_by: Part that told whether the action is the one that was meant: rules, or a language model.
    """

    id: str
    reason: Literal["rejected", "forbidden", "approval", "flow"]
    text: str
    detail: str
    by: str
    at: int
    blocks: bool
    touch: Touch
    decided_by: Literal["rules", "model"] = "rules"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on an action. `str()` is the text for a prompt: fenced, at most 3,000 tokens.

    Args:
        action: Action as passed to `before`.
        decision: `block` if a finding blocks, `warn` if there is one, else `allow`.
        findings: Rejections and rules that concern the action; blocking ones first, then the nearest.
        rules: Rules shown before every action (score of 8 and more), the highest first.
        state: Related entries in force, then the latest others.
        text: Text of the verdict for a prompt; empty if there is nothing to report.
        tokens: Number of tokens of the text.
        notes: Failures, and content that did not fit.
        applying: Rules that apply to the action, and critical ones related to it, that neither forbid anything nor
            require approval.
        brief: Findings and applying rules, fenced as in the text; one line if there are none.
        brief_notes: Failures, and content that did not fit into `brief`.
        outcomes: Results of the same action so far, the nearest first.
        flow: Flow that is meant for the action; None if there is none.
        capabilities: Capabilities with the last results of their probes, the unhealthy first.
        tools: Tools that exist for the action, the nearest first.
    """

    action: str
    decision: Decision
    findings: tuple[Finding, ...]
    rules: tuple[Rule, ...]
    state: tuple[StateEntry, ...]
    text: str
    tokens: int
    notes: tuple[str, ...]
    applying: tuple[Rule, ...] = ()
    brief: str = ""
    brief_notes: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    flow: Flow | None = None
    capabilities: tuple[Capability, ...] = ()
    tools: tuple[Capability, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether nothing blocks the action."""
        return self.decision != "block"

    def __str__(self) -> str:
        """Returns the text for a prompt."""
        return self.text


def with_texts(verdict: Verdict, budget: int, made: MadePrompts, *, now: int) -> Verdict:
    """Adds the text and the brief text to a verdict.

    Args:
        verdict: Verdict without texts.
        budget: Maximum number of tokens of each text.
        made: Record of the agent's prompts, to which the texts are added.
        now: Wall clock, microseconds UTC, at which a flow is flagged.

    Raises:
        BudgetTooSmallError: Not even the decision fits.
    """
    few = replace(verdict, rules=verdict.applying, state=(), capabilities=())
    brief = with_text(few, budget, made, now=now)
    return replace(
        with_text(verdict, budget, made, now=now),
        brief=brief.text or _OPENINGS[verdict.decision],
        brief_notes=brief.notes,
    )


def with_text(verdict: Verdict, budget: int, made: MadePrompts, *, now: int) -> Verdict:
    """Adds the text to a verdict, with the findings fenced as data, so that no entry acts as an instruction (law 8).

    Args:
        verdict: Verdict without a text; returned unchanged if there is nothing to report.
        budget: Maximum number of tokens of the text.
        made: Record of the agent's prompts, to which the text is added so that no copy of it is captured.
        now: Wall clock, microseconds UTC, at which a flow is flagged.

    Raises:
        BudgetTooSmallError: Not even the decision fits.
    """
    blocks = [block for block in _blocks(verdict, budget, now) if block.memories]
    if not blocks:
        return verdict
    opening = Block(
        "verdict", _OPENINGS[verdict.decision], priority=10, protected=True, place="first", trusted=True
    )
    prompt = assemble([opening, *blocks], budget=budget, reserve=0)
    crowded = [
        f"{part.left_out} of {part.name} did not fit into {budget} tokens"
        for part in prompt.blocks
        if part.left_out
    ]
    return replace(
        verdict, text=prompt.text, tokens=prompt.tokens, notes=(*verdict.notes, *crowded, *made.note(prompt))
    )


def _blocks(verdict: Verdict, budget: int, now: int) -> list[Block]:
    """Makes a block of each sort; some may be empty."""
    against = [_told(_finding_text(each), each.at, each.by) for each in verdict.findings]
    flow = verdict.flow
    flows = [] if flow is None else [_told(flow_text(flow, now), flow.changed_at, flow.by)]
    rules = [_told(rule.text, rule.at, rule.by) for rule in verdict.rules]
    tools = [_told(tool_text(each), each.changed_at, each.by) for each in verdict.tools]
    capabilities = [_told(health_text(each), each.checked_at, each.by) for each in verdict.capabilities]
    outcomes = [_told(_outcome_text(each), each.changed_at, each.by) for each in verdict.outcomes]
    state = [_told(_state_text(each), each.changed_at, each.by) for each in verdict.state]
    return [
        Block("against", memories=against, priority=9, cap=budget // 2),
        Block("flow", memories=flows, priority=8, cap=budget // 4),
        Block("gate_rules", memories=rules, priority=8, cap=budget // 4),
        Block("tools", memories=tools, priority=7, cap=budget // 8),
        Block("capabilities", memories=capabilities, priority=7, cap=budget // 8),
        Block("outcomes", memories=outcomes, priority=7, cap=budget // 8),
        Block("state", memories=state, priority=7, cap=budget // 4),
    ]


def _state_text(entry: StateEntry) -> str:
    return f"{entry.kind}: {entry.summary}{f' ({entry.detail})' if entry.detail else ''}"


def _finding_text(finding: Finding) -> str:
    how = "this is it" if finding.blocks else "about the same thing"
    how += ", says a language model" if finding.decided_by == "model" else ""
    why = f" Why: {finding.detail}" if finding.detail else ""
    return f"{_REASONS[finding.reason]} ({how}; {finding.id}): {finding.text.rstrip('.')}.{why}"


def _outcome_text(outcome: Outcome) -> str:
    counts = f"passed {outcome.passed} times, failed {outcome.failed}, last {outcome.last}"
    return f"{outcome.action}: {counts}{f' ({outcome.note})' if outcome.note else ''}"
