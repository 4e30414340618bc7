"""Recognises statements that have a negation and forbid nothing: of the past, of others' habits, of a lack.

"We never had this problem", "Users never read the tooltips" and "We don't have a budget" tell how things are.
"""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.prohibition import is_inflected, is_prohibition
from bardo.conduct.state.team_orders import reports_absence
from bardo.consolidate.texts.clauses import sentences

#: Words by which a sentence orders or chooses, so that it is no mere report.
_ORDERS = lazy_pattern(
    r"\b(?:must|should|shall|always|please|let's|let us|only|has to|have to|needs? to|from now on|forbidden|"
    r"make sure|instead|will|we'll|i'll|going (?:to|with)|decided|agreed|settled|use)\b",
    re.IGNORECASE,
)
_UNWANTED = lazy_pattern(r"(?:(?:\bnot|n't) (?:want|allowed)|\bstill (?:don't|do not))\b", re.IGNORECASE)
_LEAD = r"(?:(?:and|but|so|well|because|actually|honestly|funny|strangely|though)[\s,]+)*"
#: Person or group that is told of; a thing may be the subject of a rule: "secrets never leave the vault".
_PEOPLE = (
    r"(?:(?:the|our|my|your|most|many|some|these|those|real|new|old) )*(?:users|people|customers|clients|visitors|"
    r"readers|developers|colleagues|kids|children|parents|friends|neighbours|neighbors|folks|everyone|everybody|nobody|"
    r"no one|mom|mum|dad|he|she|they)"
)
#: "Never seen such a bug", "we have never had this problem".
_NEVER = lazy_pattern(
    rf"{_LEAD}(?:(?:i|we|you|he|she|they|it|{_PEOPLE})(?:'ve|'d|'s| have| has| had)? )?(?:have |has |had )?"
    r"never (?:\w+ly )?(?:(?:once|even|quite|really|actually|before) )?(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
#: Verbs of access, which a rule may deny to a group: "customers never see internal ids".
_HABIT = lazy_pattern(
    rf"{_LEAD}{_PEOPLE} (?:never|rarely|hardly ever|don't|do not|doesn't|does not|won't) (?:ever |really |even )?"
    r"(?!(?:get|have|receive|access|enter)\b)[a-z]+",
    re.IGNORECASE,
)
#: Past of others or of a thing: "the old code didn't log anything".
_PAST = lazy_pattern(
    rf"{_LEAD}(?:\S+ ){{1,5}}?(?:didn't|did not|wasn't|was not|weren't|were not|hadn't|had not|couldn't|could not)\b",
    re.IGNORECASE,
)
_LACK = lazy_pattern(
    rf"{_LEAD}(?:(?:i|we|you|they|he|she|it|{_PEOPLE}) (?:(?:still|really|currently) )?"
    r"(?:don't|do not|doesn't|does not) "
    r"(?:(?:really|currently|even|yet) )?have (?:a|an|any|the|enough|that|much|many|time|money|access|room|space|"
    r"budget|capacity)\b|(?:i|we|they)(?:'ve| have) no (?!intention|plans?|use|desire|interest|wish|need|appetite)\w|"
    r"there(?:'s| is| are| was| were)(?:n't| not) (?:a|an|any|enough|much|many)\b|"
    r"there(?:'s| is| are) no (?!way|more)\w)",
    re.IGNORECASE,
)
#: State that cannot last, or an act beyond the speaker.
_UNABLE = lazy_pattern(
    rf"{_LEAD}(?:i|we|he|she|they|you) (?:can't|cannot|couldn't) .*\b(?:much longer|forever|for ever|any faster|"
    r"right now|believe|imagine|remember|wait|tell|stand (?:him|her|them))\b|"
    # Inability that points at what was said before: "no one here can price them".
    rf"{_LEAD}(?:no ?body|no one)(?: (?:here|else|of us|at [\w ]+))? (?:can|could|knows how to) [a-z]+ "
    r"(?:it|them|that)\W*$",
    re.IGNORECASE,
)
#: Habit in a degree: "we don't use the car much", "we don't merge as often as we did".
_SELDOM = lazy_pattern(
    rf"{_LEAD}(?:i|we|they) (?:don't|do not) [^,;.]*\b(?:much|often|as often|a lot|these days|nowadays)\b[^,;]*$",
    re.IGNORECASE,
)
#: Exemption: "you don't need to update the snapshots".
_EXEMPTION = lazy_pattern(
    rf"{_LEAD}(?:you (?:really )?(?:don't|do not|needn't|need not)(?: really)? ?(?:need|have) to|"
    r"you (?:needn't|need not)|(?:there(?:'s| is) )?no need(?: for you)? to)\b",
    re.IGNORECASE,
)
#: Supposition against the facts: "if we had the money we'd move".
_UNREAL = lazy_pattern(
    r"(?:^|[,.;] )(?:even )?(?:if (?:only )?(?:i|we|you|he|she|they|it|there|the \w+|\w+) "
    r"(?:had|were|was|knew|could|didn't|wasn't|weren't|[a-z]+ed)\b.*(?:'d|\bwould|\bcould|\bmight)\b|"
    r".*(?:'d|\bwould) .*\bif (?:only )?(?:i|we|you|he|she|they|it|there) (?:had|were|knew)\b)",
    re.IGNORECASE,
)
#: Request that only keeps off a question: "please don't ask me why".
_ASKING = lazy_pattern(
    r",? (?:so |but )?(?:please |just )*don't (?:ask|quote|blame|tell|get) (?:me|us)\b.*", re.IGNORECASE
)

#: Tip or guess of the speaker, which decides nothing: "my tip for the weekend: Sintra by train".
_TIP = lazy_pattern(
    r"(?:(?:so|and|but|oh|well|also|just),? )*(?:my|our|a|an|one|another|quick|little|hot|top|best|first|insider)"
    r"(?: (?:other|own|best|top|hot|little|quick|small|first|insider|personal|new))*[ -]"
    r"(?:tip|hint|guess|hunch|bet|favou?rite|recommendation)s?\b[^:.!?]{0,60}?"
    r"(?::|\s[-–—]\s| (?:is|are|would be|was)\b)",
    re.IGNORECASE,
)


def is_tip(text: str) -> bool:
    """Whether a user only gives a tip, a guess or a favourite, and orders nothing beside it.

    Args:
        text: Words of a user.
    """
    bare = wording.without_interjection(text).strip()
    return _TIP.match(bare) is not None and RESTRICTS.search(bare) is None


def is_remark(text: str) -> bool:
    """Whether each sentence of a user's words that denies something only tells how things are, and none orders.

    Args:
        text: Words of a user.
    """
    parts = [wording.without_interjection(part).strip() for part in sentences(text)]
    denying = [part for part in parts if RESTRICTS.search(part)]
    return bool(denying) and all(
        _tells(part) if part in denying else _ORDERS.search(part) is None for part in parts
    )


def is_exemption(text: str) -> bool:
    """Whether a user only says that something need not be done: "You don't need to update the snapshots".

    Args:
        text: Words of a user.
    """
    return _EXEMPTION.match(wording.without_interjection(text).strip()) is not None


def is_unreal(text: str) -> bool:
    """Whether words suppose what is not so: "If we had the money we'd move to Leeds".

    Args:
        text: Words that were said.
    """
    return _UNREAL.search(wording.straight(text).strip()) is not None


def _tells(sentence: str) -> bool:
    """Whether a sentence with a negation only tells how things are."""
    said = _ASKING.sub("", sentence) or sentence
    if is_prohibition(said) or _UNWANTED.search(said):
        return False
    if any(form.match(said) for form in (_EXEMPTION, _LACK, _UNABLE, _SELDOM)) or reports_absence(said):
        return True
    if _ORDERS.search(said):
        return False
    never = _NEVER.match(said)
    is_past = never is not None and is_inflected(never["verb"].lower())
    return is_past or _HABIT.match(said) is not None or _PAST.match(said) is not None
