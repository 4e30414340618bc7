"""Outputs of commands that print a secret: they cross no death, and answer no question for something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.bequeath.privacy.redact import Redactor
from bardo.capture.secret_outputs import outputs_of
from bardo.privacy.printed import is_failure, is_secret_file, prints_secret

DECODED = "kubectl get secret ferry-db -o jsonpath='{.data.password}' | base64 -d"
DATABASE = "Barnacle!Rope58"
PLAIN = "tallship cobalt lantern"


def _called(id_: str, command: str, output: str) -> list[dict[str, Any]]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": id_, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": output},
    ]


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get secret ferry-db -o jsonpath='{.data.password}' | base64 -d",
        "kubectl -n prod get secrets/api -o json",
        "kubectl get secret api -o json | jq -r .data.token | base64 --decode",
        "oc get secret x -oyaml",
        "cd /srv && vault kv get -field=password secret/ferry",
        "vault read database/creds/readonly",
        "sudo cat .env",
        "cat ~/.config/ferry/staging.env",
        "cat .env | grep -i stripe",
        "cat /app/.env | head -5",
        "ssh deploy@stg 'sudo cat /srv/ferry/.env'",
        "docker exec api cat /run/secrets/db_password",
        "kubectl exec deploy/api -- printenv DB_PASSWORD",
        'bash -lc "cat .env"',
        "echo $GITHUB_TOKEN",
        "env | grep -i token",
        "echo 'c2VjcmV0' | base64 -d",
        "op read op://prod/db/password",
        "aws secretsmanager get-secret-value --secret-id prod/db --query SecretString --output text",
        "pass show mail/work",
        "gpg --decrypt notes.gpg",
        "gh auth token",
        "cat .env 2>/dev/null",
        "head -20 .env.production",
        "terraform output -raw db_password",
        "printenv STRIPE_SECRET_KEY",
    ],
)
def test_a_command_prints_a_secret(command: str) -> None:
    assert prints_secret(command)


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get secrets",
        "kubectl get secret ferry-db",
        "kubectl get secrets -o name",
        "kubectl get pods -o json",
        "kubectl get secret x -o json | kubectl apply -f -",
        "cat .env | wc -l",
        "cat .env.example",
        "grep -c TOKEN .env",
        "sed -i 's/a/b/' .env",
        "cat README.md",
        "cat docker-compose.yml",
        "base64 logo.png",
        "base64 -d key.b64 > key.pem",
        "gpg -d backup.gpg > backup.tar",
        "echo $HOME",
        "printenv PATH",
        "env | grep -i proxy",
        "git add .env && git commit -m 'remove .env'",
        'git commit -m "cat .env prints secrets"',
        "cp .env.example .env",
        "ls -la .env",
        "rm .env",
        "docker compose --env-file .env up -d",
        "vault status",
        "kubectl create secret generic x --from-literal=a=b",
        "echo done",
        "pytest -q",
        "op item list",
        "ssh host uptime",
        "kubectl describe secret x",
        "cat .env | sha256sum",
        "source .env && make test",
        "grep -rn password app/",
        "echo 'unclosed",
        "",
    ],
)
def test_a_command_prints_none(command: str) -> None:
    assert not prints_secret(command)


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("/srv/app/.env", True),
        ("config/staging.env", True),
        ("C:\\app\\.env", True),
        ("~/.ssh/id_ed25519", True),
        (".env.example", False),
        ("~/.ssh/id_ed25519.pub", False),
        ("docs/environment.md", False),
        ("env.py", False),
    ],
)
def test_files_of_secrets_are_known_by_name(path: str, secret: bool) -> None:
    assert is_secret_file(path) is secret


def test_a_failure_is_no_secret() -> None:
    assert is_failure('Error from server (NotFound): secrets "ferry-db" not found')
    assert is_failure("cat: .env: No such file or directory")
    assert not is_failure(DATABASE)


@pytest.mark.parametrize(
    "command",
    [
        DECODED,
        "echo $BLOB | base64 --decode",
        "cat blob.b64 | base64 -d | jq .",
        "ps aux | grep nginx | awk '{print $2}'",
    ],
)
def test_words_of_a_command_are_no_secrets(command: str) -> None:
    for text in (command, f"Called bash(command=`{command}`)"):
        assert Redactor(personal=True).text(text) == text


def test_results_of_other_message_forms_are_known_by_their_call(tmp_path: Path) -> None:
    command = json.dumps({"command": ["bash", "-lc", "pass show mail"]})
    with bardo.open(tmp_path / "g", agent="elder") as g:
        g.remember([
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "/srv/app/.env"}},
                {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "ls"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": PLAIN},
                {"type": "tool_result", "tool_use_id": "b", "content": "README.md"},
            ]},
            {"type": "function_call", "call_id": "c", "name": "shell", "arguments": command},
            {"type": "function_call_output", "call_id": "c", "output": "walnut harbour"},
        ])  # fmt: skip
        episodes = g.episodes.list(last=10)
    found = outputs_of(episodes)
    assert sorted(found.values()) == [(PLAIN,), ("walnut harbour",)]
    redactor = Redactor(personal=True, outputs=found)
    told = [redactor.episode(one) for one in episodes]
    assert not any(PLAIN in str(one) or "walnut" in str(one) for one in told)
    assert "README.md" in told[1].text


def test_a_printed_secret_crosses_no_death(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "g", agent="elder") as g:
        g.remember(
            [
                *_called("1", DECODED, DATABASE),
                *_called("2", "cat .env", f"WORKER_PORT=7431\nDB_PASSWORD={PLAIN}"),
                *_called("3", "cat VERSION", "ferry 4.7.0 listens on 7431"),
                {"role": "assistant", "content": f"The database answers to {DATABASE}."},
                *_called("4", "kubectl get secret gone -o yaml", 'Error from server (NotFound): no "gone"'),
            ],
            thread="t",
            verified=True,
        )
        told = g.bequeath(tmp_path / "elder.testament")
    everything = told.markdown + "".join(f"{one.text} {one.payload}" for one in told.episodes)
    assert DATABASE not in everything
    assert PLAIN not in everything
    assert "base64 -d" in everything
    assert "ferry 4.7.0 listens on 7431" in everything
    assert "[redacted: secret]" in everything
    with bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir") as heir:
        assert DATABASE not in str(heir.context("Reach the database", budget=2_000))


def test_a_printed_secret_answers_only_the_question_for_it(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "g", agent="elder") as g:
        g.remember(_called("1", DECODED, DATABASE), thread="t")
        g.remember("Barnacles grow on the rope of the ferry", thread="t")
        for query in ("Clean the rope of barnacles", "Which rope is on the ferry?"):
            assert DATABASE not in str(g.context(query, budget=2_000))
            assert DATABASE not in [found.text for found in g.recall(query)]
        assert DATABASE in [found.text for found in g.recall("What is the password of ferry-db?")]


def test_recovery_hides_secrets_of_messages(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "g", agent="elder") as g:
        admin = "The admin password is Quay#Lamp44, and the worker listens on 7431."
        g.remember(
            [
                *_called("1", DECODED, DATABASE),
                {"role": "user", "content": admin},
                {"role": "user", "content": "The Lindqvists come at half past four."},
            ],
            thread="t",
        )
        for tier in (1, 2, 3):
            told = str(g.recover(tier))
            assert DATABASE not in told
            assert "Quay#Lamp44" not in told
            assert "the worker listens on 7431" in told
            assert "at half past four" in told
    with bardo.open(tmp_path / "g", agent="elder", config={"recall": {"secrets": True}}) as g:
        assert DATABASE in str(g.recover(1))
