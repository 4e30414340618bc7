"""Recall of memories for a query, with explanations, by one call into the Rust core, which ranks and reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from bardo import _core
from bardo.config import Recall
from bardo.consolidate.statement_ends import StatementEnds
from bardo.errors import EmbedderUnavailableError, UnusableVectorError
from bardo.model import NEUTRAL, Pad
from bardo.ports import Embedder, LateEmbedder, Tokens, Vectors
from bardo.recall.filters import Filters
from bardo.recall.lifted import LiftedOf, none_lifted
from bardo.recall.overview import searched_text
from bardo.recall.parts import LEAST, SEATS, JoinedAnswer, parts_of
from bardo.recall.periods import period_words
from bardo.recall.recollection import Answer, Moment, Recollection, recollection
from bardo.recall.rules import LEAST_ALIKE, NEARLY_ALL, PROBED, RuleBook, Seats
from bardo.recall.situation import Situation
from bardo.recall.standing import turn_ends
from bardo.recall.untold import Untold
from bardo.recall.withheld import Withheld

#: Names of the weights of the conversation around a memory.
CONVERSATION = (
    "previous_question", "next_turn", "session_best", "session_words", "speaker", "role", "date", "time",
    "question_penalty",
)  # fmt: skip
#: Maximum length of the embedded part of a query, in characters: a model reads a page at most. Word search uses all.
EMBEDDED_QUERY_CHARACTERS = 8_192


#: Weights of the relevance, temporal, importance and emotional factor.
Factors = tuple[float, float, float, float]


class Searcher(Protocol):
    """Searchable index: the hot set alone or with other tiers."""

    def search(self, text: str, vector: Vectors | None = None, **options: Any) -> Answer:
        """Searches as `_core.HotSet.search` does."""
        ...


def without_surrogates(query: str) -> str:
    """Replaces lone surrogates in a query, which no memory holds and no store accepts."""
    return query.encode("utf-8", "replace").decode("utf-8")


def _reaches_rules(filters: Filters | None) -> bool:
    """Whether facts of today are searched."""
    return filters is None or (
        filters.as_of is None
        and filters.trying is None
        and (filters.layers is None or "fact" in filters.layers)
    )


@dataclass(frozen=True, slots=True)
class Retriever:
    """Recalls from a hot set and reads the records from their stores.

    Args:
        hot: Index to search.
        log: Episode log; None where `hot` reads episodes itself.
        facts: Fact store.
        embedder: Embedder of queries; None searches by words alone.
        config: Settings of recall.
        tau_ticks: e-folding time of decay, in ticks.
        factors: Learned weights of the relevance, temporal, importance and emotional factor, if any.
        late: Whether to use late interaction, where the embedder gives token vectors.
        without: Reason for a missing embedder, for a note.
        rules: Rules that may take seats; None for none.
        language: Language of queries and texts, as in `curator.language`; empty for none.
        lifted: Returns the entries of the gate that were ended, and a note if they are unknown.
        untold: Secrets among the episodes.
    """

    hot: Searcher
    log: _core.EpisodeLog | None
    facts: _core.FactStore
    embedder: Embedder | None = None
    config: Recall = field(default_factory=Recall)
    tau_ticks: float = 500.0
    factors: Factors | None = None
    late: bool = False
    without: str = "there is no embedder"
    rules: RuleBook | None = None
    language: str = "english"
    lifted: LiftedOf = none_lifted
    untold: Untold = field(default_factory=Untold)
    #: Statements that have ended: they answer no question about the present.
    _ends: StatementEnds = field(init=False, repr=False, compare=False)
    #: Cached default settings: making settings takes longer than many searches.
    _usual: _core.RecallSettings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Makes the default settings."""
        object.__setattr__(self, "_usual", self._settings(None, 0.0))
        object.__setattr__(self, "_ends", StatementEnds(self.facts))

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        now_tick: int = 0,
        now: int = 0,
        filters: Filters | None = None,
        pad: Pad | None = None,
        thread: str | None = None,
        policy: str | None = None,
        diversity: float = 0.0,
        situation: Situation | None = None,
        deciding: bool = False,
        with_rules: bool = True,
        secrets: bool | None = None,
        asker: str | None = None,
    ) -> Recollection:
        """Finds the most relevant memories for a query.

        Args:
            query: Question or description of the situation, in any language.
            limit: Maximum number of memories, 1 to 10,000; the setting if None.
            now_tick: Current tick, for decay and expiry.
            now: Current time, microseconds UTC, for ages.
            filters: Conditions on the memories.
            pad: Current affect.
            thread: Active thread, whose memories are boosted.
            policy: `four_factor`, `rrf` or `pinned`; the setting if None.
            diversity: Weight of diversity against score, 0 to 1.
            situation: Features of the moment of a decision.
            deciding: Whether the query is the task of a prompt, and so asks for a decision in any form.
            with_rules: Whether rules that apply take reserved seats.
            secrets: Whether secrets answer every query; the setting if None.
            asker: Person who asks, whom confidences of others do not answer.

        Returns:
            Memories, best first; empty with a note when none passes a threshold.

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The embedder returned no vector of the dimensions of the stored ones.
        """
        notes: list[str] = []
        searched = searched_text(query, self.language)
        vector, tokens = self._vector(searched, notes)
        limit = self.config.limit if limit is None else limit
        parts = parts_of(searched, tokens, self.language) if limit >= LEAST else []
        asked: dict[str, Any] = {
            "now_tick": now_tick,
            "now": now,
            "filters": filters,
            "pad": pad or NEUTRAL,
            "thread": thread,
            "settings": self._usual
            if policy is None and not diversity
            else self._settings(policy, diversity),
            "tokens": _given(tokens),
            "log": self.log,
            "facts": self.facts,
            "periods": period_words(self.language),
        }
        # As of an earlier tick, the present time says nothing of what held then.
        as_of = filters is not None and filters.as_of is not None
        left_out = () if as_of else self._ends.ended(now)
        if with_rules and self.rules is not None and _reaches_rules(filters):
            seats = self._seats(query, vector, situation, deciding, asked)
            if seats.seated:
                asked["seated"] = seats.seated
            left_out += seats.left_out
            if seats.unseated:
                asked["unseated"] = seats.unseated
        asked["left_out"] = left_out
        asked["limit"] = limit
        tells = self.config.secrets if secrets is None else secrets
        withheld = Withheld(query, None if tells else self.untold, asker, self.log)
        found = self._search(searched, vector, asked, withheld)
        if parts:
            few = {name: value for name, value in asked.items() if name != "seated"}
            few |= {"limit": SEATS, "left_out": (*left_out, *withheld.ids)}
            answers = [
                self._search(part.text, part.vector, few | {"tokens": _given(part.tokens)}, withheld)
                for part in parts
            ]
            found = JoinedAnswer(found, answers, limit)
        notes += withheld.notes()
        tick = filters.as_of if filters is not None and filters.as_of is not None else now_tick
        ends = {} if as_of else self._turn_ends(found, now)
        lifted, unread = ((), "") if as_of else self.lifted()
        notes += [unread] * bool(unread)
        moment = Moment(None if as_of else now, self.language, ends, tick, self.tau_ticks, lifted)
        return recollection(query, found, notes, now_tick, moment=moment)

    def _search(
        self,
        text: str,
        vector: Vectors | None,
        asked: dict[str, Any],
        withheld: Withheld,
    ) -> Answer:
        """Searches until the answer holds nothing that is to be left out.

        Args:
            text: Query, or a part of it.
            vector: Its vector.
            asked: Options of the search.
            withheld: Records that are left out.
        """
        found = self.hot.search(text, vector, **asked)
        while more := withheld.among(found):
            asked = asked | {"left_out": (*asked["left_out"], *more)}
            found = self.hot.search(text, vector, **asked)
        return found

    def _turn_ends(self, found: Answer, now: int) -> Mapping[str, int]:
        """Ends of what the found episodes told."""
        told = {id_: text for text, id_, layer, *_ in found.outlines() if layer == "episode"}
        return turn_ends(self.facts, told, now)

    def _seats(
        self,
        query: str,
        vector: Vectors | None,
        situation: Situation | None,
        deciding: bool,
        asked: dict[str, Any],
    ) -> Seats:
        """The rules that apply, from the decisions that the query finds."""
        rules = self.rules
        # A model that does not answer has no fingerprint either.
        model = self.embedder.fingerprint.model if self.embedder is not None and vector is not None else ""
        if rules is None:
            return Seats()
        unseated = rules.unseated(query, situation)
        if not rules.may_decide(query, situation, vector, model, deciding=deciding):
            return Seats(unseated=unseated)
        probe = asked | {"filters": replace(asked["filters"] or Filters(), layers=("episode",))}
        lived = self.hot.search(query, vector, limit=PROBED, **probe)
        least = LEAST_ALIKE
        if not len(lived) and vector is not None:
            # Nothing is near enough for an answer: the nearest decisions show the topic, if nearly all are of one kind.
            probe["settings"] = _core.RecallSettings(
                min_cosine=0.0, chance_cosine=0.0, tau_ticks=self.tau_ticks
            )
            lived = self.hot.search(query, vector, limit=PROBED, **probe)
            least = NEARLY_ALL
        records = [lived.record(place) for place in range(len(lived))]
        seats = rules.seats(query, situation, records, asked["now_tick"], least=least)
        return replace(seats, unseated=unseated)

    def _settings(self, policy: str | None, diversity: float) -> _core.RecallSettings:
        weights = self.config.weights
        return _core.RecallSettings(
            policy=policy or self.config.policy,
            dense=weights.dense,
            lexical=weights.lexical,
            recency=weights.recency,
            late=weights.late,
            rare=weights.rare,
            conversation=None if weights.conversation else dict.fromkeys(CONVERSATION, 0.0),
            tau_ticks=self.tau_ticks,
            factors=self.factors,
            diversity=diversity,
        )

    def _vector(self, query: str, notes: list[str]) -> tuple[Vectors | None, Tokens | None]:
        if not query.strip():
            return None, None
        if self.embedder is None:
            notes.append(f"{self.without}: searched by words alone")
            return None, None
        texts = [query[:EMBEDDED_QUERY_CHARACTERS]]
        try:
            # `isinstance` with a protocol checks every member, which may take longer than the whole search.
            if self.late and getattr(self.embedder, "gives_tokens", False):
                vectors, tokens = cast("LateEmbedder", self.embedder).embed_late_queries(texts)
                return vectors[0], tokens[0]
            vector = self.embedder.embed_queries(texts)[0]
            # A custom embedder may not check its vectors.
            from bardo.index.embedding.sentences import has_direction

            if not has_direction(vector):
                raise UnusableVectorError(
                    "the embedder returned a vector of zeros, NaN or infinity", rows=(0,)
                )
            return vector, None
        except (EmbedderUnavailableError, UnusableVectorError) as error:
            notes.append(f"searched by words alone: {error}")
            return None, None


def _given(tokens: Tokens | None) -> tuple[list[str], list[int], Vectors] | None:
    """Returns tokens as the core takes them."""
    return None if tokens is None else (list(tokens.words), list(tokens.counts), tokens.vectors)
