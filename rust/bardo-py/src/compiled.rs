//! What dossier, playbook and lint read and write of the facts, for Python.

use bardo_core::index;
use pyo3::prelude::*;

use crate::convert::fact_into;
use crate::errors::IntoPython;
use crate::facts::{FactStore, LinkTuple, link_tuples};

/// The strongest facts in force; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Digest {
    learned: u64,
    total: usize,
    categories: Vec<(String, usize)>,
    facts: Vec<(Py<PyAny>, f64)>,
    disputed: Vec<String>,
    outweighed: usize,
    links: Vec<LinkTuple>,
    expires_tick: Option<u64>,
}

impl Digest {
    fn from_core(py: Python<'_>, digest: index::Digest) -> PyResult<Self> {
        let facts = digest.facts.iter().map(|(fact, sure)| Ok((fact_into(py, fact)?.unbind(), *sure)));
        Ok(Self {
            learned: digest.learned,
            total: digest.total,
            facts: facts.collect::<PyResult<_>>()?,
            categories: digest.categories,
            disputed: digest.disputed.iter().map(ToString::to_string).collect(),
            outweighed: digest.outweighed,
            links: link_tuples(digest.links),
            expires_tick: digest.expires_tick,
        })
    }
}

#[pymethods]
impl Digest {
    fn __repr__(&self) -> String {
        format!("Digest(learned={}, total={}, facts={})", self.learned, self.total, self.facts.len())
    }
}

/// The strongest facts in force; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, limit))]
pub fn digest_facts(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    tick: u64,
    limit: usize,
) -> PyResult<Digest> {
    let store = facts.get();
    let digest = py.detach(|| store.store.digest(tick, limit)).into_python()?;
    Digest::from_core(py, digest)
}
