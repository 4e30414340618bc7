"""Tells actions about the receiver of a forbidden act from the act: a walk with the dog, goods that go back."""

from __future__ import annotations

from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.rejection import ParsedText
from bardo.conduct.parse.vocabulary import stems_of

#: Stems of verbs of giving, by which an action may do what is forbidden.
_GIVING = ("give", "feed", "serve", "offer", "bring", "hand", "treat")
#: Act that takes something from a named party; and return of things to one.
_FROM = lazy_pattern(r"\bfrom (?:the |our )?(?P<who>[A-Z][\w'-]+)")
_BACK = lazy_pattern(
    r"\b(?:(?:send|bring|take|give|ship|carry|post|mail|hand)\b[^.;]*? back (?:in)?to|return\b (?!to\b)[^.;]*? to) "
    r"(?:the |our )?(?P<who>[A-Z][\w'-]+)",
)
_SENTENCE_CASE = lazy_pattern(r"^[A-Z](?=[a-z]+ )")


def is_of_receiver(text: ParsedText, action: ParsedAction) -> bool:
    """Whether an action in words shares with a text no more than a receiver: of what is given, or of what goes back.

    Args:
        text: Parsed rejection or rule.
        action: Parsed action.
    """
    if action.form != "prose":
        return False
    given = _given(text.text)
    if given is not None:
        who, thing = given
        is_giving = not stems_of(" ".join(_GIVING)).isdisjoint(action.stems)
        return bool(who & action.stems) and thing.isdisjoint(action.stems) and not is_giving
    back = _BACK.search(_SENTENCE_CASE.sub(lambda found: found[0].lower(), action.text))
    return back is not None and back["who"] in {found["who"] for found in _FROM.finditer(text.text)}


@lru_cache(4_096)
def _given(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Returns the stems of the receiver, and of what must not be given to it; None for other texts."""
    found = wording.GIVEN.match(wording.without_reports(text))
    return None if found is None else (stems_of(found["who"]), stems_of(found["what"]))
