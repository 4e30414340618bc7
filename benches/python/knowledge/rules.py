"""`python -m knowledge.rules --corrections FILE... --pairs FILE...`: how often each certain rule of corrections is right."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from bardo.consolidate import corrections
from knowledge.fit import read
from knowledge.memory import DAY, START, holds


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.rules", description=__doc__)
    options.add_argument("--corrections", type=Path, nargs="+", required=True)
    options.add_argument("--pairs", type=Path, nargs="+", required=True)
    options.add_argument("--wrong", action="store_true")
    given = options.parse_args()
    load = lambda files: [
        json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()
    ]
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    cases, pairs = load(given.corrections), load(given.pairs)
    for case in cases:
        newer = read(case["after"], START + int(case["days"] * DAY))
        before = read(case["before"], START)
        for name, older in (
            ("told", [c for c in before if holds(c.sentence, case["stale_words"])]),
            ("learned", read({"text": case["stale"]}, START)),
        ):
            for rule in {corrections.certain_rule(o, n) for o in older for n in newer if n.stated} - {""}:
                right[f"{rule}, {name}"] += 1
        for old in before:
            if not holds(old.sentence, case["stale_words"]):
                for new in newer:
                    if rule := corrections.certain_rule(old, new):
                        wrong[rule] += 1
                        if given.wrong:
                            print("KEPT", rule, case["id"], old.sentence, "=>", new.sentence)
    for case in pairs:
        newer = read(case["second"], START + int(case["days"] * DAY))
        found = {}
        for old in read(case["first"], START):
            for new in newer:
                if rule := corrections.certain_rule(old, new):
                    found[rule] = (old.sentence, new.sentence)
        for rule, texts in found.items():
            wrong[rule] += 1
            if given.wrong:
                print("PAIR", rule, case["id"], *texts)
    print(f"{len(cases)} corrections, {len(pairs)} compatible pairs")
    for rule in ("from", "instead", "ending", "denial", "value"):
        print(
            f"{rule}: right told {right[f'{rule}, told']}, learned {right[f'{rule}, learned']}; wrong {wrong[rule]}"
        )


if __name__ == "__main__":
    main()
