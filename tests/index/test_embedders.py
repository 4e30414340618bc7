"""Embedders: what goes in, what comes out, and what is refused."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo.config import Embedding
from bardo.errors import (
    ConfigError,
    EmbedderUnavailableError,
    InvalidInputError,
    InvalidVectorError,
    UnusableVectorError,
)
from bardo.index.embedding import embedders, engines

HEAVY = {"onnxruntime", "onnx", "fastembed", "lancedb", "pyarrow", "wordllama", "torch"}
DIMS = 8


def lengths(texts):
    """A toy model whose vectors tell the text's length."""
    return [[len(text) + 1.0] + [1.0] * (DIMS - 1) for text in texts]


def test_importing_and_making_embedders_loads_no_heavy_library():
    code = (
        "import bardo, bardo.index.embedding.embedders as e, bardo.index.embedding.sentences, sys;"
        "from bardo.config import Embedding;"
        "[e.load(Embedding(n)) for n in ('minilm', 'minilm-int8', 'wordllama', 'nomic-ai/nomic-embed-text-v1.5')];"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert {name.split(".")[0] for name in done.stdout.split()} & HEAVY == set()


def test_order_survives_sorting_by_length(minilm):
    texts = [f"{'word ' * (n % 37)}{n}" for n in range(70)]
    fresh = embedders.TextEmbedder(minilm._engine, cache_size=0)

    together = fresh.embed_documents(texts)

    for text, vector in list(zip(texts, together, strict=True))[::11]:
        np.testing.assert_allclose(fresh.embed_documents([text])[0], vector, atol=1e-5)


@given(st.lists(st.text(max_size=200), max_size=40))
@settings(max_examples=50, deadline=None)
def test_vectors_are_float32_of_length_one_in_the_order_of_their_texts(texts):
    texts = [text for text in texts if not any("\ud800" <= c <= "\udfff" for c in text)]
    vectors = embedders.function_embedder(lengths).embed_documents(texts)

    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), DIMS)
    assert vectors.flags.c_contiguous
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(
        vectors[:, 0] / vectors[:, 1] if texts else [], [len(t) + 1 for t in texts], rtol=1e-5
    )


@pytest.mark.parametrize(
    "text", ["", " ", "x" * 65_536, "слово " * 5_000, "語" * 21_845, "🎉" * 16_384, "\x00\x01"]
)
@pytest.mark.parametrize("model", ["minilm", "wordllama"])
def test_any_text_has_a_vector(model, text):
    if model == "wordllama":
        pytest.importorskip("wordllama")
    vector = embedders.load(Embedding(model)).embed_documents([text])[0]

    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_a_text_seen_lately_does_not_run_again():
    seen = []

    def model(texts):
        seen.extend(texts)
        return lengths(texts)

    embedder = embedders.function_embedder(model, dims=DIMS)
    embedder.embed_documents(["a", "bb", "a"])
    embedder.embed_documents(["bb", "ccc"])
    embedder.embed_queries(["a"])

    assert seen == ["a", "bb", "ccc"]
    embedder.cache.clear()
    embedder.embed_queries(["a"])
    assert seen[-1] == "a"


def test_the_cache_keeps_the_youngest():
    embedder = embedders.TextEmbedder(
        engines.CallableEngine(lengths, "toy", "1", DIMS, engines.Prefixes()), cache_size=2
    )
    embedder.embed_documents(["a", "bb", "ccc"])

    assert len(embedder.cache) == 2


def test_a_vector_handed_out_is_not_the_one_that_is_kept():
    embedder = embedders.function_embedder(lengths, dims=DIMS)
    first = embedder.embed_documents(["a"])
    kept = first.copy()
    first[:] = 0.0

    np.testing.assert_array_equal(embedder.embed_documents(["a"]), kept)


def test_queries_and_documents_get_their_prefixes():
    seen = []

    def model(texts):
        seen.extend(texts)
        return lengths(texts)

    embedder = embedders.function_embedder(
        model, dims=DIMS, query_prefix="search_query: ", document_prefix="search_document: "
    )
    embedder.embed_queries(["x"])
    embedder.embed_documents(["x"])

    assert seen == ["search_query: x", "search_document: x"]


def test_known_models_have_the_prefixes_of_their_cards():
    assert engines.prefixes_of("nomic-ai/nomic-embed-text-v1.5").query == "search_query: "
    assert engines.prefixes_of("nomic-ai/nomic-embed-text-v1.5").document == "search_document: "
    assert engines.prefixes_of("intfloat/multilingual-e5-large").document == "passage: "
    assert engines.prefixes_of("sentence-transformers/all-MiniLM-L6-v2") == engines.Prefixes()


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        ([[1.0] * (DIMS - 1)], "shape"),
        ([[1.0] * DIMS] * 2, "shape"),
        ([1.0] * DIMS, "shape"),
        ([[float("nan")] + [1.0] * (DIMS - 1)], "NaN"),
        ([[float("inf")] + [1.0] * (DIMS - 1)], "NaN or infinite"),
        ([[0.0] * DIMS], "only zeros"),
        (["words"], "not a matrix"),
        ([[1.0], [1.0, 2.0]], "not a matrix"),
        (None, "shape|not a matrix"),
    ],
)
def test_bad_vectors_are_refused(returned, what):
    embedder = embedders.function_embedder(lambda texts: returned, name="bad", dims=DIMS)

    with pytest.raises(InvalidVectorError, match=what):
        embedder.embed_documents(["a"])


