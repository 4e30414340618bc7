"""Secrets told as an event or a recipe, spelled passwords, and codes that a service sent go; look-alikes stay."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.consolidate.texts.secrets import is_secret
from helpers.redaction import assert_secret_goes


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the bank wanted to know my first pet. told them Sir Biscuit, they let me in", "Sir Biscuit"),
        (
            "she rang the insurer, they asked what street she grew up on. she told them Tannery Row",
            "Tannery Row",
        ),
        ("said Mr Fenwick when the lady asked who my favourite teacher was", "Mr Fenwick"),
        ("my duress word used to be saffron, keep using it until Friday", "saffron"),
        ("when the guard calls, answer with the code word meadowlark or they send the police", "meadowlark"),
        ("no QR, so the otp secret is JFXGIZLQMVXGIZLO", "JFXGIZLQMVXGIZLO"),
        ("passwrod for the label printer is still stickytape, nobody changed it", "stickytape"),
        ("paswword for the tablet was dinosaur last time I looked", "dinosaur"),
        ("pw for the shared mailbox hasn't changed since May, still teapotlid", "teapotlid"),
        ("passwort vom Drucker ist immer noch papierstau", "papierstau"),
        (
            "the password is the name of our dog, Rollo, capital R, with a 3 at the end",
            "the name of our dog, Rollo, capital R, with a 3 at the end",
        ),
        (
            "the code is the year the shop opened, 1974, backwards",
            "the year the shop opened, 1974, backwards",
        ),
        ("the garage code isn't 1122 any more, it is the year Oma was born, 1938", "1122"),
        ("set up the authenticator by hand with KRSXG5CTMVRXEZLU, no QR", "KRSXG5CTMVRXEZLU"),
        ("G-118402 just came in by sms, quick before it expires", "G-118402"),
        ("Your Marlow Credit Union verification number is 40718823. Nobody will ask for it.", "40718823"),
        ("Votre code de vérification est 518 204", "518 204"),
        ("agent: it says check your phone. user: 518 204", "518 204"),
        ("662 090 popped up on my phone as the one-time code", "662 090"),
        (
            "grandad's safe: right 18, left twice past to 44, right 7",
            "right 18, left twice past to 44, right 7",
        ),
        (
            "the tablet unlocks like this, all lower case, river dash two dash stone",
            "river dash two dash stone",
        ),
        ('gave them the duress-safe word "turnip" and they stood down', "turnip"),
        ("he gave the all-clear word lighthouse and the van drove off", "lighthouse"),
        ('if under threat say "is Malcolm in today", that is the duress phrase', "is Malcolm in today"),
    ],
)
def test_a_secret_told_by_an_event_or_a_recipe_goes(text, secret):
    assert_secret_goes(text, secret)
    assert is_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "my first pet was a cat and my first car a red Clio",
        "the name of the branch is the name of the lake, all lower case",
        "the primary key is the name of the table, lower case",
        "order 771204 just arrived by courier",
        "chapter one dot two dot three explains the dial",
        "the docs are at docs dot example dot com, log in there",
        "turn left after 2 km, then right after 3 km, the gate is green",
        "the password is still required on the second screen",
        "the release is not 4471, it is 4480",
        "the constant MAXIMUMRETRYCOUNT is read by the authenticator",
    ],
)
def test_a_look_alike_of_such_a_secret_stays(text):
    assert Redactor(personal=False).text(text) == text
    assert not is_secret(text)
