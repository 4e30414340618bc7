"""Family tree of agents, found in grimoires and testaments; drawn as text, DOT, or a plot."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bardo.bequeath.lineage import LINEAGE_FILE, Life, Lineage, is_dead
from bardo.bequeath.testament import testament
from bardo.clock import MICROSECONDS, day_of
from bardo.config import Config
from bardo.consolidate.pages.wording import counted
from bardo.errors import BardoError, NotFoundError
from bardo.folder import Folder

#: Suffix of the files that a folder is searched for.
SUFFIX = ".testament"
#: Maximum depth of the folders below a given one.
_DEPTH = 4
#: Digits of a testament's hash that tell lives of one name apart.
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class FamilyTree:
    """Family tree of several lineages. A life is named by its testament, as two agents may have one name.

    Args:
        lives: Lives of all known agents, eldest generation first.
        handed: Number of facts in each testament that was read, by its hash.
        folders: Folder of each grimoire that was found, by `key` of its life.
        files: File of each testament that was read, by its hash.
        timed: Lives whose ticks are seconds of the epoch, by `key`.
        notes: Files that could not be read, one sentence each.
    """

    lives: tuple[Life, ...]
    handed: Mapping[str, int] = field(default_factory=dict)
    folders: Mapping[str, Path] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, lineages: Iterable[Lineage]) -> FamilyTree:
        """Joins lineages; of a life that is recorded both alive and dead, the record with its death is used."""
        lives = [life for lineage in lineages for life in (lineage.life, *lineage.ancestors)]
        dead = {life.testament: life for life in lives if life.testament is not None}
        replaced = {hash_ for life in dead.values() for hash_ in life.replaces}
        known = [life for hash_, life in dead.items() if hash_ not in replaced]
        ended = {_birth(life) for life in known}
        alive = {_birth(life): life for life in lives if life.testament is None and _birth(life) not in ended}
        ordered = sorted((*known, *alive.values()), key=lambda life: (life.generation, life.agent, key(life)))
        return cls(tuple(ordered))

    def parents(self, life: Life) -> list[Life]:
        """Lists the known parents of a life, in order of inheritance."""
        found = [self._testator(parent.testament, parent.replaced) for parent in life.parents]
        return [parent for parent in found if parent is not None]

    def children(self, life: Life) -> list[Life]:
        """Lists the heirs of a life."""
        return [other for other in self.lives if life in self.parents(other)]

    def _testator(self, hash_: str, replaced: Sequence[str]) -> Life | None:
        names = {hash_, *replaced}
        return next((life for life in self.lives if names & {life.testament, *life.replaces}), None)

    def render(self) -> str:
        """Renders the tree as indented text, one life per line, under its first known parent."""
        first = {key(life): key(parents[0]) for life in self.lives if (parents := self.parents(life))}
        roots = [life for life in self.lives if key(life) not in first]
        return "\n".join(line for root in roots for line in self._lines(root, first, 0))

    def _lines(self, life: Life, first: Mapping[str, str], depth: int) -> Iterator[str]:
        others = [parent.agent for parent in self.parents(life)[1:]]
        also = f"; also from {', '.join(others)}" if others else ""
        name = f"{'  ' * depth}{self.named(life)} (generation {life.generation})"
        yield f"{name}: {'; '.join(self.told(life))}{also}"
        for child in self.lives:
            if first.get(key(child)) == key(life):
                yield from self._lines(child, first, depth + 1)

    def named(self, life: Life) -> str:
        """Returns the name of a life; of agents with the same name with the folder, or the hash of the testament."""
        if sum(other.agent == life.agent for other in self.lives) == 1:
            return life.agent
        folder = self.folders.get(key(life))
        return f"{life.agent} [{folder or key(life)[:_SHOWN]}]"

    def told(self, life: Life) -> list[str]:
        """Describes a life: birth and death, facts handed over, inherited facts confirmed and refuted."""
        born = f"born {self._when(life, life.birth_tick)}, " if self.tells_birth(life) else ""
        if life.death_tick is not None:
            parts = [f"{born}died {self._when(life, life.death_tick)} ({life.cause})"]
        else:
            parts = [f"{born}alive"]
        if (count := self.handed.get(life.testament or "")) is not None:
            parts.append(f"handed over {counted(count, 'fact')}")
        if life.parents:
            parts.append(f"confirmed {life.confirmed}, refuted {life.refuted}")
        return parts

    def tells_birth(self, life: Life) -> bool:
        """Whether the record of a life tells its birth.

        Until its death, the files of a founder do not tell its first tick. An heir whose ticks are loops is born at
        the tick of a clock that has not begun, which is before the death of its parent.
        """
        if not life.parents:
            return life.death_tick is not None
        return all(life.birth_tick >= (parent.death_tick or 0) for parent in self.parents(life))

    def _when(self, life: Life, tick: int) -> str:
        """The day of a tick of a life, or the tick where ticks are loops, or their unit is not known."""
        # An heir that lives was born in the unit of its parents.
        of = [life] if life.death_tick is not None else self.parents(life)
        is_timed = bool(of) and all(key(one) in self.timed for one in of)
        return f"on {day_of(tick * MICROSECONDS)}" if is_timed else f"at {tick}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the tree in plain JSON types; each life with the keys of its parents."""
        return {
            "lives": [
                dataclasses.asdict(life)
                | {
                    "key": key(life),
                    "handed_over": self.handed.get(life.testament or ""),
                    "folder": str(self.folders[key(life)]) if key(life) in self.folders else None,
                    "known_parents": [key(parent) for parent in self.parents(life)],
                }
                for life in self.lives
            ],
            "notes": list(self.notes),
        }

    def to_dot(self) -> str:
        """Returns the tree in the DOT language of Graphviz, from the eldest down."""
        lines = [
            "digraph lineage {",
            "  rankdir=TB;",
            '  node [shape=box, style=rounded, fontname="sans-serif"];',
        ]
        for life in self.lives:
            label = "\\n".join(
                [_escaped(life.agent), f"generation {life.generation}", *map(_escaped, self.told(life))]
            )
            style = "" if life.death_tick is not None else ", penwidth=2"
            lines.append(f'  "{_escaped(key(life))}" [label="{label}"{style}];')
        for life in self.lives:
            for parent in self.parents(life):
                count = self.handed.get(parent.testament or "")
                label = "" if count is None else f' [label="{count} facts"]'
                lines.append(f'  "{_escaped(key(parent))}" -> "{_escaped(key(life))}"{label};')
        return "\n".join((*lines, "}")) + "\n"


