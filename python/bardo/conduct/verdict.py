"""Verdict of a gate on an action, and its text for a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from bardo._printed import printed
from bardo.assemble.blocks import Block
from bardo.conduct.match.matching import Decider, Touch
from bardo.conduct.model.authors import said_at
from bardo.conduct.model.entries import Outcome, Rule, StateEntry
from bardo.conduct.model.entry_memory import told as _told
from bardo.conduct.model.procedures import Capability, Flow
from bardo.conduct.procedures.capabilities import health_text, tool_text, works
from bardo.conduct.procedures.flows import told as flow_text
from bardo.errors import BudgetTooSmallError, InvalidInputError

if TYPE_CHECKING:
    from bardo.assemble.copies import MadePrompts

Decision = Literal["allow", "warn", "block"]
#: Minimum budget in tokens, in which every opening fits.
LEAST = 64
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
        at: Time of the last words on it, microseconds UTC.
        blocks: Whether the finding blocks the action; otherwise the action is only related, or the rule is not
            critical.
        touch: Match with the action, by words and embeddings.
        decided_by: Part that told whether the action is the one that was meant: a `pattern` of what is forbidden, the
            table of operations (`operation`), `words` and meaning, the `regression`, or a language `model`.
        because: Pattern, operation or words that decided.
    """

    id: str
    reason: Literal["rejected", "forbidden", "approval", "flow"]
    text: str
    detail: str
    by: str
    at: int
    blocks: bool
    touch: Touch
    decided_by: Decider = "words"
    because: str = ""

    _printed = (
        "text",
        "reason",
        "blocks",
        "by",
        "at",
        "decided_by",
        "because",
        "id",
    )
    __str__ = printed


@dataclass(frozen=True, slots=True)
class Candidate:
    """Rejection or rule that was compared with an action, also if it does not concern it.

    Args:
        id: Id of the entry or rule.
        text: Text with which the action was compared.
        touch: Match with the action.
    """

    id: str
    text: str
    touch: Touch

    __str__ = printed

    @property
    def decided_by(self) -> Decider:
        """Part that told whether the action is the one that was meant, as in `Finding`."""
        return self.touch.decided_by

    @property
    def because(self) -> str:
        """Pattern, operation or words that decided."""
        return self.touch.because


@dataclass(frozen=True, slots=True)
class Text:
    """Text of a verdict for a prompt.

    Args:
        text: The text; empty if there is nothing to report.
        notes: Content that did not fit, and why a copy of the text would not be recognised.
    """

    text: str = ""
    notes: tuple[str, ...] = ()


class LazyText:
    """Text that is made and recorded when it is read first: a hook needs the decision alone.

    Args:
        make: Makes and records the text.
    """

    def __init__(self, make: Callable[[], Text]) -> None:
        self._make = make
        self._made: Text | None = None

    def read(self) -> Text:
        """Returns the text."""
        # Without a lock: two threads make the same text.
        if self._made is None:
            self._made = self._make()
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies the text, without the file in which it is recorded."""
        return LazyText, (partial(replace, self.read()),)


#: Text of a verdict that no gate made.
_NO_TEXT = LazyText(Text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on an action. `str()` is the text for a prompt: fenced, at most 3,000 tokens.

    Args:
        action: Action as passed to `before`.
        decision: `block` if a finding blocks, `warn` if there is one, else `allow`.
        findings: Rejections and rules that concern the action; blocking ones first, then the nearest.
        rules: Rules shown before every action (score of 8 and more), the highest first.
        state: Related entries in force, then the latest others.
        matching: Notes on the comparison: failures, and entries that were not compared in full.
        applying: Rules that apply to the action, and critical ones related to it, that neither forbid anything nor
            require approval.
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
    matching: tuple[str, ...] = ()
    applying: tuple[Rule, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    flow: Flow | None = None
    capabilities: tuple[Capability, ...] = ()
    tools: tuple[Capability, ...] = ()
    _candidates: tuple[Candidate, ...] = field(default=(), repr=False, compare=False)
    _text: LazyText = field(default=_NO_TEXT, repr=False, compare=False)
    _brief: LazyText = field(default=_NO_TEXT, repr=False, compare=False)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Rejections and rules that were compared with the action in full, also those that it has nothing to do with.

        The nearest come first. What a language model decided is in `findings` alone.
        """
        return tuple(sorted(self._candidates, key=lambda each: -each.touch.closeness))

    @property
    def text(self) -> str:
        """Text of the verdict for a prompt; empty if there is nothing to report."""
        return self._text.read().text

    @property
    def tokens(self) -> int:
        """Number of tokens of the text."""
        if not self.text:
            return 0
        from bardo.assemble.prompt import count_tokens

        return count_tokens(self.text)

    @property
    def notes(self) -> tuple[str, ...]:
        """Failures, and content that did not fit into the text."""
        return (*self.matching, *self._text.read().notes)

    @property
    def brief(self) -> str:
        """Findings and applying rules, fenced as in the text; one line if there are none."""
        return self._brief.read().text or _OPENINGS[self.decision]

    @property
    def brief_notes(self) -> tuple[str, ...]:
        """Failures, and content that did not fit into `brief`."""
        return (*self.matching, *self._brief.read().notes)

    @property
    def allowed(self) -> bool:
        """Whether nothing blocks the action."""
        return self.decision != "block"

    def __str__(self) -> str:
        """Returns the text for a prompt."""
        return self.text


