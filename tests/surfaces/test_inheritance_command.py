"""`bardo inherit`, `show`, `death left-behind` and `lineage tree` say what crossed, in counts that agree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import BardoWarning, InvalidInputError
from bardo.ports import ManualClock
from bardo.surfaces.cli.app import app


def run(*words: str | Path, code: int = 0) -> tuple[str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words], env={"BARDO_HOME": None})
    assert done.exit_code == code, done.output
    return done.stdout, done.stderr


@pytest.fixture
def left(tmp_path: Path, minilm: object) -> Path:
    """Testament with a replaced fact, a rejection and an ended task."""
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, words_only=True) as gate:
        ann.learn("The ferry berths at quay 4", subject="ferry", attribute="location", value="quay 4")
        ann.learn("The ferry berths at quay 9", subject="ferry", attribute="location", value="quay 9")
        ann.learn("Never moor in a north gale", kind="anti_knowledge", subjects=["ferry"])
        ann.remember("any news on orchids?", role="user")
        gate.reject("sail without a pilot", by="Ilse")
        gate.finish(gate.note("task", "paint the bollards").id, by="Ilse")
        ann.bequeath(tmp_path / "ann.testament")
    return tmp_path / "ann.testament"


def test_the_report_of_an_inheritance_counts_every_part(left: Path, tmp_path: Path) -> None:
    shown, _ = run("show", left)
    assert "3, of which 2 hold" in shown
    assert "1 in force, 1 ended" in shown
    told, _ = run("inherit", left, "--at", tmp_path / "ben")
    assert "2 that hold, 1 refuted or replaced" in told
    assert "1 new at the gate, 0 ended there" in told
    found = json.loads(run("inherit", left, "--at", tmp_path / "cat", "--json")[0])
    assert (found["facts"], found["ended_facts"], found["adopted"], found["directives"]) == (2, 1, 3, 1)
    assert found["episodes"] >= 1


def test_an_unknown_signer_binds_no_gate_and_the_report_says_so(
    left: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "elsewhere"))
    _, wrong = run("inherit", left, "--allow", "carl", "--at", tmp_path / "dan", code=6)
    assert "allow has 'carl', which is neither its key nor its testator" in wrong
    _, notes = run("inherit", left, "--allow", "ann", "--at", tmp_path / "dan")
    assert "Of its rejections, rules and tasks (1) none holds here" in notes


def test_a_path_that_is_no_folder_or_no_file_is_named_as_such(left: Path, tmp_path: Path) -> None:
    _, wrong = run("inherit", left, "--at", left, code=5)
    assert "it is a file" in wrong
    _, wrong = run("show", tmp_path / "gone.testament", code=3)
    assert re.search(r"there is no file \S+gone.testament", wrong)


def test_records_left_behind_are_listed_with_their_texts(left: Path, tmp_path: Path) -> None:
    told, _ = run("death", "left-behind", "--at", tmp_path / "ann")
    assert "any news on orchids?" in told
    listed, _ = run("death", "left-behind", "--reason", "episode_small_talk", "--at", tmp_path / "ann")
    assert "any news on orchids?" in listed
    found = json.loads(run("death", "left-behind", "--at", tmp_path / "ann", "--json")[0])
    assert sum(found["left_behind"].values()) == len(found["records"])
    _, wrong = run("death", "left-behind", "--reason", "boredom", "--at", tmp_path / "ann", code=3)
    assert "episode_small_talk" in wrong


def test_lives_of_one_name_are_told_apart_in_the_tree(left: Path, tmp_path: Path) -> None:
    with bardo.open(tmp_path / "other" / "ann"):
        pass
    told, _ = run("lineage", "tree", tmp_path)
    assert f"ann [{tmp_path / 'other' / 'ann'}]" in told
    alone, _ = run("lineage", "tree", left)
    assert alone.startswith("ann (generation 0)")


def test_a_testament_without_a_reflection_says_why(tmp_path: Path, minilm: object) -> None:
    settings = {"bequeath": {"tokens": 30}}
    with bardo.open(tmp_path / "eve", embedder=minilm, config=settings) as eve:
        eve.learn("The ferry berths at quay 9")
        eve.bequeath(tmp_path / "eve.testament")
    shown, notes = run("show", tmp_path / "eve.testament")
    assert "Reflection of eve" not in shown
    assert "no reflection" in notes


def test_the_explanation_of_an_inherited_episode_names_its_agent_and_speaker(
    tmp_path: Path, minilm: object
) -> None:
    with bardo.open(tmp_path / "jan", embedder=minilm) as jan:
        jan.remember("Quay 12 takes ships of 90 metres", role="user", speaker="Ilse", kind="turn")
        jan.bequeath(tmp_path / "jan.testament")
    with bardo.inherit(tmp_path / "jan.testament", tmp_path / "kai", embedder=minilm) as kai:
        (found,) = kai.recall("how long are ships at quay 12?", limit=1, layers=["episode"])
        assert found.why.provenance == "inherited from jan: turn by Ilse"
        assert "inherited 0.0 days ago" in str(found.why)


def test_an_opening_past_the_deadline_of_a_death_reports_no_crash(tmp_path: Path) -> None:
    clock = ManualClock(1_772_712_000_000_000)
    with bardo.open(tmp_path / "fay", clock=clock) as fay:
        fay.death.begin(
            cause="shift", obligations=["hand over the keys"], deadline=5, path=tmp_path / "fay.t"
        )
    clock.advance(seconds=60)
    with pytest.warns(BardoWarning, match="the deadline of the death of fay") as caught:
        bardo.open(tmp_path / "fay", clock=clock).close()
    assert not any("crash" in str(one.message) for one in caught)


def test_errors_of_a_death_name_the_commands(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "gus"):
        pass
    _, wrong = run("death", "settle", "s1", "--at", tmp_path / "gus", code=3)
    assert "bardo death begin" in wrong
    run(
        "death",
        "begin",
        "--obligation",
        "feed the cat",
        "--testament",
        tmp_path / "gus.t",
        "--at",
        tmp_path / "gus",
    )
    _, wrong = run("death", "complete", "--at", tmp_path / "gus", code=2)
    assert "--abandon" in wrong
    with (
        pytest.raises(InvalidInputError, match=r"must be int \| None"),
        bardo.open(tmp_path / "ida") as ida,
    ):
        ida.death.begin(deadline="soon")  # type: ignore[arg-type]
