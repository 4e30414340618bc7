"""`python -m truth.tags TEXTS.jsonl`: which texts are made inert as tags of a prompt.

Each line of the file holds `text` and `is_tag`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bardo.assemble.fence import neutralise
from truth import labelled


def report(rows: Sequence[dict[str, Any]], *, wrong: bool = False) -> str:
    """How many tags are changed or flagged, and how many other texts are left alone."""
    acted = [neutralise(row["text"]) != (row["text"], ()) for row in rows]
    right = [found == row["is_tag"] for row, found in zip(rows, acted, strict=True)]
    tags = [place for place, row in enumerate(rows) if row["is_tag"]]
    others = [place for place, row in enumerate(rows) if not row["is_tag"]]
    lines = [
        f"Tags made inert: {labelled.share(right, tags)}; other texts left alone: {labelled.share(right, others)}."
    ]
    if wrong:
        lines += [
            f"{row.get('id', '')} {row['text']!a}" for row, good in zip(rows, right, strict=True) if not good
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    labelled.main(__doc__, report)
