"""Hosts that an action connects to, and paths that it writes, against those that a rejection names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.action import parse
from bardo.ports import Embedder

WRITTEN = [
    ("don't change anything in assets/icons/", "sed -i s/a/b/ assets/icons/a.svg"),
    ("don't change anything in assets/icons/", "cat > assets/icons/b.svg <<'END'\n<svg/>\nEND"),
    ("don't change anything in assets/icons/", "cp -f new.svg ./assets/icons/c.svg"),
    ("don't change anything in assets/icons/", "git mv assets/icons/a.svg old.svg"),
    ("don't change anything in assets/icons/", "curl -s https://a.org/x.svg -o assets/icons/x.svg"),
    ("don't change anything in assets/icons/", "ssh web 'nano /srv/shop/assets/icons/a.svg'"),
    ("please leave vendor/ as it is", "rm -rf vendor/"),
    ("keep the vendor/ directory untouched", "echo x >>vendor/a.txt"),
    ("never touch ~/.ssh/config", "tee -a ~/.ssh/config"),
    ("don't edit src/generated/*.ts", "prettier --write src/generated/api.ts"),
    ("don't edit src/generated/*.ts", 'write_file(path="src/generated/api.ts", content="x")'),
]
NOT_WRITTEN = [
    ("don't change anything in assets/icons/", "cat assets/icons/a.svg"),
    ("don't change anything in assets/icons/", "cp assets/icons/a.svg /tmp/a.svg"),
    ("don't change anything in assets/icons/", "grep -rn circle assets/icons/ > circles.txt"),
    ("don't change anything in assets/icons/", "vim src/icons_helper.py"),
    ("don't change anything in assets/icons/", "python assets/icons/check.py"),
    ("please leave vendor/ as it is", "rm -rf src/vendor/cache"),
    ("don't edit src/generated/*.ts", 'read_file(path="src/generated/api.ts")'),
    ("don't delete seeds in db/", "rm db/old.sql"),
]
REACHED = [
    ("nothing may call pay.example.org", "httpx.get('https://pay.example.org/v2/charges')"),
    ("nothing may call pay.example.org", 'web_fetch(url="https://pay.example.org")'),
    ("nothing may call pay.example.org", '{"tool": "http", "url": "https://eu.pay.example.org/v2"}'),
    ("nothing may call pay.example.org", "wget -q pay.example.org"),
    ("nothing may call pay.example.org", "openssl s_client -connect pay.example.org:443"),
    ("nothing may call pay.example.org", "ruby -e \"Net::HTTP.get(URI('https://pay.example.org'))\""),
    ("nothing may call pay.example.org", "docker exec api curl https://pay.example.org"),
    ("don't switch off certificate checks", "httpx.get(address, verify=False)"),
]
NOT_REACHED = [
    ("nothing may call pay.example.org", "grep -rn https://pay.example.org src"),
    ("nothing may call pay.example.org", "git commit -m 'drop https://pay.example.org'"),
    ("nothing may call pay.example.org", 'search_code(query="https://pay.example.org")'),
    ("nothing may call pay.example.org", "curl https://docs.example.org"),
    ("don't switch off certificate checks", 'grep(pattern="verify=False")'),
]


@pytest.fixture
def with_model(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Gate]:
    bardo.open(tmp_path, agent="trader", embedder=minilm).close()
    with bardo.gate(tmp_path, embedder=minilm) as opened:
        yield opened


@pytest.mark.parametrize(("about", "action"), WRITTEN + REACHED)
def test_a_place_that_is_written_or_reached_is_blocked(gate: bardo.Gate, about: str, action: str) -> None:
    gate.reject(about)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("about", "action"), NOT_WRITTEN + NOT_REACHED)
def test_a_place_that_is_only_named_is_not_blocked(gate: bardo.Gate, about: str, action: str) -> None:
    gate.reject(about)
    assert gate.before(action).decision != "block"


def test_the_model_takes_back_no_block_by_a_place_and_adds_none(with_model: bardo.Gate) -> None:
    for about, action in (*WRITTEN[:-1], *REACHED):
        entry = with_model.reject(about)
        assert with_model.before(action).decision == "block", action
        with_model.forget(entry.id, by="anna")
    for about, action in (*NOT_WRITTEN, *NOT_REACHED):
        entry = with_model.reject(about)
        assert with_model.before(action).decision != "block", action
        with_model.forget(entry.id, by="anna")


def test_a_probe_of_a_forbidden_host_is_warned_of(gate: bardo.Gate) -> None:
    gate.reject("nothing may call pay.example.org")
    assert gate.before("ping -c 1 pay.example.org").decision == "warn"


def test_a_command_tells_the_paths_that_it_writes() -> None:
    assert parse("mv a/b.py c/").places.written == {"a/b.py", "c/"}
    assert parse("cp a/b.py c/").places.written == {"c/"}
    assert parse("make 2>&1 > log/make.txt").places.written == {"log/make.txt"}
    assert parse("cat a/b.py").places.written == frozenset()
    assert "a/b.py" in parse("cat a/b.py").places.paths
