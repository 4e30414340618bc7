"""Second part of the demo: captures a chat of three months, recalls it with questions, and assembles a prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bardo
from bardo.examples import homes
from bardo.ports import ManualClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bardo.assemble.context import Prompt
    from bardo.recall.recollection import Recollection

TRANSCRIPT = "transcript.jsonl"
THREAD = "grandmother's birthday"
MEMORIES = 3
#: Maximum tokens of the prompt, and the reserve for the answer included in it; the chat alone has 1,710 words.
BUDGET, RESERVE = 900, 200
TASK = "It is the morning of the party. Brief Mira: when does it start, who must not eat what, and what about the cat?"
#: Questions, each with words of the answering turn. Two of the answers replaced an older one in mid-chat.
QUESTIONS: Mapping[str, str] = {
    "What does Mira drink in the morning now?": "rooibos",
    "On which day is the party now?": "20 June",
    "What is Tomas allergic to?": "allergic to walnuts",
    "What is the Finnair booking reference?": "QX7L2M",
    "Why must Uncle Pēteris not sit near Aunt Galina?": "boat in 1994",
    "Как зовут кошку бабушки?": "Муся",
    "旅館はどこに変更しましたか": "鴨川荘",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Question with its result.

    Args:
        question: Text of the question.
        expected: Words of the answering turn.
        recollection: Recalled memories.
        rank: Rank of the first memory with the expected words, from 1; None if there is none.
    """

    question: str
    expected: str
    recollection: Recollection
    rank: int | None


@dataclass(frozen=True, slots=True)
class Chat:
    """Results of the chat: captured turns, answers and prompt.

    Args:
        turns: Number of captured turns.
        again: Number of turns captured from a second reading of the same file; expected to be 0.
        answers: Answer to each question.
        prompt: Prompt assembled for the task.
    """

    turns: int
    again: int
    answers: tuple[Answer, ...]
    prompt: Prompt


def transcript() -> list[dict[str, Any]]:
    """Reads the turns, oldest first: `role`, `name`, `at` (ISO 8601) and `content`."""
    text = resources.files("bardo.examples").joinpath(TRANSCRIPT).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def converse(folder: Path, *, seed: int, embedder: Any) -> Chat:
    """Captures the transcript into a grimoire in a folder, asks the questions, and assembles the prompt."""
    turns = transcript()
    last = datetime.fromisoformat(turns[-1]["at"])
    clock = ManualClock(round(last.timestamp() * 1_000_000))
    options: dict[str, Any] = {"agent": "juno", "clock": clock, "seed": seed, "embedder": embedder}
    homes.write_settings(folder, agent="juno", tables=homes.EMBEDDING)
    with bardo.open(folder, **options) as grimoire:
        grimoire.remember(turns, thread=THREAD, mode="chat")
        kept = grimoire.stats()["log"]["episodes"]
        grimoire.remember(turns, thread=THREAD, mode="chat")
        again = grimoire.stats()["log"]["episodes"] - kept
        grimoire.sleep()
        # The next morning at ten.
        clock.advance(15.5 * 3_600)
        answers = []
        for question, expected in QUESTIONS.items():
            recollection = grimoire.recall(question, limit=MEMORIES, thread=THREAD)
            ranks = [rank for rank, memory in enumerate(recollection, 1) if expected in memory.text]
            answers.append(Answer(question, expected, recollection, ranks[0] if ranks else None))
        prompt = grimoire.context(TASK, budget=BUDGET, reserve=RESERVE, thread=THREAD)
    return Chat(len(turns), again, tuple(answers), prompt)
