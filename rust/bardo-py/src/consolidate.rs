//! Consolidation: the Curator, its reports, replay, and what dossier, playbook and lint read and write of the facts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bardo_core::consolidate::{self as core, GapKind, InheritedGap, LintSettings, Promotion};
use bardo_core::facts::{self, OutcomeTally};
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::arguments::{Ids, Parsed};
use crate::capture::EpisodeLog;
use crate::convert::{IntoObject, Object, mirror, run};
use crate::errors::IntoPython;
use crate::facts::FactStore;

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
        heuristics_proposed, facts_superseded, facts_refined, facts_disputed, dreams_confirmed, entries_pruned, pending,
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
        trial = ranked.standing.trial.map(|trial| (trial.windows, trial.log_fortune, trial.log_needed)),
        later_episodes = ranked.standing.later_episodes,
        confirmed = ranked.standing.is_confirmed(),
        innate = ranked.standing.innate,
        outcomes = ranked.standing.outcomes,
    }
);

impl IntoObject for OutcomeTally {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.good, self.bad, self.total, self.first_tick, self.last_tick).into_object(py)
    }
}

impl IntoObject for core::Draw {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.id, self.probability, self.weight).into_object(py)
    }
}

impl IntoObject for core::Gap {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let ticks = (self.first_tick, self.last_tick);
        let (kind, origin) = (self.kind.name(), self.origin);
        (
            kind,
            self.question,
            self.facts,
            self.entity,
            self.is_confirmed,
            ticks.0,
            ticks.1,
            origin,
            self.generation,
        )
            .into_object(py)
    }
}

/// Consolidates facts in one way; see `_core/_consolidate.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Curator {
    facts: Arc<facts::FactStore>,
    settings: core::CuratorSettings,
}

#[pymethods]
impl Curator {
    #[new]
    #[pyo3(signature = (facts, *, minimum = None, confirm_minimum = None, expiry_ticks = None, outcomes = None,
        eviction_threshold = None, capacity = None, hold = false))]
    fn new(
        facts: &FactStore,
        minimum: Option<u64>,
        confirm_minimum: Option<u64>,
        expiry_ticks: Option<u64>,
        outcomes: Option<Vec<String>>,
        eviction_threshold: Option<f64>,
        capacity: Option<usize>,
        hold: bool,
    ) -> Self {
        let known = core::CuratorSettings::default();
        let settings = core::CuratorSettings {
            minimum: minimum.unwrap_or(known.minimum),
            confirm_minimum: confirm_minimum.unwrap_or(known.confirm_minimum),
            expiry_ticks: expiry_ticks.unwrap_or(known.expiry_ticks),
            eviction_threshold: eviction_threshold.unwrap_or(known.eviction_threshold),
            capacity: capacity.unwrap_or(known.capacity),
            outcomes: outcomes.unwrap_or(known.outcomes),
            hold,
        };
        Self { facts: Arc::clone(&facts.core), settings }
    }

    #[pyo3(signature = (log, *, batch = 256, tick, now))]
    fn consolidate<'py>(
        &self,
        py: Python<'py>,
        log: &EpisodeLog,
        batch: usize,
        tick: u64,
        now: i64,
    ) -> Object<'py> {
        run(py, || core::consolidate(&self.facts, &*log.core, batch, tick, now, self.settings.clone()))
    }

    #[pyo3(signature = (log, *, batch, tick, now))]
    fn rehearse<'py>(
        &self,
        py: Python<'py>,
        log: &EpisodeLog,
        batch: usize,
        tick: u64,
        now: i64,
    ) -> Object<'py> {
        run(py, || {
            let done = core::rehearse(&self.facts, &*log.core, batch, tick, now, self.settings.clone())?;
            Ok((done.report, done.changes))
        })
    }

    #[pyo3(signature = (log, replayed, *, tick, now))]
    fn dream<'py>(
        &self,
        py: Python<'py>,
        log: &EpisodeLog,
        replayed: Ids,
        tick: u64,
        now: i64,
    ) -> Object<'py> {
        run(py, || core::dream(&self.facts, &*log.core, &replayed.0, tick, now, self.settings.clone()))
    }
}

/// Verified episodes with their priorities; see `_core/_consolidate.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct ReplayBuffer(Mutex<core::ReplayBuffer>);