def key(life: Life) -> str:
    """Returns the name of a life in a tree: the hash of its testament, or while it lives its name and birth."""
    return life.testament or f"{life.agent}@{life.birth_tick}"


def _birth(life: Life) -> tuple[Any, ...]:
    """Returns the parts of a record that no later record of the same life changes, but for a later inheritance."""
    return life.agent, life.birth_tick


def _escaped(text: str) -> str:
    """Escapes a text for a quoted string of the DOT language; control characters become spaces."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return plain.replace("\\", "\\\\").replace('"', '\\"')


def find(places: Sequence[Path]) -> FamilyTree:
    """Builds the tree of all grimoires and testaments at some paths, and in the folders below them.

    Files alone are read, so that a grimoire that another process has open can be shown. Files that cannot be read are
    named in the notes.

    Args:
        places: Testament files, folders of grimoires, or folders that hold some.

    Raises:
        NotFoundError: There is neither a grimoire nor a testament.
    """
    lineages: list[Lineage] = []
    handed: dict[str, int] = {}
    homes: dict[str, Path] = {}
    files: dict[str, Path] = {}
    timed: set[str] = set()
    notes: list[str] = []
    for path in _candidates(places):
        try:
            if path.is_dir():
                lineage = lineage_of(path)
                homes[key(lineage.life)] = path
                stone = is_dead(path)
                if stone is not None and testament.is_second(stone.tick, stone.at):
                    timed.add(key(lineage.life))
            else:
                read = testament.read(path)
                lineage, handed[read.hash], files[read.hash] = read.lineage, len(read.facts), path
                timed |= set() if read.seconds is None else {read.hash}
        except BardoError as error:
            notes.append(f"{path} was left out: {error}")
        else:
            lineages.append(lineage)
    if not lineages:
        why = f" ({notes[0]})" if notes else ""
        raise NotFoundError(
            f"there is no grimoire and no testament at {', '.join(map(str, places))}{why}."
            " Name a folder that holds some"
        )
    tree = FamilyTree.of(lineages)
    tree = dataclasses.replace(tree, handed=handed, folders=homes, files=files, notes=tuple(notes))
    return dataclasses.replace(tree, timed=_timed(tree, timed))


def _timed(tree: FamilyTree, known: Collection[str]) -> frozenset[str]:
    """Adds the ancestors that are known by the lineage of an heir alone: an heir counts in the unit of its parents.

    Args:
        tree: Family tree.
        known: Lives whose own records tell that their ticks are seconds.
    """
    timed = set(known)
    told = {*tree.files, *tree.folders}
    for life in reversed(tree.lives):
        if key(life) in timed and life.death_tick is not None:
            at = life.birth_tick * MICROSECONDS
            timed |= {
                key(one)
                for one in tree.parents(life)
                if key(one) not in told and testament.is_second(one.death_tick, at)
            }
    return frozenset(timed)


def lineage_of(folder: Path) -> Lineage:
    """Reads the lineage of a grimoire from its files; one without a lineage file is a founder that lives.

    Raises:
        StoreDamagedError: A file is damaged.
        ConfigError: The settings are not valid.
    """
    known = Lineage.load(folder)
    if known is not None:
        return known
    agent = Config.load(folder).agent or folder.name
    lineage = Lineage.founder(agent)
    stone = is_dead(folder)
    if stone is None:
        return lineage
    dead = lineage.died(tick=stone.tick, cause=stone.cause)
    return dataclasses.replace(dead, life=dataclasses.replace(dead.life, testament=stone.testament))


def _candidates(places: Sequence[Path]) -> list[Path]:
    """Lists the grimoires and testaments at some paths, each once."""
    found: dict[Path, None] = {}
    for place in places:
        path = place.expanduser().absolute()
        for one in [path] if path.is_file() else _below(path, _DEPTH):
            found[one] = None
    return list(found)


def _below(path: Path, depth: int) -> Iterator[Path]:
    if not path.is_dir():
        return
    if Folder.at(path).has_grimoire() or (path / LINEAGE_FILE).is_file():
        yield path
    for one in sorted(path.iterdir()):
        if one.is_file() and one.suffix == SUFFIX:
            yield one
        elif one.is_dir() and not one.is_symlink() and depth:
            yield from _below(one, depth - 1)
