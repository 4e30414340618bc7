"""The Curator, and what is compiled of facts."""

import builtins
from collections.abc import Sequence
from typing import Literal, final

from bardo._core._capture import EpisodeLog
from bardo._core._facts import Digest, FactStore
from bardo.model import Episode, Fact

#: Number of earlier outcomes of one name and kind of episode below which none is a severe failure.
LEAST_OUTCOMES: int

def severe_deviations(earlier: int) -> float:
    """Returns the median absolute deviations below the median from which an outcome is severe.

    One of 4,300 Gaussian outcomes lies beyond them, whose deviation so many earlier ones estimate.

    Args:
        earlier: Number of earlier outcomes.
    """

@final
class Calibration:
    """Calibration of confidences by outcomes.

    Attributes:
        bins: Outcomes, and how many of them were good, of the facts in each of 20 equal parts of the confidence 0..1;
            halved every 512 outcomes, so that the latest count most.
        squares: Sum over all outcomes of `(confidence - outcome)**2`, the outcome being 1 or 0.
        outcomes: How many there were.
    """

    bins: list[tuple[int, int]]
    squares: float
    outcomes: int

    def of(self, confidence: float) -> float:
        """How often facts of this confidence hold, 0..1 (isotonic; near the confidence where little was seen)."""

@final
class DreamReport:
    """Report of a dream.

    Attributes:
        replayed: Different episodes.
        estimates: Numbers that were estimated again.
        shifts: Ids of proposals: numbers that may have shifted.
        links: Ids of proposals: events that may follow each other through a third.
        rules: Ids of proposals: rules with another threshold.
        retired: Ids of rules that a better one replaced.
        act: Its number in the journal; None if no fact was touched.
    """

    replayed: int
    estimates: int
    shifts: list[str]
    links: list[str]
    rules: list[str]
    retired: list[str]
    act: int | None

@final
class Curator:
    """Consolidates the facts of one agent: passes, rehearsals of passes, and dreams.

    Args:
        facts: What is known.
        minimum: Episodes behind a baseline before it is stated as a fact; None for 3.
        confirm_minimum: Own observations before an inherited baseline is confirmed or refuted; None for 30.
        expiry_ticks: Ticks after which what is contradicted, or was dreamt, expires; None for 14 days of 1,440 loops.
        outcomes: Paths (or their last parts) of numbers that say how something ended; None for the usual names.
        eviction_threshold: Confidence below which a fact is archived; None for .05.
        capacity: Facts in force at most, pinned ones aside; None for 16,384.
        replay: Earlier episodes that a search for rules reads again; None for 768.
        hold: Whether what comes into being, running statistics aside, is held until `FactStore.release`.
        look_back: Share of old episodes in a pass, read again to test rules that were told; None for .3.
        surprise: Part of the priority of an old episode that is surprise; None for .5.
        alpha: How much priorities matter; None for .6.
        seconds: Offset of ticks from the seconds of the epoch: an episode has the tick of its observation, if that is
            earlier; None where ticks are loops, which have no times.
    """

    def __new__(
        cls,
        facts: FactStore,
        *,
        minimum: int | None = None,
        confirm_minimum: int | None = None,
        expiry_ticks: int | None = None,
        outcomes: Sequence[str] | None = None,
        eviction_threshold: float | None = None,
        capacity: int | None = None,
        replay: int | None = None,
        hold: bool = False,
        look_back: float | None = None,
        surprise: float | None = None,
        alpha: float | None = None,
        seconds: int | None = None,
    ) -> Curator: ...
    def consolidate(self, log: EpisodeLog, *, batch: int = 256, tick: int, now: int) -> CuratorReport:
        """One Curator pass over at most `batch` verified episodes that were not counted yet.

        Facts, baselines and the watermark change in one transaction: a pass that is killed at any point has not
        happened, and no episode counts twice.

        Args:
            log: The agent's own episodes.
            batch: Episodes at most.
            tick: Logical time.
            now: Microseconds UTC.

        Raises:
            StoreDamagedError: The log ends before the watermark: it was replaced or rolled back.
            InvalidInputError: The log is another agent's.
        """

    def rehearse(
        self, log: EpisodeLog, *, batch: int, tick: int, now: int
    ) -> tuple[CuratorReport, builtins.list[tuple[Fact | None, Fact]]]:
        """Dry run of `consolidate`: its report, and every fact it would write, before and after."""

    def dream(self, log: EpisodeLog, replayed: Sequence[str], *, tick: int, now: int) -> DreamReport:
        """Proposes what replayed episodes may mean, and lets rules compete, in one transaction.

        Args:
            log: The agent's own episodes.
            replayed: Ids of at most 4,096 episodes; those that are not verified are left out.
            tick: Logical time.
            now: Microseconds UTC.

        Raises:
            InvalidInputError: The log is another agent's, or too many were replayed.
        """

