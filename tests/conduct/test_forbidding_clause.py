"""A practice belongs to the clause that forbids, and to its act: not to its reason, place, purpose or exception."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.rejections.forbidden import practices_in, propose
from bardo.conduct.parse.rejections.wording import forbidding
from bardo.conduct.parse.vocabulary import vocabulary

#: Rejections with words of a practice outside their act, and the practice.
OUTSIDE = [
    ("Don't cache API responses that contain prices, stale prices cost us real money", "spend money"),
    ("Do not disable TLS verification, also not for testing", "skip tests"),
    ("stop skipping the tests to make CI green", "leave tests"),
    ("don't touch the vendored code in third_party", "third-party server"),
    ("Don't touch the production database without a fresh backup.", "delete backup"),
    ("Let's not keep sessions in Redis; Redis is for the live cache only.", "wipe cache"),
]
#: Rejections, and actions of the week that none of them forbids.
ALLOWED = [
    (OUTSIDE[0][0], "I'll renew the data subscription for the Tokyo exchange."),
    (OUTSIDE[3][0], "aws s3 sync ./scans s3://acme-scans"),
    ("I'd rather we did not add another state library.", "pnpm add date-fns"),
    ("No `terraform apply` from laptops.", "kubectl -n staging patch deploy/web -p '{}'"),
    ("no crypto, I mean it", "I'll let the login token expire after an hour."),
]


def _named(text: str) -> set[str]:
    return {vocabulary().practices[number].said[0].text for number in practices_in(text)}


@pytest.mark.parametrize(("text", "practice"), OUTSIDE)
def test_words_outside_the_forbidden_act_name_no_practice(text: str, practice: str) -> None:
    assert practice not in _named(text)


def test_the_forbidding_clause_ends_before_reasons_purposes_and_exceptions() -> None:
    assert forbidding("stop skipping the tests to make CI green") == "stop skipping the tests"
    assert forbidding("No deploys on Fridays, we got burned. Mondays are fine.") == "No deploys on Fridays"
    assert (
        forbidding("keep off the payment module until the audit is through") == "keep off the payment module"
    )


def test_a_narrower_object_is_a_condition_of_the_practice() -> None:
    assert "of state" in propose("Don't add another state library").conditions
    assert not propose("Please add no new dependencies").conditions


@pytest.mark.parametrize(("text", "action"), ALLOWED)
def test_weak_words_block_no_action(text: str, action: str, tmp_path: Path) -> None:
    bardo.open(tmp_path, agent="anna").close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.reject(text, by="anna")
        assert gate.before(action).decision != "block"


@pytest.mark.parametrize("action", ["git push --force origin main", "git push -f origin main"])
def test_a_practice_that_the_act_names_still_blocks(action: str, tmp_path: Path) -> None:
    bardo.open(tmp_path, agent="anna").close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.reject("No force pushes to main, we lost a week of work", by="anna")
        assert gate.before(action).decision == "block"
