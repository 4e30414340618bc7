//! The Curator's report, for Python.

use bardo_core::consolidate as core;
use bardo_core::model::Id;
use pyo3::prelude::*;

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
    entries_pruned: u64,
    pending: u64,
    watermark: u64,
    skipped_numbers: u64,
    without_subject: u64,
    compared: u64,
    confirmed: Vec<String>,
    refuted: Vec<String>,
}

impl From<core::CuratorReport> for CuratorReport {
    fn from(report: core::CuratorReport) -> Self {
        let texts = |ids: &[Id]| ids.iter().map(Id::to_string).collect();
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
            entries_pruned: report.entries_pruned,
            pending: report.pending,
            watermark: report.watermark,
            skipped_numbers: report.skipped_numbers,
            without_subject: report.without_subject,
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