@final
class CuratorReport:
    """Report of a Curator pass, and of the remaining work.

    Attributes:
        episodes: Verified episodes that were counted.
        baselines: Baselines that they moved.
        facts_new: Facts that were born.
        facts_reinforced: The agent's own facts that gained by new evidence.
        facts_confirmed: Inherited facts that its own episodes bore out; they are its own knowledge now.
        facts_refuted: Inherited facts that its own statistics contradict; lowered, linked, expiring, never overwritten.
        facts_contradicted: Pairs of facts that speak against each other and both stay in force, and own facts that its
            statistics lowered.
        windows: Windows of episodes that came to their end, and were tested.
        hypotheses_tested: Tests of hypotheses that they allowed.
        heuristics_proposed: Rules about outcomes that are believed for the first time.
        facts_superseded: Facts whose place a newer one took.
        facts_refined: Facts that a newer one narrowed to some cases or to a time.
        facts_disputed: Times that an episode said the contrary of a fact, which lost by it.
        rules_followed: Rules that the decisions that followed them confirmed.
        rules_broken: Rules that the decisions that followed them came out against.
        bloodstains: Severe failures that were written as warnings, new or again.
        dreams_confirmed: What dreams had proposed and later episodes bore out.
        entries_pruned: Facts that were archived: expired, faded, refuted, or beyond the room there is.
        reread: Old episodes that were read again, to test rules that were told.
        pending: Verified episodes that wait for the next pass.
        watermark: Number of the last verification that is counted.
        skipped_numbers: Left out: more than 1,024 in one episode, or under a name of more than 256 bytes.
        without_subject: Episodes whose numbers were left out because they name no subject.
        act: Its number in the journal; None if no fact was touched.
        compared: Episodes compared with facts by their vectors; the others only by their words.
        confirmed: Ids of the confirmed facts.
        refuted: Ids of the refuted facts.
    """

    episodes: int
    baselines: int
    facts_new: int
    facts_reinforced: int
    facts_confirmed: int
    facts_refuted: int
    facts_contradicted: int
    windows: int
    hypotheses_tested: int
    heuristics_proposed: int
    facts_superseded: int
    facts_refined: int
    facts_disputed: int
    rules_followed: int
    rules_broken: int
    bloodstains: int
    dreams_confirmed: int
    entries_pruned: int
    reread: int
    pending: int
    watermark: int
    skipped_numbers: int
    without_subject: int
    act: int | None
    compared: int
    confirmed: list[str]
    refuted: list[str]

@final
class ReplayBuffer:
    """Verified episodes with their priorities, drawn from in logarithmic time.

    Args:
        surprise: Part of the priority that is surprise, 0..1; the rest is importance.
        alpha: How much priorities matter, 0..1.
        beta: How much of the bias the weights take back, 0..1.
        recent_share: Part of a batch that is recent, 0..1.
        recent: How many of the latest verified episodes are recent.

    Raises:
        InvalidInputError: A number is out of its range.
    """

    def __new__(
        cls, *, surprise: float, alpha: float, beta: float, recent_share: float, recent: int
    ) -> ReplayBuffer: ...
    def __len__(self) -> int: ...
    def refresh(self, log: EpisodeLog) -> None:
        """Takes in what was verified since the last time."""

    def sample(self, count: int, *, uniform: bool = False, seed: int) -> list[tuple[str, float, float]]:
        """Different episodes by priority, or evenly: id, probability, weight. Their priorities fall."""

    def sample_by_utility(
        self, count: int, facts: FactStore, log: EpisodeLog, *, tick: int, candidates: int, seed: int
    ) -> list[tuple[str, float, float]]:
        """Different episodes by gain times need, of candidates that are drawn evenly. Their priorities fall."""

def digest_facts(facts: FactStore, *, tick: int, now: int, limit: int) -> Digest:
    """The strongest facts in force, at most `limit`, taken in turn from their categories.

    Pinned facts come first, the others in order of confidence at the tick times importance.
    """

@final
class Standing:
    """How far a fact has risen, and on what that rests.

    Attributes:
        fact: The record.
        confidence: At the tick.
        rank: `observation`; `insight` with at least 3 episodes behind it; `heuristic` if it is confirmed, has been
            known for long enough, and acting on it did good on the whole; `playbook` if it is also sure enough today.
        known_ticks: Since it came into this store.
        trial: Windows of episodes that tested it, if it states a hypothesis; the natural logarithms of its e-value, and
            of the one from which it is believed on its own.
        later_episodes: Episodes of its kept evidence that came after it was stated.
        confirmed: Whether it holds on what it was not made from: in later windows of its hypothesis, in 3 later
            episodes, or, handed down, in the agent's own life.
        innate: Whether an ancestor lived it and the agent's own episodes bore it out.
        outcomes: How many above and below zero, their sum, ticks of the first and the last; None if there were none.
    """

    fact: Fact
    confidence: float
    rank: Literal["observation", "insight", "heuristic", "playbook"]
    known_ticks: int
    trial: tuple[int, float, float] | None
    later_episodes: int
    confirmed: bool
    innate: bool
    outcomes: tuple[int, int, float, int, int] | None

