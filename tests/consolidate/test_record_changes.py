"""Changes in records: each ends the value of its own slot alone, and only a change that was made is a fact."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400


def clauses_of(text: str) -> list[Clause]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    return list(rules.read(Speech(text, "", START, "record")))


def slot_of(line: str) -> tuple[str, str, str, str] | None:
    (clause,) = clauses_of(line)
    stated = clause.statement
    return None if stated is None else (stated.subject, stated.attribute, stated.value, stated.condition)


def learned(folder: Path, *lines: str) -> tuple[list[str], list[str]]:
    """Texts of the facts in force and of those that ended after some records, a day apart."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder, clock=clock, seed=1) as memory:
        for line in lines:
            memory.remember(line, role="tool", kind="tool")
            memory.sleep()
            clock.advance(DAY)
        assert not memory.facts.links(*memory.facts.list())
        return (
            sorted(fact.text for fact in memory.facts.list()),
            sorted(fact.text for fact in memory.facts.list(status="superseded")),
        )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("prod: invoice-svc 3.0.1 -> 3.1.0", ("invoice-svc", "version", "3.1.0", "production")),
        (
            "rollback of staging: invoice-svc 3.1.0 -> 3.0.1",
            ("invoice-svc", "version", "3.0.1", "staging"),
        ),
        ("deploy kite to qa: 1.2.0 -> 1.3.0", ("kite", "version", "1.3.0", "qa")),
        ("mailer: send window 20m -> 45m", ("mailer send", "window", "45m", "")),
        ("perf(spool): spool.depth 64 -> 256", ("spool", "depth", "256", "")),
        ("staging replicas 2 -> 4", ("staging", "replicas", "4", "")),
        ("upgrade mariadb 10.6 -> 10.11 was rolled back", ("mariadb", "version", "10.6", "")),
        ("revert: fix(mailer): linger 5s -> 9s", ("mailer", "linger", "5s", "")),
        ("[2026-05-04 10:00:01] [INFO] scaled crawler pods 3 -> 6", ("crawler", "pods", "6", "")),
        ("lower cutoff 30s -> 20s on Monday", None),
        ("fix: freeze when depth 0 -> 1", None),
        ("prod: postgres 14 -> 16 migration finished", ("production", "postgres", "16", "")),
        (
            "deploy log: api endpoint changed from /v1/bookings to /v2/bookings",
            ("api", "endpoint", "/v2/bookings", ""),
        ),
        ("cache.ttl 5 -> 10 minutes after review", ("cache", "ttl", "10 minutes", "")),
        (
            "TASK [upgrade] changed: waxdb: server_version 14.9 -> 16.3",
            ("waxdb", "server_version", "16.3", ""),
        ),
        (
            "RUNNING HANDLER [restart nginx] changed: nginx: worker_connections 512 -> 1024",
            ("nginx", "worker_connections", "1024", ""),
        ),
        ("changed: redis: maxmemory 2GB -> 4GB", ("redis", "maxmemory", "4GB", "")),
        ("ansible[4411]: waxdb: server_version 14.9 -> 16.3", ("waxdb", "server_version", "16.3", "")),
        ("combd[812]: port 7113 -> 7290", ("combd", "port", "7290", "")),
        ("TASK [upgrade] failed: waxdb: server_version 14.9 -> 16.3", None),
        ("TASK [upgrade] skipping: waxdb: server_version 14.9 -> 16.3", None),
        ("TASK [upgrade] changed: waxdb: server_version 14.9 -> 16.3 failed", None),
        ("TASK [upgrade] would change: waxdb: server_version 14.9 -> 16.3", None),
        ("PLAN [upgrade] waxdb: server_version 14.9 -> 16.3", None),
    ],
)
def test_a_slot_has_component_and_environment(line: str, expected: tuple[str, ...] | None):
    assert slot_of(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "planning to lift the spool depth 64 -> 256",
        "failed to move the spool depth 64 -> 256: disk is full",
        "ERROR update spool depth 64 -> 256 rejected by quota",
        "spool depth 64 -> 256 (awaiting review)",
        "perhaps spool depth 64 -> 256",
        "do we want spool depth 64 -> 256?",
        "wip(spool): spool.depth 64 -> 256",
        "next month: spool depth 64 -> 256",
        "resizing spool depth 64 -> 256",
        "not raising spool depth 64 -> 256",
        "skipped: spool depth 64 -> 256",
        "test: expect spool depth 64 -> 256",
        "raise spool depth 64 -> 256\nerror: volume is read-only",
    ],
)
def test_a_change_that_was_not_made_is_not_stated(line: str):
    clause = clauses_of(line)[0]
    assert not clause.stated
    assert clause.statement is None


@pytest.mark.parametrize(
    "line",
    [
        "failed login limit 3 -> 5",
        "fix(queue): pending jobs limit 10 -> 20",
        "mailer error threshold 1% -> 2%",
        "mailer linger 5s -> 9s because sends timed out",
        "retry limit 3 -> 5 after failed sends",
        "resizing spool depth 64 -> 256 ... done",
        "node-a: listen_port 9187 => 9466\nok=3 changed=1 failed=0",
    ],
)
def test_words_of_failure_in_a_key_or_a_reason_take_nothing_back(line: str):
    clause = clauses_of(line)[0]
    assert clause.stated
    assert clause.statement is not None


def test_a_record_ends_nothing_of_another_component_or_environment(tmp_path: Path):
    in_force, ended = learned(
        tmp_path,
        "deploy production: kite-api 4.0.2 -> 4.1.0 done in 12 s",
        "feat(shop): help page url https://a.kite.example -> https://b.kite.example",
        "staging: kite-api 4.1.0 -> 4.2.0",
        "fix(mailer): send limit 3 -> 5",
        "fix(crawler): send limit 5 -> 9",
        "upgraded etcd from 3.5.8 to 3.5.9",
        "upgraded etcd-operator from 3.5.9 to 3.6.0",
    )
    assert in_force == [
        "crawler send limit is 9",
        "etcd version is 3.5.9",
        "etcd-operator version is 3.6.0",
        "kite-api version is 4.1.0 (production)",
        "kite-api version is 4.2.0 (staging)",
        "mailer send limit is 5",
        "shop help page url is https://b.kite.example",
    ]
    assert not ended


def test_a_record_without_a_component_ends_the_value_that_it_replaces(tmp_path: Path):
    in_force, ended = learned(
        tmp_path,
        "fix(mailer): send limit 3 -> 5",
        "refactor(crawler): send limit 40 -> 80",
        "send limit 80 -> 60",
        "prod: kite-api 4.0.2 -> 4.1.0",
        "rollback of production: kite-api 4.1.0 -> 4.0.2",
    )
    assert in_force == [
        "kite-api version is 4.0.2 (production)",
        "mailer send limit is 5",
        "send limit is 60",
    ]
    assert ended == ["crawler send limit is 80", "kite-api version is 4.1.0 (production)"]


def test_a_change_that_was_not_made_ends_nothing(tmp_path: Path):
    in_force, ended = learned(
        tmp_path,
        "set spool depth 32 -> 64",
        "We intend to lift the spool depth 64 -> 256 next quarter",
        "could not lift spool depth 64 -> 128: disk is full",
        "maybe spool depth 64 -> 96",
    )
    assert (in_force, ended) == (["spool depth is 64"], [])
