"""Keeps what was heard in utterances as entries and rules of the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bardo.conduct.hearing.changes import completion, limit_changes, rescheduling, superseding
from bardo.conduct.hearing.hearing import FORBIDDING, Heard
from bardo.conduct.hearing.lifts import lifting, partial_lifts
from bardo.conduct.hearing.orders.approvals import approval_of
from bardo.conduct.hearing.orders.standing import is_standing
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.doubt import without_doubt
from bardo.conduct.model.entries import CRITICAL, NEW, STATEMENTS, Rule, StateEntry, StateKind
from bardo.conduct.parse.rejections import wording
from bardo.conduct.persons import is_person
from bardo.conduct.state import rules, state
from bardo.conduct.state.prohibition import forbidden_act
from bardo.conduct.state.rules import VectorsOf
from bardo.conduct.state.told import told_already
from bardo.conduct.storage.store import ConductStore

#: Score of a rule that a user said, other than a standing order: it is told before every action, and fades.
SAID = 8.0
_STATE: dict[str, StateKind] = {
    "rejection": "rejected", "decision": "decision", "task": "task", "discovery": "discovery", "learning": "learning",
}  # fmt: skip
_CONTRADICTED = "a user contradicted it in the next turn"
#: Kinds of what an agent announces, which do not hold once a user contradicts it.
_ANNOUNCED: tuple[StateKind, ...] = ("decision", "task")


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was heard.

    Args:
        episode: Id of the episode.
        by: Who said it.
        by_agent: Whether that is the agent.
        at: When, microseconds UTC.
        said: Words of the utterance.
        before: Words of the other party just before.
    """

    episode: str
    by: str
    by_agent: bool
    at: int
    said: str = ""
    before: str = ""


class Kept(NamedTuple):
    """Entries and rules that were heard, and the episodes in which forms heard what a person allows again.

    Args:
        rows: Entries and rules.
        lifting: Ids of the episodes.
    """

    rows: list[StateEntry | Rule]
    lifting: frozenset[str]


def keep(
    store: ConductStore,
    heard: Sequence[tuple[Heard | None, Source]],
    vectors: VectorsOf,
    *,
    agent: str,
    now: int,
    contradicted: Mapping[str, str] | None = None,
) -> Kept:
    """Stores what was heard, in order; the same or similar in force is renewed as by `Gate.note` and `Gate.rule`.

    A rejection that a person lifted after it was said stays lifted. The agent's own "no" is a decision: only a user's
    word blocks. A user's order for all time is a critical rule. A rule that was told as an entry of state renews that
    entry. What the agent announced is not kept, and ends if an earlier pass kept it, once a user contradicts it in the
    next turn. A user's words that replace a rule or decision take its place, also if they were heard as another kind.
    A report that a task is done ends it, words that move its date give it another one, and what a person allows again
    is rejected no more.

    Args:
        store: State and rules of the agent.
        heard: What was heard, with its source; None for an utterance of no kind, which may replace a rule.
        vectors: Vectors of texts, for similar entries by meaning.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
        contradicted: Episodes of the agent that a user contradicted in the next turn, with the name of the user.
    """
    contradicted = contradicted or {}
    kept: list[StateEntry | Rule] = []
    allowing: list[str] = []
    with store.writing():
        lifted = [entry for entry in store.state(kind="rejected", every=True) if entry.status != "active"]
        for one, source in heard:
            is_known = False
            if (successor := _succeed(store, one, source, vectors, agent=agent, now=now)) is not None:
                kept.append(successor)
                continue
            if not source.by_agent and is_person(source.by, agent):
                is_known = bool(
                    lifting.lift(store, source.said, by=source.by, episode=source.episode, at=source.at)
                ) or bool(
                    partial_lifts.allow(
                        store, source.said, by=source.by, agent=agent, episode=source.episode, at=source.at
                    )
                )
                allowing += [source.episode] * is_known
                changed = limit_changes.change(
                    store, source.said, by=source.by, episode=source.episode, at=source.at
                ) or rescheduling.move(store, source.said, by=source.by, episode=source.episode, at=source.at)
                if changed is not None:
                    kept.append(changed)
                    continue
            if one is None or one.kind != "task":
                completion.end_done(
                    store, source.said, source.before, by=source.by, episode=source.episode, at=source.at
                )
            if one is None or (
                one.kind in (*FORBIDDING, "task") and _only_lifts(one, source, is_known=is_known)
            ):
                continue
            if one.kind == "rule" and source.episode in contradicted:
                continue
            if one.kind == "rule":
                is_order = not source.by_agent and (one.is_ordered or is_standing(one.summary))
                told = told_already(store, one.summary, agent=agent, is_order=is_order)
                if told is not None:
                    sure = told.corrections if source.by_agent else without_doubt(told.corrections)
                    kept.append(store.put(replace(told, corrections=sure, changed_at=now)))
                    continue
                given = _rule(one.summary, source, now, least=CRITICAL if is_order else 0.0)
                kept.append(rules.keep(store, given, vectors, agent=agent, now=now))
                superseding.end_statements(store, kept[-1], agent=agent)
                continue
            kind = "decision" if one.kind == "rejection" and source.by_agent else _STATE[one.kind]
            if kind in _ANNOUNCED and source.episode in contradicted:
                continue
            later = [entry.summary for entry in lifted if entry.changed_at >= source.at]
            if kind == "rejected" and place_of_same(later, one.summary) is not None:
                continue
            entry = StateEntry(
                "", kind, one.summary, one.detail, "",
                by=source.by, episode=source.episode, at=source.at, changed_at=source.at, corrections=one.forbids,
            )  # fmt: skip
            kept.append(state.keep(store, entry, vectors, lambda: None, agent=agent))
            superseding.end_statements(store, kept[-1], agent=agent)
        if contradicted:
            _end_contradicted(store, contradicted, now)
    return Kept(kept, frozenset(allowing))


