"""Recognises answers that turn an offer down in any words, such as "In a clinic? Come on", and what was offered.

What is turned down is the offer, or the one of its options that the answer names; a substitute that the answer names is
not. A refusal for now ("not before the load test is through") turns it down until then.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.answers import act_of, proposal
from bardo.conduct.parse.actions.figures import NUMBERS
from bardo.conduct.parse.actions.operation_table import framing_stems
from bardo.conduct.parse.conditions.conditions import is_known
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.parse.times import DAYS
from bardo.conduct.parse.vocabulary import stems_of
from bardo.consolidate.languages.english.dates import MONTHS
from bardo.consolidate.texts.clauses import sentences


class Refused(NamedTuple):
    """Offer that was turned down.

    Args:
        words: The offer, in the words of the agent, with the time until which it is turned down.
        forbids: Its thing and operations as JSON (`Forbids`); empty if the words tell them.
    """

    words: str
    forbids: str


class _Offer(NamedTuple):
    """Offer of an agent.

    Args:
        words: Its words: an act, or the sentence that names a thing.
        things: Phrases of things that it names, that of the offer first.
        is_act: Whether it is an act that the agent would do.
        is_asked: Whether it asks, so that a plain "no" is an answer to it.
    """

    words: str
    things: tuple[str, ...]
    is_act: bool
    is_asked: bool


class _Words(NamedTuple):
    """Patterns of `refused_offers.toml`."""

    declining: re.Pattern[str]
    strong: re.Pattern[str]
    predicates: re.Pattern[str]
    accepting: re.Pattern[str]
    disliking: re.Pattern[str]
    taking: re.Pattern[str]


_DATES = frozenset((*DAYS, *MONTHS))
_MARK = lazy_pattern(r"\s*(?:[,;:!?…]+|\.+)(?=\s|$)\s*|\s+[-–—]+\s+")
_PARTICLE = lazy_pattern(
    r"^(?:(?:oh|ah|aw|hmm+|hm|u[mh]+|er+|eh+|ugh|well|ok but|hey|sorry|honestly|look|listen|but|and|so|please|really|"
    r"then|right|mate|love|dear|god|lord|no offence|actually|exactly|wow|lol|haha)(?![\w'-])[\s,.!…]*)+(?=\w)",
    re.IGNORECASE,
)
#: Time until which something is turned down.
_UNTIL = lazy_pattern(
    r"(?:(?:let's |let us |please |just |better |i'd |we |we'll |i'll )*(?:wait|hold off|hold on|hold "
    r"it|hold that|park it|"
    r"leave it|postpone it)(?: with (?:that|it|this|those|the \w+))? )?"
    r"(?P<until>(?:not |no sooner than |never |only |nothing )?(?:before|until|till|unless) (?!then\b|now\b|that\b)"
    r"[^,;.!?]+)|(?P<after>only (?:after|once|when) [^,;.!?]+)|"
    r"(?P<span>(?:not )?(?:today|tonight|this (?:week|month|year|weekend|quarter|summer|winter|term)))\b",
    re.IGNORECASE,
)
#: Beginning of a nominal offer, without which a short question asks for something.
_ASKING = lazy_pattern(
    r"(?:what|who|whom|whose|which|when|where|why|how(?! about)|is|are|was|were|do|does|did|has|have|"
    r"had|can|could|will|"
    r"would|shall|should|may|might|any|anything|something|ready|sure|ok|okay|right|really|done|correct|more|still|"
    r"questions?|sorry|pardon|you|i|he|she|it|they|that|this|and you|guess|want|remember|know|see|"
    r"have|need|got|fancy|for|at|on|in|to|by|from|since|until|yes|no)\b",
    re.IGNORECASE,
)
_OFFERED = lazy_pattern(
    r"^(?:(?:how|what) about|either|maybe|perhaps|or|and|then|so|ok|okay|well|possibly|why not)\b[\s,]*",
    re.IGNORECASE,
)
_DETERMINER = lazy_pattern(r"(?:the|an?|some|our|my|your|this|that|these|those|its|one)$", re.IGNORECASE)
_NO_NAME = lazy_pattern(
    r"(?:neither|either|both|all|none|nothing|every|each|no|not|never|always|\d+|let|i'|it'|usually|[\w']+n't)$",
    re.IGNORECASE,
)
_STOP = lazy_pattern(
    r"(?:is|are|was|were|has|have|had|will|would|can|could|should|may|might|does|do|did|says?|saying|looks?|seems?|"
    r"with|for|at|in|on|from|to|near|by|over|under|into|onto|across|around|there|here|now|today|tonight|tomorrow|"
    r"instead|too|then|again|everywhere|who|which|that|because|if|when|while|before|after|until|as|and|or|but|costs?|"
    r"takes?|pays?|runs?|starts?|opens?|sells?|serves?|offers?|comes?|goes|fits?|gets?|makes?|sold|went|came|did|"
    r"leaves?|lasts?|works?|needs?|stands?|yields?|i|we|you|they|he|she|it)$",
    re.IGNORECASE,
)
#: Thing that stays, which turns its end down.
_KEPT = lazy_pattern(
    r"\b(?:stays?|remains?|is staying|are staying|i keep|we keep|i'm keeping|we're keeping)\b", re.IGNORECASE
)
_ENDING = lazy_pattern(
    r"(?:cancel|sell|remove|delete|drop|end|close|stop|get rid of|replace|retire|disable|switch off|turn off|cut|throw|"
    r"move|change|swap|rename|return|give (?:up|away)|scrap|fire|dismiss|lower|reduce|take (?:out|off|"
    r"down)|unsubscribe)\b",
    re.IGNORECASE,
)
_COMPLEMENT = lazy_pattern(r"\b(?:for|of|with|from|at|to|by|in|on) ", re.IGNORECASE)
_COUNTED = lazy_pattern(
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|both|some|a few|"
    r"several)\b",
    re.IGNORECASE,
)
_KEEP = lazy_pattern(
    r"(?:please |just |let's |we )*keep (?:it|them|that|those|all|everything)\b", re.IGNORECASE
)
_DENIED = lazy_pattern(
    r"(?:not|no|never) (?:the |an? |that |those |again |more )*\S|.* (?:no|never)$", re.IGNORECASE
)
#: Maximum words of a clause that denies a thing of what an agent only told.
_BRIEF = 3
#: Beginning of a clause about the offer as a whole.
_ABOUT_IT = lazy_pattern(
    r"^(?:\w+ \w+ (?:it|that|those|them|these)$|too\b|overkill|overpriced|"
    r"(?:that|this|it)(?:'s| is| was| would be|'d be)?\b|been there|what a)",
    re.IGNORECASE,
)
#: Reason or number after an act: "sell the Apple shares, they've the biggest gain", "chairs, four of them".
_BECAUSE = lazy_pattern(
    r",\s+(?:(?:they|it|that|which|so|we|i|he|she|the|as|because|since)\b|"
    rf"(?:about |some |say )?(?:\d+|{'|'.join(NUMBERS)}) (?:of (?:them|those)|each)\b).*$",
    re.IGNORECASE,
)
#: Order of its own against a thing.
_NO_THING = lazy_pattern(
    r"(?:no|never|no more) (?!(?:i|we|you|it|that|this|they|don't|please|thanks|way|chance|not)\b)\w",
    re.IGNORECASE,
)
#: Maximum number of clauses in which an answer turns down.
_PARTS = 6
_TOKEN = lazy_pattern(r"[^\s,;:!?()\"“”]+")
_ELSE = lazy_pattern(
    r"(?:some|any)(?:where|thing|one|body) (?:else|other|but)|elsewhere|another|thanks,? but no",
    re.IGNORECASE,
)
#: Beginning of a sentence that tells of no thing.
_OF_ONESELF = lazy_pattern(r"(?:i|we|you|it|he|she|they|that|ok|okay|done|noted|yes|no)\b", re.IGNORECASE)
_DONE = lazy_pattern(
    r"(?:^|[.!?,;]\s+)(?P<own>(?!(?:i|we|you|he|she|it|they|that|what|so)\b)[^.!?,;]{3,40}?) "
    r"(?:and (?:done|that's (?:it|that|final)|be done with it)|it is)[\s.!]*$",
    re.IGNORECASE,
)
_CONTRAST = lazy_pattern(
    r"(?:please,? )?(?:we|this|it|he|she|they)(?:'re|'s| are| is) [^,.!?]+, not (?:an?|the|some)\b",
    re.IGNORECASE,
)


def refused_offer(answer: str, before: str) -> Refused | None:
    """Returns the offer of an agent that an answer turns down; None if it turns none down.

    Args:
        answer: Words of a user.
        before: Words of the agent just before.
    """
    text = wording.straight(answer).strip()
    if not before.strip() or not text or (text.endswith("?") and len(sentences(text)) == 1):
        return None
    offers = [*_offers(wording.straight(before))]
    parts = [_PARTICLE.sub("", part.strip()) for part in _MARK.split(text) if part.strip()]
    parts = [part for part in parts if not _PARTICLE.match(f"{part} x")][:_PARTS] or parts[:1]
    if not offers or not parts or any(map(_words().accepting.match, parts[:2])):
        return None
    found = next(
        (one for place in range(len(parts)) if (one := _by_part(parts, place, offers)) is not None), None
    )
    if found is not None:
        return found
    done = _DONE.search(text)
    own = stems_of(done["own"]) if done is not None else frozenset[str]()
    asked = _only(offers)
    is_other = done is not None and asked is not None and own.isdisjoint(stems_of(asked.words))
    return _refused(asked, "") if asked is not None and (is_other or _CONTRAST.match(text)) else None


def _by_part(parts: list[str], place: int, offers: list[_Offer]) -> Refused | None:
    """Returns what a clause of an answer turns down."""
    words, part = _words(), parts[place]
    named, asked = _named_in(part, offers), next((each for each in offers if each.is_asked), None)
    until = _UNTIL.match(part) if place == 0 else None
    is_kept = place == 0 and asked is not None and bool(_ENDING.match(asked.words) and _KEEP.match(part))
    if asked is not None and (until is not None or is_kept):
        return _refused(asked, "", _end_of(until) if until is not None else "")
    if words.strong.match(part):
        return _refused(named or asked or offers[0], part if named is not None else "")
    declined = words.declining.match(part)
    is_second = place == 1 and len(parts[0].split()) <= _BRIEF and words.declining.fullmatch(part) is not None
    if declined is not None and (place == 0 or is_second or named is not None):
        offer = named if named is not None and named.is_asked else asked
        # "No meetings before lunch" is an order of its own.
        is_clear = named is not None or not _NO_THING.match(part) or any(map(words.strong.match, parts))
        return _refused(offer, part if named is offer else "") if offer is not None and is_clear else None
    if named is None:
        is_disliked = place == 0 and asked is not None and _ABOUT_IT.search(part) is not None
        return (
            _refused(asked, "")
            if is_disliked and asked is not None and words.disliking.search(part)
            else None
        )
    if _KEPT.search(part) and not _ENDING.match(named.words):
        return None
    is_ruled_out = named.is_asked and (
        words.predicates.search(part) is not None or _KEPT.search(part) is not None
    )
    # "Green... no", "MySQL no", "not the Adler".
    is_denied = (
        place <= 1 and _DENIED.match(part) is not None and (named.is_asked or len(part.split()) <= _BRIEF)
    )
    following = parts[place + 1] if place + 1 < len(parts) else ""
    is_disliked = (
        named.is_asked and words.disliking.search(f"{part} {following}" if place == 0 else part) is not None
    )
    is_denied |= (
        named.is_asked
        and place == 0
        and re.fullmatch(r"(?:no+|nope|nah|never)", following, re.IGNORECASE) is not None
    )
    is_followed = words.strong.match(following) or (named.is_asked and words.declining.fullmatch(following))
    is_echo = place == 0 and named.is_asked and _stems(part) <= _stems(named.words) | framing_stems()
    is_echoed = is_echo and any(map(words.declining.match, parts[1:]))
    return (
        _refused(named, part)
        if is_ruled_out or is_denied or is_disliked or is_followed or is_echoed
        else None
    )


def _refused(offer: _Offer, naming: str, until: str = "") -> Refused:
    """Returns an offer as what is turned down, narrowed to the option that the answer names."""
    said = _stems(naming)
    thing = (
        next((each for each in sorted(offer.things, key=len) if said & stems_of(each)), "") if said else ""
    )
    figures = [each for each in re.findall(r"\d+", offer.words) if each in said]
    words = offer.words if offer.is_act or not thing or len(offer.things) == 1 else thing
    thing = thing or (offer.things[0] if offer.things else "")
    if figures and thing:
        thing = f"{thing} {figures[0]}"
    data: dict[str, list[str]] = {}
    is_taken = not offer.is_act or _words().taking.match(offer.words) is not None
    if thing and is_taken:
        kept = (
            [each for each in propose(f"don't {offer.words}").conditions if is_known(each)]
            if offer.is_act
            else []
        )
        data = {"things": [thing], "verbs": ["use"], "conditions": kept}
        if len(thing.split()) == 1:
            data["packages"] = [thing.lower()]
    elif figures and thing:
        data = {"things": [thing], "verbs": ["use"], "conditions": []}
    if until:
        words = words if words.lower().endswith(until.lower()) else f"{words} {until}"
        if data:
            data["conditions"] = [until]
    return Refused(words, json.dumps(data) if data else "")


def _end_of(found: re.Match[str]) -> str:
    """Returns the words of an end: "until Monday" of "not before Monday"."""
    if found["span"]:
        return re.sub(r"^not ", "", found["span"], flags=re.IGNORECASE)
    if found["after"]:
        return re.sub(r"^only (?:after|once|when)", "before", found["after"], flags=re.IGNORECASE)
    return re.sub(r"^(?:not|no sooner than|never|only|nothing) ", "", found["until"], flags=re.IGNORECASE)


def _offers(text: str) -> Iterator[_Offer]:
    """Yields the offers of an agent's message, the last one first."""
    every = sentences(text)
    for place in range(len(every) - 1, max(-1, len(every) - 4), -1):
        sentence = every[place].strip()
        is_asked = sentence.endswith("?")
        act = proposal(sentence)
        if act == sentence:
            act = act_of(sentence)
        if act and act != sentence:
            act = _BECAUSE.sub("", act)
            rest = _after_verb(act)
            own = _phrase(rest)
            of = [_phrase(each) for each in _COMPLEMENT.split(rest)[1:]] if own else []
            # Of "two tickets for the musical" the musical is what may be turned down.
            is_counted = _COUNTED.match(own) is not None and any(of)
            beside = (*_phrases(sentence.partition(act)[0]), *_phrases(rest))
            things = tuple(dict.fromkeys(filter(None, (*of, own) if is_counted else (own, *beside, *of))))
            yield _Offer(
                re.sub(r" (?:there|here|now|for the moment|for now)$", "", act),
                things,
                is_act=True,
                is_asked=True,
            )
        elif (
            is_asked and len(sentence.split()) <= 9 and not _ASKING.match(bare := _OFFERED.sub("", sentence))
        ):
            whole = _phrase(bare.replace(" and ", " & "))
            if things := tuple(dict.fromkeys((*filter(None, [whole]), *_phrases(bare)))):
                things = tuple(each.replace(" & ", " and ") for each in things)
                yield _Offer(bare.rstrip("?! ."), things, is_act=False, is_asked=True)
        elif not is_asked and not _OF_ONESELF.match(sentence) and (things := tuple(_phrases(sentence))):
            yield _Offer(sentence.rstrip("! ."), things, is_act=False, is_asked=False)


