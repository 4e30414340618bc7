"""Standing orders of a person block the act, do not fade, cross to heirs, and end by a person alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.standing import is_standing
from bardo.errors import InvalidInputError

DAY = 86_400


def say(
    folder: Path, *said: tuple[str, str], clock: bardo.ManualClock, speaker: str | None = "Greta"
) -> None:
    with bardo.open(folder, clock=clock) as memory:
        for role, text in said:
            memory.remember(text, role=role, kind="turn", speaker=speaker if role == "user" else None)
            clock.advance(60)
        memory.sleep()


def clock_of() -> bardo.ManualClock:
    return bardo.ManualClock(1_770_000_000_000_000)


def test_a_persons_never_blocks_half_a_year_later_and_opens_each_session(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path, ("user", "Never run combctl purge on production."), clock=clock)
    for _ in range(3):
        with bardo.open(tmp_path, clock=clock) as memory:
            assert "combctl purge" in str(memory.boot())
        with bardo.gate(tmp_path, clock=clock) as gate:
            assert gate.before("Run combctl purge on production").decision == "block"
            assert gate.before("Run combctl status on staging").decision != "block"
            assert [rule.score_at(gate.now) for rule in gate.rules()] == [9.0]
        clock.advance(60 * DAY)


@pytest.mark.parametrize(
    ("text", "forbidden", "allowed"),
    [
        (
            "No market orders in Enel, limit orders only.",
            "Send a market order for 5 lots of Enel",
            "Sell SAP",
        ),
        ("No refunds in cash, vouchers only.", "Refund 20 euros in cash", "Print the invoice"),
    ],
)
def test_a_prohibition_that_is_heard_as_a_rule_does_not_fade(
    tmp_path: Path, minilm: object, text: str, forbidden: str, allowed: str
) -> None:
    clock = clock_of()
    say(tmp_path / "ann", ("user", text), clock=clock)
    clock.advance(90 * DAY)
    with bardo.open(tmp_path / "ann", clock=clock) as memory:
        memory.bequeath(tmp_path / "ann.testament")
    bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", clock=clock).close()
    clock.advance(90 * DAY)
    with bardo.gate(tmp_path / "ben", clock=clock) as gate:
        assert [rule.score_at(gate.now) for rule in gate.rules()] == [9.0]
        assert gate.before(forbidden).decision != "allow"
        assert gate.before(allowed).decision == "allow"


def test_only_a_named_person_ends_a_standing_order(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path, ("user", "Never run combctl purge on production."), clock=clock)
    with bardo.gate(tmp_path, clock=clock) as gate:
        (rule,) = gate.rules()
        with pytest.raises(InvalidInputError):
            gate.retire(rule.id)
        gate.note("decision", "Never run combctl purge on production")
        assert [rule.retired_by for rule in gate.rules()] == [""], "the agent's word ends no order"
        gate.retire(rule.id, by="Greta")
        assert gate.before("Run combctl purge on production").decision != "block"


def test_the_agents_own_word_does_not_stand_for_the_order(tmp_path: Path) -> None:
    clock = clock_of()
    bardo.open(tmp_path, clock=clock).close()
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.note("decision", "Never run combctl purge on production.")
        gate.rule("Never post invoices in the team channel.")
    say(
        tmp_path,
        ("user", "Never run combctl purge on production."),
        ("user", "Never post invoices in the team channel."),
        clock=clock,
    )
    clock.advance(90 * DAY)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before("Run combctl purge on production").decision == "block"
        assert gate.before("Post invoices in the team channel").decision == "block"


def test_an_order_crosses_to_an_heir_and_blocks_there(tmp_path: Path) -> None:
    clock = clock_of()
    say(
        tmp_path / "parent",
        ("user", "Never run combctl purge on production."),
        ("user", "Always ask me before you buy anything."),
        clock=clock,
    )
    clock.advance(120 * DAY)
    with bardo.open(tmp_path / "parent", clock=clock) as memory:
        memory.bequeath(tmp_path / "it.testament", cause="end of contract")
    bardo.inherit(tmp_path / "it.testament", tmp_path / "heir", clock=clock).close()
    clock.advance(60 * DAY)
    with bardo.gate(tmp_path / "heir", clock=clock) as gate:
        assert {rule.text for rule in gate.rules() if rule.in_force(gate.now)} == {
            "Never run combctl purge on production.", "Always ask me before you buy anything.",
        }  # fmt: skip
        assert gate.before("Run combctl purge on production").decision == "block"


def test_a_rule_of_the_agent_still_fades(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path, ("agent", "Rule for me: never run the migration before the backup."), clock=clock)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert all(rule.score < 9 for rule in gate.rules())


@pytest.mark.parametrize(
    "text",
    [
        "Never run combctl purge on production.",
        "Always ask me before you buy anything.",
        "You must not share customer data with anyone.",
        "Under no circumstances may patient names end up in a log.",
        "Backups have to be encrypted, without exception.",
        "Every release must be signed.",
        "Never send anything to clients after six, ok?",
        "On no account may the firmware go out on a Friday.",
        "Please don't ever mail the accountant directly.",
    ],
)
def test_words_for_all_time_make_a_standing_order(text: str) -> None:
    assert is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I always forget the password.",
        "Use spaces for indentation.",
        "Tests run before each commit.",
        "Did we always do that?",
        "They must have moved.",
        "It was always UTC.",
        "He must be tired.",
    ],
)
def test_reports_and_plain_rules_are_no_standing_orders(text: str) -> None:
    assert not is_standing(text)
