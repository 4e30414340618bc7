"""Commands never end as a bug of bardo: hostile values for each argument, option and file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import bardo
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

runner = CliRunner()
#: Codes that say what was wrong; 1 is for an answer of no to a question.
TYPED = {
    exits.OK,
    exits.FAILED,
    exits.USAGE,
    exits.NOTHING_FOUND,
    exits.STORE,
    exits.TESTAMENT,
    exits.BLOCKED,
    exits.WARNED,
}
#: They run until they are stopped, or for long, or fetch something.
LEFT_OUT = {
    ("demo",), ("curator", "dream"), ("embedding", "install"), ("embedding", "migrate"), ("embedding", "check")
}  # fmt: skip
ENDLESS = {"--watch", "--every", "--wait", "--help", "--version"}
DEEP = "[" * 100_000
#: None of them names a place outside of the folder that a test runs in.
WORDS = [
    "", " ", "\t\n", "-", "--", "x" * 350, "x" * 70_000, "\U0001f600" * 1_000, "\udcff\udc80", "[/bold]", "[red]",
    "%s{0}", "\x1b[31m", "\u202e", "é̀" * 200, DEEP, '{"a":' * 50_000, "null", "NaN", "~nobody-of-this-name/x", "a=b",
    "=", "=@", "x=@/", "x=@missing", "aave", "' OR 1=1 --", '"', "*", "(((",
    "NEAR/3",
]  # fmt: skip
NUMBERS = [
    "0",
    "1",
    "-1",
    "7",
    "9" * 18,
    str(2**63 - 1),
    str(2**63),
    "9" * 30,
    "9" * 5_000,
    "1e309",
    "nan",
    "inf",
    "-inf",
    "0.5",
    "x",
]
DATES = [
    "0001-01-01",
    "9999-12-31T23:59:59.999999-23:59",
    "2026-02-30",
    "1969-01-01T00:00Z",
    "9" * 400,
    "2026",
    "۲۰۲۶-۰۱-۰۱",
]
CONTENTS = {
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "nul": b"a\0b\n",
    "deep.json": DEEP.encode(),
    "deep-message": b'{"role": "user", "content": ' + DEEP.encode() + b"}",
    "deep-payload": b'{"text": "x", "payload": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}",
    "surrogate": b'{"text": "\\ud800", "subjects": ["\\udfff"]}',
    "numbers": b'{"text": "x", "tick": 1e999, "at": -1, "payload": {"a": ' + b"9" * 5_000 + b"}}",
    "nan": b'{"text": "x", "payload": NaN}',
    "types": b'{"text": 1, "subjects": {"a": 1}, "pad": "x", "role": [], "tick": "x", "kind": null, "verified": 3}',
    "message": b'{"role": {"a": 1}, "content": [1, null, {"type": []}], "name": 3, "at": {}}',
    "messages": b'{"messages": {"role": "user"}}',
    "calls": b'[{"role": "assistant", "content": null, "tool_calls": [[[1]], {"function": 3}]}]',
    "chat": b"[2026-99-99 18:04] Mira: hello\n[9999999999999999999] Bob: hi\n",
    "long line": b"Mira: " + b"x" * 200_000,
    "lone": b"\xff\xfe\x00",
}


#: Files of a grimoire.
PLACES = [
    "bardo.toml", "lease.json", "migration.json", "drift.json", "tombstone.json", "PLAYBOOK.md", "DOSSIER.md",
    "hot.snapshot", "inbox/1.jsonl", "archive/2026-01-01.json", "facts.db", "conduct.db", "feedback.db",
]  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A command with its options, by what they take."""

    path: tuple[str, ...]
    arguments: int
    options: tuple[tuple[str, bool], ...]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[Command]:
    for name, command in group.commands.items():
        here = (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, here)
        elif here not in LEFT_OUT:
            arguments = sum(each.param_type_name == "argument" for each in command.params)
            options = tuple(
                (each.opts[0], each.is_flag)
                for each in command.params
                if each.param_type_name == "option" and each.opts[0] not in ENDLESS | {"--at"}
            )
            yield Command(here, arguments, options)


