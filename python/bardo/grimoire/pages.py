"""Pages compiled from facts for people and for prompts: the dossier and the playbook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo.bequeath.heir import ends, innate
from bardo.consolidate import languages
from bardo.consolidate.pages.dossier import Dossier, Dossiers
from bardo.consolidate.pages.dossier_page import Order
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.consolidate.pages.playbook import Playbook, Playbooks, Version
from bardo.errors import StoreError
from bardo.grimoire.gate_reading import GateReading
from bardo.grimoire.session import Session
from bardo.ports import Progress, no_progress
from bardo.privacy.confided import tellers

if TYPE_CHECKING:
    from bardo.conduct.briefing import Prohibition
    from bardo.grimoire.erasure import ForgetReport


class PageWriter:
    """Compiles the pages and keeps their files up to date.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @locked_cached_property
    def dossiers(self) -> Dossiers:
        """Compiler of the dossier."""
        session = self._session
        return Dossiers(
            session.folder.dossier, session.facts, session.config.dossier, session.agent,
            dates=self._dates, days=self._named_days, threshold=session.config.decay.eviction_threshold,
            innate=lambda: innate.active(session.path), orders=self._orders, confided=partial(tellers, session.log),
        )  # fmt: skip

    @locked_cached_property
    def playbooks(self) -> Playbooks:
        """Writer of the playbook."""
        session = self._session
        return Playbooks(
            session.folder.playbook,
            session.folder.playbook_history,
            session.facts,
            session.config.playbook,
            agent=session.agent,
            dates=self._dates,
        )

    @property
    def _dates(self) -> FactDates:
        session = self._session
        return FactDates(session.log.get, session.moment, session.agent, ends.of(session.path))

    def _named_days(self, text: str, at: int) -> list[int]:
        settings = self._session.config.curator
        return languages.named_days(settings.language, text, at) if settings.texts else []

    @locked_cached_property
    def _prohibitions(self) -> GateReading[Sequence[Prohibition]]:
        from bardo.conduct.briefing import prohibitions

        session = self._session
        return session.closing(GateReading(session.path, session.facts, prohibitions, ()))

    def _orders(self) -> list[Order]:
        """Returns the prohibitions and approvals in force; a lost store of the gate is named on the page."""
        now = self._session.clock.now()
        try:
            found = self._prohibitions()
        except StoreError as error:
            return [Order("The state and rules of the gate cannot be read", str(error))]
        return [Order(each.text, each.remark, each.row.episode) for each in found if each.in_force(now)]

    def fresh_dossier(self) -> Dossier | None:
        """Returns the dossier if no fact is newer; None otherwise."""
        return self.dossiers.fresh(tick=self._session.now_tick, now=self._session.clock.now())

    def recompile(self, report: ForgetReport) -> None:
        """Recompiles the pages after a deletion.

        Args:
            report: Report of the deletion.
        """
        session = self._session
        taken = {session.folder.dossier.name, session.folder.playbook.name} & {
            *report.removed,
            *report.rewritten,
        }
        if taken and not session.is_dead:
            self.compile(at_once=True)

    def compile(self, *, at_once: bool) -> int:
        """Brings both pages up to date, as a pass of the Curator does.

        Args:
            at_once: Whether to compile without the debounce.

        Returns:
            Number of facts promoted into the playbook.
        """
        self.keep_dossier(at_once=at_once)
        session = self._session
        return len(self.playbooks.renew(tick=session.now_tick, now=session.clock.now()).promoted)

    def keep_dossier(self, *, at_once: bool) -> None:
        """Brings the dossier up to date.

        Args:
            at_once: Whether to compile without the debounce.
        """
        self.dossiers.compile_if_due(
            tick=self._session.now_tick, now=self._session.clock.now(), at_once=at_once
        )


class Pages:
    """The dossier and the playbook; `Grimoire.pages`.

    Args:
        session: Open memory.
        writer: Compiler of the pages.
    """

    def __init__(self, session: Session, writer: PageWriter) -> None:
        self._session = session
        self._writer = writer

    def dossier(self, *, progress: Progress = no_progress) -> Dossier:
        """Returns the dossier: a summary of the facts in fewer than 600 words, as in `DOSSIER.md`.

        Lists the prohibitions and approvals in force, then each fact in force once, by subject, the latest first, with
        its day: plans ahead, rules, inherited facts by ancestor, disputes with all sides in one line, facts that fade,
        facts that ended lately, running statistics and open questions. Omitted facts are counted. Recompiled if a fact
        is newer than the file, or a day that it announces has passed.

        Args:
            progress: Callback for the compilation.
        """
        session = self._session
        session.ready()
        return self._writer.dossiers.current(
            tick=session.now_tick, now=session.clock.now(), keep=not session.is_dead, progress=progress
        )

    def playbook(self, *, mode: str | None = None) -> Playbook:
        """Returns the playbook: the heuristics in use, with notes that people added, as in `PLAYBOOK.md`.

        A fact is promoted into it when at least 3 episodes support it, it holds on episodes other than its evidence, it
        has been known for 10 ticks, the outcomes of acting on it are positive on the whole (`outcome`), and its current
        confidence is at least .7. It is removed when one of these no longer holds. `facts.why` gives the rank of a
        fact. A line names the mode that all supporting episodes share. Of heuristics that say the same one is shown.

        Args:
            mode: Mode of the heuristics, including those without one, as in `recall`; the file is then not written. By
                default the heuristics of every mode, as in the file.
        """
        session = self._session
        session.ready()
        return self._writer.playbooks.renew(
            tick=session.now_tick, now=session.clock.now(), keep=not session.is_dead, mode=mode
        )

    def versions(self) -> list[Version]:
        """Lists the stored versions of the playbook, the latest first."""
        self._session.ready()
        return self._writer.playbooks.versions()
