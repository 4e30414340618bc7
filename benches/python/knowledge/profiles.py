"""`python -m knowledge.profiles FILE...`: facts of a person that are in force at the end of a chat.

Each file `profile-*.json` holds `turns`, `facts` (with groups of alternative words) and `traps`, and the date of day 0
(`start`; inferred by a reader from the dates that the turns name). The chat is remembered day by day with a pass of the
Curator after each day. A fact in force is right if it matches a gold fact that holds, in
its words and turns; stale if it matches one that no longer holds; a trap if it has the words of one; else unlisted.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import bardo
from knowledge.memory import DAY, fresh

#: Maximum number of turns between a statement and a turn of its gold fact.
NEAR = 2
#: Minimum confidence of a fact in force.
LEAST = 0.05


@dataclass
class Outcome:
    """Counts of one chat."""

    facts: int = 0
    right: int = 0
    stale: int = 0
    trap: int = 0
    unlisted: list[str] = field(default_factory=list)
    core: int = 0
    found: int = 0
    traps: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def matches(text: str, groups: Sequence[Sequence[str]]) -> bool:
    """Whether a text has a word of each group, at the border of a word."""
    low = text.casefold().replace("’", "'")
    return all(
        any(re.search(rf"(?<!\w){re.escape(word.casefold())}", low) for word in group) for group in groups
    )


def near(turns: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a turn is at most `NEAR` turns from one of the wanted ones."""
    return any(abs(turn - other) <= NEAR for turn in turns for other in wanted)


def start_of(chat: dict[str, Any]) -> int:
    """Morning of day 0, microseconds UTC."""
    return int(datetime.fromisoformat(chat["start"]).replace(hour=8, tzinfo=UTC).timestamp()) * 1_000_000


def remember_chat(memory: bardo.Grimoire, clock: bardo.ManualClock, chat: dict[str, Any]) -> dict[str, int]:
    """Remembers a chat day by day, with a pass of the Curator after each; returns the turns by episode."""
    start, day = start_of(chat), 0
    turn_of = {}
    for number, turn in enumerate(chat["turns"]):
        if turn["day"] != day:
            memory.sleep()
            day = turn["day"]
        clock.set(max(clock.now() + 20_000_000, start + day * DAY))
        speaker = chat["user"] if turn["role"] == "user" else None
        episode = memory.remember(
            turn["text"], role=turn["role"], kind="turn", speaker=speaker, thread="chat"
        )
        turn_of[episode.id] = number
    memory.sleep()
    return turn_of


def judge(chat: dict[str, Any], config: dict[str, Any] | None = None) -> Outcome:
    """Remembers one chat and compares the facts in force with the labels."""
    done = Outcome()
    with fresh(config, start_of(chat)) as (memory, clock):
        turn_of = remember_chat(memory, clock, chat)
        facts = [
            (fact, memory.facts.confidence(fact)) for fact in memory.facts.list() if fact.kind != "baseline"
        ]
        facts = [fact for fact, confidence in facts if confidence >= LEAST]
        found: set[int] = set()
        for fact in facts:
            turns = [turn_of[episode] for episode in fact.evidence if episode in turn_of]
            hits = [
                place
                for place, gold in enumerate(chat["facts"])
                if near(turns, gold["turns"]) and matches(fact.text, gold["words"])
            ]
            done.facts += 1
            found |= {place for place in hits if chat["facts"][place]["holds"]}
            if any(chat["facts"][place]["holds"] for place in hits):
                done.right += 1
            elif hits:
                done.stale += 1
                done.wrong.append(f"stale: {fact.text}")
            elif any(
                near(turns, [trap["turn"]]) and matches(fact.text, trap["words"]) for trap in chat["traps"]
            ):
                done.trap += 1
                done.wrong.append(f"trap: {fact.text}")
            else:
                said = " / ".join(chat["turns"][turn]["text"] for turn in turns[:1])
                done.unlisted.append(f"{fact.text}   <- {said[:160]}")
        core = [
            place for place, gold in enumerate(chat["facts"]) if gold["worth"] == "core" and gold["holds"]
        ]
        done.core, done.found = len(core), len(found & set(core))
        missed = [chat["facts"][place] for place in core if place not in found]
        done.missed = [
            f"{gold['text']} <- {chat['turns'][gold['turns'][0]]['text'][:200]}" for gold in missed
        ]
        done.traps = len(chat["traps"])
    return done


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.profiles", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--wrong", action="store_true")
    options.add_argument("--no-cross-encoder", action="store_true", help="without curator.cross_encoder")
    given = options.parse_args()
    config = {"curator": {"cross_encoder": not given.no_cross_encoder}}
    total: Counter[str] = Counter()
    print(
        "| chat | facts | right | stale | trap | unlisted | precision (unlisted wrong) | core found |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for file in given.file:
        done = judge(json.loads(file.read_text()), config)
        counts = {
            "facts": done.facts, "right": done.right, "stale": done.stale, "trap": done.trap, "traps": done.traps,
            "unlisted": len(done.unlisted), "core": done.core, "found": done.found,
        }  # fmt: skip
        total.update(counts)
        row(file.stem, Counter(counts))
        if given.wrong:
            for kind in ("wrong", "unlisted", "missed"):
                for line in getattr(done, kind):
                    print(f"   {kind}: {line}")
    row("all", total)


def row(name: str, n: Counter[str]) -> None:
    """Prints one row."""
    precision = n["right"] / max(1, n["facts"])
    print(
        f"| {name} | {n['facts']} | {n['right']} | {n['stale']} | {n['trap']} of {n['traps']} | {n['unlisted']} | "
        f"{precision:.2f} | {n['found']} of {n['core']} ({n['found'] / max(1, n['core']):.2f}) |"
    )


if __name__ == "__main__":
    main()
