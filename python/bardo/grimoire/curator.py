"""Curator on demand: replay, dreams, lint, gaps of knowledge, and calibration of confidences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.consolidate import curator, dream, lint, shadow
from bardo.consolidate.calibration import Calibration
from bardo.consolidate.dream import DreamComplete
from bardo.consolidate.lint import Gap, LintReport
from bardo.consolidate.replay import Policy, ReplayedEpisode, Replayer
from bardo.consolidate.shadow import ShadowReport
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import LAST_DREAM, Session
from bardo.ports import Progress, no_progress

if TYPE_CHECKING:
    from bardo import _core

#: Number of unanswered queries that a lint repeats: all that are stored.
ASKED_AGAIN = 64
#: Name of the log's watermark for the tick of the last lint.
_LAST_LINT = "lint.last_tick"
#: Number of memories searched for an answer to an open question.
ANSWERS = 10


class Replays:
    """Samples episodes for replay, and for dreams that start by themselves.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @locked_cached_property
    def replayer(self) -> Replayer:
        """Replayer, which holds the priorities of episodes."""
        session = self._session
        return Replayer(session.config.replay, session.log, session.facts)

    def reset(self) -> None:
        """Discards the priorities; the next sample reads them from the log."""
        vars(self).pop("replayer", None)

    def dream(self, until: Callable[[], bool]) -> bool:
        """Dreams while the memory is idle; returns whether the dream came to its end.

        Its proposals wait for the next pass, which gives them vectors and checks them.

        Args:
            until: Called after each replay; True gives the dream up, which proposes nothing.
        """
        session = self._session

        def give_up_if_woken(stage: str, done: int, total: int) -> None:
            if until():
                raise _WokenError

        try:
            report = _dream(session, self, session.config.dreams.rounds, progress=give_up_if_woken)
        except _WokenError:
            return False
        idle = f"it started by itself after {session.config.dreams.idle_minutes:g} idle minutes"
        session.emit(dataclasses.replace(report, notes=(*report.notes, idle)))
        return True


def _no_wakeup() -> bool:
    return False


class _WokenError(Exception):
    """Ends a dream that started by itself."""


class Curator:
    """Runs parts of the Curator on demand; `Grimoire.curator`.

    Args:
        session: Open memory.
        retrieval: Recall without side effects.
        replays: Sampler of episodes.
    """

    def __init__(self, session: Session, retrieval: Retrieval, replays: Replays) -> None:
        self._session = session
        self._retrieval = retrieval
        self._replays = replays

    @checked
    def replay(
        self, count: int = 32, *, policy: Policy = "prioritised", seed: int = 0
    ) -> list[ReplayedEpisode]:
        """Samples verified episodes, oldest first; the priority of an episode falls with each replay.

        Args:
            count: Number of different episodes; all if there are fewer.
            policy: "prioritised" by surprise and importance (Schaul et al., 2016), "utility" by the expected change
                times the similarity to recent episodes (Mattar and Daw, 2018), or "uniform".
            seed: Seed of the sample. The same seed on the same history gives the same sample.

        Returns:
            Episodes with their probability and importance weight; 70 % of them from the latest 1,024 (`config.replay`).

        Raises:
            InvalidInputError: The policy does not exist, or a number is out of its range.
        """
        session = self._session
        session.ready(write=True)
        replayed = self._replays.replayer.batch(count, policy=policy, seed=seed, tick=session.now_tick)
        session.hot.update_episodes([one.episode for one in replayed])
        return replayed

    @checked
    def dream(
        self,
        *,
        rounds: int | None = None,
        seed: int = 0,
        until: Callable[[], bool] = _no_wakeup,
        progress: Progress = no_progress,
    ) -> DreamComplete:
        """Replays episodes, proposes facts from them, and lets rules compete.

        A proposal is a fact of source `dream` with confidence .3. Only later episodes can confirm it, which makes it
        the agent's own knowledge. An unconfirmed proposal expires after 14 days. A dream is one transaction and one act
        for `journal.undo`.

        Args:
            rounds: Number of replays of 32 episodes, 1 to 128; 32 if not given.
            seed: Seed of the samples. The same seed on the same history gives the same dream.
            until: Called before each replay; True ends the replays, and the dream uses those made so far.
            progress: Callback for progress.

        Raises:
            InvalidInputError: A number is out of its range.
        """
        session = self._session
        session.ready(write=True)
        with session.idle.awake():
            report = _dream(
                session, self._replays, dream.ROUNDS if rounds is None else rounds, seed=seed, until=until,
                progress=progress,
            )  # fmt: skip
            session.indexer.embed_facts()
            held = check_quarantine(session, self._retrieval, shadow.BY_NIGHT)
        return session.emit(
            dataclasses.replace(
                report,
                facts_withdrawn=len(held.withdrawn),
                facts_held=held.held,
                acts=report.acts if held.act is None else (*report.acts, held.act),
                notes=(*report.notes, *held.notes),
            )
        )

    def lint(self, *, dry_run: bool = False, progress: Progress = no_progress) -> LintReport:
        """Lints the latest 200 facts, if there are 5 or more: one act, which `journal.undo` takes back.

        Merges duplicates. Moves unimportant facts that were neither reinforced nor retrieved for 60 days to the cold
        tier. Gives facts without a category that of their nearest neighbours. Links contradicting facts. Pinned facts
        are not changed. A pass of the Curator does this once a day (`config.lint.every_days`), and at the death.

        Args:
            dry_run: Whether to report the changes without making them: `changes` has every fact before and after.
            progress: Callback for progress.
        """
        session = self._session
        session.ready(write=not dry_run)
        if not dry_run and (asked := session.facts.unanswered_questions(ASKED_AGAIN)):
            session.facts.answer(
                [question for question, inherited in asked if self._knows(question, of_own=inherited)]
            )
        report = lint.run(
            session.facts, session.config.lint, tick=session.now_tick, now=session.clock.now(),
            ticks_per_day=session.ticks.per_day, dry_run=dry_run, progress=progress,
        )  # fmt: skip
        if not dry_run:
            session.log.set_watermark(_LAST_LINT, session.now_tick)
            session.hot.sync_facts(session.facts)
            session.emit(report)
        return report

    def gaps(self) -> list[Gap]:
        """Lists the open questions of the agent, at most 10, as of the last lint.

        The questions are of four kinds: which of two contradicting facts holds; what is known of a name that memories
        mention often and no fact covers; whether a heuristic without an outcome helps; and each query of at most 256
        bytes, without conditions, that `recall` answered with nothing at least twice. A question found at two ticks is
        confirmed and stays until it is answered. At most 20 inherited questions follow (`Gap.inherited`), which stay
        until a lint finds an answer in the agent's own knowledge.
        """
        self._session.ready()
        return lint.gaps(self._session.facts)

    def calibration(self) -> Calibration:
        """Compares confidences with the frequency at which facts of such confidence held.

        Every `outcome` is counted under the confidence that its facts had before it. `of(confidence)` of the result is
        the calibrated confidence: a frequency, close to the confidence itself while there are few outcomes.
        """
        self._session.ready()
        counted = self._session.facts.calibration()
        return Calibration(counted, tuple(counted.bins), counted.outcomes, counted.squares)

    def _knows(self, question: str, *, of_own: bool) -> bool:
        found = self._retrieval.recall_without_trace(question, ANSWERS, ())
        return any(not (of_own and memory.inherited) for memory in found)


