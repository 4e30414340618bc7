"""Replay of inherited episodes against the rules that an heir found itself, each rule and episode counted once.

A test confirms nothing and lowers nothing: decisions of ancestors are no evidence of the agent's own. Its result is
told in the report of the pass and kept beside the inherited testaments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo import _core
from bardo._atomic import read_json, write_json
from bardo.bequeath.content.worth import inherited_fields
from bardo.folder import TESTAMENTS_FOLDER
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from bardo._core import EpisodeLog, FactStore

#: File in the folder of inherited testaments: for each testament its episodes, and the rules tested on them.
REPLAY_FILE = "replay.json"
#: Facts and episodes read per call.
_PAGE = 1_024


@dataclass(frozen=True, slots=True)
class InheritedReplay:
    """Result of the replays of one pass.

    Args:
        episodes: Number of inherited episodes that were re-read.
        agree: Ids of own rules by which decisions of ancestors came out as predicted.
        against: Ids of own rules by which they came out otherwise.
        notes: The latter, one sentence each.
    """

    episodes: int = 0
    agree: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def note_episodes(folder: Path, testament: str, ids: Sequence[str]) -> None:
    """Records which episodes a testament brought, for later replays.

    Args:
        folder: Folder of the heir.
        testament: Hash of the testament.
        ids: Ids of its episodes; those that another testament brought before are left to that one.

    Raises:
        StoreUnavailableError: The folder cannot be written.
    """
    known = _load(folder)
    brought = {id_ for batch in known.values() for id_ in batch["episodes"]}
    fresh = [id_ for id_ in ids if id_ not in brought]
    if testament not in known and fresh:
        write_json(_file(folder), known | {testament: {"episodes": fresh, "rules": {}}})


def replay(folder: Path, facts: FactStore, log: EpisodeLog) -> InheritedReplay:
    """Tests each own rule once on the episodes of each inherited testament.

    Args:
        folder: Folder of the heir.
        facts: Fact store of the heir; not changed.
        log: Episode log of the heir; not changed.
    """
    known = _load(folder)
    if not known:
        return InheritedReplay()
    own = {fact.id: fact for fact in _own_rules(facts)}
    reread = 0
    agree: list[str] = []
    against: list[str] = []
    notes: list[str] = []
    changed = False
    for batch in known.values():
        untested = [id_ for id_ in own if id_ not in batch["rules"]]
        if not untested:
            continue
        lived = _lived(log, batch["episodes"])
        tests = {id_: test for id_, *test in _core.replay_inherited(facts, [one for _, one in lived])}
        ancestors = ", ".join(sorted({agent for agent, _ in lived}))
        reread += len(lived)
        for id_ in untested:
            followed, agrees, differs = tests.get(id_, (0, False, False))
            batch["rules"][id_] = [followed, "agrees" if agrees else "against" if differs else "open"]
            agree += [id_] * bool(agrees)
            against += [id_] * bool(differs)
            if differs:
                notes.append(
                    f"{followed} decisions that {ancestors} lived speak against the own rule {own[id_].text!r}. They"
                    " changed nothing: look for a condition that tells both lives apart"
                )
        changed = True
    if changed:
        write_json(_file(folder), known)
    return InheritedReplay(reread, tuple(agree), tuple(against), tuple(notes))


def _own_rules(facts: FactStore) -> list[Fact]:
    """Lists the heuristics in force that the agent found itself."""
    found: list[Fact] = []
    after = None
    while page := facts.list(kind="heuristic", status="active", after=after, limit=_PAGE):
        after = page[-1].id
        found += [fact for fact in page if fact.source in {"self", "derived"} and fact.origin == facts.agent]
    return found


def _lived(log: EpisodeLog, ids: Sequence[str]) -> list[tuple[str, Episode]]:
    """Returns inherited episodes with the kind and payload that their ancestor recorded, and its name."""
    found = []
    for start in range(0, len(ids), _PAGE):
        for episode in log.get(list(ids[start : start + _PAGE])):
            lived = {} if episode is None else inherited_fields(episode)
            # One that the heir forgot teaches nothing.
            if episode is not None and lived:
                own = dataclasses.replace(
                    episode, kind=str(lived.get("kind") or "event"), payload=lived.get("payload")
                )
                found.append((str(lived.get("agent") or ""), own))
    return found


def _load(folder: Path) -> dict[str, Any]:
    return dict(read_json(_file(folder)) or {})


def _file(folder: Path) -> Path:
    return folder / TESTAMENTS_FOLDER / REPLAY_FILE
