"""Pages compiled from facts for people and for prompts: the dossier and the playbook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo.consolidate.dossier import Dossier, Dossiers
from bardo.consolidate.playbook import Playbook, Playbooks, Version
from bardo.grimoire.session import Session
from bardo.ports import Progress, no_progress

if TYPE_CHECKING:
    from bardo.grimoire.erasure import ForgetReport


class PageWriter:
    """Compiles the pages and keeps their files up to date.

    Args:
        session: The open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @locked_cached_property
    def dossiers(self) -> Dossiers:
        """Compiles the dossier."""
        session = self._session
        return Dossiers(session.folder.dossier, session.facts, session.config.dossier, session.agent)

    @locked_cached_property
    def playbooks(self) -> Playbooks:
        """Writes the playbook."""
        session = self._session
        return Playbooks(
            session.folder.playbook,
            session.folder.playbook_history,
            session.facts,
            session.config.playbook,
            session.agent,
        )

    def fresh_dossier(self) -> Dossier | None:
        """The dossier if no fact is newer; None otherwise."""
        return self.dossiers.fresh(tick=self._session.now_tick)

    def recompile(self, report: ForgetReport) -> None:
        """Compiles again what a deletion took away.

        Args:
            report: Of the deletion.
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
            at_once: Whether to do so although they were compiled a moment ago.

        Returns:
            How many facts rose into the playbook.
        """
        self.keep_dossier(at_once=at_once)
        return len(self.playbooks.renew(tick=self._session.now_tick).promoted)

    def keep_dossier(self, *, at_once: bool) -> None:
        """Brings the dossier up to date.

        Args:
            at_once: Whether to do so although it was compiled a moment ago.
        """
        self.dossiers.compile_if_due(
            tick=self._session.now_tick, now=self._session.clock.now(), at_once=at_once
        )


class Pages:
    """The dossier and the playbook; `Grimoire.pages`.

    Args:
        session: The open memory.
        writer: Compiles them.
    """

    def __init__(self, session: Session, writer: PageWriter) -> None:
        self._session = session
        self._writer = writer

    def dossier(self, *, progress: Progress = no_progress) -> Dossier:
        """All that is known on one page of fewer than 600 words, as in `DOSSIER.md`.

        Facts in force by category, with an index, cross references and how sure each is. Of two that contradict each
        other the stronger stands; omitted facts are counted. Compiled again if a fact is newer than the file.

        Args:
            progress: Told when it is compiled.
        """
        session = self._session
        session.ready()
        return self._writer.dossiers.current(
            tick=session.now_tick, now=session.clock.now(), keep=not session.is_dead, progress=progress
        )

    def playbook(self, *, mode: str | None = None) -> Playbook:
        """The heuristics that are acted by, and what people wrote beside them, as in `PLAYBOOK.md`.

        A fact rises into it when at least 3 episodes support it, it holds on episodes that it was not made from, it has
        been known for 10 ticks, acting on it did good on the whole (`outcome`), and it is as sure as .7 today. It
        leaves when one of these no longer holds. `facts.why` says how far a fact has risen. A line names the mode that
        all episodes behind its fact have in common.

        Args:
            mode: Only this posture and what has none, as in `recall`; the file is then not written. By default the
                heuristics of every posture, as in the file.
        """
        session = self._session
        session.ready()
        return self._writer.playbooks.renew(tick=session.now_tick, keep=not session.is_dead, mode=mode)

    def versions(self) -> list[Version]:
        """The versions of the playbook that are kept, the latest first."""
        self._session.ready()
        return self._writer.playbooks.versions()
