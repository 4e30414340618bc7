"""Reads bans by their name: "the embargo on Delmar shares holds until 15 December", "no one deploys on Fridays"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.stated_model import (
    ANY_MORE,
    GERUND,
    UNTIL,
    StatedOrder,
    match,
    refusing,
    with_topic,
    words,
)
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.state.bans import LASTING

#: Bans on trades in a thing, which name no act: "the embargo on Delmar shares".
_ON_TRADES = r"(?:embargo|black-?out|lock-?up|quarantine|trading (?:halt|ban|freeze|stop))"
_NAMED = rf"(?:the|our|this|that|my) (?P<ban>{_ON_TRADES}|ban|freeze|moratorium|prohibition|restriction)"
_IN_FORCE = (
    r"(?:is(?: still| now)? (?:on|in force|in place|in effect)|holds?|stands?|applies|continues|goes on|"
    r"remains(?: in force)?|stays(?: in force| in place)?|lasts|runs)"
)
_BEFORE = lazy_pattern(rf"{_NAMED}\b[^.!?]*?{UNTIL}[^.!?\w]*$", re.IGNORECASE)
#: Time for which a habit is an order.
_LASTS = lazy_pattern(rf"{LASTING.pattern}|\b(?:until|till) \w", re.IGNORECASE)
#: Gerunds of idioms and of what cannot be done: "no getting around it", "no telling the difference".
_NO_BAN = lazy_pattern(
    r"^(?:getting (?:around|away|out)|telling|denying|knowing|stopping|mistaking|escaping|arguing|"
    r"kidding|saying|seeing|"
    r"pleasing|hiding|avoiding|beating|doubting|using it\b|going back\b|turning back\b)",
    re.IGNORECASE,
)
#: Act of each trade, for a thing under an embargo.
_TRADE = "trade"
_BOTH_SIDES = {"buy", "sell"}


def of_ban(clause: str, _before: str) -> StatedOrder | None:
    """Reads "the embargo on Delmar shares holds until 15 December", "the ban on pushing to main stands"."""
    found = match(rf"{_NAMED} (?:on|in|for|against) (?P<what>[^,;:.!?]+?) {_IN_FORCE}{UNTIL}", clause)
    if found is None:
        return None
    what, until = found["what"], found["until"] or ""
    is_act = GERUND.match(what) is not None or match(rf"(?:[\w-]+ ){{0,2}}?{words().deeds}(?: .*)?", what)
    is_of_trades = match(_ON_TRADES, found["ban"]) is not None and not is_act
    refused = f"don't {_TRADE} {what}" if is_of_trades else refusing(what)
    return StatedOrder(clause, f"{refused}{until}")


def of_gerund(clause: str, before: str) -> StatedOrder | None:
    """Reads "no squeezing them into twenty", "no more touching the ledger": an act with its object."""
    found = match(
        rf"no (?:more )?(?P<act>{GERUND.pattern} (?P<object>(?:the|an?|my|our|your|his|her|their|its|"
        rf"this|these|those|any|"
        r"anything|anyone|people|them|it|him)\b.*))",
        clause,
    )
    if found is None or _NO_BAN.search(found["act"]) or (act := with_topic(found["act"], before)) == "":
        return None
    return StatedOrder(clause, f"don't {act}")


def of_nobody(clause: str, before: str) -> StatedOrder | None:
    """Reads "no one buys or sells Delmar" under a ban, or "no one deploys on Fridays"; else it may be a report."""
    found = match(
        r"(?:no ?body|no[ -]one|none of (?:us|you)) (?P<verb>[a-z]+s)(?: (?:or|and|nor) (?P<other>[a-z]+s))? "
        r"(?P<rest>[^,;:.!?]+)",
        clause,
    )
    if found is None or ANY_MORE.search(clause):
        return None
    bases = [base_of(verb.lower()) for verb in (found["verb"], found["other"]) if verb]
    ban = _BEFORE.search(before.strip())
    if not words().verbs.issuperset(bases) or not (ban or _LASTS.search(found["rest"])):
        return None
    until = (ban["until"] or "").rstrip(": ") if ban is not None else ""
    act = _TRADE if set(bases) == _BOTH_SIDES else " or ".join(bases)
    return StatedOrder(clause, f"don't {act} {found['rest']}{until}")
