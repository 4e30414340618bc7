"""The verbs about what was done to facts: the journal, and taking an act back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._lazy import json, modules
from bardo._validation import checked
from bardo.grimoire.session import Opened

if TYPE_CHECKING:
    from bardo.grimoire import results
    from bardo.grimoire.results import Act, Undone
else:
    (results,) = modules("grimoire.results")


class Undoing(Opened):
    """What a `Grimoire` knows of its own acts."""

    @checked
    def acts(self, *, limit: int = 20) -> list[Act]:
        """What was inferred about facts, act by act, the last first: passes of the Curator, and what took them back.

        The latest 1,024 acts are kept, as long as they hold no more than 65,536 changes of facts together.

        Args:
            limit: At most so many.
        """
        self._ready()
        return [
            results.Act(
                number, name, tick, at, undone_by,
                tuple(
                    results.ActChange(fact, None if before is None else json.loads(before), json.loads(after))
                    for fact, before, after in changes
                ),
            )
            for number, name, tick, at, undone_by, changes in self._facts.acts(limit)
        ]  # fmt: skip

    @checked
    def undo(self, act: int | Act) -> Undone:
        """Takes an act back: what it changed and nothing changed since is as it was before.

        Facts that it brought into being are archived, links that it drew are gone. What the Curator counted stays
        counted: new evidence may state the same again.

        Args:
            act: An act or its number.

        Raises:
            NotFoundError: There is no such act (any more).
            InvalidInputError: It was undone before.
        """
        self._ready(write=True)
        number = act if isinstance(act, int) else act.number
        by, restored, withdrawn, kept = self._facts.undo(
            number, tick=self._ticks.now(), now=self._clock.now()
        )
        self._hot.sync_facts(self._facts)
        return results.Undone(
            by, tuple(restored), tuple(withdrawn), {fact: tuple(names) for fact, names in kept}
        )
