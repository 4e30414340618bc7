"""Recognises standing orders: rules that a user gives for all time, such as "never X" and "X must be signed"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.approvals import approval_of
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.prohibition import is_prohibition

#: Words of an order for all time.
_FOR_ALL_TIME = lazy_pattern(
    r"\b(?:always|never|must(?:n't)?|(?:under|in) no circumstances|at all times|(?:no|without) exceptions?|"
    r"no matter what|on no account|in no case|by no means|not ever|may not|strictly forbidden|from now on|in future|"
    r"going forward|(?:every|each) time|whenever)\b",
    re.IGNORECASE,
)
#: Reports that have such words: of the speaker alone, of other people, of the past, and guesses ("must have been").
_REPORT = lazy_pattern(
    r"(?:^|[,;:.] )(?:and |but |so |because )?(?:i|he|she|they|it|there) (?:\w+ )?"
    r"(?:always|never|must(?! not\b| never\b| always\b))\b|"
    r"\b(?:always|never) (?:been|had|was|were|did|used to)\b|"
    r"\b(?:was|were|had|has|have|could|did) (?:always|never)\b|"
    r"\bmust(?:n't| not)? have \w+(?:ed|en|wn|ne)\b|\bas always\b",
    re.IGNORECASE,
)


def is_standing(text: str) -> bool:
    """Whether a rule of a user is an order for all time, which does not fade.

    Args:
        text: Words that were heard as a rule.
    """
    bare = text.strip().replace("’", "'")
    if is_prohibition(bare) or approval_of(bare) or wording.is_labelled(bare):
        return True
    return "?" not in bare and not _REPORT.search(bare) and _FOR_ALL_TIME.search(bare) is not None
