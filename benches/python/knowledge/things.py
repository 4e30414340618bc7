"""`python -m knowledge.things FILE`: whether messages about a thing end each other only where one replaces another.

Each line has `thing`, `hold` (messages that stay true together) and `changes` (pairs of an old and a new message). All
of a thing are turns of a user, one a day: those that stay true and the old ones mixed, then the new ones. A night
follows each week. A fact is lost if it is no longer in force and rests on a message that stays true.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import Any

from knowledge.memory import DAY, disputed, fresh, load

WEEK = 7


def live(case: dict[str, Any], config: dict[str, Any]) -> tuple[Counter[str], list[str]]:
    """Counts of facts by what became of them, and the wrong ends."""
    chance = random.Random(case["thing"])
    texts = [*case["hold"], *(old for old, _ in case["changes"])]
    chance.shuffle(texts)
    texts += [new for _, new in case["changes"]]
    stale = {old for old, _ in case["changes"]}
    found: Counter[str] = Counter()
    wrong = []
    with fresh(config) as (memory, clock):
        text_of = {}
        for day, text in enumerate(texts):
            text_of[memory.remember(text, role="user", kind="turn").id] = text
            clock.set(clock.now() + DAY)
            if (day + 1) % WEEK == 0:
                memory.sleep()
        memory.sleep()
        for fact in memory.facts.list(status=None):
            said = {text_of[one] for one in fact.evidence if one in text_of}
            if not said or fact.payload.get("type", "none") != "none":
                continue
            kind = "stale" if said <= stale else "true"
            found[f"{kind} facts"] += 1
            if fact.status == "superseded":
                found[f"{kind} ended"] += 1
                found[f"{kind} ended by {fact.ended_by}"] += 1
                if kind == "true":
                    by = memory.facts.get(fact.superseded_by).text if fact.superseded_by else ""
                    wrong.append(f"{fact.ended_by}: {fact.text} <- {by}")
            elif disputed(memory, fact):
                found[f"{kind} disputed"] += 1
    return found, wrong


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.things", description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--wrong", action="store_true", help="print the true facts that were ended")
    options.add_argument("--no-cross-encoder", action="store_true", help="without curator.cross_encoder")
    given = options.parse_args()
    config = {"curator": {"cross_encoder": not given.no_cross_encoder}}
    found: Counter[str] = Counter()
    for case in load([given.file]):
        counts, wrong = live(case, config)
        found += counts
        if given.wrong:
            print(*wrong, sep="\n", flush=True)
    print("| facts | drawn | ended | disputed |\n|---|--:|--:|--:|")
    for kind in ("true", "stale"):
        count = max(1, found[f"{kind} facts"])
        shares = " | ".join(f"{found[f'{kind} {what}'] / count:.1%}" for what in ("ended", "disputed"))
        print(f"| {kind} | {found[f'{kind} facts']} | {shares} |")
    rules = {name: count for name, count in sorted(found.items()) if " ended by " in name}
    print(", ".join(f"{name}: {count}" for name, count in rules.items()))


if __name__ == "__main__":
    main()
