"""Parts of orders in the form of a statement: their words, clauses, subjects, and what their pronouns stand for."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.parse.vocabulary import stems_of

#: End of an order that no one can see: it lasts until it is lifted.
_ENDLESS = lazy_pattern(
    r" (?:until|till|til|'til) (?:(?:i|we|you|they|he|she) (?:say|says|tell|tells|hear|decide|change|lift)\b.*|"
    r"further notice|told otherwise|.* (?:says|say) (?:so|otherwise)).*$| for (?:now|the moment|the time being)$",
    re.IGNORECASE,
)
#: Place of the speaker, where all acts are.
_HOME = lazy_pattern(
    r" (?:(?:in|at|on|for|within) (?:this|our|the whole|my) (?:org|organi[sz]ation|company|team|house|"
    r"household|home|place|"
    r"shop|firm|practice|office|trip|holiday|project)|here)$",
    re.IGNORECASE,
)
_UNTIL_DAY = lazy_pattern(r"\b(?:until|till|before) (?P<day>[a-z][a-z' ]+)$", re.IGNORECASE)
#: Way of an act at the end of its words.
_WITH_WAY = lazy_pattern(r" (?:from|via|through) (?P<what>[\w' -]+)$", re.IGNORECASE)


class StatedOrder(NamedTuple):
    """Order in the form of a statement.

    Args:
        text: Clause that orders, as it was said.
        forbids: Forbidden act in plain form.
    """

    text: str
    forbids: str

    @property
    def plain(self) -> str:
        """Forbidden act with dates for names of days, without the speaker's place and an end that no one can see."""
        return _dated(_HOME.sub("", _ENDLESS.sub("", self.forbids)).strip())

    @property
    def data(self) -> str:
        """Conditions of the act as JSON (`Forbids`), if its words alone do not tell the way of it; else empty."""
        found = _WITH_WAY.search(self.plain)
        known = propose(self.plain).conditions
        if found is None or any(stems_of(found["what"]) <= stems_of(each) for each in known):
            return ""
        return json.dumps({"conditions": [*known, found[0].strip()]})


class Words(NamedTuple):
    """Patterns of the words of `stated_orders.toml`, and its verbs."""

    acts: str
    scoped: str
    verbs: frozenset[str]
    conveyed: str
    settings: str
    deeds: str
    places: str
    devices: str
    nouns: dict[str, str]
    days: dict[str, str]


#: End of a clause.
CLAUSE = lazy_pattern(
    r"(?<=\S)(?:[,;:]|[.!?…]+)(?=\s|$)|\s[-–—]+\s|\s[:;]-?[()DP]+(?=\s|$)|\s+(?=(?:so|but|because|"
    r"and) (?:we|it|they|he|she|the|that|please)\b)"
)
_ADJUNCT = (
    r"(?:(?:since|after|as of|starting|from|during|for|in|on|until|with|by|at|over) (?:[\w'/-]+ "
    r"){1,5}?(?=(?:we|nothing|no ?body|no one|no)\b)|"
    r"(?:(?:for|at|in) (?:the (?:moment|time being)|now) ))"
)
LEAD = lazy_pattern(
    rf"(?:\W*(?:{_ADJUNCT}|(?:oh|and|so|also|but|well|ok(?:ay)?|yes|yeah|no(?=[,.!])|right|(?:we|"
    rf"i)(?:'ve| have)? (?:all )?(?:agreed|decided|settled)(?: that)?(?= \w)|please|anyway|then|btw|"
    rf"because|since|as|listen|"
    r"look|wait|sorry|actually|remember|note|reminder|fyi|mind|still|besides|generally|basically)\b[\s,:.!–—-]*))*"
    r"\W*",
    re.IGNORECASE,
)
#: Words of a report of how a thing stands at present.
STANDING = lazy_pattern(
    r"\b(?:still|again|currently|at present|right now|this (?:week|month|year)|today)\b", re.IGNORECASE
)
ANY_MORE = lazy_pattern(r",?\s*\b(?:any ?more|any ?longer)\b", re.IGNORECASE)
UNTIL = r"(?P<until> (?:until|till|til|'til|before|while|for as long as|as long as) [^,;.!?]+)?"
NOT_SUBJECT = (
    r"(?!(?:i|we|you|he|she|it|they|there|who|what|which|where|why|how|if|when|no ?body|no|not|"
    r"(?:this|that|these|those)"
    r"(?= (?:is|are|isn|aren|stays?|remains?|must)\b|'s))\b)"
)
SUBJECT = rf"{NOT_SUBJECT}(?P<subject>[\w`'\"@./&£€$%+#*-]+(?: [\w`'\"@./&£€$%+#*-]+){{0,7}}?)"
BE = r"(?: is| are|'s|'re| stays?| remains?)"
POINTING = (
    r"(?P<pointing>it|that|this|they|those|these|(?:that|this|the) (?:setting|one|thing)|(?:those|these) "
    r"settings)"
)
PERSON = r"(?P<who>(?-i:(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?))"
_EVERY = lazy_pattern(r"(?:any ?thing|everything|all|any|every|the|that|this|those|these)\b ?", re.IGNORECASE)
#: Gerund; "anything", "nothing" and "string" are none.
GERUND = lazy_pattern(
    r"(?!(?:\w*thing|string|spring|evening|morning|building|ceiling|king|ring|wing|staging|meeting|"
    r"training|marketing|landing|pricing|billing|housing|parking|opening|banking|wedding)\b)[\w-]{2,}ing\b",
    re.IGNORECASE,
)
#: Thing that a clause is about, before one that points at it.
_TOPIC = lazy_pattern(
    rf"(?P<thing>{NOT_SUBJECT}(?:[\w'./&-]+ ){{0,5}}?[\w'./&-]+)"
    r"(?:'s| (?:is|are|sits?|stands?|runs?|has|have|needs?|gets?|costs?|belongs?|works?|stays?|retires?|was|were))\b",
    re.IGNORECASE,
)
_POINTED = lazy_pattern(
    r"\b(?:it|them|that|those|these)(?=$| (?:on|in|into|at|to|from|for|with|before|after)\b)", re.IGNORECASE
)


