"""Extracts a speaker's plain statements about themselves from a text, clause by clause.

A false fact is worse than a missed one. A clause counts only if it begins with "I" or "my" where a clause can begin,
and nothing around it asks, supposes, quotes, jokes, or gives orders. English only; other languages give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bardo._core import abbreviations, neutralise

#: Maximum bytes of a text that are read: people speak of themselves in messages, not in pasted documents.
READ_BYTES = 4_096

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
#: Further abbreviations that end no sentence before any word, and initials.
_ABBREVIATED = re.compile(r"\b(?:Sr|Jr|vs|etc|a\.m|p\.m|U\.S|[A-Z])\.$", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,2}[.)]")
#: A whole text that is not meant as it is said.
_NOT_MEANT = re.compile(
    r"\b(?:just kidding|kidding aside|jk|just joking|i'?m joking|only joking|april fools?|yeah,? right|"
    r"as if!|sarcasm|"
    r"role-?play|pretend|imagine|hypothetical(?:ly)?|in this (?:story|scenario|game)|let'?s say|let us say|"
    r"suppos(?:e|ing)|for the sake of argument|act as|you are (?:now )?a|write (?:me )?an? |lyrics|not!|"
    r"(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|edit|correct) (?:the|this|these|following)|"
    r"(?:following|above) (?:text|content|passage|article|paragraph|email|story|sentence))|"
    r"(?:^|\s)/s\b|🙄|😏|🙃",
    re.IGNORECASE,
)
#: Orders to a memory keeper: the words after them were not lived.
_ORDER = re.compile(
    r"\b(?:remember (?:that|to|this|:)|don'?t forget|note that|keep in mind|memori[sz]e|store (?:this|"
    r"that)|save (?:this|that)|"
    r"you (?:must|should|shall|have to|need to|are to)|from now on|always (?:respond|answer|reply|say)|"
    r"never (?:mention|tell|reveal)|system prompt|instructions?|ignore|disregard|the user|the assistant|"
    r"as an ai)\b",
    re.IGNORECASE,
)
#: Commands that spoil everything around them: their author tries to write to the memory.
_COMMAND = re.compile(
    r"\b(?:remember (?:that you|this|:)|from now on|memori[sz]e|store (?:this|that)|save (?:this|that)|you must|"
    r"always (?:respond|answer|reply|say|recommend)|never (?:mention|tell|reveal)|system prompt)\b|\bremember:",
    re.IGNORECASE,
)
#: Before a clause: it is asked, supposed, wished, hedged, or reported speech.
_GOVERNED = re.compile(
    r"\b(?:if|when|whenever|unless|until|till|whether|while|before|after|once|wish|would|could|should|"
    r"might|may|maybe|"
    r"perhaps|probably|possibly|suppose|assume|assuming|imagine|pretend|say|says|said|tell|tells|told|"
    r"claim|claims|"
    r"claimed|think|thinks|thought|believe|believes|believed|hear|heard|read|reads|hope|hopes|ask|asks|"
    r"asked|wonder|"
    r"guess|seem|seems|according|that|what|which|who|whom|whose|how|where|why|like|as|than|not|never|"
    r"no way|doubt|"
    r"told me|quote|for example|e\.g|such as|should|in case|only|don't|doesn't|didn't|isn't|wasn't|can't|"
    r"everything|"
    r"anything|all|things?|something|nothing|someone|people|way|time|times|day|thing)\b",
    re.IGNORECASE,
)
#: Inside a clause: it is supposed, hedged or wished.
_HEDGED = re.compile(
    r"\b(?:if|unless|whether|would|could|might|maybe|perhaps|probably|possibly|wish|supposedly|"
    r"hypothetically|apparently|"
    r"almost|nearly|pretend|as if|in theory|kind of|sort of|i think|i guess|not sure|or something|"
    r"supposed to)\b",
    re.IGNORECASE,
)
#: Where a clause may begin inside a sentence.
_BEGINNING = re.compile(
    r"(?:^|[,;:–—]\s+|\s-+\s+|\s(?=(?:and|but|so|because|since|'cause|cuz|though|although)\s))"
    r"(?P<opening>(?:[^,;:–—]{0,60}?[,:]?\s)??)"
    r"(?P<clause>(?:I|My)(?=\s|'|’)|i(?=\s|'|’)|my(?=\s))",
)
_TIMES = (
    r"(?:morning|afternoon|evening|night|day|weekend|week|month|year|summer|winter|spring|fall|autumn|"
    r"\w+day|january|february|march|"
    r"april|may|june|july|august|september|october|november|december)"
)
#: "My sister and I" is two people.
_TWO = re.compile(r"(?:^|[,;.]\s*)(?:(?:my|the|our|both)\s+)?[\w'-]+(?:\s[\w'-]+)?$", re.IGNORECASE)
_QUOTES = re.compile(r"[\"“”«»]")
_LISTED = re.compile(r"^\s*(?:[>|#*`]|[-+]\s|\d+[.)]\s)")
_ADDRESS = re.compile(r"\b\w+://\S+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: Words that may stand between the border of a clause and its "I".
_OPENINGS = re.compile(
    r"(?:(?:and|but|so|because|since|'cause|cuz|also|actually|well|oh|yeah|yes|yep|hey|hi|hello|thanks|"
    r"thank you|sure|"
    r"anyway|by the way|btw|fyi|honestly|personally|currently|right now|these days|nowadays|lately|recently|"
    r"unfortunately|luckily|fortunately|sadly|finally|today|tonight|tomorrow|yesterday|besides|plus|then|"
    rf"(?:this|last|next|every) {_TIMES}|"
    r"in fact|to be honest|speaking of which|for work|at work|for me|of course|wow|great|cool|awesome|ok|"
    r"okay|haha|"
    r"lol|man|ugh|guess what|update|good news|great news|big news|in the (?:morning|evening)s?|"
    r"on (?:\w+days?)|"
    rf"\w+ (?:days?|weeks?|months?|years?) ago|in \d{{4}}|in {_TIMES})[,!:.]?\s*)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Something that a speaker states of themselves.

    Args:
        text: From its "I" or "My" to the end of its sentence, without the closing mark.
        sentence: The whole sentence.
        opening: Words of time before it, such as "yesterday", if there are any.
    """

    text: str
    sentence: str
    opening: str