def _only_lifts(one: Heard, source: Source, *, is_known: bool) -> bool:
    """Whether a person's words allow something, and what was heard in them orders nothing beside that."""
    is_open = one.kind == "rule" and forbidden_act(one.summary) is None and not is_standing(one.summary)
    return not source.by_agent and (
        (is_known and is_open) or lifting.only_lifts(source.said, is_known=is_known)
    )


def _end_contradicted(store: ConductStore, contradicted: Mapping[str, str], now: int) -> None:
    """Ends the rules, decisions and tasks of an agent's episodes that a user contradicted."""
    for rule in store.rules(every=False):
        if (by := contradicted.get(rule.episode)) is not None:
            store.put(replace(rule, retired_by=by, retired_why=_CONTRADICTED))
    for announced in _ANNOUNCED:
        for entry in store.state(kind=announced, limit=-1):
            if (by := contradicted.get(entry.episode)) is not None:
                ended = replace(entry, status="archived", changed_at=now, closed_by=by)
                store.put(replace(ended, closed_why=_CONTRADICTED))


def _rule(text: str, source: Source, now: int, *, least: float = 0.0) -> Rule:
    """Returns a heard rule; it is dated by its words, and loses score from now on only."""
    approval = "" if source.by_agent else approval_of(text)
    # The label of an order ("New house law: ...") is no word of what it forbids.
    is_forbidding = not approval and forbidden_act(text) is not None
    forbids = (
        wording.without_remark(text) if is_forbidding and wording.is_labelled(text) else text * is_forbidding
    )
    score = NEW if source.by_agent else CRITICAL if is_forbidding or is_standing(text) else SAID
    return Rule("", text, forbids, approval, max(score, least), source.by, source.episode, source.at, now)


