"""The evaluation data as corpora of turns and questions with evidence. The files stay where they are."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

LOCOMO = "locomo-dev.json"
LONGMEMEVAL = "longmemeval-s-dev.jsonl.gz"
#: LoCoMo's fifth category asks for what was never said; there is no evidence to find.
ADVERSARIAL = 5
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Args:
        id: Unique within its corpus.
        text: Text as it was said.
        speaker: Who said it, where known by name.
        role: `user` or `agent`.
        at: Microseconds UTC.
        session: The session it belongs to.
    """

    id: str
    text: str
    speaker: str | None
    role: str
    at: int
    session: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    evidence: frozenset[str]
    sessions: frozenset[str]
    category: str
    at: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """One memory's content and what is asked of it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def load_locomo(folder: Path) -> list[Corpus]:
    """LoCoMo's development conversations; malformed evidence is mended where it can be, else dropped."""
    conversations = json.loads((folder / LOCOMO).read_text(encoding="utf-8"))
    return [_locomo(conversation) for conversation in conversations]


def _locomo(entry: dict) -> Corpus:
    talk = entry["conversation"]
    turns = []
    for number in range(1, len(talk)):
        session = f"session_{number}"
        if session not in talk:
            continue
        moment = datetime.strptime(talk[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        at = round(moment.timestamp() * 1e6)
        for place, turn in enumerate(talk[session]):
            role = "user" if turn["speaker"] == talk["speaker_a"] else "agent"
            turns.append(
                Turn(turn["dia_id"], turn["text"], turn["speaker"], role, at + place * 1_000_000, session)
            )
    session_of = {turn.id: turn.session for turn in turns}
    last = max(turn.at for turn in turns)
    questions = []
    for asked in entry["qa"]:
        if asked["category"] == ADVERSARIAL:
            continue
        named = EVIDENCE.findall(" ".join(map(str, asked["evidence"])))
        evidence = {f"D{int(session)}:{int(turn)}" for session, turn in named} & session_of.keys()
        if evidence:
            sessions = frozenset(session_of[turn] for turn in evidence)
            questions.append(
                Question(
                    asked["question"],
                    frozenset(evidence),
                    sessions,
                    str(asked["category"]),
                    last + 86_400_000_000,
                )
            )
    return Corpus(entry["sample_id"], tuple(turns), tuple(questions))


def load_longmemeval(folder: Path) -> list[Corpus]:
    """LongMemEval-S development questions, each with its own haystack of sessions."""
    with gzip.open(folder / LONGMEMEVAL, "rt", encoding="utf-8") as lines:
        return [_longmemeval(json.loads(line)) for line in lines]


def _longmemeval(entry: dict) -> Corpus:
    turns: list[Turn] = []
    evidence = set()
    order = sorted(
        zip(entry["haystack_dates"], entry["haystack_session_ids"], entry["haystack_sessions"], strict=True),
        key=lambda part: _moment(part[0]),
    )
    for date, session, messages in order:
        at = _moment(date)
        for place, message in enumerate(messages):
            if not message["content"].strip():
                continue
            turn_id = f"{session}:{place}"
            role = "user" if message["role"] == "user" else "agent"
            turns.append(Turn(turn_id, message["content"], None, role, at + place * 1_000_000, session))
            if message.get("has_answer"):
                evidence.add(turn_id)
    question = Question(
        entry["question"],
        frozenset(evidence),
        frozenset(entry["answer_session_ids"]),
        entry["question_type"],
        _moment(entry["question_date"]),
    )
    return Corpus(entry["question_id"], tuple(turns), (question,))


def _moment(text: str) -> int:
    moment = datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    return round(moment.timestamp() * 1e6)


def load_turns(folder: Path) -> list[str]:
    """Returns the turns of all conversations, each text once."""
    corpora = (*load_locomo(folder), *load_longmemeval(folder))
    return list(dict.fromkeys(turn.text for corpus in corpora for turn in corpus.turns))
