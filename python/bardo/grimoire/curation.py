"""The verbs of the Curator: ticks, sleep, dreams and replay; what facts are compiled into; extraction and its costs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo._lazy import dataclasses, modules, once
from bardo._validation import checked
from bardo.config import MONTH_DAYS
from bardo.grimoire.session import Opened
from bardo.index.indexer import NAMES_AT_ONCE
from bardo.model import NEUTRAL
from bardo.ports import LLM, Embedder, Progress, quiet

if TYPE_CHECKING:
    from bardo._core import Curator
    from bardo.bequeath import lineage
    from bardo.capture import archive
    from bardo.consolidate import (
        asking,
        curator,
        dossier,
        dream,
        extract,
        lint,
        playbook,
        reconcile,
        replay,
        shadow,
    )
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.consolidate.dossier import Dossier, Dossiers
    from bardo.consolidate.dream import DreamComplete
    from bardo.consolidate.extract import Extractor
    from bardo.consolidate.lint import Gap, LintReport
    from bardo.consolidate.playbook import Playbook, Playbooks, Version
    from bardo.consolidate.replay import Policy, Replayed, Replayer
    from bardo.consolidate.shadow import Shadowed
    from bardo.grimoire.erasure import ForgetReport
    from bardo.language import advisor, client, ledger
    from bardo.language.advisor import Advisor
    from bardo.language.ledger import Costs, Ledger
    from bardo.recall import filters
    from bardo.recall.recollection import Recollection
    from bardo.recall.retriever import Factors
else:
    advisor, client, ledger, asking, extract, reconcile = modules(
        "language.advisor", "language.client", "language.ledger", "consolidate.asking", "consolidate.extract",
        "consolidate.reconcile",
    )  # fmt: skip
    dossier, lint, playbook = modules("consolidate.dossier", "consolidate.lint", "consolidate.playbook")
    archive, curator, dream, replay, shadow, lineage, filters = modules(
        "capture.archive", "consolidate.curator", "consolidate.dream", "consolidate.replay", "consolidate.shadow",
        "bequeath.lineage", "recall.filters",
    )  # fmt: skip

#: Questions asked in vain that a lint asks again: all that are kept.
ASKED_AGAIN = 64
#: Name under which the log keeps when facts were last put in order.
_LAST_LINT = "lint.last_tick"
#: Name under which the log keeps when the Curator last ran.
LAST_PASS = "curator.last_tick"
#: Batches of episodes that a pass between two actions appends to LanceDB at most: the agent waits for them.
BATCHES_OF_A_TICK = 4
#: Memories among which an answer to an open question is looked for.
ANSWERS = 10


class Texts(Opened):
    """What a `Grimoire` does with the texts of its episodes; what it asks of a language model goes through a ledger."""

    #: A model of the caller's own; that of the settings if None.
    _llm: LLM | None

    @once
    def _ledger(self) -> Ledger:
        """Every call."""
        return ledger.Ledger(self.path)

    @once
    def _advisor(self) -> Advisor | None:
        """Asks the model; None where none is configured."""
        settings = self.config.llm
        if self._llm is None and not settings.model:
            return None
        return advisor.Advisor(
            self._llm or client.OpenAIClient(settings), self._ledger, settings, clock=self._clock,
            tick=self._ticks.now,
        )  # fmt: skip

    @once
    def _extractor(self) -> Extractor:
        """Reads episodes for facts."""
        asked = self._advisor
        return extract.Extractor(
            self._log, self._facts, self._upkeep.vectors_of, agent=self.agent, batch=self.config.curator.batch,
            learning=self._upkeep.learning, hold=self.config.curator.shadow,
            asker=asking.Asker(asked, self._facts, self.agent) if asked else None,
            reconciler=reconcile.Reconciler(asked, self._facts) if asked else None,
        )  # fmt: skip

    @checked
    def costs(self, *, days: int = MONTH_DAYS) -> Costs:
        """What language models have cost: calls, tokens, money by your price table, latency, and how calls ended.

        Args:
            days: How far to look back, in days of 24 hours.
        """
        self._ready()
        now = self._clock.now()
        # A text times a number is a very long text.
        since = max(0, now - index(days) * ledger.MICROS_PER_DAY)
        kept = self._ledger
        return ledger.Costs(since, kept.tokens_of_day(now), self.config.llm.daily_tokens, kept.spent(since))


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


def _never() -> bool:
    return False


class Consolidating(Compiled, Texts):
    """What a `Grimoire` does while time passes."""

    #: Tick of the last pass.
    _last_pass: int

    @once
    def _replayer(self) -> Replayer:
        """Draws episodes that are worth another look."""
        return replay.Replayer(self.config.replay, self._log, self._facts)

    @property
    def _curator(self) -> Curator:
        """Consolidates facts by the settings in force; how many ticks make a day may come to be known late."""
        return curator.curator_of(
            self._facts, self.config.curator, ticks_per_day=self._ticks.per_day,
            eviction_threshold=self.config.decay.eviction_threshold,
        )  # fmt: skip

    @abstractmethod
    def drain_inbox(self) -> int:
        """Takes over the episodes that other processes dropped meanwhile."""

    @abstractmethod
    def _ask(self, embedder: Embedder, factors: Factors | None, asked: Mapping[str, Any]) -> Recollection: ...

    def tick(self, now: SupportsIndex) -> CuratorCycleComplete | None:
        """Moves logical time on and runs what is due.

        Args:
            now: The new tick.

        Returns:
            What the Curator did, if a pass was due.
        """
        self._ready(write=True)
        stamp = self._ticks.stamp(now)
        self._ticks.seen(stamp, own=True)
        self._stores.note_unit()
        if stamp - self._last_pass < self.config.curator.every_ticks:
            self._keep_dossier(at_once=False)
            return None
        return self._curate(flush=False)

    def sleep(self, *, dry_run: bool = False, progress: Progress = quiet) -> CuratorCycleComplete:
        """Consolidates everything that is verified, embeds what is not, and brings LanceDB up to date.

        Where the embedding model is out of reach, what needs it waits for the next pass, and the report's `notes` say
        so.

        Args:
            dry_run: Only say what consolidating would do: `changes` of the report has every fact before and after.
            progress: Told how far it has come.

        Returns:
            What was done, summed over the passes.
        """
        self._ready(write=not dry_run)
        if dry_run:
            return curator.rehearse(
                self._curator, self._log, tick=self.now_tick, now=self._clock.now(),
                extractor=self._extractor if self.config.curator.texts else None,
            )  # fmt: skip
        self.drain_inbox()
        return self._curate(flush=True, progress=progress)

    @checked
    def replay(self, count: int = 32, *, policy: Policy = "prioritised", seed: int = 0) -> list[Replayed]:
        """Verified episodes that are worth another look, oldest first; their priority falls with each look.

        Args:
            count: How many different ones; all if there are fewer.
            policy: "prioritised" by surprise and importance (Schaul et al., 2016), "utility" by what another look would
                change, times how alike it is to what was met lately (Mattar and Daw, 2018), or "uniform".
            seed: Of the draw. The same seed on the same history draws the same.

        Returns:
            Episodes with their probability and importance weight; 70 % of them from the latest 1,024 (`config.replay`).

        Raises:
            InvalidInputError: The policy does not exist, or a number is out of its range.
        """
        self._ready(write=True)
        replayed = self._replayer.batch(count, policy=policy, seed=seed, tick=self.now_tick)
        self._hot.update_episodes([one.episode for one in replayed])
        return replayed

    @checked
    def dream(
        self,
        *,
        rounds: int | None = None,
        seed: int = 0,
        until: Callable[[], bool] = _never,
        progress: Progress = quiet,
    ) -> DreamComplete:
        """Replays episodes, proposes what they may mean, and lets rules compete (spec 3).

        A proposal is a fact of source `dream` at .3; only episodes that come later can bear it out, and make it the
        agent's own knowledge. What none bears out expires after 14 days. It is one transaction, an act that `undo`
        takes back.

        Args:
            rounds: Replays of 32 episodes, 1 to 128; 32 if not given.
            seed: Of the draws. The same seed on the same history dreams the same.
            until: Asked before each replay whether to wake up; what was replayed by then is dreamt of.
            progress: Told how far it has come.

        Raises:
            InvalidInputError: A number is out of its range.
        """
        self._ready(write=True)
        report = dream.run(
            self._curator, self._log, self._replayer,
            rounds=dream.ROUNDS if rounds is None else rounds, seed=seed, tick=self._ticks.now(),
            now=self._clock.now(), until=until, progress=progress,
        )  # fmt: skip
        self._upkeep.embed_facts()
        held = self._check_held(shadow.BY_NIGHT)
        return self._emit(
            dataclasses.replace(
                report,
                facts_withdrawn=len(held.withdrawn),
                facts_held=held.held,
                acts=report.acts if held.act is None else (*report.acts, held.act),
                notes=(*report.notes, *held.notes),
            )
        )

    def _quietly(self, query: str, limit: int, trying: Sequence[str] | None) -> Recollection:
        """Recalls without leaving a trace: episodes, and facts if held ones are to be tried beside those in force."""
        seen = filters.Filters(layers=("episode",)) if trying is None else filters.Filters(trying=trying)
        return self._models.steadily(
            self._ask, None,
            {
                "query": query, "limit": limit, "now_tick": self._ticks.now(), "now": self._clock.now(),
                "filters": seen, "pad": NEUTRAL,
            },
        )  # fmt: skip

    def _knows(self, question: str, *, of_own: bool) -> bool:
        found = self._quietly(question, ANSWERS, ())
        return any(not (of_own and memory.inherited) for memory in found)

    def _check_held(self, most: int) -> Shadowed:
        """Tries what was inferred and is held, the oldest first; what goes live without a check is told."""
        unable = "curator.shadow is off" if not self.config.curator.shadow else "; ".join(self._models.notes)
        self._hot.sync_facts(self._facts)
        if unable:
            done = shadow.release(self._facts, unable, tick=self.now_tick)
        else:
            done = shadow.check(
                self._facts, self._quietly, most=most, tick=self.now_tick, now=self._clock.now()
            )
        self._hot.sync_facts(self._facts)
        return done

    def _curate(self, *, flush: bool, progress: Progress = quiet) -> CuratorCycleComplete:
        tick = self.now_tick
        embedded = self._embed(progress)
        self._models.watch()
        self._moved(self._models.move_on())
        report = curator.run(
            self._curator, self._log, batch=self.config.curator.batch, tick=tick, now=self._clock.now(),
            until_done=flush, progress=progress,
            extractor=self._extractor if self.config.curator.texts else None,
        )  # fmt: skip
        embedded += self._upkeep.embed_facts()
        self._upkeep.read_names(least=1 if flush else NAMES_AT_ONCE)
        held = self._check_held(shadow.BY_NIGHT if flush else shadow.BY_DAY)
        if report.confirmed or report.refuted:
            self._note_trials(report)
        linted = self._lint_if_due()
        promoted = self._compile(at_once=flush)
        self._last_pass = tick
        self._log.set_watermark(LAST_PASS, tick)
        archived, days = 0, 0
        waiting: tuple[str, ...] = ()
        undated: list[str] = []
        if flush or self._upkeep.missing_in_archive() >= self.config.archive.batch:
            # A table that is not there yet is made for the model's vectors, and waits for the model.
            most = None if flush else BATCHES_OF_A_TICK
            archived = self._upkeep.unless_out(lambda: self._upkeep.sync_archive(batches=most), 0)
            if missing := self._upkeep.missing_in_archive():
                waiting = (f"{missing} episodes are not in LanceDB yet: the next pass appends them",)
            self._upkeep.cool()
        if flush:
            self._upkeep.tidy()
            with self._upkeep.held():
                self._stores.snapshot.save_if_due()
            if self.config.archive.days:
                days = len(
                    archive.write_days(
                        self._log, self._folder.archive, self._clock.now(), tell=undated.append
                    )
                )
        done = dataclasses.replace(
            report,
            embedded=embedded,
            archived=archived,
            days=days,
            acts=report.acts if held.act is None else (*report.acts, held.act),
            facts_withdrawn=len(held.withdrawn),
            facts_held=held.held,
            facts_unchecked=held.unchecked,
            notes=(
                *self._ticks.notes,
                *report.notes,
                *held.notes,
                *waiting,
                *undated,
                *self._models.notes,
                *self._models.refusals,
            ),
            entries_promoted=promoted,
            linted=linted,
        )
        return self._emit(done)

    def _note_trials(self, report: CuratorCycleComplete) -> None:
        family = lineage.Lineage.load(self.path)
        if family:
            family.tried(confirmed=report.facts_confirmed, refuted=report.facts_refuted).save(self.path)
