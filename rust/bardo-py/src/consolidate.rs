//! What outcomes say about confidences, and the replay buffer, for Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bardo_core::consolidate as core;
use pyo3::prelude::*;

use crate::capture::EpisodeLog;
use crate::errors::IntoPython;
use crate::facts::FactStore;

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
