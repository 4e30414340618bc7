//! Consolidation: the Curator, its reports, replay, and what dossier, playbook and lint read and write of the facts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bardo_core::consolidate::{
    self as core, DryRun, GapKind, InheritedGap, InheritedGaps, LintSettings, Promotion,
};
use bardo_core::facts::{self, OutcomeTally};
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::arguments::{Episodes, Ids, Parsed};
use crate::capture::EpisodeLog;
use crate::convert::{as_tuple, mirror};
use crate::facts::FactStore;
use crate::forward::{functions, methods};

mirror!(
    /// Confidences compared with outcomes; see `_core/_consolidate.pyi`.
    Calibration(core::Calibration) { bins, squares, outcomes } as |_calibration| {} impl {
        fn of(&self, confidence: f64) -> f64 {
            self.0.of(confidence)
        }
    }
);

mirror!(
    /// Report of a Curator pass; see `_core/_consolidate.pyi`.
    CuratorReport(core::CuratorReport) {
        episodes, baselines, facts_new, facts_reinforced, facts_contradicted, windows, hypotheses_tested,
        heuristics_proposed, facts_superseded, facts_refined, facts_disputed, rules_followed, rules_broken, bloodstains, dreams_confirmed, entries_pruned, reread, pending,
        watermark, skipped_numbers, without_subject, act, compared, confirmed, refuted
    } as |report| { facts_confirmed = report.confirmed.len(), facts_refuted = report.refuted.len() }
);

mirror!(
    /// Report of a dream; see `_core/_consolidate.pyi`.
    DreamReport(core::DreamReport) { replayed, estimates, shifts, links, rules, retired, act }
);

mirror!(
    /// Report of a lint; see `_core/_consolidate.pyi`.
    LintReport(core::LintReport) {
        looked, merged, deprecated, recategorised, contradictions, open_questions, act
    }
);

/// A standing, and the rule by which it is ranked.
#[derive(Clone)]
pub struct Ranked {
    standing: core::Standing,
    rule: Promotion,
}

mirror!(
    /// How far a fact has risen; see `_core/_consolidate.pyi`.
    Standing(Ranked) {} as |ranked| {
        fact = ranked.standing.fact.clone(),
        confidence = ranked.standing.confidence,
        rank = ranked.standing.rank(ranked.rule).name(),
        known_ticks = ranked.standing.known_ticks,
        trial = ranked.standing.trial.map(|trial| (trial.windows, trial.log_wealth, trial.log_threshold)),
        later_episodes = ranked.standing.later_episodes,
        confirmed = ranked.standing.is_confirmed(),
        innate = ranked.standing.innate,
        outcomes = ranked.standing.outcomes,
    }
);

as_tuple! {
    core::Draw { id, probability, weight }
    core::Gap {
        kind.name(), question, facts, entity, is_confirmed, first_tick, last_tick, origin, generation
    }
    InheritedGaps { taken, known, left }
    OutcomeTally { good, bad, total, first_tick, last_tick }
    DryRun { report, changes }
}

/// Consolidates facts in one way; see `_core/_consolidate.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Curator {
    core: CuratedStore,
}

/// A store of facts, and how a pass over them decides.
struct CuratedStore {
    facts: Arc<facts::FactStore>,
    settings: core::CuratorSettings,
}

methods!(Curator, |store| {
    new(facts: &FactStore; minimum: Option<u64> = None, confirm_minimum: Option<u64> = None,
        expiry_ticks: Option<u64> = None, outcomes: Option<Vec<String>> = None, eviction_threshold: Option<f64> = None,
        capacity: Option<usize> = None, replay: Option<u64> = None, hold: bool = false,
        look_back: Option<f64> = None, surprise: Option<f64> = None, alpha: Option<f64> = None, seconds: Option<i64> = None) => {
        let known = core::CuratorSettings::default();
        let settings = core::CuratorSettings {
            minimum: minimum.unwrap_or(known.minimum),
            confirm_minimum: confirm_minimum.unwrap_or(known.confirm_minimum),
            expiry_ticks: expiry_ticks.unwrap_or(known.expiry_ticks),
            eviction_threshold: eviction_threshold.unwrap_or(known.eviction_threshold),
            capacity: capacity.unwrap_or(known.capacity),
            outcomes: outcomes.unwrap_or(known.outcomes),
            replay: replay.unwrap_or(known.replay),
            look_back: look_back.unwrap_or(known.look_back),
            draw: core::ReplaySettings {
                surprise: surprise.unwrap_or(known.draw.surprise),
                alpha: alpha.unwrap_or(known.draw.alpha),
                ..known.draw
            },
            hold,
            seconds,
        };
        Ok(CuratedStore { facts: Arc::clone(&facts.core), settings })
    };
    fn consolidate(log: &EpisodeLog; batch: usize = 256, tick: u64, now: i64)
        => core::consolidate(&store.facts, &*log.core, batch, tick, now, store.settings.clone());
    fn rehearse(log: &EpisodeLog; batch: usize, tick: u64, now: i64)
        => core::rehearse(&store.facts, &*log.core, batch, tick, now, store.settings.clone());
    fn dream(log: &EpisodeLog, replayed: Ids; tick: u64, now: i64)
        => core::dream(&store.facts, &*log.core, &replayed.0, tick, now, store.settings.clone());
});

