"""`python -m knowledge.compatible FILE`: whether a true statement survives a later one that is compatible with it.

Each line has `first` and `second`, two messages that both stay true. Protocols: *told*: both are turns; *learned*: both
are learned as facts. A fact of the first is lost if it is no longer in force after the second, disputed if both stay
and are linked as contradicting.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from knowledge.memory import DAY, disputed, fresh, load


def judge(
    case: dict[str, Any], protocol: str, config: dict[str, Any] | None = None
) -> tuple[int, int, int, tuple[str, ...]]:
    """Number of facts of the first message, of those lost, of those disputed, and the rules."""
    with fresh(config) as (memory, clock):
        if protocol == "told":
            memory.remember(case["first"]["text"], role=case["first"]["role"], kind="turn")
        else:
            memory.learn(case["first"]["text"])
        memory.sleep()
        known = memory.facts.list(status=None)
        clock.set(clock.now() + int(case["days"] * DAY))
        if protocol == "learned":
            memory.learn(case["second"]["text"])
        else:
            memory.remember(case["second"]["text"], role=case["second"]["role"], kind="turn")
        memory.sleep()
        now = [memory.facts.get(fact.id) for fact in known]
        lost = [
            fact for fact in now if fact.status in ("superseded", "archived") or fact.expires_tick is not None
        ]
        marked = [fact for fact in now if fact not in lost and disputed(memory, fact)]
        return len(known), len(lost), len(marked), tuple(f"{fact.ended_by}: {fact.text}" for fact in lost)


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.compatible", description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--wrong", action="store_true")
    options.add_argument("--no-cross-encoder", action="store_true", help="without curator.cross_encoder")
    given = options.parse_args()
    config = {"curator": {"cross_encoder": not given.no_cross_encoder}}
    cases = load([given.file])
    print("| protocol | pairs | with facts | lost a fact | disputed |\n|---|---|---|---|---|")
    for protocol in ("told", "learned"):
        results = [(case, *judge(case, protocol, config)) for case in cases]
        stated = sum(known > 0 for _, known, *_ in results)
        lost = sum(gone > 0 for _, _, gone, *_ in results)
        marked = sum(count > 0 for *_, count, _ in results)
        print(
            f"| {protocol} | {len(cases)} | {stated} | {lost} ({lost / len(cases):.1%}) | "
            f"{marked} ({marked / len(cases):.0%}) |"
        )
        if given.wrong:
            for case, _, gone, count, rules in results:
                if gone or count:
                    what = "LOST" if gone else "disputed"
                    print(
                        f"{what} {case['id']} {rules} {case['first']['text']!r} => {case['second']['text']!r}"
                    )


if __name__ == "__main__":
    main()
