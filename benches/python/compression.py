"""Measures how much of a question's evidence condensing keeps, beside plain truncation to the same number of tokens.

    python benches/python/compression.py --data FOLDER

`FOLDER/locomo-dev.json` holds conversations in LoCoMo's format. Two kinds of text are shortened: the sessions that
hold the evidence of a question, as one text in their order (a transcript, a tool's result), and the turns that BM25
ranks first for the question, best first (what recall puts into a prompt). The model of words learns from the other
conversations' turns and from the text's own. Categories 1 to 4; adversarial questions have no answer.

Columns: the share of the questions whose answer's words (those the text had) are all kept; the share of the words of
the evidence turns, stop words aside, that are kept; both for condensing with the question, without it, and truncation.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo import _core
from bardo.model import NEUTRAL, Episode

#: Half of a beginning that is twice as long: what a prompt does where less than half of a text has room.
HALF = 0.5
SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
ADVERSARIAL = 5
RANKED = 40
EVIDENCE = re.compile(r"D\d+:\d+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
STOP = frozenset(
    (  # noqa: SIM905 - a list of words reads best as words
        "a an and are as at be been but by did do does for from had has have he her hers him his how i i'm in is it "
        "its me my of on or our she so that the their them then there they this to was we were what when where which "
        "who will with you your"
    ).split(" ")
)


@dataclass(frozen=True, slots=True)
class Case:
    """One question, the text that is to be shortened for it, and what must not be lost."""

    question: str
    text: str
    answer: frozenset[str]
    evidence: frozenset[str]


def words(text: str) -> list[str]:
    """The words of a text in lower case without stop words."""
    return [word for word in (found.lower() for found in WORD.findall(text)) if word not in STOP]


def turns_of(conversation: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Id of each turn, the number of its session and its line."""
    turns = {}
    for key, value in conversation["conversation"].items():
        if re.fullmatch(r"session_\d+", key):
            for turn in value:
                line = f"{turn['speaker']}: {turn['text']}"
                turns[turn["dia_id"]] = (int(key.split("_")[1]), line)
    return turns


def ranking(turns: Mapping[str, tuple[int, str]]) -> Callable[[str], list[str]]:
    """BM25 over the turns by bardo's own hot set; ids best first."""
    hot = _core.HotSet()
    lines = [Episode(line, tick=tick + 1) for tick, (_, line) in enumerate(turns.values())]
    episodes = _core.finish_episodes(lines, now=1, seed=1)
    hot.add_episodes(episodes)
    ids = {episode.id: turn for episode, turn in zip(episodes, turns, strict=True)}

    def best(question: str) -> list[str]:
        found = hot.search(question, None, limit=RANKED, now_tick=1, now=1, pad=NEUTRAL)
        return [ids[hit.id] for hit in found.hits]

    return best


def cases(conversation: Mapping[str, Any], kind: str) -> Iterable[Case]:
    """The questions of a conversation whose evidence is in the text."""
    turns = turns_of(conversation)
    best = ranking(turns) if kind == "ranked turns" else None
    for asked in conversation["qa"]:
        evidence = [turn for turn in EVIDENCE.findall(" ".join(asked.get("evidence", []))) if turn in turns]
        if asked["category"] == ADVERSARIAL or not evidence:
            continue
        if best is None:
            sessions = {turns[turn][0] for turn in evidence}
            shown = [turn for turn, (session, _) in turns.items() if session in sessions]
        else:
            shown = best(asked["question"])
        text = "\n".join(turns[turn][1] for turn in shown)
        there = set(words(text))
        answer = frozenset(words(str(asked.get("answer", "")))) & there
        proof = frozenset(word for turn in evidence if turn in shown for word in words(turns[turn][1]))
        yield Case(asked["question"], text, answer, proof)


def truncated(text: str, tokens: int) -> str:
    """The longest beginning of whole words with at most so many tokens."""
    pieces = re.findall(r"\S+\s*", text)
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _core.count_tokens("".join(pieces[:middle])) <= tokens else (low, middle - 1)
        )
    return "".join(pieces[:low])


def score(shortened: Sequence[tuple[Case, str]]) -> tuple[float, float]:
    """Share of the answers that are whole, and share of the words of the evidence."""
    whole, kept = [], []
    for case, text in shortened:
        left = set(words(text))
        if case.answer:
            whole.append(case.answer <= left)
        if case.evidence:
            kept.append(len(case.evidence & left) / len(case.evidence))
    return sum(whole) / max(1, len(whole)), sum(kept) / max(1, len(kept))


def main() -> None:
    """Prints a table for each kind of text."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", type=Path, required=True, help="folder with locomo-dev.json")
    options.add_argument("--questions", type=int, default=0, help="of each conversation at most; 0 takes all")
    given = options.parse_args()
    path = given.data / "locomo-dev.json"
    if not path.is_file():
        options.error(f"{path} is not there. Pass the folder that holds it")
    conversations = json.loads(path.read_text(encoding="utf-8"))
    for kind in ("sessions in order", "ranked turns"):
        print(f"\n### {kind}\n")
        print(
            "| asked for | tokens left | condensed with the question | half of a beginning | without the question "
            "| truncated |"
        )
        print("|---|---|---|---|---|---|")
        prepared = []
        for held, conversation in enumerate(conversations):
            model = _core.WordModel()
            others = [other for index, other in enumerate(conversations) if index != held]
            model.learn([line for other in others for _, line in turns_of(other).values()])
            picked = list(cases(conversation, kind))[: given.questions or None]
            prepared.append((model, picked))
        for share in SHARES:
            rows: dict[str, list[tuple[Case, str]]] = {"with": [], "half": [], "without": [], "cut": []}
            left = whole = 0
            for model, picked in prepared:
                for case in picked:
                    text, tokens, before = model.compress(case.text, share, question=case.question)
                    rows["with"].append((case, text))
                    start = truncated(case.text, int(tokens / HALF))
                    half = start if share >= HALF else model.compress(start, HALF, question=case.question)[0]
                    rows["half"].append((case, text if share >= HALF else half))
                    rows["without"].append((case, model.compress(case.text, share)[0]))
                    rows["cut"].append((case, truncated(case.text, tokens)))
                    left, whole = left + tokens, whole + before
            cells = [" / ".join(f"{part:.3f}" for part in score(row)) for row in rows.values()]
            print(f"| {share:.1f} | {left / whole:.2f} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
