"""Splits a sentence that lists orders: "Three rules: no force-push to main, no console.log in the web app"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.prohibition import is_no_thing, is_prohibition
from bardo.consolidate.texts.clauses import sentences

#: Joint before a further order of a list.
_JOINT = lazy_pattern(
    r"\s*[,;](?:\s+(?:and|or|also|but))*\s+(?=(?:please )?(?:no|never|don['’]t|do not|no ?body|we don['’]t|we never|"
    r"hands off|stay away)\b)",
    re.IGNORECASE,
)


#: Sentence about what is beyond a limit that the one before it names.
_BEYOND = lazy_pattern(
    r"(?:and )?(?:every ?thing|any ?thing|all) (?:above|over|beyond|more(?: than)?)(?: (?:that|it|this))?"
    r"(?! \S*\d)\b",
    re.IGNORECASE,
)


def sentences_of(text: str) -> list[str]:
    """Returns the sentences of a text, each with those after it that add to it: "Ever.", "Anything above is mine.".

    Args:
        text: Message.
    """
    joined: list[str] = []
    for part in sentences(text):
        is_beyond = joined and _BEYOND.match(part) and any(map(str.isdigit, joined[-1]))
        if joined and (is_beyond or wording.is_emphasis(part)):
            joined[-1] += f" {part}"
        else:
            joined.append(part)
    return joined


def listed_orders(text: str) -> list[tuple[str, bool]]:
    """Returns the sentences of a user's message, of which one that lists orders is split; see `orders_of`.

    Args:
        text: Message.
    """
    return [each for part in sentences_of(text) for each in orders_of(part)]


def orders_of(sentence: str) -> list[tuple[str, bool]]:
    """Returns the orders that a sentence lists, and whether each one is an order by its place in the list alone.

    Args:
        sentence: Sentence of a user.

    Returns:
        The sentence itself if it lists no orders.
    """
    is_labelled = wording.is_labelled(sentence)
    first, *others = _JOINT.split(wording.without_remark(sentence.strip()))
    is_first = is_prohibition(first) or (is_labelled and is_no_thing(first))
    if not is_first or not others:
        return [(sentence, False)]
    orders = [first]
    for part in others:
        if wording.is_emphasis(part) or not (is_prohibition(part) or is_no_thing(part)):
            # A reason, or words that only emphasise.
            orders[-1] += f", {part}"
        else:
            orders.append(part)
    if len(orders) == 1:
        return [(sentence, False)]
    return [(each, not is_prohibition(each)) for each in orders]
