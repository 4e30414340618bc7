"""Records that agree, or tell of other things or of events, neither correct nor dispute one another."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

START = 1_781_086_400_000_000
DAY = 86_400


def standings(folder: Path, *said: tuple[str, str]) -> list[str]:
    """Standing of each text after records a day apart."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder, clock=clock, seed=1) as memory:
        for kind, text in said:
            if kind == "user":
                memory.remember({"role": "user", "name": "Greta", "content": text}, thread="ops")
            elif kind == "log":
                memory.remember(text, kind="log", role="tool")
            else:
                memory.remember(text, kind=kind, verified=True)
            memory.sleep()
            clock.advance(DAY)
        found = {
            each.text: each.standing
            for _, text in said
            for each in memory.recall(text, limit=10)
            if each.layer == "episode"
        }
        return [found[text].split(" ")[0] for _, text in said]


@pytest.mark.parametrize(
    "said",
    [
        (
            ("user", "We moved combd off 7113: it listens on port 7290 now."),
            ("commit", "fix(combd): port 7113 -> 7290"),
        ),
        (
            ("commit", "fix(combd): port 7113 -> 7290"),
            ("user", "We moved combd off 7113: it listens on port 7290 now."),
        ),
        (
            ("user", "We raised the gateway timeout from 30s to 60s, it is 60s now."),
            ("commit", "fix(gateway): timeout 30s -> 60s"),
        ),
        (
            ("log", "swarmwatch: threshold brood_temp 36.5 alerts=3"),
            ("user", "Let's not raise the brood temperature threshold of swarmwatch again."),
        ),
        (
            ("log", "swarmwatch: threshold brood_temp 36.5 alerts=3"),
            ("user", "We won't change the brood temperature threshold of swarmwatch."),
        ),
        (
            ("log", "combd[812]: WARN E-5507 duplicate reading gw=GW-51A0-0093 seq=88121"),
            ("log", "combd[812]: WARN E-5507 duplicate reading gw=GW-20C7-0311 seq=9127"),
        ),
        (
            ("log", "combd[812]: WARN E-5507 duplicate reading gw=GW-51A0-0093"),
            ("log", "combd[812]: WARN E-5507 duplicate reading gw=GW-20C7-0311"),
        ),
        (("log", "sync: INFO feed=alpha rows=812"), ("log", "sync: INFO feed=beta rows=120")),
        (
            ("log", "cron[77]: pg_dump waxdb ok 812 MB /srv/waxdb/dumps/2026-07-23.dump"),
            (
                "user",
                "How I restored waxdb in the drill: stop combd, pg_restore the latest dump into wax_drill.",
            ),
        ),
    ],
)
def test_records_that_agree_stand_beside_each_other(
    tmp_path: Path, said: tuple[tuple[str, str], ...]
) -> None:
    assert standings(tmp_path, *said) == ["", ""]


@pytest.mark.parametrize(
    "said",
    [
        (
            ("user", "The gateway timeout moved from 60s to 30s."),
            ("commit", "fix(gateway): timeout 30s -> 60s"),
        ),
        (("user", "The gateway's timeout is 30s now."), ("commit", "fix(gateway): timeout 30s -> 60s")),
        (("log", "worker: concurrency=8"), ("log", "worker: concurrency=12")),
        (("log", "worker: concurrency=8 queue=mail"), ("log", "worker: concurrency=12 queue=mail")),
        (("user", "The worker pool has 8 threads."), ("user", "The worker pool has 12 threads now.")),
    ],
)
def test_a_new_value_corrects_the_record_of_the_old_one(
    tmp_path: Path, said: tuple[tuple[str, str], ...]
) -> None:
    assert standings(tmp_path, *said) == ["corrected", ""]
