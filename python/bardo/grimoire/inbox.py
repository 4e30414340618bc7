"""Leaving what happened for the process that owns a memory: the door for those who do not own it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._lazy import modules
from bardo._validation import checked
from bardo._values import replace
from bardo.assemble.copies import Verbatim
from bardo.capture import inbox, intake
from bardo.clock import checked_tick, moment_of
from bardo.folder import Folder, dead
from bardo.model import NEUTRAL, Episode, Pad, Role

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.bequeath import lineage
else:
    (lineage,) = modules("bequeath.lineage")


@checked
def drop(
    path: str | Path,
    what: str | Episode | Mapping[str, Any] | Iterable[str | Episode | Mapping[str, Any]],
    *,
    tick: SupportsIndex | None = None,
    at: int | datetime = 0,
    kind: str = "event",
    role: Role = "environment",
    speaker: str | None = None,
    subjects: Sequence[str] = (),
    payload: Any = None,
    thread: str | None = None,
    session: str | None = None,
    mode: str | None = None,
    curiosity: float = 0.0,
    importance: float | None = None,
    verified: bool = False,
    pad: Pad = NEUTRAL,
    truncate: bool = False,
    now: int | None = None,
    seed: int | None = None,
) -> list[str]:
    """Leaves what happened in the inbox of a memory; its owner takes it over at its next recall or sleep.

    When it returns, the episodes are safe on the disk, verbatim: the owner takes copies of its prompts out of them.
    Each is taken over once; a second call with the same words leaves another episode, as the log is not at hand to
    look in. A list of chat messages without times goes on where the owner's log has it, as in `Grimoire.remember`.

    Args:
        path: The grimoire's folder.
        what: A string, an `Episode`, a chat message (`role`, `content`), or an iterable of any of these.
        tick: Logical time of what brings none. If not given, the owner takes the one of `at`.
        at: Wall clock of the observation, microseconds UTC or a datetime with a time zone; now if 0.
        kind: See `Episode`, as the other fields; an `Episode` keeps its own.
        role: Who authored it.
        speaker: Who spoke, by name.
        subjects: What it is about.
        payload: The full decoded event; its numbers feed the baselines.
        thread: Project scope.
        session: Run.
        mode: Posture.
        curiosity: Predicted interest, 0..1.
        importance: 0..1.
        verified: Whether the outcome is known.
        pad: Affect.
        truncate: Cut texts over 64 KiB instead of refusing them.
        now: Wall clock, microseconds UTC; the computer's by default.
        seed: Of the ids; random by default.

    Returns:
        The ids of the episodes, in their order.

    Raises:
        InvalidInputError: A field breaks a limit; nothing was written.
        NotFoundError: There is no grimoire in the folder, so nobody would ever take them over.
        GrimoireClosedError: Its agent has died and takes nothing more.
        StoreUnavailableError: The operating system refused. What was written before the failure stays.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    if folder.tombstone.exists() and (stone := lineage.is_dead(folder.root)) is not None:
        raise dead(stone.agent)
    moment = moment_of(at)
    defaults = {
        "at": moment, "kind": kind, "role": role, "speaker": speaker, "subjects": subjects, "payload": payload,
        "thread": thread, "session": session, "mode": mode, "curiosity": curiosity, "importance": importance,
        "verified": verified, "pad": pad,
    }  # fmt: skip
    episodes, transcript = intake.episodes_from(what, defaults, clean=Verbatim(), truncate=truncate)
    if tick is not None:
        tick = checked_tick(tick)
        episodes = [episode if episode.tick else replace(episode, tick=tick) for episode in episodes]
    for episode in episodes:
        checked_tick(episode.tick)
    return [
        episode.id for episode in inbox.drop(folder.root, episodes, now=now, seed=seed, transcript=transcript)
    ]
