"""Secrets, holdings and results are taken out; lessons stay."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bardo.bequeath.redact import MARK, PATTERNS, is_private, redact, strip, texts

PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
SECRETS = {
    "private_key": "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
    "age_key": "AGE-SECRET-KEY-1" + "Q" * 58,
    "aws_key": "AKIAIOSFODNN7EXAMPLE",
    "github_token": "ghp_" + "a1" * 18,
    "gitlab_token": "glpat-" + "x" * 20,
    "slack_token": "xoxb-1234567890-abcdef",
    "slack_webhook": "https://hooks.slack.com/services/T000/B000/" + "x" * 24,
    "stripe_key": "sk_live_" + "a" * 24,
    "sk_key": "sk-ant-api03-" + "a" * 40,
    "google_key": "AIza" + "a" * 35,
    "hugging_face_token": "hf_" + "a" * 34,
    "npm_token": "npm_" + "a" * 36,
    "pypi_token": "pypi-" + "a" * 60,
    "telegram_token": "123456789:" + "a" * 35,
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdef",
    "bearer": "Authorization: Bearer abcdefghijklmnopqrst",
    "url_password": "postgres://user:hunter2@db.example",
    "password": "password = hunter2",
    "api_key": "api_key: 'zx81abcdefgh'",
    "hex_secret": "0x" + "ab" * 32,
    "wallet_key": "5" + "K" * 50,
    "email": "write to a.person@example.org",
    "holding": "the balance is $1,250.75",
    "seed_phrase": f"my words: {PHRASE}.",
}
LESSONS = (
    "Gas is cheap at night, below 20 gwei on 83 % of days",
    "token: USDC",
    "The token is listed 12 minutes before the pool",
    "The contract 0x5A0b54D5dc17e0AadC383d2db43B0a0D3E029c4c reverts",
    "Fixed in commit 9c406f1aa2be434a21fd210146288949b0000000",
    "Take a loss after 3 days without recovery",
    "A long sentence of plain words that only tells what somebody once saw on the market",
    "Пароль не нужен 橋 🌉",
)


def test_every_pattern_has_an_example_and_a_source():
    assert {pattern.name for pattern in PATTERNS} | {"seed_phrase"} == set(SECRETS)
    assert all(pattern.source for pattern in PATTERNS)


@pytest.mark.parametrize("name", SECRETS)
def test_each_kind_of_secret_is_taken_out_and_counted(name):
    counts = Counter()
    text = redact(f"Note that {SECRETS[name]} was used.", counts)
    assert f"{MARK}{name}]" in text
    assert counts == {name: 1}
    assert text.startswith("Note that ")


@pytest.mark.parametrize("lesson", LESSONS)
def test_lessons_stay_as_they_are(lesson):
    assert redact(lesson) == lesson


def test_twelve_words_of_the_list_without_the_checksum_are_no_seed_phrase():
    words = " ".join(["legal"] * 12)
    assert redact(words) == words


def test_fields_of_positions_and_results_are_dropped_with_all_they_hold():
    counts = Counter()
    payload = {
        "positionSize": 3,
        "unrealizedPnL": 2,
        "net_worth": 1,
        "wallet": {"a": [1]},
        "deep": [{"trade.balance": 1, "lag": 2}],
        "note": "password: hunter2",
    }
    assert strip(payload, counts) == {"deep": [{"lag": 2}], "note": f"password: {MARK}password]"}
    assert counts == {"private_field": 5, "password": 1}


def test_names_are_private_by_whole_words():
    assert all(map(is_private, ("size", "P&L", "realizedPNL", "position_size", "api-key", "gas.params")))
    assert not any(map(is_private, ("sizing", "lag", "turnkey", "gas_used", "price", "compositions")))


json_like = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@given(json_like)
def test_stripping_twice_changes_nothing_more(payload):
    once = strip(payload)
    assert strip(once) == once
    assert texts(texts(payload)) == texts(payload)


pieces = st.sampled_from(
    [*SECRETS.values(), *LESSONS, " ", "\n", ": ", "=", "password", "token", "a1" * 9, MARK]
)


@given(st.lists(pieces | st.text(max_size=8), max_size=6).map("".join))
@example("password: [redacted: password] token: a1a1a1a1a1a1a1")
@example("the balance is $1,250.75AKIAIOSFODNN7EXAMPLE")
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ",
        "a:",
        "//",
        "a@",
        "-----BEGIN PRIVATE KEY-----",
        "legal ",
        "xyz ",
        "5K",
        "ab",
        "password=",
        "://a:",
        "0",
    ],
)
def test_a_hostile_text_takes_no_more_than_a_moment(piece):
    text = (piece * 65_536)[:65_536]
    begun = time.perf_counter()
    redact(text)
    assert time.perf_counter() - begun < 5.0
