//! Whether anything came since everything was in step.

use std::path::PathBuf;
use std::time::SystemTime;

use bardo_core::index::hot::{Lookout, News};
use pyo3::prelude::*;

use crate::capture::EpisodeLog;
use crate::facts::FactStore;

/// Looks out for what other processes and `remember` bring; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "Lookout")]
#[derive(Debug)]
pub struct PyLookout(Lookout);

/// What there is to take over; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "News")]
#[derive(Debug)]
pub struct PyNews(News);

#[pymethods]
impl PyLookout {
    #[new]
    fn new(inbox: PathBuf, facts: &FactStore) -> Self {
        Self(Lookout::new(&inbox, facts.store.path()))
    }

    fn news(&self, py: Python<'_>, log: &EpisodeLog, facts: &FactStore) -> Option<PyNews> {
        py.detach(|| self.0.news(&log.core, &facts.store, SystemTime::now())).map(PyNews)
    }

    fn settle(&self, news: &PyNews) {
        self.0.settle(&news.0, SystemTime::now());
    }
}

#[pymethods]
impl PyNews {
    #[getter]
    fn in_inbox(&self) -> bool {
        self.0.in_inbox
    }

    #[getter]
    fn in_facts(&self) -> bool {
        self.0.in_facts
    }
}
