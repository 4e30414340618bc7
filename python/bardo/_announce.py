"""Log lines that say what takes seconds before it begins."""

from __future__ import annotations


def announce(message: str, *values: object) -> None:
    """Writes a line of level INFO to the logger `bardo`.

    Args:
        message: Message in the form of `logging`.
        values: Values of the message.
    """
    # Not at the top: opening a memory does not need it.
    import logging

    logging.getLogger("bardo").info(message, *values)
