"""Texts by the sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bardo.errors import InvalidInputError
from bardo.index.embedding import embedders, sentences


def marks(texts):
    """A toy model that gives every text a vector of its own."""
    return [[float(len(text)), float(sum(map(ord, text)) % 997), 1.0] for text in texts]


ONE = "The oracle was updated two blocks before."
TWO = "The liquidations followed it at once, in a row."


def test_sentences_of_several_scripts():
    assert sentences.split(f"{ONE} {TWO}") == [ONE, TWO]
    assert (
        len(sentences.split("オラクルの価格が二ブロック前に更新された。その直後に大きな清算が三回も続いた。"))
        == 2
    )
    assert sentences.split("") == []


def test_short_sentences_are_joined_with_a_neighbour():
    assert sentences.split("It fell. Then it rose!") == ["It fell. Then it rose!"]
    assert sentences.split(f"Wow! {ONE} {TWO}") == [f"Wow! {ONE}", TWO]


@given(st.text(max_size=2_000), st.integers(1, 20))
def test_no_letter_is_lost(text, limit):
    pieces = sentences.split(text, limit)

    assert len(pieces) <= limit
    assert [c for c in "".join(pieces) if c.isalpha()] == [c for c in text if c.isalpha()]


def test_only_texts_of_several_sentences_have_sentence_vectors():
    embedder = embedders.function_embedder(marks)
    texts = [f"{ONE} {TWO} {ONE}", "only one", "", f"{TWO} {ONE}"]

    whole, single, counts = sentences.documents(embedder, texts, speakers=["Ann", None, None, None])

    assert counts == [3, 0, 0, 2]
    assert whole.shape == (4, 3)
    expected = [f"Ann: {ONE}", f"Ann: {TWO}", f"Ann: {ONE}", TWO, ONE]
    np.testing.assert_array_equal(single, embedder.embed_documents(expected))
    np.testing.assert_array_equal(whole, embedder.embed_documents([f"Ann: {texts[0]}", *texts[1:]]))


def test_speakers_must_match_their_texts():
    with pytest.raises(InvalidInputError, match="1 speakers for 2 texts"):
        sentences.documents(embedders.function_embedder(marks), ["a", "b"], speakers=["Ann"])


def test_the_longest_text_is_covered_to_its_end(minilm):
    text = "The keeper waits. " * 3_000 + "The vault is under the old mill."
    _, single, counts = sentences.documents(minilm, [text])

    cosines = single @ minilm.embed_queries(["where is the vault?"])[0]
    assert counts == [len(single)]
    assert np.argmax(cosines) == len(single) - 1