def with_texts(verdict: Verdict, budget: int, made: MadePrompts, *, now: int) -> Verdict:
    """Returns a verdict that makes its text and its brief text when they are read.

    Args:
        verdict: Verdict without texts.
        budget: Maximum number of tokens of each text.
        made: Record of the agent's prompts, to which the texts are added so that no copy of them is captured.
        now: Wall clock, microseconds UTC, at which a flow is flagged.

    Raises:
        BudgetTooSmallError: The decision may not fit.
    """
    if isinstance(budget, bool) or not isinstance(budget, int):
        raise InvalidInputError(f"the budget is {budget!r}. It must be a whole number of tokens")
    if budget < LEAST:
        raise BudgetTooSmallError(f"a verdict needs a budget of at least {LEAST} tokens, not {budget}")
    few = replace(verdict, rules=(), state=(), capabilities=())
    text, brief = (LazyText(partial(_text_of, each, budget, made, now)) for each in (verdict, few))
    return replace(verdict, _text=text, _brief=brief)


def _text_of(verdict: Verdict, budget: int, made: MadePrompts, now: int) -> Text:
    """Makes and records a text, with the findings fenced as data, so that no entry acts as an instruction (law 8)."""
    blocks = [block for block in _blocks(verdict, budget, now) if block.memories]
    if not blocks:
        return Text()
    # Most actions touch nothing, and a hook reads no text of them.
    from bardo.assemble.prompt import assemble_uncounted

    opening = Block(
        "verdict", _OPENINGS[verdict.decision], priority=10, protected=True, place="first", trusted=True
    )
    prompt = assemble_uncounted([opening, *blocks], budget=budget)
    crowded = [
        f"{part.left_out} of {part.left_out + part.shown} {_CONTENTS.get(part.name, part.name)} did not fit into "
        f"{budget} tokens"
        for part in prompt.blocks
        if part.left_out
    ]
    return Text(prompt.text, (*crowded, *made.note(prompt)))


#: Contents of blocks whose names do not tell them.
_CONTENTS = {
    "against": "findings",
    "gate_rules": "rules",
    "state": "entries of state",
    "flow": "flows",
    "failing_capabilities": "capabilities that fail",
}


def _blocks(verdict: Verdict, budget: int, now: int) -> list[Block]:
    """Makes a block of each sort; some may be empty."""
    against = [_told(_finding_text(each), each.at, each.by) for each in verdict.findings]
    flow = verdict.flow
    flows = [] if flow is None else [_told(flow_text(flow, now), said_at(flow), flow.by)]
    # Also a rule below the score of those shown before every action, if it applies to this one.
    known = {rule.id: rule for rule in (*verdict.applying, *verdict.rules)}
    rules = [_told(rule.text, said_at(rule), rule.by) for rule in known.values()]
    tools = [_told(tool_text(each), each.changed_at, each.by) for each in verdict.tools]
    failing, working = (
        [
            _told(health_text(each), each.checked_at, each.by)
            for each in verdict.capabilities
            if works(each) is is_ok
        ]
        for is_ok in (False, True)
    )
    outcomes = [_told(_outcome_text(each), each.changed_at, each.by) for each in verdict.outcomes]
    state = [_told(_state_text(each), said_at(each), each.by) for each in verdict.state]
    return [
        Block("against", memories=against, priority=9, cap=budget // 2),
        Block("flow", memories=flows, priority=8, cap=budget // 4),
        Block("gate_rules", memories=rules, priority=8, cap=budget // 4),
        Block("tools", memories=tools, priority=7, cap=budget // 8),
        # A block of their own: within one, the best stand at both ends.
        Block("failing_capabilities", memories=failing, priority=8, cap=budget // 8),
        Block("capabilities", memories=working, priority=7, cap=budget // 8),
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
