"""A rejection forbids the thing of its prohibition, not those of the reports around it."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.rejections.forbidden import propose


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("On Monday the site went down. Never restart nginx.", ("nginx",)),
        ("Never restart nginx. On Monday the site went down.", ("nginx",)),
        ("Never restart nginx, the site went down on Monday.", ("nginx",)),
        ("The Friday ferry sank our SEO. Don't touch robots.txt.", ("robots txt",)),
        ("The Sunday boat was oversold last year. We voted against caching.", ("caching",)),
        ("Whatever you do, keep your hands off ledger.py.", ("ledger",)),
        ("The importer broke twice, so don't rename the exporter.", ("exporter",)),
    ],
)
def test_a_report_gives_neither_thing_nor_condition(text: str, things: tuple[str, ...]) -> None:
    found = propose(text)
    assert (found.things, found.conditions) == (things, ())


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Never restart nginx on Mondays. The site is busy.", "on monday"),
        ("The site went down. Never restart nginx on Mondays.", "on monday"),
        ("Production. Never restart nginx.", "in production"),
        ("Never deploy. Only on Wednesdays.", "except on wednesday"),
    ],
)
def test_the_conditions_of_the_prohibition_stay(text: str, condition: str) -> None:
    assert condition in propose(text).conditions


def test_the_paths_of_a_report_are_free(tmp_path: Path) -> None:
    bardo.open(tmp_path).close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.reject("src/a.py broke twice, so don't touch src/b.py.")
        assert gate.before("echo x > src/b.py").decision == "block"
        assert gate.before("echo x > src/a.py").decision != "block"


@pytest.mark.parametrize("thing", ["search view", "import wizard", "test runner", "print dialog"])
def test_a_thing_named_like_an_operation_is_left_alone(tmp_path: Path, thing: str) -> None:
    bardo.open(tmp_path).close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.reject(f"leave the {thing} alone")
        assert gate.before(f"delete the {thing}").decision == "block"
        assert gate.before(f"look at the {thing}").decision != "block"


@pytest.mark.parametrize("wish", ["I want you to stop {}", "We'd like you to quit {}", "Please stop {}"])
@pytest.mark.parametrize("act", ["deleting old branches", "archiving tickets", "squashing my commits"])
def test_a_wish_to_stop_forbids_the_act_itself(wish: str, act: str) -> None:
    assert propose(wish.format(act)) == propose(f"Stop {act}")