def _only(offers: list[_Offer]) -> _Offer | None:
    """Returns the offer that an answer is to: the last one that asks, or the last one that names a thing."""
    return next((each for each in offers if each.is_asked), offers[0] if offers else None)


def _named_in(part: str, offers: list[_Offer]) -> _Offer | None:
    """Returns the offer of which a clause of an answer names a thing; None if it names none."""
    said = _stems(part)
    return (
        next((each for each in offers if said & (_stems(each.words) - framing_stems())), None)
        if said
        else None
    )


def _stems(text: str) -> frozenset[str]:
    """Returns the stems of a text, with the numbers in words as figures."""
    words = [str(NUMBERS.get(word.lower(), word)) for word in re.findall(r"[\w'-]+", text)]
    return stems_of(" ".join(words)) | {word for word in words if word.isdigit()}


def _after_verb(act: str) -> str:
    """Returns the words of an act after its verb."""
    taken = _words().taking.match(act)
    return act[taken.end() :].strip() if taken is not None else act.partition(" ")[2]


def _phrases(text: str) -> Iterator[str]:
    """Yields the phrases with which the clauses of a text begin."""
    for clause in re.split(r"[,;:.?!]\s|\s[-–—]+\s|\s(?:or|and)\s", text):
        if phrase := _phrase(_OFFERED.sub("", clause.strip())):
            yield phrase


