"""A rejection of an act without another one forbids the act that does not show it, and never what it requires."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.conditions.requirements import is_requirement, split
from bardo.conduct.parse.rejections.forbidden import propose

SMOKE = "deploy without running the smoke tests"


@pytest.mark.parametrize(
    ("text", "rest", "needs"),
    [
        (SMOKE, "deploy", ("without running the smoke tests",)),
        ("Don't merge before the tests pass", "Don't merge", ("before the tests pass",)),
        ("don't push until CI is green", "don't push", ("until CI is green",)),
        ("never commit unless lint passes", "never commit", ("unless lint passes",)),
        ("never drop a table without backing it up first", "never drop a table", ("without backing it up",)),
        ("never run curl without --fail", "never run curl", ("without --fail",)),
        ("no games before homework", "no games before homework", ()),
        ("place orders without a limit", "place orders without a limit", ()),
    ],
)
def test_a_requirement_is_apart_from_the_act(text: str, rest: str, needs: tuple[str, ...]) -> None:
    assert split(text) == (rest, needs)
    assert all(map(is_requirement, needs))
    assert set(needs) <= set(propose(text).conditions)


def test_a_required_option_and_a_required_path_are_not_forbidden() -> None:
    assert propose("never run curl without --fail").flags == ()
    assert propose("never release without editing docs/CHANGES.md").paths == ()


@pytest.mark.parametrize(
    ("rejection", "action", "decision"),
    [
        (SMOKE, "run the smoke tests", "allow"),
        (SMOKE, "deploy after running the smoke tests", "allow"),
        (SMOKE, "run the smoke tests, then deploy", "allow"),
        (SMOKE, "deploy", "warn"),
        (SMOKE, "make deploy", "warn"),
        (SMOKE, "deploy without running the smoke tests", "block"),
        ("Never release without updating the changelog", "update the changelog", "allow"),
        ("Never release without updating the changelog", "release 2.1", "warn"),
        ("don't push until CI is green", "push once CI is green", "allow"),
        ("don't push until CI is green", "push before CI is green", "block"),
        ("Don't merge before the tests pass", "merge after the tests pass", "allow"),
        ("never run curl without --fail", "curl --fail https://a.org", "allow"),
        ("never run curl without --fail", "curl https://a.org", "block"),
    ],
)
def test_an_act_is_compared_with_its_requirement(
    gate: bardo.Gate, rejection: str, action: str, decision: str
) -> None:
    gate.reject(rejection)
    assert gate.before(action).decision == decision


@pytest.mark.parametrize(
    ("rejection", "action", "decision"),
    [
        ("don't stop running the tests", "run the tests", "allow"),
        ("don't stop running the tests", "stop running the tests", "block"),
        ("never skip the linter", "run the linter", "allow"),
        ("never skip the linter", "skip the linter", "block"),
        ("don't omit the license header", "add the license header", "allow"),
        ("don't omit the license header", "leave out the license header", "block"),
        ("No mypy stage", "skip the mypy stage", "allow"),
    ],
)
def test_an_act_that_must_not_be_left_is_wanted(
    gate: bardo.Gate, rejection: str, action: str, decision: str
) -> None:
    gate.reject(rejection)
    assert gate.before(action).decision == decision
