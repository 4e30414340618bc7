"""Recall through Python: reasons, notes, refusals, threads, hostile queries."""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo import _core
from bardo.config import Recall, Weights
from bardo.errors import EmbedderUnavailableError, InvalidInputError, InvalidVectorError, NotFoundError
from bardo.index.embedding import embedders
from bardo.model import Episode, Fact, Fingerprint
from bardo.ports import ManualClock, Vectors
from bardo.recall.filters import Filters
from bardo.recall.retriever import Retriever

NOW = 1_700_000_000_000_000
DAY = 86_400_000_000


def identify(number: int) -> str:
    return str(uuid.UUID(int=number))


#: Where the stores of these tests lie; it goes with the process.
FOLDER = tempfile.TemporaryDirectory()
NUMBERS = itertools.count()


def retriever_of(
    episodes: Sequence[Episode] = (),
    embedder: embedders.TextEmbedder | None = None,
    *,
    facts: Sequence[Fact] = (),
    tau_ticks: float = 500.0,
) -> Retriever:
    """A retriever over new stores that hold these."""
    folder = Path(FOLDER.name) / str(next(NUMBERS))
    folder.mkdir()
    log = _core.EpisodeLog(folder / "episodes.redb", agent="a", seed=1, now=NOW)
    store = _core.FactStore(folder / "facts.db", agent="a", seed=1, now=NOW, tau_ticks=tau_ticks)
    log.record(episodes, now=NOW, out_of_order=True)
    store.upsert(facts, tick=0, now=NOW)
    hot = _core.HotSet()
    hot.load(log, store)
    if embedder is not None:
        texts, speakers = [each.text for each in episodes], [each.speaker for each in episodes]
        said, _ = _core.spoken_sentences(texts, speakers, 64)
        whole = embedder.embed_documents(said[: len(texts)])
        hot.set_vectors([each.id for each in episodes], whole)
    return Retriever(hot, log, store, embedder, tau_ticks=tau_ticks)


def grimoire(
    texts: Sequence[str], embedder: embedders.TextEmbedder | None = None, **fields: object
) -> Retriever:
    return retriever_of(
        [
            Episode(text, id=identify(number + 1), tick=number, at=NOW - DAY, **fields)  # type: ignore[arg-type]
            for number, text in enumerate(texts)
        ],
        embedder,
    )


def test_every_hit_says_why_in_one_line(minilm: embedders.TextEmbedder) -> None:
    retriever = grimoire(
        ["Liquidations followed the oracle update by two blocks", "I went hiking with my dog"], minilm
    )
    found = retriever.recall("what follows an oracle update?", now_tick=9, now=NOW)
    best = found[0]
    assert best.text.startswith("Liquidations")
    line = str(best.why)
    assert "\n" not in line
    for part in ("dense #1", "lexical #1", "oracl", "relevance 1.00", "1.0 days old", "confidence now 1.00"):
        assert part in line
    assert found.id == retriever.recall("what follows an oracle update?", now_tick=9, now=NOW).id


def test_a_meaning_without_a_shared_word_is_found(minilm: embedders.TextEmbedder) -> None:
    retriever = grimoire(["My puppy loves the beach", "The bond market fell", "Gas was expensive"], minilm)
    found = retriever.recall("a dog by the sea", limit=1, now=NOW)
    assert found[0].text == "My puppy loves the beach"
    assert not found[0].why.matched


def test_an_unrelated_query_finds_nothing_and_says_so(minilm: embedders.TextEmbedder) -> None:
    retriever = grimoire(["My puppy loves the beach"], minilm)
    found = retriever.recall("quarterly covenants of municipal debt", now=NOW)
    assert len(found) == 0
    assert "nothing matched" in found.notes[-1]


def test_a_fact_says_where_it_came_from_and_how_far_it_is_trusted_now() -> None:
    evidence = tuple(identify(100 + each) for each in range(5))
    fact = Fact(
        "Oracle updates precede liquidations",
        id=identify(1), confidence=0.4, support=1, source="testament", origin="trader-7", generation=1,
        evidence=evidence, created_at=NOW,
    )  # fmt: skip
    retriever = retriever_of(facts=[fact], tau_ticks=100.0)
    memory = retriever.recall("oracle", now_tick=300, now=NOW)[0]
    # A fact with five episodes fades ln 5 times more slowly; an inherited one no more slowly than others.
    assert memory.confidence == pytest.approx(0.4 * np.exp(-3 / np.log(5)), abs=1e-3)
    assert memory.inherited
    assert memory.why.evidence == evidence
    assert "testament of trader-7, generation 1" in str(memory.why)
    assert "and 2 more" in str(memory.why)


