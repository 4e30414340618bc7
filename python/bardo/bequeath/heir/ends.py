"""Instants at which inherited facts ended in an ancestor's life, beside the inherited testaments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bardo._atomic import read_json, write_json
from bardo.consolidate.pages.fact_dates import ENDED_AT
from bardo.folder import TESTAMENTS_FOLDER
from bardo.model import Fact

#: File in the folder of inherited testaments: for each fact of the heir that was over, microseconds UTC.
ENDS_FILE = "ends.json"


def end_of(fact: Fact) -> int:
    """Returns the instant of the end that an entry of a testament tells; 0 without one.

    Args:
        fact: Entry of the testament.
    """
    told = fact.metadata.get(ENDED_AT, ())
    return int(told[0]) if told and str(told[0]).isdecimal() else 0


def take(folder: Path, given: Mapping[str, int]) -> None:
    """Adds the ends of inherited facts to those of earlier inheritances.

    Args:
        folder: Folder of the heir.
        given: Instants by the id of the heir's fact.

    Raises:
        StoreUnavailableError: The folder cannot be written.
    """
    if given:
        write_json(folder / TESTAMENTS_FOLDER / ENDS_FILE, {**of(folder), **given})


def of(folder: Path) -> dict[str, int]:
    """Returns the ends of the inherited facts of a grimoire.

    Args:
        folder: Its folder.
    """
    return dict(read_json(folder / TESTAMENTS_FOLDER / ENDS_FILE) or {})