def _dated(order: str) -> str:
    """Returns an order with the date of a day by which it ends: "until 1 January" for "until New Year"."""
    found = _UNTIL_DAY.search(order)
    date = "" if found is None else words().days.get(found["day"].lower(), "")
    return f"{order[: found.start('day')]}{date}" if found is not None and date else order


def refusing(topic: str) -> str:
    """Returns the plain form of an order against an act or a thing: "don't scrape", "no coach"."""
    every = _EVERY.match(topic)
    bare = topic[every.end() :] if every is not None else topic
    if every is not None and every[0].lower().rstrip().endswith("thing"):
        return f"nothing {bare}"
    return f"don't {bare}" if GERUND.match(bare) else f"no {bare}"


def match(pattern: str, clause: str) -> re.Match[str] | None:
    """Matches a whole clause with a pattern, which is compiled once."""
    return _compiled(pattern).fullmatch(clause.strip())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def with_topic(act: str, before: str) -> str:
    """Returns an act with the thing that its last pronoun points at; empty if it points at nothing known."""
    found = _POINTED.search(act)
    if found is None:
        return act
    thing = topic_of(before)
    return f"{act[: found.start()]}{thing}{act[found.end() :]}" if thing else ""


def topic_of(before: str) -> str:
    """Returns the thing that the clauses before are about; empty if they have none."""
    clauses = (LEAD.sub("", part, count=1) for part in reversed(CLAUSE.split(before)))
    return next((found["thing"].strip() for clause in clauses if (found := _TOPIC.match(clause))), "")


def is_person(thing: str) -> bool:
    """Whether a thing may be a person: a name, or one of the family."""
    words = thing.split()
    kin = (
        r"(?:(?:my|our|the|her|his) )?(?:mum|mom|mother|dad|father|grandma|grandpa|son|daughter|brother|"
        r"sister|wife|husband|kids?|children|boss)"
    )
    return (len(words) == 1 and words[0].istitle()) or re.fullmatch(kin, thing, re.IGNORECASE) is not None


def _either(text: str, *, plural: bool = False) -> str:
    items = sorted((each.strip() for each in text.replace("\n", " ").split(",")), key=len, reverse=True)
    forms = [
        f"{re.escape(each).removesuffix('y')}(?:ys?|ies)"
        if each.endswith("y")
        else f"{re.escape(each)}(?:e?s)?"
        for each in items
        if each
    ]
    return f"(?:{'|'.join(forms if plural else [re.escape(each) for each in items if each])})(?![\\w-])"


@cache
def words() -> Words:
    """Returns the words of `stated_orders.toml`; the file is read once."""
    raw = tomllib.loads(
        resources.files("bardo.conduct.hearing.orders")
        .joinpath("stated_orders.toml")
        .read_text(encoding="utf-8")
    )
    nouns = {
        name: _either(raw[name], plural=True)
        for name in ("conveyed", "settings", "deeds", "places", "devices")
    }
    listed = f"{raw['acts']}, {raw['scoped']}, {raw['changes']}"
    verbs = frozenset(each.strip() for each in listed.replace("\n", " ").split(","))
    return Words(
        _either(raw["acts"]), _either(raw["scoped"]), verbs, **nouns, nouns=raw["nouns"], days=raw["days"]
    )
