"""Reports about labelled sets: files of which each line is a JSON object."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol


class Report(Protocol):
    """Counts over a labelled set."""

    def __call__(self, rows: Sequence[dict[str, Any]], *, wrong: bool = False) -> str: ...


def main(description: str | None, report: Report) -> None:
    """Prints the report of the file that the command line names."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("rows", type=Path, help="the labelled set, one JSON object a line")
    options.add_argument("--wrong", action="store_true", help="list everything that was judged otherwise")
    given = options.parse_args()
    lines = given.rows.read_text(encoding="utf-8").splitlines()
    print(report([json.loads(line) for line in lines if line.strip()], wrong=given.wrong))


def share(right: Sequence[bool], places: Sequence[int]) -> str:
    """How many of some places are right."""
    return f"{sum(right[place] for place in places)} of {len(places)}"