COMMANDS = list(commands(typer.main.get_command(app)))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A grimoire that has lived a little, and files of hostile contents."""
    folder = tmp_path_factory.mktemp("fuzz")
    here = Path.cwd()
    for name, content in CONTENTS.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    with bardo.open(folder / "home", config={"embedding": {"model": "wordllama"}}) as memory:
        memory.remember(["The oracle was late", "Gas doubled"], subjects=["aave"], verified=True)
        memory.learn("Oracles are late on Fridays", subjects=["aave"])
        memory.sleep()
    yield folder
    os.chdir(here)


def given_to(files: Path) -> list[str]:
    names = [*CONTENTS, "folder", "missing", "empty/below", "home/facts.db", "home/episodes.redb"]
    return [*WORDS, *NUMBERS, *DATES, *(str(files / name) for name in names)]


def check(words: list[str], home: Path, stdin: bytes = b"") -> None:
    result = runner.invoke(app, [*words, "--at", str(home)], input=stdin)
    shown = [word if len(word) < 80 else f"{word[:40]}... ({len(word)})" for word in words]
    assert result.exit_code in TYPED, f"{shown} ended with {result.exit_code}: {result.stderr[-600:]}"


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_no_value_of_any_option_makes_a_command_end_as_a_bug(
    files: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    home = tmp_path_factory.mktemp("home") / "trader"
    shutil.copytree(files / "home", home)
    # Some commands write where they are told to.
    os.chdir(home.parent)
    value = st.sampled_from(given_to(files))
    for _ in range(8):
        command = data.draw(st.sampled_from(COMMANDS))
        words = [
            *command.path,
            *data.draw(st.lists(value, min_size=command.arguments, max_size=command.arguments)),
        ]
        for name, is_flag in data.draw(st.lists(st.sampled_from(command.options), max_size=2, unique=True)):
            words += [name] if is_flag else [name, data.draw(value)]
        check(words, home, data.draw(st.sampled_from(list(CONTENTS.values()))))


@pytest.mark.parametrize("name", ["x" * 350, "\U0001f600" * 1_000, "~nobody-of-this-name/x", DEEP, "a\0b"])
def test_a_folder_that_cannot_be_is_refused_by_every_command(files: Path, name: str):
    assert runner.invoke(app, ["init", name]).exit_code in {exits.USAGE, exits.STORE}
    assert runner.invoke(app, ["init", str(files / "new"), "--agent", name[:400]]).exit_code in {
        exits.USAGE,
        exits.STORE,
        exits.OK,
    }
    for command in (
        ["stats"],
        ["recall", "x"],
        ["gate", "before", "x"],
        ["remember", "x"],
        ["remember", "--drop", "x"],
    ):
        result = runner.invoke(app, [*command, "--at", name])
        assert result.exit_code in {exits.USAGE, exits.NOTHING_FOUND, exits.STORE}, (command, result.stderr)


@pytest.mark.parametrize("name", [*CONTENTS, "folder", "missing"])
@pytest.mark.parametrize("option", ["--file", "--jsonl", "--chat"])
def test_no_file_makes_remember_end_as_a_bug(files: Path, tmp_path: Path, name: str, option: str):
    shutil.copytree(files / "home", tmp_path / "home")
    check(["remember", option, str(files / name)], tmp_path / "home")
    if option != "--file" and name in CONTENTS:
        check(["remember", option, "-"], tmp_path / "home", CONTENTS[name])


@pytest.mark.parametrize("name", ["binary", "deep.json", "types"])
def test_no_content_of_a_file_of_the_grimoire_makes_a_command_end_as_a_bug(
    files: Path, tmp_path: Path, name: str
):
    for place in PLACES:
        home = tmp_path / place.replace("/", "-")
        shutil.copytree(files / "home", home)
        (home / place).parent.mkdir(exist_ok=True)
        (home / place).write_bytes(CONTENTS[name])
        for command in (
            ["stats"],
            ["recall", "x"],
            ["remember", "x"],
            ["gate", "before", "x", "--words"],
            ["pages", "playbook"],
        ):
            check(command, home)


def test_a_closed_pipe_and_names_of_any_bytes_are_no_bugs(files: Path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "bardo", "episodes", "list", "--at", str(files / "home")]
    for last in ([], ["--json"], [b"\xff\xfe"], ["--subject", b"\xff"]):
        with subprocess.Popen(
            [*command, *last], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        ) as child:
            assert child.stdout is not None
            child.stdout.close()
            assert child.wait(timeout=60) != exits.INTERNAL, child.stderr and child.stderr.read()


def test_a_confirmation_with_an_answer_of_no_text_changes_nothing_and_names_the_option(files: Path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8:strict"}
    command = [sys.executable, "-m", "bardo", "prompts", "reset-weights", "--at", str(files / "home")]
    child = subprocess.run(
        command, input=b"\xff\n", capture_output=True, env=environment, timeout=60, check=False
    )
    assert child.returncode == exits.USAGE
    assert b"--yes" in child.stderr
