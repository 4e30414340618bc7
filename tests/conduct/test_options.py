"""Options of commands: short and long names are one, case counts, and texts for people name no files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.action import parse
from bardo.conduct.parse.actions import options
from bardo.ports import Embedder

BLOCKED = [
    ("don't push with --force", "git push -uf origin topic"),
    ("never run npm install with --global", "npm i -g typescript"),
    ("don't delete folders with --recursive", "rm -rf build"),
    ("never use git clean -d", "git clean -xfd"),
    ("don't merge with --no-ff", "git merge --no-ff topic"),
    ("never skip the hooks", "git commit -anm wip"),
    ("don't commit the .env file", "git add .env"),
    ("don't commit the .env file", "git add -A config/.env.production"),
    ("never ignore certificate errors with curl --insecure", "curl -sk https://a.org"),
]
NOT_BLOCKED = [
    ("don't push with --force", "npm install --force"),
    ("never run npm install with --global", "git config --global user.name ci"),
    ("never use git clean -d", "docker run -d nginx"),
    ("never use -f", "tail -f log"),
    ("never skip the hooks", "git commit -mn"),
    ("don't commit the .env file", "git add .env.sample README.md"),
    ("don't commit the .env file", "git commit -am 'tell where the .env is'"),
    ("don't commit the .env file", "Commit .env.template, so that others know the names."),
    ("don't switch off certificate checks", "curl -K options.txt https://a.org"),
]


@pytest.fixture
def with_model(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Gate]:
    bardo.open(tmp_path, agent="trader", embedder=minilm).close()
    with bardo.gate(tmp_path, embedder=minilm) as opened:
        yield opened


@pytest.mark.parametrize(("about", "action"), BLOCKED)
def test_a_forbidden_option_is_blocked_by_its_short_and_long_name(
    gate: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("about", "action"), NOT_BLOCKED)
def test_an_option_of_another_command_or_case_is_not_blocked(
    gate: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert gate.before(action).decision != "block"


def test_the_model_takes_back_no_block_by_an_option_and_adds_none(with_model: bardo.Gate) -> None:
    for expected, pairs in ((True, BLOCKED), (False, NOT_BLOCKED)):
        for about, action in pairs:
            entry = with_model.reject(about)
            assert (with_model.before(action).decision == "block") is expected, action
            with_model.forget(entry.id, by="anna")


def test_a_critical_rule_blocks_by_an_option_with_the_model(with_model: bardo.Gate) -> None:
    with_model.rule("Reviews are not skipped", forbids="merge with --admin", by="anna")
    assert with_model.before("gh pr merge 12 --admin").decision == "block"


def test_short_options_are_read_letter_by_letter() -> None:
    given = options.read(["git", "commit", "-anm", "wip", "a.py"])
    assert given.names == {"-a", "--all", "-n", "--no-verify", "-m", "--message", "-anm"}
    assert given.line == "git commit --all --no-verify --message wip a.py"
    assert given.arguments == ("commit", "a.py")
    assert given.used == ("git", "commit", "--all", "--no-verify", "--message", "a.py")
    # The rest of an option with a value is the value.
    assert "--no-verify" not in options.read(["git", "commit", "-mn"]).names
    assert options.read(["tar", "-xzf", "a"]).names == {"-xzf"}
    assert parse("curl -K a").options == {"-K", "--config"}


SETS = [
    ("never run `rm -rf`", "rm -fr build"),
    ("never run `rm -rf`", "rm -r -f build"),
    ("never run `rm -rf`", "rm --recursive --force build"),
    ("never run `rm -rf`", "sudo rm -Rfv /repo"),
    ("never use rm -r -f here", "rm -rf build"),
    ("never run `docker system prune -af`", "docker system prune -fa"),
    ("never run `docker system prune -af`", "docker system prune --all --force"),
    ("never run `docker system prune --all --force`", "docker system prune -a -f"),
    ("never run combctl with -xq", "combctl sync -qx"),
]
SUBSETS = [
    ("never run `rm -rf`", "rm -f build.log"),
    ("never use rm -r -f here", "rm -i -r build"),
    ("never run `docker system prune -af`", "docker system prune -f"),
    ("never run combctl with -xq", "combctl sync -x"),
]


@pytest.mark.parametrize(("about", "action"), SETS)
def test_options_are_compared_as_sets(gate: bardo.Gate, about: str, action: str) -> None:
    gate.reject(about)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("about", "action"), SUBSETS)
def test_a_part_of_the_forbidden_options_is_not_blocked(gate: bardo.Gate, about: str, action: str) -> None:
    gate.reject(about)
    assert gate.before(action).decision != "block"
