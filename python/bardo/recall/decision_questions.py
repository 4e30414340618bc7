"""Tells questions that may ask for a decision from questions that ask for a fact, by their form alone.

English is told by its closed classes. A question for a fact names what it wants: who, when, where, how many, what is.
A question with a modal or "do" before a first person asks what to do, with any first word ("when do we leave").
"""

from __future__ import annotations

import re

_FIRST = r"(i|we|one|my|our)\b"
#: "Should" anywhere, evaluations, and a modal or "do" before a first person; not after who, where and which.
_ADVICE = re.compile(
    rf"""\b(
      (should|shall|ought|must)\b
    | (?<!who\s)(?<!where\s)(?<!which\s)(do|can|could|would|may|might)\s+{_FIRST}
    | (best|right|better|safest|quickest|fastest|sensible|worth|wise|instead|fix|plan|move)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_FACT = re.compile(
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
_HAVING = re.compile(r"\b(do|does|did|can|could)\s+\w+\s+(have|know|own)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+")


def asks_for_fact(text: str) -> bool:
    """Whether the last sentence of a text that is a question asks for a fact, and not what to do."""
    asked = next(
        (sentence for sentence in reversed(_SENTENCES.split(text.strip())) if sentence.endswith("?")), None
    )
    if asked is None:
        return False
    # "..., what now?": the last clause asks.
    clause = asked.rsplit(", ", 1)[-1]
    return any(
        _FACT.search(part) and (_HAVING.search(part) or not _ADVICE.search(part)) for part in (asked, clause)
    )


def is_question(text: str) -> bool:
    """Whether any sentence of a text is a question."""
    return any(sentence.endswith("?") for sentence in _SENTENCES.split(text.strip()))
