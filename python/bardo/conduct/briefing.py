"""Blocks of what is in force: state and rejections for every prompt, and everything for the beginning of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from bardo.assemble.blocks import Block
from bardo.assemble.copies import MadePrompts
from bardo.assemble.prompt import assemble
from bardo.clock import day_of
from bardo.conduct.model.authors import author_of, said_at
from bardo.conduct.model.entries import CRITICAL, STATEMENTS, Rule, StateEntry, StateKind
from bardo.conduct.model.entry_memory import EntryMemory, told
from bardo.conduct.model.procedures import Capability, Flow, Mission
from bardo.conduct.model.standing import standing_of
from bardo.conduct.persons import is_person
from bardo.conduct.procedures.capabilities import health_text, tool_text, works
from bardo.conduct.procedures.flows import results_text
from bardo.conduct.storage.store import ConductStore

#: Name and tag of the block of state and rejections.
CONDUCT = "conduct"
#: Maximum number of entries of each sort that a block is made of, the latest first.
LATEST = 40
#: Number of the latest entries from which these are taken.
READ = 160
#: Maximum length of an entry in a block, in characters: a long one must not push out the others.
LONGEST = 240
#: Maximum number of tokens of the block in a prompt, and its part of the budget.
TOKENS, PART = 1_000, 6
#: Tokens in which an entry of the maximum length fits, and the largest part of a small budget that they take.
LONG, LONG_PART = 140, 4
#: Minimum number of letters of a token: entries of fewer letters than a block has tokens of these all fit.
_LEAST_LETTERS = 2
#: Number of letters of a token and number of tokens of the frame of an entry, as estimates.
_LETTERS, _FRAME = 4, 28
#: Maximum number of tokens of the text with which a session begins.
BOOT = 3_000
#: Maximum number of rules that a session begins with, the highest score first.
TOP = 20


class InForce(NamedTuple):
    """Rules, state and rejections in force, as prompts of any task tell them.

    Args:
        work: Unfinished work, which comes first.
        orders: Critical rules and rejections by `precedence`, then the latest first.
        others: Other entries of state, the latest first.
        omitted: Number of further ones.
        agent: Name of the agent.
    """

    work: list[EntryMemory]
    orders: list[StateEntry | Rule]
    others: list[EntryMemory]
    omitted: int
    agent: str


def in_force(store: ConductStore, *, first: str = "") -> InForce:
    """Reads critical rules, active state and rejections, the latest of each sort.

    Args:
        store: State and rules of the agent.
        first: Id of an entry that comes first, such as the unfinished work.
    """
    rejections = store.state(kind="rejected", limit=LATEST)
    rules = [rule for rule in store.rules(every=False) if rule.score >= CRITICAL]
    entries = [entry for entry in store.state(besides="rejected", limit=READ) if not _is_only_heard(entry)]
    work = [_of_entry(entry) for entry in entries[:LATEST] if entry.id == first]
    others = [_of_entry(entry) for entry in entries[:LATEST] if entry.id != first]
    latest = sorted(rules, key=lambda rule: -said_at(rule))[:TOP]
    # Of the other entries those are counted that were read.
    omitted = store.count("rejected") - len(rejections) + len(rules) - len(latest)
    orders = by_precedence((*latest, *rejections), store.agent)
    return InForce(work, orders, others, omitted + max(0, len(entries) - LATEST), store.agent)


def by_precedence(
    orders: Iterable[StateEntry | Rule], agent: str, nearest: Sequence[str] = ()
) -> list[StateEntry | Rule]:
    """Sorts orders: those in full force of a person, and critical rules, then the others.

    Of equal precedence those about a task come first, the nearest of them before others, then the latest.

    Args:
        orders: Rejections and rules.
        agent: Name of the agent.
        nearest: Ids of the orders about a task, the nearest first.
    """
    places = {id_: place for place, id_ in enumerate(nearest)}

    def key(row: StateEntry | Rule) -> tuple[int, int, int]:
        return _precedence(row, agent), places.get(row.id, len(places)), -said_at(row)

    return sorted(orders, key=key)


def _precedence(row: StateEntry | Rule, agent: str) -> int:
    """Returns 0 for a critical rule and for a person's order, both in full force, and 1 for any other order."""
    is_sure = is_person(author_of(row.by)[0], agent) or (isinstance(row, Rule) and row.score >= CRITICAL)
    return 0 if is_sure and not row.doubt else 1


class Prohibition(NamedTuple):
    """A rejection, or a rule that forbids or wants approval, as a page tells it.

    Args:
        row: The rejection or rule.
        text: Its words, with its exceptions and its doubt.
        remark: Who gave it, and the day of the words.
    """

    row: StateEntry | Rule
    text: str
    remark: str

    def in_force(self, now: int) -> bool:
        """Whether it is in force at an instant, in microseconds UTC: the score of a rule decays."""
        return isinstance(self.row, StateEntry) or self.row.in_force(now)


