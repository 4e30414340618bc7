"""Adapters between models, and drift of a model under its name."""

from __future__ import annotations

import numpy as np
import pytest
from word_vectors import SENTENCES, model, unit, words_as_vectors

import bardo
from bardo.errors import BardoWarning
from bardo.index.embedding import adapter, embedders
from bardo.index.embedding.drift import CRITICAL_DISTANCE, DriftWatch, compare
from bardo.ports import ManualClock

WEEK = 7 * 86_400
OLD = model("old", 48)


def test_a_rotation_is_found_and_chosen():
    chance = np.random.default_rng(1)
    source = unit(chance.standard_normal((80, 24)))
    turn, _ = np.linalg.qr(chance.standard_normal((24, 24)))
    led = adapter.fit(source, unit(source @ turn))
    assert led.kind == "procrustes"
    assert led.error < 1e-6


def test_an_adapter_leads_between_dimensions_and_comes_back_from_its_file(tmp_path):
    chance = np.random.default_rng(2)
    hidden = chance.standard_normal((300, 10))
    source, target = (unit(hidden @ chance.standard_normal((10, dims)) + 0.1) for dims in (24, 16))
    led = adapter.fit(source, target)
    assert led.error < 0.05
    assert set(led.errors) == {"procrustes", "affine", "residual"}
    led.save(tmp_path / "a.npz")
    again = adapter.Adapter.load(tmp_path / "a.npz")
    assert np.allclose(again(source), led(source), atol=1e-5)
    assert again.kind == led.kind
    (tmp_path / "a.npz").write_bytes(b"no adapter")
    with pytest.raises(bardo.errors.StoreDamagedError):
        adapter.Adapter.load(tmp_path / "a.npz")


class Drifting:
    """A model that changes under its name."""

    def __init__(self) -> None:
        self.noise = 0.0
        self.calls = 0

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.calls += 1
        true = unit(words_as_vectors(48, "d")(texts))
        chance = np.random.default_rng(self.calls)
        return true + self.noise * chance.standard_normal(true.shape) / np.sqrt(48)


@pytest.mark.parametrize(("noise", "status"), [(0.0, "healthy"), (0.25, "warning"), (1.0, "critical")])
def test_drift_is_healthy_a_warning_or_critical_by_distance(tmp_path, noise, status):
    function = Drifting()
    embedder = embedders.function_embedder(function, name="drifting", dims=48)
    watch = DriftWatch(tmp_path)
    assert watch.check(embedder, now=1).first
    function.noise = noise
    found = watch.check(embedder, now=2)
    assert found.status == status, found
    assert (found.distance > CRITICAL_DISTANCE) == (status == "critical")
    assert DriftWatch(tmp_path).last == found
    assert bool(DriftWatch(tmp_path).paused) == (status == "critical")


@pytest.mark.parametrize("content", ['{"model": {"mod', "[]", '{"last": {}}'])
def test_a_damaged_file_of_the_last_check_is_reported_and_checked_again(tmp_path, content):
    with bardo.open(tmp_path / "agent", embedder=OLD) as opened:
        opened.remember(SENTENCES[:3])
        assert opened.embedding.check().first
        assert not opened.embedding.check().first
    (tmp_path / "agent" / "drift.json").write_text(content)
    with pytest.warns(BardoWarning, match=r"drift\.json is damaged"):
        opened = bardo.open(tmp_path / "agent", embedder=OLD)
    with opened:
        assert opened.recall(SENTENCES[0], limit=1)[0].text == SENTENCES[0]
        assert opened.embedding.check().first
        assert not opened.embedding.check().first


def test_swapped_neighbours_and_sudden_norms_are_seen_without_distance():
    rows = unit(np.random.default_rng(0).standard_normal((20, 8)))
    assert compare(rows, rows, now=0, norms=(1.0, 9.0)).status == "warning"
    assert compare(rows, rows[::-1].copy(), now=0).status == "critical"
    assert compare(rows, np.zeros((20, 4), np.float32), now=0).status == "critical"


def test_critical_drift_pauses_vectors_but_not_capture_and_says_so(tmp_path):
    function = Drifting()
    embedder = embedders.function_embedder(function, name="drifting", dims=48)
    clock = ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "agent", embedder=embedder, clock=clock) as opened:
        opened.remember(SENTENCES[:10])
        opened.sleep()
        function.noise = 1.0
        clock.advance(WEEK - 60)
        opened.sleep()
        assert opened.stats()["embedding"]["drift"]["status"] == "healthy", "not due yet"
        clock.advance(120)
        opened.sleep()
        assert opened.stats()["embedding"]["drift"]["status"] == "critical"
        opened.remember("Zebras crossed the harbour")
        opened.learn("Zebras are rare here")
        found = opened.recall("zebras harbour", limit=2)
        assert found[0].text == "Zebras crossed the harbour"
        assert any("drifted" in note for note in found.notes)
        assert opened._session.log.without_vectors()
        assert opened._session.facts.without_vectors()
        function.noise = 0.0
        assert opened.embedding.check().status == "healthy"
        opened.recall("zebras")
        assert not opened._session.log.without_vectors()
        assert not opened._session.facts.without_vectors()
