"""Orders of a home: under a label, after a reason, of persons by their kind, and what an action calls otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.standing import is_standing
from bardo.conduct.match.matching import Reading
from bardo.conduct.match.recognition import compare
from bardo.conduct.parse.action import parse as parse_action
from bardo.conduct.parse.rejections.rejection import parse
from bardo.conduct.state.prohibition import forbidden_act, is_prohibition

DAY = 86_400


def heard(folder: Path, *said: str, days: int = 1) -> bardo.ManualClock:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(folder, agent="moss", clock=clock) as memory:
        for text in said:
            memory.remember(text, role="user", kind="turn", speaker="Ida")
            memory.sleep()
            clock.advance(days * DAY)
        memory.sleep()
    return clock


@pytest.mark.parametrize(
    "text",
    [
        "New house law: no screen time before school, for either of them.",
        "Rule: no shoes in the hall.",
        "House rule number 3: never feed the dog at the table",
        "Our team policy - no direct pushes to main.",
        "I run on Sunday mornings, so don't book anything on Sunday mornings.",
        "The twins nap after lunch, so please don't ring the bell.",
        "Mum is a light sleeper, so never vacuum after nine.",
        "The cluster is shared - so don't restart it without the others.",
        "I pay the bills on Mondays, please don't move money on Sundays.",
    ],
)
def test_an_order_under_a_label_or_after_a_reason_is_a_prohibition(text: str) -> None:
    assert is_prohibition(text)
    assert is_standing(text)
    assert forbidden_act(text)


@pytest.mark.parametrize(
    "text",
    [
        "No screen time before school.",
        "The rule is hard to read.",
        "House rules: no idea who wrote them.",
        "He said it was late so don't bother.",
        "I'm fine, so don't worry.",
        "It was late, so I didn't call.",
        "It rained, so never mind.",
        "We're out of milk, so no pancakes today.",
    ],
)
def test_a_report_or_small_talk_after_a_reason_or_label_is_none(text: str) -> None:
    assert not is_prohibition(text)


@pytest.mark.parametrize(
    ("order", "action", "other"),
    [
        (
            "New house law: no screen time before school, for either of them.",
            "Give Jonah screen time before school",
            "Give Jonah screen time after school",
        ),
        (
            "I run on Sunday mornings, so don't book anything on Sunday mornings.",
            "Book a brunch on Sunday morning",
            "Book a brunch on Saturday morning",
        ),
        (
            "never give out our address to anyone online",
            "Give our address to a seller online",
            "Give the plants water",
        ),
    ],
)
def test_such_an_order_blocks_its_act_and_does_not_fade(
    tmp_path: Path, order: str, action: str, other: str
) -> None:
    clock = heard(tmp_path, order, "Nice day.", days=60)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before(action).decision == "block"
        assert gate.before(other).decision == "allow"


PHOTOS = "Don't post photos of the children on social media."


@pytest.mark.parametrize(
    ("order", "action", "expected"),
    [
        (PHOTOS, "Post photos of Mila on social media", True),
        (PHOTOS, "Post a photo of Jonah on social media", True),
        (PHOTOS, "Post photos of the dog on social media", False),
        (PHOTOS, "Post photos of Mila in the album", False),
        (PHOTOS, "Print photos of Mila for the album", False),
        ("Don't send letters to our tenants by e-mail.", "Send the letter to Ruiz by e-mail", True),
        ("Don't send letters to our tenants by e-mail.", "Send the letter to the bank by e-mail", False),
        ("Don't send letters to the council by e-mail.", "Send the letter to Ruiz by e-mail", False),
    ],
)
def test_a_name_may_be_of_the_kind_that_an_order_names(order: str, action: str, expected: bool) -> None:
    relation = compare(parse(order), parse_action(action), now=0)
    # Such a relation warns among any number of orders.
    assert (relation.reading is Reading.NEAR and relation.whole) is expected
    assert not (expected and relation.reading is Reading.SAME)
