"""Missions: the standing directive with which an agent begins each session."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from bardo._validation import checked
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.procedures import Mission
from bardo.conduct.persons import is_person
from bardo.conduct.required import require_person
from bardo.errors import NotFoundError

if TYPE_CHECKING:
    from bardo.conduct.procedures.parts import Parts


class Missions:
    """Missions of an agent; `gate.missions`. `boot` shows the one in force.

    Args:
        parts: Parts of the gate.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @checked
    def set(self, text: str, *, by: str = "", episode: str = "") -> Mission:
        """Sets the mission, and ends the one before it. Only a named person replaces a person's mission.

        Args:
            text: Standing directive.
            by: Person who gives it.
            episode: Id of the source episode; the mission is deleted when that is forgotten.

        Returns:
            The new mission, or the one in force if it has the same text.

        Raises:
            InvalidInputError: The text is empty or too long, or no person is named.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        (text,) = parts.cleaned(text)
        now = parts.clock.now()
        with parts.store.writing():
            known = self.current()
            if known is not None:
                if known.text == text:
                    return known
                if is_person(author_of(known.by)[0], parts.agent):
                    require_person(by, "replaces a person's mission", agent=parts.agent)
            kept = parts.store.put(Mission("", text, by.strip(), episode, now))
            if known is not None:
                parts.store.put(_ended(known, by or parts.agent, f"replaced by {kept.id}", now))
            return kept

    @checked
    def current(self) -> Mission | None:
        """Returns the mission in force; None if there is none."""
        self._parts.ready()
        return next(reversed(self._parts.store.rows(Mission, every=False)), None)

    @checked
    def list(self) -> builtins.list[Mission]:
        """Lists all missions, the latest first."""
        self._parts.ready()
        return self._parts.store.rows(Mission)[::-1]

    @checked
    def end(self, *, by: str = "", why: str = "") -> Mission:
        """Ends the mission in force. Only a named person ends a person's mission.

        Args:
            by: Person or agent that ends it.
            why: Reason.

        Raises:
            NotFoundError: No mission is in force.
            InvalidInputError: The mission is a person's, and no person is named.
        """
        parts = self._parts
        parts.ready(write=True)
        (why,) = parts.cleaned(why)
        with parts.store.writing():
            known = self.current()
            if known is None:
                raise NotFoundError(
                    "no mission is in force. Set one with missions.set (`bardo missions set`)"
                )
            if is_person(author_of(known.by)[0], parts.agent):
                require_person(by, "ends a person's mission", agent=parts.agent)
            return parts.store.put(_ended(known, by or parts.agent, why, parts.clock.now()))


def _ended(mission: Mission, by: str, why: str, now: int) -> Mission:
    # 0 means in force, and a test's clock may begin there.
    return replace(mission, ended_at=max(1, now), ended_by=by, ended_why=why)
