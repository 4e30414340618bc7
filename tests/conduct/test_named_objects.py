"""Operations of two words, limits of a scale, and tables, folders and objects that commands name in their own way."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo

#: A Monday at ten.
MONDAY = int(datetime(2026, 6, 22, 10, tzinfo=UTC).timestamp() * 1e6)


def decisions(folder: Path, rejection: str, actions: list[str]) -> dict[str, str]:
    bardo.open(folder, agent="ops").close()
    with bardo.gate(folder, words_only=True, clock=bardo.ManualClock(MONDAY)) as gate:
        gate.reject(rejection, by="Ana")
        return {action: gate.before(action).decision for action in actions}


@pytest.mark.parametrize(
    ("rejection", "blocked", "allowed"),
    [
        (
            "fail over ledger",
            ["fail over ledger", "failover ledger", "failing over ledger"],
            ["fail over billing", "pip install fail", "scale ledger"],
        ),
        (
            "fail over ledger between 08:00 and 18:00",
            ["fail over ledger at 10:00", "fail over ledger"],
            ["fail over ledger at 20:00"],
        ),
        (
            "Never roll back ledger in production",
            ["roll back ledger in production"],
            ["roll back ledger in staging"],
        ),
        (
            "Don't scale checkout above 12 replicas",
            [
                "scale checkout to 14 replicas",
                "scale checkout to 14",
                "kubectl scale deploy/checkout --replicas=14",
            ],
            ["scale checkout to 10 replicas", "kubectl scale deploy/checkout --replicas=10"],
        ),
        (
            "deploy checkout on Fridays",
            [],
            ["scale checkout", "restart checkout", "scale checkout to 3 replicas"],
        ),
        (
            "Never touch the invoices table.",
            [
                "psql -c 'delete from invoices'",
                "mysql -e 'UPDATE shop.invoices SET x = 1'",
                "psql -c 'drop table invoices'",
            ],
            ["psql -c 'select 1 from invoices'", "psql -c 'delete from users -- no invoices'"],
        ),
        (
            "Leave the vendor folder alone",
            ["sed -i s/a/b/ vendor/x.py", "rm -rf vendor/", "mv vendor/a.py src/"],
            ["cat vendor/x.py", "ls vendor", "sed -i s/a/b/ src/vendor.py"],
        ),
        (
            "Don't push docker images from the laptop.",
            ["docker push registry/x:1", "docker image push x"],
            ["docker image ls", "docker images", "docker pull x"],
        ),
        (
            "Never touch the git remotes.",
            ["git remote set-url origin x", "git remote add x y", "git remote remove x"],
            ["git remote -v", "git remote show origin", "git push origin main"],
        ),
    ],
)
def test_a_rejection_meets_what_actions_name_in_their_own_way(
    tmp_path: Path, rejection: str, blocked: list[str], allowed: list[str]
) -> None:
    expected = dict.fromkeys(blocked, "block") | dict.fromkeys(allowed, "allow")
    assert decisions(tmp_path, rejection, [*expected]) == expected


def test_a_span_of_hours_may_pass_midnight_and_have_twelve_hours() -> None:
    from bardo.conduct.parse.conditions.conditions import split

    assert split("No deploys between 10 pm and 6:30 am")[1] == ("between 22:00 and 06:30",)
    assert split("No deploys from 8:00 to 18:00")[1] == ("between 08:00 and 18:00",)
    assert split("Never keep between 3 and 5 copies")[1] == ()


def test_what_is_forbidden_on_one_day_is_no_reason_for_a_warning_on_another(tmp_path: Path) -> None:
    from bardo.conduct.match import recognition
    from bardo.conduct.match.matching import Reading
    from bardo.conduct.parse import action
    from bardo.conduct.parse.rejections import rejection

    text = rejection.parse("Never deploy checkout on Fridays")
    friday = MONDAY + 4 * 86_400_000_000
    for said in ("restart checkout", "put the new build of checkout live"):
        done = action.parse(said)
        assert recognition.compare(text, done, now=MONDAY).reading is Reading.OTHER
        assert recognition.compare(text, done, now=friday).reading is not Reading.OTHER
    assert (
        recognition.compare(text, action.parse("restart checkout tomorrow"), now=friday).reading
        is Reading.OTHER
    )
