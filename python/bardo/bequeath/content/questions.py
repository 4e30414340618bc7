"""Transfers open questions from a dying agent to its heirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from bardo._atomic import parse_json
from bardo._core import inherit_gaps, knowledge_gaps
from bardo._printed import printed
from bardo.bequeath.content.left_behind import content_id

if TYPE_CHECKING:
    from bardo._core import FactStore

Kind = Literal["contradiction", "unknown", "untried", "unanswered"]
#: Maximum number of questions in a testament.
QUESTION_LIMIT = 64
#: Maximum length of a question or a name in a testament, in bytes.
_TEXT_BYTES = 4_096
#: Maximum number of facts of a question.
_FACTS = 8


@dataclass(frozen=True, slots=True)
class Question:
    """Open question of an agent.

    Args:
        question: Text of the question.
        kind: `contradiction`, `unknown`, `untried` or `unanswered`, see `Gap`.
        facts: Ids of the testator's facts concerned.
        entity: Name of the entity concerned.
        origin: Agent that first asked the question; empty for the testator.
        generation: Number of lives between that agent and the testator.
    """

    question: str
    kind: Kind = "unanswered"
    facts: tuple[str, ...] = ()
    entity: str | None = None
    origin: str = ""
    generation: int = 0

    __str__ = printed

    @property
    def id(self) -> str:
        """Id of the question: the same question has the same id."""
        return content_id(self.kind, self.question)


def open_questions(store: FactStore) -> tuple[Question, ...]:
    """Returns the open questions of a store, its own before inherited ones."""
    asked = [
        Question(question, kind, tuple(facts), entity, origin or "", generation)
        for kind, question, facts, entity, _, _, _, origin, generation in knowledge_gaps(store)
    ]
    return tuple(sorted(asked, key=lambda question: question.generation))


def read_questions(raw: bytes, agent: str, limit: int) -> tuple[Question, ...] | None:
    """Parses the part `questions.json` of a testament; returns None if it is not a list of questions.

    Args:
        raw: Bytes of the part; a list of sentences in format 1.
        agent: Name of the testator.
        limit: Maximum number of questions.
    """
    try:
        found = parse_json(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) > limit:
        return None
    questions = [_question(one, agent) for one in found]
    return tuple(one for one in questions if one is not None) if None not in questions else None


def take(
    questions: Sequence[Question], ids: Mapping[str, str], store: FactStore, *, tick: int
) -> tuple[int, int, int]:
    """Adds the open questions of a testament to the heir's, one generation older.

    Args:
        questions: Questions of the testament.
        ids: Id of the heir's fact, by the id in the testament.
        store: Fact store of the heir.
        tick: Current tick.

    Returns:
        Numbers of questions added, already open or answered at the heir, and left out because the store is full.
    """
    given = [
        (
            one.kind,
            one.question,
            [ids[fact] for fact in one.facts if fact in ids],
            one.entity,
            one.origin,
            one.generation + 1,
        )
        for one in questions
    ]
    return inherit_gaps(store, given, tick=tick) if given else (0, 0, 0)


def _question(found: Any, agent: str) -> Question | None:
    fields = {"question": found} if isinstance(found, str) else found
    if not isinstance(fields, dict) or not fields.keys() <= set(Question.__dataclass_fields__):
        return None
    facts = fields.get("facts", ())
    generation, origin = fields.get("generation", 0), fields.get("origin") or agent
    texts = [fields.get("question"), origin, *([] if fields.get("entity") is None else [fields["entity"]])]
    fits = (
        all(isinstance(text, str) and len(text.encode()) <= _TEXT_BYTES for text in texts)
        and fields.get("kind", "unanswered") in get_args(Kind)
        and isinstance(facts, (list, tuple))
        and len(facts) <= _FACTS
        and all(isinstance(fact, str) for fact in facts)
        and type(generation) is int
        and 0 <= generation < 2**31
    )
    if not fits:
        return None
    return Question(**{**fields, "facts": tuple(facts), "origin": origin, "generation": generation})
