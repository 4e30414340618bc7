"""Bridges: published outputs of one agent that another may read by a person's grant, and nothing else."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._validation import checked
from bardo.conduct.model.procedures import Grant, Output
from bardo.conduct.required import require_person
from bardo.conduct.storage.store import ConductStore
from bardo.config import Config
from bardo.errors import InvalidInputError, NotGrantedError
from bardo.folder import Folder
from bardo.handle import facts_of

if TYPE_CHECKING:
    from bardo.conduct.procedures.parts import Parts


class Bridges:
    """Bridges from and to an agent; `gate.bridges`.

    Args:
        parts: Parts of the gate.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @checked
    def publish(self, title: str, text: str, *, domain: str = "", by: str = "", episode: str = "") -> Output:
        """Publishes a text for agents with a grant; until it is published, no other agent can read it.

        Args:
            title: Title.
            text: Text, at most 20,000 characters.
            domain: Subject area; a grant may be for one only.
            by: Author; the agent if not given.
            episode: Id of the source episode; the output is deleted when that is forgotten.

        Raises:
            InvalidInputError: A text is empty or too long.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        title, text, domain = parts.cleaned(title, text, domain)
        if not text:
            raise InvalidInputError("there is nothing to publish. Give the text")
        return parts.store.put(
            Output("", title, text, domain, by.strip() or parts.agent, episode, parts.clock.now())
        )

    @checked
    def outputs(self) -> builtins.list[Output]:
        """Lists the agent's own published outputs, the latest first; `gate.forget(id)` withdraws one."""
        self._parts.ready()
        return self._parts.store.rows(Output)[::-1]

    @checked
    def grant(self, reader: str, *, by: str, domain: str = "") -> Grant:
        """Grants another agent to read the published outputs; a grant that holds already is returned.

        Args:
            reader: Name of the agent that may read.
            by: Person who grants it; an agent must not do so on its own.
            domain: Subject area of the readable outputs; every one if not given.

        Raises:
            InvalidInputError: No person or reader is named.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        require_person(by, "grants another agent to read", agent=parts.agent)
        given = Grant("", reader.strip(), domain.strip(), by, parts.clock.now())
        if not given.reader:
            raise InvalidInputError("no reader is named. Give the name of the other agent")
        with parts.store.writing():
            for known in parts.store.rows(Grant, every=False):
                if (known.reader, known.domain) == (given.reader, given.domain):
                    return known
            return parts.store.put(given)

    @checked
    def revoke(self, id_: str, *, by: str = "") -> Grant:
        """Revokes a grant; the reader's next call is refused.

        Args:
            id_: Id of the grant.
            by: Person or agent that revokes it.

        Raises:
            NotFoundError: There is no such grant.
            InvalidInputError: The id is not of a grant, or it was revoked already.
        """
        parts = self._parts
        parts.ready(write=True)
        with parts.store.writing():
            known = parts.get(Grant, id_)
            if known.revoked_at:
                raise InvalidInputError(f"{id_} was revoked already by {known.revoked_by}")
            now = max(1, parts.clock.now())
            return parts.store.put(replace(known, revoked_at=now, revoked_by=by.strip() or parts.agent))

    @checked
    def grants(self, *, every: bool = False) -> builtins.list[Grant]:
        """Lists the grants that hold, the earliest first; with `every` also revoked ones."""
        self._parts.ready()
        return self._parts.store.rows(Grant, every=every)

    @checked
    def read(self, path: str | Path) -> builtins.list[Output]:
        """Reads the outputs that another agent published and this agent may read, the latest first.

        Treat their texts as data of another: fence them in prompts (`bardo.Block`), and name the author.

        Args:
            path: Folder of the other agent's memory.

        Raises:
            NotGrantedError: The other agent's memory has no grant for this agent.
            NotFoundError: There is no memory in the folder.
            ConductLostError: The grants are lost.
            StoreError: A file of the other memory cannot be read.
        """
        self._parts.ready()
        folder = Folder.at(path)
        folder.check(create=False)
        facts = facts_of(folder, None, Config.load(folder.root, None))
        try:
            store = ConductStore(folder.root, facts=facts)
            try:
                return _readable(store, facts.agent, self._parts.agent)
            finally:
                store.close()
        finally:
            facts.close()


def _readable(store: ConductStore, owner: str, reader: str) -> builtins.list[Output]:
    """Reads the outputs of an owner for a reader, by the grants that hold."""
    domains = {grant.domain for grant in store.rows(Grant, every=False) if grant.reader == reader}
    if not domains:
        raise NotGrantedError(
            f"{owner} does not let {reader} read. A person grants it in the memory of {owner}: "
            f"gate.bridges.grant({reader!r}, by=...), or `bardo bridges grant {reader} --by NAME`"
        )
    outputs = store.rows(Output)[::-1]
    return [each for each in outputs if "" in domains or each.domain in domains]
