"""A state machine drives a whole grimoire against a plain model: nothing is lost, changed or counted twice."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import bardo
from bardo.ports import Embedder, ManualClock

WORDS = (
    "oracle", "liquidation", "gas", "Алиса", "любит", "混合", "检索", "مرحبا", "🦊", "naïve", "0xdeadbeef", "slippage",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=2, max_size=7).map(" ".join)
SUBJECTS = st.sampled_from(("aave", "btc", "погода"))
#: Seconds between two episodes that are no retry of each other.
APART = 61


class GrimoireAgainstModel(RuleBasedStateMachine):
    """`remember`, `recall`, `get`, `verify`, `sleep` and reopening, against dictionaries."""

    embedder: Embedder
    stored = Bundle("stored")

    @initialize()
    def open_first(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bardo-model-"))
        self.clock = ManualClock(1_700_000_000_000_000)
        self.texts: dict[str, str] = {}
        self.numbers: dict[str, tuple[str, float]] = {}
        self.verified: set[str] = set()
        self.consolidated: set[str] = set()
        self.tick = 1
        self.open()

    def open(self) -> None:
        self.grimoire = bardo.open(self.folder / "agent", clock=self.clock, seed=5, embedder=self.embedder)

    @rule(target=stored, text=TEXTS, subject=SUBJECTS, number=st.floats(-1e6, 1e6), step=st.integers(0, 40))
    def remember(self, text: str, subject: str, number: float, step: int) -> str:
        self.tick += step
        self.clock.advance(APART)
        episode = self.grimoire.remember(text, tick=self.tick, subjects=[subject], payload={"n": number})
        assert episode.id not in self.texts
        self.texts[episode.id] = text
        self.numbers[episode.id] = (subject, number)
        return episode.id

    @rule(text=TEXTS, number=st.integers(0, 3))
    def a_retry_is_one_episode(self, text: str, number: int) -> None:
        self.clock.advance(APART)
        first = self.grimoire.remember(text, tick=self.tick, payload=[number])
        second = self.grimoire.remember(text, tick=self.tick, payload=[number])
        assert first.id == second.id
        self.texts[first.id] = text

    @rule(episode_id=stored)
    def get_gives_back_what_was_stored(self, episode_id: str) -> None:
        episode = self.grimoire.episodes.get(episode_id)
        assert episode.text == self.texts[episode_id]
        subject, number = self.numbers[episode_id]
        assert (episode.subjects, episode.payload) == ((subject,), {"n": number})

    @rule(episode_id=stored)
    def recall_finds_what_was_stored_by_its_own_words(self, episode_id: str) -> None:
        text = self.texts[episode_id]
        found = self.grimoire.recall(text, limit=10, layers=("episode",))
        assert text in [memory.text for memory in found], [memory.text for memory in found]

    @rule(episode_id=consumes(stored), importance=st.floats(0, 1, width=32))
    def verify(self, episode_id: str, importance: float) -> None:
        fresh = self.grimoire.episodes.verify(episode_id, importance=importance)
        assert fresh == (episode_id not in self.verified)
        self.verified.add(episode_id)

    @rule(episode_id=consumes(stored))
    def forget(self, episode_id: str) -> None:
        report = self.grimoire.forget(episode_id, reason="a rule of the test", allow_again=True)
        assert report.episodes == (episode_id,)
        for known in (self.texts, self.numbers):
            del known[episode_id]
        self.verified.discard(episode_id)
        self.consolidated.discard(episode_id)

    @rule()
    def sleep_learns_exactly_what_was_verified(self) -> None:
        report = self.grimoire.sleep()
        assert report.episodes == len(self.verified - self.consolidated)
        self.consolidated |= self.verified

    @rule()
    def reopen(self) -> None:
        self.grimoire.close()
        self.open()

    @precondition(lambda self: self.consolidated)
    @invariant()
    def baselines_are_the_statistics_of_the_consolidated_episodes(self) -> None:
        learned = {fact.subjects[0]: fact.payload for fact in self.grimoire.facts.list(kind="baseline")}
        samples: dict[str, list[float]] = {}
        for episode_id in self.consolidated:
            subject, number = self.numbers[episode_id]
            samples.setdefault(subject, []).append(number)
        for subject, sample in samples.items():
            if len(sample) < 3:
                assert subject not in learned
                continue
            assert learned[subject]["n"] == len(sample)
            assert learned[subject]["mean"] == pytest.approx(statistics.fmean(sample), rel=1e-9, abs=1e-6)
            assert learned[subject]["variance"] == pytest.approx(
                statistics.variance(sample), rel=1e-6, abs=1e-3
            )

    @invariant()
    def nothing_is_lost_and_order_is_kept(self) -> None:
        episodes = list(self.grimoire.episodes.list())
        assert {episode.id: episode.text for episode in episodes} == self.texts
        ticks = [episode.tick for episode in episodes]
        assert ticks == sorted(ticks)

    def teardown(self) -> None:
        if hasattr(self, "grimoire"):
            self.grimoire.close()
            shutil.rmtree(self.folder)


def test_a_grimoire_behaves_like_its_model(minilm: Embedder) -> None:
    GrimoireAgainstModel.embedder = minilm
    run_state_machine_as_test(
        GrimoireAgainstModel,
        settings=settings(
            max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
