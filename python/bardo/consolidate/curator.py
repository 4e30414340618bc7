"""The Curator: consolidation passes over what was verified. Each pass is atomic and bounded by its batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from bardo import config
from bardo._core import Curator, CuratorReport, EpisodeLog, FactStore
from bardo._printed import printed
from bardo.consolidate.extraction_pass import Extractor, Rank
from bardo.consolidate.extraction_report import ExtractionReport
from bardo.model import Fact
from bardo.ports import Progress

#: Days after which a contradicted fact expires unless it is confirmed.
CONTRADICTED_DAYS = config.EXPIRY_DAYS


#: Verified episodes that a rehearsal takes in at most: they are in memory at once.
REHEARSED = 65_536
#: Decisions after which half of the planted rules with two conditions are in force, by their effect: of one and of half
#: a standard deviation (`benches/RESULTS.md`, "Decisions until a rule is believed").
NEEDED_WHOLE, NEEDED_HALF = 768, 2_304


@dataclass(frozen=True, slots=True)
class Change:
    """Planned change of one fact.

    Args:
        before: The fact as it is; None if it would be new.
        after: The fact as it would be.
    """

    before: Fact | None
    after: Fact

    @property
    def action(self) -> Literal["learn", "confirm", "contradict", "supersede", "prune", "renew"]:
        """Name of the change."""
        if self.before is None:
            return "learn"
        if self.before.status != self.after.status:
            if self.after.status == "contradicted":
                return "contradict"
            if self.after.status == "superseded":
                return "supersede"
            if self.after.status == "archived":
                return "prune"
        return "confirm" if self.before.source != self.after.source else "renew"


@dataclass(frozen=True, slots=True)
class CuratorCycleComplete:
    """Report of the Curator.

    Args:
        tick: Tick of the pass.
        passes: Number of batches.
        episodes: Verified episodes that were consolidated.
        baselines: Running statistics that were updated.
        facts_new: New facts.
        facts_reinforced: The agent's own facts that gained by new evidence.
        confirmed: Ids of inherited facts that the agent's own episodes confirm; they are its own knowledge now.
        refuted: Ids of inherited facts that the agent's own statistics contradict.
        facts_superseded: Facts that ended and are history: another one took their place, or their time is over.
        facts_refined: Facts that a newer one narrowed to some cases or to a time.
        facts_disputed: Episodes that contradict a fact and lower its confidence.
        rules_followed: Rules that the decisions that followed them confirmed.
        rules_broken: Rules that the decisions that followed them refuted.
        bloodstains: Severe failures that were written as warnings, new or again.
        dreams_confirmed: Proposals of dreams that later episodes confirmed.
        entries_pruned: Facts that were archived: expired, faded, refuted, stale, or beyond the room there is.
        entries_promoted: Facts that entered the playbook.
        summaries: Summaries of conversations that were made, or made again.
        linted: Actions of the lint, where one was due; their effects on facts are in the other counts as well.
        facts_contradicted: Pairs of facts that contradict each other and both stay in force, and own facts that the
            agent's statistics lowered.
        heuristics_proposed: New heuristics.
        facts_withdrawn: Quarantined facts that made answers about other episodes worse, and were archived.
        facts_held: Quarantined facts; they are invisible to recall until they are checked.
        facts_unchecked: Facts that left quarantine without a check, which is turned off or could not be done.
        texts_read: Episodes whose texts were read for facts.
        texts_unread: Episodes whose texts were left unread because the time of the death was over.
        facts_distilled: New facts that texts stated.
        hypotheses_tested: Links, rhythms, bursts and rules that were tested on new episodes.
        episodes_reread: Old episodes that were read again, to test rules that were told.
        inherited_reread: Inherited episodes that were re-read to test the agent's own rules; they count for nothing.
        rules_against: Ids of own rules against which decisions of ancestors speak; nothing was lowered.
        pending: Verified episodes that wait for the next pass.
        embedded: Texts that were given vectors.
        archived: Episodes that were appended to LanceDB.
        days: Files of the daily archive that were written.
        acts: Numbers of its acts in the journal, for `g.journal.undo`.
        notes: Omissions, with their reasons.
        changes: Facts that would change, for a dry run.
    """

    tick: int
    passes: int = 0
    episodes: int = 0
    baselines: int = 0
    facts_new: int = 0
    facts_reinforced: int = 0
    confirmed: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    facts_superseded: int = 0
    facts_refined: int = 0
    facts_disputed: int = 0
    rules_followed: int = 0
    rules_broken: int = 0
    bloodstains: int = 0
    dreams_confirmed: int = 0
    entries_pruned: int = 0
    entries_promoted: int = 0
    summaries: int = 0
    linted: int = 0
    facts_contradicted: int = 0
    heuristics_proposed: int = 0
    facts_withdrawn: int = 0
    facts_held: int = 0
    facts_unchecked: int = 0
    texts_read: int = 0
    texts_unread: int = 0
    facts_distilled: int = 0
    hypotheses_tested: int = 0
    episodes_reread: int = 0
    inherited_reread: int = 0
    rules_against: tuple[str, ...] = ()
    pending: int = 0
    embedded: int = 0
    archived: int = 0
    days: int = 0
    acts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    __str__ = printed

    @property
    def facts_confirmed(self) -> int:
        """Number of inherited facts that were confirmed."""
        return len(self.confirmed)

    @property
    def facts_refuted(self) -> int:
        """Number of inherited facts that were contradicted."""
        return len(self.refuted)


def curator_of(
    facts: FactStore,
    settings: config.Curator,
    replay: config.Replay,
    *,
    ticks_per_day: int,
    eviction_threshold: float,
    seconds: int | None,
) -> Curator:
    """The core's Curator with settings in force.

    Args:
        facts: What is known.
        settings: How it decides.
        replay: How old episodes are drawn.
        ticks_per_day: For the expiry of contradicted facts.
        eviction_threshold: Confidence below which a fact leaves for the cold tier.
        seconds: Offset of ticks from the seconds of the epoch; None where ticks are loops.
    """
    return Curator(
        facts,
        expiry_ticks=CONTRADICTED_DAYS * ticks_per_day,
        outcomes=settings.outcomes,
        eviction_threshold=eviction_threshold,
        capacity=settings.capacity,
        replay=settings.replay,
        look_back=replay.share,
        surprise=replay.surprise,
        alpha=replay.alpha,
        hold=settings.shadow,
        seconds=seconds,
    )


def run(
    curator: Curator,
    log: EpisodeLog,
    *,
    batch: int,
    tick: int,
    now: int,
    until_done: bool,
    progress: Progress,
    extractor: Extractor | None = None,
    rank: Rank | None = None,
    is_over: Callable[[], bool] | None = None,
) -> CuratorCycleComplete:
    """One pass, or as many as it takes.

    Args:
        curator: Does them.
        log: Where the verified episodes are.
        batch: Episodes of a pass at most.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
        until_done: Whether to go on until no verified episode waits.
        progress: Told after each pass.
        extractor: Reads the texts of episodes, if they are to be read.
        rank: Worth of texts, for an agent that may not live to read all: those of most worth are read first.
        is_over: Tells whether the time for reading texts is over; None for no limit.

    Returns:
        What was done, summed over the passes.
    """
    done = CuratorCycleComplete(tick)
    while True:
        report = curator.consolidate(log, batch=batch, tick=tick, now=now)
        done = _sum(done, report)
        progress("consolidate", done.episodes, done.episodes + report.pending)
        if not until_done or not report.pending:
            break
    done = replace(done, notes=(*done.notes, *_finer_rules(done, log.stats()["last_verification"])))
    if extractor is None:
        return done
    texts = extractor.run(
        tick=tick, now=now, until_done=until_done, progress=progress, rank=rank, is_over=is_over
    )
    return _with_texts(done, texts)


def rehearse(
    curator: Curator, log: EpisodeLog, *, tick: int, now: int, extractor: Extractor | None = None
) -> CuratorCycleComplete:
    """Dry run of `run` over all pending episodes: at most `REHEARSED` episodes, in one pass."""
    report, changes = curator.rehearse(log, batch=REHEARSED, tick=tick, now=now)
    done = _sum(CuratorCycleComplete(tick), report)
    if extractor is not None:
        texts, drawn = extractor.rehearse(tick=tick)
        done = _with_texts(done, texts)
        changes = [*changes, *drawn]
    return replace(done, changes=tuple(Change(before, after) for before, after in changes))


def _finer_rules(done: CuratorCycleComplete, verified: int) -> tuple[str, ...]:
    """Returns a note on the rules that so few episodes cannot tell yet, where rules were learned.

    Args:
        done: Passes so far.
        verified: Number of verified episodes of the whole life.
    """
    if not done.heuristics_proposed or verified >= NEEDED_HALF:
        return ()
    far = NEEDED_WHOLE if verified < NEEDED_WHOLE else NEEDED_HALF
    effect = "one standard deviation" if far == NEEDED_WHOLE else "half a standard deviation"
    return (
        f"rules were learned from {verified:,} verified episodes; one with two conditions and an effect of "
        f"{effect} needs about {far:,} decisions, so that a finer rule than these may hold",
    )


def _with_texts(done: CuratorCycleComplete, texts: ExtractionReport) -> CuratorCycleComplete:
    return replace(
        done,
        texts_read=texts.read,
        texts_unread=texts.unread,
        facts_distilled=texts.new,
        facts_new=done.facts_new + texts.new,
        facts_reinforced=done.facts_reinforced + texts.renewed,
        facts_superseded=done.facts_superseded + texts.superseded,
        facts_contradicted=done.facts_contradicted + texts.disputed,
        acts=(*done.acts, *texts.acts),
        notes=(*done.notes, *texts.notes),
    )


def _sum(done: CuratorCycleComplete, report: CuratorReport) -> CuratorCycleComplete:
    return replace(
        done,
        passes=done.passes + 1,
        episodes=done.episodes + report.episodes,
        baselines=done.baselines + report.baselines,
        facts_new=done.facts_new + report.facts_new,
        facts_reinforced=done.facts_reinforced + report.facts_reinforced,
        confirmed=(*done.confirmed, *report.confirmed),
        refuted=(*done.refuted, *report.refuted),
        facts_superseded=done.facts_superseded + report.facts_superseded,
        facts_refined=done.facts_refined + report.facts_refined,
        facts_disputed=done.facts_disputed + report.facts_disputed,
        rules_followed=done.rules_followed + report.rules_followed,
        rules_broken=done.rules_broken + report.rules_broken,
        bloodstains=done.bloodstains + report.bloodstains,
        dreams_confirmed=done.dreams_confirmed + report.dreams_confirmed,
        entries_pruned=done.entries_pruned + report.entries_pruned,
        facts_contradicted=done.facts_contradicted + report.facts_contradicted,
        heuristics_proposed=done.heuristics_proposed + report.heuristics_proposed,
        hypotheses_tested=done.hypotheses_tested + report.hypotheses_tested,
        episodes_reread=done.episodes_reread + report.reread,
        acts=done.acts if report.act is None else (*done.acts, report.act),
        pending=report.pending,
    )
