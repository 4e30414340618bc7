"""Fields of an episode for `remember` and `drop`, declared once.

A method unpacks the `TypedDict` (`**fields: Unpack[EpisodeFields]`). As with a written-out signature, editors complete
the names, type checkers refuse others, and `bardo._validation` names the argument in its errors. The defaults are those
of `Episode`, which receives the fields in the one dictionary that Python makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from bardo.model import Pad, Role


class EpisodeFields(TypedDict, total=False):
    """Fields of the episodes that a method makes; an `Episode` passed to it keeps its own.

    Attributes:
        at: Wall clock of the observation, microseconds UTC or a datetime with a time zone; now if 0.
        kind: `turn`, `event`, `trade`, `tool`, `outcome`, `note`, ... (open); `event` if not given.
        role: Author, `environment` if not given; `assistant` is stored as `agent`.
        speaker: Name of the speaker; none if empty.
        subjects: Topics of the episode.
        payload: Full decoded event; its numbers feed the baselines.
        thread: Project of the episode.
        session: Run of the episode.
        mode: Posture (chat, code, ...).
        curiosity: Predicted interest, 0..1.
        importance: Importance, 0..1.
        verified: Whether the outcome is known; only verified episodes are consolidated.
        pad: Affect: pleasure, arousal, dominance.
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
