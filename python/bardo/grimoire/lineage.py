"""Lineage of an agent: its generation, its parents, and adoption of testaments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo._printed import printed
from bardo._validation import checked, require_text
from bardo.bequeath import lineage
from bardo.bequeath.content import known
from bardo.bequeath.content.known import Familiarity
from bardo.bequeath.family import autopsy
from bardo.bequeath.family.autopsy import ACTIONS, Autopsy
from bardo.bequeath.heir import innate
from bardo.bequeath.heir.innate import InnateRule
from bardo.bequeath.lineage import Parent
from bardo.errors import GrimoireClosedError, NotFoundError
from bardo.grimoire import remains
from bardo.grimoire.session import Session
from bardo.model import Fact

if TYPE_CHECKING:
    from bardo._core import KnownThings
    from bardo.bequeath.content.directives import Directive
    from bardo.bequeath.family.beliefs import LifeBeliefs
    from bardo.bequeath.heir.inherit import InheritanceReport
    from bardo.bequeath.testament.testament import Testament


class Lineage:
    """Lineage of the agent; `Grimoire.lineage`.

    Args:
        session: Open memory.
    """

    _printed = (
        "generation",
        "parents",
        "is_dead",
        "inheritance",
    )
    __str__ = printed

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inheritance: InheritanceReport | None = None

    @property
    def generation(self) -> int:
        """Number of generations of ancestors."""
        family = lineage.Lineage.load(self._session.path)
        return family.life.generation if family else 0

    @property
    def parents(self) -> tuple[Parent, ...]:
        """Agents that it inherited from, in order of inheritance."""
        family = lineage.Lineage.load(self._session.path)
        return family.life.parents if family else ()

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory is read-only."""
        return self._session.is_dead

    @property
    def inheritance(self) -> InheritanceReport | None:
        """Report of the last inheritance since this memory was opened."""
        return self._inheritance

    @checked
    def autopsy(self, *, at: int | None = None, last: int = ACTIONS) -> Autopsy:
        """Audits the last decisions: their cited memories, the knowledge at that time, and the missed warnings.

        Args:
            at: Tick as of which to audit; that of the death, or the current one, if not given.
            last: Number of the last decisions up to that tick.

        Raises:
            InvalidInputError: The tick is not in the life, or `last` is below 1.
        """
        self._session.ready()
        return autopsy.examine(remains.records_of(self._session), at=at, last=last)

    @checked
    def knew(self, text: str) -> Familiarity:
        """Returns whether any ancestor knew anything like a text, also if that did not cross.

        The answer takes microseconds: the bundles of the inherited testaments are read once.

        Args:
            text: Text, or words of it; the share of its words and pairs of words that were known is estimated.

        Raises:
            NotFoundError: No testament with such a bundle was inherited from a known signer.
        """
        self._session.ready()
        require_text(text, "text", "Pass words of what an ancestor may have known")
        if not self._bundles:
            raise NotFoundError(
                f"{self._session.agent} inherited no bundle of known things. Inherit a testament that has one, from a"
                " signer that you trust"
            )
        return known.best(self._bundles, text)

    @locked_cached_property
    def _bundles(self) -> list[KnownThings]:
        from bardo import _core
        from bardo.bequeath.heir.copies import inherited_bundles

        path = self._session.path
        family = lineage.Lineage.load(path)
        return [_core.KnownThings(one) for one in inherited_bundles(path, family)] if family else []

    def innate(self) -> tuple[InnateRule, ...]:
        """Lists the innate rules and those that were revoked: heuristics that three generations running confirmed."""
        self._session.ready()
        return innate.rules(self._session.path, self._session.facts)

    @checked
    def revoke(self, fact: str | Fact) -> InnateRule:
        """Revokes an innate rule: it fades from now on as any other, and no testament makes it innate again.

        Args:
            fact: Fact or its id.

        Raises:
            NotFoundError: It is no innate rule.
            ConfigError: `bardo.toml` cannot be changed by itself.
        """
        session = self._session
        session.ready(write=True)
        id_ = fact if isinstance(fact, str) else fact.id
        if id_ not in {rule.fact for rule in self.innate()}:
            raise NotFoundError(f"{id_} is no innate rule. List them with `bardo lineage innate`")
        innate.revoke(session.path, id_, session.facts, tick=session.now_tick)
        session.hot.sync_facts(session.facts)
        return next(rule for rule in self.innate() if rule.fact == id_)

    @checked
    def adopt(
        self,
        testaments: str | Path | Testament | Sequence[str | Path | Testament],
        *,
        through_archive: bool = False,
        allow: str | Sequence[str] = (),
    ) -> InheritanceReport:
        """Adopts the content of testaments, discounted and marked; it never replaces the agent's own facts.

        An agent without any memory adopts its testators' unit of ticks, unless `clock.unit` sets it. Where ticks are
        loops, its life begins with the first tick that is passed, and inherited facts decay from there.

        Args:
            testaments: Testament files, all of which are verified before anything is stored, or testaments that
                `bardo.bequeath.testament.testament.read` returned.
            through_archive: Whether they come from a public archive instead of a chosen parent.
            allow: Unknown signers whose testaments are adopted with limits: their keys, the first 16 digits of them, or
                names of testators.

        Raises:
            TestamentError: A file is not a testament, or was changed; nothing was stored.
            UnknownSignerError: A signer is neither known nor allowed; nothing was stored.
            GrimoireClosedError: The agent has died, or its death has begun.
        """
        from bardo.bequeath.heir import inherit
        from bardo.bequeath.testament import testament, trust

        session = self._session
        session.ready(write=True)
        listed = [testaments] if isinstance(testaments, (str, Path, testament.Testament)) else testaments
        given = [testament.read(one) if isinstance(one, (str, Path)) else one for one in listed]
        if session.death is not None:
            # A testament brings tasks.
            raise GrimoireClosedError(f"{session.agent} is dying and inherits nothing. Boot another heir")
        strangers = trust.unknown_signers(given, session.path, allow=allow)
        session.stores.note_birth(loops=bool(given) and all(one.loops for one in given))
        with session.indexer.learning():
            report = inherit.adopt(
                given, session.facts, tick=session.now_tick, now=session.clock.now(),
                config=session.config.bequeath, folder=session.path, log=session.log, embedder=session.embedder,
                through_archive=through_archive, strangers=strangers, take_directives=self._take_directives,
            )  # fmt: skip
        if lifted := self._lift_of_others():
            report = dataclasses.replace(report, ended=report.ended + lifted)
        self._inheritance = report
        self.__dict__.pop("_bundles", None)
        session.indexer.reload()
        session.embed()
        return session.emit(report)

    def _take_directives(self, given: Sequence[Directive]) -> tuple[int, int]:
        """Adds decisions, rejections and rules of a testament to the agent's gate."""
        from bardo.conduct import inheritance
        from bardo.conduct.storage.store import ConductStore

        session = self._session
        store = ConductStore(session.path, facts=session.facts)
        try:
            now = session.clock.now()
            taken = inheritance.take(store, given, agent=session.agent, now=now)
            if not session.checkpoints.doing and (left := inheritance.under_way(store)) is not None:
                session.checkpoints.work(left.id, at=now)
            return taken
        finally:
            store.close()

    def _lift_of_others(self) -> int:
        """Ends orders of one parent that the same person lifted in the life of another one."""
        from bardo.bequeath.heir import copies
        from bardo.conduct import inherited_lifts
        from bardo.conduct.storage.store import ConductStore

        session = self._session
        family = lineage.Lineage.load(session.path)
        if family is None or len(family.life.parents) < 2:
            return 0
        limited = {parent.testament for parent in family.life.parents if parent.limited}
        parents, _ = copies.inherited(session.path, family)
        known = [one for one in parents if one.hash not in limited]
        store = ConductStore(session.path, facts=session.facts)
        try:
            return inherited_lifts.end_by_others(store, known, agent=session.agent)
        finally:
            store.close()


def beliefs_of(line: Lineage) -> LifeBeliefs:
    """Returns the rules of a life for `bardo.bequeath.family.beliefs.survival`, which follows them over lives."""
    line._session.ready()
    return remains.beliefs_of(line._session)
