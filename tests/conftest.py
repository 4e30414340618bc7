"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import settings

from bardo.errors import EmbedderUnavailableError
from bardo.index.embedding import embedders

# A busy machine is no failure.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
#: No test touches the lists of keys that the user keeps, nor does a child of one.
os.environ["BARDO_CONFIG"] = tempfile.mkdtemp(prefix="bardo-config-")


@pytest.fixture(scope="session")
def minilm() -> embedders.TextEmbedder:
    """The default embedder, loaded; its model is built once into the user's cache folder and stays there."""
    embedder = embedders.load()
    try:
        embedder.embed_queries(["warm"])
    except EmbedderUnavailableError as error:
        pytest.fail(str(error))
    return embedder
