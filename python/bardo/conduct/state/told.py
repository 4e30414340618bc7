"""Statements that were heard and told: each stays once, as it was told.

A chat may be heard as a rule that a person told as an entry of state, in the same words or without their "never".
"""

from __future__ import annotations

from dataclasses import replace

from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import CRITICAL, Rule, StateEntry, StateKind
from bardo.conduct.persons import is_person
from bardo.conduct.state.prohibition import forbidden_act
from bardo.conduct.storage.store import ConductStore

#: Kinds of entries that may state a rule.
_STATING: tuple[StateKind, ...] = ("rejected", "decision", "learning")


def retire_heard(store: ConductStore, told: StateEntry, *, agent: str) -> list[Rule]:
    """Retires the rules that were heard and that say the same as an entry that was told; the entry stands for them.

    Args:
        store: State and rules of the agent, in a transaction.
        told: Entry, stored.
        agent: Name of the agent.

    Returns:
        The retired rules. A rule that was told stays, and so does a person's order in place of the agent's word.
    """
    if told.kind not in _STATING or told.episode:
        return []
    is_lasting = _is_lasting(told, agent)
    heard = [
        rule for rule in store.rules(every=False) if rule.episode and (is_lasting or rule.score < CRITICAL)
    ]
    same = [rule for rule in heard if _says_same(told, rule.text)]
    return [
        store.put(replace(rule, retired_by=told.by or agent, retired_why=f"told as {told.id}"))
        for rule in same
    ]


def told_already(store: ConductStore, text: str, *, agent: str, is_order: bool) -> StateEntry | None:
    """Returns the entry in force that was told and says the same as a rule that was heard; None if there is none.

    Args:
        store: State and rules of the agent.
        text: Text of the rule.
        agent: Name of the agent.
        is_order: Whether the rule is a person's order, for which no mere word of the agent stands.
    """
    told = (entry for kind in _STATING for entry in store.state(kind=kind, limit=-1) if not entry.episode)
    standing = (entry for entry in told if not is_order or _is_lasting(entry, agent))
    return next((entry for entry in standing if _says_same(entry, text)), None)


def _is_lasting(told: StateEntry, agent: str) -> bool:
    """Whether an entry may stand for a person's order: a rejection, which blocks, or a person's own word."""
    return told.kind == "rejected" or is_person(author_of(told.by)[0], agent)


def _says_same(told: StateEntry, rule: str) -> bool:
    if place_of_same([told.summary], rule) is not None:
        return True
    # A rejection names the action alone: "deploy on Fridays", where the rule forbids it.
    act = forbidden_act(rule)
    return told.kind == "rejected" and act is not None and place_of_same([told.summary], act) is not None
