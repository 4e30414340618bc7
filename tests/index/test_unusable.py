"""A text without a usable vector is found by its words; other texts are found as before."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.errors import BardoWarning, InvalidVectorError, UnusableVectorError
from bardo.index.embedding.embedders import function_embedder
from bardo.model import Fingerprint
from bardo.ports import Vectors

WORDS = ("cat", "dog", "fish")


class BagOfWords:
    """A model that knows three words, counts what it is asked, and may answer in another shape."""

    def __init__(self, *, columns: int = len(WORDS)) -> None:
        self.columns = columns
        self.asked: list[str] = []

    def embed(self, texts: list[str]) -> Vectors:
        self.asked += texts
        counts = np.array([[text.lower().count(word) for word in WORDS] for text in texts], np.float32)
        return np.tile(counts, (1, 2))[:, : self.columns]


def opened(path: Path, model: BagOfWords) -> bardo.Grimoire:
    return bardo.open(path / "agent", embedder=function_embedder(model.embed, name="bow", dims=len(WORDS)))


def test_a_text_without_a_vector_takes_no_other_with_it(tmp_path: Path) -> None:
    model = BagOfWords()
    with opened(tmp_path, model) as memory:
        for number in range(80):
            memory.remember("a bird sang" if number == 3 else f"cat number {number}", tick=number + 1)
        assert memory.stats()["log"]["with_vectors"] == 63
        assert [found.text for found in memory.recall("bird", limit=1)] == ["a bird sang"]
        assert "only zeros" in memory.recall("bird").notes[0]
        assert memory.recall("cat").notes == ()
        assert "cat number" in str(memory.context("cat"))
        slept = memory.sleep()
        assert slept.archived == 80
        assert "1 episodes without a vector" in slept.notes[-1]
        assert memory.stats()["log"]["with_vectors"] == 79
        assert memory.stats()["embedding"]["refused"]["episodes"] == 1
        assert memory.embedding.check().status == "healthy"

        # It is asked again only on demand.
        model.asked.clear()
        memory.recall("cat")
        memory.sleep()
        assert "a bird sang" not in model.asked
        memory.maintenance.rebuild()
        assert "a bird sang" in model.asked

        memory.forget([one for one in memory.episodes.list() if one.text == "a bird sang"], reason="test")
        assert memory.sleep().notes == ()
    model.asked.clear()
    with opened(tmp_path, model) as memory:
        memory.remember("another bird sang")
        memory.recall("cat")
        assert "another bird sang" in model.asked


def test_more_refused_texts_than_a_page_do_not_hide_what_comes_after_them(tmp_path: Path) -> None:
    with opened(tmp_path, BagOfWords()) as memory:
        memory.remember([f"bird number {number}" for number in range(600)])
        memory.remember("the dog barked. Nobody knows why it did that so late in the night.")
        assert memory.sleep().embedded == 1
        assert memory.stats()["log"]["with_vectors"] == 1
        assert memory.stats()["embedding"]["refused"]["episodes"] == 600
        assert "dense" in [reason.arm for reason in memory.recall("dog")[0].why.arms]


def test_a_fact_without_a_vector_is_learned_and_found_by_its_words(tmp_path: Path) -> None:
    with opened(tmp_path, BagOfWords()) as memory:
        learned = memory.learn(["Birds sing at dawn", "The dog sleeps by day"])
        assert [found.text for found in memory.recall("birds at dawn", limit=1)] == ["Birds sing at dawn"]
        assert "1 facts without a vector" in memory.sleep().notes[-1]
        assert memory.stats()["embedding"]["refused"]["facts"] == 1
        memory.forget(learned[0], reason="test")
        memory.learn("The cat sleeps, too")
        assert memory.sleep().notes == ()


def test_a_broken_model_never_makes_what_was_stored_look_lost(tmp_path: Path) -> None:
    model = BagOfWords(columns=2)
    with opened(tmp_path, model) as memory:
        for number in range(63):
            memory.remember(f"cat number {number}", tick=number + 1)
        with pytest.warns(BardoWarning, match="shape"):
            memory.remember("a cat that came last", tick=64)
        assert memory.learn("The cat sleeps") in memory.facts.list()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BardoWarning)
            assert any("shape" in note for note in memory.sleep().notes)
        for ask in (memory.embedding.check, lambda: memory.recall("cat")):
            with pytest.raises(InvalidVectorError, match="shape"):
                ask()

        model.columns = len(WORDS)
        assert memory.sleep().notes == ()
        assert memory.stats()["log"]["with_vectors"] == 64
        assert memory.recall("cat").notes == ()


def test_an_embedder_of_the_users_own_may_return_what_has_no_direction(tmp_path: Path) -> None:
    class Own:
        fingerprint = bardo.Fingerprint("own", "1", "0", len(WORDS))

        def embed_documents(self, texts: list[str]) -> Vectors:
            vectors = BagOfWords().embed(texts)
            vectors[~vectors.any(axis=1)] = np.nan
            return vectors

        embed_queries = embed_documents

    with bardo.open(tmp_path / "agent", embedder=Own()) as memory:
        memory.remember(["a bird sang", "the cat slept"])
        assert [found.text for found in memory.recall("bird", limit=1)] == ["a bird sang"]
        assert "1 episodes without a vector" in memory.sleep().notes[-1]
        assert memory.stats()["log"]["with_vectors"] == 1


def test_a_migration_leaves_out_what_neither_model_has_a_vector_for_and_loses_no_other(
    tmp_path: Path,
) -> None:
    def letters(texts: list[str]) -> Vectors:
        return np.array([[text.count(letter) for letter in "dt"] for text in texts], np.float32)

    with opened(tmp_path, BagOfWords()) as memory:
        memory.remember([f"{'fox' if number < 200 else 'cat'} in row {number}" for number in range(210)])
        memory.learn(["A fox runs over", "The cat is big"])
        memory.sleep()

        lossy = function_embedder(lambda texts: letters(texts)[:, :1], name="lossy", dims=1)
        with pytest.raises(UnusableVectorError, match="zeros"):
            memory.embedding.migrate(lossy)
        assert memory.stats()["model"] == "bow"

        # Neither has the foxes, both have the cats.
        assert memory.embedding.migrate(function_embedder(letters, name="letters", dims=2)).switched
        assert memory.stats()["log"]["with_vectors"] == 10
        assert "200 episodes without a vector" in memory.sleep().notes[-2]
        assert [found.text for found in memory.recall("fox row 17", limit=1)] == ["fox in row 17"]


class Broken:
    """An embedder of a caller's own whose answers have no rows, or not one for each text."""

    fingerprint = Fingerprint("broken", "1", "none", 3, 0)
    gives_tokens = False

    def __init__(self, answer: Callable[[int], Vectors]) -> None:
        self.answer = answer

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self.answer(len(texts))

    embed_queries = embed_documents

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        return [text]


@pytest.mark.parametrize(
    "answer", [lambda n: np.ones(n, np.float32), lambda n: np.ones((n - 1, 3), np.float32)]
)
def test_an_embedder_that_gives_no_row_for_each_text_is_told_and_borne(
    answer: Callable[[int], Vectors], tmp_path: Path
) -> None:
    with bardo.open(tmp_path / "agent", embedder=Broken(answer)) as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        stored = [memory.remember(f"cat number {number}") for number in range(70)]
        facts = memory.learn(["Cats purr", "Dogs bark"])
        assert (len(list(memory.episodes.list())), len(facts)) == (len(stored), 2)
        assert memory.sleep().notes
