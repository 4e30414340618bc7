"""The passes of an heir follow the time of inherited episodes, not the tick of the inheritance."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

DAY = 86_400


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_780_000_000_000_000)


def corrections_of(agent: bardo.Grimoire) -> list[tuple[int, int, bool]]:
    """Times of the newer and the older episode of each correction, and whether both are inherited."""
    known = {one.id: one for one in agent.episodes.list(limit=99)}
    return [
        (known[newer].at, known[older].at, {known[newer].kind, known[older].kind} == {"inherited"})
        for newer, older, relation, *_ in agent._session.facts.links(sorted(known))
        if relation == "corrects" and {newer, older} <= known.keys()
    ]


def checks(agent: bardo.Grimoire, clock: bardo.ManualClock, found: list[tuple[str, int]]) -> None:
    for server, days in found:
        clock.advance(seconds=4 * 3_600)
        agent.remember(
            f"cert check {server}: {days} days left",
            role="tool",
            kind="tool",
            subjects=[server],
            verified=True,
        )


def test_no_older_episode_corrects_a_newer_one_at_an_heir(tmp_path: Path, clock: bardo.ManualClock) -> None:
    with bardo.open(tmp_path / "ann", clock=clock, seed=1) as agent:
        checks(agent, clock, [("marlin", 17), ("cormorant", 78), ("herring", 33)])
        clock.advance(seconds=10 * DAY)
        checks(agent, clock, [("marlin", 13), ("cormorant", 44), ("tidegauge", 72)])
        agent.sleep()
        agent.bequeath(tmp_path / "ann.testament")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", clock=clock, seed=2) as heir:
        before = len(corrections_of(heir))
        checks(heir, clock, [("marlin", 5)])
        heir.sleep()
        found = corrections_of(heir)
        assert all(newer > older for newer, older, _ in found)
        assert sum(both for *_, both in found) == before


def test_an_older_testament_corrects_nothing_that_the_heir_lived_later(
    tmp_path: Path, clock: bardo.ManualClock
) -> None:
    with bardo.open(tmp_path / "ann", clock=clock, seed=1) as agent:
        checks(agent, clock, [("marlin", 17), ("cormorant", 78)])
        agent.bequeath(tmp_path / "ann.testament")
    clock.advance(seconds=10 * DAY)
    with bardo.open(tmp_path / "ben", clock=clock, seed=2) as heir:
        checks(heir, clock, [("marlin", 5), ("cormorant", 66)])
        heir.sleep()
        clock.advance(seconds=DAY)
        heir.lineage.adopt(tmp_path / "ann.testament")
        heir.sleep()
        assert all(newer > older for newer, older, _ in corrections_of(heir))
