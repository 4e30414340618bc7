"""`python -m knowledge.rules --corrections FILE... --pairs FILE...`: precision of each certain rule of corrections."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import certain_rule
from knowledge.fit import read
from knowledge.memory import DAY, START, holds, load

#: Sentences of an older and a newer clause.
Pair = tuple[str, str]


def fired(older: Sequence[Clause], newer: Sequence[Clause]) -> list[tuple[str, Pair]]:
    """Rules that end an older clause by a newer one, with the sentences of both."""
    return [
        (rule, (old.sentence, new.sentence))
        for old in older
        for new in newer
        if (rule := certain_rule(old, new))
    ]


def of_correction(case: dict[str, Any]) -> tuple[set[str], list[tuple[str, Pair]]]:
    """Right rules of a correction, each with its protocol, and the rules that end a statement that stays."""
    newer = read(case["after"], START + int(case["days"] * DAY))
    before = read(case["before"], START)
    told = [clause for clause in before if holds(clause.sentence, case["stale_words"])]
    kept = [clause for clause in before if not holds(clause.sentence, case["stale_words"])]
    learned = read({"text": case["stale"]}, START)
    right = {
        f"{rule}, {name}" for name, older in (("told", told), ("learned", learned)) for rule, _ in fired(older, newer)
    }  # fmt: skip
    return right, fired(kept, newer)


def of_pair(case: dict[str, Any]) -> dict[str, Pair]:
    """Rules that end a statement of a compatible pair, with the sentences of the last such pair of clauses."""
    newer = read(case["second"], START + int(case["days"] * DAY))
    return dict(fired(read(case["first"], START), newer))


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.rules", description=__doc__)
    options.add_argument("--corrections", type=Path, nargs="+", required=True)
    options.add_argument("--pairs", type=Path, nargs="+", required=True)
    options.add_argument("--wrong", action="store_true")
    given = options.parse_args()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    cases, pairs = load(given.corrections), load(given.pairs)
    for case in cases:
        found, kept = of_correction(case)
        right.update(found)
        for rule, (old, new) in kept:
            wrong[rule] += 1
            if given.wrong:
                print("KEPT", rule, case["id"], old, "=>", new)
    for case in pairs:
        for rule, (old, new) in of_pair(case).items():
            wrong[rule] += 1
            if given.wrong:
                print("PAIR", rule, case["id"], old, new)
    print(f"{len(cases)} corrections, {len(pairs)} compatible pairs")
    for rule in ("from", "instead", "ending", "denial", "value"):
        print(
            f"{rule}: right told {right[f'{rule}, told']}, learned {right[f'{rule}, learned']}; wrong {wrong[rule]}"
        )


if __name__ == "__main__":
    main()
