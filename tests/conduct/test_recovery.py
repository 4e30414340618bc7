"""An agent that lost its context, or was cut off, learns what is in force within a budget."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bardo
from bardo.assemble.context import count_tokens
from bardo.assemble.prompt import assemble
from bardo.conduct.briefing import state_block, tokens_in
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.storage.store import ConductStore
from bardo.errors import BardoWarning, BudgetTooSmallError, InvalidInputError
from bardo.ports import ManualClock
from helpers.models import flat

QUIET = {"embedding": {"batch": 0}}
CHILD = """
import os, sys, bardo
memory = bardo.open(sys.argv[1], config={"embedding": {"batch": 0}})
memory.checkpoint("port the parser")
for number in range(4):
    sides = (("user", f"question {number}"), ("assistant", f"answer {number}"))
    memory.remember([{"role": role, "content": text} for role, text in sides])
print("ready", flush=True)
sys.stdin.read()
"""
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip())
)


@pytest.fixture
def memory(tmp_path: Path):
    with bardo.open(tmp_path / "agent", config=QUIET, embedder=letters) as opened:
        yield opened


def letters(texts: list[str]) -> list[list[float]]:
    """A model: each letter has a direction."""
    return [[1.0, *(float(text.count(letter)) for letter in "abcdefghijklmno")] for text in texts]


def chat(number: int) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"question {number}"},
        {"role": "assistant", "content": f"answer {number}"},
    ]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    entries=st.lists(
        st.tuples(
            st.sampled_from(["rejected", "task", "decision", "agent_state"]), TEXTS, st.integers(1, 2_000)
        ),
        max_size=120,
    ),
    by=TEXTS,
)
def test_tier_0_has_less_than_1000_tokens_for_any_history(
    entries: list[tuple[str, str, int]], by: str
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        bardo.open(folder, agent="a", config=QUIET, embedder=letters) as memory,
    ):
        store = ConductStore(Path(folder), facts=memory._session.facts)
        with store.writing():
            for kind, text, length in entries:
                summary = (text * length)[:2_000]
                if summary.strip():
                    store.put(StateEntry("", kind, summary, by=by, at=1, changed_at=1))  # type: ignore[arg-type]
        store.close()
        briefing = memory.recover()
        assert briefing.tokens < 1_000
        assert count_tokens(str(briefing)) == briefing.tokens
        assert memory.boot(budget=800).tokens <= 800
        prompt = memory.context("What next?", budget=700, reserve=100)
        assert prompt.tokens <= 600


def test_tier_0_has_rejections_and_state_and_says_what_did_not_fit(memory: bardo.Grimoire) -> None:
    with bardo.gate(memory.path, words_only=True) as gate:
        for number in range(60):
            gate.reject(f"use database number {number} " + "of many words " * 30)
        gate.note("task", "port the parser")
        done = gate.note("task", "a finished one")
        gate.finish(done.id)
    briefing = memory.recover()
    assert "port the parser" in str(briefing)
    assert "rejected" in str(briefing)
    assert "a finished one" not in str(briefing)
    assert briefing.tokens < 1_000
    assert any("are not in the block conduct" in note for note in briefing.notes)


def test_the_latest_tasks_come_first_also_if_they_are_alike(tmp_path: Path) -> None:
    clock = ManualClock(1_772_431_200_000_000)
    names = ["checkout", "search", "ledger", "menu-api"]
    with bardo.open(tmp_path / "g", clock=clock) as memory:
        with bardo.gate(memory.path, clock=clock, words_only=True) as gate:
            for name in names:
                gate.note("task", f"The freeze for {name} starts on Friday.")
                clock.advance(86_400)
        for text in (memory.recover(), memory.boot(), memory.context("Should I scale out?", budget=1_500)):
            places = [str(text).index(f"freeze for {name}") for name in reversed(names)]
            assert places == sorted(places)


def test_a_prompt_has_the_rejections_and_can_do_without(memory: bardo.Grimoire) -> None:
    assert "<conduct>" not in str(memory.context("Which database?"))
    with bardo.gate(memory.path, words_only=True) as gate:
        gate.reject("use MongoDB", by="anna")
    prompt = memory.context("Which database?")
    assert "rejected (s1): use MongoDB" in str(prompt)
    with bardo.visit(memory.path) as visitor:
        assert "rejected (s1): use MongoDB" in str(visitor.context("Which database?"))
    # A prompt that comes back is not captured as a memory.
    memory.remember(f"I was told: {prompt} and answered")
    assert not any("MongoDB" in episode.text for episode in memory.episodes.list())
    assert memory.prompts.withdraw("conduct")
    assert "MongoDB" not in str(memory.context("Which database?"))


def test_a_prompt_without_readable_state_says_so(memory: bardo.Grimoire) -> None:
    with bardo.gate(memory.path, words_only=True) as gate:
        gate.reject("use MongoDB", by="anna")
    (memory.path / "conduct.db").unlink()
    prompt = memory.context("Which database?")
    assert any("conduct failed and was left out: ConductLostError" in note for note in prompt.notes)
    with bardo.visit(memory.path) as visitor:
        assert any("are left out" in note for note in visitor.context("Which database?").notes)


def test_the_tiers_add_messages_the_day_and_the_log(memory: bardo.Grimoire) -> None:
    memory.remember("the market opened")
    for number in range(40):
        memory.remember(chat(number))
    tiers = [memory.recover(tier) for tier in range(4)]
    assert str(tiers[0]) == ""
    assert "answer 39" in str(tiers[1])
    assert "question 25" in str(tiers[1])
    assert "question 24" not in str(tiers[1])
    assert "question 24" in str(tiers[2])
    assert "the market opened" in str(tiers[2])
    assert str(tiers[1]).index("question 38") < str(tiers[1]).index("question 39")
    assert "question 0" in str(tiers[3])
    for briefing, budget in zip(tiers, (1_000, 10_000, 15_000, 100_000), strict=True):
        assert briefing.tokens <= budget
    memory.remember([{"role": "user", "content": "long " * 12_000}] * 2)
    for tier in range(4):
        assert memory.recover(tier, budget=1_500).tokens <= 1_500
    assert "earlier ones are left out" in str(memory.recover(1, budget=3_000))
    with pytest.raises(InvalidInputError, match="the tier is 4"):
        memory.recover(4)


def test_a_session_begins_with_rules_rejections_and_lessons(memory: bardo.Grimoire) -> None:
    assert str(memory.boot()) == ""
    with bardo.gate(memory.path, words_only=True) as gate:
        for number in range(25):
            gate.rule(f"Rule of {'abcdefghijklmnopqrstuvwxyz'[number] * 5} alone", by="anna")
        gate.note("learning", "Tests come first")
        gate.reject("use MongoDB")
    text = str(memory.boot())
    assert text.count("(score 9)") == 20
    for told in ("Tests come first", "rejected (s2): use MongoDB", "<gate_rules>", "<lessons>"):
        assert told in text


def test_heartbeat_is_idle_or_resumes_unfinished_work(memory: bardo.Grimoire) -> None:
    assert str(memory.heartbeat()) == "idle"
    assert memory.heartbeat().tokens <= 3
    first = memory.checkpoint("write the migration")
    assert first is not None
    second = memory.checkpoint("write the second migration")
    assert second is not None
    beat = memory.heartbeat()
    assert str(beat).startswith("<resume>\n[SESSION_RESUME] The unfinished work is the entry " + second.id)
    assert "write the second migration" in str(beat)
    assert "write the migration" not in str(beat)
    done = memory.checkpoint(done=True)
    assert done is not None
    assert (done.id, done.status) == (second.id, "done")
    assert str(memory.heartbeat()) == "idle"
    memory.checkpoint("again")
    with pytest.raises(BudgetTooSmallError):
        memory.recover(budget=5)


def test_a_killed_session_is_resumed_once_and_a_closed_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with bardo.open(path, config=QUIET, embedder=letters) as memory:
        briefing = memory.boot()
        assert briefing.is_resumed
        assert "[SESSION_RESUME] The last session was cut off after its checkpoint" in str(briefing)
        assert "(3 exchanges)" in str(briefing)
        assert "port the parser" in str(briefing)
        assert not memory.boot().is_resumed
        # Nothing but the checkpoint is behind: every message is in the log.
        assert "answer 3" in str(memory.recover(1))
        memory.checkpoint(done=True)
        memory.remember(chat(9))
    with bardo.open(path, config=QUIET, embedder=letters) as memory:
        assert str(memory.heartbeat()) == "idle"
        assert not memory.boot().is_resumed


def test_named_work_is_the_first_entry_of_every_text(memory: bardo.Grimoire) -> None:
    memory.checkpoint("write the migration")
    with bardo.gate(memory.path, words_only=True) as gate:
        gate.missions.set("Keep the shop open", by="anna")
        for number in range(3):
            gate.note("task", f"tidy the drawer of desk {number}")
    for text in map(str, (memory.boot(), memory.recover(), memory.heartbeat())):
        entry = text.index("agent_state (s1): write the migration")
        assert text.count("write the migration") == 1
        assert not any(f"desk {number}" in text[:entry] for number in range(3))
        assert "Keep the shop open" not in text[:entry]


def test_the_first_exchange_after_named_work_writes_a_checkpoint(memory: bardo.Grimoire) -> None:
    memory.checkpoint("write the migration")
    written = []
    for number in range(4):
        memory.remember(chat(number))
        written.append(json.loads((memory.path / "checkpoint.json").read_text("utf-8"))["exchanges"])
    assert written == [1, 1, 3, 3]


def test_a_damaged_checkpoint_costs_no_message(memory: bardo.Grimoire) -> None:
    (memory.path / "checkpoint.json").write_text("{")
    with pytest.warns(BardoWarning, match="no checkpoint of the session could be written"):
        memory.remember(chat(1))
    assert len(list(memory.episodes.list())) == 2
    prompt = memory.context("And now?")
    assert any("conduct failed" in note for note in prompt.notes)


def test_agents_do_not_see_each_others_state(tmp_path: Path) -> None:
    with (
        bardo.open(tmp_path / "a", config=QUIET, embedder=letters) as one,
        bardo.open(tmp_path / "b", config=QUIET, embedder=letters) as other,
    ):
        with bardo.gate(one.path, words_only=True) as gate:
            gate.reject("use MongoDB")
        one.checkpoint("secret work")
        for text in (other.boot(), other.recover(2), other.heartbeat(), other.context("And now?")):
            assert "MongoDB" not in str(text)
            assert "secret" not in str(text)


def test_the_speaker_of_a_turn_is_the_user_and_not_the_agent(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", embedder=flat()) as memory:
        memory.turn("Which chart?", reply="Grafana it is.", speaker="anna")
        said = [(episode.role, episode.speaker) for episode in memory.episodes.list()]
    assert said == [("user", "anna"), ("agent", None)]


def test_an_empty_path_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("", "  "):
        with pytest.raises(InvalidInputError, match="the path is empty"):
            bardo.open(path)
    assert list(tmp_path.iterdir()) == []


def test_an_outcome_of_a_prompt_with_entries_of_the_gate_is_recorded(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", embedder=flat()) as memory:
        memory.remember("the market was quiet")
        with bardo.gate(memory.path, words_only=True) as gate:
            gate.reject("short ETH on weekends", by="anna")
        prompt = memory.context("Trade?")
        assert "short ETH on weekends" in str(prompt)
        for used in (prompt, prompt.id):
            (note,) = memory.outcome(used, value=1.0).notes
            assert note.startswith("none of the 1 memories acted on is a fact")


def test_notes_count_the_rejections_that_are_not_shown(memory: bardo.Grimoire) -> None:
    with bardo.gate(memory.path, words_only=True) as gate:
        for number in range(100):
            gate.reject(f"rename column c{number}x in table t{number}", by="priya")
    for made, name in (
        (memory.boot(), "rejections"),
        (memory.recover(), "conduct"),
        (memory.context("go on", budget=8_000), "conduct"),
        (memory.turn("go on", thread="t"), "conduct"),
    ):
        shown = str(made).count("rejected (")
        assert 0 < shown < 100
        assert any(
            note.startswith(f"{100 - shown} of 100 memories are not in the block {name}")
            for note in made.notes
        )


@pytest.mark.parametrize("budget", [600, 700, 1_000])
def test_the_share_of_a_small_prompt_has_room_for_the_longest_rejection(
    memory: bardo.Grimoire, budget: int
) -> None:
    with bardo.gate(memory.path) as gate:
        for number in range(20):
            gate.reject(f"order menu {number} " + "from the restaurant in the harbour street " * 8, by="Ida")
        block = state_block(gate._store, cap=tokens_in(budget))
    assert block is not None
    (report,) = assemble([block], budget=tokens_in(budget), reserve=0).blocks
    assert report.shown


def test_a_prohibition_of_a_user_stands_in_every_prompt_as_a_rule(memory: bardo.Grimoire) -> None:
    with memory.turn("Never push to main.", thread="d") as turn:
        turn.reply("I would push to main for hotfixes only.")
    memory.sleep()
    with bardo.gate(memory.path, words_only=True) as gate:
        (rule,) = gate.rules()
        assert gate.before("push to main").decision == "block"
        gate.rule("Prefer small commits")
    for made in (memory.recover(), memory.turn("May I push?"), memory.context("push?", budget=2_000)):
        block = str(made).partition("<conduct>")[2]
        assert f"rule ({rule.id}): Never push to main." in block
        assert "hotfixes" not in block
        assert "small commits" not in block


def test_a_session_that_begins_is_told_of_messages_that_no_pass_has_heard(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as memory:
        memory.remember("Never deploy on weekends.", role="user", kind="turn")
        memory.remember("Understood.", role="agent", kind="turn")
        assert memory.boot().notes == (
            "1 message since the last pass: orders and lifts in them are heard by the next `sleep`",
        )
        memory.sleep()
        assert memory.boot().notes == ()
