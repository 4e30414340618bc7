"""Hears orders and refusals in any words: a cross-encoder reads the sentences in which forms hear none.

It tells whether a sentence of a user itself forbids, bounds or reserves something, and whether a message turns down
what a sentence of the agent proposed just before (`benches/python/conduct/fit_orders.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.hearing import Heard, is_other
from bardo.conduct.hearing.orders.answers import act_of, is_redirection, is_unclear
from bardo.conduct.hearing.orders.listed import sentences_of
from bardo.conduct.hearing.utterance import Utterance

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder

#: Minimum log odds of a sentence that forbids, and of a message that turns a proposal down.
ORDER, REFUSAL = 1.5, 1.0
#: Last sentences of the agent's message that an answer may turn down.
PROPOSED = 6
#: Maximum words of a sentence that is read, and of those before it; longer ones are documents.
WORDS, BEFORE = 60, 30
#: Data of a rejection that was read, as JSON (`Forbids`): it only warns.
_READ = '{"is_read": true}'
#: Plain words of a prohibition; "I don't want ..." tells one in many other words.
_PLAIN = lazy_pattern(r"(?<!\bi )\b(?:don['’]?t|do not|never)\b", re.IGNORECASE)
#: Words that permit, and words that bound or forbid: "hotfixes may go out without my approval" forbids nothing.
_PERMITS = lazy_pattern(r"\b(?<!in )may (?!not\b|only\b|be\b)[a-z]+\b")
_APPROVAL = lazy_pattern(
    r"\bwithout (?:my|our|his|her|their|any|[A-Z]\w+['’]s) (?:approval|ok(?:ay)?|permission|sign-?off)\b",
    re.IGNORECASE,
)
_BOUNDS = lazy_pattern(
    r"\b(?:not?|nothing|no ?body|no one|none|never|only|unless|until|till|before|after|except|but|nor|without|at most|"
    r"alone|provided|ceiling|another story|the rest|most)\b|n['’]t\b|\d",
    re.IGNORECASE,
)
#: Marks of whose words the first text of a pair is.
_USER, _AGENT = "user: ", "agent: "


class Message(NamedTuple):
    """Message of a user.

    Args:
        text: Its words.
        before: Message of the agent just before; empty if there is none.
        heard: Parts of which an order, refusal or task was heard.
    """

    text: str
    before: str
    heard: tuple[str, ...]


class Order(NamedTuple):
    """Order or refusal that was read in a message.

    Args:
        said: Words of the message that give it.
        heard: What was heard.
    """

    said: str
    heard: Heard

    def shares(self, text: str) -> bool:
        """Whether it stands in the same words as a part of its message, or in some of them.

        Args:
            text: Part of the message.
        """
        return meets(self.said, text)


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yields the pairs by which the sentences of a user's message are read: the words before, and the sentence.

    Args:
        text: Message.
    """
    before: list[str] = []
    for said in sentences_of(text):
        if len(said.split()) <= WORDS:
            yield f"{_USER}{' '.join(before[-BEFORE:])}", said
        before += said.split()


def answers(text: str, before: str) -> Iterator[tuple[str, str]]:
    """Yields the pairs by which a message is read as an answer: a sentence of the agent, and the message.

    Args:
        text: Message.
        before: Message of the agent just before; empty if there is none.
    """
    answer = " ".join(text.split()[:WORDS])
    for offer in sentences_of(before)[-PROPOSED:]:
        if len(offer.split()) <= WORDS:
            yield f"{_AGENT}{offer}", answer


def offer_of(first: str) -> str:
    """Returns the sentence of the agent in the first text of a pair; empty if it is the user's.

    Args:
        first: First text of a pair.
    """
    return first.removeprefix(_AGENT) if first.startswith(_AGENT) else ""


def read(messages: Sequence[Message], encoder: CrossEncoder) -> list[list[Order]]:
    """Reads the orders and refusals in messages of which forms hear none.

    Args:
        messages: Messages of users.
        encoder: Cross-encoder of orders.

    Returns:
        Those of each message.
    """
    pairs = [[*_pairs(message)] for message in messages]
    odds = iter(encoder.read([pair for own in pairs for pair in own]))
    return [[*_orders([(pair, next(odds)) for pair in own])] for own in pairs]


def meets(one: str, other: str) -> bool:
    """Whether one part of a message holds another.

    Args:
        one: Part of a message.
        other: Another one.
    """
    return one in other or other in one


def _pairs(message: Message) -> Iterator[tuple[str, str]]:
    """Yields the pairs by which a message is read."""
    for before, said in sentences(message.text):
        is_heard = any(meets(said, part) for part in message.heard)
        if not (is_heard or _is_of_forms(said)):
            yield before, said
    if not message.heard:
        yield from answers(message.text, message.before)


def _is_of_forms(said: str) -> bool:
    """Whether forms decide on a sentence: in plain words they know small talk and reports from orders more surely."""
    is_plain = _PLAIN.search(said) is not None or is_redirection(said)
    permits = _PERMITS.search(said) is not None and not _BOUNDS.search(_APPROVAL.sub("", said))
    return is_plain or permits or is_other("rejection", Utterance(said))


def _orders(read: Sequence[tuple[tuple[str, str], float]]) -> Iterator[Order]:
    """Yields the sentences of a message that forbid; without one, the proposal that it most surely turns down."""
    surest, refused, is_ordered = REFUSAL, None, False
    for (first, said), odds in read:
        offer = offer_of(first)
        if offer and odds >= surest and not is_unclear(act_of(offer)):
            surest, refused = (
                odds,
                Order(said, Heard("rejection", act_of(offer), 0.0, said, _READ, is_read=True)),
            )
        elif not offer and odds >= ORDER:
            is_ordered = True
            yield Order(said, Heard("rejection", said, 0.0, forbids=_READ, is_read=True))
    # An answer that itself forbids names what it is about: "nothing with prawns" turns down no list.
    if refused is not None and not is_ordered:
        yield refused
