"""Scope of a recall: the effect of the active thread and session on it."""

from __future__ import annotations

from dataclasses import replace

from bardo.recall.cold_tier import TieredIndex
from bardo.recall.filters import Filters

#: Wildcard for every mode.
ANY_MODE = "*"


def narrowed(
    filters: Filters, memory: TieredIndex, *, thread: str | None, session: str | None
) -> tuple[Filters, tuple[str, ...]]:
    """Narrows filters to the mode of the thread and, at the beginning of a session, to authors other than agents.

    Filters given by the caller take precedence.

    Args:
        filters: Filters of the caller. A mode of `*` stands for every mode.
        memory: Index of the threads and sessions.
        thread: Active thread. Its mode is that of its latest episode that has one, so that `code` is not mixed with
            `chat`.
        session: Active session. Before its first episode is stored, episodes of the role `agent` are left out.

    Returns:
        Narrowed filters, and notes on the changes.
    """
    notes = []
    if filters.mode == ANY_MODE:
        filters = replace(filters, mode=None)
    elif filters.mode is None and thread is not None and (mode := memory.posture(thread)) is not None:
        filters = replace(filters, mode=mode)
        notes.append(
            f"the thread {thread} is in mode {mode}: other modes were left out (mode={ANY_MODE!r} for all)"
        )
    if session is not None and not filters.roles and not memory.has_begun(session):
        filters = replace(filters, without_roles=("agent",))
        notes.append(f"the session {session} begins: what agents said was left out (roles= for others)")
    return filters, tuple(notes)
