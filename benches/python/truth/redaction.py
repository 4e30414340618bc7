"""`python -m truth.redaction SENTENCES.jsonl`: what is taken out of sentences before they cross to an heir.

Each line of the file holds `text`, `harmful`, and the stretches that `must_go` and that `must_stay`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bardo.bequeath.privacy.redact import Redactor
from truth import labelled


def report(rows: Sequence[dict[str, Any]], *, wrong: bool = False) -> str:
    """How many sentences lose all that must go, and how many harmless ones keep all that must stay."""
    redactor = Redactor(personal=True)
    told = [(row, redactor.text(row["text"])) for row in rows]
    gone = [all(part not in text for part in row["must_go"]) for row, text in told]
    kept = [all(part in text for part in row["must_stay"]) for row, text in told]
    harmful = [place for place, (row, _) in enumerate(told) if row["harmful"]]
    harmless = [place for place, (row, _) in enumerate(told) if not row["harmful"]]
    lines = [
        f"Gone of what must go: {labelled.share(gone, harmful)}; the lesson kept beside it: "
        f"{labelled.share(kept, harmful)}.",
        f"Harmless sentences unharmed: {labelled.share(kept, harmless)}.",
    ]
    if wrong:
        lines += [
            f"{row.get('id', '')} {row['text']!r} -> {text!r}"
            for place, (row, text) in enumerate(told)
            if not (gone[place] and kept[place])
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    labelled.main(__doc__, report)
