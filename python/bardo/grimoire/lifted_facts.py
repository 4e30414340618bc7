"""Ends the facts of orders that a person lifted: "Tarek rejects: use the dryer", "Obi: No deploys on Fridays."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo.clock import MICROSECONDS
from bardo.conduct.lifted import lifted_rows, text_of
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import ALLOWED_AGAIN, Rule, StateEntry
from bardo.conduct.state.prohibition import forbidden_act
from bardo.consolidate.drawn import Resolution
from bardo.grimoire.session import Session
from bardo.model import Episode, Fact
from bardo.recall.lifted import Lifted, is_act_of, plain

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore

#: Name of the act in the journal, and of the rule by which these facts end.
LIFTED = "lifted"
#: Words of the fact of a rejection before its act, of the fact that takes its place, and of a fact that quotes.
_REJECTS, _ALLOWS, _SAYS = " rejects: ", " allows again: ", ": "
#: Categories of these facts.
_REJECTIONS, _ALLOWANCES = "rejections", "allowances"
#: Number of memories that are sought by the words of a lift.
_SOUGHT = 20
#: End of a prohibition that an allowance has not: "order from them any more".
_ANY_MORE = re.compile(r"[ ,]+(?:any ?more|any longer)$", re.IGNORECASE)
Row = StateEntry | Rule


def end_facts(session: Session, store: ConductStore) -> int:
    """Ends the facts of orders that a person lifted, each by a fact of what is allowed again; returns their number.

    The new fact has the turn of the lift as its evidence, and is deleted with it. It ends once the act is forbidden
    again.

    Args:
        session: Owner of the memory.
        store: State and rules of the agent.
    """
    rows: list[Row] = [*store.state(kind="rejected", limit=-1), *store.rules(every=False)]
    held = [(row, _act_in(text_of(row))) for row in rows]
    found = [
        (newer, fact)
        for fact, row in _lifted(session, store)
        # Said again later, the order holds again, and so does its fact.
        if _held(*_told(fact), held) is None and (newer := _newer(session, fact, row)) is not None
    ]
    resolutions = [
        Resolution(place, None, fact.id, True, None, LIFTED) for place, (_, fact) in enumerate(found)
    ]
    resolutions += [
        Resolution(0, newer, older, True, None, LIFTED) for newer, older in _forbidden_again(session, held)
    ]
    if resolutions:
        session.facts.upsert_resolved(
            [newer for newer, _ in found], tick=session.now_tick, now=session.clock.now(), actor=LIFTED, marks={},
            answered={}, corrections=[], resolutions=resolutions,
        )  # fmt: skip
    return len(found)


def _told(fact: Fact) -> tuple[str, str]:
    """Returns the person of whom a fact tells an order or its lift, and the act, as `plain` writes them."""
    said = plain(fact.text)
    words = next((one for one in (_REJECTS, _ALLOWS) if one in said), _SAYS)
    who, _, act = said.partition(words)
    return who, _ANY_MORE.sub("", act) if words != _SAYS else _act_in(act)


def _held(who: str, told: str, held: Sequence[tuple[Row, str]]) -> Row | None:
    """Returns the order in force that forbids the act that a fact tells of a person; None if none does."""
    return next((row for row, act in held if is_act_of(act, told, who)), None)


def _lifted(session: Session, store: ConductStore) -> list[tuple[Fact, Row]]:
    """Returns the facts in force of rejections that a person ended, with these."""
    rows = lifted_rows(store, session.agent)
    if not rows:
        return []
    known = session.facts.derived_from(sorted({row.episode for row in rows if row.episode}))
    if inherited := [row for row in rows if author_of(row.by)[1]]:
        # The evidence of an inherited fact stayed with the ancestor: its words tell the order.
        ids = [id_ for row in inherited for id_, _ in session.facts.search_text(text_of(row), _SOUGHT)]
        known += [one for one in session.facts.get(list(dict.fromkeys(ids))) if one and _is_inherited(one)]
    told = [fact for fact in known if fact.status == "active"]
    pairs = ((fact, next((row for row in rows if _tells(fact, row)), None)) for fact in told)
    return [(fact, row) for fact, row in pairs if row is not None]


def _forbidden_again(session: Session, held: Sequence[tuple[Row, str]]) -> list[tuple[str, str]]:
    """Returns the facts of orders, and those in force that allow the same act."""
    allowed = [
        (fact, row)
        for fact in session.facts.list(category=_ALLOWANCES)
        if (row := _held(*_told(fact), held)) is not None
    ]
    if not allowed:
        return []
    rejected = {_told(fact)[1]: fact.id for fact in session.facts.list(category=_REJECTIONS)}
    found = []
    for fact, row in allowed:
        known = session.facts.derived_from([row.episode]) if row.episode else []
        quoted = (one.id for one in known if one.status == "active" and _tells(one, row))
        if (newer := rejected.get(_told(fact)[1]) or next(quoted, None)) is not None:
            found.append((newer, fact.id))
    return found


def _act_in(text: str) -> str:
    """Returns the act that an order forbids, as `plain` writes it; its words if no form finds one in them."""
    return _ANY_MORE.sub("", plain(forbidden_act(text) or text))


def _tells(fact: Fact, row: Row) -> bool:
    """Whether a fact was read from the turn of an order, and tells it; a quote tells nothing beside it."""
    said, forbidden = plain(fact.text), _act_in(text_of(row))
    if fact.category == _ALLOWANCES:
        return False
    if _is_inherited(fact):
        by, origin, _ = author_of(row.by)
        who, act = _told(fact)
        is_same = is_act_of(forbidden, act, who) if _REJECTS in said else act == forbidden
        return bool(origin) and who == plain(by) and is_same
    if _REJECTS in said:
        return Lifted(plain(text_of(row)), row.episode, 0, act=forbidden).marks(fact, said)
    return row.episode in fact.evidence and _SAYS in said and _told(fact)[1] == forbidden


def _newer(session: Session, fact: Fact, row: Row) -> Fact | None:
    """Returns the fact of what a person allows again; None if the turn that allowed it was deleted."""
    by, why, at = (
        (row.retired_by, row.retired_why, row.confirmed_at)
        if isinstance(row, Rule)
        else (row.closed_by, row.closed_why, row.changed_at)
    )
    evidence: tuple[str, ...] = ()
    if why.startswith(ALLOWED_AGAIN):
        turn = _turn(session, why.removeprefix(ALLOWED_AGAIN), at)
        if turn is None:
            return None
        evidence = (turn.id,)
    _, is_rejection, act = fact.text.partition(_REJECTS)
    if not is_rejection:
        said = fact.text.partition(_SAYS)[2]
        act = forbidden_act(said) or row.forbidden_action or f"what was ordered by {said!r}"
        act = " ".join(act.split()).rstrip(".!")
    act = _ANY_MORE.sub("", act)
    who = author_of(by)[0]
    subjects = tuple(dict.fromkeys((who, *fact.subjects)))
    is_own = not author_of(by)[1]
    # An inherited fact has the seconds of the epoch at which an ancestor knew it.
    second = session.now_tick if is_own else at // MICROSECONDS
    return Fact(
        f"{who}{_ALLOWS}{act}", kind=fact.kind, category=_ALLOWANCES, subjects=subjects, support=1,
        evidence=evidence, confidence=fact.confidence, observed=(second, second),
        source="self" if is_own and _is_inherited(fact) else fact.source, persistence=fact.persistence,
        generation=0 if is_own else fact.generation, origin="" if is_own else fact.origin,
    )  # fmt: skip


def _is_inherited(fact: Fact) -> bool:
    return fact.source == "testament" and not fact.evidence


def _turn(session: Session, words: str, at: int) -> Episode | None:
    """Returns the turn of a lift, by its words and time."""
    found = session.log.get([id_ for id_, _ in session.hot.matching(words, _SOUGHT)])
    return next((one for one in found if one is not None and one.at == at and words in one.text), None)
