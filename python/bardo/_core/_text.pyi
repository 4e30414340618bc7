"""Reading of texts and records without a store."""

from collections.abc import Sequence
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from bardo.model import Episode, Fact, Statement

def split_sentences(texts: Sequence[str], limit: int = 64) -> list[list[str]]:
    """The sentences of each text by Unicode's rules (UAX #29), in order and trimmed.

    The stop of an abbreviation ends none (`abbreviations`).

    What has no letter or digit is left out. A sentence under 40 bytes is joined with the next one, one over 1,024 is
    cut between words; a text with more than `limit` pieces has neighbours joined into at most `limit` runs of about
    equal length.
    """

def abbreviations(text: str) -> list[tuple[int, int]]:
    """The abbreviations of a text whose full stop ends no sentence, such as the "ext." of "ext. 0171".

    Returns:
        First place, and the place after the stop, in characters.
    """

def stems(words: Sequence[str]) -> list[str | None]:
    """The stem of each word, and None for a function word."""

def touches(texts: Sequence[str], action: str) -> list[tuple[float, int, bool]]:
    """How far an action has to do with what each text speaks of, by the words alone; words that say no do not count.

    Returns:
        Of each text the share of its words of content that the action has, how many these are, and whether they mean
        something else there: other figures, another name, an opposite, one word for another.
    """

def speaks_against(newer: str, older: str) -> bool:
    """Whether a newer text speaks against an older one, as far as the words tell."""

def says_same(one: Statement, other: Statement) -> bool:
    """Whether two statements give one slot the same value, or deny it, for a common time."""

def excludes(one: Statement, other: Statement) -> bool:
    """Whether two statements cannot both hold: two values of a slot that takes one, or a value and its denial."""

def asks_of_oneself(query: str) -> bool:
    """Whether a query is about the person who asks it: "when is my appointment?"."""

def modes_with(mode: str) -> list[str]:
    """The modes whose memories a mode sees, itself among them: `chat` and `booth` share, every other stands alone."""

def may_be_same_statement(left: str, right: str) -> bool:
    """Whether no figure, no name and no negation tells two texts apart."""

def spoken_sentences(
    texts: Sequence[str], speakers: Sequence[str | None], limit: int
) -> tuple[list[str], list[int]]:
    """Texts to embed: each with its speaker's name before it, then the sentences of those that have several.

    Args:
        texts: What was said.
        speakers: Who said it, one per text.
        limit: Sentences of one text at most, as of `split_sentences`.

    Returns:
        The whole texts and, after them, their sentences; and how many sentences each text has, 0 if it is a single one.
    """

def decay(
    confidence: float,
    support: int,
    elapsed_ticks: int,
    tau_ticks: float,
    *,
    kind: str = "insight",
    from_death: bool = False,
    pinned: bool = False,
    persistence: str | None = None,
) -> float:
    """Confidence left after `elapsed_ticks` without reinforcement: `confidence * exp(-elapsed / S)`.

    Args:
        confidence: 0..1.
        support: Episodes behind the fact.
        elapsed_ticks: Ticks since the last reinforcement.
        tau_ticks: e-folding time.
        kind: Sets the demurrage; anti-knowledge never falls below .3.
        from_death: A warning that is a bloodstain, or handed down in a testament: fades 3.0 times more slowly.
        pinned: Exempt.
        persistence: How long the fact holds; replaces the demurrage of its kind.
    """

def stability(support: int, tau_ticks: float, *, kind: str = "insight", from_death: bool = False) -> float:
    """`S = tau * max(1, ln(support))` in ticks, times 3 if from a death, divided by the kind's demurrage."""

def confidence_now(fact: Fact, *, tick: int, tau_ticks: float) -> float:
    """The decayed confidence of a fact at a tick."""

def retention_now(fact: Fact, *, tick: int, tau_ticks: float) -> float:
    """Retention of a fact at a tick, 0..1: how likely it still holds, apart from how sure it was."""

def findings(text: str) -> dict[str, list[str]]:
    """The `urls`, shell `commands` and file `paths` of a text, each once and in its order."""

def triviality(text: str) -> Literal["emoji", "small_talk", "command"] | None:
    """Why a message needs no memory; None if it has to be read. Takes less than 50 microseconds."""

def identify_language(text: str) -> tuple[str, float] | None:
    """Language of a text as its ISO 639-3 code, and the confidence in it from 0 to 1.

    None if no letter has a known script.
    """

def number_names(episodes: Sequence[Episode]) -> list[tuple[str, str]]:
    """Subject and metric of every baseline that episodes can have moved."""

def without_stop_words(query: str) -> str:
    """A query without the words that say nothing about what is sought, unless it has no other."""

def pack_tokens(
    words: Sequence[Sequence[str]], counts: Sequence[Sequence[int]], vectors: npt.NDArray[np.float32]
) -> list[bytes]:
    """The codes of several texts' content words, by which late interaction finds them: dims / 8 bytes a token.

    Args:
        words: Words of each text.
        counts: How many tokens each word was cut into.
        vectors: Vectors of the tokens, of shape (tokens of all texts, dims); dims is a multiple of 8.

    Raises:
        InvalidVectorError: The parts do not fit together, or a component is not finite.
    """

def secret_features(text: str) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """The tokens of a text, by their characters, and the places of each one's features in the table of weights."""

@final
class SecretTagger:
    """Linear model of secrets over the features of tokens.

    Args:
        weights: One signed byte for each weight, in units of `scale`.
        scale: Unit of the weights.

    Raises:
        ValueError: The number of weights is another than `WEIGHTS`.
    """

    WEIGHTS: int
    def __new__(cls, weights: bytes, scale: float) -> SecretTagger: ...
    def probabilities(self, text: str) -> list[tuple[int, int, float]]:
        """Each token of a text, by its characters, with the probability that it is part of a secret."""

    def secrets(self, text: str, alone: float, beside: float) -> list[tuple[int, int]]:
        """The secrets of a text, by their characters, in order and apart.

        Args:
            text: Text.
            alone: Probability from which a token is a secret.
            beside: Probability from which a token beside a secret belongs to it.
        """
