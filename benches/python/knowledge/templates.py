"""`python -m knowledge.templates FILE`: sentences of one template about different things, and true replacements.

Each line has a `text` with `{thing}` and `{value}`, the same with a word of change (`now`), eight `things`, their
`values` and `later` values, and the `kind` of fact. Protocols: *told*: turns of a user; *learned*: `learn` without
subjects.

- kept: facts in force, and undisputed, after a pass over the eight sentences, and memories that recall marks.
- replaced: facts whose thing got its later value, in a memory of its own, that ended, and that ended or are disputed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import bardo
from knowledge.memory import DAY, disputed, fresh, load

#: One minute in microseconds.
MINUTE = 60_000_000


def give(memory: bardo.Grimoire, text: str, protocol: str, kind: Any) -> None:
    """Learns or tells a sentence."""
    if protocol == "learned":
        memory.learn(text, kind=kind)
    else:
        memory.remember(f"{text}.", role="user", kind="turn")


def keep(row: dict[str, Any], protocol: str) -> tuple[int, int, int, list[str]]:
    """Number of the eight things whose fact is in force, of those undisputed, of those whose memory recall marks as
    corrected or disputed, and the ends of the others."""
    texts = [
        row["text"].format(thing=thing, value=value)
        for thing, value in zip(row["things"], row["values"], strict=True)
    ]
    with fresh() as (memory, clock):
        for text in texts:
            give(memory, text, protocol, row["kind"])
            clock.set(clock.now() + MINUTE)
        memory.sleep()
        facts = memory.facts.list(status=None)
        left = [fact for fact in facts if fact.status in ("active", "contradicted")]
        ends = [f"{fact.ended_by}: {fact.text}" for fact in facts if fact not in left]
        marked = sum(
            any(item.standing for item in memory.recall(text, limit=20) if text in item.text)
            for text in texts
        )
        return len(left), sum(not disputed(memory, fact) for fact in left), marked, ends


def replace(row: dict[str, Any], place: int, protocol: str, form: str) -> tuple[bool, bool, bool]:
    """Whether a thing has a fact, whether its later value ends that, and whether it ends or disputes it."""
    thing = row["things"][place]
    with fresh() as (memory, clock):
        give(memory, row["text"].format(thing=thing, value=row["values"][place]), protocol, row["kind"])
        memory.sleep()
        known = memory.facts.list()
        clock.set(clock.now() + DAY)
        give(memory, row[form].format(thing=thing, value=row["later"][place]), protocol, row["kind"])
        memory.sleep()
        now = [memory.facts.get(fact.id) for fact in known]
        ended = [fact.status == "superseded" for fact in now]
        return (
            bool(known), any(ended),
            any(end or disputed(memory, fact) for end, fact in zip(ended, now, strict=True)),
        )  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.templates", description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--wrong", action="store_true", help="print the facts that ended")
    given = options.parse_args()
    rows = load([given.file])
    print(
        "| protocol | facts | in force | undisputed | marked in recall | ended by |\n|---|--:|--:|--:|--:|---|"
    )
    for protocol in ("learned", "told"):
        found = [(row, *keep(row, protocol)) for row in rows]
        total = sum(left + len(ends) for _, left, _, _, ends in found)
        causes = Counter(end.partition(":")[0] for *_, ends in found for end in ends)
        clean, marked = sum(one[2] for one in found), sum(one[3] for one in found)
        print(
            f"| {protocol} | {total} | {sum(left for _, left, *_ in found)} | "
            f"{clean} | {marked} | {dict(causes.most_common())} |"
        )
        if given.wrong:
            for row, left, clean, _, ends in found:
                if ends or clean < left:
                    print(f"  {row['id']} in force {left}, undisputed {clean}: {'; '.join(ends)}")
    print("\n| protocol | replacement | facts | ended | ended or disputed |\n|---|---|--:|--:|--:|")
    for protocol in ("learned", "told"):
        for form, name in (("text", "same words"), ("now", "with a word of change")):
            places = range(0, 8, 2) if form == "text" else range(1, 8, 2)
            results = [(row, *replace(row, place, protocol, form)) for row in rows for place in places]
            known, ended, marked = (sum(one[at] for one in results) for at in (1, 2, 3))
            print(f"| {protocol} | {name} | {known} | {ended} | {marked} |")
            if given.wrong:
                missed = Counter(row["id"] for row, stated, _, mark in results if stated and not mark)
                print(f"  missed: {dict(missed)}")


if __name__ == "__main__":
    main()
