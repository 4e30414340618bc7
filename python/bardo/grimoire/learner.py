"""Learning of sentences as facts, without copies of prompts, with a confidence limited by the source."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._core import FactStore, arrival_confidence
from bardo.capture.recorder import name_list
from bardo.clock import MAX_TICK, Ticks
from bardo.consolidate.attributes import AttributeTable, persistence_of
from bardo.errors import BardoWarning, InvalidInputError
from bardo.grimoire.session import Session
from bardo.grimoire.statement_fields import StatementFields
from bardo.model import Fact, FactKind, Source, Statement

if TYPE_CHECKING:
    from bardo.assemble.copies import Cleaner

#: Confidence of a sentence that the agent learns itself.
LEARNED = 0.7


class Learner:
    """Adds facts.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._contested = session.contested_beliefs()

    def learn(
        self,
        what: str | Fact | Iterable[str | Fact],
        tick: SupportsIndex | None,
        described: StatementFields,
        *,
        kind: FactKind | None,
        category: str,
        subjects: Sequence[str],
        confidence: float | None,
        importance: float,
        source: Source,
        pinned: bool,
    ) -> Any:
        """Stores facts; see `Grimoire.learn`."""
        session = self._session
        session.ready(write=True)
        stamp = session.ticks.stamp(tick)
        batch = not isinstance(what, (str, Fact))
        given = [what] if isinstance(what, (str, Fact)) else list(what)
        known = None
        attributes = AttributeTable(session.config.curator.attributes)
        statement = statement_of(described, attributes, session.ticks)
        if statement is not None:
            if len(given) != 1 or isinstance(given[0], Fact):
                raise InvalidInputError(
                    "subject, attribute and value describe one sentence. Call learn() once per statement, "
                    "or pass Fact(..., statement=Statement(...))"
                )
            known = attributes.attribute(statement.attribute)
            given = [given[0] or sentence_of(statement)]
            subjects = tuple(dict.fromkeys((statement.subject, *name_list("subjects", subjects))))
        clean = session.made_prompts.cleaner()
        kind = kind or (known.kind if known else "insight")
        persistence = known.persistence if known else persistence_of(kind)
        fields: dict[str, Any] = {
            "kind": kind, "category": category, "statement": statement, "persistence": persistence,
            "subjects": name_list("subjects", subjects), "confidence": confidence_learned(confidence, source),
            "importance": importance, "source": source, "pinned": pinned,
        }  # fmt: skip
        facts = [
            dataclasses.replace(
                fact, origin=fact.origin or session.agent, created_tick=fact.created_tick or stamp,
                reinforced_tick=fact.reinforced_tick or stamp,
                observed=fact.observed if any(fact.observed) else (stamp, stamp),
            )
            for fact in (as_learned(item if isinstance(item, Fact) else Fact(item, **fields), clean) for item in given)
        ]  # fmt: skip
        facts = self._contested.in_their_words(facts, tick=stamp)
        clean.tell(stacklevel=4)
        named = [fact.id for fact in facts if fact.id]
        if taken := next((episode for episode in session.log.get(named) if episode is not None), None):
            raise InvalidInputError(f"the id {taken.id} is an episode's. Leave the id of the fact out")
        tell_of_arrival(facts, session.facts, tick=stamp, stacklevel=5)
        with session.indexer.learning():
            vectors, fingerprint = session.indexer.vectors_of([fact.text for fact in facts])
            upserted = session.facts.upsert(
                facts, tick=stamp, now=session.clock.now(), vectors=vectors, fingerprint=fingerprint
            )
        if forgotten := sum(entry.outcome == "forgotten" for entry in upserted):
            from bardo.grimoire import refusal

            refusal.refuse_facts(facts, forgotten)
        session.ticks.seen(stamp, own=tick is not None)
        session.stores.note_unit()
        session.hot.sync_facts(session.facts)
        stored = [fact for fact in session.facts.get([entry.id for entry in upserted]) if fact is not None]
        if contested := sum(fact.is_contested for fact in stored):
            warnings.warn(
                f"{contested} of the facts were refuted before and stay so: own episodes and outcomes restore them, "
                "a statement alone does not",
                BardoWarning,
                stacklevel=4,
            )
        return stored if batch else stored[0]


