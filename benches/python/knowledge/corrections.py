"""`python -m knowledge.corrections FILE`: effects of a message on an earlier statement that it corrects.

Each line has `before`, `after`, `stale`, `stale_words`, `question` and `kind`. Two protocols, each in a fresh memory
with unrelated messages beside it: *told*: both messages are turns; *learned*: the stale statement is learned as a
sentence, the correction is a turn. A pass of the Curator follows each message.

- ended: no fact that states the stale value is in force undisputed (or, of kind `bounded`, it has an end).
- newer first: recall of the question puts the correction, or a fact of it, before the older message or fact.
- right: both.
- marked: the stale fact ended or is disputed (of those that are stated as a fact).
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge.memory import DAY, disputed, fresh, holds, load

#: Number of unrelated messages in each memory.
AROUND = 10
#: Number of memories that a question recalls.
FOUND = 10


@dataclass(frozen=True)
class Result:
    """Result of one case by one protocol."""

    case: dict[str, Any]
    protocol: str
    stated: bool
    ended: bool
    marked: bool
    first: bool
    rules: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether nothing stale is in force and the newer comes first."""
        return self.ended and self.first


def judge(
    case: dict[str, Any], protocol: str, around: Sequence[str], config: dict[str, Any] | None = None
) -> Result:
    """Runs one case."""
    with fresh(config) as (memory, clock):
        for text in around:
            memory.remember(text, role="user", kind="turn")
        clock.advance(3600)
        older: set[str] = set()
        if protocol == "told":
            episode = memory.remember(case["before"]["text"], role=case["before"]["role"], kind="turn")
            older.add(episode.id)
        else:
            fact = memory.learn(case["stale"])
            older.add(fact.id)
        memory.sleep()
        known = [
            fact
            for fact in memory.facts.list(status=None)
            if fact.id in older or (older & set(fact.evidence) and holds(fact.text, case["stale_words"]))
        ]
        clock.set(clock.now() + int(case["days"] * DAY))
        later = memory.remember(case["after"]["text"], role=case["after"]["role"], kind="turn")
        memory.sleep()
        now = [memory.facts.get(fact.id) for fact in known]
        ends = [
            fact.status == "superseded"
            or (case["kind"] == "bounded" and fact.statement is not None and fact.statement.until is not None)
            for fact in now
        ]
        marks = [end or disputed(memory, fact) for fact, end in zip(now, ends, strict=True)]
        records = [item.record for item in memory.recall(case["question"], limit=FOUND)]
        return Result(
            case=case,
            protocol=protocol,
            stated=bool(known),
            ended=all(ends),
            marked=bool(known) and all(marks),
            first=is_first(records, {later.id}, older),
            rules=tuple(fact.ended_by or "" for fact in now if fact.status == "superseded"),
        )


def is_first(records: Sequence[Any], newer: set[str], older: set[str]) -> bool:
    """Whether a newer episode, or a fact of it, comes before the older episode or fact and its facts."""
    for record in records:
        ids = {record.id, *getattr(record, "evidence", ())}
        if ids & newer:
            return True
        if ids & older:
            return False
    return False


def run(
    cases: Sequence[dict[str, Any]],
    protocols: Sequence[str],
    seed: int = 1,
    config: dict[str, Any] | None = None,
) -> list[Result]:
    """Runs every case by every protocol."""
    chance = random.Random(seed)
    results = []
    for case in cases:
        others = [other["before"]["text"] for other in cases if other["id"] != case["id"]]
        around = chance.sample(others, min(AROUND, len(others)))
        results += [judge(case, protocol, around, config) for protocol in protocols]
    return results


def report(results: Sequence[Result]) -> str:
    """A table by protocol and kind."""
    lines = [
        "| protocol | cases | right | ended | newer first | stated | marked, of stated |",
        "|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        case = result.case
        groups[result.protocol].append(result)
        groups[f"{result.protocol}: {case['kind']}"].append(result)
        groups[f"{result.protocol}: {case['domain']}/{case['form']}"].append(result)
    for name, group in sorted(groups.items()):
        stated = [result for result in group if result.stated]
        shares = (
            share(sum(result.right for result in group), group),
            share(sum(result.ended for result in group), group),
            share(sum(result.first for result in group), group),
            share(len(stated), group),
            share(sum(result.marked for result in stated), stated),
        )
        lines.append(f"| {name} | {len(group)} | {' | '.join(shares)} |")
    return "\n".join(lines)


def share(part: int, whole: Sequence[Result]) -> str:
    """Percentage of the results; a dash without any."""
    return f"{part / len(whole):.0%}" if whole else "-"


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.corrections", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--protocol", choices=("told", "learned"), action="append")
    options.add_argument("--wrong", action="store_true", help="list the cases that are not right")
    options.add_argument("--no-cross-encoder", action="store_true", help="without curator.cross_encoder")
    given = options.parse_args()
    config = {"curator": {"cross_encoder": not given.no_cross_encoder}}
    results = run(load(given.file), given.protocol or ("told", "learned"), config=config)
    print(report(results))
    if given.wrong:
        for result in results:
            if not result.right:
                case = result.case
                print(
                    f"{case['id']} {result.protocol} {case['kind']} ended={result.ended} marked={result.marked} "
                    f"first={result.first}: {case['stale']!r} | {case['before']['text']!r} => {case['after']['text']!r}"
                )


if __name__ == "__main__":
    main()
