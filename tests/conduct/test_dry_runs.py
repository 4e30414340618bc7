"""Dry runs and requests for help: an option of one letter is a sign of it only where the program has it so."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.actions import dry_runs, shell

DONE = [
    ("don't drop databases", "dropdb -h db1 shop"),
    ("don't drop databases", "dropdb -h pg-main -p 5433 orders"),
    ("don't use rsync", "rsync -h photos/ nas:/photos"),
    ("don't use rsync", "rsync -ah --progress photos/ nas:/photos"),
    ("never push", "git push --dry-run && git push origin topic"),
    ("never run kubectl delete pvc", "kubectl delete pvc data-0 --dry-run=none"),
    ("never run kubectl delete pvc", "kubectl delete pod web-1 --help; kubectl delete pvc data-0"),
    ("don't commit the .env file", "git add --dry-run .env && git add .env"),
    ("don't deploy to production", "ansible-playbook --diff production.yml"),
    ("don't delete the backups", "docker run -h box tools rm -rf backups"),
]
DRY = [
    ("don't drop databases", "dropdb --help"),
    ("don't drop databases", "dropdb -h"),
    ("never push", "git push -h"),
    ("never push", "git push -n origin topic"),
    ("never run kubectl delete pvc", "kubectl delete pvc data-0 --dry-run=client"),
    ("don't use rsync", "rsync -n photos/ nas:/photos"),
    ("don't deploy the site", "make -n deploy"),
]


@pytest.mark.parametrize(("rejection", "action"), DONE)
def test_a_command_with_a_letter_that_has_another_meaning_is_blocked(
    gate: bardo.Gate, rejection: str, action: str
) -> None:
    gate.reject(rejection, by="anna")
    assert gate.before(action).decision == "block", gate.before(action)


@pytest.mark.parametrize(("rejection", "action"), DRY)
def test_a_dry_run_or_a_request_for_help_is_not_blocked(
    gate: bardo.Gate, rejection: str, action: str
) -> None:
    gate.reject(rejection, by="anna")
    assert gate.before(action).decision != "block", gate.before(action)


@pytest.mark.parametrize(
    ("line", "is_help"),
    [
        ("psql --help", True), ("psql -h", True), ("psql -h db1 -c 'DROP TABLE a'", False), ("df -h /var", False),
        ("helm upgrade web ./chart --version 2", False), ("npm --version", True), ("gh pr -h", True),
        ("dropdb shop -h", False), ("git commit -m --help", False), ("python -V", True), ("mysql -h db1", False),
    ],
)  # fmt: skip
def test_help_is_a_long_option_or_a_letter_alone(line: str, is_help: bool) -> None:
    (command,) = shell.commands(line)
    assert dry_runs.is_help(command.words) is is_help
