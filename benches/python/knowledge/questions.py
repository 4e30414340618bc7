"""`python -m knowledge.questions FOLDER CHAT...`: is the question of a user answered first, and by what holds now?

A file of the folder, named as its chat, has a question a line: `question`, `current` (turns that hold the answer as it
stands at the end of the chat), `stale` (turns that tell an older value) and `kind` (`holds` of now, `once` told,
`other`). Each chat is remembered as in `knowledge.profiles`; a question is asked a day after the last turn, in the
words of the user. A memory answers if it is one of the current turns, or a fact of which one is evidence.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import bardo
from knowledge.memory import DAY, fresh, load
from knowledge.profiles import remember_chat, start_of

#: Memories of an answer.
FOUND = 4


def turns_of(memory: Any, turn_of: dict[str, int]) -> set[int]:
    """Turns that a recalled memory is, or rests on."""
    record = memory.record
    ids = record.evidence if isinstance(record, bardo.Fact) else [record.id]
    return {turn_of[one] for one in ids if one in turn_of}


def rank(answer: list[set[int]], wanted: set[int]) -> int:
    """Place of the first memory of any wanted turn, from 0; the length of the answer if there is none."""
    return next((place for place, turns in enumerate(answer) if turns & wanted), len(answer))


def ask(chat: dict[str, Any], cases: list[dict[str, Any]], *, shown: bool) -> Counter[str]:
    """Remembers a chat and asks its questions."""
    done: Counter[str] = Counter()
    with fresh(None, start_of(chat)) as (memory, clock):
        turn_of = remember_chat(memory, clock, chat)
        clock.advance(DAY)
        for case in cases:
            found = list(memory.recall(case["question"], limit=FOUND, thread="chat"))
            answer = [turns_of(one, turn_of) for one in found]
            current, stale = rank(answer, set(case["current"])), rank(answer, set(case["stale"]))
            kind = case["kind"]
            done[kind] += 1
            done[f"{kind} first"] += current == 0
            done[f"{kind} found"] += current < len(answer)
            if case["stale"]:
                done["changed"] += 1
                done["changed first"] += current == 0
                done["changed found"] += current < len(answer)
                done["current before stale"] += current < stale
            if shown and current > 0:
                show(case, chat, found, current)
    return done


def show(case: dict[str, Any], chat: dict[str, Any], found: list[Any], place: int) -> None:
    """Prints a question that is not answered first: its turns, and the first two memories."""
    told = [chat["turns"][turn]["text"][:90] for turn in case["current"][:2]]
    print(f"  {place} {case['kind']}: {case['question']} <- {told}")
    for one in found[:2]:
        print(f"        {one.layer} {one.text[:110]} | {one.standing or ''}")


def row(name: str, n: Counter[str]) -> None:
    """Prints one row."""
    cells = [
        f"{n[kind]} | {n[f'{kind} first']} | {n[f'{kind} found']}"
        for kind in ("holds", "once", "other", "changed")
    ]
    print(f"| {name} | {' | '.join(cells)} | {n['current before stale']} |")


def main() -> None:
    """Asks the questions of all chats."""
    options = argparse.ArgumentParser(prog="knowledge.questions", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("chat", type=Path, nargs="+")
    options.add_argument(
        "--missed", action="store_true", help="print the questions that are not answered first"
    )
    given = options.parse_args()
    total: Counter[str] = Counter()
    heads = " | ".join(f"{kind} | first | in {FOUND}" for kind in ("holds", "once", "other", "changed"))
    print(f"| chat | {heads} | current before stale |\n|{'---|' * 14}")
    for file in given.chat:
        cases = load([given.folder / f"{file.stem}.jsonl"])
        done = ask(json.loads(file.read_text()), cases, shown=given.missed)
        total.update(done)
        row(file.stem, done)
    row("all", total)


if __name__ == "__main__":
    main()