def judge_facts(
    facts: FactStore, ids: Sequence[str], value: float, *, tick: int, reinforcement: float
) -> int:
    """Tells what came of acting on facts, from -1 to 1: each is reinforced or weakened by that part, and keeps count.

    Returns:
        How many moved: within the spacing of the last reinforcement an outcome counts and moves nothing.

    Raises:
        InvalidInputError: The value is out of range.
    """

def fact_standing(
    facts: FactStore, fact: str, *, tick: int, active_ticks: int, confidence: float
) -> Standing:
    """How far a fact has risen.

    Args:
        facts: Where it is.
        fact: Its id.
        tick: Now.
        active_ticks: Ticks for which a heuristic must have been known.
        confidence: Least confidence today of a heuristic that is acted by.

    Raises:
        NotFoundError: There is none.
    """

def replay_inherited(facts: FactStore, episodes: Sequence[Episode]) -> list[tuple[str, int, bool, bool]]:
    """Tests the rules that an agent found itself on decisions that its ancestors lived; writes nothing.

    Args:
        facts: Where the rules are.
        episodes: Episodes of the ancestors, with their own kind and payload.

    Returns:
        For each rule that some of them followed: its id, the number of decisions that did, whether these came out as
        predicted (20 to 1), and whether they came out otherwise (10,000 to 1).
    """

def promoted_facts(facts: FactStore, *, tick: int, active_ticks: int, confidence: float) -> list[Standing]:
    """The facts of rank `playbook`, the surest first; arguments as `fact_standing`."""

@final
class LintReport:
    """Report of a lint.

    Attributes:
        looked: Facts that were looked at.
        merged: Id of the fact that stands for another from now on, and id of that other.
        deprecated: Ids of facts that left for the cold tier.
        recategorised: Ids of facts that were filed.
        contradictions: Ids of facts that speak against each other and are linked from now on, the older first.
        open_questions: Open questions, in the form of `knowledge_gaps`.
        act: Number of the act in the journal; None if nothing was done.
    """

    looked: int
    merged: list[tuple[str, str]]
    deprecated: list[str]
    recategorised: list[str]
    contradictions: list[tuple[str, str]]
    open_questions: int
    act: int | None

def lint_facts(facts: FactStore, *, tick: int, now: int, latest: int, stale_ticks: int) -> LintReport:
    """Puts the latest facts in order, in one transaction and as one act of the journal.

    With fewer than 5 facts in force nothing is done. What is pinned is not touched, and what an earlier lint did and
    a caller took back is left alone.

    Args:
        facts: What is known.
        tick: Now, in ticks.
        now: Now, in microseconds UTC.
        latest: Facts that are looked at.
        stale_ticks: Without a look or a reason, after which an unimportant fact leaves.
    """

def rehearse_lint(
    facts: FactStore, *, tick: int, latest: int, stale_ticks: int
) -> tuple[LintReport, list[tuple[Fact | None, Fact]]]:
    """Dry run of `lint_facts`: its report, and every fact it would write, before and after."""

def knowledge_gaps(
    facts: FactStore,
) -> list[
    tuple[
        Literal["contradiction", "unknown", "untried", "unanswered"],
        str,
        list[str],
        str | None,
        bool,
        int,
        int,
        str | None,
        int,
    ]
]:
    """The open questions that the last lint found, at most 10, confirmed ones first; then at most 20 inherited ones.

    Returns:
        Of each its kind, the question in words, ids of facts and the entity that it is about, whether it is confirmed,
        the ticks at which it was found first and last, the agent that asked an inherited one first, and lives since.
    """

def inherit_gaps(
    facts: FactStore,
    questions: Sequence[tuple[str, str, Sequence[str], str | None, str, int]],
    *,
    tick: int,
) -> tuple[int, int, int]:
    """Takes over the open questions of a testament, in one transaction.

    Args:
        facts: Store of the heir.
        questions: Open questions, each with its kind, its text, the ids of the heir's facts that it is about, the
            entity, the agent that asked first, and the lives since.
        tick: Now.

    Returns:
        How many were taken, how many are open or answered already, and how many there was no room for.

    Raises:
        InvalidInputError: A kind does not exist.
    """

def forget_gaps(facts: FactStore, questions: Sequence[str]) -> int:
    """Deletes open questions by their words; how many. The next lint finds again what own memories raise."""
