"""Recognises reports, corrections and courtesies, which decide, ask and refuse nothing."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.rejections import wording
from bardo.consolidate.texts.vocabulary import PAST_IRREGULAR

_ACT = lazy_pattern(
    r"\b(?:we|i)(?: (?:all|both|just|also|then|even|already|only|\w+ly))* (?P<verb>[a-z]+)\b(?: (?P<next>[\w']+))?",
    re.IGNORECASE,
)
#: Verbs by which something is decided, in the past.
_DECIDING = frozenset({
    "decided", "settled", "agreed", "voted", "opted", "selected", "approved", "adopted", "replaced",
    "standardised", "standardized", "committed", "signed", "ruled", "rejected", "dropped", "abandoned", "ended",
    "resolved", "concluded", "migrated", "deprecated", "banned",
})  # fmt: skip
#: Verbs that also tell of a lasting choice, unless a time tells when it took place.
_CHOOSING = frozenset({
    "chose", "picked", "switched", "moved", "kept", "booked", "stuck", "hired",
})  # fmt: skip
_DECIDING_NOUN = lazy_pattern(
    r"\b(?:decision|choice|call|agreement|verdict|plan|vote|poll)\b|"
    r"\b(?:said (?:yes|no)|final|in the end|after all|from now on|going forward)\b|"
    r"\b(?:permanently|for all|instead of|rather than|over|not)\b",
    re.IGNORECASE,
)
#: Words that tell how things are or will be.
_PRESENT = lazy_pattern(
    r"\b(?:is|are|will|shall|must|should|its|going)\b|\b(?:we|i|it|that|there|they)'(?:s|re|ll|m|ve)\b|"
    r"\b(?:we|i) (?:have|want|need|use|keep|take|go|choose|pick)\b",
    re.IGNORECASE,
)
_TIME = lazy_pattern(
    r"\b(?:yesterday|tonight|ago|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|\w+day)|"
    r"(?:on|this|all) (?:the )?(?:\w+day|weekend|morning|afternoon|evening|day|week|night)|at (?:noon|midnight|\w+ "
    r"o'clock|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)|in the (?:morning|afternoon|evening)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
#: Choice of the group, told as made, against what was thought before: "we moved to Scaleway after all".
_CHOICE = lazy_pattern(
    r"^(?:ok(?:ay)?,? |so,? |well,? |in the end,? )?(?:we|i)(?: have|'ve)? (?:(?:now|finally|just) )?"
    r"(?:moved|switched|migrated|changed|went|stuck|stayed|settled|ended up|gone)(?: back| over)? (?:to|with|for|on) "
    r"(?P<what>[^,;.?!]{1,80}?) (?:after all|instead|for\sgood|in the end)[.!]?$",
    re.IGNORECASE,
)
#: Thing that the group uses, told as new: "we use Typst now".
_ADOPTION = lazy_pattern(
    r"^we(?:'re)? (?:now )?(?:use|using|go with|going with|are on) (?P<what>[^,;.?!]{1,80}?)"
    r"(?<! for) (?:now|from now on|instead|after all)[.!]?$",
    re.IGNORECASE,
)
#: Change of one thing in a clause of its own: "we moved the endpoint"; an address may tell where it is now.
_CHANGED = lazy_pattern(
    r"^(?:(?:ok(?:ay)?|so|fyi|btw),? )?(?:we|i)(?: have|'ve)? (?:(?:now|finally|just|already) )?(?P<verb>[a-z]+) "
    r"(?:the|our|my|this|that|these|those|all)\b(?!.* (?:over|with|instead|for|to (?!\S*[\d/])))",
    re.IGNORECASE,
)
#: How a thing stands: "it is at port 80 now", "the old address is dead".
_STANDS = lazy_pattern(
    r"^(?:(?:it|they|that|this|everything)\b|(?:the|our|its) [\w .'-]+? )(?:'s|'re| ?is| ?are| ?was| ?has| ?have)\b"
    r"(?!.*\b(?:must|should|better|cheaper|final|decided)\b)",
    re.IGNORECASE,
)
_CLAUSES = lazy_pattern(r"(?:\s*[,;]\s+|[.!]\s+|\s[-–—]\s)(?:and |so )?|\s+and (?=(?:it|they|the)\b)")
_COURTESY = lazy_pattern(
    r"\b(?:i|we) (?:really )?(?:don'?t|do not|didn'?t|did not|wouldn'?t|would not) (?:want|mean|wish) to "
    r"(?:keep|bother|disturb|trouble|bore|interrupt|annoy|hurt|offend|rush|worry|burden|scare|upset|waste|hold|"
    r"complain|sound|seem|be (?:rude|mean|late|that|a)|impose|pry|nag|spoil|jinx|brag)\b|"
    r"^(?:\W|oh |well )*no (?:idea|clue|problem|worries|wonder|doubt|luck|news|rush|hurry|stress|need to|kidding|"
    r"offen[cs]e|hard feelings)\b|^i do(?:n'?t| not) (?:know|remember|recall|understand|mind|care)\b",
    re.IGNORECASE,
)
#: Thing that is told of, and not the one who speaks or is spoken to.
_SUBJECT = r"^(?!(?:i|we|you|let'?s|don'?t|never|no)\b)[^,;.?!]{1,80}?"
_IS_NOT = r"(?:(?:\b(?:is|are|was|were)|'s|'re) not|\b(?:is|are|was|were)n't)"
#: No words that rule on a thing, and do not correct it, after "is no longer" and "is not".
_NOT_RULED = (
    r"(?!(?:allowed|permitted|acceptable|tolerated|wanted|welcome|needed|an option|okay|ok|fine|to|going)\b)"
)
#: Correction: what a thing is no longer, or is not, with what it is: "the contact is no longer A, it is B".
_CORRECTION = lazy_pattern(
    r"^no longer [^,;.?!]{1,60}[,;:–—-]+ ?(?:but |make it |it's |it is |now )|"
    rf"{_SUBJECT}(?:\b(?:is|are|was|were)|'s|'re) no longer {_NOT_RULED}|"
    rf"{_SUBJECT}{_IS_NOT} {_NOT_RULED}[^,;.?!]{{1,60}}? any ?(?:more|longer)\b|"
    rf"{_SUBJECT}{_IS_NOT} {_NOT_RULED}[^,;.?!]{{1,60}}[,;:.–—-]+ ?(?:but |rather )?"
    r"(?:it|that|he|she|they|this)(?:'s| is|'re| are| was) (?!not\b)",
    re.IGNORECASE,
)
#: State of a thing, in figures: "retries are limited to 5", "the threshold stays at 36.5".
_STATE = lazy_pattern(
    r"^(?!(?:i|we|you|let'?s|please)\b)[^?]{1,120}?\b(?:is|are|was|were|stays?|remains?|stands?|has been|have been|"
    r"sits?)(?: (?:now|currently|still|again|always|only|\w+ly))* (?:(?:limited|capped|restricted|set|fixed|configured|"
    r"throttled|pinned|bound|raised|lowered|increased|reduced|down|up|bumped|cut|locked|scheduled) )?"
    r"(?:to|at|by|from) (?:[\w.-]+ ){0,2}?[€$£]?\d",
    re.IGNORECASE,
)
#: Words by which a statement asks for something to be done, now or at a time.
_OWED = lazy_pattern(
    r"\b(?:to be|needs?|ha(?:s|ve) to|must|should|shall|due|please|todo|open|pending|left|missing|overdue|deadline|"
    r"tomorrow|tonight|today|next|appointment|meeting|remind|(?:mon|tues|wednes|thurs|fri|satur|sun)day|want|ought|"
    r"can you|could you|make sure|check|remember)\b",
    re.IGNORECASE,
)

#: Statement about a third party in the present: "the contract belongs to Sensortek", "Marek signs the invoices".
_HABIT = re.compile(
    r"^(?:(?:the|our|my|your|his|her|its|their|this|that|these|those|he|she|it|they)\b[^?]*?\b[a-z]{2,}s\b|"
    r"(?-i:[A-Z])[\w-]+ (?:belongs|owns|signs|handles|runs|pays|leads|manages|maintains|covers|looks after|works|lives|"
    r"takes care|likes|prefers|uses|holds|keeps|sits|hangs) [^?]*|"
    r"(?-i:[A-Z])[\w-]+ [a-z]{2,}s (?:the|our|an?|my|your|his|her|their|its)\b[^?]* "
    r"(?:on \w+days|every \w+|each \w+|daily|weekly|(?:once|twice) an? \w+)\b)[^?]*$",
    re.IGNORECASE,
)
#: Words by which a statement rules or turns down, also without a denial.
_RULING = lazy_pattern(
    r"\b(?:must|should|shall|may|ha(?:s|ve) to|needs? to|please|never|off|out|enough|too|instead|had|bin|trash|past)\b",
    re.IGNORECASE,
)
#: Words with which the name of a thing begins.
_DETERMINER = (
    r"(?:the|an?|our|my|your|his|her|its|their|this|that|these|those|some|both|all|\d+|two|three|four|five|six|seven|"
    r"eight|nine|ten|(?-i:[A-Z])[\w-]*(?:'s|s'))"
)
_STILL = r"(?:(?:now|still|already|currently|also|always) )?"
#: Report that a third party has a thing, or of the place of a thing: "Mr Okafor has our spare key". Who has the last
#: word, a right or a duty is ruled.
_HOLDING = lazy_pattern(
    rf"^(?:(?:(?:{_DETERMINER} )(?:[^\s,;:.?!]+ ){{1,6}}?{_STILL}(?:own|hold|keep|kept|borrowed)|"
    rf"(?!(?:i|we|you|who|what|which|every|each|any|all|if|when|from)\b)(?:[^\s,;:.?!]+\.? ){{0,5}}?[^\s,;:.?!]+"
    rf"(?: {_STILL}(?:has|have|owns|holds|keeps)|'(?:s|ve) (?:now |still )?got)) (?:got )?{_DETERMINER} "
    r"(?!(?:[\w-]+ ){0,2}(?:say|word|rights?|duty|priority|precedence|veto|permission|access|chance|go)\b)|"
    rf"{_DETERMINER} (?:[^\s,;:.?!]+ ){{1,5}}?(?:is|are) {_STILL}(?:with|at|in|inside|under|behind|beside|next to) "
    rf"(?:{_DETERMINER} |(?-i:[A-Z])))",
    re.IGNORECASE,
)
#: Promise to leave a thing as it is, by which nothing is to be done: "I'll leave Thursdays empty".
_FORBEARANCE = lazy_pattern(
    r"^(?:[^.!?]{1,40}[.!] )?(?:i|we)(?:'ll| will) (?:leave|keep) [^,;.?!]{2,60}? "
    r"(?:empty|free|open|clear|blank|alone|out|untouched|unchanged|as (?:it is|they are|is)|in peace|"
    r"to (?:you|yourself))[.!]*$",
    re.IGNORECASE,
)
#: Promise to do as one was told, in words that add nothing: "I will keep out of that window".
_PROMISE = re.compile(
    r"(?:and |so )?(?:i|we)(?:'ll| will| promise to)? (?:(?:now|always|never|strictly) )*"
    r"(?:(?:not|won't|never)\b|(?:keep|stay|steer|leave|avoid|skip|hold off|refrain|respect|follow|honou?r|stick to|"
    r"comply|obey|observe|remember|bear|mind|adhere|abide)\b)"
    r"(?=.*\b(?:it|that|this|them|those|these|your|so|then)\b)[^?]*",
    re.IGNORECASE,
)
#: Words by which an agent only shows that it understood.
_ACKNOWLEDGED = re.compile(
    r"\W*(?:understood|noted|got it|ok(?:ay)?|sure(?: thing)?|agreed|right|alright|all right|of course|will do|"
    r"certainly|thanks|thank you|good to know|makes sense|i (?:understand|see))\b[\s,.!;:–—-]*",
    re.IGNORECASE,
)
#: Words by which a promise chooses a way of its own.
_OWN_WAY = re.compile(r"\b(?:instead|rather|but|use|using|switch|move|until|by|with|via)\b", re.IGNORECASE)

#: Further irregular forms of the past.
_PAST = frozenset(PAST_IRREGULAR) | frozenset({
    "had", "did", "was", "were", "said", "told", "knew", "thought", "heard", "felt", "slept", "spoke", "stood",
    "sat", "understood", "brought", "built", "fought", "forgot", "hid", "lay", "lost", "paid", "rang", "rose",
    "shook", "shot", "shut", "stole", "stuck", "swept", "swung", "threw", "woke", "wore",
})  # fmt: skip


def is_deed(text: str) -> bool:
    """Whether a user only reports what was done: "We took the train to Ghent".

    Args:
        text: Words of the user.
    """
    bare = text.strip().replace("’", "'")
    if _DECIDING_NOUN.search(bare) or _PRESENT.search(bare):
        return False
    acts = [(found["verb"].lower(), (found["next"] or "").lower()) for found in _ACT.finditer(bare)]
    if not acts or any(verb in _DECIDING or not _is_past(verb) for verb, _ in acts):
        return False
    is_choice = any(
        (verb in _CHOOSING and after != "up") or (verb == "went" and after in ("with", "for"))
        for verb, after in acts
    )
    return not is_choice or _TIME.search(bare) is not None


def is_choice(text: str) -> bool:
    """Whether a user tells a choice that was made against what was thought before: "We moved to Scaleway after all".

    Args:
        text: Words of the user.
    """
    found = _CHOICE.search(text.strip().replace("’", "'"))
    return found is not None and _TIME.search(found["what"]) is None


def is_adoption(text: str) -> bool:
    """Whether a user tells what a group uses from now on: "No wait, we use Typst now".

    Args:
        text: Words of the user.
    """
    found = _ADOPTION.search(wording.without_interjection(text).strip())
    return found is not None and _TIME.search(found["what"]) is None


def is_change(text: str) -> bool:
    """Whether a user reports a change of a thing and how it stands now: "We moved the endpoint, it is X now".

    Args:
        text: Words of the user.
    """
    changed, *others = _CLAUSES.split(text.strip().rstrip(".!").replace("’", "'"))
    found = _CHANGED.match(changed)
    if found is None or not others or found["verb"].lower() in _DECIDING:
        return False
    return _is_past(found["verb"].lower()) and all(map(_STANDS.match, others))


def is_courtesy(text: str) -> bool:
    """Whether words only are polite or idle: "I don't want to keep you", "no idea".

    Args:
        text: Words of the user.
    """
    return _COURTESY.search(text.strip().replace("’", "'")) is not None


def is_correction(text: str) -> bool:
    """Whether words only correct what a thing is: "The contact is no longer Ana, it is Ben".

    Args:
        text: Words of the user.
    """
    return _CORRECTION.search(text.strip().replace("’", "'")) is not None


def is_state(text: str) -> bool:
    """Whether words only tell how a thing stands, in figures, and ask for nothing: "Retries are limited to 5".

    Args:
        text: Words that were said.
    """
    bare = text.strip().replace("’", "'")
    return _STATE.search(bare) is not None and _OWED.search(bare) is None


def is_habit(text: str) -> bool:
    """Whether words only tell what is habitually so with others, and ask for nothing: "Marek signs the invoices".

    Args:
        text: Words that were said.
    """
    bare = text.strip().replace("’", "'")
    return _HABIT.search(bare) is not None and _OWED.search(bare) is None


def is_holding(text: str) -> bool:
    """Whether words only tell who has a thing, or where a thing is: "Mr Okafor has our spare key".

    Args:
        text: Words of the user.
    """
    bare = wording.without_interjection(text).strip()
    is_report = _HOLDING.match(bare) is not None and RESTRICTS.search(bare) is None
    return is_report and "?" not in bare and _RULING.search(bare) is None


def is_forbearance(text: str) -> bool:
    """Whether an agent only promises to leave a thing as it is: "Ouch. I'll leave Thursdays empty".

    Args:
        text: Words of the agent.
    """
    return _FORBEARANCE.match(wording.straight(text).strip()) is not None


def is_promise(text: str) -> bool:
    """Whether words acknowledge what was said, and at most promise to keep to it.

    Args:
        text: Words of an agent.
    """
    rest = text.strip().replace("’", "'")
    if _ACKNOWLEDGED.match(rest) is None:
        return False
    while (found := _ACKNOWLEDGED.match(rest)) is not None:
        rest = rest[found.end() :]
    return not rest or (_PROMISE.fullmatch(rest) is not None and _OWN_WAY.search(rest) is None)


def is_acknowledgement(text: str) -> bool:
    """Whether words of an agent begin by acknowledging what was said: "Understood, local models only for that".

    Args:
        text: Words of an agent.
    """
    return _ACKNOWLEDGED.match(wording.straight(text).strip()) is not None


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") or verb in _PAST
