"""Reads in each pass, in messages in which forms hear nothing allowed, that a person allows again what was forbidden.

A sentence must have a tie to the order beside what the model reads: a word of its act, thing or time, also in what the
agent asked just before, or a meaning near to it. An order in plain words only warns from then on; one that
was itself only read ends. A person who repeats or corrects it takes the doubt away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bardo.clock import date_of
from bardo.conduct.model.authors import author_of, said_at
from bardo.conduct.model.doubt import is_read, with_doubt
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.persons import is_person
from bardo.model import Episode
from bardo.ports import Vectors

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore
    from bardo.consolidate.cross_encoder import CrossEncoder
    from bardo.grimoire.session import Session

#: Minimum log odds of a message that allows again.
LIFT = 1.0
#: Orders that a message is read with: the nearest by meaning, and the latest.
NEAREST, LATEST = 4, 2
#: Minimum cosine of an order and a message, or its sentence, that ties them without a common word. Of 75 lifts of two
#: authors of `lifts-written.jsonl`, 66 have a tie; of three messages that only seemed to lift, the nearest has .45.
TIE = 0.5
_SECOND = 1_000_000


class Said(NamedTuple):
    """Message of a person that may allow something.

    Args:
        episode: Its episode.
        text: Its words.
        before: Message of the agent just before; empty if there is none.
        by: Who said it.
    """

    episode: Episode
    text: str
    before: str
    by: str


class Order(NamedTuple):
    """Order that a message may allow again.

    Args:
        at: When it was told, microseconds UTC.
        first: Its words, as first text of a pair.
        action: What it forbids.
        named: Stems of its act, things and times.
    """

    at: int
    first: str
    action: str
    named: frozenset[str]


def allowed_in(session: Session, messages: Sequence[Said], told: Sequence[Order]) -> list[list[str]]:
    """Returns the sentences of each message that allow again an order of a person that was told before it.

    Args:
        session: State of the opened memory.
        messages: Messages of persons.
        told: Orders that are not kept yet.
    """
    from bardo.conduct.storage.store import FILE_NAME, ConductStore
    from bardo.consolidate import cross_encoder

    none: list[list[str]] = [[] for _ in messages]
    if not (messages and session.config.curator.cross_encoder):
        return none
    kept: list[Order] = []
    said, _ = session.indexer.vectors_of([one.text for one in messages])
    vectors, _ = session.indexer.vectors_of([order.action for order in told])
    if (session.path / FILE_NAME).exists():
        with closing(ConductStore(session.path, facts=session.facts)) as store:
            rows = _rows(store, session.agent)
            stored = _vectors(session, store, rows) if rows else None
        if rows and vectors is not None:
            kept = [_order(row) for row in rows]
            vectors = None if stored is None else np.concatenate([stored, vectors])
    orders = [*kept, *told]
    encoder = cross_encoder.load("lifts") if orders else None
    if encoder is None or said is None or vectors is None:
        return none
    found = []
    for one, vector in zip(messages, said, strict=True):
        places = _nearest(one, vector, orders, vectors)
        read = _tied(session, one, [orders[place] for place in places], vectors[places], encoder)
        found.append(list(dict.fromkeys(words for own in read for words, _ in own)))
    return found


def tied(
    orders: Sequence[Order],
    vectors: Vectors,
    text: str,
    before: str,
    *,
    encoder: CrossEncoder,
    embed: Callable[[list[str]], Vectors | None],
) -> list[list[tuple[str, float]]]:
    """Returns for each order the sentences of a message that allow it again and are tied to it, with their log odds.

    Args:
        orders: Orders.
        vectors: Their vectors.
        text: Message of a user.
        before: Message of the agent just before; empty if there is none.
        encoder: Cross-encoder of lifts.
        embed: Returns the vectors of texts.
    """
    from bardo.conduct.hearing.lifts import lift_reader
    from bardo.conduct.hearing.lifts.partial_lifts import is_named
    from bardo.conduct.hearing.orders.listed import sentences_of

    asked = " ".join(sentences_of(before)[-1:])
    vectors_of = cache(lambda words: embed([text, words]))

    def is_tied(words: str, order: Order, vector: np.ndarray) -> bool:
        if is_named(words, order.named) or is_named(asked, order.named):
            return True
        near = vectors_of(words)
        return near is not None and float((near @ vector).max()) >= TIE

    read = lift_reader.read([order.first for order in orders], text, before, encoder) if orders else []
    return [
        [(words, odds) for words, odds in own if odds >= LIFT and is_tied(words, order, vector)]
        for own, order, vector in zip(read, orders, vectors, strict=True)
    ]


def lift(session: Session, messages: Sequence[Said]) -> tuple[int, int]:
    """Ends or doubts the orders that messages allow again; returns the numbers of both.

    Args:
        session: State of the opened memory.
        messages: Messages of persons, oldest first.
    """
    from bardo.conduct.storage.store import FILE_NAME, ConductStore
    from bardo.consolidate import cross_encoder

    if not (messages and session.config.curator.cross_encoder and (session.path / FILE_NAME).exists()):
        return 0, 0
    with closing(ConductStore(session.path, facts=session.facts)) as store:
        rows = _rows(store, session.agent)
        encoder = cross_encoder.load("lifts") if rows else None
        if encoder is None:
            return 0, 0
        said, _ = session.indexer.vectors_of([one.text for one in messages])
        vectors = None if said is None else _vectors(session, store, rows)
        if said is None or vectors is None:
            return 0, 0
        orders = [_order(row) for row in rows]
        changed = [
            _lift(
                store,
                one,
                [rows[place] for place in places],
                _tied(session, one, [orders[place] for place in places], vectors[places], encoder),
            )
            for one, vector in zip(messages, said, strict=True)
            if (places := _nearest(one, vector, orders, vectors))
        ]
    return changed.count("ended"), changed.count("doubted")


def _tied(
    session: Session, said: Said, orders: Sequence[Order], vectors: Vectors, encoder: CrossEncoder
) -> list[list[tuple[str, float]]]:
    return tied(
        orders,
        vectors,
        said.text,
        said.before,
        encoder=encoder,
        embed=lambda texts: session.indexer.vectors_of(texts)[0],
    )


def _rows(store: ConductStore, agent: str) -> list[StateEntry | Rule]:
    """Returns the rejections and rules of persons in force that forbid something."""
    rows: list[StateEntry | Rule] = [
        *store.state(kind="rejected", limit=-1),
        *(rule for rule in store.rules(every=False) if rule.forbids and not rule.approval),
    ]
    return [row for row in rows if is_person(author_of(row.by)[0], agent)]


def _vectors(session: Session, store: ConductStore, rows: Sequence[StateEntry | Rule]) -> Vectors | None:
    """Returns the vectors of orders, which the gate keeps, too; None without a model."""
    from bardo.conduct.match.index import stored_vectors

    texts = [row.forbidden_action for row in rows]
    found = session.indexer.if_model_answers(lambda: stored_vectors(store, texts, session.embedder)[0], None)
    return None if found is None else np.array([found[text] for text in texts])


def _nearest(said: Said, vector: np.ndarray, orders: Sequence[Order], vectors: Vectors) -> list[int]:
    """Returns the places of the orders that a message may be about, which were told before it."""
    earlier = [place for place, order in enumerate(orders) if order.at < said.episode.at]
    cosines = vectors[earlier] @ vector if earlier else np.zeros(0, np.float32)
    near = [earlier[place] for place in np.argsort(-cosines, kind="stable")[:NEAREST]]
    latest = sorted(earlier, key=lambda place: orders[place].at)[-LATEST:]
    return list(dict.fromkeys([*near, *latest]))


def _lift(
    store: ConductStore,
    said: Said,
    rows: Sequence[StateEntry | Rule],
    read: Sequence[Sequence[tuple[str, float]]],
) -> str:
    """Ends or doubts the order that a message most surely allows; returns which, empty for none."""
    from bardo.conduct.hearing.lifts import lifting

    odds = [max((each for _, each in own), default=-np.inf) for own in read]
    place = int(np.argmax(odds))
    if not read[place]:
        return ""
    with store.writing():
        row = store.get(rows[place].id)
        if row != rows[place] or not isinstance(row, StateEntry | Rule):
            return ""
        if lifting.limit(store, row, said.text, by=said.by, episode=said.episode.id):
            return ""
        if isinstance(row, StateEntry) and is_read(row.corrections):
            lifting.end(store, row, said.text, by=said.by, at=said.episode.at)
            return "ended"
        day = date_of(said.episode.at)
        store.put(
            replace(
                row, corrections=with_doubt(row.corrections, f"{said.by}, {day}, episode {said.episode.id}")
            )
        )
    return "doubted"


def _order(row: StateEntry | Rule) -> Order:
    from bardo.conduct.hearing.lifts.partial_lifts import named_in

    action = row.forbidden_action
    return Order(said_at(row), _told(row), action, named_in(action, row.forbidden))


def _told(row: StateEntry | Rule) -> str:
    from bardo.conduct.hearing.lifts import lift_reader

    return lift_reader.told(row.text) if isinstance(row, Rule) else lift_reader.told(row.summary, row.detail)
