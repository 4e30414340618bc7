"""`python -m privacy.secrets FILE...`: secrets that are redacted, and harmless lines that are changed.

A line of the data is a text and the secret in it, or none. Authors who had seen neither code nor other data of bardo
wrote them: as many harmless lines that resemble a secret as lines with one. The texts of `data/held.jsonl` are not
looked at: `--wrong` refuses them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from bardo.bequeath.privacy.redact import Redactor
from common.shares import cell

#: Marks of numbers that are private by policy, and no secrets.
POLICY = frozenset({"holding", "parameter", "contact", "document"})


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="privacy.secrets", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument(
        "--wrong", action="store_true", help="list secrets that stay and harmless lines that change"
    )
    given = parser.parse_args()
    if given.wrong and any(file.stem.startswith("held") for file in given.file):
        parser.error("the lines of a held set are not looked at")
    print("| set | secrets redacted | harmless lines changed | of these as a secret |\n|---|---|---|---|")
    total: Counter[str] = Counter()
    for file in given.file:
        counts: Counter[str] = Counter()
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            redactor = Redactor(personal=False)
            told = redactor.text(case["text"])
            secrets = [case["secret"]] if isinstance(case["secret"], str) else case["secret"] or []
            stay = any(secret in told for secret in filter(None, secrets))
            if case["secret"]:
                counts.update(secrets=1, gone=not stay)
            else:
                counts.update(harmless=1, changed=told != case["text"])
                counts["as secret"] += bool(set(redactor.counts) - POLICY)
            wrong = stay if case["secret"] else told != case["text"]
            if given.wrong and wrong:
                print(f"   {'stays' if case['secret'] else 'changed'}: {case['text']} -> {told}")
        total.update(counts)
        row(file.stem, counts)
    row("all", total)


def row(name: str, counts: Counter[str]) -> None:
    """Prints one row."""
    gone, changed = cell(counts["gone"], counts["secrets"]), cell(counts["changed"], counts["harmless"])
    print(f"| {name} | {gone} | {changed} | {counts['as secret']} |")


if __name__ == "__main__":
    main()