def statement_of(fields: StatementFields, attributes: AttributeTable, ticks: Ticks) -> Statement | None:
    """The statement that the arguments of `learn` describe; None if none of them is given.

    Args:
        fields: Arguments.
        attributes: Table of attributes.
        ticks: Logical time, which reads the bounds.

    Raises:
        InvalidInputError: A part is missing.
    """
    subject, attribute, value = (fields.get(name, "") for name in ("subject", "attribute", "value"))
    denied = fields.get("denied", False)
    if not subject and not attribute:
        if extra := [name for name, part in fields.items() if part]:
            raise InvalidInputError(
                f"{', '.join(extra)} belong to a statement. Pass subject= and attribute= as well"
            )
        return None
    if not subject or not attribute or not (value or denied):
        raise InvalidInputError(
            "a statement has a subject, an attribute and a value (or denied=True). Pass all of them, such as "
            "subject='api', attribute='port', value='8080'"
        )
    return Statement(
        str(subject),
        str(attribute),
        str(value),
        denied,
        fields.get("condition", ""),
        ticks.instant(fields.get("since"), "since"),
        ticks.instant(fields.get("until"), "until"),
        functional=attributes.attribute(str(attribute)).functional,
    )


def sentence_of(statement: Statement) -> str:
    """A sentence that says a statement, for one that came without words."""
    case = f" ({statement.condition})" if statement.condition else ""
    attribute = statement.attribute.replace("_", " ")
    if statement.denied:
        value = f"not {statement.value}" if statement.value else "none"
        return f"{statement.subject}: {attribute}{case} is {value}"
    return f"{statement.subject}: {attribute}{case} is {statement.value}"


def as_learned(fact: Fact, clean: Cleaner) -> Fact:
    """Removes copies of prompts from the text of a fact: an injected memory is never learned as new (law 8).

    Raises:
        InvalidInputError: No text remains.
    """
    text = clean(fact.text)
    if not text or text.isspace():
        raise InvalidInputError(
            "the text of a fact is empty (recalled memories in it are not learned again). "
            "Say what is known in a sentence"
        )
    return fact if text == fact.text else replace(fact, text=text)


def confidence_learned(given: float | None, source: str) -> float:
    """Returns the confidence of a sentence: the given one, else .7 or the limit of the source if lower.

    Args:
        given: Confidence from the caller; None for the default.
        source: Source of the sentence.
    """
    if given is not None:
        return given
    most = arrival_confidence(source)
    return LEARNED if most is None else min(LEARNED, most)


def tell_of_arrival(facts: Sequence[Fact], store: FactStore, *, tick: int, stacklevel: int = 4) -> None:
    """Warns of facts that the store accepts with another confidence, or an earlier expiry, than given.

    Args:
        facts: Facts from the caller.
        store: Fact store, which limits confidence and expiry by source.
        tick: Tick of arrival.
        stacklevel: Stack level of the frame that the warning names.
    """
    told: dict[str, None] = {}
    latest = min(tick + store.expiry_ticks, MAX_TICK)
    for fact in facts:
        source = "testament" if fact.generation and arrival_confidence(fact.source) is None else fact.source
        most = arrival_confidence(source)
        if most is not None and (fact.confidence > most or (source == "derived" and fact.confidence < most)):
            told[
                f"a fact of source {source!r} starts at {most:g}, not at {fact.confidence:g}; outcomes raise it"
            ] = None
        if source == "dream" and fact.expires_tick is not None and fact.expires_tick > latest:
            told[f"a dream expires at tick {latest} unless it is confirmed, not at {fact.expires_tick}"] = (
                None
            )
    if told:
        warnings.warn("; ".join(told), BardoWarning, stacklevel=stacklevel)
