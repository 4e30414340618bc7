"""Looks up the parts of a task apart: "move the limit, tell the client, book the room" asks for three things.

A part is a clause that asks or orders. The search for the whole task favours what has the most of its words; each part
adds its own best hits, a few for each, in place of the last ones of the whole. The words are English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, chain, zip_longest
from typing import NamedTuple

from bardo._core import Hit, without_stop_words
from bardo.model import Episode, Fact, Source
from bardo.ports import Tokens, Vectors
from bardo.recall.filters import Layer
from bardo.recall.recollection import Answer

#: Maximum number of parts, and of characters of a task that has parts: a longer one is a document.
PARTS, CHARACTERS = 4, 600
#: Maximum number of hits of a part, and smallest limit of a recall with parts.
SEATS, LEAST = 2, 4
#: Part of the limit that the hits of all parts may take, and that of the hits before them.
_SHARE, _BEFORE = 2, 4
_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|shall|will|would"
_QUESTION = (
    rf"(?:(?:what|which|who|whom|whose|when|where|why|how)\b.*?\s(?:{_AUXILIARY})\s|(?:{_AUXILIARY})\s"
    r"(?:(?:i|you|he|she|it|we|they|there|the|my|our|your|this|that|any|all)\b|(?-i:[A-Z])))"
)
#: Words that begin no order.
_NO_VERB = (
    "a|an|the|this|that|these|those|my|our|your|his|her|its|their|i|you|he|she|it|we|they|in|on|at|by|for|from|to|of|with|"
    "without|about|over|under|before|after|until|since|if|when|while|as|because|than|and|or|but|so|no|not|all|any|some|"
    "what|which|who|whom|whose|where|why|how|there|here|yes|ok|okay|thanks|hello|hi|good|"
    "is|are|was|were|has|have|had|does|did"
)
_ORDER = (
    rf"(?!(?:{_NO_VERB}|\w+ing)\b)[^\W\d_]{{2,}}(?:\s(?:up|down|out|off|back|to|with))?\s"
    r"(?:(?:the|an?|my|our|your|his|her|their|this|that|these|those|all|any|me|him|them|us|it|no|every)\b|(?-i:[A-Z])\w|\d)"
)
_BEGINS = re.compile(rf"(?:please,?\s|then\s|also\s)*(?:{_QUESTION}|{_ORDER})", re.IGNORECASE)
#: Where a part may end: a sentence, a semicolon, or a comma or an "and" before a clause that asks or orders.
_CUT = re.compile(
    r"(?<=[.?!])\s+|;\s+|\n+|(?:,\s+(?:and\s+|then\s+|also\s+)*|\s+(?:and|then)\s+(?:then\s+|also\s+)?)"
    rf"(?=(?:{_QUESTION}|{_ORDER}))",
    re.IGNORECASE,
)
#: Words before the first part that name who asks: "Marit asks: ".
_LABEL = re.compile(r"\s*[^:,.?!]{1,40}:\s+")


class Part(NamedTuple):
    """Part of a task.

    Args:
        text: Its words.
        vector: Mean of the vectors of its tokens in the task, which needs no further call of the model; None without.
        tokens: These tokens.
    """

    text: str
    vector: Vectors | None = None
    tokens: Tokens | None = None


def parts_of(task: str, tokens: Tokens | None, language: str) -> list[Part]:
    """Returns the parts of a task; none if there are fewer than two.

    Without token vectors a part is searched by its words alone.

    Args:
        task: Task or question.
        tokens: Tokens of the task, if the embedder gives them.
        language: Name of the language, as in `curator.language`.
    """
    texts = clauses_of(task, language)
    return [Part(text) for text in texts] if tokens is None else _with_vectors(task, texts, tokens)


def _with_vectors(task: str, texts: Sequence[str], tokens: Tokens) -> list[Part]:
    """Returns parts with the vectors of their tokens in the task."""
    starts, at = [], 0
    for word in tokens.words:
        # The model may have cut the task, or spell a word otherwise.
        at = max(task.find(word, at), at)
        starts.append(at)
    rows = [0, *accumulate(tokens.counts)]
    found, end = [], 0
    for text in texts:
        start = task.index(text, end)
        end = start + len(text)
        inside = [place for place, at in enumerate(starts) if start <= at < end]
        if not inside:
            found.append(Part(text))
            continue
        first, last = inside[0], inside[-1] + 1
        vectors = tokens.vectors[rows[first] : rows[last]]
        vector = vectors.mean(axis=0)
        length = float((vector @ vector) ** 0.5)
        if not length:
            found.append(Part(text))
            continue
        own = Tokens(tokens.words[first:last], tokens.counts[first:last], vectors)
        found.append(Part(text, vector / length, own))
    return found


def clauses_of(task: str, language: str) -> list[str]:
    """Returns the clauses of a task that ask or order; none if there are fewer than two.

    Args:
        task: Task or question.
        language: Name of the language, as in `curator.language`.
    """
    if language != "english" or len(task) > CHARACTERS:
        return []
    label = _LABEL.match(task)
    pieces = [piece.strip(" ,.!") for piece in _CUT.split(task[label.end() :] if label else task)]
    found = [piece for piece in pieces if _BEGINS.match(piece) and without_stop_words(piece).strip()]
    return found[:PARTS] if len(found) > 1 else []


class JoinedAnswer:
    """Hits of a task with the best hits of its parts (see `recollection.Answer`).

    Args:
        whole: Hits of the task.
        parts: Hits of each part.
        limit: Maximum number of hits.
    """

    def __init__(self, whole: Answer, parts: Sequence[Answer], limit: int) -> None:
        self.notes, self.searched, self.candidates = whole.notes, whole.searched, whole.candidates
        lines = {id(answer): answer.outlines() for answer in (whole, *parts)}
        shown = [(outline[1], _folded(outline[0])) for outline in lines[id(whole)]]
        seats: list[tuple[Answer, int]] = []
        taken: set[str] = set()
        places = zip_longest(
            *([(answer, place) for place in range(min(len(answer), SEATS))] for answer in parts)
        )
        for answer, place in filter(None, chain.from_iterable(places)):
            kept = {said for pair in shown[: max(limit - len(seats) - 1, 0)] for said in pair} | taken
            text, id_, *_ = lines[id(answer)][place]
            # The second hit must share a word: what is only near the task has come with the whole.
            if id_ in kept or _folded(text) in kept or (place and not answer.hit(place).matched):
                continue
            if len(seats) == limit // _SHARE:
                break
            seats.append((answer, place))
            taken |= {id_, _folded(text)}
        first = max(limit // _BEFORE, 1)
        of_whole = [(whole, place) for place in range(min(len(whole), limit - len(seats)))]
        self._hits = [*of_whole[:first], *seats, *of_whole[first:]]
        self._lines = lines

    def __len__(self) -> int:
        return len(self._hits)

    def hit(self, place: int) -> Hit:
        """Returns a hit by its position from 0."""
        answer, at = self._hits[place]
        return answer.hit(at)

    def outlines(self) -> list[tuple[str, str, Layer, float, float, int, int, Source, bool]]:
        """Visible fields of each hit."""
        return [self._lines[id(answer)][at] for answer, at in self._hits]

    def record(self, place: int) -> Episode | Fact:
        """Returns the whole record of a memory."""
        answer, at = self._hits[place]
        return answer.record(at)

    def corrections(self, place: int) -> list[tuple[str, int | None, bool]]:
        """Later memories that correct or dispute a hit; see `_core.Hit`."""
        answer, at = self._hits[place]
        return answer.corrections(at)

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""
        return [id_ for _, id_, layer, *_ in self.outlines() if layer == "fact"]


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