@pytest.mark.parametrize(
    "texts", ["one string", b"bytes", [1], [None], ["ok", b"bytes"], ["lone \ud800 surrogate"]]
)
def test_a_value_that_is_not_text_is_refused(texts):
    with pytest.raises(InvalidInputError):
        embedders.function_embedder(lengths, dims=DIMS).embed_documents(texts)


def test_no_texts_give_no_rows():
    assert embedders.function_embedder(lengths).embed_documents([]).shape == (0, DIMS)


def test_a_callable_is_named_by_itself_or_by_its_user():
    assert embedders.function_embedder(lengths).fingerprint.model.endswith("test_embedders.lengths")
    named = embedders.function_embedder(lengths, name="toy", version="3", dims=DIMS).fingerprint

    assert (named.model, named.version, named.dims) == ("toy", "3", DIMS)
    assert (
        named.preprocessing
        != embedders.function_embedder(lengths, name="toy", query_prefix="q: ").fingerprint.preprocessing
    )


def test_resolve_takes_an_embedder_a_callable_or_nothing(minilm):
    assert embedders.resolve(minilm) is minilm
    assert embedders.resolve(lengths).fingerprint.dims == DIMS
    assert embedders.resolve(None, Embedding("minilm")) is minilm
    with pytest.raises(InvalidInputError, match="cannot be called"):
        embedders.resolve(42)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError, match="minilm, minilm-int8, wordllama"):
        embedders.load(Embedding("minlm"))
    with pytest.raises(ConfigError, match=r"nomic-ai/nomic-embed-text-v1\.5"):
        embedders.load(Embedding("nobody/has-this")).embed_queries(["x"])


def test_a_model_that_cannot_be_downloaded_names_the_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("BARDO_CACHE", str(tmp_path))
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    from fastembed.common import model_management

    def refuse(*arguments, **options):
        raise OSError("no route to the hub")

    monkeypatch.setattr(model_management.ModelManagement, "download_model", classmethod(refuse))
    embedder = embedders.TextEmbedder(engines.FastembedModel("nomic-ai/nomic-embed-text-v1.5", 1))

    with pytest.raises(EmbedderUnavailableError, match="needs no download"):
        embedder.embed_queries(["x"])


def test_thirty_two_threads_get_the_same_vectors(minilm):
    fresh = embedders.TextEmbedder(engines.MiniLm("fp32", 1), cache_size=0)
    texts = ["what follows an oracle update?", "gas"]
    expected = minilm.embed_queries(texts)

    with ThreadPoolExecutor(32) as pool:
        results = list(pool.map(lambda _: fresh.embed_queries(texts), range(64)))

    for result in results:
        np.testing.assert_allclose(result, expected, atol=1e-5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_told_to_make_its_own():
    code = """
import os, sys
from bardo.errors import EmbedderUnavailableError
from bardo.index.embedding import embedders
parent = embedders.load()
parent.embed_queries(["x"])
child = os.fork()
if child == 0:
    try:
        parent.embed_queries(["y"])
        os._exit(1)
    except EmbedderUnavailableError as error:
        assert "forked" in str(error)
    assert embedders.load().embed_queries(["y"]).shape == (1, 384)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=False, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr


def test_texts_without_a_vector_are_named_and_the_rest_is_embedded():
    runs = []

    def bow(texts):
        runs.append(list(texts))
        return np.array([[text.count(word) for word in ("cat", "dog")] for text in texts], np.float32)

    embedder = embedders.function_embedder(bow, name="bow", dims=2)
    with pytest.raises(UnusableVectorError, match="only zeros") as raised:
        embedder.embed_documents(["cat", "a bird", "dog", "a fish"])
    assert raised.value.rows == (1, 3)
    runs.clear()
    assert embedder.embed_documents(["cat", "dog"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert runs == []


def test_one_text_of_another_shape_does_not_take_the_others_with_it():
    def ragged(texts):
        return [[1.0, 2.0] if text else [] for text in texts]

    embedder = embedders.function_embedder(ragged, name="ragged", dims=2)
    with pytest.raises(UnusableVectorError, match="shape") as raised:
        embedder.embed_documents(["cat", "", "dog"])
    assert raised.value.rows == (1,)
    with pytest.raises(InvalidVectorError, match="shape") as raised:
        embedder.embed_documents([""])
    assert not isinstance(raised.value, UnusableVectorError)
