"""Scope of a recall: the effect of the asker's thread and session on it."""

from __future__ import annotations

from dataclasses import replace

from bardo.recall.cold_tier import TieredIndex
from bardo.recall.filters import Filters

#: The mode that stands for every mode.
ANY_MODE = "*"


def narrowed(
    filters: Filters, memory: TieredIndex, *, thread: str | None, session: str | None
) -> tuple[Filters, tuple[str, ...]]:
    """Filters that keep postures apart and let a session begin with the person, where nothing else was asked for.

    Args:
        filters: What was asked for. A mode of `*` stands for every mode.
        memory: Knows the threads and sessions.
        thread: The asker's thread. Its posture is the mode of its latest episode that has one: what was done as
            `code` is not mixed with `chat`.
        session: The asker's session. Before anything of it is remembered, what agents said elsewhere is left out.

    Returns:
        The filters, and what was narrowed.
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
