"""`python -m truth.names_found TEXTS.jsonl`: which names are found in texts that a fresh memory learns.

Each line of the file holds `text`, the `names` in it and, as `not_names`, capitalised words that name nothing.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bardo
from bardo.errors import BardoWarning
from truth import labelled


def report(rows: Sequence[dict[str, Any]], *, wrong: bool = False) -> str:
    """Precision and recall over all names, exactly as they are labelled but for case."""
    hits = said = wanted = 0
    lines = []
    for row in rows:
        found = names(row["text"])
        named = {name.casefold() for name in row["names"]}
        hits += len(found & named)
        said += len(found)
        wanted += len(named)
        if found != named:
            lines.append(
                f"{row.get('id', '')} {row['text']!r}: missed {sorted(named - found)}, false {sorted(found - named)}"
            )
    precision, recall = hits / max(said, 1), hits / max(wanted, 1)
    total = f"Precision {precision:.2f} ({hits} of {said}), recall {recall:.2f} ({hits} of {wanted})."
    return "\n".join([total, *(lines if wrong else [])])


def names(text: str) -> set[str]:
    """The names that a fresh memory finds in a text, folded."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        with bardo.open(Path(folder) / "learner") as grimoire:
            grimoire.learn(text)
            return {entity.name.casefold() for entity in grimoire.entities.list()}


if __name__ == "__main__":
    labelled.main(__doc__, report)
