"""Orders in the form of a statement, lists under a heading, and reports in the same form."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.hearing import read, sure
from bardo.conduct.hearing.orders.headed_lists import headed_orders
from bardo.conduct.hearing.orders.stated_orders import stated_orders
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.hearing.verb_forms import base_of


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("Since the audit we don't run migrations against prod from laptops any more.",
         "don't run migrations against prod from laptops"),
        ("we don't deliver on sundays, drivers have families", "no deliveries on sundays"),
        ("We don't lend money to friends", "don't lend money to friends"),
        ("We've stopped selling fireworks.", "don't selling fireworks"),
        ("seat upgrades are a waste, we don't pay for them", "don't pay for seat upgrades"),
        ("customer data doesn't go to outside APIs", "don't send customer data to outside APIs"),
        ("Patient files don't leave the practice.", "don't send Patient files outside the practice"),
        ("photos of pupils stay on the school server", "don't share photos of pupils outside the school server"),
        ("generated/ is not edited by hand", "don't edit generated/ by hand"),
        ("Salaries are not discussed on Slack.", "don't discuss Salaries on Slack"),
        ("the freezer sits at 4 degrees, that setting isn't to be fiddled with", "don't change the freezer"),
        ("our logo isn't to be recoloured", "don't recolour our logo"),
        ("stop loss on the DAX position stays at 17850", "don't change stop loss on the DAX position"),
        ("This is a cash account and it stays a cash account.", "don't convert the cash account"),
        ("the alarm stays on at night", "don't switch off the alarm at night"),
        ("Prices on the webshop are frozen until 6 January.", "don't change Prices on the webshop until 6 January"),
        ("The seating plan is final.", "don't change The seating plan"),
        ("School trips are cancelled until I say otherwise.", "no School trips"),
        ("Hiring's on hold until the board meets.", "no Hiring until the board meets"),
        ("force pushing is off the table in this org", "no force pushing"),
        ("main is PR only", "don't push to main"),
        ("We've been a peanut-free house since May.", "no peanut"),
        ("heating never above 19 please", "don't set heating above 19"),
        ("Keep Dr Mbeki's Wednesday afternoons clear.", "don't book Dr Mbeki's Wednesday afternoons"),
        ("keep friday mornings free of meetings", "don't book meetings on friday mornings"),
        ("hold off on posting to the shop's account", "don't posting to the shop's account"),
        ("Dr Lind retires soon, so she takes no new patients any more.", "don't book new patients with Dr Lind"),
        ("Refunds above £50 are Priya's call and only hers.", "no Refunds above £50 without Priya's approval"),
        ("new dependencies: Tomasz decides, always", "no new dependencies without Tomasz's approval"),
        ("nobody but Rosa changes the ledger", "don't change the ledger without Rosa's approval"),
        ("pull requests are merged by Lena and nobody else", "don't merge pull requests without Lena's approval"),
        ("the staging db is off limits to scripts", "no staging db to scripts"),
        ("the thermostat is not to go above 21", "don't set the thermostat above 21"),
        ("Our clinic is closed to new patients.", "no new patients"),
        ("customer-level data in Google Sheets: no", "no customer-level data in Google Sheets"),
        ("Anything with a coach, no, still waiting for the paper.", "nothing with a coach"),
        ("house rule, you're new: the robot vacuum doesn't run before nine", "don't run the robot vacuum before nine"),
    ],
)  # fmt: skip
def test_an_order_as_a_statement_is_read_in_its_plain_form(text: str, forbids: str) -> None:
    (order,) = stated_orders(text)
    assert order.plain == forbids


@pytest.mark.parametrize(
    "text",
    [
        "We don't have a lift.",
        "We don't eat late.",
        "We don't get much mail",
        "He doesn't work on Fridays.",
        "she takes no sugar",
        "No news yet.",
        "The lake is frozen until March.",
        "My phone is locked and I forgot the code.",
        "The concert is cancelled.",
        "The bridge is closed until May.",
        "grandpa stays at the Ritz",
        "He stays at 12 Mill Lane",
        "Interest rates stay at 4 percent, says the ECB.",
        "The price was frozen last year.",
        "The lamps aren't shipped yet.",
        "The parcel isn't sent from Berlin.",
        "Our flat isn't heated.",
        "their school is a nut-free school",
        "It's Anna's call at three, not mine.",
        "only Tom likes olives",
        "The train doesn't go to Leeds on Sundays.",
        "The bus doesn't run before nine",
        "Lunch is at noon for everybody, keep that free.",
        "Keep the path clear.",
        "Not now, not later.",
        "Honestly, no.",
        "Are discount codes stopped?",
        'The sign says "prices are frozen until 6 January".',
        "The milk is off.",
        "I never eat breakfast before eight",
        "yesterday we sold nothing between two and four",
        "The staging certs weren't renewed automatically.",
    ],
)
def test_a_report_is_no_order(text: str) -> None:
    assert stated_orders(text) == []


def test_each_item_of_a_list_is_an_order_of_its_own() -> None:
    listed = stated_orders(
        "so for the whole trip: no red-eyes, no changes under 90 min, no bunk beds anywhere"
    )
    assert [each.plain for each in listed] == ["no red-eyes", "no changes under 90 min", "no bunk beds"]
    named = stated_orders("Two names I don't want to see in the portfolio: Tesla, and GameStop.")
    assert [each.plain for each in named] == ["no Tesla", "no GameStop"]


def test_an_answer_that_a_thing_is_out_forbids_it_and_a_report_does_not() -> None:
    assert [each.plain for each in stated_orders("yes but glyphosate's out.", is_answer=True)] == [
        "no glyphosate"
    ]
    assert stated_orders("Power's out.") == []


def test_the_lines_under_a_heading_are_orders() -> None:
    said = (
        "ground rules for this repo\n- main is PR only\n- new dependencies: Tomasz decides, always\n"
        "- generated/ is not edited by hand, it gets overwritten\n- pytest, no unittest\nquestions?"
    )
    heard = [one.summary for one in sure(read(utterances(said), None, None)) if one is not None]
    assert heard == [
        "don't push to main", "no new dependencies without Tomasz's approval", "don't edit generated/ by hand",
        "no unittest",
    ]  # fmt: skip


def test_a_list_without_a_heading_of_orders_is_none() -> None:
    assert headed_orders("things I bought\n- milk\n- bread") is None
    assert headed_orders("what are the house rules?\n- milk\n- bread") is None


def test_only_the_clause_that_orders_is_kept() -> None:
    said = (
        "Welcome to the returns desk :) Refunds above £50 are Priya's call. Below that just do it, be kind."
    )
    (heard,) = [one for one in sure(read(utterances(said), None, None)) if one is not None]
    assert (heard.kind, heard.summary) == ("rejection", "no Refunds above £50 without Priya's approval")
    assert heard.detail == "Refunds above £50 are Priya's call"


def test_an_announcement_before_a_ban_is_left_out() -> None:
    (said,) = utterances("Teachers asked me to tell you: no messages to parents on weekends.")
    assert said.text == "no messages to parents on weekends."


def test_a_sentence_that_says_who_does_the_forbidden_thing_is_no_further_order() -> None:
    assert stated_orders("Only the pipeline does that.", "Never run terraform apply from a laptop.") == []
    assert stated_orders("Only Rosa opens it.", "The cash box is in the office.")


@pytest.mark.parametrize(
    "text", ["Understood, local models only for that.", "Max 19 from now on.", "Standard seats only."]
)
def test_an_agent_that_takes_note_gives_no_rule(text: str) -> None:
    heard = sure(read(utterances(text, "heating never above 19 please", by_agent=True), None, None))
    assert [one for one in heard if one is not None and one.kind in ("rule", "rejection")] == []


@pytest.mark.parametrize(
    ("form", "base"),
    [("edited", "edit"), ("merged", "merge"), ("sent", "send"), ("copied", "copy"), ("planned", "plan"),
     ("added", "add"),
     ("changes", "change"), ("pushes", "push"), ("given", "give"), ("red", ""), ("grass", "")],
)  # fmt: skip
def test_the_base_of_a_form(form: str, base: str) -> None:
    assert base_of(form) == base


def test_a_stated_order_blocks_and_leaves_other_acts(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember(
            "dishes are done. we don't deliver on sundays, drivers have families", role="user", kind="turn"
        )
        memory.remember("stop loss on the DAX position stays at 17850", role="user", kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.before("Plan delivery 5590 for Sunday 18 January").decision == "block"
        assert gate.before("Plan delivery 5591 for Monday 19 January").decision == "allow"
        call = '{"tool": "modify_order", "position": "DAX", "type": "stop_loss", "new_level": 17600}'
        assert gate.before(call).decision == "block"
        assert gate.before('{"tool": "list_open_orders"}').decision == "allow"


LEDGER = "we don't touch the ledger tables by hand"
OTHERS = ("tests live beside the code", "commits are small")


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    "order", [LEDGER, "We don't touch the ledger tables by hand.", "We never water the cacti."]
)
def test_what_a_team_does_not_do_is_an_order_at_any_place_of_a_list(order: str, place: int) -> None:
    items = [*OTHERS[:place], order, *OTHERS[place:]]
    said = "Ground rules for this repo:\n" + "\n".join(f"- {each}" for each in items)
    heard = {one.summary: one.kind for one in sure(read(utterances(said), None, None)) if one is not None}
    assert heard == {order: "rejection"} | dict.fromkeys(OTHERS, "rule")


def test_a_list_of_one_marked_rule_is_a_list() -> None:
    (heard,) = sure(read(utterances(f"House rules:\n- {LEDGER}"), None, None))
    assert heard is not None
    assert (heard.kind, heard.summary) == ("rejection", LEDGER)


def test_the_rules_of_a_list_neither_fade_nor_retire(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "agent", clock=clock) as memory:
        memory.remember(
            f"Ground rules for this repo:\n- {LEDGER}\n- commits are small",
            role="user",
            kind="turn",
            speaker="Ira",
        )
        memory.sleep()
        clock.advance(120 * 86_400)
        memory.remember("Good morning.", role="user", kind="turn", speaker="Ira")
        memory.sleep()
    with bardo.gate(tmp_path / "agent", clock=clock, words_only=True) as gate:
        assert [(rule.text, rule.score) for rule in gate.rules()] == [("commits are small", 9.0)]
        assert gate.before("Change the ledger tables by hand").decision != "allow"
        assert gate.before("Touch the ledger tables by hand").decision == "block"
        assert gate.before("Read the ledger tables").decision == "allow"


@pytest.mark.parametrize(
    ("text", "before", "heard"),
    [
        ("House rule: new patients get forty minutes. No squeezing them into twenty.", "I'll keep the date in view.",
         [("rule", "House rule: new patients get forty minutes."),
          ("rejection", "don't squeezing new patients into twenty")]),
        ("Kitchen rule: knives are washed by hand. No putting them in the dishwasher.", "Shall I plan the week?",
         [("rule", "Kitchen rule: knives are washed by hand."),
          ("rejection", "don't putting knives in the dishwasher")]),
    ],
)  # fmt: skip
def test_a_labelled_rule_and_the_ban_after_it_are_heard_after_an_offer(
    text: str, before: str, heard: list[tuple[str, str]]
) -> None:
    found = sure(read(utterances(text, before), None, None))
    assert [(one.kind, one.summary) for one in found if one is not None] == heard


@pytest.mark.parametrize(
    "text",
    [
        "No getting around it.",
        "No telling the difference.",
        "Rule of thumb: a metre for each guest",
        "No parking, sadly.",
    ],
)
def test_idioms_of_rules_and_bans_order_nothing(text: str) -> None:
    assert [one for one in utterances(text) if one.order is not None or one.is_ruled] == []


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("Prices stay as they are until New Year.", "don't change Prices until 1 January"),
        ("The rota stays the same until Christmas.", "don't change The rota until 25 December"),
        ("Our menu remains unchanged for now.", "don't change Our menu"),
    ],
)
def test_a_thing_that_stays_as_it_is_is_not_to_be_changed(text: str, forbids: str) -> None:
    assert [each.plain for each in stated_orders(text)] == [forbids]


def test_prices_that_stay_are_not_changed_until_the_day(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_787_562_000_000_000)  # 24 August 2026
    with bardo.open(tmp_path / "agent", clock=clock) as memory:
        memory.remember("Prices stay as they are until New Year.", role="user", kind="turn", speaker="Ada")
        memory.sleep()
    with bardo.gate(tmp_path / "agent", clock=clock, words_only=True) as gate:
        assert gate.before("Change the prices on the website").decision == "block"
        assert gate.before("Print the price list").decision == "allow"
        clock.advance(140 * 86_400)
        assert gate.before("Change the prices on the website").decision == "allow"


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("Keep the heating at 19 at most", "don't set the heating above 19"),
        ("Please keep the stock at 40 or more", "don't set the stock below 40"),
        ("So book nothing for me on Thursdays", "don't book anything for me on Thursdays"),
        ("Stops are never moved further away", "don't move Stops further away"),
    ],
)
def test_a_bound_a_nothing_and_a_never_are_orders(text: str, forbids: str) -> None:
    assert [each.plain for each in stated_orders(text)] == [forbids]


@pytest.mark.parametrize("text", ["Use nothing but pnpm", "Everything else still goes through Declan"])
def test_an_exception_from_nothing_is_no_order(text: str) -> None:
    assert stated_orders(text) == []
