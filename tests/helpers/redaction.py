"""Checks of redacted texts."""

from __future__ import annotations

from bardo.bequeath.privacy.redact import Redactor


def assert_secret_goes(text: str, secret: str) -> None:
    """Asserts that a secret is taken out, that the words before it stay, and that a second redaction adds nothing."""
    told = Redactor(personal=True).text(text)
    assert secret not in told
    assert told.startswith(text[: text.index(secret)].rstrip("'\" "))
    assert Redactor(personal=True).text(told) == told