def sentences(text: str) -> list[str]:
    """The sentences of a text, lines apart, without code."""
    found: list[str] = []
    plain = _CODE.sub("\n", text)
    open_ = {end for _, end in abbreviations(plain)}
    borders = [match for match in _SENTENCE.finditer(plain) if match.start() not in open_]
    begins = (0, *(match.end() for match in borders))
    ends = (*(match.start() for match in borders), len(plain))
    for begin, end in zip(begins, ends, strict=True):
        part = plain[begin:end].strip()
        if not part:
            continue
        if found and (_ABBREVIATED.search(found[-1]) or _NUMBER.fullmatch(found[-1])):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def is_meant(text: str) -> bool:
    """Whether a text may be taken at its word: no joke, no play, no order, no other voice in it."""
    if _NOT_MEANT.search(text) or _COMMAND.search(text):
        return False
    _, flags = neutralise(text, [])
    return not {"instruction", "role", "fence", "mark", "tag"} & set(flags)


def stated_clauses(text: str) -> Iterator[Clause]:
    """The clauses in which a speaker plainly states something of themselves, in order."""
    text = text[:READ_BYTES].replace("’", "'").replace("\u2018", "'")
    if "I" not in text and "my" not in text.lower() and " i " not in text:
        return
    if not is_meant(text):
        return
    for sentence in sentences(text):
        if not is_assertion(sentence):
            continue
        for match in _BEGINNING.finditer(sentence):
            clause = _clause(sentence, match)
            if clause is not None:
                yield clause


def is_assertion(sentence: str) -> bool:
    """Whether a sentence states something in the speaker's own voice."""
    # An address may hold a question mark.
    sentence = _ADDRESS.sub("", sentence)
    return not (
        sentence.rstrip("\"'”’) ").endswith("?")
        or "?" in sentence
        or _QUOTES.search(sentence)
        or _LISTED.match(sentence)
        or _ORDER.search(sentence)
    )


def is_hedged(words: str) -> bool:
    """Whether something is only supposed, wished or half said."""
    return bool(_HEDGED.search(words))


def _clause(sentence: str, match: re.Match[str]) -> Clause | None:
    before = sentence[: match.start("opening")]
    opening = match["opening"]
    # Words directly before must be a known opening; words further back must not govern it.
    allowed = _OPENINGS.fullmatch(opening)
    joined = opening.lower().startswith("and") and sentence[match.start() : match.start() + 1].isspace()
    if not allowed or _governs(before) or (joined and _TWO.search(before.rstrip())):
        return None
    text = sentence[match.start("clause") :].rstrip(" .!…")
    return Clause(text, sentence, opening.strip(" ,:!."))


def _governs(before: str) -> bool:
    if not before.strip(" ,;:–—-"):
        return False
    # A clause that ended with a semicolon, a dash or a full statement of its own governs nothing.
    last = re.split(r"[;–—]|\s-+\s", before)[-1]
    return bool(_GOVERNED.search(last))
