//! The Curator's report and the replay buffer, for Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bardo_core::consolidate as core;
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::capture::EpisodeLog;
use crate::errors::IntoPython;
use crate::facts::FactStore;

/// What a pass did; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct CuratorReport {
    episodes: u64,
    baselines: u64,
    facts_new: u64,
    facts_reinforced: u64,
    facts_confirmed: usize,
    facts_refuted: usize,
    facts_contradicted: u64,
    windows: u64,
    hypotheses_tested: u64,
    heuristics_proposed: u64,
    facts_superseded: u64,
    facts_refined: u64,
    facts_disputed: u64,
    dreams_confirmed: u64,
    entries_pruned: u64,
    pending: u64,
    watermark: u64,
    skipped_numbers: u64,
    without_subject: u64,
    act: Option<u64>,
    compared: u64,
    confirmed: Vec<String>,
    refuted: Vec<String>,
}

impl From<core::CuratorReport> for CuratorReport {
    fn from(report: core::CuratorReport) -> Self {
        Self {
            episodes: report.episodes,
            baselines: report.baselines,
            facts_new: report.facts_new,
            facts_reinforced: report.facts_reinforced,
            facts_confirmed: report.confirmed.len(),
            facts_refuted: report.refuted.len(),
            facts_contradicted: report.facts_contradicted,
            windows: report.windows,
            hypotheses_tested: report.hypotheses_tested,
            heuristics_proposed: report.heuristics_proposed,
            facts_superseded: report.facts_superseded,
            facts_refined: report.facts_refined,
            facts_disputed: report.facts_disputed,
            dreams_confirmed: report.dreams_confirmed,
            entries_pruned: report.entries_pruned,
            pending: report.pending,
            watermark: report.watermark,
            skipped_numbers: report.skipped_numbers,
            without_subject: report.without_subject,
            act: report.act,
            compared: report.compared,
            confirmed: texts(&report.confirmed),
            refuted: texts(&report.refuted),
        }
    }
}

#[pymethods]
impl CuratorReport {
    fn __repr__(&self) -> String {
        format!(
            "CuratorReport(episodes={}, baselines={}, facts_new={}, facts_reinforced={}, facts_confirmed={}, \
             facts_refuted={}, pending={})",
            self.episodes,
            self.baselines,
            self.facts_new,
            self.facts_reinforced,
            self.facts_confirmed,
            self.facts_refuted,
            self.pending
        )
    }
}

/// What a dream did; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct DreamReport {
    replayed: u64,
    estimates: u64,
    shifts: Vec<String>,
    links: Vec<String>,
    rules: Vec<String>,
    retired: Vec<String>,
    act: Option<u64>,
}

impl From<core::DreamReport> for DreamReport {
    fn from(report: core::DreamReport) -> Self {
        Self {
            replayed: report.replayed,
            estimates: report.estimates,
            shifts: texts(&report.shifts),
            links: texts(&report.links),
            rules: texts(&report.rules),
            retired: texts(&report.retired),
            act: report.act,
        }
    }
}

fn texts(ids: &[Id]) -> Vec<String> {
    ids.iter().map(Id::to_string).collect()
}

/// What outcomes say about confidences; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Calibration {
    core: core::Calibration,
}

impl From<core::Calibration> for Calibration {
    fn from(core: core::Calibration) -> Self {
        Self { core }
    }
}

#[pymethods]
impl Calibration {
    #[getter]
    fn bins(&self) -> Vec<(u64, u64)> {
        self.core.bins.clone()
    }

    #[getter]
    fn squares(&self) -> f64 {
        self.core.squares
    }

    #[getter]
    fn outcomes(&self) -> u64 {
        self.core.outcomes
    }

    fn of(&self, confidence: f64) -> f64 {
        self.core.of(confidence)
    }
}

/// Verified episodes with their priorities; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct ReplayBuffer {
    core: Mutex<core::ReplayBuffer>,
}

impl ReplayBuffer {
    fn held(&self) -> MutexGuard<'_, core::ReplayBuffer> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ReplayBuffer {
    #[new]
    #[pyo3(signature = (*, surprise, alpha, beta, recent_share, recent))]
    fn new(surprise: f64, alpha: f64, beta: f64, recent_share: f64, recent: usize) -> PyResult<Self> {
        let settings = core::ReplaySettings { surprise, alpha, beta, recent_share, recent };
        Ok(Self { core: Mutex::new(core::ReplayBuffer::new(settings).into_python()?) })
    }

    fn __len__(&self) -> usize {
        self.held().len()
    }

    fn refresh(&self, py: Python<'_>, log: &Bound<'_, EpisodeLog>) -> PyResult<()> {
        let log = log.get();
        py.detach(|| self.held().refresh(&log.core)).into_python()
    }

    #[pyo3(signature = (count, *, uniform = false, seed))]
    fn sample(&self, py: Python<'_>, count: usize, uniform: bool, seed: u64) -> Vec<(String, f64, f64)> {
        drawn(py.detach(|| self.held().sample(count, uniform, seed)))
    }

    #[pyo3(signature = (count, facts, log, *, tick, candidates, seed))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only options")]
    fn sample_by_utility(
        &self,
        py: Python<'_>,
        count: usize,
        facts: &Bound<'_, FactStore>,
        log: &Bound<'_, EpisodeLog>,
        tick: u64,
        candidates: usize,
        seed: u64,
    ) -> PyResult<Vec<(String, f64, f64)>> {
        let (facts, log) = (facts.get(), log.get());
        py.detach(|| {
            let mut buffer = self.held();
            let places = buffer.candidates(candidates.max(count), seed);
            let utilities = core::utilities(&facts.store, &log.core, &buffer, &places, tick)?;
            Ok(drawn(buffer.sample_by(&places, &utilities, count, seed)))
        })
        .into_python()
    }
}

fn drawn(draws: Vec<core::Draw>) -> Vec<(String, f64, f64)> {
    draws.into_iter().map(|draw| (draw.id.to_string(), draw.probability, draw.weight)).collect()
}
