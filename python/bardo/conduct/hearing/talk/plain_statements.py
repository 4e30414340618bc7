"""Recognises statements that neither order, refuse, decide nor ask: values, events, possibilities and courtesies.

"Feature flags stay in config files", "Netlify raised the price again", "We may move it next year" and "Thanks, I have
the list" tell, and leave everything as it is.
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.rejections import wording

#: Words by which a statement rules, refuses or chooses, so that it is no mere one.
_RULES = lazy_pattern(
    r"\b(?:must|should|shall|may|ha(?:s|ve) to|needs? to|please|always|only|just|until|till|unless|max(?:imum)?|"
    r"min(?:imum)?|at (?:most|least)|up to|tops|per|hard|final|fixed|frozen|locked|(?:is|are|stays?|"
    r"hands) off|out|enough|too|instead|rather|"
    r"banned|forbidden|from now on|from today|as long as|strictly|ceiling|cap|exclusively|alone|anyone|everyone|"
    r"nothing|none|all|any|every|there it|it (?:is|stays|remains))\b",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?!(?:i|we|you|he|she|it|they|this|that|these|those|there|let's|who|what|which|where|when|why|how|if|no|not|"
    r"nobody|nothing|please|don't|keep|leave|hold|make)\b)(?:[\w'&./`+#-]+ ){0,7}?[\w'&./`+#)-]+"
)
#: Place of a thing of software, or its figure. Where a thing of a house "stays" is an order.
_PLACE = (
    r"(?:[\w`~.-]*/[\w`./*-]+|`[^`]+`|[\w-]+\.[a-z]{1,5}\b|"
    r"(?:(?:the|our|a|an) )?(?:[\w-]+ ){0,3}?(?:files?|folders?|director(?:y|ies)|repo(?:sitory)?|"
    r"branch(?:es)?|buckets?|"
    r"packages?|modules?|tables?|schemas?|columns?|config(?:uration)?|env(?:ironment)?|wiki)\b)"
)
_FIGURE = r"(?:(?:about|around|roughly|currently|now|still|version|port|number|no\.|#) )*[€$£]?v?\d[\w.,:%]*"
_VALUE = lazy_pattern(
    rf"{_SUBJECT} (?:(?:is|are|stays?|remains?|lives?|sits?|(?:is|are) (?:kept|stored|saved|found|located|defined))"
    rf"(?: (?:now|still|currently|all|both))? (?:in|under|at|inside|on|within) {_PLACE}|"
    rf"(?:is|are|costs?|lasts?|takes?|listens? on|runs? on|points? (?:to|at)|weighs|measures|opens? at|"
    rf"closes? at|starts? at"
    rf"|ends? at)(?: (?:now|still|currently|at|on))* {_FIGURE})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: Change of a figure as a log of changes writes it: "wip: webhook retries 8 -> 20".
_STEP = lazy_pattern(r"[\w().:/ '-]+ \S*\d\S* ?(?:->|=>|→) ?\S*\d\S*[\s.]*$", re.IGNORECASE)
#: Status of a record that has a number: "PR 311 is not approved, leave it open".
_STATUS = lazy_pattern(
    r"(?:(?:the|our|my) )?(?:pr|mr|pull request|merge request|issue|ticket|case|claim|invoice|order|"
    r"request|application|bug)"
    r" ?(?:#|no\.? ?|number )?\d+\b[^?]*? (?:is|are|was|has)(?:n't| not)(?: been)? (?:yet |even )*"
    r"(?:approved|merged|reviewed|paid|done|closed|ready|finished|signed|accepted|shipped|settled|"
    r"confirmed|processed)\b",
    re.IGNORECASE,
)
#: Verbs of an event by which something is turned down, decided or ended: "the board rejected the plan".
_DECIDING = (
    r"(?:rejected|refused|declined|vetoed|banned|blocked|cancell?ed|turned|ruled|voted|decided|agreed|"
    r"opted|dropped|ended|"
    r"stopped|scrapped|killed|struck|forbade|forbid|prohibited|asked|told|said|wanted|insisted|ordered|approved|signed|"
    r"dismissed|abandoned|objected|complained|warned|promised|need(?:ed)?|froze|paused|suspended|closed|shut|"
    r"reserved|locked|"
    r"\w*eed|red|bed|shed|speed|need|unused|used|limited|restricted|required|allowed|supposed)"
)
_PAST = (
    rf"(?!{_DECIDING}\b)(?:[a-z]{{2,}}ed|went|came|got|took|broke|fell|rose|grew|lost|won|sent|sold|bought|left|"
    r"forgot|ran|ate|hit|made|gave|found|brought|kept us|woke|blew|threw)"
)
#: Deed of a third party, with a word of annoyance or of its repetition: "netlify raised the price again, grr".
_EVENT = lazy_pattern(
    rf"{_SUBJECT}(?: (?:has|have|just|already|'s|'ve))* {_PAST}\b[^?]*?"
    r"\b(?:again|yet again|once more|for the \w+ time|grr+|argh+|ugh|sigh|damn|as usual|of course|"
    r"of all days)\b[\s.!,…]*$",
    re.IGNORECASE,
)
#: Act or state that is only possible, or would be needed.
_POSSIBLE = lazy_pattern(
    r"(?:(?:and|but|so|well|hmm+|yes|no|then|that said|in that case)[\s,]+)*"
    rf"(?:(?:i|we|they|he|she|it|that|this|{_SUBJECT}) (?:may|might|could|would)(?! (?:not|never|as well|just as well|"
    r"rather|prefer|like|love|hate)\b)(?:n't)? (?:\w+ly |also |still |well |then |even )*(?P<verb>[a-z]+)\b|"
    r"(?:perhaps|maybe|possibly) )",
    re.IGNORECASE,
)
#: Need of another way, of which the speaker says no more.
_WOULD_NEED = lazy_pattern(
    r"(?:(?:and|but|so|well|hmm+|yes|then|i think|i guess|in that case)[\s,]+)*(?:that|it|this|those)(?:'d| would) "
    r"(?:also |still |first |then )*(?:need|require|take|depend on|be up to)\b[^?]*$",
    re.IGNORECASE,
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RECURS = (
    rf"(?:on (?:{_DAY}s(?: and {_DAY}s)?|{_DAY} (?:mornings|afternoons|evenings|nights)|weekdays|weekends)|at weekends|"
    rf"(?:every|each) (?:other |second )?(?:{_DAY}|day|week|weekday|weekend|month|morning|evening|night|quarter)|"
    r"daily|weekly|monthly)"
)
#: Habit of several others at times that come again: "Brandt & Co deliver on Mondays".
_RECURRING = re.compile(
    r"(?:[^,;.?!]+ (?:is|are) [^,;.?!]+, (?=they ))?(?!.*\b(?:needs?|must|should|(?:have|has) to|to be)\b)"
    r"(?:(?i:(?:the|our|my|your|his|her|their|these|those|both) [\w' &.-]{2,40}?|they)|"
    # Two words may be a request to one: "Ring Tilda every Friday".
    r"[A-Z][\w'-]* (?:&|and) [A-Z][\w'-]*\.?) "
    rf"(?!(?:to|for|at|on|in|of|is|are|be)\b)[a-z]+\b[^,;.?!]*?(?:, )?(?i:{_RECURS})"
    r"(?: (?:at|from|around|between|until|after|before|in)\b[\w :.'-]*)?[\s.!]*$"
)
_THANKS = (
    r"(?:(?:great|ok(?:ay)?|ah|oh|super|perfect|lovely|good|cool|fine|right)[\s,.!]+)*"
    r"(?:many thanks|thanks(?: a lot| so much| very much)?|thank you(?: so much| very much)?|thx|cheers|ta)"
    r"(?: (?:everyone|all|\w+))?"
)
#: Thanks by which a user confirms a receipt: "thanks, I have the list".
_RECEIPT = lazy_pattern(
    rf"{_THANKS}(?:\s*[,.!:;–—-]+\s*|\s+)(?:(?:i|we)(?:'ve| have)? (?:now |just |already )?(?:have|got|see|saw|found|"
    r"know|received|read|understand|noted|written|wrote|will (?:see|look|read)|'ll (?:see|look|"
    r"read))\b|got (?:it|them)|"
    r"noted|received|that(?:'s| is| was| helps| works| will do)|it(?:'s| is| was)|all (?:good|clear|fine)|good to know|"
    r"much appreciated)[^?]*$",
    re.IGNORECASE,
)
#: Promise whose only object is a pronoun, after thanks or an assent or by itself: it names nothing to be done.
_POINTING = lazy_pattern(
    rf"(?:(?:{_THANKS}|ok(?:ay)?|sure|yes|will do|right|great|got it|noted|done|alright)[\s,.!:;–—-]+)*"
    r"(?:and |so |then )*(?:i|we)(?:'ll| will|'m going to| am going to)(?: now| just| also| then| gladly| happily)* "
    r"[a-z]+(?: (?:up|out|at|into|through|to|on|over|after|with|for|back))? "
    r"(?:it|them|that|this|those|these|you|him|her|so)"
    r"(?: (?:up|out|over|back|down|in|off|through|now|then|right away|at once|straight away|immediately|later|soon|too|"
    r"for you|know|first))*[\s.!]*$",
    re.IGNORECASE,
)
_ASSENT = lazy_pattern(
    r"(?:(?:yes|yeah|ok(?:ay)?|right|true|fair enough|fine|ah|oh|well)[\s,.!]+)*(?:agreed|true|exactly|fair enough|"
    r"you're right|that's right|good point)[\s,.!;:–—-]+(?:so |then |let's )?(?:forget|drop|skip|"
    r"leave|scrap|never mind|"
    r"forget about|ignore)(?: (?:it|that|this|them|about it|about that))?(?: then| be)?[\s.!]*$",
    re.IGNORECASE,
)


def is_value(text: str) -> bool:
    """Whether words only tell the place, figure or status of a thing: "Feature flags stay in config files".

    Args:
        text: Words of a user.
    """
    bare = _bare(text)
    if _STATUS.match(bare):
        return True
    is_told = _VALUE.match(bare) is not None or _STEP.match(bare) is not None
    return is_told and "?" not in bare and not RESTRICTS.search(bare) and not _RULES.search(bare)


def is_event(text: str) -> bool:
    """Whether words only complain of what a third party did again: "Netlify raised the price again, grr".

    Args:
        text: Words of a user.
    """
    bare = _bare(text)
    return _EVENT.match(bare) is not None and not RESTRICTS.search(bare)


def is_possible(text: str) -> bool:
    """Whether words only tell what may or would be: "We may move the ledger next year".

    Args:
        text: Words that were said.
    """
    return _POSSIBLE.match(_bare(text)) is not None


def is_conditional(text: str) -> bool:
    """Whether words only tell what something would need: "That would need Ira's decision".

    Args:
        text: Words of a user.
    """
    return _WOULD_NEED.match(_bare(text)) is not None


def is_recurring(text: str) -> bool:
    """Whether words only tell what others do at times that come again: "The cleaners come on Thursday evenings".

    Args:
        text: Words of a user.
    """
    return _RECURRING.match(_bare(text)) is not None and not RESTRICTS.search(text)


def is_receipt(text: str) -> bool:
    """Whether words only thank for what was given: "Thanks, I have the extensions".

    Args:
        text: Words that were said.
    """
    return _RECEIPT.match(_bare(text)) is not None


def promises_it(text: str) -> bool:
    """Whether a promise names nothing but "it": "Thank you, I'll open them".

    Args:
        text: Words of an agent or user.
    """
    return _POINTING.match(wording.straight(text).strip()) is not None


def is_assent(text: str) -> bool:
    """Whether words agree to leave what was spoken of, and name nothing: "Agreed, forget it".

    Args:
        text: Words of a user.
    """
    return _ASSENT.match(wording.straight(text).strip()) is not None


def _bare(text: str) -> str:
    return wording.straight(wording.without_interjection(text)).strip()
