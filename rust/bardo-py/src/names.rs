//! `Names`: what memories name and how it hangs together, for Python.

#![expect(clippy::needless_pass_by_value, reason = "extracted arguments are owned")]

use bardo_core::error::Error;
use bardo_core::facts::{EntityFilter, NewTriple, Triple, TripleFilter};
use bardo_core::text::names::EntityKind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::capture::EpisodeLog;
use crate::convert::id;
use crate::errors::IntoPython;
use crate::facts::FactStore;
use crate::told::forgotten_into;

/// An entity as Python sees it: name, kind, aliases, mentions, first and last tick.
type EntityTuple = (String, String, Vec<String>, u64, Option<(u64, u64)>);
/// A triple as Python sees it: subject, predicate, object, confidence, source, valid from, valid to, number, whether it was
/// read from the payload of its source.
type TripleTuple = (String, String, String, f64, Option<String>, u64, Option<u64>, i64, bool);

/// The entities, findings and triples in the file of a `FactStore`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Names {
    facts: Py<FactStore>,
}

#[pymethods]
impl Names {
    #[new]
    fn new(facts: Py<FactStore>) -> Self {
        Self { facts }
    }

    #[pyo3(signature = (log, *, least = 1))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        log: &Bound<'_, EpisodeLog>,
        least: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (store, log) = (&self.facts.get().store, log.get());
        let read = py.detach(|| store.read_names(&log.core, least)).into_python()?;
        let dict = PyDict::new(py);
        dict.set_item("episodes", read.episodes)?;
        dict.set_item("facts", read.facts)?;
        dict.set_item("entities", read.entities)?;
        dict.set_item("mentions", read.mentions)?;
        dict.set_item("findings", read.findings)?;
        Ok(dict)
    }

    fn reread(&self, py: Python<'_>) -> PyResult<()> {
        let store = &self.facts.get().store;
        py.detach(|| store.reread_names()).into_python()
    }

    #[pyo3(signature = (*, name = None, kind = None, memory = None, limit = 100))]
    fn entities(
        &self,
        py: Python<'_>,
        name: Option<String>,
        kind: Option<&str>,
        memory: Option<&str>,
        limit: usize,
    ) -> PyResult<Vec<EntityTuple>> {
        let store = &self.facts.get().store;
        let filter =
            EntityFilter { name, kind: kind.map(kind_of).transpose()?, memory: memory.map(id).transpose()? };
        let found = py.detach(|| store.entities(&filter, limit)).into_python()?;
        Ok(found
            .into_iter()
            .map(|entity| (entity.name, entity.kind, entity.aliases, entity.mentions, entity.seen))
            .collect())
    }

    #[pyo3(signature = (name, limit = 20))]
    fn related(&self, py: Python<'_>, name: &str, limit: usize) -> PyResult<Vec<(String, String, u64)>> {
        let store = &self.facts.get().store;
        let found = py.detach(|| store.related(name, limit)).into_python()?;
        Ok(found.into_iter().map(|related| (related.name, related.kind, related.together)).collect())
    }

    #[pyo3(signature = (name, limit = 100))]
    fn mentions(&self, py: Python<'_>, name: &str, limit: usize) -> PyResult<Vec<String>> {
        let store = &self.facts.get().store;
        let found = py.detach(|| store.mentions(name, limit)).into_python()?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    fn merge(&self, py: Python<'_>, into: &str, names: Vec<String>) -> PyResult<usize> {
        let store = &self.facts.get().store;
        py.detach(|| store.merge_entities(into, &names)).into_python()
    }

    #[pyo3(signature = (kind, fragment, limit = 100))]
    fn find(
        &self,
        py: Python<'_>,
        kind: &str,
        fragment: &str,
        limit: usize,
    ) -> PyResult<Vec<(String, String)>> {
        let store = &self.facts.get().store;
        let found = py.detach(|| store.find(kind, fragment, limit)).into_python()?;
        Ok(found.into_iter().map(|(id, value)| (id.to_string(), value)).collect())
    }

    #[pyo3(signature = (subject, predicate, object, *, confidence = 0.7, source = None, valid_from, valid_to = None,
        replaces = false))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only options")]
    fn relate(
        &self,
        py: Python<'_>,
        subject: String,
        predicate: String,
        object: String,
        confidence: f64,
        source: Option<&str>,
        valid_from: u64,
        valid_to: Option<u64>,
        replaces: bool,
    ) -> PyResult<i64> {
        let store = &self.facts.get().store;
        let source = source.map(id).transpose()?;
        let triple =
            NewTriple { subject, predicate, object, confidence, source, valid_from, valid_to, replaces };
        py.detach(|| store.relate(&triple)).into_python()
    }

    #[pyo3(signature = (*, entity = None, predicate = None, as_of = None, limit = 1024))]
    fn triples(
        &self,
        py: Python<'_>,
        entity: Option<String>,
        predicate: Option<String>,
        as_of: Option<u64>,
        limit: usize,
    ) -> PyResult<Vec<TripleTuple>> {
        let store = &self.facts.get().store;
        let filter = TripleFilter { entity, predicate, as_of };
        let found = py.detach(|| store.triples(&filter, limit)).into_python()?;
        Ok(found.into_iter().map(triple_tuple).collect())
    }

    fn triples_of(&self, py: Python<'_>, numbers: Vec<i64>) -> PyResult<Vec<Option<TripleTuple>>> {
        let store = &self.facts.get().store;
        let found = py.detach(|| store.triples_of(&numbers)).into_python()?;
        Ok(found.into_iter().map(|triple| triple.map(triple_tuple)).collect())
    }

    fn forget_triples<'py>(&self, py: Python<'py>, numbers: Vec<i64>) -> PyResult<Bound<'py, PyDict>> {
        let store = &self.facts.get().store;
        forgotten_into(py, py.detach(|| store.forget_triples(&numbers)).into_python()?)
    }

    fn forget<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
        let store = &self.facts.get().store;
        forgotten_into(py, py.detach(|| store.forget_entities(&names)).into_python()?)
    }

    fn part(&self, py: Python<'_>, name: &str, others: Vec<String>) -> PyResult<usize> {
        let store = &self.facts.get().store;
        py.detach(|| store.part_entity(name, &others)).into_python()
    }
}

fn triple_tuple(triple: Triple) -> TripleTuple {
    let source = triple.source.map(|source| source.to_string());
    let (subject, predicate, object) = (triple.subject, triple.predicate, triple.object);
    let (from, to) = (triple.valid_from, triple.valid_to);
    (subject, predicate, object, triple.confidence, source, from, to, triple.serial, triple.is_derived)
}

fn kind_of(name: &str) -> PyResult<EntityKind> {
    EntityKind::of(name)
        .ok_or_else(|| {
            Error::invalid(
                format!("{name:?} is not a kind of entity"),
                "Use one of: name, subject, handle, ticker, address, person",
            )
        })
        .into_python()
}