impl ReplayBuffer {
    fn lock(&self) -> MutexGuard<'_, core::ReplayBuffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ReplayBuffer {
    #[new]
    #[pyo3(signature = (*, surprise, alpha, beta, recent_share, recent))]
    fn new(surprise: f64, alpha: f64, beta: f64, recent_share: f64, recent: usize) -> PyResult<Self> {
        let settings = core::ReplaySettings { surprise, alpha, beta, recent_share, recent };
        Ok(Self(Mutex::new(core::ReplayBuffer::new(settings).into_python()?)))
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    fn refresh<'py>(&self, py: Python<'py>, log: &EpisodeLog) -> Object<'py> {
        run(py, || self.lock().refresh(&*log.core))
    }

    #[pyo3(signature = (count, *, uniform = false, seed))]
    fn sample<'py>(&self, py: Python<'py>, count: usize, uniform: bool, seed: u64) -> Object<'py> {
        run(py, || Ok(self.lock().sample(count, uniform, seed)))
    }

    #[pyo3(signature = (count, facts, log, *, tick, candidates, seed))]
    fn sample_by_utility<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        facts: &FactStore,
        log: &EpisodeLog,
        tick: u64,
        candidates: usize,
        seed: u64,
    ) -> Object<'py> {
        run(py, || {
            core::sample_by_utility(
                &mut self.lock(),
                &facts.core,
                &*log.core,
                (count, candidates),
                tick,
                seed,
            )
        })
    }
}

/// The strongest facts in force.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, limit))]
pub fn digest_facts<'py>(py: Python<'py>, facts: &FactStore, tick: u64, limit: usize) -> Object<'py> {
    run(py, || facts.core.digest(tick, limit))
}

/// Tells what came of acting on facts.
#[pyfunction]
#[pyo3(signature = (facts, ids, value, *, tick, reinforcement))]
pub fn judge_facts<'py>(
    py: Python<'py>,
    facts: &FactStore,
    ids: Ids,
    value: f64,
    tick: u64,
    reinforcement: f64,
) -> Object<'py> {
    let step = facts.core.retention().with(None, Some(reinforcement), None, None);
    run(py, || facts.core.judge(&ids.0, value, tick, step))
}

/// How far a fact has risen.
#[pyfunction]
#[pyo3(signature = (facts, fact, *, tick, active_ticks, confidence))]
pub fn fact_standing<'py>(
    py: Python<'py>,
    facts: &FactStore,
    fact: Parsed<Id>,
    tick: u64,
    active_ticks: u64,
    confidence: f32,
) -> Object<'py> {
    let rule = Promotion { active_ticks, confidence };
    run(py, || Ok(Ranked { standing: core::standing(&facts.core, fact.0, tick)?, rule }))
}

/// The facts of rank `playbook`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, active_ticks, confidence))]
pub fn promoted_facts<'py>(
    py: Python<'py>,
    facts: &FactStore,
    tick: u64,
    active_ticks: u64,
    confidence: f32,
) -> Object<'py> {
    let rule = Promotion { active_ticks, confidence };
    run(py, || {
        let found = core::promoted(&facts.core, tick, rule)?.into_iter();
        Ok(found.map(|standing| Ranked { standing, rule }).collect::<Vec<_>>())
    })
}

/// Puts the latest facts in order.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, now, latest, stale_ticks))]
pub fn lint_facts<'py>(
    py: Python<'py>,
    facts: &FactStore,
    tick: u64,
    now: i64,
    latest: usize,
    stale_ticks: u64,
) -> Object<'py> {
    let settings = LintSettings { latest, stale_ticks, ..LintSettings::default() };
    run(py, || core::lint(&facts.core, tick, now, settings))
}

/// A rehearsal of `lint_facts`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, latest, stale_ticks))]
pub fn rehearse_lint<'py>(
    py: Python<'py>,
    facts: &FactStore,
    tick: u64,
    latest: usize,
    stale_ticks: u64,
) -> Object<'py> {
    let settings = LintSettings { latest, stale_ticks, ..LintSettings::default() };
    run(py, || core::rehearse_lint(&facts.core, tick, settings))
}

/// The open questions.
#[pyfunction]
pub fn knowledge_gaps<'py>(py: Python<'py>, facts: &FactStore) -> Object<'py> {
    run(py, || core::gaps(&facts.core))
}

/// A question of a testament: its kind, in words, ids of facts, the entity, the agent that asked first, the lives since.
type GivenGap = (Parsed<GapKind>, String, Ids, Option<String>, String, u32);

/// Takes over the open questions of a testament.
#[pyfunction]
#[pyo3(signature = (facts, questions, *, tick))]
pub fn inherit_gaps<'py>(
    py: Python<'py>,
    facts: &FactStore,
    questions: Vec<GivenGap>,
    tick: u64,
) -> Object<'py> {
    let gap = |(kind, question, facts, entity, origin, generation): GivenGap| InheritedGap {
        kind: kind.0,
        question,
        facts: facts.0,
        entity,
        origin,
        generation,
    };
    let questions: Vec<_> = questions.into_iter().map(gap).collect();
    run(py, || {
        let done = core::inherit_gaps(&facts.core, &questions, tick)?;
        Ok((done.taken, done.known, done.left))
    })
}

/// Deletes open questions by their words.
#[pyfunction]
pub fn forget_gaps<'py>(py: Python<'py>, facts: &FactStore, questions: Vec<String>) -> Object<'py> {
    run(py, || core::forget_gaps(&facts.core, &questions))
}
