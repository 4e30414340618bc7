"""Journal of the inferences about facts, and undo of an act."""

from __future__ import annotations

import builtins
import json
import uuid
from typing import Any, Final

from bardo._validation import checked
from bardo.grimoire.results import Act, ActChange, UndoReport
from bardo.grimoire.session import Session
from bardo.model import Fact

#: Length of an id in the core, in bytes.
_ID_BYTES: Final = 16


class Journal:
    """Acts of inference about facts; `Grimoire.journal`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @checked
    def list(self, *, limit: int = 20) -> builtins.list[Act]:
        """Lists the acts of inference about facts, the last first: passes of the Curator, texts, lints, and undos.

        The latest 1,024 acts are kept, as long as they hold no more than 65,536 changes of facts together.

        Args:
            limit: Maximum number of acts.
        """
        self._session.ready()
        acts = self._session.facts.acts(limit)
        changed = list(dict.fromkeys(fact for *_, changes in acts for fact, _, _ in changes))
        texts = {fact.id: fact.text for fact in self._session.facts.get(changed) if fact is not None}
        return [
            Act(
                number, name, tick, at, undone_by,
                tuple(
                    ActChange(fact, texts[fact], None if before is None else _fields(before), _fields(after))
                    for fact, before, after in changes
                    if fact in texts
                ),
            )
            for number, name, tick, at, undone_by, changes in acts
        ]  # fmt: skip

    @checked
    def undo(
        self, act: int | Act, *, facts: str | Fact | builtins.list[str | Fact] | None = None
    ) -> UndoReport:
        """Undoes an act: restores every field that it changed and that has not changed since.

        Facts that it created are archived, and links that it added are deleted. Counts of the Curator are kept: new
        evidence may state the same again.

        Args:
            act: Act or its number.
            facts: Facts or their ids, to undo only what the act did to them; the rest of the act stays in force.

        Raises:
            NotFoundError: There is no such act (any more), or it did not change one of the facts.
            InvalidInputError: It was undone before.
        """
        session = self._session
        session.ready(write=True)
        number = act if isinstance(act, int) else act.number
        tick, now = session.ticks.now(), session.clock.now()
        if facts is None:
            by, restored, withdrawn, kept = session.facts.undo(number, tick=tick, now=now)
        else:
            some = [facts] if isinstance(facts, str | Fact) else facts
            ids = [one.id if isinstance(one, Fact) else one for one in some]
            by, restored, withdrawn, kept = session.facts.undo_of(number, ids, tick=tick, now=now)
        session.hot.sync_facts(session.facts)
        return UndoReport(by, tuple(restored), tuple(withdrawn), {fact: tuple(names) for fact, names in kept})


def _fields(stored: str) -> dict[str, Any]:
    """Converts stored fields of a fact to public form: ids as text, and the public name of the source."""
    fields: dict[str, Any] = json.loads(stored)
    return {name: _field(name, value) for name, value in fields.items()}


def _field(name: str, value: Any) -> Any:
    if name == "source" and value == "self_lived":
        return "self"
    if isinstance(value, list) and len(value) == _ID_BYTES and all(isinstance(each, int) for each in value):
        return str(uuid.UUID(bytes=bytes(value)))
    if isinstance(value, list) and value and all(isinstance(each, list) for each in value):
        return [_field(name, each) for each in value]
    return value
