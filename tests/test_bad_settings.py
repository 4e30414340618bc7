"""Bad settings: each is refused by name, before anything is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo import errors
from bardo.config import Curator
from bardo.ports import Embedder


def test_a_setting_that_does_not_exist_is_named_with_the_nearest_one(
    tmp_path: Path, minilm: Embedder
) -> None:
    with pytest.raises(errors.ConfigError, match="budget"):
        bardo.open(tmp_path / "agent", embedder=minilm, config={"assemble": {"budgte": 5}})
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bardo.toml").write_text("agent = ")
    with pytest.raises(errors.ConfigError, match=r"bardo\.toml"):
        bardo.open(tmp_path / "bad", embedder=minilm)


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("archive.batch", 0, "1 or more"),
        ("archive.batch", -1, "1 or more"),
        ("curator.batch", 0, "1 or more"),
        ("decay.eviction_threshold", 2.0, "from 0 to 1"),
        ("decay.reinforcement", 5, "from 0 to 1"),
        ("decay.tau_ticks", float("nan"), "0 or more"),
        ("index.hot_limit", -1, "0 or more"),
        ("llm.prices", {"small": {"input": -1.0}}, "0 or more"),
        ("recall.limit", 0, "from 1 to 10000"),
        ("recall.limit", 20_000, "from 1 to 10000"),
        ("recall.weights", {"dense": -0.5}, "0 or more"),
        ("assemble.tokenizer", "zzz", "o200k"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name_before_anything_is_made(
    tmp_path: Path, minilm: Embedder, setting: str, value: Any, told: str
) -> None:
    section, key = setting.split(".")
    with pytest.raises(errors.ConfigError, match=rf"{setting}.*{told}"):
        bardo.open(tmp_path / "agent", embedder=minilm, config={section: {key: value}})
    assert not (tmp_path / "agent").exists()


def test_settings_made_by_hand_are_looked_at_as_well(tmp_path: Path, minilm: Embedder) -> None:
    made = bardo.Config(curator=Curator(batch=0))
    for verb in (bardo.open, bardo.visit):
        with bardo.open(tmp_path / "agent", embedder=minilm):
            pass
        with pytest.raises(errors.ConfigError, match=r"curator\.batch is 0"):
            verb(tmp_path / "agent", embedder=minilm, config=made)


@pytest.mark.parametrize("policy", ["four_factor", "rrf", "pinned"])
def test_every_policy_of_a_call_can_be_set_for_all_calls(
    tmp_path: Path, minilm: Embedder, policy: str
) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "bardo.toml").write_text(f'[recall]\npolicy = "{policy}"\n')
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("the relayer ran out of gas")
        set_once, per_call = opened.recall("gas"), opened.recall("gas", policy=policy)
        assert [memory.score for memory in set_once] == [memory.score for memory in per_call] != []