def prohibitions(store: ConductStore) -> list[Prohibition]:
    """Returns what the gate forbids or wants approved, by precedence, with rules that have decayed.

    Args:
        store: State and rules of the agent.
    """
    rules = [rule for rule in store.rules(every=False) if rule.forbids or rule.approval]
    return [
        Prohibition(
            row,
            (f"Rejected: {row.summary}" if isinstance(row, StateEntry) else row.text)
            + standing_of(row.corrections),
            "; ".join(filter(None, (*_origin(row), day_of(said_at(row))))),
        )
        for row in by_precedence((*rules, *store.state(kind="rejected")), store.agent)
    ]


def _origin(row: StateEntry | Rule) -> tuple[str, str]:
    """Returns the author of a row, and the ancestor that it is from."""
    person, ancestor, _ = author_of(row.by)
    return person, f"from {ancestor}" if ancestor else ""


def block_of(found: InForce, *, cap: int, about: Callable[[], Sequence[StateEntry | Rule]]) -> Block | None:
    """Makes the block of what is in force, which recovers an agent that lost its context; None of nothing.

    Orders precede other entries. Of what does not fit, those about the task are the first of their precedence, and two
    orders are taken for each other entry, so that neither sort pushes out the other.

    Args:
        found: What is in force.
        cap: Maximum number of tokens of the block at first.
        about: Returns the rejections and critical rules about the task, the nearest first; asked if not all fit.
    """
    orders, others, omitted = found.orders, found.others, found.omitted
    letters = sum(len(each.summary if isinstance(each, StateEntry) else each.text) for each in orders)
    if omitted or letters + sum(len(each.text) for each in others) > _LEAST_LETTERS * cap:
        related = {row.id: row for row in about()}
        known = {row.id: row for row in orders} | related
        omitted -= len(known) - len(orders)
        orders = by_precedence(known.values(), found.agent, [*related])
    memories = [*found.work, *_shown(list(map(_of_order, orders)), others, cap)]
    # Spare tokens go to what was recalled for the task first.
    if not memories:
        return None
    return Block(CONDUCT, memories=memories, priority=5, cap=cap, in_order=True, omitted=omitted)


