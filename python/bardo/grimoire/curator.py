"""The Curator's own verbs: replay, dreams, lint, the gaps in what is known, and how far confidences can be trusted."""

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
from bardo.grimoire.session import Session
from bardo.ports import Progress, no_progress

if TYPE_CHECKING:
    from bardo import _core

#: Questions asked in vain that a lint asks again: all that are kept.
ASKED_AGAIN = 64
#: Name under which the log keeps when facts were last put in order.
_LAST_LINT = "lint.last_tick"
#: Memories among which an answer to an open question is looked for.
ANSWERS = 10


class Replays:
    """Draws episodes that are worth another look.

    Args:
        session: The open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @locked_cached_property
    def replayer(self) -> Replayer:
        """Keeps the priorities of episodes."""
        session = self._session
        return Replayer(session.config.replay, session.log, session.facts)

    def reset(self) -> None:
        """Forgets the priorities: the next draw reads them from the log again."""
        vars(self).pop("replayer", None)


def _no_wakeup() -> bool:
    return False


class Curator:
    """Runs parts of the Curator on demand; `Grimoire.curator`.

    Args:
        session: The open memory.
        retrieval: Recalls without leaving a trace.
        replays: Draws episodes.
    """

    def __init__(self, session: Session, retrieval: Retrieval, replays: Replays) -> None:
        self._session = session
        self._retrieval = retrieval
        self._replays = replays

    @checked
    def replay(
        self, count: int = 32, *, policy: Policy = "prioritised", seed: int = 0
    ) -> list[ReplayedEpisode]:
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
        """Replays episodes, proposes what they may mean, and lets rules compete.

        A proposal is a fact of source `dream` at .3; only episodes that come later can bear it out, and make it the
        agent's own knowledge. What none bears out expires after 14 days. It is one transaction, an act that
        `journal.undo` takes back.

        Args:
            rounds: Replays of 32 episodes, 1 to 128; 32 if not given.
            seed: Of the draws. The same seed on the same history dreams the same.
            until: Asked before each replay whether to wake up; what was replayed by then is dreamt of.
            progress: Told how far it has come.

        Raises:
            InvalidInputError: A number is out of its range.
        """
        session = self._session
        session.ready(write=True)
        report = dream.run(
            core_curator(session), session.log, self._replays.replayer,
            rounds=dream.ROUNDS if rounds is None else rounds, seed=seed, tick=session.ticks.now(),
            now=session.clock.now(), until=until, progress=progress,
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
        """Puts the latest 200 facts in order, if there are 5 or more: one act, which `journal.undo` takes back.

        Duplicates become one; what is unimportant and was neither renewed nor looked at for 60 days leaves for the cold
        tier; what is filed nowhere is filed with its nearest neighbours; what speaks against each other is linked. What
        is pinned is not touched. A pass of the Curator does this once a day (`config.lint.every_days`).

        Args:
            dry_run: Only say what would be done: `changes` of the report has every fact before and after.
            progress: Told how far it has come.
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
        """Lists the open questions of the agent, at most 10, as the last lint found them.

        Which of two contradicting facts holds; what is known of what memories name often and no fact speaks of; whether
        a heuristic without an outcome helps; and each query that `recall` was asked at least twice (in at most 256
        bytes, without conditions) and found nothing for. A question that is found at two ticks is confirmed: it is kept
        until it is answered. After these stand at most 20 questions that came with testaments (`Gap.inherited`): they
        are kept until a lint finds them answered by what the agent learned itself.
        """
        self._session.ready()
        return lint.gaps(self._session.facts)

    def calibration(self) -> Calibration:
        """Whether confidences mean what they say: how often facts held that were about so sure.

        Every `outcome` is counted under the confidence that its facts had before it. `of(confidence)` of the answer is
        what a confidence is worth: a frequency, near the confidence itself while little was seen.
        """
        self._session.ready()
        counted = self._session.facts.calibration()
        return Calibration(counted, tuple(counted.bins), counted.outcomes, counted.squares)

    def _knows(self, question: str, *, of_own: bool) -> bool:
        found = self._retrieval.recall_without_trace(question, ANSWERS, ())
        return any(not (of_own and memory.inherited) for memory in found)


def check_quarantine(session: Session, retrieval: Retrieval, most: int) -> ShadowReport:
    """Tries the quarantined facts, the oldest first; the report says which were released without a check.

    Args:
        session: The open memory.
        retrieval: Recalls with and without each of them.
        most: Facts at most.
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
    """Consolidates facts by the settings in force; how many ticks make a day may come to be known late.

    Args:
        session: The open memory.
    """
    return curator.curator_of(
        session.facts, session.config.curator, ticks_per_day=session.ticks.per_day,
        eviction_threshold=session.config.decay.eviction_threshold,
    )  # fmt: skip


def is_lint_due(session: Session) -> bool:
    """Whether the facts are to be put in order again.

    Args:
        session: The open memory.
    """
    every = session.config.lint.every_days * session.ticks.per_day
    return bool(every) and not 0 <= session.now_tick - session.log.watermark(_LAST_LINT) < every
