"""How far a memory still holds, in words: "until 14 March 2026", "corrected on 14 March 2026"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bardo import _core
from bardo.clock import day_of, last_day
from bardo.consolidate.clause import form_of
from bardo.consolidate.languages import is_unmade
from bardo.consolidate.statement_ends import has_ended
from bardo.model import Episode, Fact
from bardo.ports import FIRST_AT, LAST_AT
from bardo.privacy import confidences
from bardo.recall.lifted import Lifted
from bardo.recall.topic import content

#: Standing of a record by which a person asks for confidence.
CONFIDED = "told in confidence"
#: Standing of a record that names a change, such as a plan or a failed attempt, and of none that was made.
UNMADE = "only planned or attempted"


def is_over(record: Episode | Fact, now: int | None) -> bool:
    """Whether a fact was replaced, or the time of its statement is over.

    Args:
        record: Record of the memory.
        now: Present time, microseconds UTC; None to ask by its status alone.
    """
    if not isinstance(record, Fact):
        return False
    return record.status == "superseded" or (now is not None and has_ended(record, now))


def in_words(
    record: Episode | Fact,
    corrections: Sequence[tuple[str, int | None, bool]],
    now: int | None,
    language: str,
    *,
    told_until: int | None = None,
    lifted: Lifted | None = None,
) -> str:
    """Describes how far a memory holds; empty if nothing is known against it.

    Args:
        record: Record of the memory.
        corrections: Id, time, and whether it only disputes, of each later memory that corrects it, the latest first.
        now: Present time, microseconds UTC; None if the query is about the past.
        language: Language of the texts; empty for none.
        told_until: End of what an episode told, microseconds UTC, if it is over.
        lifted: End of the entry of the gate that the memory tells.
    """
    statement = record.statement if isinstance(record, Fact) else None
    parts = [CONFIDED] if confidences.asks(record.text) else []
    if isinstance(record, Episode) and form_of(record) == "record" and is_unmade(language, record.text):
        parts.append(UNMADE)
    if statement and statement.since is not None and now is not None and statement.since > now:
        parts.append(f"from {day(statement.since)}")
    if statement and statement.until is not None:
        # A text says the last day ("until 20 March"); a caller, or a newer value, the first one on which it is over.
        is_of_text = isinstance(record, Fact) and bool(record.evidence) and record.status == "active"
        parts.append(f"until {(_last_day if is_of_text else day)(statement.until)}")
    if lifted is not None:
        parts.append(_since(lifted.word, lifted.at))
    ends = [at for _, at, is_disputed in corrections if not is_disputed]
    if told_until is not None and not ends:
        parts.append(f"until {_last_day(told_until)}")
    if ends:
        parts.append(_since("corrected", ends[0]))
    elif isinstance(record, Fact) and record.status == "contradicted" and record.ended_by == "ancestor":
        parts.append("contested: given up in an earlier life")
    elif corrections:
        parts.append(_since("disputed", corrections[0][1]))
    elif isinstance(record, Fact) and record.is_refuted:
        parts.append("refuted")
    elif isinstance(record, Fact) and record.status == "superseded" and not parts:
        parts.append("replaced")
    return ", ".join(parts)


def turn_ends(facts: _core.FactStore, episodes: Mapping[str, str], now: int) -> dict[str, int]:
    """Returns the ends of what episodes told, by id, of those that told nothing else.

    Such an episode is evidence of a single fact, the statement of the fact has ended, and the fact has all content
    words of the episode.

    Args:
        facts: Fact store.
        episodes: Text of each episode, by id.
        now: Present time, microseconds UTC.
    """
    told: dict[str, list[Fact]] = {}
    for fact in facts.derived_from(list(episodes)):
        for id_ in fact.evidence:
            told.setdefault(id_, []).append(fact)
    found = {}
    for id_, (fact, *others) in told.items():
        statement = fact.statement
        if id_ not in episodes or others or statement is None or statement.until is None:
            continue
        if statement.until <= now and content(episodes[id_]) <= content(fact.text):
            found[id_] = statement.until
    return found


def day(at: int) -> str:
    """Formats the day of a time, UTC, as `14 March 2026`."""
    return day_of(at) if FIRST_AT <= at <= LAST_AT else "an unknown day"


def _last_day(until: int) -> str:
    return last_day(until) if FIRST_AT < until <= LAST_AT else day(until)


def _since(what: str, at: int | None) -> str:
    return f"{what} on {day(at)}" if at else f"{what} later"