@pytest.mark.parametrize("policy", ["four_factor", "rrf", "pinned"])
def test_an_explanation_holds_the_numbers_that_make_the_score_and_no_others(policy: str) -> None:
    facts = [
        Fact(
            "Oracle lag in pool one", id=identify(1), confidence=0.9, support=5, created_at=NOW, pinned=True
        ),
        Fact(
            "Oracle lag in pool two",
            id=identify(2),
            confidence=0.3,
            source="testament",
            generation=1,
            created_at=NOW,
        ),
        Fact(
            "Oracle lag in pool six",
            id=identify(3),
            confidence=0.2,
            source="market",
            bloodstain=True,
            created_at=NOW,
        ),
    ]
    turns = [Episode("The oracle lag was two blocks", id=identify(9), at=NOW - DAY, thread="now")]
    retriever = retriever_of(turns, facts=facts)
    found = retriever.recall("oracle lag", policy=policy, thread="now", now=NOW)
    assert len(found) == 4
    for memory in found:
        why = memory.why
        product = float(np.prod(list(why.discounts.values()), initial=1.0))
        assert sum(why.parts.values()) * product == pytest.approx(memory.score, rel=1e-4)
        added = sum(arm.part for arm in why.arms) + sum(why.conversation.values())
        assert added == pytest.approx(why.fused, abs=1e-4)
    if policy == "rrf":
        assert all(not memory.why.discounts for memory in found)
        assert all(memory.why.relevance is None and "relevance" not in str(memory.why) for memory in found)
        assert "fused" in str(found[0].why)
    else:
        by_id = {memory.id: memory.why.discounts for memory in found}
        assert by_id[identify(2)].keys() >= {"trust", "inherited"}
        assert by_id[identify(3)].keys() >= {"trust", "source", "bloodstain"}
        assert by_id[identify(9)].keys() == {"thread"}


def test_recall_trusts_a_fact_by_what_outcomes_made_of_such_confidences() -> None:
    sure = [Fact(f"Oracle {word} is one", id=identify(number), confidence=0.925, support=5, created_at=NOW)
            for number, word in enumerate(("alpha", "beta"), 1)]  # fmt: skip
    retriever = retriever_of(facts=sure)
    before = retriever.recall("oracle alpha", now=NOW)[0].why.discounts["trust"]
    assert before == pytest.approx(0.9625, abs=0.01)
    for tick in range(40):
        retriever.facts.upsert(
            [Fact(f"claim {tick}", id=identify(500 + tick), confidence=0.925)], tick=0, now=NOW
        )
        _core.judge_facts(retriever.facts, [identify(500 + tick)], -1.0, tick=0, reinforcement=0.1)
    retriever.hot.sync_facts(retriever.facts)
    after = retriever.recall("oracle alpha", now=NOW)[0]
    assert after.why.discounts["trust"] < 0.75
    assert after.confidence == pytest.approx(0.925, abs=0.01)


def test_without_an_embedder_recall_falls_back_to_words_and_labels_it() -> None:
    class Absent:
        fingerprint = Fingerprint("absent", "1", "none", 4)

        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            raise AssertionError("a query is no document")

        def embed_queries(self, texts: Sequence[str]) -> Vectors:
            raise EmbedderUnavailableError("the model is not installed. pip install it")

    retriever = grimoire(["the pool was drained"])
    assert "no embedder" in retriever.recall("pool").notes[0]
    broken = Retriever(retriever.hot, retriever.log, retriever.facts, Absent())
    assert "pip install" in broken.recall("pool").notes[0]
    assert len(broken.recall("pool")) == 1


def test_near_duplicates_are_named_by_the_one_that_stands_for_them() -> None:
    found = grimoire(["The pool was drained!", "the pool was drained"]).recall("drained pool", now=NOW)
    assert len(found) == 1
    assert found[0].why.duplicates == (identify(2),)


def test_new_words_are_found_by_the_next_call_and_removed_ones_are_gone() -> None:
    retriever = grimoire(["alpha"])
    fresh = Episode("omega", id=identify(9))
    retriever.log.record([fresh], now=NOW)
    retriever.hot.add_episodes(retriever.log.get([fresh.id]))
    assert retriever.recall("omega")[0].id == fresh.id
    assert retriever.hot.remove([fresh.id, identify(77)]) == 1
    assert len(retriever.recall("omega")) == 0
    assert fresh.id not in retriever.hot
    assert len(retriever.hot) == 1


