"""The verbs of time: ticks, sleep, dreams and replay, in which what was lived becomes what is known."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from bardo.arguments import checked
from bardo.compiled import Compiled
from bardo.index.upkeep import NAMES_AT_ONCE
from bardo.lazily import dataclasses, modules, once
from bardo.model import NEUTRAL
from bardo.ports import Embedder, Progress, quiet
from bardo.texts import Texts

if TYPE_CHECKING:
    from bardo._core import Curator
    from bardo.bequeath import lineage
    from bardo.capture import archive
    from bardo.consolidate import curator, dream, replay, shadow
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.consolidate.dream import DreamComplete
    from bardo.consolidate.replay import Policy, Replayed, Replayer
    from bardo.consolidate.shadow import Shadowed
    from bardo.recall import filters
    from bardo.recall.found import Recollection
    from bardo.recall.retriever import Factors
else:
    archive, curator, dream, replay, shadow, lineage, filters = modules(
        "capture.archive", "consolidate.curator", "consolidate.dream", "consolidate.replay", "consolidate.shadow",
        "bequeath.lineage", "recall.filters",
    )  # fmt: skip

#: Name under which the log keeps when the Curator last ran.
LAST_PASS = "curator.last_tick"
#: Batches of episodes that a pass between two actions appends to LanceDB at most: the agent waits for them.
BATCHES_OF_A_TICK = 4
#: Memories among which an answer to an open question is looked for.
ANSWERS = 10


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
