"""Adds exceptions to orders ("just this once, run it for tenant 88") and lifts orders ("walk-ins are allowed again").

The words must permit, and name in the same clause the act or thing of the order. A case is kept in the words that the
person has beside those of the order, so that it allows nothing that the person did not name; without such words, the
order ends if the clause names all of it and says that something else held before. In doubt nothing is heard.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.lifts import lifting, permissions
from bardo.conduct.hearing.lifts.permissions import Permission
from bardo.conduct.hearing.lifts.uses import is_use
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.conditions.conditions import WITHOUT_APPROVAL
from bardo.conduct.parse.forbids import LONG, Forbids
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.parse.vocabulary import stems_of
from bardo.conduct.persons import is_person
from bardo.conduct.storage.store import ConductStore
from bardo.conduct.storage.words import heard

_WORD = lazy_pattern(r"[\w'./@*-]*\w[*/]?")
#: Name with a sign: `agent/*`.
_NAME = lazy_pattern(r"[\w.-]+[/@_][\w*./-]*")
_FIGURE = lazy_pattern(r"\d+(?:st|nd|rd|th)?")
#: Figure that bounds a case: "up to 5 lots".
_MOST = lazy_pattern(r"\b(?:up to|at most|no more than|a maximum of) (?P<figure>\d+)", re.IGNORECASE)
#: Scope of an earlier clause for which a word stands: "for the Sundays of Advent ..., deliveries go ahead on those".
_SCOPE = lazy_pattern(
    r"\b(?:for|on|in|with) (?P<words>[^,;.!?]+?)(?=$|[,;.!?]| (?:they|we|i|you|she|he|it|is|are|can|may|will|to)\b)",
    re.IGNORECASE,
)
#: One thing of an order that a person points at: "that one Wednesday".
_POINTED = lazy_pattern(r"\b(?:that|those|these|this)(?: one)? (?P<word>[\w'-]+)", re.IGNORECASE)
_LISTED = lazy_pattern(r"(?P<one>[\w'-]+)(?:,? (?:and|or|nor)|,)(?: no)? (?P<other>[\w'-]+)", re.IGNORECASE)
_MY = lazy_pattern(r"\bmy\b", re.IGNORECASE)
_OWNER = lazy_pattern(r"(?<=\s)(?:[A-Z][\w.-]+|\w+(?:'s|s'))(?=\s)|\b\w+(?:'s|s') ")
#: Minimum length of a stem of which a longer one is another form: "deliv", "deliveri".
_FORM = 5
#: Words that say nothing of a case.
_IDLE = frozenset(stems_of(
    "again now ok okay fine allow permit accept rule ban exception once time case count apply stand "
    "like please go ahead game fair right just own fill two three four five six seven eight nine ten "
    "thing stay rest otherwise dr mr mrs ms prof after all from always also still whole little bit of course yes sure "
    "welcome free henceforth anymore more"
)) | {"one"}  # fmt: skip
_PRONOUNS = frozenset({"we", "i", "you"})


class _Order(NamedTuple):
    """Order in stems.

    Args:
        row: Its row.
        own: All stems of the clause that forbids.
        things: Stems of each thing, without those of the verb; of the act, if there is no thing.
        verb: Stem of the verb; empty if it has none.
        times: Stems of the conditions of time.
        scopes: Stems of each other condition that words of a lift have to name.
        parts: Things that it lists.
        verbs: Operations.
    """

    row: StateEntry | Rule
    own: frozenset[str]
    things: tuple[frozenset[str], ...]
    verb: str
    times: frozenset[str]
    scopes: tuple[frozenset[str], ...]
    parts: frozenset[frozenset[str]]
    verbs: frozenset[str]


class _Allowed(NamedTuple):
    """Part of an order that a clause allows: a case in words, or all (empty words).

    Args:
        order: The order.
        case: Words of the case.
        shared: Number of stems that the clause shares with the order.
    """

    order: _Order
    case: str
    shared: int


def allow(
    store: ConductStore, text: str, *, by: str, agent: str, episode: str, at: int
) -> list[StateEntry | Rule]:
    """Adds cases that words allow to the orders of persons, or ends these; returns the changed rows.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of the person.
        by: Name of the person.
        agent: Name of the agent.
        episode: Id of the episode of the words, whose own orders they do not change.
        at: Time of the words, microseconds UTC; later orders stay.
    """
    given = list(permissions.permissions(text))
    if not given:
        return []
    rows: list[StateEntry | Rule] = [
        *(entry for entry in store.state(kind="rejected", limit=-1) if entry.changed_at <= at),
        *(rule for rule in store.rules(every=False) if rule.forbids and not rule.approval and rule.at <= at),
    ]
    orders = [
        _order(row)
        for row in rows
        if row.episode not in ("", episode)
        and is_person(author_of(row.by)[0], agent)
        and not _is_of_another(row, by)
    ]
    changed: dict[str, StateEntry | Rule] = {}
    for one in given:
        for found in _meant(one, orders):
            row = changed.get(found.order.row.id, found.order.row)
            if found.case:
                changed[row.id] = _with_case(store, row, found.case[:LONG], by=by, episode=episode)
            elif row.id not in changed and not lifting.limit(store, row, text, by=by, episode=episode):
                changed[row.id] = lifting.end(store, row, text, by=by, at=at)
    return list(changed.values())


def _is_of_another(row: StateEntry | Rule, by: str) -> bool:
    """Whether an order asks for the approval of its author ("not without my OK"), who is not the person that speaks."""
    told = row.summary if isinstance(row, StateEntry) else row.text
    reserves = WITHOUT_APPROVAL in row.forbidden.conditions and _MY.search(told) is not None
    return reserves and author_of(row.by)[0].casefold() != author_of(by)[0].casefold()


def _with_case(
    store: ConductStore, row: StateEntry | Rule, case: str, *, by: str, episode: str
) -> StateEntry | Rule:
    before = row.forbidden.allowed
    given = {"allowed": list(dict.fromkeys([*before, case])), "by": by}
    told = heard(json.loads(row.corrections or "{}") | given, episode, [case] * (case not in before))
    return store.put(replace(row, corrections=json.dumps(told)))


def _meant(permission: Permission, orders: Sequence[_Order]) -> list[_Allowed]:
    """Returns the orders that a clause lifts, or else the one of which it allows a case."""
    found = [one for order in orders if (one := _allowed(permission, order)) is not None]
    if lifted := [one for one in found if not one.case]:
        return lifted
    found.sort(key=lambda one: (one.shared, one.order.row.at, one.order.row.id))
    return found[-1:]


def _allowed(permission: Permission, order: _Order) -> _Allowed | None:
    """Returns what a clause allows of an order; None if it is not about it, or in doubt."""
    said = _stems(permission.said)
    earlier = _stems(permission.earlier) & order.own if permission.earlier else frozenset[str]()
    pointed = {
        stem for match in _POINTED.finditer(permission.bounds) for stem in _stems(match["word"])
    } & order.own
    named = said | earlier | pointed
    part = next((each for each in order.parts if each <= named), frozenset[str]())
    is_part = bool(part) and sum(each <= named for each in order.parts) == 1
    full = [thing for thing in order.things if _has(named, thing)]
    owned = () if full else _owned(permission, order, said)
    if not (full or owned or is_part or pointed) or not (pointed or _is_of_act(permission, order, said)):
        return None
    if order.times and not _has_any(named, order.times):
        return None
    case = [*_beside(permission, order), *_beside_earlier(permission, order)]
    shared = len(named & order.own)
    if not any(_FIGURE.fullmatch(word) or stems_of(word) - order.own for word in case):
        if is_part:
            return _Allowed(order, " ".join(sorted(part)), shared)
        is_all = full and len(full) == len(order.things) and all(_has(named, each) for each in order.scopes)
        is_all = is_all and _has(named, order.times)
        return _Allowed(order, "", shared) if is_all and permission.again and permission.is_strict else None
    return _Allowed(order, " ".join([*case, *(owned or part if is_part and not full else owned)]), shared)


def _owned(permission: Permission, order: _Order, said: frozenset[str]) -> tuple[str, ...]:
    """Returns the words of a thing that a clause names as a person's own: "Dr Pym's mobile number"."""
    for thing, head in ((each, _head(order, each)) for each in order.things):
        if head not in said or _OWNER.search(permission.said) is None:
            continue
        return tuple(
            word for word in _WORD.findall(permission.said) if stems_of(word) and stems_of(word) <= thing
        )
    return ()


