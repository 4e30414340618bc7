//! The Curator: its passes, rehearsals and dreams over one agent's facts, and what they report.

use bardo_core::consolidate as core;
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::capture::EpisodeLog;
use crate::convert::ids as ids_from;
use crate::errors::IntoPython;
use crate::facts::FactStore;
use crate::told::{ChangeTuple, changes_into};

/// Consolidates facts in one way; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Curator {
    facts: Py<FactStore>,
    settings: core::CuratorSettings,
}

#[pymethods]
impl Curator {
    #[new]
    #[pyo3(signature = (facts, *, minimum = None, confirm_minimum = None, expiry_ticks = None, outcomes = None,
        eviction_threshold = None, capacity = None, hold = false))]
    fn new(
        facts: Py<FactStore>,
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
        Self { facts, settings }
    }

    #[pyo3(signature = (log, *, batch = 256, tick, now))]
    fn consolidate(
        &self,
        py: Python<'_>,
        log: &Bound<'_, EpisodeLog>,
        batch: usize,
        tick: u64,
        now: i64,
    ) -> PyResult<CuratorReport> {
        let (facts, log, settings) = (self.facts.get(), log.get(), self.settings.clone());
        py.detach(|| core::consolidate(&facts.store, &log.core, batch, tick, now, settings))
            .map(CuratorReport::from)
            .into_python()
    }

    #[pyo3(signature = (log, *, batch, tick, now))]
    fn rehearse<'py>(
        &self,
        py: Python<'py>,
        log: &Bound<'_, EpisodeLog>,
        batch: usize,
        tick: u64,
        now: i64,
    ) -> PyResult<(CuratorReport, Vec<ChangeTuple<'py>>)> {
        let (facts, log, settings) = (self.facts.get(), log.get(), self.settings.clone());
        let done = py
            .detach(|| core::rehearse(&facts.store, &log.core, batch, tick, now, settings))
            .into_python()?;
        Ok((done.report.into(), changes_into(py, &done.changes)?))
    }

    #[pyo3(signature = (log, replayed, *, tick, now))]
    fn dream(
        &self,
        py: Python<'_>,
        log: &Bound<'_, EpisodeLog>,
        replayed: Vec<String>,
        tick: u64,
        now: i64,
    ) -> PyResult<DreamReport> {
        let (facts, log, settings) = (self.facts.get(), log.get(), self.settings.clone());
        let replayed = ids_from(&replayed)?;
        py.detach(|| core::dream(&facts.store, &log.core, &replayed, tick, now, settings))
            .map(DreamReport::from)
            .into_python()
    }
}

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
