"""Records of programs: changes of named values become statements, lines of routine stay episodes; with real parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400


def statement_of(line: str) -> tuple[str, str, str, str] | None:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    (clause,) = rules.read(Speech(line, "", START, "record"))
    stated = clause.statement
    return None if stated is None else (stated.subject, stated.attribute, stated.value, stated.condition)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("worker.concurrency 8 -> 24", ("worker", "concurrency", "24", "")),
        ("fix(gateway): timeout 30s -> 60s (#412)", ("gateway", "timeout", "60s", "")),
        ("bump redis from 7.0 to 7.2", ("redis", "version", "7.2", "")),
        ("chore(deps): bump serde from 1.0.1 to 1.0.2", ("serde", "version", "1.0.2", "")),
        ("upgrade postgres 14.2 -> 15.1 on staging", ("postgres", "version", "15.1", "staging")),
        ("raise worker memory from 512MB to 1 GB because of OOM", ("worker", "memory", "1 GB", "")),
        ("owner of billing: mara -> tomas", ("billing", "owner", "tomas", "")),
        # Without a subject, a change that was not made, and a sentence.
        ("replicas 3 -> 5", None),
        ("dry-run: worker.concurrency 8 -> 24", None),
        ("we went from 3 to 5 people", None),
    ],
)
def test_a_line_that_changes_a_named_value_is_a_statement(line: str, expected: tuple[str, ...] | None):
    assert statement_of(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("refactor: rename getUser -> fetchUser", ("getuser", "fetchUser")),
        ("refactor(auth): rename verify_token to check_token (#7)", ("auth verify_token", "check_token")),
        ("git mv src/load.py src/loader.py", ("src/load.py", "src/loader.py")),
        ("`parse()` is now `parse_record()`.", ("parse()", "parse_record()")),
        ("We've renamed the table users to accounts", ("users", "accounts")),
        ("The flag --fast was renamed to --quick in 3.2", ("--fast", "--quick")),
        ('Revert "rename load_all to load_batches"', ("load_batches", "load_all")),
        # A value, persons and animals, two renames at once, and what did not take place.
        ("`mode` is now `strict`", None),
        ("timeout_ms is now 30", None),
        ("Alice was renamed to Bob", None),
        ("I renamed my cat Milo to Otto", None),
        ("rename a_b to c_d and e_f to g_h", None),
        ("plan: rename a_b to c_d", None),
        ("failed to rename a_b to c_d", None),
        ("If load_all was renamed to load_batches, fix it", None),
    ],
)
def test_a_rename_of_code_is_a_statement_of_its_name(line: str, expected: tuple[str, str] | None):
    stated = statement_of(line)
    named = stated[0] if stated else "", "name", stated[2] if stated else "", ""
    assert stated == (None if expected is None else named)
    assert stated is None or (stated[0], stated[2]) == expected


def test_recall_of_an_old_name_finds_the_newest_one_first(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "dev", clock=clock, seed=1) as memory:
        memory.remember("refactor: rename load_cfg() -> read_config()", role="tool", kind="commit")
        memory.remember("rename e_f to g_h", role="tool", kind="commit")
        memory.sleep()
        assert memory.recall("What is load_cfg called?").memories[0].text.endswith("read_config()")
        clock.advance(86_400)
        memory.remember("I renamed `read_config()` to `parse_config()`.", role="user", speaker="Nadia")
        memory.sleep()
        texts = {fact.text for fact in memory.facts.list()}
        assert texts == {"read_config() is now named parse_config()", "e_f is now named g_h"}
        first, second, *_ = memory.recall("What is load_cfg called?")
        assert "parse_config" in first.text
        assert second.outdated


def test_a_unit_is_no_pronoun():
    rules = reader("english", BUILT_IN)
    assert rules is not None
    (clause,) = rules.read(Speech("The sync of copper lags 89 us", "", START, "speech"))
    assert "them" not in clause.text


def test_a_value_that_changes_again_and_again_has_one_fact(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ops", clock=clock, seed=1) as memory:
        for old, new in ((8, 24), (24, 16), (16, 64), (64, 32), (32, 12), (12, 14), (14, 20)):
            memory.remember(f"worker.concurrency {old} -> {new}", role="tool", kind="commit")
            clock.advance(60)
        memory.sleep()
        assert [fact.text for fact in memory.facts.list()] == ["worker.concurrency is 20"]
        ended = memory.facts.list(status="superseded")
        assert {fact.ended_by for fact in ended} == {"slot"}
        assert len(ended) == 6


def test_lines_of_routine_are_found_but_are_no_facts(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "desk", clock=clock, seed=1) as memory:
        names = ("copper", "cocoa", "brent", "sugar")
        for number in range(40):
            name = names[number % 4]
            memory.remember(f"clock sync {name} offset {10 + number} us", verified=True)
            memory.remember(
                f"recon {name}: {200 + number} trades matched, 0 breaks", role="tool", kind="tool"
            )
            clock.advance(60)
        memory.remember("Mara Lindgren owns the billing service since 12 May", verified=True)
        memory.sleep()
        texts = [fact.text for fact in memory.facts.list()]
        assert not [text for text in texts if "offset" in text or "matched" in text]
        assert [text for text in texts if "Mara" in text]
        assert memory.recall("clock sync copper")[0].text.startswith("clock sync copper")


def test_a_line_that_is_said_now_and_then_is_no_routine(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "clinic", clock=clock, seed=1) as memory:
        for day in range(1, 9):
            memory.remember(f"Dr. Okafor replaced the hip of Grandma Ilse on {day} March", verified=True)
            clock.advance(30 * DAY)
        memory.sleep()
        assert [fact for fact in memory.facts.list() if "Okafor" in fact.text]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ops: scheduler port changed from 6100 to 6200", ("scheduler", "port", "6200", "")),
        ('Revert "search: queue limit from 500 to 800"', ("search queue", "limit", "500", "")),
        ("The postgres server is now version 16.1", ("postgres server", "version", "16.1", "")),
        ("docs: the owner of the notifier is now Team Heron", ("notifier", "owner", "Team Heron", "")),
        ("config: max upload size is now 25 MB", ("max upload", "size", "25 MB", "")),
        ("the build is now green", None),
    ],
)
def test_a_line_that_gives_a_new_value_is_a_statement(line: str, expected: tuple[str, ...] | None):
    assert statement_of(line) == expected
