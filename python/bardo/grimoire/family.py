"""Audits lives and follows beliefs over a family, from folders and testament files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bardo.bequeath.family import autopsy, beliefs, family
from bardo.bequeath.family.autopsy import ACTIONS, Autopsy, Records
from bardo.bequeath.family.beliefs import Belief, LifeBeliefs
from bardo.bequeath.family.family import FamilyTree, key
from bardo.bequeath.testament import testament
from bardo.config import Config
from bardo.errors import BardoError, NotFoundError
from bardo.folder import Folder
from bardo.grimoire import factory
from bardo.grimoire.lineage import beliefs_of


def examine(path: str | Path, *, at: int | None = None, last: int = ACTIONS) -> Autopsy:
    """Audits a life: its knowledge at a tick, the memories that its last decisions cited, and the missed warnings.

    Args:
        path: Folder of a grimoire, of an agent that died or lives, or a testament file.
        at: Tick as of which to audit; that of the death, or the current one, if not given.
        last: Number of the last decisions up to that tick.

    Raises:
        NotFoundError: There is neither at the path.
        InvalidInputError: The tick is not in the life.
        TestamentError: The testament cannot be trusted.
        StoreLockedError: Another process owns the grimoire.
        StoreError: It cannot be opened.
    """
    place = Path(path).expanduser()
    if place.is_file():
        records = Records.of_testament(testament.read(place), Config().curator.outcomes)
        return autopsy.examine(records, at=at, last=last)
    if not Folder.at(place).has_grimoire():
        raise NotFoundError(
            f"{place} is neither a grimoire nor a testament. Name the folder or the file of one"
        )
    with factory.open(place, create=False) as opened:
        return opened.lineage.autopsy(at=at, last=last)


def follow(places: Sequence[Path]) -> tuple[FamilyTree, list[Belief], list[str]]:
    """Follows the rules of a family through the lives whose records are there.

    Args:
        places: Testament files, folders of grimoires, or folders that hold some. Grimoires are opened in turn.

    Returns:
        Family, its beliefs, and notes on lives that could not be read or are known by their testament alone.

    Raises:
        NotFoundError: There is neither a grimoire nor a testament.
    """
    tree = family.find(places)
    notes = list(tree.notes)
    lives: dict[str, LifeBeliefs] = {}
    for life in tree.lives:
        if (folder := tree.folders.get(key(life))) is None:
            continue
        try:
            with factory.open(folder, create=False) as opened:
                lives[key(life)] = beliefs_of(opened.lineage)
        except BardoError as error:
            notes.append(f"{life.agent} was not read: {error}")
    for life in tree.lives:
        file = tree.files.get(key(life))
        if file is not None and key(life) not in lives:
            lives[key(life)] = LifeBeliefs.of_testament(testament.read(file))
            notes.append(
                f"{life.agent} is known by its testament alone: the rules that crossed, without outcomes"
            )
    missing = [life.agent for life in tree.lives if key(life) not in lives]
    if missing:
        notes.append(f"No records of {', '.join(missing)}. Name their folders or testaments, too")
    return tree, beliefs.survival(lives.values()), notes