def _head(order: _Order, thing: frozenset[str]) -> str:
    """Returns the last stem of a thing."""
    for words in order.row.forbidden.things:
        last = [stem for stem in operation_table.stem_each(_WORD.findall(words.lower())) if stem in thing]
        if last:
            return last[-1]
    return ""


def _is_of_act(permission: Permission, order: _Order, said: frozenset[str]) -> bool:
    """Whether what a clause permits is the act of an order."""
    verb = permission.verb
    stem = next(iter(operation_table.stem_each([verb])), "") or verb if verb else ""
    done = frozenset(propose(f"don't {verb} it").verbs) - {"use"} if verb else frozenset[str]()
    is_same = bool(verb) and (_has_any(frozenset({stem}), order.own) or not done.isdisjoint(order.verbs))
    if permission.is_imperative or is_same:
        return is_same
    is_of_any = not order.verb or order.verb in _taking()
    if not verb:
        # "The server is fine" tells how it is, and allows neither to restart nor to delete it.
        return permission.is_strict or is_of_any or order.verb in said or "modify" in order.verbs
    if verb == "use":
        return is_of_any or any(
            is_use(order.row.forbidden_action, thing) for thing in order.row.forbidden.things
        )
    others = _stand_ins().get(verb)
    return verb == "do" or (others is not None and (is_of_any or order.verb in others))


