"""The fields of an episode that `remember` and `drop` take, declared once.

A verb unpacks the `TypedDict` (`**fields: Unpack[EpisodeFields]`), which keeps what callers have of a written-out
signature: editors complete its names, type checkers refuse others, and `bardo._validation` names the argument in its
errors. The defaults are those of `Episode`, and the fields reach it in the one dictionary that Python makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from bardo.model import Pad, Role


class EpisodeFields(TypedDict, total=False):
    """Fields of the episodes that a verb makes; an `Episode` that is handed over keeps its own.

    Attributes:
        at: Wall clock of the observation, microseconds UTC or a datetime with a time zone; now if 0.
        kind: `turn`, `event`, `trade`, `tool`, `outcome`, `note`, ... (open); `event` if not given.
        role: Who authored it, `environment` if not given; `assistant` is stored as `agent`.
        speaker: Who spoke, by name; none if empty.
        subjects: What it is about.
        payload: The full decoded event; its numbers feed the baselines.
        thread: Project it belongs to.
        session: Run it belongs to.
        mode: Posture.
        curiosity: Predicted interest, 0..1.
        importance: 0..1.
        verified: Whether the outcome is known; only verified episodes are consolidated.
        pad: Affect.
    """

    at: int | datetime
    kind: str
    role: Role
    speaker: str | None
    subjects: Sequence[str]
    payload: Any
    thread: str | None
    session: str | None
    mode: str | None
    curiosity: float
    importance: float | None
    verified: bool
    pad: Pad
