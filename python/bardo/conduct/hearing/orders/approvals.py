"""Recognises rules that require an approval: "Deploys need my OK", "Ask me before you delete a branch"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.parse.actions import figures, operations
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.parse.conditions import limits
from bardo.conduct.parse.rejections import wording

#: Maximum number of words of the act; a longer one is no name of an act.
_ACT_WORDS = 12
#: Approval, with the one who gives it: the speaker, a person by name, or anybody.
_WHOSE = (
    r"(?:(?:my|our|a person's|someone's|a human's|(?-i:[A-Z])[\w-]+(?:'s|s')|"
    r"(?:a|an|the) (?:\w+(?:'s) )?(?:human |manual |explicit |written |prior )?)|"
    r"(?=(?:human|manual|explicit|written|prior) ))"
)
_APPROVAL = (
    r"(?:(?:explicit|express|written|prior|human|manual|personal) )?"
    r"(?:ok(?:ay)?|approval|sign-?off|permission|consent|go-?ahead|confirmation|green light|blessing|signature|"
    r"say-so|nod)"
)
_FROM = r"(?: (?:from|of|by) (?:me|us|(?-i:[A-Z])[\w-]+))?"
_ACT = r"(?P<act>[^,;.!?]{3,100}?)"
_NAMED = r"(?-i:[A-Z])[\w-]+"
_DECIDE = r"(?:decide|approve|sign(?: off)?|confirm|authori[sz]e|settle)"
_WHO_DECIDES = rf"(?:mine|for (?:me|us|{_NAMED})|up to (?:me|us|{_NAMED}))(?: alone| only)?"
_END = (
    r"(?=\s*(?:[,;.!]|\s[-–—]\s|$)|\s+before (?:(?:they|it|you|we|anyone|any)\b|being\b|\w+ing\b)"
    r"|\s+(?:first|beforehand|every time|each time|at all times|without exceptions?)\b)"
)
_BEFORE = r"(?:before|prior to|for) (?:you |we |anyone |doing )?"
_FORMS = (
    # "Every deploy to production requires my approval"
    lazy_pattern(
        rf"(?:(?:every|each|all|any) (?:single )?)?{_ACT} (?:always )?(?:needs?|requires?|must have|has to have|takes) "
        rf"{_WHOSE} ?{_APPROVAL}{_FROM}{_END}",
        re.IGNORECASE,
    ),
    # "Deploys to production must be approved by me"
    lazy_pattern(
        rf"(?:(?:every|each|all|any) (?:single )?)?{_ACT} (?:must|ha(?:s|ve) to|needs? to) (?:always |first )?be "
        r"(?:approved|signed off|confirmed|ok(?:ay)?ed|cleared) (?:by|with) "
        rf"(?:me|us|(?-i:[A-Z])[\w-]+|a (?:person|human)){_END}",
        re.IGNORECASE,
    ),
    # "Always get my approval before deploying to production"
    lazy_pattern(
        r"(?:(?:please|always|first|you (?:must|need to|have to)|make sure to) )*"
        r"(?:get|obtain|ask(?: me)? for|wait for|have|seek) "
        rf"{_WHOSE} ?{_APPROVAL}{_FROM} (?:first )?{_BEFORE}{_ACT}{_END}",
        re.IGNORECASE,
    ),
    # "Ask me before you deploy to production"
    lazy_pattern(
        r"(?:(?:please|always|first|you (?:must|need to|have to)) )*(?:ask|check with|consult|clear it with|"
        r"(?:run|pass) (?:it|this|that|everything) by) (?:me|us|(?-i:[A-Z])[\w-]+) (?:first )?"
        r"before (?:you |we |doing |(?=(?:\w+-)?\w+ing\b))"
        rf"{_ACT}{_END}",
        re.IGNORECASE,
    ),
    # "Deploy to production only with my approval"
    lazy_pattern(rf"{_ACT},? only (?:with|after) {_WHOSE} ?{_APPROVAL}{_FROM}{_END}", re.IGNORECASE),
    # "Contracts only leave the house with Anna's say-so"
    lazy_pattern(
        r"(?P<act>[^,;.!?]{3,60}? (?:may |can |must )?only (?:go|be|get|leave)s?\b[^,;.!?]{0,60}?) (?:with|after) "
        rf"{_WHOSE} ?{_APPROVAL}{_FROM}{_END}",
        re.IGNORECASE,
    ),
    # "Refunds above 40 euros are mine to decide"
    lazy_pattern(
        rf"{_ACT} (?:is|are|stays?|remains?) (?:always |only |still |entirely )*(?:{_WHO_DECIDES} to {_DECIDE}|"
        rf"up to (?:me|{_NAMED})|my (?:call|decision|say)){_END}",
        re.IGNORECASE,
    ),
)
#: "Refunds above 40 euros come to me": of another subject this tells where a thing goes.
_TO_ME = lazy_pattern(
    rf"{_ACT} (?:always |first )*(?:comes?|goes?|go) (?:straight |first |always )*(?:to|past|through|by) "
    rf"(?:me|{_NAMED}){_END}",
    re.IGNORECASE,
)
#: "No one restarts the primary without Sana"; the act is in the third person.
_NOBODY = lazy_pattern(
    r"(?:no ?body|no one|no-one) (?:is (?:allowed )?to |may |should |must |can )?(?P<verb>[a-z][\w-]*) "
    r"(?P<rest>[^,;.!?]{2,80}?) without (?:first )?(?:(?:asking|telling|checking with|clearing it with) )?"
    rf"(?:{_WHOSE} ?{_APPROVAL}{_FROM}|(?:a )?(?:review|word|yes|nod) (?:from|of|by) (?:me|us|(?-i:[A-Z])[\w-]+)|"
    rf"(?:me|us|(?-i:[A-Z])[\w-]+)(?:'s (?:say-so|{_APPROVAL}))?){_END}",
    re.IGNORECASE,
)
#: Person whose approval an order requires, after words of an approval.
_APPROVER = lazy_pattern(
    rf"(?-i:\b(?P<owner>[A-Z][\w-]+)(?:'s|s'|s?’s?)) {_APPROVAL}|"
    rf"{_APPROVAL} (?:from|of|by) (?-i:(?P<giver>[A-Z][\w-]+))|"
    r"(?:approved|signed off|confirmed|ok(?:ay)?ed|cleared|reviewed) (?:by|with) (?-i:(?P<by>[A-Z][\w-]+))|"
    r"(?:ask|check with|consult|clear it with|(?:run|pass) (?:it|this|that|everything) by) "
    r"(?-i:(?P<asked>[A-Z][\w-]+))|"
    r"without (?:first )?(?:(?:asking|telling|checking with|clearing it with) |"
    r"(?:a )?(?:review|word|yes|nod) (?:from|of|by) )?(?-i:(?P<without>[A-Z][\w-]+))|"
    rf"(?:for|up to) (?-i:(?P<decider>[A-Z][\w-]+)) to {_DECIDE}|"
    r"(?:up|come|comes|go|goes) (?:to|past|through|by) (?-i:(?P<to>[A-Z][\w-]+))",
    re.IGNORECASE,
)
#: Words by which a person wants to approve alone.
_MINE = lazy_pattern(
    rf"\bmy {_APPROVAL}|{_APPROVAL} (?:from|of|by) me\b|"
    r"\b(?:approved|signed off|confirmed|ok(?:ay)?ed|cleared) (?:by|with) me\b|"
    r"\bask me\b|\bwithout (?:asking|telling) me\b|\bmy (?:call|decision|say)\b|\bmine to \w+|\bfor me to \w+|"
    r"\b(?:to|past|through|by) me\b",
    re.IGNORECASE,
)
_NAME = lazy_pattern(r"[^\W_]+(?:-[^\W_]+)*")
#: Titles, which several persons have.
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "prof", "professor", "sir", "frau", "herr", "doctor"})
#: Authors of rules that are no names of persons.
_NO_NAME = frozenset({"user", "the user", "owner", "the owner", "person", "a person"})
#: End of a thing that needs an approval: "before they are merged", "before you order it".
_DONE = lazy_pattern(
    r"\bbefore (?:(?:they|it) (?:are|is|gets?|can be) (?P<done>\w+ed|\w+t)|"
    r"(?:you|we|they|anyone|anybody) (?P<does>[a-z]+) (?:it|them|that|those|one))\b",
    re.IGNORECASE,
)
#: Thing that goes somewhere by an act of people: "sick notes go out", "contracts leave the house".
_GOES = lazy_pattern(
    r"(?P<thing>[^,;.!?]{2,60}?) (?:(?:may|can|must) )?(?:only )?(?:(?:go|be|get)(?:es|ts|s)?|are|is) "
    r"(?P<how>out|live|public|(?P<done>[a-z]+(?:ed|en|t))\b(?P<rest>.*)|to (?P<where>.+))$",
    re.IGNORECASE,
)
_LEAVES = lazy_pattern(
    r"(?P<thing>[^,;.!?]{2,60}?) (?:(?:may|can|must) )?(?:only )?leaves? (?:the |our |this )?[\w' -]+$",
    re.IGNORECASE,
)
_ANY = lazy_pattern(r"(?:anything|everything|all|whatever)\b", re.IGNORECASE)
#: Beginning of any act of a kind: "anything that touches the database".
_ANYTHING = lazy_pattern(r"(?:anything|everything|(?:any|every|all) \w+) (?:that |which )", re.IGNORECASE)
#: Single thing, which is no act.
_THING = lazy_pattern(r"(?:the|my|our|your|his|her|their|its|this|these|those) ", re.IGNORECASE)
#: Words of what is told, asked or supposed, and of a single case, which rule nothing.
_TOLD = lazy_pattern(
    r"\?|[\"“”«»]|\b(?:if|said|says|told|thinks?|maybe|perhaps|might|would|could|i|we|he|she|they|it|this|that|"
    r"used to|anymore|any ?longer|not|never|no longer|today|yesterday|tomorrow|tonight)\b|n't\b",
    re.IGNORECASE,
)


def approval_of(text: str) -> str:
    """Returns the act for which a rule requires an approval; empty if it requires none.

    Args:
        text: Words of a user.
    """
    bare = wording.without_interjection(text).strip()
    if "?" in bare:
        return ""
    if (nobody := _NOBODY.match(bare)) is not None:
        act = f"{_base(nobody['verb'])} {nobody['rest'].strip()}"
        return act if operations.in_prose(act)[0] and _TOLD.search(act) is None else ""
    found = next((found for form in _FORMS if (found := form.match(bare)) is not None), None)
    if found is None:
        found = _TO_ME.match(bare)
        if found is None or not limits.split(found["act"])[1]:
            return ""
    act = _as_done(_ANYTHING.sub("", found["act"].strip()))
    if (done := _DONE.search(bare)) is not None:
        act = f"{done['done'] or done['does']} {_lowered(act)}"
    elif _ANY.match(act) and any(figures.is_money(each.dimension) for each in figures.figures_of(act)):
        # A sum of anything is one that is spent.
        act = f"buy {_lowered(act)}"
    if (
        _THING.match(act)
        and not operations.in_prose(act)[0]
        and not operations.mentioned_in(act, operations.words_of(act))[0]
    ):
        return ""
    is_named = bool(content_stems(re.findall(r"[a-z]+", act.lower()))) and len(act.split()) <= _ACT_WORDS
    return act if is_named and _TOLD.search(act) is None else ""


def approver_in(text: str) -> str:
    """Returns the name of the person whose approval a rule requires; empty if it names none.

    Args:
        text: Words of the rule.
    """
    found = _APPROVER.search(wording.straight(text))
    return next(filter(None, found.groups()), "") if found is not None else ""


def is_approved(rule: str, by: str, author: str = "") -> bool:
    """Whether a person may give the approval that a rule requires: the one whom it names, else any person.

    "My approval" is that of its author.

    Args:
        rule: Text of the rule.
        by: Name of the person who approved; empty if there is none.
        author: Name of the person who stated the rule; empty if it is not known.
    """
    wanted = approver_in(rule).casefold()
    if not wanted and author.casefold() not in _NO_NAME and _MINE.search(wording.straight(rule)):
        names = [name.casefold() for name in _NAME.findall(author)]
        wanted = next((name for name in names if name not in _TITLES), "")
    given = [word.casefold() for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", by)]
    return bool(given) and (not wanted or wanted in given)


def _as_done(act: str) -> str:
    """Returns an act on a thing of which a rule tells where it goes: "send out sick notes" for "sick notes go out"."""
    if (left := _LEAVES.match(act)) is not None:
        return f"send out {left['thing']}"
    found = _GOES.match(act)
    if found is None:
        return act
    thing = found["thing"]
    if found["done"] and (base := base_of(found["done"].lower())):
        return f"{base} {thing}{found['rest']}"
    if found["done"] or operations.in_prose(thing)[0]:
        # "Deploys go to production" names the act itself.
        return f"{thing} {found['how']}"
    if found["where"]:
        return f"send {thing} to {found['where']}"
    return f"send out {thing}" if found["how"].lower() == "out" else f"publish {thing}"


def _lowered(act: str) -> str:
    """Returns an act with a first "anything" in lower case."""
    found = _ANY.match(act)
    return f"{found[0].lower()}{act[found.end() :]}" if found is not None else act


def _base(verb: str) -> str:
    """Returns a verb without the ending of the third person: "restarts", "pushes", "copies"."""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if re.search(r"(?:sh|ch|ss|x|zz|o)es$", verb):
        return verb[:-2]
    return verb.removesuffix("s") if not verb.endswith("ss") else verb
