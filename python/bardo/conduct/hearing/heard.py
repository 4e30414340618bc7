"""Keeps what was heard in utterances as entries and rules of the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bardo.conduct.hearing.hearing import Heard
from bardo.conduct.hearing.orders import is_standing
from bardo.conduct.hearing.prohibition import is_prohibition
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.entries import CRITICAL, NEW, STATEMENTS, Rule, StateEntry, StateKind
from bardo.conduct.parse import wording
from bardo.conduct.required import is_person
from bardo.conduct.state import rules, state
from bardo.conduct.state.rules import VectorsOf
from bardo.conduct.state.told import PROHIBITION, told_already
from bardo.conduct.storage.store import ConductStore

#: Score of a rule that a user said, other than a standing order: it is told before every action, and fades.
SAID = 8.0
_STATE: dict[str, StateKind] = {
    "rejection": "rejected", "decision": "decision", "task": "task", "discovery": "discovery", "learning": "learning",
}  # fmt: skip
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
    """

    episode: str
    by: str
    by_agent: bool
    at: int


def keep(
    store: ConductStore,
    heard: Sequence[tuple[Heard, Source]],
    vectors: VectorsOf,
    *,
    agent: str,
    now: int,
    contradicted: Mapping[str, str] | None = None,
) -> list[StateEntry | Rule]:
    """Stores what was heard, in order; the same or similar in force is renewed as by `Gate.note` and `Gate.rule`.

    A rejection that a person lifted after it was said stays lifted. The agent's own "no" is a decision: only a user's
    word blocks. A user's order for all time is a critical rule. A rule that was told as an entry of state renews that
    entry. What the agent announced is not
    kept, and ends if an earlier pass kept it, once a user contradicts it in the next turn.

    Args:
        store: State and rules of the agent.
        heard: What was heard, with its source.
        vectors: Vectors of texts, for similar entries by meaning.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
        contradicted: Episodes of the agent that a user contradicted in the next turn, with the name of the user.
    """
    contradicted = contradicted or {}
    kept: list[StateEntry | Rule] = []
    with store.writing():
        lifted = [entry for entry in store.state(kind="rejected", every=True) if entry.status != "active"]
        for one, source in heard:
            if one.kind == "rule":
                is_order = not source.by_agent and is_standing(one.summary)
                told = told_already(store, one.summary, agent=agent, is_order=is_order)
                if told is not None:
                    kept.append(store.put(replace(told, changed_at=now)))
                    continue
                score = CRITICAL if is_order else NEW if source.by_agent else SAID
                is_forbidding = PROHIBITION.match(wording.plain(one.summary)) is not None
                is_forbidding |= not source.by_agent and is_prohibition(one.summary)
                forbids = one.summary if is_forbidding else ""
                # A rule is dated by its words, and loses score from now on only.
                given = Rule("", one.summary, forbids, "", score, source.by, source.episode, source.at, now)
                kept.append(rules.keep(store, given, vectors, agent=agent, now=now))
                continue
            kind = "decision" if one.kind == "rejection" and source.by_agent else _STATE[one.kind]
            if kind in _ANNOUNCED and source.episode in contradicted:
                continue
            later = [entry.summary for entry in lifted if entry.changed_at >= source.at]
            if kind == "rejected" and place_of_same(later, one.summary) is not None:
                continue
            entry = StateEntry(
                "", kind, one.summary, one.detail, "",
                by=source.by, episode=source.episode, at=source.at, changed_at=source.at,
            )  # fmt: skip
            kept.append(state.keep(store, entry, vectors, lambda: None, agent=agent))
        for announced in _ANNOUNCED if contradicted else ():
            for entry in store.state(kind=announced, limit=-1):
                if (by := contradicted.get(entry.episode)) is not None:
                    why = "a user contradicted it in the next turn"
                    store.put(replace(entry, status="archived", changed_at=now, closed_by=by, closed_why=why))
    return kept


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
    """Ends the decisions of people whose words later ones correct, if those were heard as a decision; returns them.

    Args:
        store: State and rules of the agent.
        newer_of: Returns, by the episodes of entries, the episodes that correct them.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
    """
    heard = [
        entry
        for entry in store.state(kind="decision", limit=-1)
        if entry.episode and is_person(entry.by, agent)
    ]
    by_episode = {entry.episode: entry for entry in heard}
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
