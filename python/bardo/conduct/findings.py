"""Compares an action with rejections, decisions and rules, for the verdict of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bardo import _core
from bardo.conduct.entries import CRITICAL, Rule, StateEntry
from bardo.conduct.matching import Touch, touches
from bardo.conduct.store import ConductStore
from bardo.conduct.verdict import Finding
from bardo.ports import Embedder


def findings_of(
    store: ConductStore,
    embedder: Embedder | None,
    action: str,
    entries: Sequence[StateEntry],
    rules: Sequence[Rule],
    *,
    approved_by: str,
    now: int,
) -> tuple[list[Finding], list[StateEntry], list[Rule], list[str]]:
    """Compares an action with entries and rules; returns findings, related entries and critical rules, and notes."""
    forbidding = [rule for rule in rules if rule.forbids]
    asking = [rule for rule in rules if rule.approval]
    others = [
        rule for rule in rules if rule.score_at(now) >= CRITICAL and not (rule.forbids or rule.approval)
    ]
    texts = [
        *(entry.summary for entry in entries),
        *(rule.forbids for rule in forbidding),
        *(rule.approval for rule in asking),
        *(rule.text for rule in others),
    ]
    found, why_not = touches(store, texts, action, embedder)
    of_entries, of_rules = found[: len(entries)], found[len(entries) :]
    of_forbidding, of_rules = of_rules[: len(forbidding)], of_rules[len(forbidding) :]
    of_asking, of_others = of_rules[: len(asking)], of_rules[len(asking) :]
    findings = [
        Finding(
            entry.id,
            "rejected",
            entry.summary,
            entry.detail,
            entry.by,
            entry.changed_at,
            touch.same,
            touch,
        )
        for entry, touch in zip(entries, of_entries, strict=True)
        if entry.kind == "rejected" and touch.near
    ]
    findings += [
        _of(rule, "forbidden", touch, blocks=touch.same and rule.score_at(now) >= CRITICAL)
        for rule, touch in zip(forbidding, of_forbidding, strict=True)
        if touch.near
    ]
    findings += [
        _of(rule, "approval", touch, blocks=touch.same)
        for rule, touch in zip(asking, of_asking, strict=True)
        if touch.near and not (touch.same and approved_by.strip())
    ]
    findings.sort(key=lambda finding: (not finding.blocks, -finding.touch.closeness))
    near = sorted(
        (
            (touch.closeness, entry)
            for entry, touch in zip(entries, of_entries, strict=True)
            if entry.kind != "rejected" and touch.near
        ),
        key=lambda pair: -pair[0],
    )
    applying = [rule for rule, touch in zip(others, of_others, strict=True) if touch.near]
    return findings, [entry for _, entry in near], applying, [why_not] if why_not else []


def _of(rule: Rule, reason: Literal["forbidden", "approval"], touch: Touch, *, blocks: bool) -> Finding:
    return Finding(rule.id, reason, rule.text, "", rule.by, rule.confirmed_at, blocks, touch)


def place_of_same(known: Sequence[str], given: str) -> int | None:
    """Finds the index of a text with the same content words in any order and no word that reverses the meaning."""
    for place, (there, (share, _, apart)) in enumerate(zip(known, _core.touches(known, given), strict=True)):
        if " ".join(there.casefold().split()) == " ".join(given.casefold().split()):
            return place
        if share == 1.0 and not apart:
            ((back, _, apart_back),) = _core.touches([given], there)
            if back == 1.0 and not apart_back:
                return place
    return None
