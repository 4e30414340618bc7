"""Leaving what happened for the process that owns a memory: the door for those who do not own it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, SupportsIndex, Unpack

from bardo._validation import checked
from bardo.assemble.copies import Verbatim
from bardo.capture import inbox, intake
from bardo.capture.fields import EpisodeFields
from bardo.clock import checked_tick, moment_of
from bardo.folder import Folder, dead_error
from bardo.model import Episode


@checked
def drop(
    path: str | Path,
    what: str | Episode | Mapping[str, Any] | Iterable[str | Episode | Mapping[str, Any]],
    *,
    tick: SupportsIndex | None = None,
    truncate: bool = False,
    now: int | None = None,
    seed: int | None = None,
    **fields: Unpack[EpisodeFields],
) -> list[str]:
    """Leaves what happened in the inbox of a memory; its owner takes it over at its next recall or sleep.

    When it returns, the episodes are safe on the disk, verbatim: the owner takes copies of its prompts out of them.
    Each is taken over once; a second call with the same words leaves another episode, as the log is not at hand to
    look in. A list of chat messages without times goes on where the owner's log has it, as in `Grimoire.remember`.

    Args:
        path: The grimoire's folder.
        what: A string, an `Episode`, a chat message (`role`, `content`), or an iterable of any of these.
        tick: Logical time of what brings none. If not given, the owner takes the one of `at`.
        truncate: Cut texts over 64 KiB instead of refusing them.
        now: Wall clock, microseconds UTC; the computer's by default.
        seed: Of the ids; random by default.
        fields: As `Grimoire.remember` takes them; see `EpisodeFields`.

    Returns:
        The ids of the episodes, in their order.

    Raises:
        InvalidInputError: A field breaks a limit; nothing was written.
        NotFoundError: There is no grimoire in the folder that could take them over.
        GrimoireClosedError: Its agent has died and takes nothing more.
        StoreUnavailableError: The operating system refused. What was written before the failure stays.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    if folder.tombstone.exists():
        from bardo.bequeath import lineage

        if (stone := lineage.is_dead(folder.root)) is not None:
            raise dead_error(stone.agent)
    if "at" in fields:
        fields["at"] = moment_of(fields["at"])
    episodes, transcript = intake.episodes_from(what, fields, clean=Verbatim(), truncate=truncate)
    if tick is not None:
        tick = checked_tick(tick)
        episodes = [episode if episode.tick else replace(episode, tick=tick) for episode in episodes]
    for episode in episodes:
        checked_tick(episode.tick)
    return [
        episode.id for episode in inbox.drop(folder.root, episodes, now=now, seed=seed, transcript=transcript)
    ]