/// Verified episodes with their priorities; see `_core/_consolidate.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct ReplayBuffer {
    core: Mutex<core::ReplayBuffer>,
}

fn locked(buffer: &Mutex<core::ReplayBuffer>) -> MutexGuard<'_, core::ReplayBuffer> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl ReplayBuffer {
    fn __len__(&self) -> usize {
        locked(&self.core).len()
    }
}

methods!(ReplayBuffer, |buffer| {
    new(; surprise: f64, alpha: f64, beta: f64, recent_share: f64, recent: usize) => {
        let settings = core::ReplaySettings { surprise, alpha, beta, recent_share, recent };
        core::ReplayBuffer::new(settings).map(Mutex::new)
    };
    fn refresh(log: &EpisodeLog) => locked(buffer).refresh(&*log.core);
    fn sample(count: usize; uniform: bool = false, seed: u64) => Ok(locked(buffer).sample(count, uniform, seed));
    fn sample_by_utility(count: usize, facts: &FactStore, log: &EpisodeLog; tick: u64, candidates: usize, seed: u64)
        => core::sample_by_utility(&mut locked(buffer), &facts.core, &*log.core, (count, candidates), tick, seed);
});

functions! {
    /// The strongest facts in force.
    fn digest_facts(facts: &FactStore; tick: u64, now: i64, limit: usize) => facts.core.digest(tick, now, limit);

    /// Tells what came of acting on facts.
    fn judge_facts(facts: &FactStore, ids: Ids, value: f64; tick: u64, reinforcement: f64)
        => facts.core.apply_outcome(&ids.0, value, tick, facts.core.retention().with(None, Some(reinforcement), None, None));

    /// How far a fact has risen.
    fn fact_standing(facts: &FactStore, fact: Parsed<Id>; tick: u64, active_ticks: u64, confidence: f32) => {
        let rule = Promotion { active_ticks, confidence };
        Ok(Ranked { standing: core::standing(&facts.core, fact.0, tick)?, rule })
    };

    /// The facts of rank `playbook`.
    fn promoted_facts(facts: &FactStore; tick: u64, active_ticks: u64, confidence: f32) => {
        let rule = Promotion { active_ticks, confidence };
        let found = core::promoted(&facts.core, tick, rule)?.into_iter();
        Ok(found.map(|standing| Ranked { standing, rule }).collect::<Vec<_>>())
    };

    /// Puts the latest facts in order.
    fn lint_facts(facts: &FactStore; tick: u64, now: i64, latest: usize, stale_ticks: u64)
        => core::lint(&facts.core, tick, now, LintSettings { latest, stale_ticks, ..LintSettings::default() });

    /// A rehearsal of `lint_facts`.
    fn rehearse_lint(facts: &FactStore; tick: u64, latest: usize, stale_ticks: u64)
        => core::rehearse_lint(&facts.core, tick, LintSettings { latest, stale_ticks, ..LintSettings::default() });

    /// A test of the own rules on episodes as ancestors lived them.
    fn replay_inherited(facts: &FactStore, episodes: Episodes) => {
        let lived: Vec<_> = episodes.0.into_iter().map(|(episode, _)| episode).collect();
        let found = core::replay_inherited(&facts.core, &lived)?.into_iter();
        Ok(found.map(|one| (one.fact, one.followed, one.agrees, one.against)).collect::<Vec<_>>())
    };

    /// The open questions.
    fn knowledge_gaps(facts: &FactStore) => core::gaps(&facts.core);

    /// Takes over the open questions of a testament.
    fn inherit_gaps(facts: &FactStore, questions: Vec<GivenGap>; tick: u64)
        => core::inherit_gaps(&facts.core, &questions.into_iter().map(inherited).collect::<Vec<_>>(), tick);

    /// Deletes open questions by their words.
    fn forget_gaps(facts: &FactStore, questions: Vec<String>) => core::forget_gaps(&facts.core, &questions);
}

/// A question of a testament: its kind, in words, ids of facts, the entity, the agent that asked first, the lives since.
type GivenGap = (Parsed<GapKind>, String, Ids, Option<String>, String, u32);

fn inherited((kind, question, facts, entity, origin, generation): GivenGap) -> InheritedGap {
    InheritedGap { kind: kind.0, question, facts: facts.0, entity, origin, generation }
}

/// Deviations below the median of some earlier outcomes from which an outcome is severe.
#[pyfunction]
pub(crate) fn severe_deviations(earlier: usize) -> f64 {
    core::severe_deviations(earlier)
}