def _succeed(
    store: ConductStore, one: Heard | None, source: Source, vectors: VectorsOf, *, agent: str, now: int
) -> Rule | StateEntry | None:
    """Puts a person's words in the place of the rules and decisions that they replace; None if they replace none."""
    if source.by_agent or not is_person(source.by, agent):
        return None
    replaced = superseding.replaced_by(store, source.said, episode=source.episode, at=source.at)
    is_of_statements = all(isinstance(row, StateEntry) and row.kind in STATEMENTS for row in replaced)
    # An utterance of a kind of its own is kept as such, and ends the statements.
    if is_of_statements and (one is not None or not replaced):
        return None
    ids = {row.id for row in replaced}
    scores = [row.score_at(now) for row in replaced if isinstance(row, Rule)]
    successor: Rule | StateEntry
    if scores or (one is not None and one.kind == "rule"):
        given = _rule(source.said, source, now, least=max(scores, default=0.0))
        successor = rules.keep(store, given, vectors, agent=agent, now=now, replaced=ids)
    else:
        kinds = {row.kind for row in replaced if isinstance(row, StateEntry)}
        kind: StateKind = kinds.pop() if len(kinds) == 1 else "decision"
        entry = StateEntry(
            "", kind, source.said, by=source.by, episode=source.episode, at=source.at, changed_at=source.at
        )  # fmt: skip
        successor = state.keep(store, entry, vectors, lambda: None, agent=agent, replaced=ids)
    superseding.end(store, replaced, by=source.by, at=source.at, successor=successor.id)
    return successor


def raise_orders(store: ConductStore, *, agent: str) -> list[Rule]:
    """Makes the standing orders of people critical that an earlier bardo heard with a lower score; returns them.

    Args:
        store: State and rules of the agent.
        agent: Name of the agent.
    """
    lower = [
        rule
        for rule in store.rules(every=False)
        if SAID <= rule.score < CRITICAL
        and rule.episode
        and is_person(author_of(rule.by)[0], agent)
        and (rule.forbids or is_standing(rule.text))
    ]
    if not lower:
        return []
    with store.writing():
        return [store.put(replace(rule, score=CRITICAL)) for rule in lower]


def end_outdated(
    store: ConductStore,
    ended_of: Callable[[Sequence[StateEntry]], Sequence[Sequence[str]]],
    *,
    agent: str,
    now: int,
) -> list[StateEntry]:
    """Ends the statements that were heard and no longer hold; returns them.

    Args:
        store: State and rules of the agent.
        ended_of: Returns for each entry the statements of its episode that have ended.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
    """
    heard = [entry for kind in STATEMENTS for entry in store.state(kind=kind) if entry.episode]
    over = [
        entry
        for entry, ended in zip(heard, ended_of(heard) if heard else (), strict=True)
        if place_of_same(ended, entry.summary) is not None
    ]
    if not over:
        return []
    with store.writing():
        return [
            store.put(
                replace(
                    entry, status="archived", changed_at=now, closed_by=agent,
                    closed_why="a newer statement ended it",
                )
            )
            for entry in over
        ]  # fmt: skip


def supersede_decisions(
    store: ConductStore,
    newer_of: Callable[[Sequence[StateEntry]], Mapping[str, str]],
    *,
    agent: str,
    now: int,
) -> list[StateEntry]:
    """Ends the decisions whose words a person's later one corrects, if that was heard as a decision; returns them.

    Args:
        store: State and rules of the agent.
        newer_of: Returns, by the episodes of entries, the episodes that correct them.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
    """
    heard = [entry for entry in store.state(kind="decision", limit=-1) if entry.episode]
    by_episode = {entry.episode: entry for entry in heard if is_person(author_of(entry.by)[0], agent)}
    newer_of_episode = newer_of(heard) if len(heard) > 1 else {}
    pairs = [
        (entry, by_episode[newer])
        for entry in heard
        if (newer := newer_of_episode.get(entry.episode)) in by_episode and newer is not None
    ]
    if not pairs:
        return []
    with store.writing():
        return [
            store.put(
                replace(
                    older, status="archived", changed_at=now, superseded_by=newer.id, closed_by=newer.by,
                    closed_why=f"superseded by {newer.id}",
                )
            )
            for older, newer in pairs
        ]  # fmt: skip
