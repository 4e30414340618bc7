"""Recognises answers that refuse a proposal without naming it, and the act that an agent proposes.

"I don't want that" says something only beside the proposal before it: "I could export the list".
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.antecedents import POINTING_ACT
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.state.prohibition import is_prohibition
from bardo.consolidate.texts.clauses import sentences

_PART = lazy_pattern(r"\s*(?:[,.!;:…()]+|\s[-–—]+\s)\s*")
_PARTICLE = (
    r"(?:oh|ah|aw|hmm+|hm|u[mh]+|er+|ugh|well|ok|okay|hey|wait|hold on|sorry|actually|honestly|look|listen|but|and|so|"
    r"please|thanks|thank you|thx|for now|really|my god|god|ew+|yikes|whoa|then|right|again|dear)"
)
_THAT = r"(?:that|this|it|those|these|them|so|either|any of (?:that|this|those|it))"
_ADVERB = (
    r"(?:really|definitely|absolutely|certainly|just|still|actually|honestly|simply|also|even|ever|please)"
)
_NO = r"(?:no+|nope|nah|no way|never|stop|nein|non)"
_REFUSING = (
    rf"(?:no (?:thanks|thank you|thx|please|sir)|{_NO}|(?:absolutely|certainly|definitely|surely|of course|please|hell|"
    rf"rather|better|preferably|probably) (?:not|no)|not (?:a chance|in a million years|{_THAT}|like {_THAT}|"
    r"(?:that|this) (?:one|way))|no chance|don'?t you dare|anything but that|"
    rf"do(?:n'?t| not)(?: {_ADVERB})*(?: bother| dare)?(?: do)?(?: {_THAT})?|"
    rf"(?:i )?(?:{_ADVERB} )*do(?:n'?t| not) (?:{_ADVERB} )*(?:want|like|need)(?: you to(?: do)?)?(?: {_THAT})?|"
    rf"i(?:'d| would) (?:{_ADVERB} |much )*(?:rather|prefer)(?: that| if)?(?: you| we)?(?: (?:didn'?t|did not|don'?t|"
    rf"do not|not)(?: to)?)(?: do)?(?: {_THAT})?|"
    rf"(?:that|this|it)(?:'s| is) (?:{_ADVERB} )*not (?:what|how|the way) (?:i|we) (?:want|wanted|need|like|meant|asked"
    rf"(?: for)?|had in mind)(?: {_THAT})?|let(?:'?s| us) not(?: do)?(?: {_THAT})?|"
    rf"(?:just )?(?:leave|drop|skip|scrap|forget|cancel|stop) (?:about )?{_THAT}(?: (?:be|alone|as it is|out))?|"
    r"i(?:'m| am) against (?:it|that|this)|i object|over my dead body)"
)
_TAIL = (
    r"(?:please|thanks|thank you|at all|ever|again|for now|right now|really|now|sorry|anymore|any more|yet)"
)
_MERE_NO = rf"(?:(?:{_PARTICLE}|{_NO}) )*{_NO}(?: (?:{_TAIL}|{_PARTICLE}))*"
#: Part of an answer that refuses, with particles before and after it: "oh no please don't do that", "no wait".
_REFUSAL = lazy_pattern(rf"(?:(?:{_PARTICLE}|{_NO}) )*{_REFUSING}(?: {_TAIL})*|{_MERE_NO}", re.IGNORECASE)
#: Beginning that only says no, and names not even what was said before.
_NO_BEFORE = lazy_pattern(rf"(?:{_PARTICLE}[\s,.!…]+)*{_MERE_NO}(?:\s*[,.!;:…]+|\s+[-–—]\s)", re.IGNORECASE)
_IDLE = lazy_pattern(rf"(?:{_PARTICLE}|{_TAIL})(?: (?:{_PARTICLE}|{_TAIL}))*", re.IGNORECASE)
#: Beginning of an answer that contradicts the words before it: "No, use Postgres", but not "no problem".
_CONTRADICTION = lazy_pattern(
    rf"(?:(?:{_PARTICLE})[\s,.!…]+)*(?:{_NO}|(?:absolutely|certainly|definitely|rather|better|please) not)"
    rf"(?:\s*[,.!;:…]|\s+[-–—]|\s*$|\s+(?:{_PARTICLE}|not|i|we|you|use|take|that|this|it|do|don'?t|let'?s)\b)",
    re.IGNORECASE,
)
#: Beginning of words after a refusal that take it back: "I don't like it, but go ahead".
_YIELDING = lazy_pattern(r"(?:but|though|yet|still)\b", re.IGNORECASE)
#: Words by which an answer denies something itself.
_DENYING = lazy_pattern(
    r"\b(?:no|not|never|nothing|none|without|stop|avoid|hate|refuse|against)\b|n't\b", re.IGNORECASE
)
_SOFTENED = r"(?:(?:now|then|first|also|just|rather|next|simply|probably|maybe|quickly|suggest|propose) )*"
#: Beginning of a sentence in which an agent proposes or announces an act.
_PROPOSING = lazy_pattern(
    r"(?:(?:ok|okay|sure|alright|right|great|good|so|then|and|or|next|first|now|after that|tomorrow|tonight|later|"
    r"instead|alternatively|otherwise|finally|today|also|as a next step)[\s,:]+)*"
    # "For the waiting room I could order chairs"
    r"(?:(?:for|in|on|at|as|with|to|by|after|before|from) (?:[\w'-]+ ){1,6}?(?:[\w'-]+, )?(?=(?:i|we)(?:'ll|'d| )))?"
    r"(?:(?:my|the|our) (?:\w+ )?(?:plan|next step|suggestion|proposal|idea|recommendation|option|way|alternative|"
    r"choice)(?: now| here)?(?: is|'s| would be|:| -)(?: to)?|another (?:option|way|idea) (?:is|would be)(?: to)?|"
    r"(?:i|we)(?:'ll| will| would|'d| could| can| might| may|(?:'m|'re| am| are) (?:going|about|planning) to|"
    r" (?:plan|intend|propose|suggest|recommend|want)(?: to| that we| that i| we)?| start (?:with|by))"
    rf"(?: (?:be happy|love|like|suggest|propose|recommend)(?: to)?)? {_SOFTENED}|going to|planning to|"
    r"you (?:could|might)|let me|let's|let us|(?:shall|should|may|can|could) (?:i|we)|(?:do you )?want me to|"
    r"do you want|would you like(?: me to)?|(?:how|what) about(?: we| i)?|why (?:don't (?:we|i)|not)|"
    r"(?:is it|would it be) (?:ok|okay|fine|alright) if (?:i|we)|(?:i|we) have (?:now )?(?=\w+ed\b)|i've (?=\w+))\s*",
    re.IGNORECASE,
)
#: Words after which an agent proposes no act: it talks, waits or offers help.
_NO_ACT = lazy_pattern(
    r"(?:not|never|n't|know|see|understand|imagine|say|guess|think|help|be|remember|tell|assume|expect|hope|need|wait|"
    r"anything|something else|more help|any (?:other|more|further)|to know)\b",
    re.IGNORECASE,
)
#: End of a proposal that asks for leave.
_LEAVE = lazy_pattern(
    r"[,;]?\s*(?:if (?:you|that|it)\b[^,;]*|ok(?:ay)?|alright|for you|shall i|right|what do you think)?[\s.!?…]*$",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(r"\s*;\s+|\s+[–—-]\s+")
_POINTING = lazy_pattern(r"\b(?:it|that|this|them|those|these)\b", re.IGNORECASE)
#: Question for a choice, to which a mere "no" is no clear answer.
_ALTERNATIVES = lazy_pattern(r"\bor\b.*\?", re.IGNORECASE)
#: Steps of a plan: "My plan: 1. drop the table 2. make a new one".
_STEP = lazy_pattern(r"(?:^|(?<=\s))(?:step )?(?P<number>\d{1,2})[.):]\s+", re.IGNORECASE)
#: Words before the first step.
_PLAN = lazy_pattern(
    r"\b(?:plan|steps?|proposal|suggestion|approach|would|will|going to|i'll|i'd|could|let's|suggest|propose|next)\b",
    re.IGNORECASE,
)
#: Maximum words of a message that is one proposal.
WHOLE_WORDS = 30
#: Words that name no act by themselves.
_GENERIC = (
    "help", "continue", "go", "on", "proceed", "anything", "something", "else", "more", "do", "it", "that",
    "this", "way", "start", "begin", "question", "questions", "assist", "further", "try", "ahead", "retry",
    "again",
)  # fmt: skip


def is_refusal(text: str) -> bool:
    """Whether an answer refuses, and names nothing by itself, such as "Hmm, please don't do that".

    Args:
        text: Answer.
    """
    parts = [part for part in _PART.split(text.strip().replace("’", "'")) if part]
    refusing = [part for part in parts if _REFUSAL.fullmatch(part)]
    return bool(refusing) and all(part in refusing or _IDLE.fullmatch(part) for part in parts)


def is_contradiction(text: str) -> bool:
    """Whether an answer begins by contradicting what was said before it: "No, use Postgres".

    Args:
        text: Answer.
    """
    bare = text.strip().replace("’", "'")
    return bool(
        is_refusal(bare) or is_prohibition(bare) or _CONTRADICTION.match(bare) or _after_refusal(bare)
    )


def is_redirection(text: str) -> bool:
    """Whether an answer refuses and then says what to do or why, and forbids nothing itself: "No, use Postgres".

    Args:
        text: Answer.
    """
    rest = _after_refusal(text.strip().replace("’", "'"))
    return bool(rest) and _DENYING.search(rest) is None


def is_mere_no(text: str) -> bool:
    """Whether the refusal before the words of an answer is a mere "no": without a proposal it refuses nothing.

    Args:
        text: Answer.
    """
    return _NO_BEFORE.match(text.strip().replace("’", "'")) is not None


def _after_refusal(text: str) -> str:
    """Returns the words after the refusal with which an answer begins; empty if it does not, or takes it back."""
    start, is_refused = 0, False
    for mark in _PART.finditer(text):
        part = text[start : mark.start()]
        if part and not _REFUSAL.fullmatch(part) and not _IDLE.fullmatch(part):
            break
        is_refused = is_refused or _REFUSAL.fullmatch(part) is not None
        start = mark.end()
    rest = text[start:]
    return rest if is_refused and not _YIELDING.match(rest) else ""


def proposal(text: str) -> str:
    """Returns the act that an agent proposes last in its message; empty if it proposes none.

    Args:
        text: Message of the agent. It is returned as a whole if the act only points at something: "I could drop it".
            An act with more words on what it only points at is none: "I could book them for Friday".
    """
    if steps := _steps(text):
        return steps
    for sentence in reversed(sentences(text)):
        for clause in reversed(_CLAUSE.split(sentence.strip().replace("’", "'"))):
            found = _PROPOSING.match(clause)
            if found is None:
                continue
            act = _LEAVE.sub("", clause[found.end() :]).strip()
            named = content_stems(act.lower().split()) - content_stems(_GENERIC)
            if _NO_ACT.match(act) or not named:
                continue
            if _ALTERNATIVES.search(clause):
                return ""
            if len(named) > 1 and is_unclear(act):
                return ""
            if len(named) > 1 or not _POINTING.search(act):
                return act
            return text.strip() if len(text.split()) <= WHOLE_WORDS else ""
    return ""


def is_unclear(act: str) -> bool:
    """Whether an act does not tell what it is done to: "book them for Friday".

    Args:
        act: Words of an act.
    """
    return POINTING_ACT.match(act) is not None


def act_of(sentence: str) -> str:
    """Returns the words after those by which an agent proposes: "mark it as skipped"; the sentence if it has none.

    Args:
        sentence: Sentence of the agent.
    """
    found = _PROPOSING.match(sentence)
    return _LEAVE.sub("", sentence[found.end() :]).strip() if found is not None else sentence


def _steps(text: str) -> str:
    """Returns the numbered steps of an agent's plan in one sentence; empty if the message has no such plan."""
    found = [*_STEP.finditer(text)]
    if [int(step["number"]) for step in found] != [*range(1, len(found) + 1)] or len(found) < 2:
        return ""
    if not _PLAN.search(text[: found[0].start()]):
        return ""
    ends = [*(step.start() for step in found[1:]), len(text)]
    # Words after the last step are on a line of their own.
    steps = [text[step.end() : end].strip().partition("\n")[0] for step, end in zip(found, ends, strict=True)]
    return ", then ".join(_LEAVE.sub("", step).strip(" .;,") for step in steps)
