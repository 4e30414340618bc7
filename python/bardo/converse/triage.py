"""Triage: what a message needs before it is answered, and whether it is worth saving.

A pre-filter in the core recognises greetings, acknowledgements, emoji and commands. Every other message is read by
regressions over its words and, with the default model, its vector (`triage.json`, fitted by
`benches/python/conduct/fit_triage.py`). A failure counts as a message that needs memory and is worth saving. So does a
message in a language that the regressions do not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bardo import _core
from bardo._printed import printed
from bardo._validation import checked
from bardo._weights import read_weights
from bardo.converse.features import READ, features
from bardo.errors import InvalidInputError
from bardo.model import Fingerprint
from bardo.ports import Vectors

Intent = Literal[
    "casual_chat", "project_question", "task_request", "creative_brainstorm", "economy_action",
    "information_lookup", "emotional_support", "meta_question", "small_talk",
]  # fmt: skip
#: Embeds texts; returns None while the model is not available.
Embed = Callable[[Sequence[str]], "tuple[Vectors, Fingerprint] | tuple[None, None]"]
#: Tells whether a memory knows anything that a text names.
Knows = Callable[[str], bool]
#: Tokens of an answer: to a trivial message, to fewer words than `FEW_WORDS`, to at most `BRIEF_WORDS`, and to others.
TRIVIAL_TOKENS, FEW_TOKENS, BRIEF_TOKENS, FULL_TOKENS = 500, 400, 800, 2_500
FEW_WORDS, BRIEF_WORDS = 4, 12
#: Share of a message's features that the weights know; under it the message is not judged to be without need or worth.
FAMILIAR = 0.35
#: Languages of the messages that the weights are fitted on, as ISO 639-3 codes.
LANGUAGES = frozenset({
    "eng", "deu", "spa", "fra", "ita", "por", "nld", "pol", "rus", "tur", "ara", "hin", "cmn", "jpn", "kor",
})  # fmt: skip
#: Minimum confidence in another language, times the share of words that the weights do not know. Of the messages in
#: `triage-dev.jsonl`, all in known languages, none reaches it whose share of known words is at most `FAMILIAR`.
FOREIGN = 0.22
#: Messages that ask to be kept, in English: they are worth saving, however the regressions read them.
_TO_KEEP = re.compile(
    r"\s*(?:please\s+|also\s+|and\s+)?(?:remember\b|note:|note that|keep in mind|for the record|from now on|always\s|"
    r"never\s(?!mind|again)|don't\s(?!worry|mind|bother|mention|know|think)|do not\s(?!worry|mind)|no more\s)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？؟]|^\s*(?:who|whose|whom|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|can|tell me)\b",
    re.IGNORECASE,
)
#: Questions without a verb, in English: "Any pets?", "And the dentist?", "Still vegetarian?" ask about what is shared.
_ELLIPTIC = re.compile(
    r"\s*(?:any|still|and|which|whose|what about|how about)\s+(?:[\w'’-]+\s*){1,3}\?\s*$", re.IGNORECASE
)
_PACKAGE, _FILE = "bardo.converse", "triage.json"


@dataclass(frozen=True, slots=True)
class Triage:
    """Needs of a message.

    Args:
        intent: Most likely of nine intents; None after a failure.
        memory: Whether the answer needs memories; an empty query is saved where not.
        save: Whether the message states something worth keeping.
        extract: Whether a language model should read it for facts: False only where it is surely not worth it.
        max_tokens: Maximum tokens of the answer.
        by: Part that decided: the pre-filter, regressions over words, those with the vector, or none after a failure.
        note: Reason for a failure or for less than the full reading, in a sentence.
    """

    intent: Intent | None
    memory: bool
    save: bool
    extract: bool
    max_tokens: int
    by: Literal["prefilter", "words", "model", "failure"]
    note: str = ""

    __str__ = printed


@checked
def triage(
    text: str, previous: Sequence[str] = (), *, embed: Embed | None = None, knows: Knows | None = None
) -> Triage:
    """Decides what a message needs; never raises an error of the classifier or of the model.

    Args:
        text: Message of a person.
        previous: Messages before it, the latest last; only the last one is read.
        embed: Embeds the message; without it, words alone decide.
        knows: Tells whether a memory knows anything that the message names: a question about it needs memories.

    Raises:
        InvalidInputError: An argument has a wrong type.
    """
    if isinstance(previous, str) or not all(isinstance(each, str) for each in previous):
        raise InvalidInputError(
            f"previous is {previous!r}. It must be a list of strings, the messages before it"
        )
    if _core.triviality(text) is not None:
        return Triage("small_talk", False, False, False, TRIVIAL_TOKENS, "prefilter")
    try:
        return _triage(text, previous, embed, knows)
    except Exception as error:
        note = f"triage failed with {type(error).__name__}: {error}. The message counts as needing memory"
        return Triage(None, True, True, True, FULL_TOKENS, "failure", note)


def is_worth_extracting(text: str) -> bool:
    """Whether a language model should read a message for facts: the pre-filter does not recognise it as trivial.

    The regressions do not decide this: they miss statements that a model finds (`extract` is a hint for callers).
    """
    return _core.triviality(text) is None


def worth(text: str) -> float:
    """Score of what a text states that is worth saving, by its words: 0 or more if it states something."""
    table = read_weights(_PACKAGE, _FILE)["words"]["save"]
    return float(_scores(table, features(text, ()), None)[0][0])


def _triage(text: str, previous: Sequence[str], embed: Embed | None, knows: Knows | None) -> Triage:
    weights = read_weights(_PACKAGE, _FILE)
    vector: npt.NDArray[np.float64] | None = None
    note = ""
    if embed is not None:
        vectors, fingerprint = embed([text[:READ]])
        if vectors is None or fingerprint is None:
            note = "the embedding model is not available; words alone decide"
        elif fingerprint.model != weights["model"]:
            note = f"the weights belong to {weights['model']!r}, not to {fingerprint.model!r}; words alone decide"
        else:
            vector = np.asarray(vectors[0], dtype=np.float64)
    table = weights["words" if vector is None else "both"]
    found = features(text, previous)
    intents, known = _scores(table["intent"], found, vector)
    memory, save, own = (
        float(_scores(table[name], found, vector)[0][0]) for name in ("memory", "save", "own")
    )
    is_foreign = _is_foreign(text, found, table["intent"]["features"])
    if is_foreign:
        foreign = (
            "the weights do not know the language; the message counts as needing memory and as worth saving"
        )
        note = f"{note}; {foreign}" if note else foreign
    # A text with few known features is not judged: it counts as needing memory, and as worth reading.
    familiar = known >= FAMILIAR and not is_foreign
    words = len(text.split())
    needs = memory >= 0 or not familiar or _ELLIPTIC.match(text) is not None
    if not needs and knows is not None and _QUESTION.search(text):
        # Words do not tell the friend of a person from a public figure; the memory does.
        needs = knows(text)
    is_worth = save >= 0 or own >= 0 or is_foreign or _TO_KEEP.match(text) is not None
    return Triage(
        intent=table["intent"]["classes"][int(np.argmax(intents))],
        memory=needs,
        save=is_worth,
        extract=is_worth or save >= table["save"]["sure"] or not familiar,
        max_tokens=FEW_TOKENS if words < FEW_WORDS else BRIEF_TOKENS if words <= BRIEF_WORDS else FULL_TOKENS,
        by="words" if vector is None else "model",
        note=note,
    )


def _is_foreign(text: str, found: frozenset[str], weights: Mapping[str, Any]) -> bool:
    """Whether a message is in a language that the weights do not know."""
    words = [name for name in found if name.startswith("w ")]
    if not words:
        return False
    share = sum(name in weights for name in words) / len(words)
    identified = _core.identify_language(text[:READ])
    if identified is None:
        return True
    language, confidence = identified
    return language not in LANGUAGES and share <= FAMILIAR and confidence * (1 - share) >= FOREIGN


def _scores(
    table: Mapping[str, Any], found: frozenset[str], vector: npt.NDArray[np.float64] | None
) -> tuple[npt.NDArray[np.float64], float]:
    """Score of each class, and the share of the features that have weights."""
    known = [row for name in found if (row := table["features"].get(name)) is not None]
    scores = np.asarray(table["bias"], dtype=np.float64)
    if known:
        scores = scores + np.asarray(known).sum(axis=0) / math.sqrt(len(known))
    if vector is not None:
        scores = scores + np.asarray(table["vectors"]) @ vector
    return scores, len(known) / max(1, len(found))
