"""Recognises orders in the form of a statement: "we don't deliver on Sundays", "prices are frozen until 6 January".

An order binds a person (we, no one, the one who does a passive act) and lasts. The same grammar reports how things
are ("we don't have a lift", "he doesn't work on Fridays"), so that the words of `stated_orders.toml` or of the scope
must tell that people decide on it. Each order is rewritten in the plain form "don't ...", by which gates read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.stated_approvals import of_approval, of_decider, of_full
from bardo.conduct.hearing.orders.stated_bans import of_ban, of_gerund, of_nobody
from bardo.conduct.hearing.orders.stated_model import (
    ANY_MORE,
    CLAUSE,
    LEAD,
    STANDING,
    SUBJECT,
    StatedOrder,
    is_person,
    match,
    refusing,
    topic_of,
    with_topic,
    words,
)
from bardo.conduct.hearing.orders.stated_things import (
    of_conveyed,
    of_decree,
    of_limit,
    of_passive,
    of_setting,
)
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.bans import LASTING

#: Words of a report: of the past, of a degree, of others, of what is not so yet; of a guess and a wish.
_REPORT = lazy_pattern(
    r"\b(?:yet|so far|enough|much|many|often|usually|normally|really|these days|nowadays|was|were|had|used to|"
    r"yesterday|last (?:week|month|year|night|time|\w+day)|i (?:guess|think|suppose|hear|heard|believe|wish|hope)|"
    r"apparently|probably|maybe|perhaps|seems?|unfortunately|sadly|luckily|said|says|told|according|would|could|might|"
    r"do you|do we|for a living|either|as if|if (?:we|i|you|they|he|she|it))\b|[\"“”«»]",
    re.IGNORECASE,
)
#: Words of others: "says the ECB".
_TOLD = lazy_pattern(
    r"\b(?:says|said|according to|apparently|i (?:read|heard) that|reportedly)\b", re.IGNORECASE
)
_GROUP = (
    r"(?:we(?: all)?|the (?:team|family|practice|company)|"
    r"this (?:team|house|household|office|shop|family|practice|school|clinic))"
)
_TIMED = lazy_pattern(
    r"\b(?:day|days|morning|mornings|afternoon|afternoons|evening|evenings|night|nights|week|weekend|"
    r"weekends|slot|slots|"
    r"hour|hours|calendar|diary|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_OBJECTLESS = lazy_pattern(
    r"(?:on|in|at|to|into|from|before|after|during|over|between|outside|under|for|by|via|past|until|"
    r"without|when|while|unless|"
    r"abroad|overseas)\b",
    re.IGNORECASE,
)
#: Announcement of an order, with which also a statement about a machine is one.
_LABEL = lazy_pattern(
    r"\b(?:(?:house|ground|office|family|kitchen|team|company|school|standing|golden|new|first|basic|"
    r"important) rules?\b|"
    r"rules?:|policy:|the rules? (?:is|are|here))",
    re.IGNORECASE,
)
_OUT = lazy_pattern(
    r"(?P<thing>(?!(?:he|she|it|that|this|they|i|we|you|the|my|our|your|his|her)\b)[\w-]+(?: "
    r"[\w-]+)?)(?:'s| is| are) out",
    re.IGNORECASE,
)
#: Time at which something was ended.
_PAST_TIME = lazy_pattern(
    r" (?:(?:back )?in (?:\d{4}|spring|summer|autumn|fall|winter|january|february|march|april|may|"
    r"june|july|august|september|"
    r"october|november|december)|last \w+|\w+ ago|yesterday)$",
    re.IGNORECASE,
)
#: Things of which a "no" reports.
_FOUND = frozenset(
    {"news", "one", "idea", "problem", "problems", "luck", "time", "need", "sign", "trace", "space", "room"}
)
#: Word after which a refused topic follows in a sentence of its own: "customer data in Google Sheets: no".
_TOPIC_NO = lazy_pattern(
    r"(?P<topic>(?!(?:sorry|well|oh|honestly|actually|unfortunately|sadly|thanks|thank|please|ok|okay|hmm|but|and|"
    r"yes|no|not|never|if|when|as for|that\w*|this|i|you|he|she|it|they|there|what|why|how|who|is|are|"
    r"do|does|did|can|could|would|"
    r"should|will|any)\b)[^:;.!?\"“”–—]{6,100}?)"
    r"\s*(?:[:,.;]|\s[-–—]+)\s+(?:still |that(?:'s| is) |is |are |all )*(?:a )?(?:hard |clear |flat |firm |big )?"
    r"(?:no|never(?: again| ever)?|no way|no chance|not ever|off the table|off limits|out of the "
    r"question|forbidden|banned)"
    r"(?=\s*(?:$|[.,;!]|\s[-–—]))",
    re.IGNORECASE,
)


def stated_orders(sentence: str, before: str = "", *, is_answer: bool = False) -> list[StatedOrder]:
    """Returns the orders that a sentence gives as statements.

    Args:
        sentence: Sentence of a user.
        before: Sentences of the same message before it, to which its pronouns may point.
        is_answer: Whether it answers a question of the agent, so that "X is out" is said of a way and not of a thing.
    """
    text = wording.straight(sentence).strip()
    if text.endswith("?"):
        return []
    if _TOLD.search(text):
        return []
    whole = LEAD.sub("", text, count=1)
    if (several := [*_of_sentence(whole)]) and not _REPORT.search(whole):
        return several
    found: list[StatedOrder] = []
    start = 0
    for mark in (*CLAUSE.finditer(text), None):
        end = len(text) if mark is None else mark.start()
        clause = text[start:end].strip()
        topic = f"{before} {text[:start]}"
        start = end if mark is None else mark.end()
        if not clause or _REPORT.search(clause):
            continue
        said = LEAD.sub("", clause, count=1)
        order = _of_clause(said, topic) or (
            _of_labelled(said) if _LABEL.search(f"{before} {text[:start]}") else None
        )
        if order is None and is_answer and (out := _OUT.fullmatch(said)) is not None:
            order = StatedOrder(clause, f"no {out['thing']}")
        if order is not None:
            found.append(order)
    return found


def _of_clause(clause: str, before: str) -> StatedOrder | None:
    """Returns the order of a clause; None if it gives none."""
    forms = (
        _of_group, of_conveyed, of_passive, of_setting, of_decree, of_approval, of_full, _of_nothing, _of_time,
        of_limit, of_ban, of_gerund, of_nobody, _of_hold, _of_own, _of_switch,
    )  # fmt: skip
    return next((order for form in forms if (order := form(clause, before)) is not None), None)


def _of_group(clause: str, before: str) -> StatedOrder | None:
    """Reads "we don't deliver on Sundays", "we don't run migrations from laptops any more"."""
    listed = words()
    found = match(
        rf"{_GROUP}(?: really| just| simply)? (?P<not>don't|do not|doesn't|does not|never|won't|no longer|"
        rf"(?:are|'re) not going to) (?:ever )?(?P<act>(?:(?P<plain>{listed.acts})|"
        rf"(?P<scoped>{listed.scoped}))\b(?P<rest>.*))",
        clause,
    )
    if found is None:
        return None
    act = ANY_MORE.sub("", found["act"]).strip()
    rest = ANY_MORE.sub("", found["rest"]).strip()
    is_ended = act != found["act"].strip() or found["not"] == "no longer"
    is_lasting = is_ended or LASTING.search(rest) is not None
    if (not rest and not is_ended) or (found["scoped"] and not is_lasting) or STANDING.search(rest):
        return None
    verb = act.split()[0].lower()
    if rest and _OBJECTLESS.match(rest) and (noun := listed.nouns.get(verb)):
        return StatedOrder(clause, f"no {noun} {rest}")
    return StatedOrder(clause, f"don't {act}") if (act := with_topic(act, before)) else None


def _of_own(clause: str, _before: str) -> StatedOrder | None:
    """Reads what the speaker has ended or does not take: "I don't book with them any more", "no calls before ten"."""
    acts = words().acts
    ended = match(
        rf"i (?:(?:don't|do not|won't) (?P<act>{acts} .+?) any ?(?:more|longer)|no longer (?P<now>{acts} .+)|"
        rf"(?:'ve |have )?stopped (?P<doing>[a-z-]+ing .+))",
        clause,
    ) or match(rf"{_GROUP}(?:'ve| have)? (?:stopped|quit|given up) (?P<doing>[a-z-]+ing .+)", clause)
    if ended is not None:
        given = ended.groupdict()
        act = given.get("act") or given.get("now") or ended["doing"]
        act = _PAST_TIME.sub("", act)
        is_known = not ended["doing"] or base_of(f"{act.split()[0][:-3]}ed") in words().verbs
        return StatedOrder(clause, f"don't {act}") if is_known else None
    met = match(
        r"(?:i|we) (?:don't|do not|never) (?:take|do|have|want) (?P<what>(?:[\w-]+ )?(?:calls?|meetings?|appointments?|"
        r"interviews?|visits?|visitors|viewings?|deliveries|flights?))(?P<when> .+)",
        clause,
    )
    if met is None or LASTING.search(met["when"]) is None:
        return None
    return StatedOrder(clause, f"don't book {met['what']}{met['when']}")


def _of_nothing(clause: str, before: str) -> StatedOrder | None:
    """Reads "nothing goes into the basement", "book nothing on Fridays", "no pork in this house"."""
    given = match(
        r"(?:please |just )*(?P<verb>[a-z]+) nothing"
        r"(?P<rest> (?!(?:but|except|other|more|less|better|short|wrong)\b).+)",
        clause,
    )
    if given is not None and given["verb"].lower() in words().verbs and not STANDING.search(clause):
        return StatedOrder(clause, f"don't {given['verb'].lower()} anything{given['rest']}")
    moved = match(
        r"(?:nothing|no (?P<what>[\w' -]{2,40}?)) (?:goes|comes|is to (?:go|come)) (?P<where>(?:in|"
        r"into|on|onto|to|through|"
        r"near|over|under)\b(?! (?:my|your|his|her) (?:head|mind)).+)",
        clause,
    )
    if moved is not None:
        return StatedOrder(
            clause, f"don't put {moved['what'] or 'anything'} {ANY_MORE.sub('', moved['where'])}"
        )
    done = match(
        r"(?:nothing|no (?P<what>[\w' -]{2,40}?)) (?:new |more |else )?(?:gets|is to be|is|are|are to be) "
        r"(?P<verb>[a-z]+(?:ed|en|t|n))\b(?P<rest>.*)",
        clause,
    )
    base = base_of(done["verb"].lower()) if done is not None else ""
    if (
        done is not None
        and base in words().verbs
        and STANDING.search(clause) is None
        and done["rest"].strip()
    ):
        if re.match(r" (?:there|here)\b", done["rest"]):
            thing = topic_of(before)
            return (
                StatedOrder(clause, f"don't {base} {done['what'] or 'anything'} on {thing}")
                if thing
                else None
            )
        return StatedOrder(
            clause, f"don't {base} {done['what'] or 'anything'}{ANY_MORE.sub('', done['rest'])}"
        )
    planned = match(rf"there (?:will|shall|are to|is to) be no (?P<what>{words().deeds}.*)", clause)
    if planned is not None:
        return StatedOrder(clause, f"no {planned['what']}")
    here = match(
        rf"no (?:more )?(?P<what>[\w' -]{{2,40}}?) (?P<where>(?:in|on|at|into|inside) (?:this|our|my) "
        rf"(?:\w+ )?{words().places}.*)",
        clause,
    )
    return StatedOrder(clause, clause) if here is not None and here["what"] not in _FOUND else None


def _of_time(clause: str, before: str) -> StatedOrder | None:
    """Reads "keep her Wednesday afternoons clear"."""
    found = match(
        r"(?:please |just )*(?:keep|leave|hold) (?P<what>[^,;.!?]{2,60}?) (?:clear|free|empty|open|blank|unbooked)"
        r"(?P<rest>(?: (?:of|for|on|until|from|in|at|this|next) .*)?)$",
        clause,
    )
    if found is None:
        return None
    what = topic_of(before) if found["what"].lower() in ("it", "them", "that", "those") else found["what"]
    if _TIMED.search(what) is None:
        return None
    kept_of = re.match(r" of (?P<what>.+)", found["rest"])
    if kept_of is not None:
        return StatedOrder(clause, f"don't book {kept_of['what']} on {what}")
    return StatedOrder(clause, f"don't book {what}{found['rest']}")


def _of_switch(clause: str, before: str) -> StatedOrder | None:
    """Reads "wifi off at 21:00 on school nights and off it remains"."""
    found = match(
        rf"(?P<device>(?:[\w'-]+ ){{0,3}}?{words().devices}) (?P<state>on|off) (?:at|from|after) "
        rf"(?P<time>[\d:.]+(?: ?[ap]m)?)"
        r"(?P<rest>(?: [^,;.]+?)?) and (?P=state) it (?:stays?|remains?)(?: \w+)*",
        clause,
    )
    if found is None:
        return None
    of = re.search(r"(?:^|[.!?]\s+)(?P<thing>[\w' -]{2,40}):\s*$", before.strip() + " ")
    whose = f" for {of['thing']}" if of is not None else ""
    turned = "off" if found["state"].lower() == "on" else "on"
    return StatedOrder(
        clause, f"don't switch {found['device']}{whose} {turned} after {found['time']}{found['rest']}"
    )


def _of_labelled(clause: str) -> StatedOrder | None:
    """Reads what a machine does not do, after "house rule": "the robot vacuum doesn't run before nine"."""
    found = match(
        rf"{SUBJECT} (?:doesn't|don't|does not|do not|never|must not|mustn't) (?P<verb>run|runs|start|"
        rf"starts|ring|rings|play|plays|"
        r"go on|goes on|come on|comes on|sound|sounds|open|opens)(?P<rest> .+)",
        clause,
    )
    if found is None or is_person(found["subject"]):
        return None
    verb = found["verb"].removesuffix("s")
    how = "switch on" if verb.endswith(" on") or verb in ("goe", "sound") else verb
    return StatedOrder(clause, f"don't {how} {found['subject']}{found['rest']}")


def _of_hold(clause: str, _before: str) -> StatedOrder | None:
    """Reads "hold off on posting to the shop's account"."""
    found = match(
        r"(?:please |just |let's )*hold off(?: on| with)? (?P<act>[\w-]+ing\b.+|the [\w' -]+|any [\w' -]+)",
        clause,
    )
    if found is None:
        return None
    return StatedOrder(clause, refusing(found["act"].removeprefix("the ")))


def _of_sentence(text: str) -> Iterator[StatedOrder]:
    """Yields the orders of a sentence as a whole: a list after a heading, and a topic before a "no"."""
    named = match(
        r"(?:[\w' -]{2,40}? )?(?:that |which )?(?:i|we) (?:don't|do not|never) (?:ever )?want(?: to "
        r"(?:see|hear|have|find|read))?"
        r"(?P<where>(?: (?:in|on|at|from|near) [\w' -]+?)?)(?: again| any ?more)?:\s*(?P<items>.+)",
        text,
    ) or match(
        r"(?P<where>)[^:.!?]*\b(?:dead to (?:me|us)|off (?:the|our|my) list|are out|blacklisted|"
        r"blocked|never again|no longer welcome|"
        r"not welcome|not wanted)\b[^:.!?]*:\s*(?P<items>.+)",
        text,
    )
    listed = match(
        r"(?:.*?[\s,;:.])?(?:for|on|in|at|during) (?:the|this|our|all|every|any|my|her|his) [\w' "
        r"-]{2,30}?:\s*(?P<items>no .+)",
        text,
    )
    if (decider := of_decider(text)) is not None:
        yield decider
    elif named is not None:
        items = re.split(r",?\s+(?:and|or|nor)\s+|,\s*", named["items"].strip(" ."))
        # A name is unwanted anywhere.
        yield from (
            StatedOrder(text, f"no {item.strip()}{'' if item.strip()[:1].isupper() else named['where']}")
            for item in items
            if item.strip()
        )
    elif (
        listed is not None
        and len(items := re.split(r"\s*[,;]\s*(?:and |or )?(?=no )", listed["items"].strip(" ."))) > 1
    ):
        yield from (
            StatedOrder(item, re.sub(r" (?:anywhere|at all|whatsoever)$", "", item)) for item in items
        )
    elif (
        (topic := _TOPIC_NO.match(text)) is not None
        and not is_person(topic["topic"])
        and _names(topic["topic"])
    ):
        yield StatedOrder(text, refusing(topic["topic"].strip()))


def _names(topic: str) -> bool:
    """Whether a topic before a "no" is more than a word, so that it is no answer to a question about one thing."""
    return (
        len(topic.split()) > 1
        and re.search(
            r"\b(?:that|this|it|them|is|are|was|were|has|have|had|i|you|do|does|did)\b", topic, re.IGNORECASE
        )
        is None
    )
