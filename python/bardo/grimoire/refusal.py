"""Reports of content that a tombstone refuses: an error if all of it was forgotten, else a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from bardo.capture.recorder import RecordReport
from bardo.errors import ForgottenError, ForgottenWarning
from bardo.model import Episode, Fact

#: Maximum length of a refused text in an error, in characters.
_SHOWN = 40


def _error_for(text: str) -> ForgottenError:
    """Makes the error for content that was forgotten on purpose."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return ForgottenError(
        f"{shown!r} was forgotten on purpose and is not taken again. "
        "Say it in other words, or forget with allow_again=True what may come back"
    )


def refuse_episodes(drafts: Sequence[str | Episode], taken: RecordReport) -> None:
    """Raises an error if every episode was forgotten before, and warns if some were."""
    if not taken.stored:
        first = drafts[taken.forgotten[0]]
        raise _error_for(first if isinstance(first, str) else first.text)
    _warn(len(taken.forgotten), f"{len(drafts)} episodes", stacklevel=6)


def refuse_facts(facts: Sequence[Fact], forgotten: int) -> None:
    """Raises an error if every fact was forgotten before, and warns if some were."""
    if forgotten == len(facts):
        raise _error_for(facts[0].text)
    _warn(forgotten, f"{len(facts)} facts", stacklevel=6)


def _warn(forgotten: int, given: str, *, stacklevel: int) -> None:
    message = f"{forgotten} of {given} were forgotten on purpose and not taken again"
    warnings.warn(message, ForgottenWarning, stacklevel=stacklevel)
