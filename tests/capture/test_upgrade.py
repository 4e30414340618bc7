"""A memory that an older bardo wrote: it opens, says what became of its files, and deletion reaches the kept one."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.errors import BardoWarning
from bardo.model import Fingerprint

GOLDEN = Path(__file__).parents[2] / "rust" / "bardo-core" / "tests" / "golden" / "episodes-v1.redb"


class Gold:
    """The model of the vectors in the golden file."""

    fingerprint = Fingerprint("gold", "1", "none", 2)

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), 2), np.float32)

    embed_queries = embed_documents


def test_a_log_of_schema_1_opens_with_a_word_about_the_copy_which_deletion_reaches(tmp_path: Path) -> None:
    shutil.copy(GOLDEN, tmp_path / "episodes.redb")
    kept = tmp_path / "episodes.redb.v1"
    with pytest.warns(BardoWarning, match="schema 1 and was brought up to 2") as told:
        grimoire = bardo.open(tmp_path, agent="золотой", embedder=Gold())
    with grimoire:
        assert str(kept) in str(told[0].message)
        assert kept.read_bytes() == GOLDEN.read_bytes()
        assert len(grimoire.recall("plain")) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", BardoWarning)
        with bardo.open(tmp_path, agent="золотой", embedder=Gold()) as grimoire:
            plain = next(episode for episode in grimoire.episodes.list() if episode.text == "plain")
            grimoire.forget(plain, reason="test")
            assert not kept.exists()
