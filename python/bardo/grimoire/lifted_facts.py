"""Ends the facts of rejections that a person lifted: "Tarek rejects: use the dryer"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo.conduct.lifted import lifted_rows, text_of
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import ALLOWED_AGAIN, Rule, StateEntry
from bardo.conduct.state.prohibition import forbidden_act
from bardo.consolidate.drawn import Resolution
from bardo.grimoire.session import Session
from bardo.model import Episode, Fact
from bardo.recall.lifted import Lifted, begins, plain

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore

#: Name of the act in the journal, and of the rule by which these facts end.
LIFTED = "lifted"
#: Words of the fact of a rejection before its act, and of the fact that takes its place.
_REJECTS, _ALLOWS = " rejects: ", " allows again: "
#: Categories of these facts.
_REJECTIONS, _ALLOWANCES = "rejections", "allowances"
#: Number of memories that are sought by the words of a lift.
_SOUGHT = 20


def end_facts(session: Session, store: ConductStore) -> int:
    """Ends the facts of rejections that a person lifted, each by a fact of what is allowed again; returns their number.

    The new fact has the turn of the lift as its evidence, and is deleted with it. It ends once the act is forbidden
    again.

    Args:
        session: Owner of the memory.
        store: State and rules of the agent.
    """
    rows: list[StateEntry | Rule] = [*store.state(kind="rejected", limit=-1), *store.rules(every=False)]
    held = [plain(_act(row)) for row in rows]
    found = [
        (newer, fact)
        for fact, row in _lifted(session, store)
        # Said again later, the order holds again, and so does its fact.
        if not _is_held(fact, _REJECTS, held) and (newer := _newer(session, fact, row)) is not None
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


def _is_held(fact: Fact, words: str, held: Sequence[str]) -> bool:
    """Whether a rejection in force forbids the act that a fact tells after some words."""
    told = plain(fact.text).partition(words)[2]
    return any(begins(act, told) for act in held)


def _lifted(session: Session, store: ConductStore) -> list[tuple[Fact, StateEntry | Rule]]:
    """Returns the facts in force of rejections that a person ended, with these."""
    rows = [row for row in lifted_rows(store, session.agent) if row.episode]
    if not rows:
        return []
    known = session.facts.derived_from(sorted({row.episode for row in rows}))
    told = [fact for fact in known if fact.status == "active" and _REJECTS in fact.text]
    pairs = ((fact, next((row for row in rows if _tells(fact, row)), None)) for fact in told)
    return [(fact, row) for fact, row in pairs if row is not None]


def _forbidden_again(session: Session, held: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the facts of rejections, and those in force that allow the same act."""
    allowed = [fact for fact in session.facts.list(category=_ALLOWANCES) if _is_held(fact, _ALLOWS, held)]
    if not allowed:
        return []
    rejected = {
        plain(fact.text).partition(_REJECTS)[2]: fact.id
        for fact in session.facts.list(category=_REJECTIONS)
        if _REJECTS in fact.text
    }
    acts = ((fact, plain(fact.text).partition(_ALLOWS)[2]) for fact in allowed)
    return [(rejected[act], fact.id) for fact, act in acts if act in rejected]


def _act(row: StateEntry | Rule) -> str:
    return forbidden_act(text_of(row)) or ""


def _tells(fact: Fact, row: StateEntry | Rule) -> bool:
    """Whether a fact was read from the turn of a rejection, and tells it."""
    mark = Lifted(plain(text_of(row)), row.episode, 0, act=plain(_act(row)))
    return mark.marks(fact, plain(fact.text))


def _newer(session: Session, fact: Fact, row: StateEntry | Rule) -> Fact | None:
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
    _, _, act = fact.text.partition(_REJECTS)
    who = author_of(by)[0]
    subjects = tuple(dict.fromkeys((who, *fact.subjects)))
    return Fact(
        f"{who}{_ALLOWS}{act}", kind=fact.kind, category=_ALLOWANCES, subjects=subjects, support=1,
        evidence=evidence, confidence=fact.confidence, observed=(session.now_tick, session.now_tick),
        source=fact.source, persistence=fact.persistence,
    )  # fmt: skip


def _turn(session: Session, words: str, at: int) -> Episode | None:
    """Returns the turn of a lift, by its words and time."""
    found = session.log.get([id_ for id_, _ in session.hot.matching(words, _SOUGHT)])
    return next((one for one in found if one is not None and one.at == at and words in one.text), None)
