"""Hands the gate's decisions, rejections, tasks and rules to an heir, where they stay marked as inherited."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bardo.bequeath.directives import KINDS, Directive
from bardo.conduct.entries import Rule, StateEntry, StateKind
from bardo.conduct.findings import place_of_same
from bardo.conduct.store import ConductStore

_INHERITED = re.compile(
    r"inherited from (?P<origin>.+?)(?: \((?P<generation>\d+) generations\))?(?:, by (?P<by>.*))?"
)


def directives_of(store: ConductStore, *, now: int) -> list[Directive]:
    """Reads what is in force.

    Args:
        store: State and rules of the testator.
        now: Wall clock, microseconds UTC.
    """
    found = []
    for entry in store.state():
        if entry.kind in KINDS:
            by, origin, generation = _author(entry.by)
            found.append(
                Directive(
                    entry.kind, entry.summary, entry.detail, entry.domain, by=by, at=entry.changed_at, origin=origin,
                    generation=generation,
                )
            )  # fmt: skip
    for rule in store.rules():
        if rule.in_force(now):
            by, origin, generation = _author(rule.by)
            found.append(
                Directive(
                    "rule", rule.text, forbids=rule.forbids, approval=rule.approval, score=rule.score_at(now), by=by,
                    at=rule.confirmed_at, origin=origin, generation=generation,
                )
            )  # fmt: skip
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
        for one in given:
            if place_of_same(known[one.kind], one.text) is not None:
                continue
            known[one.kind].append(one.text)
            by, episode = _mark(one), one.episode().id
            if one.kind == "rule":
                store.put(Rule("", one.text, one.forbids, one.approval, one.score, by, episode, one.at, now))
            else:
                kind: StateKind = one.kind  # type: ignore[assignment] # one of `KINDS`
                entry = StateEntry("", kind, one.text, one.detail, one.domain, by=by, episode=episode)
                store.put(replace(entry, at=one.at, changed_at=now))
            new += 1
    return new


def _mark(one: Directive) -> str:
    lives = f" ({one.generation} generations)" if one.generation > 1 else ""
    return f"inherited from {one.origin}{lives}{f', by {one.by}' if one.by else ''}"[:2_000]


def _author(by: str) -> tuple[str, str, int]:
    """Returns the author, the agent that held it first, and the generations since."""
    match = _INHERITED.fullmatch(by)
    return (match["by"] or "", match["origin"], int(match["generation"] or 1)) if match else (by, "", 0)
