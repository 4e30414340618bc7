"""Recording of episodes from processes that do not own the memory, through its inbox."""

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
from bardo.folder import Folder, dead_error, dying_error
from bardo.model import Episode
from bardo.ports import SystemClock


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
    """Writes episodes to the inbox of a memory; its owner records them at its next recall or sleep.

    When it returns, the episodes are durable on the disk, verbatim; the owner removes copies of its prompts from them.
    Each is recorded once. A second call with the same words writes another episode, as the log cannot be read from
    here. A list of chat messages without times continues its conversation in the log, as in `Grimoire.remember`.

    Args:
        path: Folder of the grimoire.
        what: String, `Episode`, chat message (`role`, `content`), or an iterable of any of these.
        tick: Logical time of items without one. If not given, the owner uses the tick of `at`.
        truncate: Whether to cut texts over 64 KiB instead of refusing them.
        now: Wall clock, microseconds UTC; the system clock by default.
        seed: Seed of the ids; random by default.
        fields: Fields as in `Grimoire.remember`; see `EpisodeFields`.

    Returns:
        Ids of the episodes, in order.

    Raises:
        InvalidInputError: A field breaks a limit; nothing was written.
        NotFoundError: There is no grimoire in the folder.
        GrimoireClosedError: Its agent has died or consolidates for the last time, and its memory is read-only.
        StoreUnavailableError: The operating system refused. Files written before the failure stay.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    if folder.tombstone.exists():
        from bardo.bequeath import lineage

        if (stone := lineage.is_dead(folder.root)) is not None:
            raise dead_error(stone.agent)
    if folder.death.exists():
        from bardo.bequeath import death_journal

        if (death := death_journal.load(folder.root)) is not None and death.is_closed:
            raise dying_error(folder.root.name, signed=death.phase == "legacy")
    if "at" in fields:
        fields["at"] = moment_of(fields["at"], now=now or SystemClock().now())
    episodes, transcript = intake.episodes_from(what, fields, clean=Verbatim(), truncate=truncate)
    if tick is not None:
        tick = checked_tick(tick)
        episodes = [episode if episode.tick else replace(episode, tick=tick) for episode in episodes]
    for episode in episodes:
        checked_tick(episode.tick)
    return [
        episode.id for episode in inbox.drop(folder.root, episodes, now=now, seed=seed, transcript=transcript)
    ]
