"""Statements that were heard and told: each stays once, as it was told.

A chat may be heard as a rule that a person told as an entry of state, in the same words or without their "never".
"""

from __future__ import annotations

import re
from dataclasses import replace

from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.entries import CRITICAL, Rule, StateEntry, StateKind
from bardo.conduct.storage.store import ConductStore

#: Beginning of a rule that forbids, so that the gate warns of the action. A "never" inside may be of something else.
PROHIBITION = re.compile(
    r"(?:please )?(?:(?:never|no(?:thing|body)?|don't|don’t|do not)\b|(?:we|i) (?:don't|don’t|do not) want\b|"
    r"(?:stop|quit|avoid) (?=[\w-]+ing\b))",
    re.IGNORECASE,
)
#: Kinds of entries that may state a rule.
_STATING: tuple[StateKind, ...] = ("rejected", "decision", "learning")


def retire_heard(store: ConductStore, told: StateEntry, *, agent: str) -> list[Rule]:
    """Retires the rules that were heard and that say the same as an entry that was told; the entry stands for them.

    Args:
        store: State and rules of the agent, in a transaction.
        told: Entry, stored.
        agent: Name of the agent.

    Returns:
        The retired rules. A rule that was told, or is critical, stays.
    """
    if told.kind not in _STATING or told.episode:
        return []
    heard = [rule for rule in store.rules(every=False) if rule.episode and rule.score < CRITICAL]
    same = [rule for rule in heard if _says_same(told, rule.text)]
    return [
        store.put(replace(rule, retired_by=told.by or agent, retired_why=f"told as {told.id}"))
        for rule in same
    ]


def told_already(store: ConductStore, text: str) -> StateEntry | None:
    """Returns the entry in force that was told and says the same as a rule that was heard; None if there is none.

    Args:
        store: State and rules of the agent.
        text: Text of the rule.
    """
    told = (entry for kind in _STATING for entry in store.state(kind=kind, limit=-1) if not entry.episode)
    return next((entry for entry in told if _says_same(entry, text)), None)


def _says_same(told: StateEntry, rule: str) -> bool:
    if place_of_same([told.summary], rule) is not None:
        return True
    # A rejection names the action alone: "deploy on Fridays", where the rule forbids it.
    forbids = PROHIBITION.match(rule)
    return (
        told.kind == "rejected"
        and forbids is not None
        and place_of_same([told.summary], rule[forbids.end() :]) is not None
    )
