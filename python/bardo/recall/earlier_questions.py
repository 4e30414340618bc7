"""Earlier questions of a user, which state nothing: in answer to another question they come after statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bardo.model import Episode
from bardo.recall.recollection import Memory, Recollection

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
#: A question behind a statement that it asks to confirm: "..., doesn't it?", "..., right?".
_TAG = re.compile(
    r"(?i),\s*(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n['’]t|\snot)?\s\w+|right|ok(?:ay)?|"
    r"correct|yes|no|yeah|huh)\?$"
)
#: Words before what a question states: "Did you know that ...?", "Can you note that ...?".
_TELLING = re.compile(
    r"(?i)\b(?:know|note|noted|remember|aware|hear|heard|mention\w*|tell|told|say|said|record)\b"
)
#: Beginning of a question that asks for a fact, and proposes or requests nothing.
_ASKS = re.compile(
    r"(?i)\W{0,3}(?:(?:and|but|so|or|hey|hi|ok(?:ay)?|well|then|also)\W{1,2}){0,2}"
    r"(?:(?:since|until|till|from|by|in|at|for|on|to|with|of)\s)?"
    r"(?:what|which|who|whose|whom|where|when|why|how|is|are|was|were|do|does|did|has|have|had)"
    r"(?:['’](?:s|re))?\b(?!\s(?:about|if|not|don['’]t|do not)\b)"
)
#: A figure, of which a question may state a value: "Can we move it to 7431?".
_FIGURE = re.compile(r"\d")
#: Queries about what was asked.
_ABOUT_QUESTIONS = re.compile(r"(?i)\b(?:ask(?:s|ed|ing)?|questions?|wonder(?:s|ed)?|wanted to know)\b")


def states_nothing(text: str) -> bool:
    """Whether a text is nothing but questions for facts."""
    text = text.strip()
    if not text.endswith("?") or _FIGURE.search(text):
        return False
    return all(
        one.endswith("?") and not _TAG.search(one) and not _TELLING.search(one) and _ASKS.match(one)
        for one in _SENTENCE.split(text)
    )


def behind(found: Recollection) -> Recollection:
    """Returns a recollection with earlier questions of users behind the other memories."""
    # Memories are read only where one may be a question.
    if not any(text.rstrip().endswith("?") for text in found.texts):
        return found
    asked = _asked(found.query, found.memories)
    if not asked:
        return found
    memories = sorted(found.memories, key=lambda memory: memory.id in asked)
    return found if list(found.memories) == memories else replace(found, memories=tuple(memories))


def without(query: str, memories: Sequence[Memory]) -> list[Memory]:
    """Returns memories without earlier questions of users."""
    asked = _asked(query, memories)
    return [memory for memory in memories if memory.id not in asked]


def _asked(query: str, memories: Sequence[Memory]) -> set[str]:
    """Returns the ids of earlier questions that a query is not about."""
    if _ABOUT_QUESTIONS.search(query):
        return set()
    return {
        memory.id
        for memory in memories
        if memory.text.rstrip().endswith("?")
        and isinstance(record := memory.record, Episode)
        and record.role == "user"
        and states_nothing(memory.text)
    }
