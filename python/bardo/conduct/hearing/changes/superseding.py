"""Ends the orders, decisions and statements that a later statement replaces, and names the successors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.changes.replacement import may_replace, replaces, takes_back
from bardo.conduct.hearing.changes.replacement_words import LIMITING
from bardo.conduct.model.authors import author_of, said_at, word_at
from bardo.conduct.model.entries import STATEMENTS, SUPERSEDED, Rule, StateEntry
from bardo.conduct.persons import is_person
from bardo.conduct.storage.store import ConductStore
from bardo.model import Fact

Word = TypeVar("Word", bound=StateEntry | Rule)
_NUMBER = lazy_pattern(r"\d+(?:[.,:]\d+)*")
#: Letters for the digits and signs of a number that names a thing.
_NAMED = str.maketrans("0123456789.,:", "qwrtzpsdfghjk")


def replaced_by(store: ConductStore, text: str, *, episode: str, at: int) -> list[Rule | StateEntry]:
    """Returns the rules, decisions and statements that a person's words replace, and tasks that they take back.

    Rules that require an approval stay: only a person at the gate ends these.

    Args:
        store: State and rules of the agent.
        text: Words of the person.
        episode: Id of the episode; what was heard in it is not replaced.
        at: Time of the words, microseconds UTC; later entries are not replaced.
    """
    if not may_replace(text):
        return []
    held = [(rule.text, rule) for rule in store.rules(every=False) if not rule.approval]
    known: list[tuple[str, Rule | StateEntry]] = [*held]
    known += [(entry.summary, entry) for entry in store.state(kind="decision")]
    tasks = store.state(kind="task", limit=-1)
    known += [(task.summary, task) for task in tasks if takes_back(text) or _NUMBER.search(task.summary)]
    replaced = [
        row for said, row in known if row.at <= at and row.episode != episode and replaces(said, text)
    ]
    return [*replaced, *(row for row in _restated(store, text, at=at) if row.episode != episode)]


def restates(older: str, newer: str) -> bool:
    """Whether a newer statement gives the same quantity of the same thing another figure.

    Args:
        older: Statement.
        newer: Statement that was made later.
    """
    numbers = _NUMBER.findall(older)
    if len(numbers) > 1:
        # Numbers that both have name the thing, such as "pump 3".
        shared = set(numbers).intersection(_NUMBER.findall(newer))
        if sum(number not in shared for number in numbers) != 1:
            return False
        older, newer = (
            _NUMBER.sub(lambda match: match[0].translate(_NAMED) if match[0] in shared else match[0], text)
            for text in (older, newer)
        )
    if not numbers or not replaces(older, newer):
        return False
    return (LIMITING.search(older.casefold()) is None) == (LIMITING.search(newer.casefold()) is None)


def end_statements(store: ConductStore, newer: Word, *, agent: str) -> Word:
    """Ends the older discoveries, learnings and context of which a newer entry or rule states another figure.

    The agent's words end no statement of a person.

    Args:
        store: State and rules of the agent, in a transaction.
        newer: Entry or rule, stored.
        agent: Name of the agent.

    Returns:
        The newer entry or rule.
    """
    if isinstance(newer, StateEntry) and newer.kind not in (*STATEMENTS, "decision"):
        return newer
    text = newer.text if isinstance(newer, Rule) else newer.summary
    by = author_of(newer.by)[0]
    over = [
        entry
        for entry in _restated(store, text, at=said_at(newer))
        if entry.id != newer.id and (is_person(by, agent) or not is_person(author_of(entry.by)[0], agent))
    ]
    end(store, over, by=by or agent, at=said_at(newer), successor=newer.id)
    return newer


def end_by_facts(
    store: ConductStore, newer_of: Callable[[StateEntry], Iterable[Fact]], *, agent: str
) -> list[StateEntry]:
    """Ends the agent's statements of which a fact that was learned later states another figure; returns them.

    Args:
        store: State and rules of the agent.
        newer_of: Returns the facts in force that were told by themselves and share words with an entry.
        agent: Name of the agent.
    """
    held = [entry for kind in STATEMENTS for entry in store.state(kind=kind, limit=-1)]
    own = [entry for entry in held if not is_person(author_of(entry.by)[0], agent)]
    pairs = [
        (entry, fact)
        for entry in own
        if any(map(str.isdigit, entry.summary))
        for fact in newer_of(entry)
        if fact.created_at > word_at(entry) and restates(entry.summary, fact.text)
    ]
    over = {entry.id: (entry, fact) for entry, fact in pairs}
    if not over:
        return []
    with store.writing():
        return [
            store.put(
                replace(
                    entry, status="archived", changed_at=fact.created_at, closed_by=agent,
                    closed_why=f"{SUPERSEDED}the fact {fact.id}",
                )
            )
            for entry, fact in over.values()
        ]  # fmt: skip


def settle(store: ConductStore, *, agent: str) -> None:
    """Ends the statements that a later entry or rule in force replaces, as after an inheritance.

    Args:
        store: State and rules of the agent, in a transaction.
        agent: Name of the agent.
    """
    rows: list[StateEntry | Rule] = [*store.rules(every=False)]
    rows += [entry for kind in (*STATEMENTS, "decision") for entry in store.state(kind=kind, limit=-1)]
    for row in sorted(rows, key=said_at):
        end_statements(store, row, agent=agent)


def _restated(store: ConductStore, text: str, *, at: int) -> list[StateEntry]:
    """Returns the statements in force, made no later, of which a text states another figure."""
    if not any(map(str.isdigit, text)):
        return []
    held = [entry for kind in STATEMENTS for entry in store.state(kind=kind, limit=-1)]
    return [entry for entry in held if word_at(entry) <= at and restates(entry.summary, text)]


def end(
    store: ConductStore, replaced: Sequence[Rule | StateEntry], *, by: str, at: int, successor: str
) -> None:
    """Ends rules, decisions and statements that were replaced.

    Args:
        store: State and rules of the agent, in a transaction.
        replaced: Rules, decisions and statements.
        by: Person or agent whose words replace them.
        at: Time of the words, microseconds UTC.
        successor: Id of the entry or rule in their place.
    """
    why = f"{SUPERSEDED}{successor}"
    for row in replaced:
        if isinstance(row, Rule):
            # The time of the last word on a rule is that of its end.
            store.put(replace(row, confirmed_at=at, retired_by=by, retired_why=why))
        else:
            store.put(
                replace(
                    row, status="archived", changed_at=at, superseded_by=successor, closed_by=by, closed_why=why
                )
            )  # fmt: skip


def replaced_in(store: ConductStore, episodes: Collection[str]) -> list[tuple[str, Rule | StateEntry]]:
    """Returns the rules and entries that statements of some episodes replaced, each after the episode.

    Args:
        store: State and rules of the agent.
        episodes: Ids of episodes.
    """
    rows: list[Rule | StateEntry] = [
        *store.rules(),
        *(
            entry
            for kind in ("decision", "task", *STATEMENTS)
            for entry in store.state(kind=kind, every=True)
        ),
    ]
    successors = {row.id: row.episode for row in rows if row.episode in episodes}
    return [(successors[row.superseded_by], row) for row in rows if row.superseded_by in successors]
