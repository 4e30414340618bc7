"""Lifts the rejections of an act or a thing that a person allows again: "Pandas is fine now after all"."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.lifts.uses import is_use
from bardo.conduct.model.entries import ALLOWED_AGAIN, Rule, StateEntry
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import corrected, propose
from bardo.conduct.parse.vocabulary import stems_of, vocabulary
from bardo.conduct.storage.store import ConductStore
from bardo.conduct.storage.words import heard

#: Maximum characters of the reason of an end.
_WHY = 500
#: Operations by which a thing is used.
_USES = frozenset({"use", "install"})
_AGAIN = r"(?:(?:now|again|after all|from now on)\b[\s,]*)+"
_THING = r"(?P<thing>(?!(?:it|that|this|they|everything|all|he|she|i|we|you)\b)[\w./@+' -]{2,60}?)"
#: Words that only permit, and words that also tell how a thing is.
_PERMITTED = (
    r"(?:allowed|permitted|welcome|acceptable|back on the (?:table|menu|list)|no longer (?:banned|forbidden))"
)
_ALLOWED = rf"(?:fine|ok(?:ay)?|all ?right|{_PERMITTED})"
_IS = r"(?: is| are|'s|'re)"
_ACT = r"(?P<act>(?!(?:be|not|never|only)\b)[a-z][\w./@+' -]{2,80}?)"
_WHEN = (
    r"(?P<when>(?:on|in|at|over|during|before|after|from|between|outside|for|with|to|without) "
    r"(?!(?:me|us|him|her|now|the moment)\b)[\w':./ -]{2,40}?)"
)
#: End of a ban by its name: "we lifted the ban on pushing to main".
_LIFTED = r"(?:lifted|dropped|removed|ended|withdrawn|withdrew|cancelled|canceled|scrapped|revoked)"
_BAN = r"(?:the|our|that|this|my) (?:ban|rule|freeze|block|prohibition|restriction|moratorium) (?:on|against|about|for)"
_FORMS = (
    lazy_pattern(
        rf"(?:using )?{_THING}{_IS} (?P<again>{_AGAIN})?{_ALLOWED}(?: {_WHEN})?(?: (?P<later>{_AGAIN}))?[.!]*$",
        re.IGNORECASE,
    ),
    lazy_pattern(rf"(?:using )?{_THING}{_IS} {_ALLOWED} (?P<again>{_AGAIN}){_WHEN}[.!]*$", re.IGNORECASE),
    lazy_pattern(
        rf"{_THING} (?:can|may) (?P<again>{_AGAIN})?be used (?P<later>{_AGAIN})?[.!]*$", re.IGNORECASE
    ),
    lazy_pattern(
        rf"(?:you|we)(?: all)? (?:can|may|are allowed to|'re allowed to) (?P<again>{_AGAIN}){_ACT}(?: {_AGAIN})?[.!]*$",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"(?:you|we)(?: all)? (?:can|may|are allowed to|'re allowed to) {_ACT} (?P<again>{_AGAIN}){_WHEN}?[.!]*$",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"(?:(?:we|i)(?:'ve| have)? (?:(?:now|just|finally) )?{_LIFTED} {_BAN} {_ACT}|"
        rf"{_BAN.replace('on|', 'on|of|')} {_ACT.replace('?P<act>', '?P<ended>')} (?:is|has been|was) (?:now )?"
        rf"(?:{_LIFTED}|over|off|gone|history))(?: (?P<again>{_AGAIN}))?[.!]*$",
        re.IGNORECASE,
    ),
)
#: Use without a bound: "for everything".
_ANY_USE = lazy_pattern(
    r" for (?:anything|what(?:ever)|everything|all (?:uses|purposes)|any (?:use|purpose))"
    r"(?: (?:you|we) (?:like|want|need))?(?=\s*(?:$|[.,;!]))",
    re.IGNORECASE,
)
_ONLY_PERMITS = lazy_pattern(rf"\b{_PERMITTED}\b", re.IGNORECASE)
#: Beginning of one certain thing, of which "fine" may tell how it is: "the dryer", "Dad".
_CERTAIN = lazy_pattern(r"(?:the|my|our|your|his|her|its|their|this|that|these|those)\b", re.IGNORECASE)
#: End of a clause, with the words that join the next one.
_JOINT = lazy_pattern(r"[,;:.!]+\s+(?:(?:so|and|but|then)\s+)?|\s+(?:so|and)\s+|\s+[-–—]+\s+", re.IGNORECASE)
_INSTEAD = lazy_pattern(r"\binstead\b", re.IGNORECASE)
_GERUND = lazy_pattern(r"[\w-]+ing\b", re.IGNORECASE)
_NO = lazy_pattern(r"\W*(?:please )?no (?:more |new )?\w", re.IGNORECASE)
_ENDING = lazy_pattern(r"(?:until|till)\b", re.IGNORECASE)
_LAST = lazy_pattern(r"[^\W_]+")


class _Scope(NamedTuple):
    """Act or thing that a rejection is about: stems of things and conditions, operations, patterns of a practice."""

    things: frozenset[frozenset[str]]
    verbs: frozenset[str]
    conditions: frozenset[frozenset[str]]
    patterns: frozenset[str]


#: Limit of what a clause allows: "okay again, but only before noon".
_LIMIT = lazy_pattern(
    r"(?:,|;|\b(?:but|though|and)) only (?P<limit>(?:before|after|until|till|on|in|at|for|with|if|when|during|from|"
    r"between|up to|by)\b[^.!?;]*)",
    re.IGNORECASE,
)


class _Allowed(NamedTuple):
    """Act or thing that a clause allows.

    Args:
        act: Act in words, such as `use the dryer on weekdays`.
        of_thing: Whether the clause names a thing and no act, so that the act is any by which the thing is taken.
        again: Whether it has a word that something else held before: "again", "now".
        permits: Whether it can only permit, and does not tell how the thing is.
    """

    act: str
    of_thing: bool
    again: bool
    permits: bool


class _Words(NamedTuple):
    """Content of `lifting.toml`: verbs by which a thing is taken, and stems of own places and of ways."""

    taking: frozenset[tuple[str, ...]]
    home: frozenset[str]
    ways: frozenset[str]


def lifts(text: str) -> bool:
    """Whether a person's words may allow a thing that was not allowed before.

    Args:
        text: Words of a person.
    """
    return any(True for _ in _allowed(text))


def only_lifts(text: str, *, is_known: bool = False) -> bool:
    """Whether a person's words lift, and forbid nothing beside: "the new one is out, you can use pandas again".

    Args:
        text: Words of a person.
        is_known: Whether they lifted something; otherwise they must say that something else held before.
    """
    is_lift = is_known or any(each.again for each in _allowed(text))
    return is_lift and FORBIDS.search(text) is None and _INSTEAD.search(text) is None


def lift(
    store: ConductStore,
    text: str,
    *,
    by: str,
    episode: str,
    at: int,
    concerns: Callable[[StateEntry | Rule], bool] = lambda _: True,
) -> list[StateEntry | Rule]:
    """Lifts the rejections, and retires the rules, against the act or the taking of the thing that words allow.

    The words name the thing and the conditions of the rejection. One under other conditions, such as in production,
    stays, and so does one of another operation on the thing. One without the conditions of the words gets them as an
    exception.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of the person.
        by: Name of the person.
        episode: Id of the episode of the words.
        at: Time of the words, microseconds UTC; later rejections stay.
        concerns: Whether the words may end a row; every one by default.

    Returns:
        The rows that ended.
    """
    allowed = list(_allowed(text))
    if not allowed:
        return []
    rows: list[StateEntry | Rule] = [
        *(entry for entry in store.state(kind="rejected", limit=-1) if entry.changed_at <= at),
        *(rule for rule in store.rules(every=False) if rule.forbids and not rule.approval and rule.at <= at),
    ]
    rows = [row for row in rows if concerns(row)]
    ended = dict.fromkeys(row.id for each in allowed for row in _against(each, rows))
    for row, conditions in (pair for each in allowed if each.again for pair in _narrowed(each, rows)):
        if row.id not in ended:
            _except(store, row, conditions, by=by, episode=episode)
    if _LIMIT.search(text):
        for row in rows:
            if row.id in ended:
                limit(store, row, text, by=by, episode=episode)
        return []
    return [end(store, row, text, by=by, at=at) for row in rows if row.id in ended]


def limit(store: ConductStore, row: StateEntry | Rule, text: str, *, by: str, episode: str) -> bool:
    """Adds the case to which words limit what they allow as an exception; returns whether they limit it.

    Args:
        store: State and rules of the agent, in a transaction.
        row: Rejection or rule that the words allow.
        text: Words of the person: "Friday deploys are okay again, but only before noon".
        by: Name of the person.
        episode: Id of the episode of the words.
    """
    found = _LIMIT.search(text)
    if found is None:
        return False
    case = " ".join(found["limit"].split())
    known = _forbidden(row)
    if conditions := [f"except {each}" for each in propose(f"don't do it {case}").conditions]:
        fresh = [each for each in conditions if each not in known.conditions]
        _except(store, row, fresh, by=by, episode=episode)
    elif case not in known.allowed:
        given = {"allowed": [*known.allowed, case], "by": by}
        told = heard(json.loads(row.corrections or "{}") | given, episode, [case])
        store.put(replace(row, corrections=json.dumps(told)))
    return True


def _except(
    store: ConductStore, row: StateEntry | Rule, conditions: Sequence[str], *, by: str, episode: str
) -> None:
    """Adds conditions under which a rejection does not hold."""
    given = {"conditions": [*_forbidden(row).conditions, *conditions], "by": by}
    told = heard(json.loads(row.corrections or "{}") | given, episode, list(conditions))
    store.put(replace(row, corrections=json.dumps(told)))


def end(store: ConductStore, row: StateEntry | Rule, text: str, *, by: str, at: int) -> StateEntry | Rule:
    """Ends a rejection or rule that a person allows again; returns it.

    Args:
        store: State and rules of the agent, in a transaction.
        row: Rejection or rule.
        text: Words of the person.
        by: Name of the person.
        at: Time of the words, microseconds UTC.
    """
    why = f"{ALLOWED_AGAIN}{text.strip()}"[:_WHY]
    return store.put(
        replace(row, status="archived", changed_at=at, closed_by=by, closed_why=why)
        if isinstance(row, StateEntry)
        else replace(row, confirmed_at=at, retired_by=by, retired_why=why)
    )


def is_of_no_thing(text: str) -> bool:
    """Whether an order names what there must not be, without an act: "no peanuts in the house"."""
    return _NO.match(wording.plain(text)) is not None


def is_ending(condition: str) -> bool:
    """Whether a condition tells the end of an order, which words of a lift leave out."""
    return _ENDING.match(condition) is not None


def own_places() -> frozenset[str]:
    """Returns the stems of own places and of ways, which words of a lift leave out."""
    return _words().home | _words().ways


def taking_verbs() -> frozenset[str]:
    """Returns the stems of the verbs of one word by which a thing is taken."""
    return frozenset(verb[0] for verb in _words().taking if len(verb) == 1)


def _allowed(text: str) -> Iterator[_Allowed]:
    """Yields what the clauses of a text allow: "use the ladder" of "the ladder is fine again"."""
    if "?" in text:
        return
    bare = _ANY_USE.sub("", wording.without_interjection(text)).strip()
    for clause in dict.fromkeys((bare, *_JOINT.split(bare))):
        found = next((found for form in _FORMS if (found := form.match(clause)) is not None), None)
        if found is None:
            continue
        groups = found.groupdict()
        again = bool(groups.get("again") or groups.get("later"))
        when = groups.get("when") or ""
        if act := groups.get("act") or groups.get("ended"):
            yield _Allowed(f"{act} {when}".strip(), of_thing=False, again=True, permits=True)
            continue
        thing = groups["thing"]
        is_act = _GERUND.match(thing) is not None
        permits = _ONLY_PERMITS.search(clause) is not None or not _CERTAIN.match(thing)
        act = f"{thing if is_act else f'use {thing}'} {when}".strip()
        # "Jeans are fine" allows nothing that was not: a word for that is missing, and a condition.
        if again or when or propose(f"don't {act}").conditions:
            yield _Allowed(act, of_thing=not is_act, again=again, permits=permits)


def _against(allowed: _Allowed, rows: Sequence[StateEntry | Rule]) -> list[StateEntry | Rule]:
    """Returns the rejections and rules against what is allowed, and against nothing beside it."""
    forbids = propose(f"don't {allowed.act}")
    wanted = _scope(forbids)
    if wanted is None:
        return []
    exact = [
        row for row in rows if _scope(_forbidden(row)) == wanted and (allowed.again or wanted.conditions)
    ]
    if len(wanted.things) != 1:
        return exact
    uses = [row for row in rows if row not in exact and _is_of_use(row, allowed, forbids)]
    if exact or uses:
        return exact + uses
    similar = [row for row in rows if _is_of(row, allowed, wanted)]
    # Words that name less than the rejection mean it only if it is the only one.
    return similar if len(similar) == 1 else []


def _narrowed(
    allowed: _Allowed, rows: Sequence[StateEntry | Rule]
) -> Iterator[tuple[StateEntry | Rule, list[str]]]:
    """Yields the rejections of which a case is allowed again, with the exception: "Redis for the session cache"."""
    case = propose(f"don't {allowed.act}")
    wanted = _scope(case)
    if wanted is None or not wanted.things or not wanted.conditions:
        return
    for row in rows:
        scope = _scope(_forbidden(row))
        if scope is not None and scope._replace(conditions=wanted.conditions) == wanted:
            known = set(_forbidden(row).conditions)
            beside = [f"except {each}" for each in case.conditions if each not in known]
            if scope.conditions < wanted.conditions and not known.issuperset(beside):
                yield row, [each for each in beside if each not in known]


def _is_of(row: StateEntry | Rule, allowed: _Allowed, wanted: _Scope) -> bool:
    """Whether a rejection is against the taking of a thing that is allowed under the same conditions."""
    scope, taken = _scope(_forbidden(row)), _taken(row)
    if scope is None or taken is None or len(scope.things) != 1 or scope.patterns != wanted.patterns:
        return False
    (thing,), (named,) = scope.things, wanted.things
    thing -= taken
    home = _words().home
    conditions = frozenset(each for each in scope.conditions if not each <= home)
    if conditions != frozenset(each for each in wanted.conditions if not each <= home):
        return False
    # "The dryer" is the tumble dryer; peanut butter is no peanut.
    head = operation_table.stem_each(_LAST.findall(_forbidden(row).things[0].lower())[-1:])
    is_same = named == thing or (named < thing and named.issuperset(head))
    if not allowed.of_thing:
        return is_same and scope.verbs == wanted.verbs and bool(scope.verbs)
    return is_same and bool(conditions or (allowed.again and allowed.permits))


def _is_of_use(row: StateEntry | Rule, allowed: _Allowed, wanted: Forbids) -> bool:
    """Whether a rejection is against a way of using a thing of which any use is allowed again."""
    is_any = (
        allowed.again and allowed.permits and not (wanted.conditions or wanted.phrases or wanted.commands)
    )
    if not is_any or not (allowed.of_thing or _USES.issuperset(wanted.verbs)):
        return False
    # A person gave it other conditions than its words have.
    has_own = "conditions" in json.loads(row.corrections or "{}")
    return not has_own and is_use(row.forbidden_action, wanted.things[0])


def _taken(row: StateEntry | Rule) -> frozenset[str] | None:
    """Returns the stems of the verb by which a thing must not be taken; empty of "no X", None of another verb."""
    text = row.forbidden_action
    act = wording.act(text)
    found = [verb for verb in _words().taking if act[: len(verb)] == verb]
    if found:
        longest: tuple[str, ...] = max(found, key=len)
        return frozenset(longest)
    return frozenset() if _NO.match(wording.plain(text)) else None


def _forbidden(row: StateEntry | Rule) -> Forbids:
    return corrected(row.forbidden_action, row.corrections)


def _scope(forbids: Forbids) -> _Scope | None:
    """Returns what a rejection or an allowance is about, for comparison; None without a thing or practice."""
    incidental = vocabulary().incidental
    things = frozenset(stems - incidental for stems in map(stems_of, forbids.things))
    verbs = frozenset({"use"}) if _USES.issuperset(forbids.verbs) else frozenset(forbids.verbs)
    # An act that a person allows again need not wait for its end.
    lasting = (each for each in forbids.conditions if not _ENDING.match(each))
    conditions = frozenset(
        stems_of(each) - incidental - _words().ways or frozenset({each}) for each in lasting
    )
    patterns = frozenset((*forbids.phrases, *forbids.commands))
    is_clear = any(things) or patterns or (verbs and conditions)
    return _Scope(things, verbs, conditions, patterns) if is_clear else None


@cache
def _words() -> _Words:
    text = resources.files("bardo.conduct.hearing.lifts").joinpath("lifting.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    taking = (each.split() for each in raw["taking"].replace("\n", " ").split(","))
    return _Words(
        frozenset(tuple(filter(None, operation_table.stem_each(words))) for words in taking),
        stems_of(raw["home"]),
        stems_of(raw["ways"]),
    )
