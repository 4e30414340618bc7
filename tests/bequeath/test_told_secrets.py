"""Secrets that prose tells in words, in codes of locks, and in answers to security questions go whole."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my mother's maiden name for the bank is Okonjo", "Okonjo"),
        ("security question answer: first pet = Biscuit the Second", "first pet = Biscuit the Second"),
        ("they'll ask for her first school, say Brackenfield Road", "Brackenfield Road"),
        ("phone banking verification: favourite teacher, answer Mr Dillon", "Mr Dillon"),
        ("the memorable word with Nationwide is thistledown", "thistledown"),
        ("The safe word is marmalade, only Ana and I know it", "marmalade"),
        ("duress word: cormorant", "cormorant"),
        ("recovery hint on the account, city of birth: Trondheim", "Trondheim"),
        ("wifi password? three brown kettles", "three brown kettles"),
        ("the vault password - blue gull over chimney", "blue gull over chimney"),
        ("bitwarden master stays: Porridge at Nine", "Porridge at Nine"),
        ("gun safe combo: R12 L44 R08", "R12 L44 R08"),
        ("Side door is 5519# from Monday", "5519#"),
        ("for the bike shed it's four-four-oh-nine", "four-four-oh-nine"),
        ("drawer in the office opens with 281", "281"),
        ("the lockbox code has been reset to 7-0-3-1", "7-0-3-1"),
        ("padlock on the compound: 9 left, 21 right, 4 left", "9 left, 21 right, 4 left"),
        ("storage unit 44, keypad: 83021 then hash", "83021 then hash"),
        ("pharmacy cabinet changed again, now 24-61-08", "24-61-08"),
        ("The alarm is 6620, you have 20 seconds", "6620"),
        ("Tresor im Keller: 48 12 90", "48 12 90"),
        ("the code for the alarm is one one two nine", "one one two nine"),
        ("CVV on the back is 902", "902"),
        ("last three digits on the back: 338", "338"),
        ("it is Winter rain 7, capital W, no spaces at the end", "Winter rain 7"),
        ("guest network is OrchardGuest, plum-jam-jar (all lowercase)", "plum-jam-jar"),
        ("remove hard-coded token kR8nWq2LmZ from client.py", "kR8nWq2LmZ"),
        ("label on the back of the modem says PX4-91KM-22", "PX4-91KM-22"),
        (
            "private key 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
            "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
        ),
        (
            "the deployer wallet signs with 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
            "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
        ),
        ("passord til nettet er blaameis77", "blaameis77"),
        ("jelszó: almafa-korte", "almafa-korte"),
        ("das WLAN-Passwort lautet Regenbogen!Fisch", "Regenbogen!Fisch"),
        ("Kennwort vom NAS? drei müde Dachse", "drei müde Dachse"),
        ("la clave del wifi es gatoazul22", "gatoazul22"),
        ("parking barrier: dial 0042 and wait", "0042"),
        ("tap in 6613 at the turnstile", "6613"),
        ("iPad unlocks with 090817", "090817"),
        ("her phone pin is her birthday, 1407", "1407"),
        ("hotel safe 3305 set by me, empty it on sunday", "3305"),
        ("Apartment 4B, door code 4471#, second floor", "4471#"),
        ("the back gate takes 7 3 3 9", "7 3 3 9"),
        ("new alarm sequence: star 4821", "star 4821"),
    ],
)
def test_codes_answers_and_spelled_passwords_never_cross(text, secret):
    told = Redactor(personal=True).text(text)
    assert secret not in told
    assert told.startswith(text[: text.index(secret)].rstrip("'\" "))
    assert Redactor(personal=True).text(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "Her maiden name is Castellanos and she sings in the choir",
        "my first pet was a hamster called Biscuit",
        "The street I grew up on was Gasworks Lane, lovely place",
        "Did you change the passphrase? I think so, ask Marek",
        "Forgot your password? Click the link below",
        "Who has the master key? Lena has it since Monday",
        "The password? Ask Marek for it",
        "cabinet is 600 mm wide and 1200 high",
        "The lift is 45 years old and carries 630 kg",
        "drawer 14 has the spare fuses, drawer 15 the screws",
        "Gate 22, boarding 14:30, flight SK 4412",
        "the safe is in room 204, behind the desk",
        "alarm set for 6:45, meeting at 8",
        "The vault was built in 1932",
        "Headings: sentence case, no spaces before the colon",
        "The column is user_id, all lowercase",
        "hardcoded timeout of 3000 replaced by a setting",
        "hardcoded utf8 and x86_64 in the build script",
        "The label on the box says FRAGILE-2",
        "tx 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318 was mined",
        "The test suite passed, 707 tests in 11 s",
        "Model key is gpt-4o-mini, the token budget is 4000",
        "press 3 for billing, then hold for an agent",
        "The key takeaway: measure first, cut later",
        "key question? is the market open on Friday",
        "She said: the secret? patience and butter",
        "cash box in the cabinet, key on hook 14",
    ],
)
def test_remarks_about_locks_names_and_spelling_stay_as_they_are(text):
    assert Redactor(personal=True).text(text) == text
