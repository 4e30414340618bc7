"""`python -m privacy.confidences FILE...`: whether what one person told in confidence answers another person.

Each line has `turns` (`speaker`, `text`) of one day and `questions` (`asker`, `text`, `hidden`, `shown`): words that no
result for this person may have, and words that a result must have. The questions are asked after the turns, and again
after a pass of the Curator. Private things that a person tells without asking to keep them are common to all.

- hidden: of the words that are hidden from the asker, those in no result.
- found by who told: of the words that the person who told a confidence asks for, those in a result.
- found by others: of the words of ordinary turns, those in a result.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bardo
from knowledge.memory import fresh, load

#: Seconds between two turns.
STEP = 60


@dataclass(frozen=True)
class Answer:
    """Whether the words of a question were treated as they should be."""

    question: dict[str, Any]
    measure: str
    words: str
    right: bool


def ask(memory: bardo.Grimoire, case: dict[str, Any]) -> Iterator[Answer]:
    """Asks the questions of a dialogue."""
    hidden = {words for question in case["questions"] for words in question["hidden"]}
    for question in case["questions"]:
        found = memory.recall(question["text"], asker=question["asker"])
        text = "\n".join(result.text for result in found).casefold()
        for words in question["hidden"]:
            yield Answer(question, "hidden", words, words.casefold() not in text)
        for words in question["shown"]:
            said = [turn["text"] for turn in case["turns"] if words.casefold() in turn["text"].casefold()]
            is_told = any(other.casefold() in text.casefold() for text in said for other in hidden)
            measure = "found by who told" if is_told else "found by others"
            yield Answer(question, measure, words, words.casefold() in text)


def judge(case: dict[str, Any]) -> Iterator[tuple[str, Answer]]:
    """Runs one dialogue."""
    with fresh() as (memory, clock):
        for turn in case["turns"]:
            clock.advance(STEP)
            memory.remember(turn["text"], role="user", speaker=turn["speaker"], kind="turn", thread="group")
        for when in ("before a pass", "after a pass"):
            yield from ((when, answer) for answer in ask(memory, case))
            memory.sleep()


def main() -> None:
    options = argparse.ArgumentParser(prog="privacy.confidences", description=__doc__)
    options.add_argument("file", type=Path, nargs="+")
    options.add_argument("--wrong", action="store_true", help="list the words that were treated wrongly")
    given = options.parse_args()
    answers = [row for case in load(given.file) for row in judge(case)]
    print("| measure | when | words | right |\n|---|---|--:|--:|")
    for measure in ("hidden", "found by who told", "found by others"):
        for when in ("before a pass", "after a pass"):
            right = [answer.right for at, answer in answers if at == when and answer.measure == measure]
            print(f"| {measure} | {when} | {len(right)} | {sum(right) / max(1, len(right)):.0%} |")
    if given.wrong:
        for when, answer in answers:
            if not answer.right:
                question = answer.question
                print(
                    f"{answer.measure} ({when}), {question['asker']}: {question['text']!r}: {answer.words!r}"
                )


if __name__ == "__main__":
    main()
