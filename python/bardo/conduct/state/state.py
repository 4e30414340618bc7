"""Keeps entries of state without duplicates: the same one is renewed, a similar one takes the newer wording."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.doubt import is_read, without_doubt
from bardo.conduct.model.entries import WORK, Outcome, StateEntry
from bardo.conduct.persons import is_person
from bardo.conduct.required import is_persons, require_person
from bardo.conduct.state.promotion import promote
from bardo.conduct.state.rules import VectorsOf, alike
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError

#: Number of the latest entries of a kind, rejections aside, among which a repetition is sought.
COMPARED = 200


def keep(
    store: ConductStore,
    given: StateEntry,
    vectors: VectorsOf,
    require_allowed: Callable[[], None],
    *,
    agent: str,
    replaced: Collection[str] = (),
) -> StateEntry:
    """Stores an entry, or renews the one in force that says the same.

    An entry without an episode stays unchanged when an episode repeats it, so it holds nothing of the episode. Words
    that were said earlier, as in an old transcript, change no later entry. The agent's words change no entry of a
    person: unless they add nothing, they become an entry of their own. A lesson that is learned again on a later day
    becomes a rule (`promotion`).

    Args:
        store: State of the agent.
        given: New entry, without an id.
        vectors: Vectors of texts, for similar entries by meaning.
        require_allowed: Raises if a new entry of this kind is not allowed.
        agent: Name of the agent.
        replaced: Ids of entries that it replaces; it is not merged with them.

    Raises:
        InvalidInputError: The reason of a person's rejection would change, and no person is named.
    """
    kept = _keep(store, given, vectors, require_allowed, agent=agent, replaced=replaced)
    return promote(store, kept, vectors, agent=agent)


def _keep(
    store: ConductStore,
    given: StateEntry,
    vectors: VectorsOf,
    require_allowed: Callable[[], None],
    *,
    agent: str,
    replaced: Collection[str],
) -> StateEntry:
    listed = store.state(kind=given.kind, limit=-1 if given.kind == "rejected" else COMPARED)
    known = [entry for entry in listed if entry.id not in replaced and _may_change(entry, given, agent=agent)]
    summaries = [entry.summary for entry in known]
    place = place_of_same(summaries, given.summary)
    similar = alike(summaries, given.summary, vectors) if place is None and given.kind != "rejected" else []
    if place is None and not similar:
        require_allowed()
        return store.put(given)
    there = known[similar[0] if place is None else place]
    if given.changed_at < there.changed_at:
        return there
    if given.episode and not there.episode:
        return store.put(replace(there, changed_at=given.changed_at))
    author = given.by
    if _is_over(there, given, agent=agent):
        author = there.by
        if given.kind == "rejected" and not given.episode and given.detail not in ("", there.detail):
            require_person(given.by, f"changes the reason of {there.by}'s rejection {there.id}", agent=agent)
    if there.episode != given.episode:
        there = replace(there, summary=given.summary, detail="", episode=given.episode)
    return store.put(
        replace(
            there,
            summary=given.summary if place is None else there.summary,
            detail=given.detail or there.detail,
            domain=given.domain or there.domain,
            by=author or there.by,
            corrections=_corrections(there, given),
            changed_at=given.changed_at,
        )
    )


def _corrections(there: StateEntry, given: StateEntry) -> str:
    """Returns the corrections of a renewed entry; what was told plainly once is not merely read."""
    if is_read(there.corrections) and is_read(given.corrections):
        return given.corrections
    return without_doubt(given.corrections) or without_doubt(there.corrections)


def _is_over(there: StateEntry, given: StateEntry, *, agent: str) -> bool:
    """Whether an entry is a person's and a new one is not."""
    return is_person(author_of(there.by)[0], agent) and not is_person(author_of(given.by)[0], agent)


def _may_change(there: StateEntry, given: StateEntry, *, agent: str) -> bool:
    """Whether a new entry may renew one: not the agent's a person's, unless it adds nothing.

    A rejection is compared in any case, so that a repetition of a person's never loses its author.
    """
    if given.kind == "rejected" or not _is_over(there, given, agent=agent):
        return True
    keeps_detail = given.detail == there.detail or (not given.detail and there.episode == given.episode)
    adds_nothing = keeps_detail and given.domain in ("", there.domain)
    return adds_nothing and place_of_same([there.summary], given.summary) is not None


def in_force(store: ConductStore, id_: str) -> StateEntry:
    """Reads an entry that has not ended.

    Args:
        store: State of the agent.
        id_: Id of the entry.

    Raises:
        InvalidInputError: The id is of an outcome or of a rule.
        NotFoundError: There is no such entry, or it has ended.
    """
    entry = store.get(id_)
    if isinstance(entry, Outcome):
        raise InvalidInputError(f"{id_} is an outcome, which does not end")
    if not isinstance(entry, StateEntry):
        raise InvalidInputError(f"{id_} is a rule. End it with retire")
    if entry.status != "active":
        raise NotFoundError(f"{id_} {ended(entry)}, and is no longer in force")
    return entry


def replaceable(store: ConductStore, id_: str, by: str, *, agent: str) -> StateEntry:
    """Reads an entry that a new one of an author may replace.

    Args:
        store: State of the agent.
        id_: Id of the entry.
        by: Author of the new entry.
        agent: Name of the agent.

    Raises:
        InvalidInputError: The entry is a rejection, or a person's and the author is none.
        NotFoundError: There is no such entry, or it has ended.
    """
    entry = in_force(store, id_)
    _refuse_rejection(entry)
    if is_persons(entry, agent):
        require_person(by, f"replaces a person's {entry.kind} {id_}", agent=agent)
    return entry


def require_finishable(entry: StateEntry, by: str, *, agent: str) -> None:
    """Refuses to finish a rejection, and without a person's name an entry of a person other than a task.

    Args:
        entry: Entry in force.
        by: Name of the one who finishes it.
        agent: Name of the agent.
    """
    _refuse_rejection(entry)
    if entry.kind not in WORK and is_persons(entry, agent):
        require_person(by, f"ends a person's {entry.kind} {entry.id}", agent=agent)


def _refuse_rejection(entry: StateEntry) -> None:
    if entry.kind == "rejected":
        raise InvalidInputError(f"{entry.id} is a rejection. A person lifts it with lift(id, by=...)")


def ended(entry: StateEntry) -> str:
    """Says how an entry ended, and by whom."""
    if entry.superseded_by:
        return f"was replaced by {entry.superseded_by}"
    how = "was lifted" if entry.kind == "rejected" else f"is {entry.status}"
    return f"{how} already{f' by {entry.closed_by}' if entry.closed_by else ''}"
