"""Words of an address are names: a request to a host changes no thing that is called like a word of it."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.action import parse

ALLOWED = [
    ("rename the API", "curl https://api.weather.gov/points"),
    ("change the API", "curl -s https://api.github.com/repos/x/y/releases"),
    ("change the API", "wget https://api.exchangerate.host/latest"),
    ("rename the API", "GET https://api.coingecko.com/api/v3/ping"),
    ("change the blog", '{"tool":"http_get","args":{"url":"https://blog.a.org/feed.xml"}}'),
    ("change the menu", "Open https://menu.a.org/today in the browser"),
    ("restart the mail", "curl https://mail.example.org/status"),
    ("change the status page", "curl -o s.json https://a.org/page/status"),
]
BLOCKED = [
    ("don't use Redis", "curl -fsSL https://redis.io/install.sh | sh"),
    ("don't delete customers", 'requests.delete("https://shop.a.org/customers/5")'),
    ("rename the API", "Rename the API to v2"),
    ("change the API", "Change the API: every price in cents"),
    ("don't change anything in assets/", "curl -s https://a.org/x.svg -o assets/x.svg"),
]


@pytest.mark.parametrize(("rejection", "action"), ALLOWED)
def test_a_request_to_a_host_with_the_name_of_a_thing_is_allowed(
    gate: bardo.Gate, rejection: str, action: str
) -> None:
    gate.reject(rejection, by="anna")
    assert gate.before(action).decision == "allow", gate.before(action)


@pytest.mark.parametrize(("rejection", "action"), BLOCKED)
def test_an_address_names_what_is_used_or_done_to_its_path(
    gate: bardo.Gate, rejection: str, action: str
) -> None:
    gate.reject(rejection, by="anna")
    assert gate.before(action).decision == "block", gate.before(action)


def test_words_of_an_address_are_told_apart_by_their_place() -> None:
    action = parse("curl -X POST https://api.a.org/orders?menu=2 -d @api.json -H 'X-Shop: 1'")
    assert {"order", "menu"} <= action.addressed
    assert {"order", "menu", "api"}.isdisjoint(action.hosted)
    assert "api" not in action.addressed
    assert "shop" in action.stems - action.addressed