def _phrase(text: str) -> str:
    """Returns the noun phrase with which a text begins; empty if it has no content word."""
    kept: list[str] = []
    for token in _TOKEN.findall(text.rstrip("?!. ")):
        if not kept and _DETERMINER.match(token):
            continue
        if _STOP.match(token):
            break
        kept.append(token)
    words = [re.sub(r"'s$", "", word) for word in kept]
    if words and _NO_NAME.match(words[0]):
        return ""
    is_date = all(word.lower() in _DATES for word in words)
    return (
        " ".join(words)
        if not is_date and stems_of(" ".join(words)) - framing_stems() and len(words) <= 6
        else ""
    )


def _either(listed: str) -> str:
    items = sorted((each.strip() for each in listed.replace("\n", " ").split(",")), key=len, reverse=True)
    rest = r"(?:[^,;.!?]+)"
    return "|".join(re.escape(each).replace(r"\.\.\.", rest).replace(r"\ ", r"\s+") for each in items if each)


@cache
def _words() -> _Words:
    text = (
        resources.files("bardo.conduct.hearing.orders")
        .joinpath("refused_offers.toml")
        .read_text(encoding="utf-8")
    )
    raw = tomllib.loads(text)
    return _Words(
        re.compile(rf"(?:{_either(raw['declining'])})(?![\w'-])", re.IGNORECASE),
        re.compile(rf"(?:{_either(raw['strong'])})(?![\w'-])", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{_either(raw['predicates'])})(?![\w'-])", re.IGNORECASE),
        re.compile(rf"(?:{_either(raw['accepting'])})(?![\w'-])", re.IGNORECASE),
        re.compile(rf"(?<![\w'-])(?:{_either(raw['disliking'])})(?![\w'-])", re.IGNORECASE),
        re.compile(rf"(?:{_either(raw['taking'])})(?![\w'-])", re.IGNORECASE),
    )
