"""The last act of a life: everything it knows is gathered, told, signed, and the memory is closed for writing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bardo import _core
from bardo.bequeath import reflect, testament
from bardo.bequeath.estate import gather
from bardo.bequeath.lineage import Lineage, Tombstone, mark_dead
from bardo.bequeath.signing import signing_key
from bardo.bequeath.testament import Testament
from bardo.capture.recorder import PAGE
from bardo.config import Bequeath
from bardo.errors import InvalidInputError, StoreUnavailableError, TestamentError
from bardo.model import Episode

#: Candidates per episode that may cross: copies of one text cross once, and must not leave places empty.
COPIES = 4
#: Outcomes and regime shifts that the account may draw on; the latest are kept.
TOLD_KINDS = ("outcome", "regime_shift")
TOLD_LIMIT = 4_096


def leave(
    path: Path,
    *,
    folder: Path,
    log: _core.EpisodeLog,
    facts: _core.FactStore,
    config: Bequeath,
    tick: int,
    now: int,
    cause: str,
    loops: bool = False,
    reflection: str | None = None,
) -> Testament:
    """Writes the testament of a life that ends now, and its tombstone.

    The tombstone comes last: a crash before it leaves a living agent, whose next call writes the testament again.

    Args:
        path: The testament file.
        folder: The grimoire.
        log: Its episodes.
        facts: What it knows.
        config: Caps and thresholds.
        tick: Of death.
        now: Wall clock, microseconds UTC.
        cause: Of death.
        loops: Whether ticks were loops of the agent's own.
        reflection: The account in the testator's own words; told from the evidence if not given.

    Raises:
        InvalidInputError: The reflection is too long.
        StoreUnavailableError: The file or the folder cannot be written.
    """
    estate = gather(facts, tick=tick)
    best, told = _episodes(log, config.episodes * COPIES)
    lineage = Lineage.load(folder) or Lineage.founder(log.agent, birth_tick=_birth(log))
    lineage = lineage.died(tick=tick, cause=cause)
    counts = {name: log.stats()[name] for name in ("episodes", "verified")}
    evidence = reflect.Evidence(
        lineage.life, estate.facts, estate.confidences, told, estate.links, counts=counts
    )
    written = testament.write(
        path,
        facts=estate.facts,
        confidences=estate.confidences,
        vectors=estate.vectors,
        fingerprint=estate.fingerprint,
        episodes=best,
        links=estate.links,
        reflection=reflect.compose(evidence) if reflection is None else reflection,
        lineage=lineage,
        signing_key=signing_key(folder),
        now=now,
        loops=loops,
        settings=config,
    )
    written.lineage.save(folder)
    mark_dead(folder, Tombstone(log.agent, tick, now, cause, written.hash, path.name))
    return written


def check_place(path: Path, folder: Path) -> None:
    """Sees whether a testament may be written there: an existing file is never replaced, it may be somebody's only one.

    Except one that this grimoire signed itself: it lives, so a crash stood between that testament and its death.

    Args:
        path: The testament file to write.
        folder: The grimoire.

    Raises:
        InvalidInputError: Something is there.
    """
    if not os.path.lexists(path):
        return
    own = signing_key(folder).public_key().public_bytes_raw().hex()
    try:
        testament.read(path, trusted_keys=[own])
    except (TestamentError, StoreUnavailableError) as error:
        raise InvalidInputError(
            f"{path} exists already, and a testament is written over nothing. Choose another path"
        ) from error


def _episodes(log: _core.EpisodeLog, best: int) -> tuple[list[Episode], list[Episode]]:
    """The verified episodes of greatest importance, and the latest outcomes and shifts; bounded whatever the age."""
    candidates: list[Episode] = []
    told: list[Episode] = []
    number = 0
    while page := log.verified_since(number, PAGE):
        number = page[-1][0]
        verified = [episode for _, episode in page]
        told = [*told, *(episode for episode in verified if episode.kind in TOLD_KINDS)][-TOLD_LIMIT:]
        candidates = _most_important([*candidates, *verified], best)
    return candidates, told


def _most_important(episodes: Iterable[Episode], count: int) -> list[Episode]:
    return sorted(episodes, key=lambda episode: (-(episode.importance or 0.0), episode.tick, episode.id))[
        :count
    ]


def _birth(log: _core.EpisodeLog) -> int:
    first = log.range(0, 2**63 - 1, limit=1)
    return first[0].tick if first else 0