def _beside(permission: Permission, order: _Order) -> Iterator[str]:
    """Yields the names of what a clause permits, or else its figures and content words that an order has not."""
    if names := _NAME.findall(permission.said):
        yield from names
        return
    most = {found["figure"] for found in _MOST.finditer(permission.said)}
    for word in _WORD.findall(permission.said):
        if _FIGURE.fullmatch(word):
            yield f"{'up to ' * (word in most)}{re.sub(r'[^0-9]', '', word)}"
        elif (stems := _stems(word)) and not stems <= order.own and not _is_verb(word, permission):
            yield word


def _is_verb(word: str, permission: Permission) -> bool:
    """Whether a word is the verb of what a clause permits, in any form."""
    verb, said = permission.verb, word.lower()
    if not verb or not said.startswith(verb[:3]):
        return False
    return said in (verb, f"{verb}d", f"{verb}ed") or base_of(said) == verb


def _beside_earlier(permission: Permission, order: _Order) -> Iterator[str]:
    """Yields the words of scopes of earlier clauses for which a word of a clause stands."""
    for scope in _SCOPE.finditer(permission.earlier):
        for word in _WORD.findall(scope["words"]):
            if _FIGURE.fullmatch(word) or ((stems := _stems(word)) and not stems <= order.own):
                yield word


def named_in(text: str, forbids: Forbids) -> frozenset[str]:
    """Returns the stems of the act, things, times and end that an order names, without those of where and for whom.

    Args:
        text: Order.
        forbids: Its data.
    """
    said = {*forbids.conditions, *propose(text).conditions}
    scopes = (each for each in said if not conditions.is_known(each) and not lifting.is_ending(each))
    things = _stems(" ".join(forbids.things))
    return (_stems(wording.forbidding(text)) - _stems(" ".join(scopes))) | things


def is_named(text: str, named: frozenset[str]) -> bool:
    """Whether words name something of an order.

    Args:
        text: Words of a person, or of the agent.
        named: Stems, as `named_in` gives them.
    """
    return any(_has_any(frozenset({stem}), named) for stem in _stems(text))


def _order(row: StateEntry | Rule) -> _Order:
    """Returns an order in stems."""
    text, forbids = row.forbidden_action, row.forbidden
    clause = wording.forbidding(text)
    spoken = [each for each in wording.act(clause) if each not in _PRONOUNS]
    verb = "" if lifting.is_of_no_thing(text) or not spoken else spoken[0]
    times = frozenset(
        stem for each in forbids.conditions if conditions.is_of_time(each) for stem in _stems(each)
    )
    scopes = tuple(
        stems
        for each in forbids.conditions
        if not conditions.is_of_time(each) and not each.startswith("without") and not lifting.is_ending(each)
        if (stems := _stems(each) - lifting.own_places())
    )
    known = times.union(*scopes)
    own = _stems(clause) | _stems(" ".join(forbids.things)) | known
    things = [_stems(each) for each in forbids.things]
    things = [each - {verb} - _taking() or each for each in things if each]
    acts = (
        frozenset(spoken)
        - operation_table.framing_stems()
        - known
        - _IDLE
        - {"use", "in", "to", "on", "by", "with", "this"}
    )
    listed = {_stems(match[name]) for match in _LISTED.finditer(clause) for name in ("one", "other")}
    parts = frozenset(filter(None, listed if len(listed) > 1 else set()))
    if len(things) > 1:
        parts = frozenset(things)
    return _Order(
        row,
        own,
        tuple(things) or ((acts,) if acts else ()),
        verb,
        times,
        scopes,
        parts,
        frozenset(forbids.verbs) - {"use"},
    )


def _has(said: frozenset[str], wanted: Collection[str]) -> bool:
    """Whether words have all of other stems, in any form."""
    return all(_has_any(said, (each,)) for each in wanted)


def _has_any(said: frozenset[str], wanted: Collection[str]) -> bool:
    return any(
        one == other
        or (min(len(one), len(other)) >= _FORM and (one.startswith(other) or other.startswith(one)))
        for one in said
        for other in wanted
    )


def _stems(text: str) -> frozenset[str]:
    return stems_of(text) - operation_table.framing_stems() - _IDLE


@cache
def _taking() -> frozenset[str]:
    return lifting.taking_verbs() | {"take"}


@cache
def _stand_ins() -> dict[str, frozenset[str]]:
    return {
        verb: frozenset(operation_table.stem_each(sorted(others)))
        for verb, others in permissions.stand_ins().items()
    }
