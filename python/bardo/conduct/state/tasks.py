"""Tasks of an agent that is dying: the checklist of its death."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bardo.bequeath import death_journal
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.entries import StateEntry, StateKind
from bardo.conduct.storage.store import ConductStore
from bardo.errors import GrimoireClosedError, NotFoundError
from bardo.folder import Folder, dying_error

#: Domain of tasks that a death added.
DOMAIN = "death"
#: Kinds of entries that bind the agent.
OBLIGATIONS: frozenset[StateKind] = frozenset({"task", "decision"})


def require_life(folder: Folder, agent: str, kind: StateKind | None = None) -> None:
    """Refuses a new obligation of a dying agent, and any entry from its last consolidation on.

    Args:
        folder: Folder of the memory.
        agent: Name of the agent.
        kind: Kind of a new entry; None for a change of an entry.

    Raises:
        GrimoireClosedError: The agent does not take it any more.
    """
    if not folder.death.exists() or (death := death_journal.load(folder.root)) is None:
        return
    if death.is_closed:
        raise dying_error(agent, signed=death.phase == "legacy")
    if kind in OBLIGATIONS:
        raise GrimoireClosedError(
            f"{agent} is dying ({death.cause}) and takes on no new {kind}. Settle what is open with death.settle "
            "(`bardo death settle`): the heir takes over the rest"
        )


def add_tasks(store: ConductStore, texts: Iterable[str], *, by: str, now: int) -> None:
    """Adds tasks; one in force with the same meaning stays as it is.

    Args:
        store: State and rules of the agent.
        texts: Tasks, each in a sentence.
        by: Author.
        now: Wall clock, microseconds UTC.

    Raises:
        InvalidInputError: A text is empty or too long; nothing was added.
        StoreUnavailableError: The file cannot be written.
    """
    given = [text.strip() for text in texts]
    if not given:
        return
    with store.writing():
        known = [entry.summary for entry in store.state(kind="task")]
        for text in given:
            if place_of_same(known, text) is None:
                known.append(text)
                store.put(StateEntry("", "task", text, domain=DOMAIN, by=by, at=now, changed_at=now))


def tasks_of(store: ConductStore, *, since: int) -> list[StateEntry]:
    """Lists the open tasks, the oldest first, then those that ended since a time.

    Args:
        store: State and rules of the agent.
        since: Wall clock, microseconds UTC.
    """
    found = store.state(kind="task", every=True)
    ended = [entry for entry in found if entry.status != "active" and entry.changed_at >= since]
    return sorted((entry for entry in found if entry.status == "active"), key=_number) + sorted(
        ended, key=_number
    )


def settle_task(store: ConductStore, id_: str, *, note: str, by: str, now: int) -> StateEntry:
    """Ends an open task.

    Args:
        store: State and rules of the agent.
        id_: Id of the task.
        note: How it was settled.
        by: Person or agent that settled it.
        now: Wall clock, microseconds UTC.

    Raises:
        NotFoundError: There is no open task of that id.
        InvalidInputError: The note is too long.
        StoreUnavailableError: The file cannot be written.
    """
    open_ids = []
    # Without a task no transaction is begun, which would make the file.
    if store.state(kind="task"):
        with store.writing():
            for entry in store.state(kind="task"):
                if entry.id == id_:
                    done = replace(
                        entry, status="done", changed_at=now, closed_by=by, closed_why=note.strip()
                    )
                    return store.put(done)
                open_ids.append(entry.id)
    raise NotFoundError(
        f"no open task has the id {id_!r}. Open are: {', '.join(open_ids) or 'none'}; see "
        "death.checklist() (`bardo death show`)"
    )


def _number(entry: StateEntry) -> int:
    return int(entry.id[1:])
