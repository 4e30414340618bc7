"""A rejection forbids its act, and not the substitute that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bardo
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.parse.rejections.substitutes import split
from bardo.ports import ManualClock

#: Wednesday, 6 March 2024, 11:00 UTC.
WEDNESDAY = 1_709_722_800_000_000


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("Stop rotating the herring certificates on Mondays, do it on Wednesdays.", ("on monday",)),
        ("Quit rebooting the gateway at night, do that in the morning.", ("at night",)),
        ("Never restart the proxy during the day - do it at night", ("at day",)),
        ("Don't upgrade marlin on Fridays but do it on Tuesdays.", ("on friday",)),
        ("No more rebooting the gateway on Mondays; schedule them for Tuesday", ("on monday",)),
        ("Never merge on Fridays, merge on Mondays", ("on friday",)),
        ("Stop deploying on Fridays - Thursdays are fine", ("on friday",)),
        ("Don't restart intake before 18:00, only after 18:00.", ("before 18:00",)),
        ("Don't restart intake, only after 18:00.", ("except after 18:00",)),
        ("Never deploy except on Wednesdays.", ("except on wednesday",)),
        ("Don't deploy on Fridays, Saturdays or Sundays", ("on friday", "on saturday", "on sunday")),
    ],
)
def test_a_substitute_adds_no_condition_to_a_rejection(text: str, conditions: tuple[str, ...]) -> None:
    assert propose(text).conditions == conditions


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("under no circumstances delete users, deactivate them", ("users",)),
        ("No more pushing images to the old registry, use the new one instead.", ("old registry",)),
        ("Stop sending the invoices to Marek. Send them to Ines instead.", ("invoices",)),
    ],
)
def test_a_substitute_adds_no_words_to_the_things_of_a_rejection(text: str, things: tuple[str, ...]) -> None:
    assert propose(text).things == things


@pytest.mark.parametrize(
    "text",
    [
        "don't copy the key and send it to Slack",
        "don't drop the slot, billing hangs off it",
        "never store the keys in git, or put them in the wiki",
        "deploy on Fridays, do it in the morning",
        "don't use moment instead of date-fns",
    ],
)
def test_a_reason_or_a_further_forbidden_act_is_no_substitute(text: str) -> None:
    assert split(text) == (text, "")


@pytest.mark.parametrize(
    ("said", "forbidden", "wanted"),
    [
        (
            "Stop rotating the herring certificates on Mondays, do it on Wednesdays.",
            "rotate the herring certificates on Monday",
            "rotate the herring certificates on Wednesday",
        ),
        (
            "No more rebooting the gateway on Fridays, do it on Tuesdays.",
            "reboot the gateway on Friday",
            "reboot the gateway on Tuesday",
        ),
        (
            "Don't restart the intake collector, only after 18:00.",
            "restart the intake collector at 15:00",
            "restart the intake collector at 19:00",
        ),
    ],
)
def test_a_gate_blocks_the_rejected_time_and_not_the_wanted_one(
    tmp_path: Path, said: str, forbidden: str, wanted: str
) -> None:
    clock = ManualClock(WEDNESDAY)
    with bardo.open(tmp_path / "g", clock=clock) as memory:
        memory.remember(said, role="user", speaker="Tobias", kind="turn")
        memory.sleep()
        with bardo.gate(tmp_path / "g", clock=clock) as gate:
            assert len(gate.state()) + len(gate.rules()) == 1
            assert gate.before(forbidden).decision == "block"
            assert gate.before(wanted).decision != "block"


@pytest.mark.parametrize(
    ("text", "chosen", "other"),
    [
        ("Please use pnpm, not npm", "use pnpm", "npm"),
        ("use tabs rather than spaces", "use tabs", "spaces"),
        ("I prefer httpx over requests", "use httpx", "requests"),
        ("we use Postgres instead of MySQL", "use Postgres", "MySQL"),
    ],
)
def test_a_choice_rejects_the_other_thing_alone(gate: bardo.Gate, text: str, chosen: str, other: str) -> None:
    assert split(text)[1] == chosen
    assert propose(text).things == (other,)
    gate.reject(text)
    assert gate.before(chosen).decision == "allow"
    assert gate.before(f"use {other}").decision == "block"


def test_a_chosen_place_is_no_forbidden_one() -> None:
    assert propose("deploy to staging, not production").conditions == ("in production",)
    for text in (
        "Don't restart intake over the weekend",
        "Skipping the hooks is not acceptable.",
        "Use flags, never deploy on Fridays",
        "Deploy over the weekend",
    ):
        assert split(text)[1] == ""


def test_a_never_after_a_choice_rejects_the_other_one() -> None:
    text = "For nickel we use the three-month contract, never the cash one."
    found = propose(text)
    assert (found.things, found.conditions) == (("cash contract",), ("for nickel",))


@example(["use", " ", ",", "never", "the", "cash", "one"], " ")
@given(
    st.lists(
        st.sampled_from([
            "use", "never", "not", "the", "one", "cash", "instead", "of", "don't", "only", "until", "for", "nobody",
            "anything", "above", "5", "%", "npm", "--force", ",", ";", ":", ".", "-", "(", ")", "`", '"', " ", "\n",
            "🙂", "é",
        ]),
        max_size=14,
    ),
    st.sampled_from(["", " "]),
)  # fmt: skip
def test_any_words_can_be_a_rejection(words: list[str], between: str) -> None:
    """Broken text, too, is proposed for without an error: "use  , never the cash ones" once raised one."""
    text = between.join(words)
    assert isinstance(propose(text), Forbids)
