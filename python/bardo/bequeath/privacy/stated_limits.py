"""Limits that a text states: figures of rules, which cross to an heir, and neither holdings nor tuned parameters.

A sentence states a limit by a noun ("the position limit is 30 lots"), by a noun for a setting and a unit ("the hedge
ratio is 70 percent"), or by a bound that binds ("never hold more than 40 lots"). Further things in its list ("...,
copper 60") and its older value ("..., not 40") are limits, too. In a text that a gate enforces every figure belongs to
the forbidden act, except in a clause that reports what is or was held. The word lists are in `private.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bardo.privacy.cues import after, any_cue, cue

#: Characters before a figure that are read, and behind it.
_AHEAD, _BEHIND = 160, 48
#: Beginning of another clause.
_CLAUSE = re.compile(
    r"(?i)[;!?]\s|\s[-–—]\s|\bfrom\s\w+\son,?\s|,\s(?:(?:and|but|so|as|while)\s)?(?=(?:we|i|we're|i'm|our|my|it)\b)|"
    r"\s(?:and|but|so|as|while)\s(?=(?:we|i|we're|i'm|our|my|it)\b)|\b(?:because|since|whereas|although)\s"
)
#: A bound right before a figure.
_BOUND = re.compile(
    r"(?i)\b(?:(?P<binding>(?:no|not|never|nothing)\s(?:\w+\s)?(?:more|less|fewer|greater|larger|higher|lower|longer|bigger|"
    r"above|over|below|under|beyond)(?:\sthan)?|at\smost|not?\sexceed)|"
    r"(?:more|less|fewer|greater|larger|bigger|smaller|higher|lower|longer|shorter)\sthan|above|over|below|under|beyond|"
    r"exceed(?:s|ed|ing)?|past|at\sleast|up\sto|within)\s(?:(?:a|an|the|about|of)\s)?$"
)
#: Beginning of a condition, whose figure is one that is watched: "never add once the funding is beyond 0.09".
_CONDITION = re.compile(r"(?i)\b(?:when|whenever|if|once|while|unless|until|where|after|before|as soon as)\b")
#: An act that a person approves, or leaves to the agent, after its bound: "trades over 25 lots need Ines".
_APPROVED = re.compile(
    r"(?i)[^.;]{0,40}\b(?:needs?|requires?|must|ha(?:s|ve)\sto|(?:is|are)\s(?:not\s)?(?:forbidden|prohibited|allowed|permitted)|"
    r"without\s(?:asking|approval|a\ssign-?off))\b"
)
#: A unit behind a figure, without which a bound may be a level of a price.
_UNIT = re.compile(r"(?i)\s?(?:%|x\b|k\b|per\s?cent\b|of\s|positions?\b|orders?\b|trades?\b)")
#: A figure with a unit of its own, and a bound of no price.
_UNITED, _EXCEEDING = re.compile(r"[^\W\d_]|[%€$£¥]"), re.compile(r"(?i)(?:not?\s)?exceed")
#: Words between a noun for a limit and its figure, none of them a number of its own.
_GAP = re.compile(
    r"(?i)(?P<named>(?:\s+(?:(?!is\b|are\b|of\b|to\b|at\b|now\b)[^\W\d_][\w/&'’.-]*|(?:of|to|at)(?=\s[^\W\d])))*)"
    r"(?P<stated>(?:\s+(?:is|are|of|at|to|be|now|set|remains|stays|stands|becomes|still|fixed|only|currently|will))*\s?[:=]?)"
    r"\s*(?:(?:just|about|a|an)\s)?$"
)
#: A noun for a limit or a bound behind a figure: "40 lots is the limit", "3 trades at most".
_NAMED_AFTER = re.compile(
    r"(?i)(?:\s?[\w%]+){0,4}?\s(?:at\smost|max(?:imum)?|(?:is|are)\s(?:the|our|my)\s(?:\w+\s){0,2}?(?:limit|cap|ceiling|maximum))\b"
)
#: Nouns that need no verb before their figure: "position limit 30 lots".
_NAMES_ITSELF = re.compile(r"(?i)(?:limit|cap|ceiling|quota|threshold|limited|capped|restricted)s?$")
#: Verbs of a limit, whose subject is what they limit: "exposure to oil is capped for now at 12 lots".
_LIMITED = re.compile(r"(?i)(?:limited|capped|restricted)$")
#: A noun for a limit that something else is compared with: "our position under the limit is 22 lots".
_BESIDE = re.compile(
    r"(?i)\b(?:under|within|against|below|above|over|to|of|at|towards|from|on)\s(?:(?:the|our|a|its)\s)?(?:[\w-]+\s){0,2}?$"
)
_OF = re.compile(r"(?i)\s+(?:of|at)\b")
#: A change of a limit to the figure behind it: "was raised to", "goes back up to".
_SET = re.compile(
    r"(?i)\s+(?:(?:was|were|been|being|got|goes|went|moves?|moved)\s?)?(?:(?:has|have|had)\sbeen\s)?"
    r"(?:raised|lowered|increased|reduced|set|changed|lifted|moved|cut|put)?(?:\s?(?:back|up|down))*$"
)
#: The figure before, in a list.
_EARLIER = r"(?i)(?P<figure>(?<![\w.,])[$€£]?\d[\d.,]*(?<![.,])(?:\s?[%€$£]|[^\W\d_]{1,3}\b)?)"
#: The figure before, and the name of a thing or a word for an older value: "40 lots, copper 60".
_LISTED = re.compile(
    rf"{_EARLIER}(?:\s(?!and\b)[^\W\d_]+){{0,3}}?"
    r"(?:[,;]\s(?:and\s)?|\sand\s)"
    r"(?P<item>(?:(?:on|for|in|at|of)\s)?(?:the\s)?(?:[^\W\d_][\w/&-]*\s){1,3}|not\s|instead\sof\s)$"
)
#: A thing behind the figure of a list: "40 lots for Brent, 25 for TTF".
_LISTED_FOR = re.compile(
    rf"{_EARLIER}(?:\s[^\W\d_]+)?\s"
    r"(?P<item>(?:on|for|in|of)\s(?:[^\W\d_][\w/&-]*\s?){1,3})(?:,\s(?:and\s)?|\sand\s)$"
)
_FOR = re.compile(r"(?i)(?:\s[^\W\d_]+)?\s(?:on|for|in|of)\s\w")
#: A word in a list of limits that begins another statement.
_OTHERWISE = re.compile(r"(?i)\b(?:we|i|our|my|it|they|has|have|had|today|now|currently|still|until|since)\b")
#: A difference, which is no limit: "the limit rose by 10 lots".
_CHANGED = re.compile(r"(?i)\b(?:by|with|against|under|over|above|below|than|for)$")
#: Words of an order or a level of a market instead of a limit: "limit order", "buy limit".
_ORDER = re.compile(
    r"(?i)\s(?:orders?|prices?|buys?|sells?|entry|entries|exits?|fills?|bids?|offers?|moves?|up|down)\b"
)
_ORDERED = re.compile(r"(?i)\b(?:buy|sell|stop)[\s-]$")
_LIMIT = re.compile(r"(?i)limits?")
_CODED = re.compile(r"[_.-]$")
#: Words before a noun for a limit that name what is limited.
_NAME_BEFORE = re.compile(r"(?:[\w/&'’-]+\s){0,4}$")
_PERMITTED = re.compile(r"(?i)\b(?:allowed|permitted|tolerated|acceptable|limit|cap|ceiling)\b")
#: The own side, of which a clause without an order reports: "we hold", "I am long", "we've lost".
_OWN = re.compile(r"(?i)\b(?:we|i)(?:['’](?:re|ve|m|d))?\b")
#: The beginning of a condition or of a relative clause about the own side.
_DEPENDENT = re.compile(r"(?i)\b(?:if|when|unless|once|until|that|which)\s$")
#: A holding right before a figure: "our position of 22 lots", "balance: 18,420".
_HELD = re.compile(
    r"(?i)\b(?:(?:our|my|current|present|existing)\s(?:[\w-]+\s){0,3}|(?:position|balance|equity|exposure|inventory|holding)s?"
    r"(?:\s(?:is|are|of|at|stands\sat)|:)\s?)$"
)
#: A result right before a figure, other than as a condition: "pnl -1200".
_RESULT = re.compile(
    r"(?i)(?:\bp\s?&\s?l|\b\w?pnl|\bresult|\bprofit|\bloss|\breturn)(?:\s(?:is|was|of|at)|:)?\s?$"
)
_AFTER_RESULT = re.compile(
    r"(?i)\b(?:after|on|at|upon|following|beyond)\s(?:an?|any|the)\s(?:\w+\s){0,2}\w+\sof\s$"
)
_BE_HELD = re.compile(r"(?i)\b(?:be|is|are|being)\s$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Limits:
    """Which figures of a text are limits.

    Args:
        is_enforced: Whether a gate enforces the text.
        told: Numbers of the directive that the text belongs to, which cross with it.
    """

    is_enforced: bool = False
    told: frozenset[str] = frozenset()

    def has(self, sentence: str, start: int, end: int) -> bool:
        """Whether a private figure of a sentence is a limit.

        Args:
            sentence: Sentence.
            start: Index of the first character of the figure.
            end: Index after its last character.
        """
        ahead = sentence[max(start - _AHEAD, 0) : start]
        clauses = [match.end() for match in _CLAUSE.finditer(ahead)]
        clause = ahead[max(clauses, default=0) :]
        figure, behind = sentence[start:end], sentence[end : end + _BEHIND]
        has_unit = _has_unit(figure, behind)
        if (
            _is_bound_by_rule(clause, behind, has_unit=has_unit)
            or _is_named(clause, has_unit=has_unit)
            or _is_setting(clause, behind, has_unit=has_unit)
            or _NAMED_AFTER.match(behind)
        ):
            return True
        if (earlier := _listed_with(ahead, behind)) is not None:
            offset = max(start - _AHEAD, 0)
            return self.has(sentence, offset + earlier[0], offset + earlier[1])
        numbers = _NUMBER.findall(figure)
        is_of_order = self.is_enforced or (bool(numbers) and self.told.issuperset(numbers))
        return is_of_order and not _is_reported(clause, figure)


#: Limits of a text that a gate enforces.
ENFORCED = Limits(is_enforced=True)


def numbers(value: Any) -> frozenset[str]:
    """Returns the numbers in the texts of a JSON-like value."""
    if isinstance(value, str):
        return frozenset(_NUMBER.findall(value))
    if isinstance(value, Mapping):
        return numbers(list(value.values()))
    return frozenset().union(*map(numbers, value)) if isinstance(value, Sequence) else frozenset()


def _listed_with(ahead: str, behind: str) -> tuple[int, int] | None:
    """Returns the place of the figure before, if the next one stands in its list: "Brent is 40 lots, copper 60"."""
    found = _LISTED.search(ahead) or (_FOR.match(behind) and _LISTED_FOR.search(ahead))
    if not found:
        return None
    others = any_cue("own", "held", "made", "signal", "outcome", "reported")
    if _OTHERWISE.search(found["item"]) or others.search(found["item"]):
        return None
    return found.span("figure")


def _has_unit(figure: str, behind: str) -> bool:
    """Whether a figure has a unit in it or behind it."""
    return bool(
        _UNITED.search(figure)
        or _UNIT.match(behind)
        or any(after(name).match(behind) for name in ("market", "measure", "money", "scale"))
    )


def _is_bound_by_rule(clause: str, behind: str, *, has_unit: bool) -> bool:
    """Whether a clause binds to a bound right before a figure with a unit: "never hold more than 40 lots"."""
    bound = _BOUND.search(clause)
    # A bare figure may be a level of a price.
    if bound is None or not (has_unit or _EXCEEDING.match(bound[0])):
        return False
    before = clause[: bound.start()]
    if _is_past(clause) or cue("signal").search(before):
        return False
    ordering = [match.end() for match in cue("binding").finditer(before)]
    if _CONDITION.search(before, max(ordering, default=0)):
        return False
    return bool(ordering or bound["binding"] or _APPROVED.match(behind))


def _is_named(clause: str, *, has_unit: bool) -> bool:
    """Whether a noun for a limit names the figure that follows a clause: "the position limit on BRENT is 30 lots"."""
    found = next(reversed([*cue("limit").finditer(clause)]), None)
    return found is not None and not _is_of_order(clause, found) and _states(clause, found, has_unit=has_unit)


def _is_setting(clause: str, behind: str, *, has_unit: bool) -> bool:
    """Whether a noun for a setting names the figure with a unit that follows: "the hedge ratio is 70 percent".

    A bare figure, one under a condition and one beside what a strategy watches are exact parameters of the agent.
    """
    found = next(reversed([*cue("setting").finditer(clause)]), None) if has_unit else None
    if found is None or _CODED.search(clause[: found.start()]):
        return False
    if cue("signal").search(clause) or _CONDITION.search(clause) or _CONDITION.search(behind):
        return False
    return _states(clause, found, has_unit=has_unit)


def _states(clause: str, found: re.Match[str], *, has_unit: bool) -> bool:
    """Whether the words between a noun for a limit and the figure behind the clause say that this is its value."""
    before = _NAME_BEFORE.search(clause[: found.start()])
    gap = _GAP.match(clause, found.end())
    if gap is None or before is None:
        return False
    is_beside = _BESIDE.search(before[0]) and not _LIMITED.search(found[0])
    if is_beside and (gap["named"] or not _OF.match(gap["stated"])):
        return False
    between = _SET.sub("", gap["named"]) if gap["stated"].split()[:1] in (["to"], ["at"]) else gap["named"]
    named = f"{before[0]}{found[0]}{between}"
    # A measured range has a least and a greatest value, too: "(min 0.5, max 91)".
    is_alone = _NAMES_ITSELF.search(found[0]) or (has_unit and not between)
    if not (gap["stated"].strip() or is_alone) or cue("signal").search(named):
        return False
    if _is_past(f"{before[0]}{between}") or _CHANGED.search(between):
        return False
    return not cue("outcome").search(named) or bool(_PERMITTED.search(named))


def _is_of_order(clause: str, noun: re.Match[str]) -> bool:
    """Whether a noun for a limit belongs to an order on a market or to a name of code: "limit order", "size_limit"."""
    if _CODED.search(clause[: noun.start()]):
        return True
    if not _LIMIT.fullmatch(noun[0]):
        return False
    return bool(_ORDER.match(clause, noun.end()) or _ORDERED.search(clause[: noun.start()]))


def _is_reported(clause: str, figure: str) -> bool:
    """Whether a clause reports what is or was held, or a result, instead of the act that a text forbids."""
    bound = _BOUND.search(clause)
    own = None if cue("binding").search(clause) else _OWN.search(clause)
    if own is not None and not (bound and _DEPENDENT.search(clause[: own.start()])):
        return True
    if bound is not None:
        begun = cue("reported").search(clause)
        return begun is not None and not clause[: begun.start()].strip()
    if _RESULT.search(clause) and not _AFTER_RESULT.search(clause):
        return True
    return bool(_HELD.search(clause)) or _is_past(clause)


def _is_past(clause: str) -> bool:
    """Whether a clause tells what was held or what came of it."""
    return any(not _BE_HELD.search(clause[: match.start()]) for match in cue("reported").finditer(clause))
