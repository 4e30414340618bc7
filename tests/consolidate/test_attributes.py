"""The kind of a fact follows the attribute of its statement."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN


@pytest.mark.parametrize(
    ("name", "kind", "persistence"),
    [
        ("port", "insight", "months"),
        ("version", "insight", "months"),
        ("salary", "identity", "months"),
        ("medication", "identity", "months"),
        ("like", "preference", "months"),
        ("home", "identity", "years"),
        ("deadline", "goal", "weeks"),
        ("mood", "context", "days"),
        ("unheard of", "insight", "months"),
    ],
)
def test_an_attribute_has_the_kind_of_what_it_states(name: str, kind: str, persistence: str) -> None:
    assert (BUILT_IN.attribute(name).kind, BUILT_IN.attribute(name).persistence) == (kind, persistence)


def test_a_setting_that_a_user_states_is_no_preference(tmp_path: Path) -> None:
    said = [
        "The gateway listens on port 5433.",
        "The gateway runs on version 2.3.",
        "My salary is 4000 euros.",
    ]
    with bardo.open(tmp_path / "a", clock=bardo.ManualClock(1_760_000_000_000_000), seed=1) as g:
        g.remember(said, role="user", speaker="Ann", kind="turn")
        g.sleep()
        kinds = {fact.statement.attribute: fact.kind for fact in g.facts.list() if fact.statement}
    assert kinds["port"] == kinds["version"] == "insight"
    assert kinds["salary"] == "identity"
