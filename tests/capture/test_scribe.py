"""The scribe reads each record of a source once: over kills, changes of the file, and years."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.errors import InvalidInputError, NotFoundError, StoreForeignError

CHILD = Path(__file__).with_name("scribing_child.py")
#: Number of kills; BARDO_KILLS=100 for the full test.
KILLS = int(os.environ.get("BARDO_KILLS", "10"))
SECOND = 1_000_000
YEAR = 365 * 24 * 3_600 * SECOND


class Clock:
    """Wall clock that a test moves."""

    def __init__(self) -> None:
        self.time = 1_750_000_000 * SECOND

    def now(self) -> int:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock):
    with bardo.open(tmp_path / "agent", clock=clock, config={"embedding": {"batch": 0}}) as opened:
        yield opened


def texts(memory: bardo.Grimoire) -> list[str]:
    return [episode.text for episode in memory.episodes.list()]


def write(path: Path, *messages: Any, ending: str = "\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(message) + ending for message in messages)


def said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def test_an_untimed_transcript_read_again_after_an_hour_or_a_year_adds_nothing(
    memory: bardo.Grimoire, clock: Clock, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    write(chat, said("user", "hi"), said("assistant", "yes"), said("user", "yes"), said("assistant", "yes"))
    assert memory.scribe(chat).recorded == 4
    for later in (3_600 * SECOND, YEAR):
        clock.time += later
        report = memory.scribe(chat)
        assert (report.recorded, report.notes) == (0, ())
    clock.time -= YEAR
    # The same words once more are another turn, even within a minute.
    write(chat, said("user", "yes"))
    assert memory.scribe(chat).recorded == 1
    write(chat, said("user", "yes"))
    assert memory.scribe(chat).recorded == 1
    assert texts(memory) == ["hi", "yes", "yes", "yes", "yes", "yes"]
    assert [episode.role for episode in memory.episodes.list()][:3] == ["user", "agent", "user"]


def test_transcripts_of_every_form_are_read(memory: bardo.Grimoire, tmp_path: Path) -> None:
    chat = tmp_path / "session.jsonl"
    write(
        chat,
        {"type": "summary", "summary": "Of an earlier session", "leafUuid": "1"},
        {
            "type": "user", "sessionId": "s1", "timestamp": "2026-03-04T18:05:00Z", "uuid": "2",
            "message": {"role": "user", "content": "Run the tests"},
        },
        {
            "type": "assistant", "sessionId": "s1", "timestamp": "2026-03-04T18:05:02Z",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I run them."},
                    {"type": "tool_use", "id": "t", "name": "bash", "input": {"command": "cargo test"}},
                ],
            },
        },
        {
            "type": "user", "sessionId": "s1",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "2 passed"}],
            },
        },
        {"timestamp": "2026-03-04T18:06:00Z", "type": "session_meta", "payload": {"id": "x"}},
        {
            "timestamp": "2026-03-04T18:06:00Z", "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Now build it"}]},
        },
        {"messages": [said("user", "a pair"), said("assistant", "of messages")]},
        {"text": "An episode", "subjects": ["aave"], "kind": "trade"},
        {"level": "error", "code": 7, "at": 1_772_000_000},
        "a line of text",
    )  # fmt: skip
    report = memory.scribe(chat, thread="project")
    found = list(memory.episodes.list())
    assert [episode.text for episode in found] == [
        "Run the tests",
        "I run them.\nCalled bash(command=`cargo test`)",
        "2 passed",
        "Now build it",
        "a pair",
        "of messages",
        "An episode",
        "level: error; code: 7; at: 1772000000",
        "a line of text",
    ]
    assert (report.recorded, report.sources[0].skipped) == (9, 2)
    assert report.sources[0].notes == ["skipped, since they hold no message: 1 summary, 1 session_meta"]
    assert [episode.role for episode in found[:4]] == ["user", "agent", "tool", "user"]
    assert [episode.session for episode in found[:5]] == ["s1", "s1", "s1", "x", "x"]
    assert found[0].at == 1_772_647_500 * SECOND
    assert found[6].subjects == ("aave",)
    assert found[7].payload["code"] == 7
    assert found[7].at == 1_772_000_000 * SECOND
    assert {episode.thread for episode in found} == {"project"}


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    """Line of a transcript of Codex."""
    return {"timestamp": "2026-03-04T18:05:00Z", "type": kind, "payload": payload}


def test_calls_and_outputs_of_a_codex_transcript_are_recorded_with_its_session(
    memory: bardo.Grimoire, tmp_path: Path
) -> None:
    chat = tmp_path / "rollout.jsonl"
    arguments = json.dumps({"command": ["bash", "-lc", "docker compose -f deploy/staging.yml pull worker"]})
    failed = json.dumps({"output": "manifest for worker:3.13 not found", "metadata": {"exit_code": 1}})
    action = {"type": "exec", "command": ["git", "commit", "-m", "two words"], "working_directory": "/srv"}
    write(
        chat,
        codex("session_meta", id="cdx-1", cwd="/srv/app"),
        codex("event_msg", type="token_count", info=None),
        codex("response_item", type="reasoning", summary=[], encrypted_content="abc"),
        codex("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "I pull first."}]),
        codex("response_item", type="function_call", name="shell", arguments=arguments, call_id="c1"),
        codex("response_item", type="function_call_output", call_id="c1", output=failed),
        codex("response_item", type="custom_tool_call", name="apply_patch", call_id="c2", input="*** a.yml"),
        codex("response_item", type="custom_tool_call_output", call_id="c2", output="Success"),
    )
    report = memory.scribe(chat)
    # Lines of a later pass have the session of the file, too.
    write(chat, codex("response_item", type="local_shell_call", call_id="c3", action=action))
    later = memory.scribe(chat)
    found = list(memory.episodes.list())
    assert [(episode.role, episode.text) for episode in found] == [
        ("agent", "I pull first."),
        ("agent", "Called shell(command=`docker compose -f deploy/staging.yml pull worker`)"),
        ("tool", "Failed (exit code 1): manifest for worker:3.13 not found"),
        ("agent", "Called apply_patch(*** a.yml)"),
        ("tool", "Success"),
        (
            "agent",
            "Called local_shell(type=exec, command=`git commit -m 'two words'`, working_directory=/srv)",
        ),
    ]
    assert {episode.session for episode in found} == {"cdx-1"}
    assert memory.episodes.find(command="docker compose")
    assert report.sources[0].skipped_kinds == {
        "session_meta": 1, "event_msg token_count": 1, "response_item reasoning without content": 1,
    }  # fmt: skip
    (note,) = report.notes
    assert all(kind in note for kind in report.sources[0].skipped_kinds)
    assert (later.recorded, later.notes) == (1, ())


def test_a_line_in_the_making_waits(memory: bardo.Grimoire, tmp_path: Path, clock: Clock) -> None:
    chat, table, note = tmp_path / "chat.jsonl", tmp_path / "prices.csv", tmp_path / "2026-03-04.md"
    clock.time = time.time_ns() // 1_000
    whole = json.dumps(said("user", "the end is near"))
    chat.write_text(f'{{"role": "user", "content": "hi"}}\n{whole[:-5]}')
    table.write_text("price\n10\n12")
    note.write_text("A whole paragraph.\n\n- an item\n- an item in the ma")
    for source in (chat, table, note):
        report = memory.scribe(source)
        assert report.sources[0].waiting == 1, source
    assert texts(memory) == ["hi", "price: 10", "A whole paragraph.", "- an item"]
    chat.write_text(f'{{"role": "user", "content": "hi"}}\n{whole}')
    table.write_text("price\n10\n1234\n")
    note.write_text("A whole paragraph.\n\n- an item\n- an item in the making\n")
    for source in (chat, table, note):
        report = memory.scribe(source)
        assert (report.recorded, report.sources[0].waiting, report.notes) == (1, 0, ()), source
    assert texts(memory)[-3:] == ["the end is near", "price: 1234", "- an item in the making"]
    # A line end that comes later is no record.
    with chat.open("a") as file:
        file.write("\n")
    assert memory.scribe(chat).recorded == 0
    # A row whose writer stopped counts after ten minutes, or at once if the caller says so.
    with table.open("a") as file:
        file.write("9")
    assert memory.scribe(table).recorded == 0
    assert memory.scribe(table, whole=True).recorded == 1
    with table.open("a") as file:
        file.write("\n8")
    clock.time += 11 * 60 * SECOND
    assert memory.scribe(table).recorded == 1


def test_notes_of_a_folder_are_read_by_paragraph_and_edited_ones_again(
    memory: bardo.Grimoire, tmp_path: Path
) -> None:
    notes = tmp_path / "daily"
    notes.mkdir()
    (notes / "2026-03-04.md").write_text(
        "---\ntags: [x]\n---\n# Wednesday\n\nMet Ana\nin Lisbon.\n\n"
        "## Tasks\n- [ ] 09:30 call Bo\n- pay rent\n  by Friday\n"
    )
    (notes / "2026-03-05.md").write_text("Rain.\n\n```\ncode\n\nmore\n```\n")
    (notes / ".trash").mkdir()
    (notes / ".trash" / "2026-03-01.md").write_text("Deleted.\n")
    assert memory.scribe(notes).recorded == 5
    found = list(memory.episodes.list())
    assert [episode.text for episode in found] == [
        "Wednesday: Met Ana\nin Lisbon.",
        "Wednesday / Tasks: - [ ] 09:30 call Bo",
        "Wednesday / Tasks: - pay rent\n  by Friday",
        "Rain.",
        "```\ncode\n\nmore\n```",
    ]
    assert found[0].at == 1_772_582_400 * SECOND
    assert found[1].at - found[0].at == (9 * 60 + 30) * 60 * SECOND
    assert {episode.kind for episode in found} == {"note"}
    edited = (notes / "2026-03-04.md").read_text().replace("Met Ana\n", "Met Ana and Jo\n") + "- buy milk\n"
    (notes / "2026-03-04.md").write_text(edited)
    report = memory.scribe(notes)
    assert (report.recorded, report.notes) == (2, ())
    assert texts(memory)[5:] == ["Wednesday: Met Ana and Jo\nin Lisbon.", "Wednesday / Tasks: - buy milk"]


def test_tables_are_read_by_row(memory: bardo.Grimoire, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = tmp_path / "bars.csv"
    table.write_text('timestamp;pool;price;note\n2026-03-04;007;1.5;"two\nlines; ""quoted"""\n')
    assert memory.scribe(table, kind="trade", subjects=["eth"]).recorded == 1
    with table.open("a") as file:
        file.write("nonsense;008;2;\n")
    report = memory.scribe(table, kind="trade", subjects=["eth"])
    assert report.recorded == 1
    assert "1 times could not be read" in report.notes[0]
    first, second = memory.episodes.list()
    assert first.text == 'two\nlines; "quoted"'
    assert first.payload == {"timestamp": "2026-03-04", "pool": "007", "price": 1.5, "note": first.text}
    assert (first.at, first.kind, first.subjects) == (1_772_582_400 * SECOND, "trade", ("eth",))
    assert second.text == "timestamp: nonsense; pool: 008; price: 2"

    rows = [{"price": 1.5, "ok": True}, {"price": 2.5, "ok": None}]
    columns = tmp_path / "bars.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), columns)
    assert memory.scribe(columns).recorded == 2
    parquet.write_table(pa.Table.from_pylist([*rows, {"price": 3.5, "ok": False}]), columns)
    report = memory.scribe(columns)
    assert (report.recorded, report.sources[0].position, report.notes) == (1, 3, ())
    assert texts(memory)[2:] == ["price: 1.5; ok: True", "price: 2.5", "price: 3.5; ok: False"]
    columns.write_bytes(columns.read_bytes()[:-20])
    with pytest.raises(StoreForeignError, match="cannot be read as Parquet"):
        memory.scribe(columns)


