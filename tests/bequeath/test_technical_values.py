"""Values of technical lines cross whole, and secrets of the same forms do not."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.privacy import secrets

PODS = "NAME     READY   UP-TO-DATE   AVAILABLE   AGE\n"


@pytest.mark.parametrize(
    "text",
    [
        "Joren uses UUIDv7 for payment ids",
        "The team uses UUIDv4 for keys",
        "Ira uses Argon2id for passwords",
        "Malu switched to BLAKE3 for content ids",
        "Tokens are signed with RS256",
        f"{PODS}ledger   3/3     3            3           211d",
        f"deployment.apps/ledger scaled\n{PODS}ledger   5/5     5            5           245d",
        "db   2/2     2            2           12d",
        "web   0/3     3            0           5m",
        "NAME    DESIRED   CURRENT   READY\nfluentd   4         4         4",
        "On my laptop the ledger runs on 9999, ignore that in the compose file.",
        "The mock server listens on 8123.",
        "Yes. I tried a load test with 12 replicas of the ledger in staging, it's scaled back to 2.",
    ],
)
def test_a_technical_value_crosses(text: str) -> None:
    assert Redactor(personal=False).text(text) == text
    assert not secrets.holds(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The keypad of the server room runs on 9417.", "9417"),
        ("The alarm code for the office is 9417.", "9417"),
        ("The password of the staging database is tangerine-42-Kubelik", "tangerine-42-Kubelik"),
        ("The ledger runs on 9999, and its password is Marmot77lake", "Marmot77lake"),
        (f"{PODS}ledger   3/3     3            3           211d\n\nThe vault code is 482913", "482913"),
        ("We hold 320 ETH and scaled back to 200 ETH", "200"),
    ],
)
def test_a_secret_of_the_same_form_stays_behind(text: str, secret: str) -> None:
    assert secret not in Redactor(personal=False).text(text)
