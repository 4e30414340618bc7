"""Reads orders that name the person who decides: "refunds above £50 are Priya's call", "she alone changes them"."""

from __future__ import annotations

import re

from bardo.conduct.hearing.orders.stated_model import (
    PERSON,
    SUBJECT,
    StatedOrder,
    match,
    refusing,
    topic_of,
    words,
)
from bardo.conduct.hearing.verb_forms import base_of

_DECIDES = (
    r"(?:decides|approves|signs(?: off)?|has the (?:last|final) (?:word|say)|gets the (?:last|final) "
    r"(?:word|say))"
)
#: Person who has no name here: "she", "the head nurse".
_ANYONE = rf"(?:{PERSON}|she|he|the [\w-]+(?: [\w-]+)?)"
#: Acts of deciding, beside those of `stated_orders.toml`.
_RULING = frozenset({"approve", "authorise", "authorize", "decide", "release", "set", "confirm"})


def of_approval(clause: str, before: str) -> StatedOrder | None:
    """Reads "refunds above £50 are Priya's call", "pull requests are merged by Lena only"."""
    owned = match(
        rf"{SUBJECT} (?:is|are) (?:always |only )?{PERSON}(?:'s|s') "
        r"(?:call|decision|say|business|department|job|to (?:decide|approve|sign))\b.*",
        clause,
    ) or match(
        rf"{SUBJECT} (?:goes?|runs?|passes|pass) (?:only )?(?:through|past|by|via) {PERSON}(?: first)?\b.*",
        clause,
    )
    if owned is not None:
        # "Everything else" is what an order before does not name.
        is_act = re.search(r"^(?!.*\belse\b).*(?:s\b|ing\b)|^any", owned["subject"]) is not None
        return _reserved(clause, f"no {owned['subject']}", owned["who"]) if is_act else None
    done = match(
        rf"{SUBJECT} (?:is|are) (?:only )?(?P<verb>[a-z]+) (?:only )?by {PERSON}(?P<only> (?:and "
        rf"(?:no ?body|no one) else|only|alone))?",
        clause,
    )
    if done is not None and (done["only"] or " only " in clause) and (base := base_of(done["verb"])):
        return _reserved(clause, f"don't {base} {done['subject']}", done["who"])
    about = match(rf"{PERSON} {_DECIDES} (?:on|about|over) (?P<act>[^,;.!?]+)", clause)
    return (
        _reserved(clause, refusing(about["act"]), about["who"])
        if about is not None
        else _of_one(clause, before)
    )


def of_decider(text: str) -> StatedOrder | None:
    """Reads "new dependencies: Tomasz decides, always"."""
    found = match(rf"(?P<act>[^:,;.!?]{{4,60}}): (?:only )?{PERSON} (?:always )?{_DECIDES}\b.*", text)
    return _reserved(text, refusing(found["act"]), found["who"]) if found is not None else None


def of_full(clause: str, before: str) -> StatedOrder | None:
    """Reads "she takes no new patients any more", "Dr Amari isn't taking new patients"."""
    full = match(
        rf"(?:{PERSON}|she|he|they)(?: (?:takes?|accepts?|sees)(?: on)? no|(?:'s| is| are) no longer (?:taking|"
        r"accepting|seeing)(?: on)?|(?:'s| is| are)(?: not|n't) (?:taking|accepting|seeing)(?: on)?(?: any)?) "
        r"(?P<what>(?:new|more|further) \w+).*",
        clause,
    )
    if full is None:
        closed = match(
            r"(?:we(?:'re| are)(?: not|n't) (?:taking|accepting)(?: on)?(?: any)?|we (?:take|"
            r"accept)(?: on)? no|(?:our|this|the) [\w' -]+? "
            r"is closed to) (?P<what>new \w+)(?: any ?more)?(?P<span> (?:until|till|before) .+)?",
            clause,
        )
        return (
            StatedOrder(clause, f"no {closed['what']}{closed['span'] or ''}") if closed is not None else None
        )
    who = full["who"] or _person(before)
    return StatedOrder(clause, f"don't book {full['what']} with {who}") if who else None


def _of_one(clause: str, before: str) -> StatedOrder | None:
    """Reads "she alone changes them", "only Marta signs refunds", "no one but Rosa touches the ledger"."""
    alone = (
        match(rf"{_ANYONE} alone (?P<verb>[a-z]+s) (?P<rest>[^,;.!?]+)", clause)
        or match(
            rf"only {_ANYONE} (?:(?:may|can|gets to|is allowed to) (?P<may>[a-z]+)|(?P<verb>[a-z]+s)) "
            rf"(?P<rest>[^,;.!?]+)",
            clause,
        )
        or match(
            rf"(?:no ?body|no one|no-one) (?:but|except|besides|other than) {_ANYONE} (?:may |is to |is allowed to )?"
            r"(?P<verb>[a-z]+) (?P<rest>[^,;.!?]+)",
            clause,
        )
    )
    if alone is None:
        return None
    verb = alone.groupdict().get("may") or base_of(alone["verb"]) or alone["verb"]
    if verb not in words().verbs | _RULING:
        return None
    is_pointing = alone["rest"].lower() in ("it", "them", "that", "those", "these")
    if is_pointing and verb == "do":
        # "Never run X. Only the pipeline does that." says again what the clause before it forbids.
        return None
    thing = topic_of(before) if is_pointing else alone["rest"]
    return _reserved(clause, f"don't {verb} {thing}", alone["who"] or "") if thing else None


def _reserved(text: str, act: str, who: str) -> StatedOrder:
    """Returns the order against an act without the approval of the person who decides on it."""
    return StatedOrder(text, f"{act} without {who}'s approval" if who else f"{act} without approval")


def _person(before: str) -> str:
    """Returns the person whom the clauses before name last; empty if they name none."""
    found = re.findall(
        r"\b(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?(?= (?:is|has|will|\w+s)\b)", before
    )
    return found[-1] if found else ""
