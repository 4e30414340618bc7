"""Late interaction through Python: passages, codes, and an answer whose question was asked one turn earlier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo import _core
from bardo.errors import InvalidVectorError
from bardo.index.embedding import document_vectors, embedders
from bardo.ports import LateEmbedder, ManualClock

NOW = 1_700_000_000_000_000
LONG = " ".join(f"Sentence number {number} speaks of liquidations and oracles." for number in range(120))


def test_a_text_is_cut_between_sentences_into_parts_that_the_model_reads_whole(
    minilm: embedders.LateTextEmbedder,
) -> None:
    assert minilm.passages("Short.", beside="Ann: ") == ["Short."]
    parts = minilm.passages(LONG, beside="Ann: ")
    assert "".join(parts) == LONG
    assert len(parts) > 3
    assert all(part.startswith("Sentence") for part in parts)
    _, tokens = minilm.embed_late_documents([f"Ann: {part}" for part in parts])
    assert all(sum(text.counts) <= 254 for text in tokens)
    assert sum(words.words.count("liquidations") for words in tokens) == 120


def test_a_text_without_spaces_or_sentences_is_cut_all_the_same(minilm: embedders.LateTextEmbedder) -> None:
    for text in ("x1-" * 700, "清算" * 700):
        parts = minilm.passages(text)
        assert "".join(parts) == text
        assert len(parts) > 1


def test_late_vectors_are_those_of_the_plain_way(minilm: embedders.LateTextEmbedder) -> None:
    texts = ["a pool was drained", "", "Ann: the oracle moved two blocks later"]
    vectors, tokens = minilm.embed_late_documents(texts)
    assert np.abs(vectors - minilm.embed_documents(texts)).max() < 1e-5
    assert list(tokens[0].words) == ["a", "pool", "was", "drained"]
    assert tokens[0].vectors.shape == (sum(tokens[0].counts), 384)
    assert not tokens[1].words


def test_codes_take_48_bytes_for_each_token_of_a_content_word(minilm: embedders.LateTextEmbedder) -> None:
    found = document_vectors.embed(minilm, ["the pool was drained", LONG], [None, "Ann"], late=True)
    assert found.tokens is not None
    words = minilm.embed_late_documents(["pool drained"])[1][0]
    assert len(found.tokens[0]) == 48 * sum(words.counts)
    assert found.counts[0] == 0
    assert found.counts[1] > 3
    assert len(found.parts) == found.counts[1]
    off = document_vectors.embed(minilm, ["the pool was drained"], [None], late=False)
    assert off.tokens is None


def test_an_embedder_without_tokens_goes_without(tmp_path: Path) -> None:
    plain = embedders.function_embedder(lambda texts: [[1.0, 0.5] for _ in texts], name="flat", dims=2)
    assert not isinstance(plain, LateEmbedder)
    with bardo.open(tmp_path / "a", embedder=plain, clock=ManualClock(NOW)) as grimoire:
        grimoire.remember("the pool was drained")
        assert [reason.arm for reason in grimoire.recall("pool")[0].why.arms] == [
            "dense",
            "lexical",
            "recency",
        ]


def test_codes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidVectorError, match="counts that add up to 2"):
        _core.pack_tokens([["one"]], [[2]], np.ones((1, 8), np.float32))


@pytest.mark.parametrize("late", [True, False])
def test_the_switch_decides_whether_tokens_are_kept_and_compared(
    tmp_path: Path, minilm: embedders.LateTextEmbedder, late: bool
) -> None:
    config = {"embedding": {"late_interaction": late}}
    with bardo.open(tmp_path / "a", embedder=minilm, clock=ManualClock(NOW), config=config) as grimoire:
        for place, (speaker, text) in enumerate(
            [("Ann", "How did the marathon go?"), ("Bo", "Terribly, I gave up."), ("Ann", "I baked bread."),
             ("Bo", "The cat sleeps."), ("Ann", "Taxes are due."), ("Bo", "My car broke down.")]
        ):  # fmt: skip
            grimoire.remember(text, speaker=speaker, role="user", session="s", tick=place + 1)
        found = grimoire.recall("what happened to Bo at the marathon race?", limit=2)
        assert "Terribly, I gave up." in [memory.text for memory in found]
        arms = [reason.arm for reason in found[0].why.arms]
        assert ("late" in arms) == late
        assert ("late" in str(found[0].why)) == late
