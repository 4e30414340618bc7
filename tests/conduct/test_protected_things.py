"""Paths, tools and places in the words of a rejection: the act itself is blocked, near misses are not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.rejections.forbidden import propose

CASES = [
    (
        "Please leave the legacy importer alone, I mean everything under services/importer_v1.",
        (
            "sed -i 's/a/b/' services/importer_v1/parse.py",
            "rm -rf services/importer_v1",
            "echo x > services/importer_v1/new.py",
            "Refactor the legacy importer",
            "Rework the legacy importer",
        ),
        (
            "cat services/importer_v1/parse.py",
            "ls services/importer_v1",
            "vim services/importer_v2/parse.py",
            "sed -i 's/a/b/' services/importer_v2/parse.py",
            "Read the code of the legacy importer",
        ),
    ),
    (
        "Hands off infra/terraform.",
        ("rm infra/terraform/main.tf", "sed -i 's/a/b/' infra/terraform/main.tf"),
        ("ls infra/terraform", "sed -i 's/a/b/' infra/ansible/main.yml"),
    ),
    ("Keep your hands off the .env files", ("sed -i 's/DEBUG=0/DEBUG=1/' .env",), ("cat .env.example",)),
    ("Don't change the port in config/app.toml", (), ("sed -i 's/name/title/' config/app.toml",)),
    (
        "Never run combctl purge on production.",
        (
            "combctl purge --env production",
            "ssh wax1 'combctl purge --env production'",
            "sudo combctl purge --env=prod --yes",
        ),
        (
            "combctl purge --help",
            "combctl purge --dry-run --env production",
            "combctl purge --env staging",
            "combctl status --env production",
            "hivectl purge --env production --yes",
        ),
    ),
    (
        "Never run `combctl wipe` on production.",
        ("combctl wipe --env production",),
        ("combctl wipe --help", "grep 'combctl wipe' runbook.md"),
    ),
    ("No purging with combctl", ("combctl purge --all",), ("combctl replay --from 12",)),
    ("Don't mention combctl purge in the docs", (), ("combctl purge --env staging",)),
    (
        "Please don't use swarmctl set brood_temp",
        ("swarmctl set brood_temp 37.2 --apply",),
        ("swarmctl set battery 3.4 --apply", "swarmctl get brood_temp --json"),
    ),
    (
        "We're not going to put this on Kubernetes.",
        (
            "Put combd on Kubernetes",
            "Migrate combd to Kubernetes",
            "kubectl apply -f combd.yaml",
            "helm install combd ./chart",
        ),
        ("npm install put", "pip install put", "Put the kettle on", "Migrate combd off Kubernetes"),
    ),
    (
        "We won't run anything on Kubernetes.",
        ("Migrate combd to Kubernetes", "Move the billing service onto Kubernetes"),
        ("Migrate combd away from Kubernetes",),
    ),
    ("No Kafka, please.", ("Replace the queue with Kafka",), ("Replace Kafka with NATS",)),
    (
        "No force-pushing to release branches, please.",
        ("git push --force origin release/3.4", "git push origin +release/3.4"),
        (
            "release firmware",
            "kubectl apply -f combd.yaml",
            "deploy queenboard to staging",
            "helm upgrade nectar ./chart",
            "git push origin release/3.4",
        ),
    ),
    ("Don't touch the release notes", ("Edit the release notes",), ("kubectl apply -f combd.yaml",)),
    ("No changes to the deploy script", ("Change the deploy script",), ("Edit the backup script",)),
]


@pytest.mark.parametrize(("rejection", "same", "near"), CASES)
def test_the_act_is_blocked_and_near_misses_are_not(
    tmp_path: Path, rejection: str, same: tuple[str, ...], near: tuple[str, ...]
) -> None:
    clock = bardo.ManualClock(int(datetime(2026, 6, 3, 10, tzinfo=UTC).timestamp() * 1_000_000))
    bardo.open(tmp_path, clock=clock).close()
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.reject(rejection, by="Greta")
        assert [action for action in same if gate.before(action).decision != "block"] == []
        assert [action for action in near if gate.before(action).decision == "block"] == []


@pytest.mark.parametrize(
    ("rejection", "allowed"),
    [
        ("Never run combctl purge on production.", "combctl purge --help"),
        ("Never run combctl purge on production.", "combctl purge --dry-run --env production"),
        ("Never run combctl purge on production.", "combctl status --env production"),
        ("Leave services/billing_v1 alone.", "cat services/billing_v1/x.py"),
        ("Leave services/billing_v1 alone.", "ls services/billing_v1"),
        ("We're not going to put this on Kubernetes.", "npm install put"),
        ("No force-pushing to release branches, please.", "kubectl apply -f combd.yaml"),
    ],
)
def test_help_dry_runs_and_reading_are_not_even_warned_of(
    tmp_path: Path, rejection: str, allowed: str
) -> None:
    bardo.open(tmp_path).close()
    with bardo.gate(tmp_path) as gate:
        gate.reject(rejection, by="Greta")
        assert gate.before(allowed).decision == "allow"


def test_a_protected_path_is_found_among_many_rejections(tmp_path: Path) -> None:
    bardo.open(tmp_path).close()
    with bardo.gate(tmp_path) as gate:
        gate.reject(CASES[0][0], by="Greta")
        for rejection, _, _ in CASES[1:]:
            gate.reject(rejection, by="Greta")
        for number in range(20):
            gate.reject(f"Don't buy hive stand {number} from the {number}th supplier", by="Greta")
        assert gate.before("sed -i 's/a/b/' services/importer_v1/parse.py").decision == "block"
        assert gate.before("combctl purge --env production").decision == "block"


@pytest.mark.parametrize(
    ("rejection", "paths"),
    [
        ("Leave services/billing_v1 alone.", ("services/billing_v1",)),
        ("Don't touch infra/terraform/modules", ("infra/terraform/modules",)),
        ("Please don't modify the files under packages/core.", ("packages/core",)),
        ("hands off docker-compose.yml", ("docker-compose.yml",)),
        ("No edits in /etc/combd/comb.toml.", ("/etc/combd/comb.toml",)),
        ("no and/or in titles", ()),
        ("We don't want TCP/IP tuning", ()),
        ("No CI/CD changes on Friday", ()),
        ("Don't use moment.js", ()),
        ("don't install @types/node", ()),
        ("Don't touch example.com", ()),
        ("Don't deploy 24/7", ()),
    ],
)
def test_the_paths_of_a_rejection_are_read(rejection: str, paths: tuple[str, ...]) -> None:
    assert propose(rejection).paths == paths


@pytest.mark.parametrize(
    ("rejection", "verbs"),
    [
        ("No force-pushing to release branches, please.", ("force-push",)),
        ("Don't commit to the release branch", ("commit",)),
        ("Don't merge into release branches", ("merge",)),
        ("No changes to the deploy script", ("modify",)),
        ("Don't touch the release notes", ("modify", "remove")),
        ("Don't pay for upgrades", ("pay",)),
        ("No releases on Fridays", ("deploy",)),
        ("don't ship the release on Friday", ("deploy",)),
        ("Never use kubectl to deploy the gateway", ("deploy",)),
        ("Do not write scripts to delete customer data", ("delete", "modify")),
        ("Don't deploy to release servers", ("deploy",)),
    ],
)
def test_an_operation_in_the_name_of_a_place_is_none(rejection: str, verbs: tuple[str, ...]) -> None:
    assert propose(rejection).verbs == verbs
