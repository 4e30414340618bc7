"""Recognises words that give no task and take no decision: apologies, lists of ways, guesses, orders of "one"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern

_LEAD = r"(?:(?:oh|ah|ouch|ok(?:ay)?|yes|right|no|so|you're right|my (?:bad|fault|mistake))[\s,.!:;–—-]+)*"
#: Words by which one is sorry, before what one will do about it.
_APOLOGY = lazy_pattern(
    rf"{_LEAD}(?:(?:i'm |i am |so |very )*sorry|apologies|i apologi[sz]e|my apologies)\b", re.IGNORECASE
)
#: Ways between which another one chooses.
_OPTIONS = lazy_pattern(
    rf"{_LEAD}(?:(?:the|your|our|my|possible|some|a few|two|three|four|several|other) )*"
    r"(?:options?|choices|alternatives|possibilities|ways|approaches|candidates|ideas)"
    r"(?: (?:are|would be|here|include|i see|we have))*\s*[:–—-]|"
    rf"{_LEAD}(?:we|you|one) (?:could|might)(?: either)? [^.!?]*\bor\b",
    re.IGNORECASE,
)
#: Guess that a thing will do: "the publish step should work".
_GUESS = lazy_pattern(
    r"\b(?:should|ought to|will probably|might)(?: (?:now|then|also|just|still|all|again))* "
    r"(?:work|pass|help|suffice|do it|hold|be (?:fine|ok(?:ay)?|enough|safe|good|green|sufficient|there|back|"
    r"unaffected))\b",
    re.IGNORECASE,
)
#: Task that names nothing by itself.
_POINTING = lazy_pattern(
    r"(?:please |then |just |and )*[a-z]+ (?:me )?(?:a|an|the|another|this|that)? ?"
    r"(?:(?:new|other|different|second|next|better|fresh|separate) )?(?:one|ones)"
    r"(?: (?:then|instead|please|now|too))*[.!]*$",
    re.IGNORECASE,
)


def is_apology(text: str) -> bool:
    """Whether words begin with an apology: "Sorry, I'll amend with the hooks on".

    Args:
        text: Words that were said.
    """
    return _APOLOGY.match(_plain(text)) is not None


def is_options(text: str) -> bool:
    """Whether words list ways between which another one chooses: "Options: a queue in Postgres, or NATS".

    Args:
        text: Words that were said.
    """
    return _OPTIONS.match(_plain(text)) is not None


def is_guess(text: str) -> bool:
    """Whether words guess that a thing will do: "Both tokens are present, the publish step should work".

    Args:
        text: Words that were said.
    """
    return _GUESS.search(_plain(text)) is not None


def points_only(text: str) -> bool:
    """Whether a request has no object but "one": "Write a new one".

    Args:
        text: Words that were said.
    """
    return _POINTING.match(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.strip().replace("’", "'")
