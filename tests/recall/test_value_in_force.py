"""A question about an attribute finds the value in force first; plans, failures and earlier values follow, marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest

import bardo
from bardo.recall.standing import UNMADE

START = 1_795_000_000_000_000
HOUR = 3_600

#: Records of one life, in their order: kind, role and text.
RECORDS: Sequence[tuple[str, str, str]] = (
    ("commit", "tool", "fix(checkout): retry limit 3 -> 5"),
    ("commit", "tool", "plan: checkout retry limit 5 -> 9"),
    ("commit", "tool", 'Revert "fix(checkout): retry limit 3 -> 5"'),
    ("commit", "tool", "chore: bump postgres from 15.4 to 16.2"),
    ("tool", "tool", "nginx version: nginx/1.27.2"),
    ("tool", "tool", "failed to upgrade postgres from 16.2 to 17.0"),
    ("commit", "tool", "proposal: gateway timeout 30s -> 90s"),
    ("commit", "tool", "perf(gateway): timeout 30s -> 45s"),
    ("tool", "tool", "staging replicas 2 -> 4"),
    ("log", "tool", "[2026-11-20 10:00:01] [INFO] scaled crawler pods 3 -> 6"),
    ("log", "tool", "crawler pods: plan to scale from 6 to 12 next week"),
    ("commit", "tool", "feat(search): page_size 20 -> 50"),
    ("commit", "tool", "feat(search): page_size 50 -> 40"),
    ("tool", "tool", "upgrade mariadb 10.6 -> 10.11 was rolled back"),
    ("commit", "tool", "wip: mailer linger 5s -> 9s"),
    ("commit", "tool", "fix(mailer): linger 5s -> 7s"),
    ("commit", "tool", "chore(deps): bump redis from 7.0.2 to 7.2.4"),
    ("tool", "tool", "error: redis 7.2.4 -> 8.0.0 aborted, cluster not ready"),
    ("commit", "tool", "spool depth 64 -> 256"),
    ("commit", "tool", "draft: spool depth 256 -> 1024"),
    ("commit", "tool", "billing: grace period 14 days -> 30 days"),
    ("tool", "tool", "sessions cookie lifetime 12h -> 24h"),
    ("turn", "user", "Should we raise the spool depth to 2048? I am not sure yet."),
    ("turn", "user", "We talked about the grace period of billing for an hour and got nowhere."),
)  # fmt: skip

#: Questions in several wordings, and the value that holds.
QUESTIONS: Sequence[tuple[str, str]] = (
    ("What is the retry limit of checkout?", "checkout retry limit is 3"),
    ("retry limit of checkout", "checkout retry limit is 3"),
    ("how often does checkout retry", "checkout retry limit is 3"),
    ("Which postgres version?", "postgres version is 16.2"),
    ("which postgres version do we run", "postgres version is 16.2"),
    ("What version of postgres are we on?", "postgres version is 16.2"),
    ("What is the timeout of the gateway?", "gateway timeout is 45s"),
    ("gateway timeout", "gateway timeout is 45s"),
    ("How many replicas does staging have?", "staging replicas is 4"),
    ("How many crawler pods are there?", "crawler pods is 6"),
    ("search page size", "search page_size is 40"),
    ("What is the page_size of search now?", "search page_size is 40"),
    ("Which version of mariadb do we use?", "mariadb version is 10.6"),
    ("mailer linger?", "mailer linger is 7s"),
    ("which redis do we run", "redis version is 7.2.4"),
    ("What redis version is installed?", "redis version is 7.2.4"),
    ("How deep is the spool? spool depth", "spool depth is 256"),
    ("What is the grace period of billing?", "billing grace period is 30 days"),
    ("How long is the lifetime of the sessions cookie?", "sessions cookie lifetime is 24h"),
)  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bardo.Grimoire]:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path_factory.mktemp("life"), clock=clock, seed=1) as opened:
        for kind, role, text in RECORDS:
            clock.advance(HOUR)
            opened.remember(text, kind=kind, role=role)
        opened.sleep()
        yield opened


@pytest.mark.parametrize(("question", "value"), QUESTIONS)
def test_recall_shows_the_value_in_force_first(memory: bardo.Grimoire, question: str, value: str) -> None:
    found = memory.recall(question, limit=5)
    first = found[0]
    assert (first.layer, first.text) == ("fact", value), [(one.text, one.standing) for one in found]
    assert not first.standing
    assert first.score == pytest.approx(
        sum(first.why.parts.values()) * math.prod(first.why.discounts.values())
    )


@pytest.mark.parametrize(("question", "value"), QUESTIONS)
def test_a_prompt_has_the_value_in_force(memory: bardo.Grimoire, question: str, value: str) -> None:
    assert f"\n{value}\n" in str(memory.context(question))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the retry limit of checkout?", "plan: checkout retry limit 5 -> 9"),
        ("Which postgres version?", "failed to upgrade postgres from 16.2 to 17.0"),
        ("gateway timeout", "proposal: gateway timeout 30s -> 90s"),
        ("which redis do we run", "error: redis 7.2.4 -> 8.0.0 aborted, cluster not ready"),
        ("spool depth", "draft: spool depth 256 -> 1024"),
    ],
)
def test_a_change_that_was_not_made_follows_with_a_mark(
    memory: bardo.Grimoire, question: str, text: str
) -> None:
    found = {one.text: one.standing for one in memory.recall(question, limit=5)}
    assert UNMADE in found[text]
    assert text in str(memory.context(question))
    assert UNMADE in str(memory.context(question))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the retry limit of checkout before?", "fix(checkout): retry limit 3 -> 5"),
        ("Was the checkout retry limit ever 5?", 'Revert "fix(checkout): retry limit 3 -> 5"'),
        ("What was the page_size of search before?", "feat(search): page_size 20 -> 50"),
        ("Was the page_size of search ever 20?", "feat(search): page_size 20 -> 50"),
    ],
)
def test_a_question_about_history_finds_the_earlier_value(
    memory: bardo.Grimoire, question: str, text: str
) -> None:
    found = {one.text: one.standing for one in memory.recall(question, limit=5)}
    assert text in found
    assert text.startswith("Revert") or found[text].startswith("corrected on")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why did the upgrade of postgres fail?", "failed to upgrade postgres from 16.2 to 17.0"),
        ("Who talked about the grace period of billing for an hour?", RECORDS[-1][2]),
        ("nginx version", "nginx version: nginx/1.27.2"),
    ],
)
def test_a_value_does_not_precede_what_answers_more_of_the_question(
    memory: bardo.Grimoire, question: str, text: str
) -> None:
    assert memory.recall(question, limit=5)[0].text == text


def test_the_environment_that_a_question_names_decides_between_its_values(tmp_path):
    with bardo.open(tmp_path / "ops", clock=bardo.ManualClock(START), seed=1) as g:
        for line in ("prod: quayside port 9000 -> 8443", "staging: quayside port 9000 -> 9443"):
            g.remember(line, kind="log", role="tool", verified=True)
        g.sleep()
        for name, value in (("production", "8443"), ("staging", "9443")):
            found = g.recall(f"What port does quayside listen on in {name}?", limit=2)
            assert value in found[0].text, name
