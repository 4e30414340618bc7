//! The frame tracker for Python.

use std::sync::{Mutex, PoisonError};

use bardo_core::assemble::{Frame, FramePart, FrameTracker, Phase};
use pyo3::prelude::*;

use crate::assemble::{counted, tokenizer_named};
use crate::errors::IntoPython;

/// Makes frames out of prompts.
#[pyclass(frozen, name = "FrameTracker", module = "bardo._core")]
pub struct PyFrameTracker(Mutex<FrameTracker>);

#[pymethods]
impl PyFrameTracker {
    #[new]
    fn new(every: usize) -> Self {
        Self(Mutex::new(FrameTracker::new(every)))
    }

    /// The next frame of the parts (name, text, tokens) of a prompt.
    fn next(
        &self,
        py: Python<'_>,
        parts: Vec<(String, String, usize)>,
        tokenizer: &str,
        phase: &str,
        cycle: u64,
    ) -> PyResult<PyFrame> {
        let tokenizer = tokenizer_named(tokenizer)?;
        let phase: Phase = phase.parse().into_python()?;
        let parts = parts.into_iter().map(|(name, text, tokens)| FramePart { name, text, tokens }).collect();
        counted(PyFrame(py.detach(|| self.lock().next(parts, tokenizer, phase, cycle))))
    }

    /// Frames made, their tokens, and how many of those were cacheable.
    fn totals(&self) -> (usize, usize, usize) {
        self.lock().totals()
    }
}

impl PyFrameTracker {
    fn lock(&self) -> std::sync::MutexGuard<'_, FrameTracker> {
        // A panic while the lock was held cannot leave the tracker half-changed in a way that makes a frame wrong.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A prompt in the order of a frame.
#[pyclass(frozen, name = "FrameLayout", module = "bardo._core")]
pub struct PyFrame(Frame);

#[pymethods]
impl PyFrame {
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[getter]
    fn order(&self) -> Vec<usize> {
        self.0.order.clone()
    }

    #[getter]
    fn steady(&self) -> usize {
        self.0.steady
    }

    #[getter]
    fn changed(&self) -> Vec<String> {
        self.0.changed.clone()
    }

    #[getter]
    fn tokens(&self) -> usize {
        self.0.tokens
    }

    #[getter]
    fn cacheable(&self) -> usize {
        self.0.cacheable
    }
}
