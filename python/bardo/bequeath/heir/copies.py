"""Copies of inherited testaments in the folder of the heir."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bardo._atomic import make_folder, write_atomically
from bardo.bequeath.lineage import Lineage
from bardo.bequeath.testament import testament as files
from bardo.bequeath.testament.testament import Testament, read_bundle
from bardo.errors import StoreUnavailableError, TestamentError
from bardo.folder import TESTAMENTS_FOLDER


def keep(folder: Path, testaments: Iterable[Testament]) -> list[str]:
    """Copies the testament files to the heir's folder; returns notes on unreadable files."""
    notes = []
    make_folder(folder / TESTAMENTS_FOLDER)
    for testament in testaments:
        name = re.sub(r"[^\w.-]", "_", testament.life.agent)[:64].lstrip(".") or "unnamed"
        path = folder / TESTAMENTS_FOLDER / f"{name}-{testament.hash[:16]}.testament"
        if path.exists():
            continue
        try:
            content = testament.path.read_bytes()
        except OSError as error:
            notes.append(f"No copy of {testament.path} was kept: {error}")
        else:
            write_atomically(path, content)
    return notes


def inherited(folder: Path, lineage: Lineage) -> tuple[list[Testament], list[str]]:
    """Reads the copies of the inherited testaments; returns them, and a note on those that cannot be read.

    Args:
        folder: Folder of the heir's grimoire.
        lineage: Its lineage.
    """
    found = [(parent, _read(folder, parent.testament)) for parent in lineage.life.parents]
    missing = ", ".join(parent.agent for parent, one in found if one is None)
    notes = [
        f"The copies of the testaments of {missing} cannot be read, so the order of the calls may decide what is in "
        "force"
    ]
    return [one for _, one in found if one is not None], notes * bool(missing)


def _read(folder: Path, hash_: str) -> Testament | None:
    """Reads the copy of a testament by its hash; None if there is none, or it is damaged."""
    for path in (folder / TESTAMENTS_FOLDER).glob(f"*-{hash_[:16]}.testament"):
        try:
            found = files.read(path)
        except (TestamentError, StoreUnavailableError):
            continue
        if found.hash == hash_:
            return found
    return None


def inherited_bundles(folder: Path, lineage: Lineage) -> list[bytes]:
    """Returns the bundles of known things in the copies of inherited testaments; those of unknown signers stay out.

    Args:
        folder: Folder of the heir's grimoire.
        lineage: Its lineage.
    """
    found = []
    for parent in lineage.life.parents:
        copies = (folder / TESTAMENTS_FOLDER).glob(f"*-{parent.testament[:16]}.testament")
        for path in () if parent.limited else sorted(copies):
            bundle = read_bundle(path, parent.testament)
            found += [bundle] * bool(bundle)
    return found
