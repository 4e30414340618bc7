"""Recognises orders that a team or a maintainer gives as a statement: "we don't add moment", "jQuery is banned here".

The same forms report how things are ("we don't have a lift", "no errors in the log"). The words of `team_orders.toml`
tell work on a project from these.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bardo._patterns import lazy_pattern

#: Words of a report: of the past, of a degree, of what is not so yet, of the way of a while.
_REPORT = lazy_pattern(
    r"\b(?:yet|so far|even|much|many|often|enough|usually|normally|generally|really|anyway|these days|nowadays|"
    r"any ?more|any longer|since|last|this (?:week|month|morning|time|year)|today|yesterday|was|were|had|"
    r"used to|every (?:day|week|month|year|time)|for a living|you and i|found|left|"
    r"seen|as (?:\w+ )?as|if|when(?:ever)? (?:we|i)|do you|unfortunately|sadly|luckily|"
    r"apparently|"
    r"in (?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?! (?:until|till)))\b",
    re.IGNORECASE,
)
_GUESSED = lazy_pattern(
    r"\b(?:i (?:guess|think|suppose|hear|heard|believe)|apparently|probably|maybe|perhaps)\b", re.IGNORECASE
)
_CLAUSE = lazy_pattern(r"(?<=\S)[,;:.!?](?=\s|$)|\s[-–—]\s")
_NOT_SUBJECT = (
    r"(?!(?:i|we|you|he|she|it|they|this|that|these|those|there|who|what|which|if|when|nobody|no)\b)"
)
_SUBJECT = rf"{_NOT_SUBJECT}(?P<subject>[\w`'\"@./()+#-]+(?: [\w`'\"@./()+#-]+){{0,5}}?)"
#: Way by which "must not" forbids, and none of a guess ("must not have been").
_MUST_NOT = lazy_pattern(
    rf"{_SUBJECT} (?:must(?:n't| not| never)) (?:ever )?(?P<act>(?!(?:have|be (?:that|so|too|very)|feel|seem)\b)"
    r"(?P<verb>[a-z]+)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_BANNED = lazy_pattern(
    rf"{_SUBJECT} (?:is|are) (?:now |strictly |hereby |also )*"
    r"(?:banned|forbidden|prohibited|(?:not|never|no longer) (?:allowed|permitted))\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NEVER = lazy_pattern(
    rf"{_SUBJECT} never (?:ever )?(?P<act>(?P<verb>go|goes|belong|belongs|enter|enters|leave|leaves|land|lands|end up|"
    r"get|gets|reach|reaches|touch|touches)(?P<where> .*))",
    re.IGNORECASE | re.DOTALL,
)
_KEEP_AWAY = lazy_pattern(
    r"(?:please,? |just )*(?:(?:stay|keep) (?:well |far )?away from|(?:stay|steer|keep) (?:well )?clear of|"
    r"(?:stay|keep) out of) (?P<act>(?!(?:me|us|him|her|them|it|that|this|there|trouble|the way|my way|sight)\b).+)",
    re.IGNORECASE | re.DOTALL,
)
_PLEASE = lazy_pattern(r"^(?:please,? |just )+", re.IGNORECASE)
#: Place of the speaker's own, where a ban is one for those who are spoken to.
_OWN_PLACE = lazy_pattern(r"\b(?:here|(?:in|on|at|from|for|inside) (?:this|our)\b)", re.IGNORECASE)
_PLACED = lazy_pattern(r"\b(?:in|into|on|onto|to|at|from|for|inside|outside|against|by)\b", re.IGNORECASE)
#: Name of code: with a dot, an underscore, a slash, an inner capital, or in backticks.
_CODE = lazy_pattern(r"`[^`]+`|\w\.\w|\w_\w|\w\(\)|(?-i:[a-z][A-Z])")
#: End of the head of a thing: "luck with pandas".
_AFTER_HEAD = lazy_pattern(r" (?:with|of|about|like|than|that|which|to)\b", re.IGNORECASE)
_UNTIL = lazy_pattern(r"\b(?:until|till|unless)\b", re.IGNORECASE)
_WORK_PLACE = r"(?:in|into|on|onto|to|at|for|inside|within|outside(?: of)?|against)"


class _Forms(NamedTuple):
    """Patterns of `team_orders.toml`.

    Args:
        doing: "We don't" with a verb of work and its object.
        doing_there: The same with a verb that needs a place of a project.
        place: Place of a project.
        no_thing: "No" with a thing, and the words after it.
        found: Thing that is found at a place, as the last word.
        frozen: "No" with an act of work, and the time until which it is forbidden.
    """

    doing: re.Pattern[str]
    doing_there: re.Pattern[str]
    place: re.Pattern[str]
    no_thing: re.Pattern[str]
    found: re.Pattern[str]
    frozen: re.Pattern[str]


def team_order(text: str) -> str | None:
    """Returns the words of what an order in the form of a statement forbids; None if a text is none.

    Args:
        text: Sentence with straight apostrophes, without the words before its clause.
    """
    text = _PLEASE.sub("", text)
    first = _CLAUSE.split(text, maxsplit=1)[0].strip()
    if "?" in text or _GUESSED.search(text):
        return None
    if (away := _KEEP_AWAY.match(text)) is not None:
        return away["act"]
    if _REPORT.search(first):
        return None
    return _of_doing(text, first) or _of_ban(text, first) or _of_no_thing(text, first)


def _of_doing(text: str, first: str) -> str | None:
    """Returns the act of "we don't commit to main", or of "we don't use Celery in this repo"."""
    forms = _forms()
    found = forms.doing.match(text)
    if found is None and forms.place.search(first):
        found = forms.doing_there.match(text)
    return found["act"] if found is not None else None


def _of_ban(text: str, first: str) -> str | None:
    """Returns the thing of "jQuery is banned here", or the act of "tests must not call the provider"."""
    if (found := _MUST_NOT.match(text)) is not None:
        return found["act"]
    place = _forms().place
    if (found := _NEVER.match(first)) is not None:
        is_there = found["subject"][-1:] == "s" and place.search(found["where"]) is not None
        return f"{found['subject']} {found['act']}" if is_there else None
    if (found := _BANNED.match(text)) is None:
        return None
    rest = _CLAUSE.split(found["rest"], maxsplit=1)[0]
    is_own = (_OWN_PLACE.search(rest) or place.search(rest)) is not None or not _PLACED.search(rest)
    return f"{found['subject']}{found['rest']}" if is_own else None


def _of_no_thing(text: str, first: str) -> str | None:
    """Returns the thing of "no pandas in the scripts", or the act of "no deploys until 24 August"."""
    forms = _forms()
    if (found := forms.frozen.match(text)) is not None:
        return found["act"]
    found = forms.no_thing.match(first)
    if found is None or forms.found.search(_AFTER_HEAD.split(found["thing"], maxsplit=1)[0]):
        return None
    is_then = found["where"].lower().startswith(" then") and _UNTIL.search(text) is not None
    is_there = forms.place.search(found["where"]) is not None and _WORK_THERE.match(found["where"])
    is_code = _CODE.search(found["thing"]) is not None
    return text[found.start("thing") :] if is_there or is_code or is_then else None


def reports_absence(text: str) -> bool:
    """Whether a text only tells that something is not found somewhere: "no errors in the log".

    Args:
        text: Sentence with straight apostrophes, without the words before its clause.
    """
    found = _forms().no_thing.match(_CLAUSE.split(text, maxsplit=1)[0].strip())
    if found is None or not found["where"]:
        # "No way" refuses.
        return False
    return _forms().found.search(_AFTER_HEAD.split(found["thing"], maxsplit=1)[0]) is not None


_WORK_THERE = lazy_pattern(rf" {_WORK_PLACE}\b", re.IGNORECASE)


def _either(words: str, *, plural: bool = False) -> str:
    """Returns the alternation of the items of a list, the longest first."""
    items = sorted((each.strip() for each in words.replace("\n", " ").split(",")), key=len, reverse=True)
    escaped = [re.escape(each).replace(r"\ ", " ") for each in items if each]
    if plural:
        escaped = [
            f"{each.removesuffix('y')}(?:ys?|ies)" if each.endswith("y") else f"{each}(?:e?s)?"
            for each in escaped
        ]
    return f"(?:{'|'.join(escaped)})"


@cache
def _forms() -> _Forms:
    """Returns the patterns; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("team_orders.toml").read_text(encoding="utf-8"))
    subject = r"(?:we|the team|this team|this project)"
    denied = (
        rf"{subject}(?: really| simply| just)? (?:do(?:n't| not)|does(?:n't| not)|never|won't|will not)|"
        rf"{subject}(?:'re| are) not (?:going|planning) to|{subject} (?:are|'re)n't (?:going|planning) to"
    )
    adverbs = r"(?: (?:ever|directly|just|blindly|manually|simply))*"
    place = rf"\b(?:{_either(raw['places'], plural=True)}|{_either(raw['tools'])})(?![\w-])"
    return _Forms(
        re.compile(
            rf"(?:{denied}){adverbs} (?P<act>{_either(raw['doing'])} (?!up\b)\w*\S.*)",
            re.IGNORECASE | re.DOTALL,
        ),
        re.compile(
            rf"(?:{denied}){adverbs} (?P<act>{_either(raw['doing_there'])} \w*\S.*)",
            re.IGNORECASE | re.DOTALL,
        ),
        re.compile(place, re.IGNORECASE),
        re.compile(
            r"no (?:new |more |direct |further )*(?P<thing>[\w`][^\s,;:!?]*(?: [^\s,;:!?]+){0,3}?)"
            rf"(?P<where> (?:{_WORK_PLACE}|until|till|unless|before|without|then|here|for now)\b.*|$)",
            re.IGNORECASE | re.DOTALL,
        ),
        re.compile(rf"\b{_either(raw['found'], plural=True)}$", re.IGNORECASE),
        re.compile(
            rf"no (?:more |further |new )?(?P<act>(?:[\w-]+ ){{0,2}}?{_either(raw['frozen'], plural=True)}\b"
            r"(?: (?:to|in|on|into|of|at|for|from|against)\b[^,;:.!?]*?)? "
            r"(?:until|till|before|during|while|after|through|this|over)\b.*)",
            re.IGNORECASE | re.DOTALL,
        ),
    )
