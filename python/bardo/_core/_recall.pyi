"""Settings and answers of a recall."""

from collections.abc import Mapping, Sequence
from typing import Literal, final

from bardo.model import Episode, Fact, Source

@final
class RecallSettings:
    """Settings of ranking; the defaults are those of `bardo_core::recall::settings`.

    Args:
        policy: `four_factor`, `rrf` or `pinned`.
        fusion: `sum` (z-scored weighted sum) or `rrf`; the policy `rrf` implies it.
        dense: Weight of the vectors' arm.
        lexical: Weight of the words' arm.
        recency: Weight of the arm of age.
        rare: Added where a memory holds, alone or nearly so, all the words of the query; a part for a part.
        depth: Candidates of each arm for the sum.
        rrf_depth: Candidates of each arm for reciprocal ranks.
        rrf_k: The constant of reciprocal rank fusion.
        bm25_k1: How slowly further occurrences of a term stop counting.
        bm25_b: How much long documents are held back, 0..1.
        min_cosine: Least cosine of a candidate of the dense arm.
        chance_cosine: Added to it per natural logarithm of the memories searched, for the best of them: where even that
            one is less near, the dense arm is silent.
        diversity: 0 ranks by score alone, 1 by unlikeness alone (maximal marginal relevance).
        late: Weight of late interaction.
        whole_weight: Part of the whole text's cosine that is added to that of the best sentence.
        sentence_penalty: Taken off the best sentence per natural logarithm of the number of sentences.
        recency_days: e-folding time of recency.
        factors: Weights of relevance, temporal, importance and emotional.
        tau_ticks: e-folding time of decay, in ticks.
        duplicate_similarity: Jaccard similarity of terms from which memories are near-duplicates; above 1 for never.
        conversation: Weights of what the turns around a memory say, by name: previous_question, next_turn,
            session_best, session_words, speaker, date, time, question_penalty.

    Raises:
        InvalidInputError: A setting is not a number, out of range, or no such policy.
    """

    def __new__(
        cls,
        *,
        policy: str | None = None,
        fusion: str | None = None,
        dense: float | None = None,
        lexical: float | None = None,
        recency: float | None = None,
        rare: float | None = None,
        depth: int | None = None,
        rrf_depth: int | None = None,
        rrf_k: float | None = None,
        bm25_k1: float | None = None,
        bm25_b: float | None = None,
        min_cosine: float | None = None,
        chance_cosine: float | None = None,
        diversity: float | None = None,
        late: float | None = None,
        whole_weight: float | None = None,
        sentence_penalty: float | None = None,
        recency_days: float | None = None,
        factors: tuple[float, float, float, float] | None = None,
        tau_ticks: float | None = None,
        duplicate_similarity: float | None = None,
        conversation: Mapping[str, float] | None = None,
    ) -> RecallSettings: ...

@final
class PeriodWords:
    """Words of a language that name periods.

    Args:
        months: Names from January, as they are written.
        weekdays: Names from Monday.
        units: `day`, `week`, `weekend`, `month` or `year` by each of their words.
        numbers: Numbers by their words.
        phrases: (meaning, phrase) each. A phrase has words and the places `{count}`, `{unit}`, `{weekday}`, `{month}`,
            `{Month}` (only as it is written), `{day}` and `{year}`. Its meaning is `today`, `yesterday`,
            `day_before_yesterday`, `latest`, `previous`, `current`, `ago`, `month`, `year`, `date`, or `before` or
            `after` the date that follows.
        fillers: Words that ask what there was and name no topic, beside the stop words.

    Raises:
        InvalidInputError: A list is too short, or a phrase or its meaning is unknown.
    """

    def __new__(
        cls,
        *,
        months: Sequence[str],
        weekdays: Sequence[str],
        units: Mapping[str, str],
        numbers: Mapping[str, int],
        phrases: Sequence[tuple[str, str]],
        fillers: Sequence[str],
    ) -> PeriodWords: ...
    def spans(self, query: str, now: int) -> list[tuple[int, int]]:
        """First and last day of each period that a query names, counted from the epoch.

        Args:
            query: Text of the query.
            now: Wall clock of the asker, microseconds UTC.
        """

@final
class Hit:
    """A memory that was recalled, with every number that went into its score (see `bardo.recall.Explanation`).

    Attributes:
        corrections: (id, wall clock or None, whether it is open which of the two holds) of each later memory that
            corrects or disputes it, the latest first.
        arms: One (arm, rank or None, value or None, part of the fused relevance) each.
        conversation: (name, part of the fused relevance) each.
        terms: (name, value, weight) of each term of the score.
        factors: (name, factor) that multiplies the sum of the terms.
    """

    id: str
    layer: Literal["episode", "fact"]
    score: float
    confidence: float
    tick: int
    at: int
    source: Source
    duplicates: list[str]
    corrections: list[tuple[str, int | None, bool]]
    arms: list[tuple[str, int | None, float | None, float]]
    conversation: list[tuple[str, float]]
    fused: float
    terms: list[tuple[str, float, float]]
    factors: list[tuple[str, float]]
    age_days: float
    seat: str | None
    matched: list[str]

@final
class Found:
    """The answer to a query.

    Attributes:
        hits: Best first.
        notes: What could not be done, and why there is nothing if there is nothing.
        searched: Memories that the filters let through.
        candidates: Memories that were scored.
    """

    hits: list[Hit]
    notes: list[str]
    searched: int
    candidates: int

    def __len__(self) -> int: ...
    def hit(self, place: int) -> Hit:
        """One hit by its place from 0.

        Raises:
            IndexError: There are not so many.
        """

    def corrections(self, place: int) -> list[tuple[str, int | None, bool]]:
        """The corrections of one hit; see `Hit`.

        Raises:
            IndexError: There are not so many.
        """

    def outlines(
        self,
    ) -> list[tuple[str, str, Literal["episode", "fact"], float, float, int, int, Source, bool]]:
        """Visible fields of each hit.

        Returns:
            Text, id, layer, score, confidence, tick, wall clock, source, and whether another life learned it.

        Raises:
            IndexError: The records were not read.
        """

    def record(self, place: int) -> Episode | Fact:
        """The whole record of a memory.

        Raises:
            IndexError: There are not so many, or the records were not read.
        """

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""

    def with_notes(self, notes: Sequence[str]) -> Found:
        """The same with further notes."""
