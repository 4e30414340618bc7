"""The verbs about what facts are compiled into, and how they are kept in order: dossier, playbook, lint."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from bardo.lazily import modules, once
from bardo.opened import Opened
from bardo.ports import Progress, quiet

if TYPE_CHECKING:
    from bardo.consolidate import dossier, lint, playbook
    from bardo.consolidate.dossier import Dossier, Dossiers
    from bardo.consolidate.lint import Gap, LintReport
    from bardo.consolidate.playbook import Playbook, Playbooks, Version
    from bardo.erasure import ForgetReport
else:
    dossier, lint, playbook = modules("consolidate.dossier", "consolidate.lint", "consolidate.playbook")

#: Questions asked in vain that a lint asks again: all that are kept.
ASKED_AGAIN = 64
#: Name under which the log keeps when facts were last put in order.
_LAST_LINT = "lint.last_tick"


class Compiled(Opened):
    """What a `Grimoire` makes of its facts for people and for prompts."""

    @once
    def _dossiers(self) -> Dossiers:
        """Compiles the dossier."""
        return dossier.Dossiers(self._folder.dossier, self._facts, self.config.dossier, self.agent)

    @once
    def _playbooks(self) -> Playbooks:
        """Writes the playbook."""
        return playbook.Playbooks(
            self._folder.playbook,
            self._folder.playbook_history,
            self._facts,
            self.config.playbook,
            self.agent,
        )

    def dossier(self, *, progress: Progress = quiet) -> Dossier:
        """All that is known on one page of fewer than 600 words, as in `DOSSIER.md`.

        Facts in force by category, with an index, cross references and how sure each is. Of two that contradict each
        other the stronger stands; what is left out is counted. Compiled again if a fact is newer than the file.

        Args:
            progress: Told when it is compiled.
        """
        self._ready()
        return self._dossiers.current(
            tick=self.now_tick, now=self._clock.now(), keep=not self.is_dead, progress=progress
        )

    def playbook(self, *, mode: str | None = None) -> Playbook:
        """The heuristics that are acted by, and what people wrote beside them, as in `PLAYBOOK.md`.

        A fact rises into it when at least 3 episodes support it, it holds on episodes that it was not made from, it has
        been known for 10 ticks, acting on it did good on the whole (`outcome`), and it is as sure as .7 today. It
        leaves when one of these no longer holds. `why` says how far a fact has risen. A line names the mode that all
        episodes behind its fact have in common.

        Args:
            mode: Only this posture and what has none, as in `recall`; the file is then not written. By default the
                heuristics of every posture, as in the file.
        """
        self._ready()
        return self._playbooks.renew(tick=self.now_tick, keep=not self.is_dead, mode=mode)

    def playbook_versions(self) -> list[Version]:
        """The versions of the playbook that are kept, the latest first."""
        self._ready()
        return self._playbooks.versions()

    def lint(self, *, dry_run: bool = False, progress: Progress = quiet) -> LintReport:
        """Puts the latest 200 facts in order, if there are 5 or more: one act, which `undo` takes back.

        Duplicates become one; what is unimportant and was neither renewed nor looked at for 60 days leaves for the cold
        tier; what is filed nowhere is filed with its nearest neighbours; what speaks against each other is linked. What
        is pinned is not touched. A pass of the Curator does this once a day (`config.lint.every_days`).

        Args:
            dry_run: Only say what would be done: `changes` of the report has every fact before and after.
            progress: Told how far it has come.
        """
        self._ready(write=not dry_run)
        if not dry_run and (asked := self._facts.asked_in_vain(ASKED_AGAIN)):
            self._facts.answer(
                [question for question, inherited in asked if self._knows(question, of_own=inherited)]
            )
        report = lint.run(
            self._facts, self.config.lint, tick=self.now_tick, now=self._clock.now(),
            ticks_per_day=self._ticks.per_day, dry_run=dry_run, progress=progress,
        )  # fmt: skip
        if not dry_run:
            self._log.set_watermark(_LAST_LINT, self.now_tick)
            self._hot.sync_facts(self._facts)
            self._emit(report)
        return report

    def gaps(self) -> list[Gap]:
        """What the agent does not know and could ask: at most 10 open questions, as the last lint found them.

        Which of two contradicting facts holds; what is known of what memories name often and no fact speaks of; whether
        a heuristic helps that nobody told an outcome of; and what `recall` was asked at least twice (in at most 256
        bytes, without conditions) and found nothing for. A question that is found at two ticks is confirmed: it is kept
        until it is answered. After these stand at most 20 questions that came with testaments (`Gap.inherited`): they
        are kept until a lint finds them answered by what the agent learned itself.
        """
        self._ready()
        return lint.gaps(self._facts)

    @abstractmethod
    def _knows(self, question: str, *, of_own: bool) -> bool:
        """Whether a memory answers a question; asking leaves no trace.

        Args:
            question: In words.
            of_own: Whether a memory that was inherited, as the question was, is no answer.
        """

    def _lint_if_due(self) -> int:
        """Does what is to be done daily; how many things were done."""
        every = self.config.lint.every_days * self._ticks.per_day
        if not every or 0 <= self.now_tick - self._log.watermark(_LAST_LINT) < every:
            return 0
        return self.lint().actions

    def _fresh_dossier(self) -> Dossier | None:
        return self._dossiers.fresh(tick=self.now_tick)

    def _recompile(self, report: ForgetReport) -> None:
        """Makes again what a deletion took away."""
        taken = {self._folder.dossier.name, self._folder.playbook.name} & {*report.removed, *report.rewritten}
        if taken and not self.is_dead:
            self._compile(at_once=True)

    def _compile(self, *, at_once: bool) -> int:
        """Brings what is compiled up to date, as a pass of the Curator does; how many facts rose into the playbook."""
        self._keep_dossier(at_once=at_once)
        return len(self._playbooks.renew(tick=self.now_tick).promoted)

    def _keep_dossier(self, *, at_once: bool) -> None:
        self._dossiers.keep_up(tick=self.now_tick, now=self._clock.now(), at_once=at_once)
