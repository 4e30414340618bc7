"""A rejection is read in any words in which it was said, and blocks the act in its very words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.rejections.forbidden import CHANGING, propose
from bardo.conduct.parse.rejections.wording import is_same_act
from bardo.ports import Embedder, ManualClock

#: Wednesday, 6 March 2024, 11:00 UTC.
WEDNESDAY = 1_709_722_800_000_000
#: Rejections, and the rejected act in the same words.
SAID = [
    ("please don't reboot the mysql host", "reboot the mysql host"),
    (
        "don't turn off the smoke detector, not even for the party",
        "turn off the smoke detector for the party",
    ),
    ("never store request headers", "store request headers"),
    ("stop closing review requests without a comment", "close a review request without a comment"),
    ("quit pinning pandas", "I'll pin pandas"),
    ("Could you not rebase my branch?", "rebase my branch"),
]
NOT_SAID = [
    ("don't reboot the mysql host", "reboot the mysql host only in staging"),
    ("don't reboot the mysql host", "never reboot the mysql host"),
    ("don't deploy before the freeze", "deploy after the freeze"),
    ("don't stop the proxy", "start the proxy"),
]


@pytest.fixture(params=["words", "model"])
def gate(tmp_path: Path, minilm: Embedder, request: pytest.FixtureRequest) -> Iterator[bardo.Gate]:
    bardo.open(tmp_path, agent="worder", embedder=minilm).close()
    words_only = request.param == "words"
    with bardo.gate(tmp_path, embedder=minilm, words_only=words_only, clock=ManualClock(WEDNESDAY)) as opened:
        yield opened


@pytest.mark.parametrize(("rejection", "action"), SAID)
def test_an_act_in_the_very_words_of_its_rejection_is_blocked(
    gate: bardo.Gate, rejection: str, action: str
) -> None:
    gate.reject(rejection)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("rejection", "action"), NOT_SAID)
def test_an_act_with_other_words_is_not_the_very_same(rejection: str, action: str) -> None:
    assert not is_same_act(rejection, action)


def test_a_correction_by_conditions_holds_for_the_very_words_too(gate: bardo.Gate) -> None:
    rejected = gate.reject("never rotate the signing keys")
    for day, blocks in (("on wednesday", True), ("on friday", False)):
        gate.correct(rejected.id, forbids={"conditions": [day]}, by="anna")
        assert (gate.before("rotate the signing keys").decision == "block") is blocks


@pytest.mark.parametrize(
    ("rejection", "field", "items"),
    [
        ("No, let's not bring in ramda for that, the two loops are fine.", "packages", ("ramda",)),
        ("No, let's not bring in ramda for that, the two loops are fine.", "conditions", ()),
        ("Well, better not use MobX here.", "things", ("MobX",)),
        ("We'd rather not rely on Kafka for this", "packages", ("kafka",)),
        ("hold off on upgrading Rails", "things", ("Rails",)),
        ("steer clear of jQuery", "packages", ("jquery",)),
        ("Leave the payroll sheets alone.", "things", ("payroll sheets",)),
        ("Leave the payroll sheets alone.", "verbs", tuple(sorted(CHANGING))),
        ("no new libraries for a date picker", "packages", ()),
        ("no new libraries for a date picker", "conditions", ("for a date picker",)),
        ("I don't want d3 in the bundle", "conditions", ()),
        ("don't use d3 in the admin pages", "conditions", ("in the admin pages",)),
    ],
)
def test_a_rejection_said_in_a_chat_is_read_like_a_plain_one(
    rejection: str, field: str, items: tuple[str, ...]
) -> None:
    assert getattr(propose(rejection), field) == items


@pytest.mark.parametrize(
    ("rejection", "action", "decision"),
    [
        ("let's not bring in ramda for that", "npm i bring", "not block"),
        ("let's not bring in ramda for that", "yarn add ramda", "block"),
        ("I don't want d3 in the bundle", "npm i d3", "block"),
        ("no new packages", "cargo add serde", "block"),
        ("no new packages", "npm ci", "allow"),
        ("no new packages", "pip install -r requirements.txt", "not block"),
        ("no new libraries for a date picker", "npm i flatpickr", "warn"),
        ("Leave the payroll sheets alone.", "edit the payroll sheets", "block"),
        ("Leave the payroll sheets alone.", "I'll look up what changes in the payroll sheets", "not block"),
        ("Leave the payroll sheets alone.", "read the payroll sheets", "not block"),
    ],
)
def test_a_rejection_said_in_a_chat_decides_like_a_plain_one(
    gate: bardo.Gate, rejection: str, action: str, decision: str
) -> None:
    gate.reject(rejection)
    found = gate.before(action).decision
    assert found != "block" if decision == "not block" else found == decision


@pytest.mark.parametrize(
    "rejection",
    [
        "we're not going to use Redis", "We are not going to be using Redis", "we won't be using Redis",
        "we aren’t using Redis any longer", "we are done with Redis", "I'm all through with Redis", "no more Redis",
        "Redis is off the table", "redis is off-limits", "Redis is out of the question.",
        "Using Redis is off the table",
        "stay away from Redis", "Let's stay away from Redis", "I'm not letting anybody use Redis",
        "we won't let anyone use Redis", "We've stopped using Redis",
    ],
)  # fmt: skip
def test_what_is_no_longer_used_is_forbidden_to_use(gate: bardo.Gate, rejection: str) -> None:
    forbids = gate.reject(rejection).forbidden
    assert [thing.lower() for thing in forbids.things] == ["redis"]
    assert (forbids.verbs, forbids.packages) == (("use",), ("redis",))
    decided = [
        gate.before(action).decision
        for action in ("pip install redis", "use Redis for the queue", "explain what Redis is")
    ]
    assert decided == ["block", "block", "allow"]


@pytest.mark.parametrize(
    ("rejection", "things", "verbs", "conditions"),
    [
        ("We are not going to deploy on Fridays", (), ("deploy",), ("on friday",)),
        ("Deploying on Fridays is off the table", (), ("deploy",), ("on friday",)),
        ("I'm done paying for Heroku", ("Heroku",), ("pay",), ()),
        ("I'm not letting anyone push to main", (), ("push",), ("to main",)),
        ("Painting the fence is ruled out", ("Painting fence",), (), ()),
    ],
)
def test_an_act_that_is_ruled_out_is_read_with_its_own_operation(
    rejection: str, things: tuple[str, ...], verbs: tuple[str, ...], conditions: tuple[str, ...]
) -> None:
    forbids = propose(rejection)
    assert (forbids.things, forbids.verbs, forbids.conditions) == (things, verbs, conditions)
