"""Reads orders that tell how things are to be: "prices are frozen until 6 January", "the heating stays off"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.stated_model import (
    ANY_MORE,
    BE,
    NOT_SUBJECT,
    POINTING,
    STANDING,
    SUBJECT,
    UNTIL,
    StatedOrder,
    is_person,
    match,
    refusing,
    topic_of,
    words,
)
from bardo.conduct.hearing.verb_forms import base_of

#: Way, place or time without which a passive only tells what was not done.
_PLAIN_WAY = lazy_pattern(
    r"\b(?:by (?:hand|e-?mail|post|phone|tube|air)|manually|directly|without|unless|before|after|outside|"
    r"in (?:chat|person|public|bulk)|over|above|below|under|on (?:\w+days|weekends|laptops|social media)|"
    r"at (?:night|weekends)|from the table)\b",
    re.IGNORECASE,
)
#: The same of several things, of which also a place or receiver tells the way.
_WAY = lazy_pattern(rf"{_PLAIN_WAY.pattern}|\b(?:until|to|from|with|into|at|for|on|in) \w+", re.IGNORECASE)
#: Place out of which a thing is given away, and not only moved.
_SYSTEM = lazy_pattern(
    r"\b(?:servers?|systems?|network|vault|eu|premises|company|office|school|house|team|us)\b", re.IGNORECASE
)
_TAMPERED = (
    r"(?:fiddled|tampered|messed|meddled|played|toyed|interfered|monkeyed)(?: around)? with|touched|"
    r"adjusted|altered"
)


def of_conveyed(clause: str, _before: str) -> StatedOrder | None:
    """Reads "customer data doesn't go to outside APIs", "photos of the children stay on the school server"."""
    thing = (
        rf"{NOT_SUBJECT}(?P<subject>(?:[\w'/&-]+ ){{0,4}}?{words().conveyed}(?: (?:of|from|about|for|with|"
        rf"in) [\w' -]+?)?)"
    )
    moved = match(
        rf"{thing} (?:do(?:es)?(?:n't| not)|never|must(?:n't| not)|may not) (?:ever )?"
        r"(?P<verb>go(?:es)?|leaves?|ends? up|travels?|belongs?|crosse?s?|come|comes|get|gets) (?P<where>.+)",
        clause,
    )
    if moved is not None:
        where = ANY_MORE.sub("", moved["where"])
        if moved["verb"].startswith(("leave", "cross")):
            return StatedOrder(clause, f"don't send {moved['subject']} outside {where}")
        return StatedOrder(clause, f"don't send {moved['subject']} {where}")
    out = match(
        rf"{thing} (?:stays?|remains?|must stay|(?:is|are) to stay) (?:out of|away from|off) (?P<where>.+)",
        clause,
    )
    if out is not None:
        return StatedOrder(clause, f"don't put {out['subject']} in {out['where']}")
    kept = match(
        rf"{thing} (?:stays?|remains?|must (?:stay|remain)) (?:only )?(?:on|in|inside|within|with|at) "
        r"(?P<where>(?:the|our|my|this|us|here|house|premises|\w+ servers?)\b.*)",
        clause,
    )
    if kept is None:
        return None
    if _SYSTEM.search(kept["where"]) is None:
        return StatedOrder(clause, f"don't move {kept['subject']}")
    return StatedOrder(clause, f"don't share {kept['subject']} outside {kept['where']}")


def of_passive(clause: str, before: str) -> StatedOrder | None:
    """Reads "generated/ is not edited by hand", "that setting isn't to be fiddled with"."""
    not_ = r"(?: is| are|'s|'re)(?: not|n't| never)"
    tampered = match(rf"(?:{POINTING}|{SUBJECT}){not_} (?:to be |being )?(?:{_TAMPERED})(?P<rest>.*)", clause)
    if tampered is not None:
        thing = tampered["subject"] or topic_of(before)
        return StatedOrder(clause, f"don't change {thing}{tampered['rest']}") if thing else None
    found = match(
        rf"(?:{POINTING}|{SUBJECT}){not_} (?P<owed>to be |allowed to be )?(?P<verb>[a-z]+(?:ed|en|wn|"
        rf"ne|[dlpn]t|[aeu]nt|ought|ut|un|ld|id|ung))"
        r"\b(?P<rest>.*)",
        clause,
    )
    base = base_of(found["verb"].lower()) if found is not None else ""
    if found is None or not base:
        return None
    thing = found["subject"] or topic_of(before)
    is_plural = re.match(r".*(?: are|'re)(?: not|n't| never) ", clause) is not None
    way = _WAY if is_plural or "/" in thing or " never " in clause else _PLAIN_WAY
    is_always = is_plural and " never " in clause and bool(found["rest"])
    is_order = found["owed"] or (base in words().verbs and (is_always or way.search(found["rest"])))
    if not thing or not is_order or STANDING.search(clause):
        return None
    return StatedOrder(clause, f"don't {base} {thing}{ANY_MORE.sub('', found['rest'])}")


def of_setting(clause: str, before: str) -> StatedOrder | None:
    """Reads "the stop loss stays at 17850", "the heating stays off"."""
    if STANDING.search(clause):
        return None
    at = match(
        rf"(?:{POINTING}|{SUBJECT}) (?:stays?|remains?|must stay) (?:at|on) "
        r"(?:[€$£]?\d[\d.,]*\S*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
        r"noon|midnight)\b)(?P<rest>.*)",
        clause,
    )
    if at is not None:
        thing = at["subject"] or topic_of(before)
        return StatedOrder(clause, f"don't change {thing}") if thing and not is_person(thing) else None
    kept = match(
        rf"{NOT_SUBJECT}(?P<subject>(?:[\w'-]+ ){{0,3}}?{words().settings}"
        r"(?: (?:on|of|for|in|to|at|from|with) [^,;.!?]+?)??) "
        r"(?:stays?|remains?|(?:is|are) staying|will stay|must stay) (?:just |exactly )?"
        rf"(?:as (?:they are|it is|is|before)|the same|unchanged|put|where (?:they are|it is)){UNTIL}(?: for now)?",
        clause,
    )
    if kept is not None:
        return StatedOrder(clause, f"don't change {kept['subject']}{kept['until'] or ''}")
    same = match(r"(?:and )?it (?:stays?|remains?) (?P<what>(?:an? |the )?[\w' -]{3,40})", clause)
    if same is not None and re.search(rf"\b(?:is|are|'s) {re.escape(same['what'])}\b", before, re.IGNORECASE):
        return StatedOrder(clause, f"don't convert {re.sub('^an? ', 'the ', same['what'])}")
    device = (
        rf"{NOT_SUBJECT}(?P<subject>(?:[\w'-]+ ){{0,5}}?{words().devices}(?: (?:of|in|on|for) [\w' -]+?)?)"
    )
    state = match(
        rf"{device} (?:stays?|remains?|must stay) (?P<state>off|on|shut|closed|locked)(?P<rest>(?: .*)?)",
        clause,
    )
    if state is None:
        return None
    act = {"off": "switch on", "on": "switch off"}.get(state["state"].lower(), "open")
    return StatedOrder(clause, f"don't {act} {state['subject']}{state['rest']}")


def of_decree(clause: str, _before: str) -> StatedOrder | None:
    """Reads "prices are frozen until 6 January", "discount codes are stopped", "main is PR only"."""
    listed = words()
    where = r"(?: (?:on|of|for|in|to|at|above|below|over|under|from|with) [^,;.!?]+?)??"
    setting = match(
        rf"{NOT_SUBJECT}(?P<subject>(?:[\w'-]+ ){{0,3}}?{listed.settings}{where}){BE} (?:now |all |"
        rf"hereby |officially )*"
        rf"(?:frozen|locked(?: down)?|sealed|set in stone|untouchable|final|(?:read|append)[- "
        rf"]only){UNTIL}(?: for now)?$",
        clause,
    )
    if setting is not None:
        return StatedOrder(clause, f"don't change {setting['subject']}{setting['until'] or ''}")
    deed = match(
        rf"{NOT_SUBJECT}(?P<subject>(?:[\w'-]+ ){{0,3}}?{listed.deeds}{where}){BE} (?:now |all |hereby |officially )*"
        rf"(?P<state>frozen|stopped|suspended|paused|on (?:hold|ice)|halted|off|out|over|cancell?ed|closed){UNTIL}"
        r"(?P<now> for now)?$",
        clause,
    )
    if deed is not None:
        # A single event that is cancelled is news.
        is_kept = deed["state"].lower() in (
            "frozen",
            "stopped",
            "suspended",
            "paused",
            "on hold",
            "on ice",
            "halted",
        )
        return (
            StatedOrder(clause, f"no {deed['subject']}{deed['until'] or ''}")
            if is_kept or deed["until"]
            else None
        )
    ruled = match(
        rf"{SUBJECT}{BE} (?:now |all |strictly |absolutely )*(?:off[- ](?:the[- ]table|limits)|out of the question|"
        rf"not an option|no option|an? (?:absolute )?no[- ]?go|taboo|verboten|not on(?=$| until)){UNTIL}(?P<rest>.*)$",
        clause,
    )
    if ruled is not None:
        return StatedOrder(clause, f"{refusing(ruled['subject'])}{ruled['rest']}{ruled['until'] or ''}")
    branch = match(
        r"(?P<subject>[\w`./-]+) is (?:PR|pull[- ]request|merge[- ]request|MR|review)s?[- ]only", clause
    )
    if branch is not None:
        return StatedOrder(clause, f"don't push to {branch['subject']}")
    free = match(
        rf"(?:we(?:'ve| have) (?:always )?been|we(?:'re| are)|this is|ours is)(?: now)? (?:an? "
        rf")?(?P<thing>[\w-]+)-free "
        rf"(?:\w+ )?{listed.places}\b.*",
        clause,
    )
    return StatedOrder(clause, f"no {free['thing']}") if free is not None else None


def of_limit(clause: str, _before: str) -> StatedOrder | None:
    """Reads "heating never above 19", "keep the heating at 19 at most"."""
    kept = match(
        rf"(?:please |just )*(?:keep|hold|leave|set) {SUBJECT} (?:at|to) (?P<figure>[€$£]?\d\S*(?: [a-z%°]+)?) "
        r"(?:(?P<most>at (?:the )?most|max(?:imum)?|tops|or (?:less|lower|below|under))|at (?:the )?least|min(?:imum)?|"
        r"or (?:more|higher|above|over))(?P<rest>(?: .*)?)",
        clause,
    )
    if kept is not None:
        side = "above" if kept["most"] else "below"
        return StatedOrder(clause, f"don't set {kept['subject']} {side} {kept['figure']}{kept['rest']}")
    found = match(
        rf"{SUBJECT}(?: must| may| should| is| are)? (?:never|not) (?:to )?(?:be |go |goes )?(?P<limit>(?:above|over|"
        rf"below|under|beyond|past|"
        r"more than|less than|higher than|lower than|before|after) [€$£]?(?:\d|(?:one|two|three|four|five|six|seven|"
        r"eight|nine|ten|eleven|twelve|noon|midnight)\b).*)",
        clause,
    )
    if found is None or is_person(found["subject"]):
        return None
    return StatedOrder(clause, f"don't set {found['subject']} {re.sub(r',? please$', '', found['limit'])}")