@pytest.mark.parametrize(
    ("vector", "error"),
    [
        (np.zeros(3, np.float32), InvalidVectorError),
        (np.array([1, np.nan], np.float32), InvalidVectorError),
        (np.array([1, np.inf], np.float32), InvalidVectorError),
        (np.ones((2, 1), np.float32), InvalidVectorError),
        (np.ones(2, np.float64), InvalidVectorError),
        ("vector", InvalidVectorError),
    ],
)
def test_a_bad_query_vector_is_refused(vector: object, error: type[Exception]) -> None:
    retriever = grimoire(["alpha"])
    retriever.hot.set_vectors([identify(1)], np.ones((1, 2), np.float32))
    if isinstance(vector, np.ndarray) and vector.shape == (3,):
        vector = vector + 1
    with pytest.raises(error):
        retriever.hot.search("alpha", vector)  # type: ignore[arg-type]


def test_vectors_that_do_not_fit_their_ids_are_refused() -> None:
    hot = grimoire(["alpha", "beta"]).hot
    two = np.eye(2, dtype=np.float32)
    with pytest.raises(InvalidVectorError, match="2 ids, 1 vectors"):
        hot.set_vectors([identify(1), identify(2)], two[:1])
    with pytest.raises(InvalidVectorError, match="counts"):
        hot.set_vectors([identify(1), identify(2)], two, two, [1, 0])
    with pytest.raises(NotFoundError):
        hot.set_vectors([identify(5)], two[:1])
    with pytest.raises(InvalidInputError, match="no id"):
        hot.add_episodes([Episode("nameless")])


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 1_000_000},
        {"policy": "best"},
        {"pad": (2.0, 0.0, 0.0)},
        {"filters": Filters(layers=["dream"])},  # type: ignore[list-item]
        {"filters": Filters(roles=["pilot"])},  # type: ignore[list-item]
        {"filters": Filters(sources=["rumour"])},  # type: ignore[list-item]
        {"filters": Filters(min_confidence=1.5)},
    ],
)
def test_arguments_out_of_range_are_refused_by_name(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        grimoire(["alpha"]).recall("alpha", **arguments)  # type: ignore[arg-type]


def test_one_string_is_not_a_list_of_kinds() -> None:
    with pytest.raises(InvalidInputError, match="Pass a list"):
        Filters(kinds="turn")


def test_settings_that_make_no_ranking_are_refused() -> None:
    for wrong in ({"bm25_k1": float("nan")}, {"tau_ticks": 0.0}, {"conversation": {"weather": 1.0}}):
        with pytest.raises(InvalidInputError):
            _core.RecallSettings(**wrong)  # type: ignore[arg-type]


@given(
    st.text(max_size=200)
    | st.sampled_from(["\x00", '"', "a* AND NOT (", "'; DROP TABLE facts;--", "../../etc"])
)
@settings(max_examples=200, deadline=None)
def test_no_query_text_fails(query: str) -> None:
    RETRIEVER.recall(query, now=NOW)


def test_a_query_of_a_megabyte_is_answered() -> None:
    assert "searched for" in " ".join(RETRIEVER.recall("drained " * 150_000).notes)


def test_many_threads_search_while_others_add() -> None:
    retriever = grimoire([f"event number {number} of pool" for number in range(50)])
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            for step in range(20):
                if number % 2:
                    added = Episode(f"pool {number} {step}", id=identify(1_000 + number * 100 + step))
                    retriever.log.record([added], now=NOW, out_of_order=True)
                    retriever.hot.add_episodes(retriever.log.get([added.id]))
                else:
                    assert len(retriever.recall("pool", now=NOW)) == 5
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(retriever.hot) == 50 + 8 * 20


def test_the_embedded_text_names_the_speaker_once_for_all() -> None:
    # Sentences of fewer than 40 bytes would be joined.
    rain = "It rained from the early morning until we went to bed."
    home = "So we stayed in and played cards with the children."
    said, counts = _core.spoken_sentences([f"{rain} {home}", "One sentence."], ["Ann", None], 64)
    assert said == [f"Ann: {rain} {home}", "One sentence.", f"Ann: {rain}", f"Ann: {home}"]
    assert counts == [2, 0]


RETRIEVER = grimoire(["the pool was drained", "我昨天去了北京大学图书馆", "ship it 🚀", "книга о памяти"])


TURNS = [
    ("Ann", "Did you see the aurora?"),
    ("Bo", "Only from the plane."),
    ("Ann", "I slept through all of it."),
    ("Bo", "Then let us talk about tea."),
]


def test_a_window_brings_the_turns_beside_a_memory_but_none_from_the_future(tmp_path: Path) -> None:
    model = embedders.function_embedder(lambda texts: [[1.0, 0.0]] * len(texts), name="flat", dims=2)
    with bardo.open(tmp_path / "a", embedder=model, clock=ManualClock(NOW)) as grimoire:
        for tick, (speaker, text) in enumerate(TURNS, 1):
            grimoire.remember(text, tick=tick, speaker=speaker, role="user", session="s")
        best = grimoire.recall("plane", window=2)[0]
        assert [turn.text for turn in best.before] == [TURNS[0][1]]
        assert [turn.text for turn in best.after] == [TURNS[2][1], TURNS[3][1]]
        then = grimoire.recall("plane", window=2, as_of=3)[0]
        assert [turn.text for turn in then.after] == [TURNS[2][1]]
        assert grimoire.recall("plane")[0].before == ()
        with pytest.raises(InvalidInputError, match="window is 65"):
            grimoire.recall("plane", window=65)


def test_diversity_prefers_what_is_unlike_the_best(minilm: embedders.TextEmbedder) -> None:
    retriever = grimoire(
        ["The oracle update moved ETH by two percent", "An oracle update moved ETH by almost two percent",
         "The oracle update was late because of gas"], minilm,
    )  # fmt: skip
    plain = retriever.recall("the oracle update that moved ETH two percent", limit=2, now=NOW)
    assert {memory.text[:2] for memory in plain} == {"Th", "An"}
    mixed = retriever.recall("the oracle update that moved ETH two percent", limit=2, now=NOW, diversity=0.8)
    assert "late because of gas" in mixed[1].text
    with pytest.raises(InvalidInputError, match="diversity is 2"):
        retriever.recall("oracle", diversity=2.0)


def test_a_question_about_something_else_finds_nothing_among_many(minilm: embedders.TextEmbedder) -> None:
    topics = [
        "puppy",
        "beach",
        "holiday",
        "garden",
        "kitchen",
        "violin",
        "river",
        "football",
        "market",
        "castle",
    ]
    retriever = grimoire(
        [f"We talked about the {one} and the {other}" for one in topics for other in topics], minilm
    )
    found = retriever.recall("xyzzyplugh qwrtzuiop", now=NOW)
    assert not found
    assert "nothing matched" in found.notes[-1]
    assert retriever.recall("a young dog by the sea", now=NOW)


def test_a_span_of_time_in_the_query_favours_what_happened_in_it(minilm: embedders.TextEmbedder) -> None:
    runs = [
        Episode(
            f"Ann ran in the park, lap {'abc'[number]}",
            id=identify(number + 1), tick=number, at=NOW - days * DAY, role="user", speaker="Ann", session=str(number),
        )
        for number, days in enumerate((1, 14, 60))
    ]  # fmt: skip
    retriever = retriever_of(runs, minilm)
    found = retriever.recall("Where did Ann run two weeks ago?", now=NOW)
    dated = [memory.at for memory in found if "date named" in memory.why.conversation]
    assert dated == [NOW - 14 * DAY]


@pytest.mark.parametrize(
    ("asked", "days"),
    [("How much was gas yesterday?", 1), ("What did gas cost two weeks ago?", 14), ("Gas 60 days ago?", 60)],
)
def test_a_span_of_time_favours_what_is_no_turn_of_a_conversation_too(
    minilm: embedders.TextEmbedder, asked: str, days: int
) -> None:
    paid = [
        Episode(
            f"Paid {31 + 6 * number} dollars for gas",
            id=identify(number + 1),
            tick=number,
            at=NOW - ago * DAY,
        )
        for number, ago in enumerate((400, 60, 14, 3, 1))
    ]
    found = retriever_of(paid, minilm).recall(asked, now=NOW)
    assert found[0].at == NOW - days * DAY
    assert "date named" in found[0].why.conversation


def test_the_weights_of_the_settings_are_those_of_the_core_and_can_be_set(
    minilm: embedders.TextEmbedder,
) -> None:
    weights = Weights()
    named = {name: getattr(weights, name) for name in ("dense", "lexical", "recency", "late", "rare")}
    assert repr(_core.RecallSettings(**named)) == repr(_core.RecallSettings())
    texts = ["My puppy loves the beach", "A dog? By the sea? Nonsense"]
    found = grimoire(texts, minilm, speaker="Ann", session="s").recall("what about the puppy, Ann?", now=NOW)
    assert found[0].why.conversation
    bare = grimoire(texts, minilm, speaker="Ann", session="s")
    bare = dataclasses.replace(bare, config=Recall(weights=Weights(lexical=0.0, conversation=False)))
    why = bare.recall("what about the puppy, Ann?", now=NOW)[0].why
    assert not why.conversation
    assert next(reason.part for reason in why.arms if reason.arm == "dense") != 0.0
