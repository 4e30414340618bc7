"""Recognises orders in the form of a statement: "we don't deliver on Sundays", "prices are frozen until 6 January".

An order has somebody who is bound (we, nobody, the one who does a passive act) and a lasting scope. The same grammar
reports how things are ("we don't have a lift", "he doesn't work on Fridays"), so that the words of
`stated_orders.toml` or of the scope must tell that people decide on it. Each order is rewritten in the plain form
"don't ...", by which gates read it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.parse import wording
from bardo.conduct.state.bans import LASTING


class StatedOrder(NamedTuple):
    """Order in the form of a statement.

    Args:
        text: Clause that orders, as it was said.
        forbids: Forbidden act in plain form; empty if the order only requires an approval.
        approval: Act that needs the approval of a person whom the text names; empty if there is none.
    """

    text: str
    forbids: str
    approval: str = ""


class _Words(NamedTuple):
    """Patterns of the words of `stated_orders.toml`, and its verbs."""

    acts: str
    scoped: str
    verbs: frozenset[str]
    conveyed: str
    settings: str
    deeds: str
    places: str
    devices: str


#: End of a clause.
_CLAUSE = lazy_pattern(
    r"(?<=\S)(?:[,;:]|[.!?…]+)(?=\s|$)|\s[-–—]+\s|\s[:;]-?[()DP]+(?=\s|$)|\s+(?=(?:so|but|because|and) (?:we|it|they|he|she|the|that|please)\b)"
)
_ADJUNCT = (
    r"(?:(?:since|after|as of|starting|from|during|for|in|on|until|with|by|at|over) (?:[\w'/-]+ ){1,5}?(?=we\b)|"
    r"(?:(?:for|at|in) (?:the (?:moment|time being)|now) ))"
)
_LEAD = lazy_pattern(
    rf"(?:\W*(?:{_ADJUNCT}|(?:oh|and|so|also|but|well|ok(?:ay)?|yes|yeah|no|right|please|anyway|then|btw|because|since|as|listen|"
    r"look|wait|sorry|actually|remember|note|reminder|fyi|mind|still|besides|generally|basically)\b[\s,:.!–—-]*))*"
    r"\W*",
    re.IGNORECASE,
)
#: Words of a report: of the past, of a degree, of others, of what is not so yet; of a guess and a wish.
_REPORT = lazy_pattern(
    r"\b(?:yet|so far|enough|much|many|often|usually|normally|really|these days|nowadays|was|were|had|used to|"
    r"yesterday|last (?:week|month|year|night|time|\w+day)|i (?:guess|think|suppose|hear|heard|believe|wish|hope)|"
    r"apparently|probably|maybe|perhaps|seems?|unfortunately|sadly|luckily|said|says|told|according|would|could|might|"
    r"do you|do we|for a living|either|as if|if (?:we|i|you|they|he|she|it))\b|[\"“”«»]",
    re.IGNORECASE,
)
#: Words of a report of how a thing stands at present.
_STANDING = lazy_pattern(
    r"\b(?:still|again|currently|at present|right now|this (?:week|month|year)|today)\b", re.IGNORECASE
)
_ANY_MORE = lazy_pattern(r",?\s*\b(?:any ?more|any ?longer)\b", re.IGNORECASE)
_UNTIL = r"(?P<until> (?:until|till|til|'til|before|while|for as long as|as long as) [^,;.!?]+)?"
_NOT_SUBJECT = (
    r"(?!(?:i|we|you|he|she|it|they|there|who|what|which|where|why|how|if|when|nobody|no|not|(?:this|that|these|those)"
    r"(?= (?:is|are|isn|aren|stays?|remains?|must)\b|'s))\b)"
)
_SUBJECT = rf"{_NOT_SUBJECT}(?P<subject>[\w`'\"@./&£€$%+#*-]+(?: [\w`'\"@./&£€$%+#*-]+){{0,7}}?)"
_BE = r"(?: is| are|'s|'re| stays?| remains?)"
_GROUP = (
    r"(?:we(?: all)?|the (?:team|family|practice|company)|"
    r"this (?:team|house|household|office|shop|family|practice|school|clinic))"
)
_POINTING = r"(?P<pointing>it|that|this|they|those|these|(?:that|this|the) (?:setting|one|thing)|(?:those|these) settings)"
_PERSON = r"(?P<who>(?-i:(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?))"
_EVERY = lazy_pattern(r"(?:any ?thing|everything|all|any|every|the|that|this|those|these)\b ?", re.IGNORECASE)
#: Gerund; "anything", "nothing" and "string" are none.
_GERUND = lazy_pattern(
    r"(?!(?:\w*thing|string|spring|evening|morning|building|ceiling|king|ring|wing)\b)[\w-]{2,}ing\b",
    re.IGNORECASE,
)
#: Thing that a clause is about, before one that points at it.
_TOPIC = lazy_pattern(
    rf"(?P<thing>{_NOT_SUBJECT}(?:[\w'./&-]+ ){{0,5}}?[\w'./&-]+)"
    r"(?:'s| (?:is|are|sits?|stands?|runs?|has|have|needs?|gets?|costs?|belongs?|works?|stays?|retires?|was|were))\b",
    re.IGNORECASE,
)
_TIMED = lazy_pattern(
    r"\b(?:day|days|morning|mornings|afternoon|afternoons|evening|evenings|night|nights|week|weekend|weekends|slot|slots|"
    r"hour|hours|calendar|diary|date|dates|lunch|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_POINTED = lazy_pattern(
    r"\b(?:it|them|that|those|these)(?=$| (?:on|in|at|to|from|for|with|before|after)\b)", re.IGNORECASE
)
#: Way, place or time without which a passive only tells what was not done.
_WAY = lazy_pattern(
    r"\b(?:by (?:hand|e-?mail|post|phone|tube|air)|manually|directly|without|unless|until|before|after|outside|"
    r"in (?:chat|person|public|bulk)|over|above|below|under|on (?:\w+days?|weekends?|laptops|social media)|at (?:night|"
    r"weekends)|(?:to|from|with|into|at|for) \w+)\b",
    re.IGNORECASE,
)
#: Place out of which a thing is given away, and not only moved.
_SYSTEM = lazy_pattern(
    r"\b(?:servers?|systems?|network|vault|eu|premises|company|office|school|house|team|us)\b", re.IGNORECASE
)
_TAMPERED = r"(?:fiddled|tampered|messed|meddled|played|toyed|interfered|monkeyed)(?: around)? with|touched|adjusted|altered"
#: Word after which a refused topic follows in a sentence of its own: "customer data in Google Sheets: no".
_TOPIC_NO = lazy_pattern(
    r"(?P<topic>(?!(?:sorry|well|oh|honestly|actually|unfortunately|sadly|thanks|thank|please|ok|okay|hmm|but|and|"
    r"yes|no|not|never|if|when|as for|that\w*|this|i|you|he|she|it|they|there|what|why|how|who|is|are|do|does|did|can|could|would|"
    r"should|will|any)\b)[^:;.!?\"“”–—]{6,100}?)"
    r"\s*(?:[:,.;]|\s[-–—]+)\s+(?:still |that(?:'s| is) |is |are |all )*(?:a )?(?:hard |clear |flat |firm |big )?"
    r"(?:no|never(?: again| ever)?|no way|no chance|not ever|off the table|off limits|out of the question|forbidden|banned)"
    r"(?=\s*(?:$|[.,;!]|\s[-–—]))",
    re.IGNORECASE,
)


def stated_orders(sentence: str, before: str = "") -> list[StatedOrder]:
    """Returns the orders that a sentence gives as statements.

    Args:
        sentence: Sentence of a user.
        before: Sentences of the same message before it, to which its pronouns may point.
    """
    text = wording.straight(sentence).strip()
    if text.endswith("?"):
        return []
    whole = _LEAD.sub("", text, count=1)
    if (several := [*_of_sentence(whole)]) and not _REPORT.search(whole):
        return several
    found: list[StatedOrder] = []
    start = 0
    for mark in (*_CLAUSE.finditer(text), None):
        end = len(text) if mark is None else mark.start()
        clause = text[start:end].strip()
        topic = f"{before} {text[:start]}"
        start = end if mark is None else mark.end()
        if not clause or _REPORT.search(clause):
            continue
        said = _LEAD.sub("", clause, count=1)
        if (order := _of_clause(said, topic)) is not None:
            found.append(order)
    return found


def _of_clause(clause: str, before: str) -> StatedOrder | None:
    """Returns the order of a clause; None if it gives none."""
    forms = (
        _of_group,
        _of_conveyed,
        _of_passive,
        _of_setting,
        _of_decree,
        _of_person,
        _of_time,
        _of_limit,
        _of_hold,
    )
    return next((order for form in forms if (order := form(clause, before)) is not None), None)


def _of_group(clause: str, before: str) -> StatedOrder | None:
    """Reads "we don't deliver on Sundays", "we don't run migrations from laptops any more"."""
    words = _words()
    found = _match(
        rf"{_GROUP}(?: really| just| simply)? (?P<not>don't|do not|doesn't|does not|never|won't|no longer|"
        rf"(?:are|'re) not going to) (?:ever )?(?P<act>(?:(?P<plain>{words.acts})|(?P<scoped>{words.scoped}))\b(?P<rest>.*))",
        clause,
    )
    if found is None:
        return None
    act = _ANY_MORE.sub("", found["act"]).strip()
    rest = _ANY_MORE.sub("", found["rest"]).strip()
    is_ended = act != found["act"].strip() or found["not"] == "no longer"
    is_lasting = is_ended or LASTING.search(rest) is not None
    if (not rest and not is_ended) or (found["scoped"] and not is_lasting) or _STANDING.search(rest):
        return None
    return StatedOrder(clause, f"don't {act}") if (act := _named(act, before)) else None


def _of_conveyed(clause: str, _before: str) -> StatedOrder | None:
    """Reads "customer data doesn't go to outside APIs", "photos of the children stay on the school server"."""
    thing = rf"(?P<subject>(?:[\w'/&-]+ ){{0,4}}?{_words().conveyed}(?: (?:of|from|about|for|with|in) [\w' -]+?)?)"
    moved = _match(
        rf"{thing} (?:do(?:es)?(?:n't| not)|never|must(?:n't| not)|may not) (?:ever )?"
        r"(?P<verb>go(?:es)?|leaves?|ends? up|travels?|belongs?|crosse?s?|come|comes|get|gets) (?P<where>.+)",
        clause,
    )
    if moved is not None:
        where = _ANY_MORE.sub("", moved["where"])
        if moved["verb"].startswith(("leave", "cross")):
            return StatedOrder(clause, f"don't send {moved['subject']} outside {where}")
        return StatedOrder(clause, f"don't send {moved['subject']} {where}")
    kept = _match(
        rf"{thing} (?:stays?|remains?|must (?:stay|remain)) (?:only )?(?:on|in|inside|within|with|at) "
        r"(?P<where>(?:the|our|my|this|us|here|house|premises|\w+ servers?)\b.*)",
        clause,
    )
    if kept is None:
        return None
    if _SYSTEM.search(kept["where"]) is None:
        return StatedOrder(clause, f"don't move {kept['subject']}")
    return StatedOrder(clause, f"don't share {kept['subject']} outside {kept['where']}")


def _of_passive(clause: str, before: str) -> StatedOrder | None:
    """Reads "generated/ is not edited by hand", "that setting isn't to be fiddled with"."""
    not_ = r"(?: is| are|'s|'re)(?: not|n't| never)"
    tampered = _match(
        rf"(?:{_POINTING}|{_SUBJECT}){not_} (?:to be |being )?(?:{_TAMPERED})(?P<rest>.*)", clause
    )
    if tampered is not None:
        thing = tampered["subject"] or _topic(before)
        return StatedOrder(clause, f"don't change {thing}{tampered['rest']}") if thing else None
    found = _match(
        rf"(?:{_POINTING}|{_SUBJECT}){not_} (?P<owed>to be |allowed to be )?(?P<verb>[a-z]+(?:ed|en|wn|ne|[dlpn]t|[aeu]nt|ought|ut|un|ld|id|ung))"
        r"\b(?P<rest>.*)",
        clause,
    )
    base = base_of(found["verb"].lower()) if found is not None else ""
    if found is None or not base:
        return None
    thing = found["subject"] or _topic(before)
    is_order = found["owed"] or (base in _words().verbs and _WAY.search(found["rest"]))
    if not thing or not is_order or _STANDING.search(clause):
        return None
    return StatedOrder(clause, f"don't {base} {thing}{_ANY_MORE.sub('', found['rest'])}")


def _of_setting(clause: str, before: str) -> StatedOrder | None:
    """Reads "the stop loss stays at 17850", "the heating stays off"."""
    if _STANDING.search(clause):
        return None
    at = _match(
        rf"(?:{_POINTING}|{_SUBJECT}) (?:stays?|remains?|must stay) (?:at|on) [€$£]?\d[\d.,]*\S*(?P<rest>.*)",
        clause,
    )
    if at is not None:
        thing = at["subject"] or _topic(before)
        return StatedOrder(clause, f"don't change {thing}") if thing and not _is_person(thing) else None
    same = _match(r"(?:and )?it (?:stays?|remains?) (?P<what>(?:an? |the )?[\w' -]{3,40})", clause)
    if same is not None and re.search(rf"\b(?:is|are|'s) {re.escape(same['what'])}\b", before, re.IGNORECASE):
        return StatedOrder(clause, f"don't change {re.sub('^an? ', 'the ', same['what'])}")
    device = rf"(?P<subject>(?:[\w'-]+ ){{0,5}}?{_words().devices}(?: (?:of|in|on|for) [\w' -]+?)?)"
    state = _match(
        rf"{device} (?:stays?|remains?|must stay) (?P<state>off|on|shut|closed|locked)(?P<rest>(?: .*)?)",
        clause,
    )
    if state is None:
        return None
    act = {"off": "switch on", "on": "switch off"}.get(state["state"].lower(), "open")
    return StatedOrder(clause, f"don't {act} {state['subject']}{state['rest']}")


def _of_decree(clause: str, _before: str) -> StatedOrder | None:
    """Reads "prices are frozen until 6 January", "discount codes are stopped", "main is PR only"."""
    words = _words()
    where = r"(?: (?:on|of|for|in|to|at|above|below|over|under|from|with) [^,;.!?]+?)??"
    setting = _match(
        rf"(?P<subject>(?:[\w'-]+ ){{0,3}}?{words.settings}{where}){_BE} (?:now |all |hereby |officially )*"
        rf"(?:frozen|locked(?: down)?|sealed|set in stone|untouchable|final|(?:read|append)[- ]only){_UNTIL}(?: for now)?$",
        clause,
    )
    if setting is not None:
        return StatedOrder(clause, f"don't change {setting['subject']}{setting['until'] or ''}")
    deed = _match(
        rf"(?P<subject>(?:[\w'-]+ ){{0,3}}?{words.deeds}{where}){_BE} (?:now |all |hereby |officially )*"
        rf"(?P<state>frozen|stopped|suspended|paused|on (?:hold|ice)|halted|off|out|over|cancell?ed|closed){_UNTIL}"
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
    ruled = _match(
        rf"{_SUBJECT}{_BE} (?:now |all |strictly |absolutely )*(?:off[- ](?:the[- ]table|limits)|out of the question|"
        rf"not an option|no option|an? (?:absolute )?no[- ]?go|taboo|verboten|not on(?=$| until)){_UNTIL}(?P<rest>.*)$",
        clause,
    )
    if ruled is not None:
        return StatedOrder(clause, f"{_refused(ruled['subject'])}{ruled['rest']}{ruled['until'] or ''}")
    branch = _match(
        r"(?P<subject>[\w`./-]+) is (?:PR|pull[- ]request|merge[- ]request|MR|review)s?[- ]only", clause
    )
    if branch is not None:
        return StatedOrder(clause, f"don't push to {branch['subject']}")
    free = _match(
        rf"(?:we(?:'ve| have) (?:always )?been|we(?:'re| are)|this is|ours is)(?: now)? (?:an? )?(?P<thing>[\w-]+)-free "
        rf"(?:\w+ )?{words.places}\b.*",
        clause,
    )
    return StatedOrder(clause, f"no {free['thing']}") if free is not None else None


def _of_person(clause: str, before: str) -> StatedOrder | None:
    """Reads "refunds above £50 are Priya's call", "she alone changes them", "she takes no new patients any more"."""
    owned = _match(
        rf"{_SUBJECT} (?:is|are) {_PERSON}(?:'s|s') (?:call|decision|say|business|department|to (?:decide|approve|sign))\b.*",
        clause,
    )
    if owned is not None and re.search(r"s\b|ing\b", owned["subject"]):
        return StatedOrder(clause, "", owned["subject"])
    alone = _match(rf"(?:{_PERSON}|she|he) alone (?P<verb>[a-z]+s) (?P<rest>[^,;.!?]+)", clause) or _match(
        rf"only {_PERSON} (?:(?:may|can|gets to|is allowed to) (?P<may>[a-z]+)|(?P<verb>[a-z]+s)) (?P<rest>[^,;.!?]+)",
        clause,
    )
    verb = (alone.groupdict().get("may") or base_of(alone["verb"])) if alone is not None else ""
    if alone is not None and verb in _words().verbs:
        thing = (
            _topic(before)
            if alone["rest"].lower() in ("it", "them", "that", "those", "these")
            else alone["rest"]
        )
        return StatedOrder(clause, "", f"{verb} {thing}") if thing else None
    full = _match(
        rf"(?:{_PERSON}|she|he|they)(?: (?:takes?|accepts?|sees)(?: on)? no|(?:'s| is| are) no longer (?:taking|"
        r"accepting|seeing)(?: on)?|(?:'s| is| are)(?: not|n't) (?:taking|accepting|seeing)(?: on)?(?: any)?) "
        r"(?P<what>(?:new|more|further) \w+).*",
        clause,
    )
    if full is None:
        return None
    who = full["who"] or _person(before)
    return StatedOrder(clause, f"don't book {full['what']} with {who}") if who else None


def _of_time(clause: str, _before: str) -> StatedOrder | None:
    """Reads "keep her Wednesday afternoons clear"."""
    found = _match(
        r"(?:please |just )*(?:keep|leave|hold) (?P<what>[^,;.!?]{3,60}?) (?:clear|free|empty|open|blank|unbooked)"
        r"(?P<rest>(?: (?:of|for|on|until|from|in|at|this|next) .*)?)$",
        clause,
    )
    if found is None or _TIMED.search(found["what"]) is None:
        return None
    return StatedOrder(clause, f"don't book {found['what']}{found['rest']}")


def _of_limit(clause: str, _before: str) -> StatedOrder | None:
    """Reads "heating never above 19"."""
    found = _match(
        rf"{_SUBJECT}(?: must| may| should)? (?:never|not) (?:be |go |goes )?(?P<limit>(?:above|over|below|under|beyond|past|"
        r"more than|less than|higher than|lower than|before|after) [€$£]?(?:\d|(?:one|two|three|four|five|six|seven|"
        r"eight|nine|ten|eleven|twelve|noon|midnight)\b).*)",
        clause,
    )
    if found is None or _is_person(found["subject"]):
        return None
    return StatedOrder(clause, f"don't set {found['subject']} {re.sub(r',? please$', '', found['limit'])}")


def _of_hold(clause: str, _before: str) -> StatedOrder | None:
    """Reads "hold off on posting to the shop's account"."""
    found = _match(
        r"(?:please |just |let's )*hold off(?: on| with)? (?P<act>[\w-]+ing\b.+|the [\w' -]+|any [\w' -]+)",
        clause,
    )
    if found is None:
        return None
    return StatedOrder(clause, _refused(found["act"].removeprefix("the ")))


def _of_sentence(text: str) -> Iterator[StatedOrder]:
    """Yields the orders of a sentence as a whole: a list after a heading, and a topic before a "no"."""
    named = _match(
        r"(?:[\w' -]{2,40}? )?(?:that |which )?(?:i|we) (?:don't|do not|never) (?:ever )?want(?: to (?:see|hear|have|find|read))?"
        r"(?P<where>(?: (?:in|on|at|from|near) [\w' -]+?)?)(?: again| any ?more)?:\s*(?P<items>.+)",
        text,
    )
    listed = _match(
        r"(?:.*?[\s,;:.])?(?:for|on|in|at|during) (?:the|this|our|all|every|any|my|her|his) [\w' -]{2,30}?:\s*(?P<items>no .+)",
        text,
    )
    if named is not None:
        items = re.split(r",?\s+(?:and|or|nor)\s+|,\s*", named["items"].strip(" ."))
        yield from (StatedOrder(text, f"no {item.strip()}{named['where']}") for item in items if item.strip())
    elif (
        listed is not None
        and len(items := re.split(r"\s*[,;]\s*(?:and |or )?(?=no )", listed["items"].strip(" ."))) > 1
    ):
        yield from (
            StatedOrder(item, re.sub(r" (?:anywhere|at all|whatsoever)$", "", item)) for item in items
        )
    elif (
        (topic := _TOPIC_NO.match(text)) is not None
        and not _is_person(topic["topic"])
        and _names(topic["topic"])
    ):
        yield StatedOrder(text, _refused(topic["topic"].strip()))


def _refused(topic: str) -> str:
    """Returns the plain form of an order against an act or a thing: "don't scrape", "no coach"."""
    every = _EVERY.match(topic)
    bare = topic[every.end() :] if every is not None else topic
    if every is not None and every[0].lower().rstrip().endswith("thing"):
        return f"nothing {bare}"
    return f"don't {bare}" if _GERUND.match(bare) else f"no {bare}"


def _names(topic: str) -> bool:
    """Whether a topic before a "no" is more than a word, so that it is no answer to a question about one thing."""
    return (
        len(topic.split()) > 1
        and re.search(
            r"\b(?:that|this|it|them|is|are|was|were|has|have|had|i|you|do|does|did)\b", topic, re.IGNORECASE
        )
        is None
    )


def _match(pattern: str, clause: str) -> re.Match[str] | None:
    return _compiled(pattern).fullmatch(clause.strip())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _named(act: str, before: str) -> str:
    """Returns an act with the thing that its last pronoun points at; empty if it points at nothing known."""
    found = _POINTED.search(act)
    if found is None:
        return act
    thing = _topic(before)
    return f"{act[: found.start()]}{thing}{act[found.end() :]}" if thing else ""


def _topic(before: str) -> str:
    """Returns the thing that the clauses before are about; empty if they have none."""
    clauses = (_LEAD.sub("", part, count=1) for part in reversed(_CLAUSE.split(before)))
    return next((found["thing"].strip() for clause in clauses if (found := _TOPIC.match(clause))), "")


def _person(before: str) -> str:
    """Returns the person whom the clauses before name last; empty if they name none."""
    found = re.findall(
        r"\b(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?(?= (?:is|has|will|\w+s)\b)", before
    )
    return found[-1] if found else ""


def _is_person(thing: str) -> bool:
    """Whether a thing may be a person: a name, or one of the family."""
    words = thing.split()
    kin = r"(?:(?:my|our|the|her|his) )?(?:mum|mom|mother|dad|father|grandma|grandpa|son|daughter|brother|sister|wife|husband|kids?|children|boss)"
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
def _words() -> _Words:
    raw = tomllib.loads(
        resources.files("bardo.conduct.hearing").joinpath("stated_orders.toml").read_text(encoding="utf-8")
    )
    nouns = {
        name: _either(raw[name], plural=True)
        for name in ("conveyed", "settings", "deeds", "places", "devices")
    }
    listed = f"{raw['acts']}, {raw['scoped']}, {raw['changes']}"
    verbs = frozenset(each.strip() for each in listed.replace("\n", " ").split(","))
    return _Words(_either(raw["acts"]), _either(raw["scoped"]), verbs, **nouns)
