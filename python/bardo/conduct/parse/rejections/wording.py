"""Wording of a rejection: its plain form "don't ...", and the words of the act that it forbids."""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.rejections import reasons, substitutes

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Name of code, of which no word is framing: "no `any` in TypeScript" is not about all of TypeScript.
QUOTED = lazy_pattern(r"`([^`]+)`")
#: Number of what is announced.
_COUNT = (
    r"(?:(?:just |only )?(?:a few|a couple of|some|several|these|both|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"\d+))"
)
#: Remark before a sentence that says nothing of its own, without the mark after it.
REMARK = (
    r"(?:what(?:ever (?:you do|happens)|ever)|no matter what|(?:just )?so (?:that )?you know|just to be (?:clear|safe)|"
    r"to be clear|for the record|fyi|by the way|btw|heads[- ]up|note|remember|mind you|again|one (?:more )?thing|"
    r"one more|"
    r"(?:very )?important|seriously|for (?:god|heaven)'s sake|i repeat|as i said|once more|another (?:thing|one)|"
    r"last(?:ly| one| thing| but not least)|finally|"
    rf"(?:and )?{_COUNT} (?:more )?(?:things?|points?|requests?|notes?|asks?)"
    r"(?: (?:from|for|about|on) (?:the |our )?[\w-]+(?: (?:team|side))?)?|"
    r"(?:from now on|for now|in future|going forward))"
)
_INTERJECTION = lazy_pattern(
    r"^\s*(?:(?:no (?:way|wait|sorry|actually)|no|nope|nah|wait|hold on|sorry|"
    r"please|hey|ok|okay|hmm+|u[mh]+|well|oh|ugh|actually|honestly|listen|look)"
    r"\s*[,:!.…]+\s*|(?:and|but|so|also|oh|well|hmm+)\s+)+(?=\w)",
    re.IGNORECASE,
)
#: Label of an order: "New house law: ...", "Rule: ...".
_LABEL = (
    rf"(?:(?:{_COUNT} )?(?:(?:an?|the|our|my|this|another|new|more|small|last|first|simple|standing|general|house|home|"
    r"family|kitchen|office|team|ground|company|project|repo|coding|summer|winter|code|release|deploy|holiday|"
    r"change|trading|trade) )*"
    r"(?:law|rule|polic(?:y|ie)|order|regulation|ban|freeze|moratorium|embargo|black-?out|prohibition|restriction|"
    r"convention|guideline)s?"
    r"(?: (?:for|in|from) (?:the |this |our )?[\w-]+| here| number \w+| #?\d+)?(?=\s*:|\s+[-–—]\s))"
)
_LABELLED = lazy_pattern(rf"^\W*{_LABEL}", re.IGNORECASE)
_REMARKED = lazy_pattern(
    rf"^\W*(?:(?:{REMARK}|{_LABEL})(?:\s*[,:!.…]+\s*|\s+[-–—]+\s+))+(?=\w)", re.IGNORECASE
)
#: Beginning of an order, at which it says that it is one.
_FROM_NOW = lazy_pattern(
    r"^\W*(?:from (?:now|today|this (?:week|month))(?: on(?:wards?)?)?|as of (?:now|today)),?\s+(?=\w)",
    re.IGNORECASE,
)
#: Emphasis after a prohibition, which forbids nothing more: "Ever.", "Period.", "No exceptions."
_EMPHATIC = (
    r"(?:(?:not |never )?ever|period|full stop|end of (?:story|discussion)|(?:no|without) (?:any )?exceptions?|"
    r"no (?:excuses|discussion|ifs or buts)|for (?:either|any|both|all|each) of (?:them|us|you)|"
    r"(?:and )?(?:i|we) mean it|(?:and )?that(?:'s| is) (?:final|that)|"
    r"(?:and )?(?:no ?body|no one|no-one) else(?:'s)?)"
)
_EMPHASIZED = lazy_pattern(rf"(?<=[\w\"'`)])\s*(?:[.,;:!…]+|\s[-–—]+)\s*{_EMPHATIC}[\s.!]*$", re.IGNORECASE)
#: Anything or anybody after the act and its object, which narrows nothing: "about anything"; and who is excepted.
_ANY = lazy_pattern(
    r"(?P<act>(?:n't|\bnot|\bnever|\bno) [\w-]+ [^.,;:!?]+?) (?:to|about|with|for|from|of|on|in|by) "
    r"any ?(?:body|one|thing)(?: else)?"
    r"(?: (?:but|except|other than|besides|apart from|outside) (?:to |with |for |from )?(?P<but>[^.,;:!?]+)|"
    r"(?=\s*(?:$|[.,;!?])))",
    re.IGNORECASE,
)
_ANYWHERE = lazy_pattern(r"\banywhere (?=(?:online|in|on|at|near)\b)", re.IGNORECASE)
_IS_EMPHASIS = lazy_pattern(rf"\W*{_EMPHATIC}[\s.!]*$", re.IGNORECASE)
#: Contraction that is written without its apostrophe.
_CONTRACTED = lazy_pattern(
    r"\b(do|does|did|is|are|was|were|must|should|would|could|have|has|had|ca|wo)nt\b", re.IGNORECASE
)
#: Permitted alternative after the rejected action: ", go through Priya".
_ALTERNATIVE = lazy_pattern(
    r"(?<=\w)\s*[,;]\s*(?:please\s+)?"
    r"(?:go|use|ask|take|try|call|talk|send|keep|stick|leave|let(?!(?:'?s| us) not\b)|we have|we use)\b[^,;]*$",
    re.IGNORECASE,
)
#: Emphasis that excludes nothing: ", not even for a test"; and its words before the case that it names.
_EMPHASIS = lazy_pattern(
    r"\s*,?\s*\bnot even\b[^,;]*$|\s*,\s+(?:[\w'’/-]+ ){1,4}(?:included|inclusive|as well|too)\s*[.!]?$",
    re.IGNORECASE,
)
_EVEN = lazy_pattern(r"\s*,?\s*\bnot even\b", re.IGNORECASE)
#: Reason after the rejected action: a clause with a subject and a verb of its own.
_REASON = lazy_pattern(
    r"(?<=[\w/`'\")])(?:\s*[,;]|\s+[-–—]+(?=\s))\s*(?:(?:i|we|you|it|they|he|she|there)\b|"
    r"(?:the|this|that|these|those|my|our|your|its|their)\b[^,;]*"
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|does|do|did|\w+n't)\b).*$",
    re.IGNORECASE,
)
#: Wish that the agent does something, or not, before the act.
WANTED = r"(?:i|we)(?:'d| would)? (?:really |just )?(?:want|need|like|prefer|ask) you to (?:please )?"
WANTED_NOT = r"(?:i|we)(?:'d| would)? (?:really |just )?(?:want|need|like|prefer|ask) you (?:not|never) to "
_NOT = r"(?:didn't|did not|don't|do not|won't|not|never)"
#: Speaker, with a verb to be; and everybody, whom the speaker lets do nothing.
_WHO = r"(?:(?:please|so|well) )?(?:i|we|you|they|the team)"
_IS = rf"{_WHO}(?:'m|'re| am| are)"
_ANYBODY = (
    r"(?:any ?(?:body|one)(?: else)?|people|others) (?:to )?(?!(?:in|into|on|near|at|from|out|off|past)\b)"
)
#: Thing or act that is ruled out.
_RULED_OUT = (
    r"([^.!?;]+?) (?:is|are) (?:off[- ](?:the[- ]table|limits)|out of the question|not an option|no option|"
    r"an? no(?:[- ]?go)?|ruled out|out(?=\s*(?:[.,;:!]|$)))(?!\w)"
)
#: Order that one must not get a thing, which forbids to give it.
GIVEN = lazy_pattern(
    r"^(?!(?:it|that|this|they|he|she|i|we|you|there|agents?|no ?body|no|nothing|what)\b)(?P<who>[\w' -]{2,40}?) "
    r"(?:(?:must|may|shall)(?:n't| not| never)|(?:is|are)(?:n't| not) (?:allowed )?to) (?:ever )?"
    r"(?:get|receive|be (?:given|fed|served)|eat|drink) (?!(?:away|up|out|off|down|in|on|to|back|lost)\b)"
    r"(?P<what>(?:[^,;.!?]|\.(?=\d))+)",
    re.IGNORECASE,
)
#: Wordings of a rejection at the beginning of it, and the plain one. "Put this on Kubernetes" is a use of the name.
_FORMS = {
    lazy_pattern(
        rf"\b(?:i|we)(?:'d| would) (?:rather|prefer)(?: that| if)? (?:you|we|it|they)? ?{_NOT}(?: to)?\b",
        re.IGNORECASE,
    ): "don't",
    lazy_pattern(
        r"^(?:please )?(?:(?:under|in) no circumstances|on no account|by no means),? "
        r"(?:(?:may|must|should|shall|can|do|will|are|is) )?(?:(?:you|we|i|any ?(?:one|body)) )?(?:(?:allowed )?to )?",
        re.IGNORECASE,
    ): "never ",
    lazy_pattern(r"^(?:please )?(?:keep (?:your )?)?hands off(?: of)? ", re.IGNORECASE): "don't touch ",
    lazy_pattern(r"^(?:(?:i|we) )?(?:prefer|rather|better) not(?: to)?\b", re.IGNORECASE): "don't",
    lazy_pattern(r"\blet(?:'s| us) not\b", re.IGNORECASE): "don't",
    lazy_pattern(r"^(?:can|could|would|will) you (?:please )?not\b", re.IGNORECASE): "don't",
    lazy_pattern(
        rf"^(?:please )?{WANTED}(?:(?:stop|quit|cease|avoid|refrain from) (?=[\w-]+ing\b)|(?:not|never) )",
        re.IGNORECASE,
    ): "don't ",
    lazy_pattern(rf"^(?:please )?{WANTED_NOT}", re.IGNORECASE): "don't ",
    lazy_pattern(
        r"^(?:please )?you(?:'re| are)(?: not|n't) (?:(?:allowed|permitted|supposed|authori[sz]ed) )?to ",
        re.IGNORECASE,
    ): "don't ",
    lazy_pattern(r"^(?:please )?(?:hold off(?: on)?|refrain from) (?=[\w-]+ing\b)", re.IGNORECASE): "don't ",
    lazy_pattern(
        r"^(?:please )?(?:quit|cease|enough with|no more(?=[\w -]+ing \w)) (?=\w*[aeiouy][\w-]*ing\b)", re.IGNORECASE
    ): "don't ",
    lazy_pattern(
        rf"^{_IS}(?: not|n't) (?:going|planning|about) to (?:be )?(?!(?:let|allow)\b)", re.IGNORECASE
    ): "don't ",
    lazy_pattern(
        rf"^(?:{_IS}(?: not|n't) (?:(?:going|planning) to (?:let|allow)|letting|allowing)|"
        rf"(?:{_WHO} )?(?:won't|will not|don't|do not|can't|cannot|never) (?:let|allow)) {_ANYBODY}",
        re.IGNORECASE,
    ): "don't ",
    lazy_pattern(
        rf"^(?:{_IS}(?: all)? (?:done|finished|through)(?: with)?|{_WHO}(?:'ve| have)? (?:stopped|quit)) "
        r"(?=[\w-]+ing\b)",
        re.IGNORECASE,
    ): "don't ",
    lazy_pattern(rf"^{_IS}(?: all)? (?:done|finished|through) with ", re.IGNORECASE): "don't use ",
    lazy_pattern(
        r"^(?:please |just )*(?:(?:stay|steer|keep) (?:well )?clear of|"
        r"(?:stay|keep) (?:well |far )?(?:away from|out of)) "
        r"(?=[^\s,;]*(?:/|\.\w))",
        re.IGNORECASE,
    ): "don't touch ",
    lazy_pattern(
        rf"^(?:please |let's |just |{_IS} )*(?:(?:stay|steer|keep)(?:ing)? (?:well )?clear of|(?:stay|keep) out of|"
        r"(?:stay|keep|mov)(?:e|ing)? (?:well |far )?away from) ",
        re.IGNORECASE,
    ): "don't use ",
    lazy_pattern(rf"(?:^|(?<=[.!?;] ))(?=[\w-]+ing\b){_RULED_OUT}", re.IGNORECASE): r"don't \1",
    lazy_pattern(rf"(?:^|(?<=[.!?;] )){_RULED_OUT}", re.IGNORECASE): r"don't use \1",
    # "Pydantic inside core was discussed in #612 and rejected", "Poetry was tried, we're not going back".
    lazy_pattern(
        r"^(?!(?:it|that|this|they|he|she|there|nothing|what)\b)([\w' `./&+-]{2,60}?) "
        r"(?:was|were|has been|have been|got) "
        r"(?:(?:\w+ ){0,2}?(?:rejected|dropped|turned down|voted down|ruled out|abandoned|ditched|banned)\b|"
        r"[^.;!?,]{2,50}? (?:and|but) (?:(?:was|were|then|finally|again) )?(?:rejected|dropped|turned down|voted down|"
        r"ruled out|abandoned|ditched)\b|"
        r"[^.;!?,]{2,50}?,? (?:and |but |so )?(?:we|i)(?:'re| are|'m| am) not going back\b(?: to it)?)"
        r"(?!.*\b(?:never|don't|stop|no)\b)[^.;!?]*",
        re.IGNORECASE,
    ): r"don't use \1",
    GIVEN: r"don't give \g<who> \g<what>",
    # "Tests must not call the provider" is of a call in tests.
    lazy_pattern(
        r"^(?!(?:it|that|this|they|he|she|i|we|you|there|agents?|no ?body|no|nothing|what)\b)([\w' /-]{2,40}?) "
        r"(?:must|may|shall)(?:n't| not| never) (?:ever )?(?!be\b)([a-z]+ (?:[^,;.!?]|\.(?=\d))+)",
        re.IGNORECASE,
    ): r"don't \2 in \1",
    # A thing that is put into the log is logged.
    lazy_pattern(
        r"\b(?:put|write|place|include|dump|store|add)(?:ting|ing)? ([^,;.!?]{2,60}?) (?:in|into|to) "
        r"(?:(?:the|any|our|your|a) )?(?:\w+ )?logs?(?:[ -]?(?:lines?|files?|messages?|output|"
        r"entr(?:y|ies)))?(?![\w-])",
        re.IGNORECASE,
    ): r"log \1",
    # A thing that is put online is published; deals with a party are trades.
    lazy_pattern(r"\bput(?:ting)? ([^,;.!?]{2,60}?) (?:up )?online\b", re.IGNORECASE): r"post \1 online",
    lazy_pattern(
        r"^(?:please )?(?:no (?:more |new )?(?:deals?|dealings|business)|"
        r"(?:don't|do not|never) (?:do|make|close) (?:any )?(?:more |new )?(?:deals?|business)) with ",
        re.IGNORECASE,
    ): "don't trade with ",
    # A change that is turned down turns down its destination.
    lazy_pattern(
        r"^(?:(?:the )?(?:idea of )?)(?:mov|migrat|switch|chang|port|convert)ing (?:over )?from [^,;.]{2,40}? to "
        r"(?=(?-i:[A-Z`])|[\w-]+$)",
        re.IGNORECASE,
    ): "don't use ",
    lazy_pattern(r"^(?:don't )?adding (?=\w)", re.IGNORECASE): "don't add ",
    lazy_pattern(
        r"^(?!(?:it|that|this|they|he|she|i|we|you|no ?body|no|nothing|what)\b)([^.!?;,:]{2,80}?) (?:is|are) "
        r"(?:now |strictly |hereby |also )*(?:banned|forbidden|prohibited|not (?:allowed|permitted))\b(?: here\b)?",
        re.IGNORECASE,
    ): r"no \1",
    lazy_pattern(
        r"^(?!(?:it|that|this|they|he|she|i|we|you|no ?body|no|nothing|what)\b)([^.!?;:]{2,80}?) "
        r"(?:(?:is|are|wo)(?:n't| not| never)|will (?:not|never))(?: be)? "
        r"(?:accepted|approved|allowed|permitted|tolerated|on(?=\s*(?:$|[.,;!])))(?! (?:to|by|if)\b)",
        re.IGNORECASE,
    ): r"no \1",
    lazy_pattern(
        r"^(?:please )?(?:leave|keep) (.+?) (?:alone|untouched|unchanged|as (?:it is|they are|is))\b",
        re.IGNORECASE,
    ): r"don't touch \1",
    # A thing that needs another one is rejected without it.
    lazy_pattern(
        r"^(?!.*\b(?:\w+n't|never|no|not|without|nobody|nothing)\b)"
        r"(?!(?:it|that|this|they|he|she|i|we|you|there|what|who)\b)([^.!?;:,]{2,80}?) "
        r"(?:always )?(?:needs?|requires?) "
        r"(?=(?:an?|the|somebody|someone)\b|(?-i:[A-Z]))([^.!?;]+)",
        re.IGNORECASE,
    ): r"no \1 without \2",
    lazy_pattern(r"\b(?:i|we) (?:veto|reject|oppose)(?:ed)?\b", re.IGNORECASE): "don't use",
    lazy_pattern(r"^no[- ]?body (?:is to |is allowed to |may |should |gets to )?", re.IGNORECASE): "don't ",
    lazy_pattern(
        rf"^(?:{_WHO} )?(?:don't|do not|won't|will not|never) (?:ever )?(?:put|place|host|run|move|migrate|build) "
        r"(?:this|that|it|them|these|those|any ?thing|everything|any of (?:this|that|it|them)) (?:on|onto|into|to) "
        r"(?=(?-i:[A-Z]))(?!(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
        re.IGNORECASE,
    ): "don't use ",
    lazy_pattern(r"\bany longer\b", re.IGNORECASE): "any more",
}  # fmt: skip
#: What follows a forbidden act in its own sentence, and names none: purpose, condition, exception, comparison.
_ASIDE = lazy_pattern(
    r"(?<=\w)[\"'`)]*\s*,?\s*\b(?:(?:in order )?to (?:make|get|keep|save|avoid|help|let|pass|have|be|speed)|just to|"
    r"so that|unless|until|till|except|other than|apart from|besides|instead of|rather than|if|when|while|as long as|"
    r"as soon as|no matter|also|even|because|since|than)\b.*$",
    re.IGNORECASE,
)
#: Clause after a comma that forbids again, or names one more thing.
_LISTED = lazy_pattern(
    r"\s*(?:(?:and|or|nor) )?(?:no|never|not|don't|do not|nor|neither|or)\b"
    r"(?! (?:for|in|on|at|to|even|with|when|if)\b)|"
    r"\s*(?:and |or )?[\w`'-]+(?: (?!(?:it|them|him|her|us|me|this|that)\b)[\w`'-]+)?\s*$",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(r"(?<=[\w\"'`)])[.!?;]\s+(?=\S)|\s+[-\u2013\u2014]\s+")
#: Beginning that forbids, before the act.
_FORBIDDING = lazy_pattern(
    r"^(?:(?:please|we|i|you|it|they|the team|should|must|may|can|will|are|is|'re|'m)\s+|(?:we|you|they)'re\s+)*"
    r"(?:never|no more|no|not|don't|dont|do not|won't|can't|cannot|shouldn't|mustn't|aren't|isn't|"
    r"(?:stop|avoid)(?= [\w-]+ing\b))\s+"
    r"(?:(?:going|allowed) to\s+|ever\s+)*",
    re.IGNORECASE,
)
#: Beginning of an action that is said in a sentence.
_ACTING = lazy_pattern(
    r"^(?:(?:please|now|just|then|i'll|i will|i'm going to|let me|let's|we'll|we will)\s+)+", re.IGNORECASE
)
#: Words that change no act.
_IDLE = frozenset(
    {"a", "an", "the", "any", "some", "our", "my", "your", "please", "again", "anymore", "ever"}
)
_WORD = lazy_pattern(r"[^\s,;:!?()-]+")


def straight(text: str) -> str:
    """Returns a text with straight apostrophes, also in contractions that are written without one: "dont"."""
    return _CONTRACTED.sub(r"\1n't", text.replace("’", "'"))


@lru_cache(_TEXTS)
def substitute(text: str) -> str:
    """Returns the words of a rejection that say what to do or use instead; empty if there are none.

    Args:
        text: Rejection.
    """
    rest, found = substitutes.split(without_reports(text))
    other = _ALTERNATIVE.search(rest)
    return found or (other[0].strip(" ,;") if other is not None and RESTRICTS.search(rest) else "")


def without_emphasis(text: str) -> str:
    """Returns a text without the emphasis after it: "we don't ship on Fridays. Ever." ships on no Friday."""
    bare = text
    while (found := _EMPHASIZED.search(bare)) is not None:
        bare = bare[: found.start()]
    return _ANYWHERE.sub("", _ANY.sub(_without_any, bare))


def _without_any(found: re.Match[str]) -> str:
    """Returns an act without "to anybody", and with its exception after it: "family excepted"."""
    return f"{found['act']}, {found['but']} excepted" if found["but"] else found["act"]


def is_emphasis(sentence: str) -> bool:
    """Whether a sentence only emphasises the one before it: "Period."."""
    return _IS_EMPHASIS.match(sentence) is not None


def without_interjection(text: str) -> str:
    """Returns a text with straight apostrophes and without an interjection or remark before it."""
    return _INTERJECTION.sub("", without_remark(text))


def is_labelled(text: str) -> bool:
    """Whether words are announced as an order: "New house law: no screens before school"."""
    return _LABELLED.match(text) is not None


def without_remark(text: str) -> str:
    """Returns a text with straight apostrophes and without a remark before it: "FYI", "just so you know"."""
    return _FROM_NOW.sub("", _REMARKED.sub("", straight(text)))


@lru_cache(_TEXTS)
def without_reports(text: str) -> str:
    """Returns a rejection with straight apostrophes, without a remark before it and reports around it."""
    return reasons.without_reports(without_emphasis(without_remark(text)))


@lru_cache(_TEXTS)
def plain(text: str) -> str:
    """Returns a rejection in the form "don't ...", without reports around it and substitutes after it."""
    bare, _ = substitutes.split(without_reports(text))
    for clause in (_INTERJECTION, _ALTERNATIVE, _EMPHASIS):
        bare = clause.sub("", bare)
    for pattern, form in _FORMS.items():
        bare = pattern.sub(form, bare, count=1)
    return bare if bare.strip() else text


def clause(text: str) -> str:
    """Returns the plain form of a rejection without the reason after it; the text itself if that forbids nothing."""
    short = _REASON.sub("", plain(text))
    return short if _FORBIDDING.match(short) else text


@lru_cache(_TEXTS)
def forbidding(text: str) -> str:
    """Returns the clause of a rejection that forbids: without reasons, purposes, conditions, exceptions, alternatives.

    It is the first sentence that negates, or the first one if none does.
    """
    sentences = [plain(each) for each in _SENTENCE.split(text) if each.strip()] or [text]
    sentence = next(filter(RESTRICTS.search, sentences), sentences[0])
    kept: list[str] = []
    for part in sentence.split(","):
        if kept and RESTRICTS.search(", ".join(kept)) and not _LISTED.match(part):
            break
        kept.append(part)
    return _ASIDE.sub("", ",".join(kept)).strip() or text


@lru_cache(_TEXTS)
def act(text: str) -> tuple[str, ...]:
    """Returns the stems of the act that a rejection forbids, or that an action does, in order, without articles."""
    bare = _FORBIDDING.sub("", _ACTING.sub("", clause(text)), count=1)
    words = [word.lower().rstrip(".") for word in _WORD.findall(bare)]
    return tuple(stem for stem in operation_table.stem_each(words) if stem and stem not in _IDLE)


def is_same_act(text: str, action: str) -> bool:
    """Whether an action is in the very words of the act that a rejection forbids."""
    if text.casefold() == action.casefold():
        return True
    done = act(action)
    return bool(done) and not _FORBIDDING.match(action) and done in (act(text), act(_EVEN.sub("", text)))
