"""A clause in the first person as a statement in the third: "I work as a nurse" becomes "Mira works as a nurse".

What can be said again in the third person without guessing is a list of forms; everything else is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bardo.consolidate.texts import vocabulary
from bardo.consolidate.texts.clauses import Clause, is_hedged
from bardo.model import FactKind

#: Adverbs between subject and verb that are dropped, and those that are kept, as they change what is said.
_DROPPED = (
    r"(?:really|also|just|actually|definitely|totally|absolutely|truly|personally|simply|especially|even|kinda|"
    r"only)"
)
_KEPT = (
    r"(?:usually|always|often|sometimes|typically|normally|rarely|regularly|mostly|generally|still|currently|recently|"
    r"finally|already|both|never)"
)
_ADVERBS = rf"(?:(?:{_DROPPED}\s+)*(?P<adverb>{_KEPT}\s+)?(?:{_DROPPED}\s+)*)"
#: Ends of a simple statement: what follows is another clause.
_END = re.compile(
    r"\s*(?:[;!?](?=\s|$)|:\s|,\s+(?=(?:and|but|so|which|who|where|because|since|though|although|while|when|as|or|"
    r"yet|then|however|especially|"
    r"including|it|that|this|they|he|she|you|we|thanks|right|though|lol|haha|man|btw|by the way|plus|even|"
    r"just|\w+ing)\b)|"
    r"-+\s|[–—]|\.\.+|\s\(|"
    r"\s(?=(?:because|since|so|but|although|though|'cause|cuz|whereas|while|which)\s)|"
    r"\s(?=as\s+(?:I|i|we|you|he|she|they|it|this|that|there|my|our|the)\b)|"
    r"\s(?=and\s+(?:I|i|it|that|this|they|he|she|you|we|my|am|was|have|had|the|then|been|hope|hoping|"
    r"would|could|can|want|love)\b)|"
    r",?\s+(?=(?:I|i|we|We)(?:\s|'))|,\s*(?=[A-Z][a-z]+$)|"
    r"\s(?=(?:that|and)\s+(?:I|i|it|we|my)\b))",
)
#: Nothing that stands alone begins, or is, one of these.
_POINTING = re.compile(
    r"^(?:to |of |with |for |in |on |at |about |from |by )?(?:it|its|that|this|these|those|them|they|he|"
    r"she|we|you|him|her|his|there|here|one|ones|some|so|such|"
    r"both|something|anything|everything|stuff|things?|a lot|lots|more|another|others?|too|much|doing|"
    r"what|how|where|why|"
    r"who|being|having|the same|same|way|either|neither|none|all|a few|several|two|three)\b(?!\s*:)",
    re.IGNORECASE,
)
#: Nor does what points elsewhere in the middle or at the end.
_POINTED = re.compile(
    r"\b(?:here|there)\b|\b(?:it|this|that|these|those|them|him|her|so|like this|like that)$|"
    r"\b(?:about|of|with|for|to|give|gave|make|made) (?:it|them)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]+(?:too|as well|though|right|lol|haha|btw|by the way|you know|already|anyway|now|actually|"
    r"again|please|thanks|"
    r"thank you|of course|here|there|for sure|so far|just|and|or|to|a|the|with|for|my|in|on|of|at|lately|"
    r"myself|together)$",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(
    r"\b(?:you|your|yours|yourself|u|ur|y'all|we|we're|we've|us|ours|let's|i|i'm|i've|i'd|i'll)\b",
    re.IGNORECASE,
)
#: Words of the speaker in the third person; `{}` is the name.
_TURNED = (
    (re.compile(r"\bmyself\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\b(?:my|mine|our)\b", re.IGNORECASE), "{}'s"),
    (re.compile(r"\bme\b", re.IGNORECASE), "{}"),
)

#: Requests to the listener, which are no plans: "I want to know".
_REQUEST = re.compile(
    r"^(?:to |on )?(?:know|ask|hear|find|figure|understand|see|decide|make sure|get (?:some|your|a sense|"
    r"an idea|more|started)|say|thank|share|tell|talk|check|clarify|"
    r"confirm|discuss|show|mention|point|add|look|explain|remember|recall|ensure|be sure|determine|narrow|"
    r"create|come up|"
    r"think|focus|incorporate|include|give)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """Statement of a speaker about themselves, in the third person.

    Args:
        kind: What sort of fact.
        predicate: Everything after the name, such as "works as a nurse"; begins with "'s " for what is theirs.
        action: The verb as it was said.
    """

    kind: FactKind
    predicate: str
    action: str


@dataclass(frozen=True, slots=True)
class _Form:
    """One way of stating something.

    Args:
        kind: Kind of the fact.
        pattern: Over the words after "I"; `verb` is what is said, `rest` of what.
        says: The third person of the verb; None: by rule.
        request: Whether it may also be a request to the listener.
        bare: Whether nothing needs to follow.
    """

    kind: FactKind
    pattern: re.Pattern[str]
    says: str | None = None
    request: bool = False
    bare: bool = False


def _form(
    kind: FactKind, words: str, says: str | None = None, *, request: bool = False, bare: bool = False
) -> _Form:
    rest = r"(?:\s+(?P<rest>.+))?" if bare else r"\s+(?P<rest>.+)"
    return _Form(
        kind,
        re.compile(rf"{_ADVERBS}(?P<verb>{words}){rest}", re.IGNORECASE | re.DOTALL),
        says,
        request,
        bare,
    )


def _any(verbs: tuple[str, ...]) -> str:
    return "|".join(verbs)


_AM = r"(?:am|'m)\s+"
_BEEN = r"(?:have|'ve)\s+(?:(?:really|also|just|actually|always|recently|lately)\s+)?been\s+"
_FORMS: tuple[_Form, ...] = (
    _form("preference", r"(?:can't|cannot|can not) stand", "cannot stand"),
    _form("preference", r"(?:don't|do not) (?:really )?(?:like|eat|drink|enjoy|want)", None),
    _form("preference", _any(vocabulary.PREFERENCE)),
    _form("preference", rf"{_AM}allergic to", "is allergic to"),
    _form("preference", rf"{_AM}(?:more of )?(?:a|an)(?= [\w-]+ person)", "is a"),
    _form("identity", rf"{_AM}(?P<years>\d{{1,3}} years? old)", "is", bare=True),
    _form("identity", rf"{_AM}(?:a |an )?(?P<state>{_any(vocabulary.STATES)})(?=\s|,|$)", "is", bare=True),
    _form("identity", rf"{_AM}(?:originally )?from", "is from"),
    _form("interest", rf"{_AM}(?:a )?(?:big |huge )?fan of", "is a fan of"),
    _form(
        "identity",
        rf"{_AM}(?:a|an)(?! (?:bit|little|lot|mix|tad|huge|big|long|good|great|few|couple|mess|wreck)\b)",
        "is a",
    ),
    _form("identity", r"was born(?= (?:in|on|at)\b)", "was born"),
    _form("identity", r"grew up(?= (?:in|on|near|with)\b)", "grew up"),
    _form("identity", r"(?:live|come)(?= (?:in|near|with|from|on|at|alone|abroad)\b)"),
    _form("identity", r"work(?= (?:as|at|for|in|with|from|full-time|part-time|remotely|on|night)\b)"),
    _form("identity", r"(?:study|teach|speak)"),
    _form(
        "interest",
        rf"{_AM}(?:(?:very|so|super|really|quite) )?(?P<keen>interested in|into|fascinated by|"
        rf"passionate about|keen on|obsessed with)",
        "is",
    ),
    _form("interest", _any(vocabulary.INTEREST)),
    _form("goal", r"(?:want|plan|hope|intend|aim|need)(?= to\b)", request=True),
    _form("goal", rf"{_AM}(?:planning|hoping)(?= (?:to|on)\b)", "is planning", request=True),
    _form("goal", rf"{_AM}thinking(?= (?:of|about)\b)", "is thinking", request=True),
    _form("goal", rf"{_AM}going(?= to (?!be\b)\w+)", "is going", request=True),
    _form("goal", rf"{_AM}saving(?: up)?(?= for\b)", "is saving"),
    _form("goal", rf"{_AM}(?:training|preparing)(?= for\b)", "is preparing"),
    _form("goal", rf"{_AM}trying(?= to\b)", "is trying", request=True),
    _form("context", rf"{_AM}(?P<going>{_any(vocabulary.GOING_ON)})", "is"),
    _form("context", rf"{_BEEN}(?P<been>{_any(vocabulary.GOING_ON)}|[a-z]+ing)", "has been"),
    _form(
        "context",
        r"(?:have|'ve)\s+(?:(?:also|just|already|recently|finally|actually)\s+)?(?P<done>(?!been\b|had\b|"
        r"always\b|never\b|got\b)[a-z]+(?:ed|en|ne|wn|ght|ade|old|ept|uilt|ent|lt|un|ad))",
        "has",
    ),
    _form("context", r"(?:have|'ve)\s+(?P<had>had|got|been to)", "has"),
    _form("context", r"used to", "used to"),
    _form("context", r"decided(?= (?:to|on|against)\b)", "decided"),
    _form("context", r"had(?= (?:an?|my|some|our|two|three)\b)", "="),
    _form("context", _any(vocabulary.PAST_IRREGULAR), "="),
    _form("context", r"(?!need)[a-z]{2,}ed", "="),
    _form("context", _any(vocabulary.CONTEXT)),
)
_THEIRS = re.compile(
    r"my\s+(?P<what>(?:[\w'-]+\s+){0,3}?[\w'-]+?)\s+(?P<verb>is|are|was|were|has|have|lives?|works?|"
    r"loves?|likes?|moved|started|"
    r"got|plays?|passed|won|graduated|turned|bought|died|broke|opened|closed)\s+(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
#: Possessions worth keeping: people, animals, identifying things, aims.
_OWNED = re.compile(
    r"\b(?:name|favou?rite|job|hobby|hobbies|birthday|goal|goals|dream|plan|wife|husband|partner|spouse|"
    r"boyfriend|girlfriend|fianc[eé]e?|"
    r"sons?|daughters?|kids?|child|children|mom|mum|mother|dad|father|parents|sisters?|brothers?|"
    r"siblings?|grandm\w+|grandp\w+|"
    r"aunt|uncle|cousins?|niece|nephew|friend|roommate|boss|manager|colleague|coworker|neighbou?r|dogs?|"
    r"cats?|pets?|puppy|kitten|car|bike|house|"
    r"apartment|flat|team|company|school|university|employer|email|phone|doctor|therapist|commute|budget|"
    r"deadline|salary|"
    r"allergy|diet|major|degree|thesis|startup|business|store|studio|shop|band|garden|wedding|anniversary|"
    r"hometown|"
    r"birthplace|language|nationality|timezone|time zone|shift|routine|ratio|laptop|computer|server|"
    r"database|code|project|app)\b",
    re.IGNORECASE,
)


def statement(clause: Clause, who: str) -> Statement | None:
    """A clause in the third person; None if it is none of the known forms, or would not stand by itself.

    Args:
        clause: Clause in the first person.
        who: Name of the speaker.
    """
    text = clause.text
    if text[:2].lower() == "my":
        return _theirs(text, who)
    words = re.sub(r"^I\s*", "", text, count=1, flags=re.IGNORECASE)
    if text[1:2] == "'":
        words = text[1:]
    for form in _FORMS:
        match = form.pattern.match(words)
        if match:
            return _statement_of(form, match, who)
    return None


def _statement_of(form: _Form, match: re.Match[str], who: str) -> Statement | None:
    named = match.groupdict()
    verb = named["verb"].lower()
    tail = standing(named.get("rest") or "", who)
    if tail is None or (not tail and not form.bare):
        return None
    if verb == "have" and tail.startswith("to "):
        return None
    if form.request and _REQUEST.match(re.sub(r"^(?:to|on|of|about) ", "", tail)):
        return None
    if named.get("been") in vocabulary.NOT_DOING or (form.says == "=" and verb in vocabulary.PAST_INNER):
        return None
    said = " ".join(part for part in (_third_person(form, verb, named), tail) if part)
    adverb = (named.get("adverb") or "").strip().lower()
    if adverb == "never" and said.startswith(("is ", "has ")):
        return None
    if adverb:
        said = f"{adverb} {said}"
    return Statement(form.kind, said, verb)


def inside(who: str) -> str:
    """Name of a speaker inside of a sentence: "The user" begins one."""
    return f"the {who.removeprefix('The ')}" if who.startswith("The ") else who


def _third_person(form: _Form, verb: str, named: dict[str, str | None]) -> str:
    more = next(
        (
            value
            for name in ("years", "state", "keen", "going", "been", "done", "had")
            if (value := named.get(name))
        ),
        "",
    )
    if form.says == "=":
        return verb
    if form.says is not None:
        if form.says == "is a":
            return "is an" if re.search(r"\ban$", verb) else "is a"
        return (
            f"{form.says} {more}".strip().lower()
            if more and form.kind != "identity"
            else f"{form.says} {more}".strip()
        )
    denied = re.fullmatch(r"(?:don't|do not) (?:really )?(\w+)", verb)
    return f"does not {denied[1]}" if denied else third_person(verb)


def third_person(verb: str) -> str:
    """The third person of a verb in the present: "go" becomes "goes"."""
    if verb == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def _theirs(text: str, who: str) -> Statement | None:
    match = _THEIRS.match(text)
    if not match or not _OWNED.search(match["what"]) or is_hedged(match["what"]):
        return None
    tail = standing(match["rest"], who)
    if not tail or _SECOND_PERSON.search(match["what"]) or tail.lower() in vocabulary.EMPTY:
        return None
    verb = match["verb"].lower()
    what = match["what"]
    kind: FactKind = "context"
    if re.search(r"\bfavou?rite\b", what, re.IGNORECASE):
        kind = "preference"
    elif re.search(r"\b(?:goal|goals|dream|plan)\b", what, re.IGNORECASE):
        kind = "goal"
    elif re.search(
        r"\b(?:name|job|birthday|hometown|birthplace|nationality|employer)\b", what, re.IGNORECASE
    ):
        kind = "identity"
    return Statement(kind, f"'s {what} {verb} {tail}", verb)


def standing(words: str, who: str) -> str | None:
    """The rest of a statement up to its end, in the third person; None if it does not stand by itself.

    Args:
        words: The rest.
        who: Name of the speaker, for "my" and "me"; empty for the agent's own words, which stay.
    """
    words = " ".join(words.split())
    # The first word always belongs to the verb: "work as a nurse".
    end = _END.search(words, 1)
    if end:
        words = words[: end.start()]
    words = words.strip(" ,.!…")
    while (shorter := _TAIL.sub("", words)) != words:
        words = shorter.strip(" ,.!…")
    if not words:
        return ""
    if (
        is_hedged(words)
        or _POINTING.match(words)
        or _POINTED.search(words)
        or words.lower() in vocabulary.PARTICLES
    ):
        return None
    for pattern, turned in _TURNED if who else ():
        words = pattern.sub(turned.format(inside(who)).replace("\\", r"\\"), words)
    if _SECOND_PERSON.search(words):
        return None
    return words if re.search(r"[^\W\d_]{3,}|\d", words) else None