def _dream(
    session: Session,
    replays: Replays,
    rounds: int,
    *,
    seed: int = 0,
    until: Callable[[], bool] = _no_wakeup,
    progress: Progress = no_progress,
) -> DreamComplete:
    lived = session.log.stats()["last_verification"]
    report = dream.run(
        core_curator(session), session.log, replays.replayer, rounds=rounds, seed=seed, tick=session.ticks.now(),
        now=session.clock.now(), until=until, progress=progress,
    )  # fmt: skip
    session.log.set_watermark(LAST_DREAM, lived)
    return report


def check_quarantine(session: Session, retrieval: Retrieval, most: int) -> ShadowReport:
    """Checks the quarantined facts, oldest first; the report names those released without a check.

    Args:
        session: Open memory.
        retrieval: Recall with and without each of them.
        most: Maximum number of facts.
    """
    unable = "curator.shadow is off" if not session.config.curator.shadow else "; ".join(session.models.notes)
    session.hot.sync_facts(session.facts)
    if unable:
        done = shadow.release(session.facts, unable, tick=session.now_tick, now=session.clock.now())
    else:
        done = shadow.check(
            session.facts,
            retrieval.recall_without_trace,
            most=most,
            tick=session.now_tick,
            now=session.clock.now(),
        )
    session.hot.sync_facts(session.facts)
    return done


def core_curator(session: Session) -> _core.Curator:
    """Makes the core's Curator from the current settings; made per use, since the ticks in a day may change.

    Args:
        session: Open memory.
    """
    return curator.curator_of(
        session.facts, session.config.curator, session.config.replay, ticks_per_day=session.ticks.per_day,
        eviction_threshold=session.config.decay.eviction_threshold, seconds=session.ticks.seconds,
    )  # fmt: skip


def is_lint_due(session: Session) -> bool:
    """Whether the next lint is due: once a day of the clock, and in the last consolidation of a life.

    Args:
        session: Open memory.
    """
    every = session.config.lint.every_days * session.ticks.per_day
    is_last = session.death is not None and session.death.is_closed
    return bool(every) and (is_last or not 0 <= session.now_tick - session.log.watermark(_LAST_LINT) < every)
