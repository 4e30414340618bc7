"""Hides the secrets of messages in a prompt that repeats them in order, and asks for none of them."""

from __future__ import annotations

from collections.abc import Iterable

from bardo.capture.secret_outputs import without

#: Mark in place of a secret.
MARK = "[redacted: secret]"


def hidden(text: str, outputs: Iterable[str] = ()) -> str:
    """Replaces the secrets of a message by marks.

    Args:
        text: Text of the message.
        outputs: Parts of it that are outputs of calls which print secrets.
    """
    # Most processes never show a message again.
    from bardo.consolidate.texts.secrets import SEARCHED, tells_secret
    from bardo.privacy import secrets

    text = without(text, outputs, MARK)
    searched, rest = text[:SEARCHED], text[SEARCHED:]
    if not tells_secret(searched):
        return text
    for span in reversed(secrets.spans(searched)):
        searched = searched[: span.start] + MARK + searched[span.end :]
    return searched + rest