def test_a_changed_file_is_noticed_and_read_without_a_double(memory: bardo.Grimoire, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    turns = [said("user", f"turn {number}") for number in range(10)]
    write(chat, *turns)
    memory.scribe(chat)
    chat.unlink()
    write(chat, *turns[:5], said("user", "turn 5, corrected"), *turns[6:], said("user", "turn 10"))
    report = memory.scribe(chat)
    assert report.recorded == 2
    assert "of its 11 records 9 are known" in report.notes[0]
    # A writer that keeps the last turns only.
    chat.unlink()
    write(chat, *turns[7:], said("user", "turn 10"), said("user", "turn 11"))
    report = memory.scribe(chat)
    assert report.recorded == 1
    assert "are known" in report.notes[0]
    assert memory.scribe(chat).notes == ()
    assert len(texts(memory)) == 13


def test_the_rest_of_a_rotated_file_is_read_before_the_new_one(
    memory: bardo.Grimoire, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    write(chat, said("user", "hi"), said("assistant", "hello"))
    memory.scribe(chat)
    write(chat, said("user", "not read before the rotation"))
    chat.rename(tmp_path / "chat-1.jsonl")
    write(chat, said("user", "hi"), said("assistant", "another day"))
    report = memory.scribe(chat)
    assert "another file is in the place" in report.notes[0]
    assert "chat-1.jsonl" in report.notes[0]
    assert texts(memory) == ["hi", "hello", "not read before the rotation", "hi", "another day"]
    # The renamed file is known under its new name.
    assert memory.scribe(tmp_path / "chat-1.jsonl").recorded == 0
    chat.write_text("")
    report = memory.scribe(chat)
    assert (report.recorded, report.sources[0].position) == (0, 0)
    assert "the earlier one was not found" in report.notes[0]
    write(chat, said("user", "hi"))
    assert memory.scribe(chat).recorded == 1


def test_a_moved_or_copied_transcript_is_not_read_twice(memory: bardo.Grimoire, tmp_path: Path) -> None:
    chat, moved, forked = tmp_path / "chat.jsonl", tmp_path / "moved.jsonl", tmp_path / "forked.jsonl"
    write(chat, *(said("user", f"turn {number}") for number in range(4)))
    memory.scribe(chat)
    forked.write_bytes(chat.read_bytes())
    write(forked, said("user", "another way"))
    assert memory.scribe(forked).recorded == 1
    chat.rename(moved)
    report = memory.scribe(moved)
    assert report.recorded == 0
    assert "not recorded again" in report.notes[0]
    # Other transcripts that begin alike are other conversations.
    short, other = tmp_path / "short.jsonl", tmp_path / "other.jsonl"
    write(short, said("user", "hi"))
    write(other, said("user", "hi"), said("user", "bye"))
    assert memory.scribe(short).recorded == 1
    assert memory.scribe(other).recorded == 2


def test_a_forgotten_text_is_not_heard_again(memory: bardo.Grimoire, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    turns = [said("user", f"turn {number}") for number in range(5)]
    write(chat, *turns)
    memory.scribe(chat)
    gone = next(episode for episode in memory.episodes.list() if episode.text == "turn 2")
    memory.forget(gone, reason="asked to")
    assert memory.scribe(chat).recorded == 0
    chat.unlink()
    write(chat, said("system", "changed"), *turns)
    report = memory.scribe(chat)
    assert (report.recorded, report.sources[0].known, report.sources[0].forgotten) == (1, 4, 1)
    assert "turn 2" not in texts(memory)


def test_records_that_cannot_be_taken_are_named_and_block_nothing(
    memory: bardo.Grimoire, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    write(log, {"text": "fine"})
    with log.open("a") as file:
        file.write("no json\n[1]\n\n")
    write(
        log,
        {"text": "x" * 70_000},
        {"text": "much beside", "payload": {"beside": "y" * 2_000_000}},
        {"text": "a bad subject", "subjects": ["z" * 300]},
        {"role": "user", "content": ""},
        {"text": "last"},
    )
    report = memory.scribe(log)
    assert [text[:20] for text in texts(memory)] == ["fine", "x" * 20, "much beside", "last"]
    notes = " ".join(report.notes)
    for told in (
        "3 records could not be read",
        "record 2: it is not JSON",
        "a bad subject",
        "payload was left out",
    ):
        assert told in notes
    assert "1 texts were cut to 64 KiB" in notes
    assert memory.scribe(log).notes == ()


def test_bad_arguments_are_refused(memory: bardo.Grimoire, tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("x")
    with pytest.raises(InvalidInputError, match="Choose another path"):
        memory.scribe(tmp_path / ("x" * 350))
    with pytest.raises(NotFoundError, match="no source"):
        memory.scribe(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInputError, match=r"format of a\.xyz is not known"):
        memory.scribe(tmp_path / "a.xyz")
    with pytest.raises(InvalidInputError, match="no format 'xml'"):
        memory.scribe(tmp_path / "a.xyz", file_format="xml")
    with pytest.raises(InvalidInputError, match="name is of one file"):
        memory.scribe(tmp_path, name="x")
    with pytest.raises(InvalidInputError, match="interval is 0"):
        memory.scribe(tmp_path, watch=threading.Event(), interval=0)


def test_a_watched_source_is_read_as_it_grows_and_stops_cleanly(
    memory: bardo.Grimoire, tmp_path: Path
) -> None:
    chat, stop, heard = tmp_path / "chat.jsonl", threading.Event(), []
    results = []
    watcher = threading.Thread(
        target=lambda: results.append(
            memory.scribe(
                chat, watch=stop, interval=0.01, listener=lambda report: heard.append(report.recorded)
            )
        )
    )
    watcher.start()
    for number in range(3):
        write(chat, said("user", f"turn {number}"))
        until = time.monotonic() + 20
        while len(texts(memory)) <= number and time.monotonic() < until:
            time.sleep(0.005)
    stop.set()
    watcher.join(20)
    assert not watcher.is_alive()
    assert texts(memory) == ["turn 0", "turn 1", "turn 2"]
    assert results[0].recorded == 3
    assert sum(heard) == 3


def test_a_killed_scribe_neither_loses_nor_doubles(tmp_path: Path) -> None:
    agent, folder = tmp_path / "agent", tmp_path / "sources"
    folder.mkdir()
    chance = random.Random(21)
    expected: list[str] = []
    for run in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, str(CHILD), str(agent), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert child.stdout is not None
        assert child.stderr is not None
        with child.stdout, child.stderr:
            assert child.stdout.readline() == b"ready\n", child.stderr.read().decode()
            until = time.monotonic() + chance.uniform(0.02, 0.25)
            number = 0
            while time.monotonic() < until:
                # The same words again and again, without times.
                lines = [
                    chance.choice(("yes", "no", f"turn {run}.{number}")) for _ in range(chance.randint(1, 20))
                ]
                write(folder / "chat.jsonl", *(said("user", line) for line in lines))
                with (folder / "rows.csv").open("a") as file:
                    header = "" if file.tell() else "text\n"
                    file.write(header + "".join(f"row {line}\n" for line in lines))
                expected += [*lines, *(f"row {line}" for line in lines)]
                number += 1
                time.sleep(chance.uniform(0, 0.02))
            child.send_signal(signal.SIGKILL)
            assert child.wait() == -signal.SIGKILL, child.stderr.read().decode()
    with bardo.open(agent, config={"embedding": {"batch": 0}}) as memory:
        before = len(texts(memory))
        report = memory.scribe(folder)
        assert sorted(texts(memory)) == sorted(expected)
        assert report.recorded == len(expected) - before
    assert before > 0, "no scribe got to work before it was killed"
