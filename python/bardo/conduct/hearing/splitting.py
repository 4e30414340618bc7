"""Splits messages into utterances: sentences, orders of lists and statements, and answers that turn an offer down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.answers import is_redirection, is_refusal, proposal
from bardo.conduct.hearing.orders.antecedents import resolve
from bardo.conduct.hearing.orders.approvals import approval_of
from bardo.conduct.hearing.orders.headed_lists import headed_orders
from bardo.conduct.hearing.orders.listed import listed_orders, sentences_of
from bardo.conduct.hearing.orders.refused_offers import refused_offer
from bardo.conduct.hearing.orders.stated_orders import stated_orders
from bardo.conduct.hearing.talk.reports import is_promise
from bardo.conduct.hearing.utterance import MARKED, Utterance
from bardo.conduct.state.prohibition import is_denied_habit, is_no_thing, is_prohibition
from bardo.conduct.state.team_orders import reports_absence

#: Maximum characters of a message that is heard; longer ones are documents.
CHARACTERS = 1_200
#: Maximum words of a message that is heard as a whole; of longer ones each sentence is heard by itself.
WHOLE_WORDS = 30
#: Thing that shall not be more or new, before its reason: "no new dependencies, zoneinfo does it".
_REASONED = lazy_pattern(
    r"(?P<ended>(?:please,? )?no (?:more|new) [^,;:.!?]{3,80}?)(?:\s*[,;:]\s+|\s+[-–—]+\s+)"
    r"(?!(?:and|or|nor|no|not|but|please)\b)\w",
    re.IGNORECASE,
)
#: Use or place of a thing, with which a "no" rather rules than reports: "no floats for money".
_PURPOSE = lazy_pattern(
    r"(?<=\w) (?:for|in|on|at|with|without|into|as|to|from|near|over|under) \w", re.IGNORECASE
)
#: Label of a rule before what it says: "House rule: new patients get forty minutes".
_RULED = lazy_pattern(
    r"\W*(?:(?:the|our|my|a|an|another|new|first|last|basic|general|standing|golden|simple|house|ground|family|office|"
    r"team|kitchen|clinic|practice|company|shop|school|class|project|repo) )*(?:rule|law|policy|convention|guideline)"
    r"(?: (?:here|for|in|of)(?! thumb\b)(?: [\w-]+){0,3})?\s*(?::|\s[-–—])\s+(?=\w+ \w+ \w)",
    re.IGNORECASE,
)
#: Word of another way.
_INSTEAD = lazy_pattern(r"\binstead\b", re.IGNORECASE)
#: Thing that an item of a list excludes: "pytest, no unittest".
_DENIED = lazy_pattern(
    r"(?:^|[,;:.]\s+|\s[-–—]\s+)(?P<no>no (?!(?:matter|need|problem|exceptions?)\b)\w[^,;.!?]*)",
    re.IGNORECASE,
)
#: Announcement of an order by those who give it, or of its scope.
_ANNOUNCED = lazy_pattern(
    r"(?:[^:.!?\"“”]{0,60}\b(?:asked me to (?:tell|pass on|remind)|(?:want|wants|would like) (?:you|everyone) to know|"
    r"(?:decided|agreed|voted))\b[^:.!?\"“”]{0,20}|(?:before (?:anyone|anybody) [^:.!?]{3,30}|(?:one|"
    r"another|same|as|so) for [^:.!?]{2,30}|"
    r"(?:in|on|at|for|with|about) [^:.!?,]{2,30})):\s+",
    re.IGNORECASE,
)
#: Clause that tells when, before a prohibition: "while we're away don't accept deliveries".
_FRONTED = lazy_pattern(
    r"(?P<when>(?:while|when|whenever|as long as|until|once|if|after|before) "
    # Without a comma the clause must have a verb of its own: not "when the users don't respond".
    r"(?:[^,;.!?]{2,60}?(?=, )|(?=[^,;.!?]*(?:'(?:s|re|m)\b|\b(?:is|are|am)\b))[^,;.!?]{2,60}?"
    r"(?<!\bi)(?<!\byou)(?<!\bwe)(?<!\bthey)(?<!\bthat)(?<!\bwho)(?<!\bwhich))),? "
    r"(?P<order>(?:please |just )*(?:don't|do not|never) [a-z]+ [^,;.!?]+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: Mark of an item of a list before an utterance.
_ITEM = lazy_pattern(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


def utterances(text: str, before: str = "", *, by_agent: bool = False) -> list[Utterance]:
    """Splits a message into utterances: its sentences, or the whole if it is short; none of a document.

    Args:
        text: Message.
        before: Words of the other party just before; empty if there are none.
        by_agent: Whether the agent said it.
    """
    if not text.strip() or len(text) > CHARACTERS:
        return []
    if not by_agent and is_promise(before) and not proposal(before):
        # "Noted." asks for no answer.
        before = ""
    if by_agent:
        return _whole(text, before) or [
            Utterance(_ITEM.sub("", part), "" if place else before, by_agent=True)
            for place, part in enumerate(sentences_of(text))
        ]
    if (headed := headed_orders(text)) is not None:
        around = [utterances(headed.before, before), utterances(headed.after)]
        return [*around[0], *(each for item in headed.items for each in _ruled(item)), *around[1]]
    text = resolve(text)
    unmarked = MARKED.sub("", text)
    text = unmarked if is_prohibition(unmarked) else text
    listed = [*_listed(text, before)]
    refused = None if is_refusal(text) or listed[0].is_prohibition else refused_offer(text, before)
    if refused is not None:
        orders = [each for each in listed if each.order is not None or each.is_prohibition]
        return [Utterance(text, before, refused=refused), *orders]
    parts = [each.text for each in listed]
    # A sentence beside a prohibition or a refusal must not hide it.
    is_apart = any(each.order is not None or each.is_ruled or each.is_prohibition for each in listed) or any(
        is_refusal(part) or approval_of(part) or _denies_thing(part) for part in parts
    )
    # "No. Drop the view instead." refuses the plan, and names the other way.
    is_redirected = len(parts) == 2 and is_redirection(text) and _INSTEAD.search(parts[1]) is not None
    is_stated = any(each.order is not None or each.is_ruled or each.text not in text for each in listed)
    is_stated |= len(listed) == 1 and listed[0].is_prohibition and _ANNOUNCED.match(text) is not None
    is_apart |= any(each.reason for each in listed)
    is_whole = not is_stated and (not is_apart or len(parts) < 2 or is_refusal(text) or is_redirected)
    if len(text.split()) <= WHOLE_WORDS and is_whole:
        text = _ITEM.sub("", text).strip()
        found = _REASONED.match(text)
        ended = text if found is None else found["ended"]
        return [Utterance(ended, before, reason=text[len(ended) :])]
    return listed


def _whole(text: str, before: str) -> list[Utterance]:
    """Returns a short message of the agent as one utterance; none of a longer one."""
    if len(text.split()) > WHOLE_WORDS:
        return []
    return [Utterance(_ITEM.sub("", text).strip(), before, by_agent=True)]


def _listed(text: str, before: str) -> Iterator[Utterance]:
    """Yields the sentences of a user's message: each order of a list, and of each statement, by itself."""
    said = ""
    for place, (part, is_listed) in enumerate(listed_orders(text)):
        asked = "" if place else before
        part_ = _ordering(_ITEM.sub("", part))
        is_plain = is_listed or is_prohibition(part_) or bool(approval_of(part_))
        orders = [] if is_plain else stated_orders(part_, said, is_answer=asked.rstrip().endswith("?"))
        said = f"{said} {part_}".strip()
        if orders:
            yield from (Utterance(order.text, order=order) for order in orders)
        else:
            is_ruled = not is_plain and _RULED.match(part_) is not None and not part_.endswith("?")
            found = _REASONED.match(part_)
            ended = part_ if found is None or is_listed else found["ended"]
            reason = part_[len(ended) :]
            yield Utterance(ended, asked, reason=reason, is_listed=is_listed, is_ruled=is_ruled)


