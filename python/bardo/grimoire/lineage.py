"""Where an agent comes from: its generation and parents, and what it takes over from testaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo._validation import checked
from bardo.bequeath import lineage
from bardo.bequeath.lineage import Parent
from bardo.grimoire.session import Session

if TYPE_CHECKING:
    from bardo.bequeath.inherit import InheritanceReport
    from bardo.bequeath.testament import Testament


class Lineage:
    """The agent's place in its family; `Grimoire.lineage`.

    Args:
        session: The open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inheritance: InheritanceReport | None = None

    @property
    def generation(self) -> int:
        """How many ancestors the agent has."""
        family = lineage.Lineage.load(self._session.path)
        return family.life.generation if family else 0

    @property
    def parents(self) -> tuple[Parent, ...]:
        """The agents it inherited from, in the order it did."""
        family = lineage.Lineage.load(self._session.path)
        return family.life.parents if family else ()

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory can be read but takes nothing more."""
        return self._session.is_dead

    @property
    def inheritance(self) -> InheritanceReport | None:
        """Report of the last inheritance since this memory was opened."""
        return self._inheritance

    @checked
    def adopt(
        self,
        testaments: Sequence[Testament],
        *,
        through_archive: bool = False,
        allow: str | Sequence[str] = (),
    ) -> InheritanceReport:
        """Takes over what testaments hold: discounted, marked, never over what the agent learned itself.

        An agent that has lived nothing yet counts its ticks as its testators did, unless `clock.unit` says how; where
        they are loops, its life begins with the first tick that is passed, and what it inherited fades from there.

        Args:
            testaments: As read by `bardo.bequeath.testament.read`.
            through_archive: Whether they come from a public archive instead of a chosen parent.
            allow: Unknown signers whose testaments are taken with limits: their keys, the first 16 digits of them, or
                names of testators.

        Raises:
            UnknownSignerError: A signer is neither known nor allowed; nothing was stored.
        """
        from bardo.bequeath import inherit, trust

        session = self._session
        session.ready(write=True)
        strangers = trust.unknown_signers(testaments, session.path, allow=allow)
        session.stores.note_birth(loops=bool(testaments) and all(one.loops for one in testaments))
        with session.indexer.learning():
            report = inherit.adopt(
                testaments, session.facts, tick=session.now_tick, now=session.clock.now(),
                config=session.config.bequeath, folder=session.path, log=session.log, embedder=session.embedder,
                through_archive=through_archive, strangers=strangers,
            )  # fmt: skip
        self._inheritance = report
        session.indexer.reload()
        session.embed()
        return session.emit(report)
