"""Each record of a dead agent either crosses or has one reason, which the agent's memory tells afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dying_child import embed
from typer.testing import CliRunner

import bardo
from bardo.bequeath.content import left_behind
from bardo.bequeath.content.left_behind import REASONS, LeftBehind
from bardo.errors import NotFoundError, StoreDamagedError
from bardo.index.embedding import embedders
from bardo.model import Fact
from bardo.ports import ManualClock
from bardo.surfaces.cli.app import app

NOON = 1_772_712_000_000_000
SETTINGS = {"curator": {"texts": False, "language": ""}}


def opened(folder: Path) -> bardo.Grimoire:
    embedder = embedders.function_embedder(embed, name="flat")
    return bardo.open(folder, embedder=embedder, clock=ManualClock(NOON), config=SETTINGS)


def live(ann: bardo.Grimoire) -> dict[str, str]:
    """Lives a small life; returns the expected reason of some episodes by id."""
    routine = ann.remember([f"health check of billing ok in {number * 7} ms" for number in range(1, 61)])
    talk = ann.remember("any news on orchids?", role="user")
    return {**{one.id: "episode_routine" for one in routine}, talk.id: "episode_small_talk"}


def test_every_record_crosses_or_has_one_reason(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        expected = live(ann)
        host = "we decided to move the ledger to host ledger-7.internal:5433"
        copies = [ann.remember(text, role="user").id for text in (host, host.upper())]
        ann.learn("Never chase a falling pool", kind="anti_knowledge")
        ann.learn("A dream of pools", source="dream", confidence=0.1)
        left = ann.bequeath(tmp_path / "left")
        behind = ann.death.left_behind()
        records = {one.id for one in (*ann.episodes.list(), *ann.facts.list(status=None))}
        crossing = [one.id for one in (*left.episodes, *left.facts)]
        assert sorted([*crossing, *(one.id for one in behind)]) == sorted(records)
        reasons = {one.id: one.reason for one in behind}
        assert expected.items() <= reasons.items()
        assert sorted(reasons.get(id_, "") for id_ in copies) == ["", "episode_copy"]
        for id_ in (*expected, *copies):
            assert ann.death.left_behind(id_) == [one for one in behind if one.id == id_]
        assert all(one.why == REASONS[one.reason] for one in behind)
        counts = left_behind.counts_of(behind)
        assert counts == {reason: left.left_out[reason] for reason in counts}
        assert counts["episode_routine"] == 60
        with pytest.raises(NotFoundError, match="no record with id"):
            ann.death.left_behind("0190b6a2-7f4e-7cc3-98c4-0000000000ff")


def test_the_living_and_the_dead_of_an_older_bardo_name_no_records(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        with pytest.raises(NotFoundError, match="has not died"):
            ann.death.left_behind()
        live(ann)
        ann.bequeath(tmp_path / "left")
        (tmp_path / "ann" / left_behind.LEFT_BEHIND_FILE).write_text("nonsense")
        with pytest.raises(StoreDamagedError):
            ann.death.left_behind()
        assert left_behind.LEFT_BEHIND_FILE in str(bardo.check(tmp_path / "ann").damaged)
        (tmp_path / "ann" / left_behind.LEFT_BEHIND_FILE).unlink()
        with pytest.raises(NotFoundError, match="before bardo kept the reasons"):
            ann.death.left_behind()


def test_records_are_read_as_they_were_saved(tmp_path: Path) -> None:
    for given in ([], [LeftBehind("fact", "a", "private"), LeftBehind("reflection", "", "reflection")]):
        left_behind.save(tmp_path, given)
        assert left_behind.load(tmp_path) == given


def test_the_command_tells_why_a_line_did_not_cross(tmp_path: Path, minilm: object) -> None:
    def answer(*words: str) -> str:
        result = CliRunner().invoke(app, [*words, "--at", str(tmp_path / "ann")], env={"BARDO_HOME": None})
        assert result.exit_code == 0, result.stderr
        return result.stdout

    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        talk = ann.remember("any news on orchids?", role="user")
        fact: Fact = ann.learn("Never chase a falling pool", kind="anti_knowledge")
        ann.bequeath(tmp_path / "left")
    assert f"{talk.id} stayed behind (episode_small_talk): It is a short" in answer(
        "death", "left-behind", talk.id
    )
    assert f"{fact.id} crossed" in answer("death", "left-behind", fact.id)
    assert "episode_small_talk" in answer("death", "left-behind")
    assert json.loads(answer("death", "left-behind", "--json"))["left_behind"]["episode_small_talk"] == 1
