"""An action with the verb, the object and the places of a rejection is what it forbids, also without the table."""

from __future__ import annotations

import pytest

from bardo.conduct.match import acts as act_match
from bardo.conduct.match import recognition, stated
from bardo.conduct.match.matching import NOTHING, Reading
from bardo.conduct.parse import action as actions
from bardo.conduct.parse.rejections import acts, substitutes
from bardo.conduct.parse.rejections.rejection import parse

_NOW = 1_736_942_400_000_000


def _reading(text: str, action: str) -> Reading:
    return act_match.compare(parse(text), actions.parse(action), now=_NOW).reading


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Don't override a pre-trade reject. Ring Odile.", "overrid"),
        ("Limits are never moved further up. Lower them as you like.", "move"),
        ("please stop rounding down on refunds", "round"),
        ("no changing of delivery dates. Ever.", "chang"),
        ("We do not clamp cars", "clamp"),
        ("we are not texting people about arrears", "text"),
        ("scraping the partner portals, no", "scrape"),
        ("nothing gets pushed to the kiosk", "push"),
        ("Booking.com guests pay at the desk", ""),
        ("never curl | sh", ""),
    ],
)
def test_the_verb_of_a_rejection_is_read_in_any_form(text: str, verb: str) -> None:
    found = acts.of_text(text)
    assert (found.verb if found is not None else "") == verb


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Don't override a pre-trade reject. Ring Odile.", "Overriding the pre-trade reject on order 55120."),
        ("Limits are never moved further away", "Moved the limit of the long position further away, to 29."),
        ("Siemens loads are not passed on to agents", "Passing the Siemens load on to Kovo, our agent."),
        (
            "no bidding on competitors' names in Google Ads",
            "Bidding on the name of our competitor in Google Ads.",
        ),
        ("Nothing is deleted in the visitor register", "DELETE FROM visitor_register WHERE id = 4;"),
        ("Don't stop the kill-switch heartbeat", "systemctl stop killswitch-heartbeat"),
        (
            "We don't trade tobacco",
            '{"fn":"place_order","name":"Great American Tobacco","side":"BUY","qty":9}',
        ),
        ("Don't shorten links", 'bitly.shorten(link="https://a.example/spring")'),
        ("Feature flags live 90 days. Don't prolong feature flags", "Prolonging the feature flag new-map."),
    ],
)
def test_the_act_in_its_own_words_is_what_is_forbidden(text: str, action: str) -> None:
    assert _reading(text, action) is Reading.SAME


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Don't override a pre-trade reject", "Asking Odile whether to override the pre-trade reject."),
        ("Don't override a severe alert", "Overriding the mild alert with a reason."),
        ("Limits are never moved further away", "Moving the limit closer, to 32."),
        ("don't polish the bronzes", "Polish the parquet in the bronze hall on Monday."),
        (
            "please stop accepting invitations for us",
            "Asked Tom whether to accept the invitation for the 5th.",
        ),
        (
            "we are not texting people about arrears",
            '{"tool":"email.send","to":"a@b.example","subject":"Arrears"}',
        ),
        ("we don't sell guest data", "Not selling the guest data, only counting rooms."),
        ("no trimming, lads", "Trim the hedge on Friday, lads."),
        ("Nothing is deleted in the visitor register", "SELECT * FROM visitor_register;"),
        ("Don't stop the kill-switch heartbeat", "systemctl status killswitch-heartbeat"),
        ("never silence an alert for more than four hours", 'silence_alert(name="errors", duration="45m")'),
    ],
)
def test_another_act_with_its_words_is_not(text: str, action: str) -> None:
    assert _reading(text, action) is Reading.UNKNOWN


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Flags live 90 days. Don't prolong them", "Prolonging the flag new-map by 60 days."),
        (
            "don't share my calendar with anyone outside of the family",
            'calendar.share(person="coach@a.example")',
        ),
        ("never silence an alert for more than four hours", 'silence_alert(name="errors")'),
    ],
)
def test_an_open_part_of_the_act_is_told(text: str, action: str) -> None:
    assert _reading(text, action) in (Reading.TOUCHES, Reading.SAME)


@pytest.mark.parametrize(
    ("text", "action", "reading"),
    [
        ("public dashboards: no", '{"tool":"boards.create","kind":"dashboard","visibility":"public"}', Reading.SAME),
        ("Fresh fish in trailer 4471. No.", "tms dispatch --trailer 4471 --cargo 'fresh fish, 14 pal'", Reading.SAME),
        ("Fresh fish in trailer 4471. No.", "tms dispatch --trailer 4502 --cargo 'fresh fish'", Reading.UNKNOWN),
        ("loot boxes: absolutely not", '{"tool":"item.create","id":"wyvern","loot_box":false}', Reading.UNKNOWN),
        ("no sleeps in tests", 'edit_file(path="tests/a.py", old="time.sleep(2)", new="done.wait()")', Reading.UNKNOWN),
        ("no sleeps in tests", 'edit_file(path="tests/a.py", old="done.wait()", new="time.sleep(2)")', Reading.SAME),
        ("no flyers on cars", "I'll take the flyers to the printer by car.", Reading.UNKNOWN),
        ("no flyers on cars", "Put the flyers on the cars of the lot.", Reading.TOUCHES),
    ],
)  # fmt: skip
def test_a_thing_that_is_refused_at_a_place_needs_both(text: str, action: str, reading: Reading) -> None:
    assert _reading(text, action) is reading


@pytest.mark.parametrize(
    ("action", "is_open"),
    [
        ('door.unlock(door="front", reason="a parcel")', True),
        ('door.unlock(door="front", person="Dorota")', False),
    ],
)
def test_an_open_act_with_words_of_what_the_text_allows_is_not_told(action: str, is_open: bool) -> None:
    rejection = parse("The front door is not unlocked for the neighbours except Dorota.")
    touch = stated.as_stated(NOTHING, rejection, actions.parse(action), now=_NOW)
    assert touch.partly is is_open


@pytest.mark.parametrize(
    ("action", "is_denied"),
    [
        ("Putting the balances into Redis, with no table behind it.", False),
        ("Putting the balances into Redis without a second copy.", False),
        ("Keeping the balances in Postgres, without Redis.", True),
        ("We use no Redis for the balances.", True),
        ("Not putting the balances into Redis.", True),
        ("Redis is no longer used for the balances.", True),
    ],
)
def test_a_denial_of_something_else_denies_nothing(action: str, is_denied: bool) -> None:
    assert recognition.is_negated(parse("no Redis").forbids, actions.parse(action)) is is_denied


@pytest.mark.parametrize(
    ("text", "substitute"),
    [
        ("No TensorFlow in new code. PyTorch or JAX.", "PyTorch or JAX."),
        ("stop keeping the plan in Excel, TMS only", "TMS only"),
        ("We don't move to Zendesk, the inbox stays in Trengo", "the inbox stays in Trengo"),
        ("no lunches, pens or mugs from companies", ""),
        ("don't call on Sundays or holidays", ""),
    ],
)
def test_a_choice_without_a_verb_is_a_substitute(text: str, substitute: str) -> None:
    assert substitutes.split(text)[1] == substitute