def _shown(orders: Sequence[EntryMemory], others: Sequence[EntryMemory], cap: int) -> list[EntryMemory]:
    """Returns orders, then other entries, of those that will fit; behind them the rest in the same order."""
    pairs = [orders[place : place + 2] for place in range(0, len(orders), 2)]
    in_turns = [
        each
        for pair, other in zip_longest(pairs, others)
        for each in (*(pair or ()), other)
        if each is not None
    ]
    sizes = accumulate(len(each.text) // _LETTERS + _FRAME for each in in_turns)
    fitting = {id(each) for each, size in zip(in_turns, sizes, strict=True) if size <= cap}
    return sorted((*orders, *others), key=lambda each: id(each) not in fitting)


def state_block(
    store: ConductStore, *, cap: int, about: Callable[[], Sequence[StateEntry | Rule]] = tuple
) -> Block | None:
    """Reads what is in force, and makes its block; None if nothing is.

    Args:
        store: State and rules of the agent.
        cap: Maximum number of tokens of the block at first.
        about: Returns the rejections and critical rules about the task, the nearest first; asked if not all fit.
    """
    return block_of(in_force(store), cap=cap, about=about)


def state_text(store: ConductStore, made: MadePrompts) -> str:
    """Returns the block of active state and rejections alone, as text; empty if nothing is in force.

    Args:
        store: State and rules of the agent.
        made: Record of the agent's prompts, to which the text is added so that no copy of it is captured.
    """
    block = state_block(store, cap=TOKENS)
    return _text([] if block is None else [block], TOKENS - 1, made)


def boot_text(store: ConductStore, made: MadePrompts, *, now: int) -> str:
    """Returns the blocks with which a session begins as text, at most 3,000 tokens; empty if nothing is in force.

    Args:
        store: State and rules of the agent.
        made: Record of the agent's prompts, to which the text is added so that no copy of it is captured.
        now: Wall clock, microseconds UTC, at which scores of rules are evaluated.
    """
    return _text(boot_blocks(store, budget=BOOT, now=now), BOOT, made)


def _text(blocks: list[Block], budget: int, made: MadePrompts) -> str:
    if not blocks:
        return ""
    prompt = assemble(blocks, budget=budget, reserve=0)
    made.note(prompt)
    return prompt.text


def tokens_in(budget: int) -> int:
    """Returns the tokens of state and rejections in a prompt with a budget."""
    return min(TOKENS, max(budget // PART, min(LONG, budget // LONG_PART)))


def boot_blocks(store: ConductStore, *, budget: int, now: int, first: str = "") -> list[Block]:
    """Makes the blocks with which a session begins: mission, rules, state, flows and capabilities.

    Args:
        store: State and rules of the agent.
        budget: Maximum number of tokens of all blocks.
        now: Wall clock, microseconds UTC, at which scores of rules are evaluated.
        first: Id of the entry of unfinished work, which comes first.
    """
    work, tasks = list[EntryMemory](), list[EntryMemory]()
    found = _entries(store, "task", "agent_state")
    for entry in found:
        (work if entry.id == first else tasks).append(_of_entry(entry))
    sections: list[tuple[str, Callable[[], _Section], int]] = [
        ("work", lambda: _Section(work), 10),
        ("mission", lambda: _Section(_missions(store)), 10),
        ("gate_rules", lambda: _rules(store, now), 9),
        ("rejections", lambda: _told(store, "rejected"), 8),
        ("tasks", lambda: _Section(tasks, _count(store, "task", "agent_state") - len(found)), 7),
        ("flows", lambda: _flows(store, now), 7),
        ("decisions", lambda: _told(store, "decision", "context"), 6),
        # A block of their own: within one, the best stand at both ends.
        ("failing_capabilities", lambda: _capabilities(store, working=False), 7),
        ("capabilities", lambda: _capabilities(store, working=True), 6),
        ("lessons", lambda: _told(store, "learning", "discovery"), 5),
    ]
    made = [(name, section(), priority) for name, section, priority in sections]
    filled = [each for each in made if each[1].memories]
    return [
        Block(
            name, memories=section.memories, priority=priority, cap=budget // len(filled), in_order=True,
            omitted=section.omitted,
        )
        for name, section, priority in filled
    ]  # fmt: skip


class _Section(NamedTuple):
    """Memories of a block, and the number of further ones that it is not given."""

    memories: list[EntryMemory]
    omitted: int = 0


def _top(memories: list[EntryMemory]) -> _Section:
    return _Section(memories[:TOP], max(0, len(memories) - TOP))


def _rules(store: ConductStore, now: int) -> _Section:
    rules = sorted(
        (rule for rule in store.rules(every=False) if rule.in_force(now)),
        key=lambda rule: -rule.score_at(now),
    )
    return _top([
        told(
            _cut(f"{rule.text} (score {rule.score_at(now):g})") + standing_of(rule.corrections),
            said_at(rule), rule.by,
        )
        for rule in rules
    ])  # fmt: skip


def _missions(store: ConductStore) -> list[EntryMemory]:
    # Not cut: it is the directive itself, and short by its limit.
    return [told(each.text, each.at, each.by) for each in store.rows(Mission, every=False)]


def _flows(store: ConductStore, now: int) -> _Section:
    """Returns flows without their steps, which `before` shows, the most used first."""
    flows = sorted(store.rows(Flow, every=False), key=lambda flow: (-flow.used, -flow.changed_at))
    return _top([
        told(_cut(f"{flow.name} ({flow.id}; {results_text(flow, now)})"), said_at(flow), flow.by)
        for flow in flows
    ])  # fmt: skip


def _capabilities(store: ConductStore, *, working: bool) -> _Section:
    found = sorted(
        (each for each in store.rows(Capability) if works(each) is working), key=lambda each: each.name
    )
    return _top([
        told(_cut(health_text(each) if each.health else tool_text(each)), each.checked_at or each.at, each.by)
        for each in found
    ])  # fmt: skip


def _entries(store: ConductStore, *kinds: StateKind) -> list[StateEntry]:
    """Returns entries of some kinds, the latest first."""
    found = [entry for kind in kinds for entry in store.state(kind=kind, limit=LATEST)]
    return sorted(found, key=lambda entry: -entry.changed_at)


def _count(store: ConductStore, *kinds: StateKind) -> int:
    return sum(map(store.count, kinds))


def _told(store: ConductStore, *kinds: StateKind) -> _Section:
    memories = list(map(_of_entry, _entries(store, *kinds)))
    return _Section(memories, _count(store, *kinds) - len(memories))


def _is_only_heard(entry: StateEntry) -> bool:
    """Whether an entry repeats a message of a conversation, where facts and recall say it, too."""
    return bool(entry.episode) and entry.kind in STATEMENTS


def _of_entry(entry: StateEntry) -> EntryMemory:
    text = f"{entry.kind} ({entry.id}): {_cut(entry.summary)}{standing_of(entry.corrections)}"
    return told(text, said_at(entry), entry.by)


def _of_order(row: StateEntry | Rule) -> EntryMemory:
    return _of_entry(row) if isinstance(row, StateEntry) else _of_rule(row)


def _of_rule(rule: Rule) -> EntryMemory:
    return told(f"rule ({rule.id}): {_cut(rule.text)}{standing_of(rule.corrections)}", said_at(rule), rule.by)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