def _denies_thing(sentence: str) -> bool:
    """Whether a sentence is "no" with a thing and what it is not for, and no report: "no floats for money"."""
    return is_no_thing(sentence) and not reports_absence(sentence) and _PURPOSE.search(sentence) is not None


def _ordering(sentence: str) -> str:
    """Returns a sentence without an announcement before its prohibition: "teachers asked me to tell you: no ...".

    The time of a prohibition follows it: "don't accept deliveries while we're away".
    """
    found = _FRONTED.match(sentence)
    if found is not None and is_prohibition(found["order"]):
        order, when = found["order"], found["when"]
        return f"{order[0].upper()}{order[1:]} {when[0].lower()}{when[1:]}{found['rest']}"
    found = _ANNOUNCED.match(sentence)
    if found is None or is_prohibition(sentence) or not is_prohibition(sentence[found.end() :]):
        return sentence
    return sentence[found.end() :]


def _ruled(item: str) -> Iterator[Utterance]:
    """Yields the orders of an item of a list under a heading; the item is a rule if it forbids nothing."""
    each = list(_listed(item, ""))
    if any(one.order is not None or one.is_prohibition for one in each):
        yield from (one for one in each if one.order is not None or one.is_prohibition)
    elif is_denied_habit(item):
        yield Utterance(item, is_listed=True)
    elif (denied := _DENIED.search(item)) is not None:
        yield Utterance(denied["no"], is_listed=True)
    else:
        yield Utterance(item, is_ruled=True)
