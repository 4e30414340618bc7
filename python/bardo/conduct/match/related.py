"""Finds the rejections and critical rules that a task is about, as a gate relates an action to them."""

from __future__ import annotations

from bardo.conduct.match.index import ConductIndex
from bardo.conduct.model.entries import CRITICAL, Rule, StateEntry
from bardo.ports import Embedder

#: Maximum number of characters of a task that are compared.
TASK = 1_200


def related(
    index: ConductIndex, task: str, embedder: Embedder | None, *, now: int
) -> list[StateEntry | Rule]:
    """Returns the rejections and critical rules in force that are about a task, the nearest first.

    Args:
        index: Index of the agent's texts.
        task: What is to be done.
        embedder: Embedder of the agent's model; None to compare words alone.
        now: Wall clock, microseconds UTC.
    """
    index.refresh()
    found, _ = index.match(task[:TASK], embedder, now=now)
    near = {text: touch for text, touch in found.items() if touch.near}
    rows = [
        (near[text].closeness, row)
        for row in index.rows(near)
        if (isinstance(row, StateEntry) and row.kind == "rejected")
        or (isinstance(row, Rule) and row.score >= CRITICAL)
        if (text := row.forbidden_action) in near
    ]
    rows.sort(key=lambda pair: -pair[0])
    return [row for _, row in rows]
