"""Tells questions that may ask for a decision from questions that ask for a fact.

With the default model a logistic regression over the words and the vector of the question decides
(`decision_questions.json`, fitted by `benches/python/knowledge/fit_questions.py`). Without it the form decides: English
is told by its closed classes. A question for a fact names what it wants: who, when, where, how many, what is. A
question with a modal or "do" before a first person asks what to do, with any first word ("when do we leave").
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo._weights import read_weights
from bardo.ports import Vectors

_FIRST = r"(i|we|one|my|our)\b"
#: "Should" anywhere, evaluations, and a modal or "do" before a first person; not after who, where and which.
_ADVICE = lazy_pattern(
    rf"""\b(
      (should|shall|ought|must)\b
    | (?<!who\s)(?<!where\s)(?<!which\s)(do|can|could|would|may|might)\s+{_FIRST}
    | (best|right|better|safest|quickest|fastest|sensible|worth|wise|instead|fix|plan|move)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_FACT = lazy_pattern(
    r"""^\s*((and|so|also|then|but|please|ok|okay|hey|hi)[\s,]+)*(
      (who|whom|whose|when|where|why|whether)\b
    | which\b.*\b(is|are|was|were|do|does|did|has|have|had|\w{3,}ed)\b
    | what(?!\s+(now|next|about|if)\b)\b
    | how\s+(many|long|old|often|large|tall|is|are|was|were|did|does|has|have|had)\b
    | (can|could|would|will)\s+you\b
    | (do|does|did|has|have|had)\s+(i|we|you|they|he|she|the|our|my|this|that)\s+(\w+\s+)?
      (have|has|had|know|own|support|exist\w*|include\w*|cost\w*|mean\w*)\b
    | (has|have|had|did|does|was|were|will)\b
    | (list|show|tell|find|explain|convert|print|remind)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: Questions of which "do we" or "can we" asks whether something is there.
_HAVING = lazy_pattern(r"\b(do|does|did|can|could)\s+\w+\s+(have|know|own)\b", re.IGNORECASE)
#: Auxiliaries that begin a question.
_ASKING = lazy_pattern(
    r"^\s*(is|are|was|were|do|does|did|can|could|will|would|should|has|have|how|what)\b", re.IGNORECASE
)
#: Words that a statement has at least.
_STATEMENT_WORDS = 3
_SENTENCES = lazy_pattern(r"(?<=[.!?;])\s+")


#: Questions of how a thing is done and of which thing does something.
_MANNER = lazy_pattern(
    r"^\s*((and|so|also|then|but|please|ok|okay|hey|hi)[\s,]+)*(how\s+(do|can|could)\s+(i|we|you|one)\b|which\b)",
    re.IGNORECASE,
)
#: Words that point at the moment or weigh one way against another, as a question for a decision does.
_MOMENT = lazy_pattern(
    r"""\b(this|these|that|those|it|them|him|her|now|today|tonight|tomorrow|next|here|first|without|rather|or|much|many
    |should|shall|ought|must|best|right|better|safest|quickest|fastest|sensible|worth|wise|instead)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_for_decision(text: str, vector: Vectors, model: str) -> bool | None:
    """Whether a text asks for a decision; None if the weights were fitted with another model.

    Args:
        text: Question or description of a task.
        vector: Its vector, shape (dims,).
        model: Name of the model of the vector.
    """
    weights = read_weights("bardo.recall", "decision_questions.json")
    if model != weights["model"] or len(vector) != len(weights["vector"]):
        return None
    spoken = sum(weights["words"].get(word, 0.0) for word in words_of(text))
    score = weights["bias"] + spoken + float(vector @ weights["vector"])
    return bool(score >= 0)


def words_of(text: str) -> frozenset[str]:
    """Words of a question in lower case, its first word, and its mark, as the regression takes them."""
    words = re.findall(r"[a-z']+", text.casefold())
    return frozenset((*words, *(f"first {word}" for word in words[:1]), *(["?"] if "?" in text else [])))


def asks_for_fact(text: str) -> bool:
    """Whether the last sentence of a text that is a question asks for a fact, and not what to do.

    A question after a statement ("the queue is long, where do I send it?") is about a situation, in any form.
    """
    sentences = _SENTENCES.split(text.strip())
    place = next((at for at in range(len(sentences) - 1, -1, -1) if sentences[at].endswith("?")), None)
    if place is None:
        return False
    before, _, clause = sentences[place].rpartition(", ")
    if any(_states(part) for part in (*sentences[:place], before)):
        return False
    if _MANNER.search(sentences[place]) and not _MOMENT.search(sentences[place]):
        return True
    return any(
        _FACT.search(part) and (_HAVING.search(part) or not _ADVICE.search(part))
        for part in (sentences[place], clause)
    )


def _states(part: str) -> bool:
    """Whether a part of a text states something."""
    is_asking = part.endswith("?") or _FACT.search(part) or _ADVICE.search(part) or _ASKING.search(part)
    return len(part.split()) >= _STATEMENT_WORDS and not is_asking


def is_question(text: str) -> bool:
    """Whether any sentence of a text is a question."""
    return any(sentence.endswith("?") for sentence in _SENTENCES.split(text.strip()))
