"""Passwords are found by the shape of a token, or by the words beside it, on either side and in the next sentence."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.consolidate.texts.secrets import is_secret


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("try Tidal!Wren31 instead", "Tidal!Wren31"),
        ("I wrote kX9#vR2!pL on the sticky note", "kX9#vR2!pL"),
        ("keep this to yourself, Tr0mbone#Lake", "Tr0mbone#Lake"),
        ("told IT to set it to Welcome-2-Kiel", "Welcome-2-Kiel"),
        ("fjord-Basil-3 is the new root password", "fjord-Basil-3"),
        ("nutmeg44 - thats the wifi", "nutmeg44"),
        ("Obsidian77! <- db password, pls delete this msg", "Obsidian77"),
        ("You asked for the password. MelonCart19", "MelonCart19"),
        ("I'll give you the admin password now. Ready? tulipfield9", "tulipfield9"),
        ("ok so teh passwrod for the nas is trolley-Nine7", "trolley-Nine7"),
        ("I log in as jkranz with Ochre.Canyon5", "Ochre.Canyon5"),
        ("The wifi here is guest / lemonade77", "lemonade77"),
        ("the heating app is sam.w@example.org / boilerplate8", "boilerplate8"),
        ("for the portal use desk as user and chalkdust as password", "chalkdust"),
        ("the password is spelled m-a-n-g-o-7-7", "m-a-n-g-o-7-7"),
        ("the password is the word marzipan", "marzipan"),
        ("recovery key is EsTc 5sdP 9kLm 2wXz 7qRt", "EsTc 5sdP 9kLm 2wXz 7qRt"),
        ("Mother's maiden name: Okonedo", "Okonedo"),
        ("duress word nightjar", "nightjar"),
        ("Press 2580 and hash to disarm the alarm", "2580"),
        ("Guest in 312 set her room safe to 7290", "7290"),
        ("sms says 739201, type that", "739201"),
        ("the old man's safe is his birthday backwards, 540618", "540618"),
        ("Der Schlüsseltresor hat die Kombination 2085", "2085"),
        ("log in met jan en Tulpenveld8", "Tulpenveld8"),
        ("htpasswd -b .htpasswd julia Bramble3", "Bramble3"),
        ("machine api.example.com login ci password moonraker", "moonraker"),
        ("rsync --password-file=<(echo dunlin9) rsync://host/mod .", "dunlin9"),
        ("chore: rotate key, old one was pk_7Hq2Lw9ZtB", "pk_7Hq2Lw9ZtB"),
        ("card 4539 1488 0343 6467 exp 09/27", "4539 1488 0343 6467"),
    ],
)
def test_passwords_told_by_shape_or_beside_a_mention_never_cross(text, secret):
    told = Redactor(personal=True).text(text)
    assert secret not in told
    assert Redactor(personal=True).text(told) == told
    assert is_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "Reverted 3b18e51 in lodash@4.17.21, see issue#2041 and Parser.java#L120",
        "HEAD~3 and C++17 differ, foo.Outer$Inner2 does not",
        "Message from root@web-01 and User@DESKTOP-1A2B3C",
        "The phantom fills are ticket TKT#824158-granite",
        "Ticket SEC-204: password rotation for svc_report",
        "Users log in with OAuth2 and SAML2",
        "Log in to host web01 and restart nginx",
        "the vpn client AnyConnect-4.10 crashes at login",
        "Passwords are checked by zxcvbn-4.4.2",
        "The new password is longer than 12 characters",
        "The password for the portal is different",
        "The token endpoint is /oauth2/v2.0/token",
        "The code is in branch fix/login-v2",
        "unzip -P is insecure, ask for the prompt instead",
        "net user lists the accounts",
        "The security question feature ships in spring",
        "The keypad has 12 keys",
    ],
)
def test_names_versions_and_remarks_beside_passwords_stay_as_they_are(text):
    assert Redactor(personal=True).text(text) == text
    assert not is_secret(text)
