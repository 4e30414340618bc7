//! The entities that memories name, and the triples that join them.

use std::sync::Arc;

use bardo_core::facts::{self, EntityFilter, NewTriple, TripleFilter};
use bardo_core::model::Id;
use bardo_core::text::names::EntityKind;
use pyo3::prelude::*;

use crate::arguments::Parsed;
use crate::capture::EpisodeLog;
use crate::convert::{Object, run};
use crate::facts::FactStore;

/// The entities, findings and triples in the file of a `FactStore`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Names(Arc<facts::FactStore>);

#[pymethods]
impl Names {
    #[new]
    fn new(facts: &FactStore) -> Self {
        Self(Arc::clone(&facts.core))
    }

    #[pyo3(signature = (log, *, least = 1))]
    fn read<'py>(&self, py: Python<'py>, log: &EpisodeLog, least: u64) -> Object<'py> {
        run(py, || self.0.read_names(&log.core, least))
    }

    fn reread<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.0.reread_names())
    }

    #[pyo3(signature = (*, name = None, kind = None, memory = None, limit = 100))]
    fn entities<'py>(
        &self,
        py: Python<'py>,
        name: Option<String>,
        kind: Option<Parsed<EntityKind>>,
        memory: Option<Parsed<Id>>,
        limit: usize,
    ) -> Object<'py> {
        let (kind, memory) = (kind.map(|kind| kind.0), memory.map(|memory| memory.0));
        run(py, || self.0.entities(&EntityFilter { name, kind, memory }, limit))
    }

    #[pyo3(signature = (name, limit = 20))]
    fn related<'py>(&self, py: Python<'py>, name: &str, limit: usize) -> Object<'py> {
        run(py, || {
            let related = self.0.related(name, limit)?.into_iter();
            Ok(related.map(|related| (related.name, related.kind, related.together)).collect::<Vec<_>>())
        })
    }

    #[pyo3(signature = (name, limit = 100))]
    fn mentions<'py>(&self, py: Python<'py>, name: &str, limit: usize) -> Object<'py> {
        run(py, || self.0.mentions(name, limit))
    }

    fn merge<'py>(&self, py: Python<'py>, into: &str, names: Vec<String>) -> Object<'py> {
        run(py, || self.0.merge_entities(into, &names))
    }

    #[pyo3(signature = (kind, fragment, limit = 100))]
    fn find<'py>(&self, py: Python<'py>, kind: &str, fragment: &str, limit: usize) -> Object<'py> {
        run(py, || self.0.find(kind, fragment, limit))
    }

    #[pyo3(signature = (subject, predicate, object, *, confidence = 0.7, source = None, valid_from, valid_to = None,
        replaces = false))]
    fn relate<'py>(
        &self,
        py: Python<'py>,
        subject: String,
        predicate: String,
        object: String,
        confidence: f64,
        source: Option<Parsed<Id>>,
        valid_from: u64,
        valid_to: Option<u64>,
        replaces: bool,
    ) -> Object<'py> {
        let source = source.map(|source| source.0);
        let triple =
            NewTriple { subject, predicate, object, confidence, source, valid_from, valid_to, replaces };
        run(py, || self.0.relate(&triple))
    }

    #[pyo3(signature = (*, entity = None, predicate = None, as_of = None, limit = 1024))]
    fn triples<'py>(
        &self,
        py: Python<'py>,
        entity: Option<String>,
        predicate: Option<String>,
        as_of: Option<u64>,
        limit: usize,
    ) -> Object<'py> {
        run(py, || self.0.triples(&TripleFilter { entity, predicate, as_of }, limit))
    }

    fn triples_of<'py>(&self, py: Python<'py>, numbers: Vec<i64>) -> Object<'py> {
        run(py, || self.0.triples_of(&numbers))
    }

    fn forget_triples<'py>(&self, py: Python<'py>, numbers: Vec<i64>) -> Object<'py> {
        run(py, || self.0.forget_triples(&numbers))
    }

    fn forget<'py>(&self, py: Python<'py>, names: Vec<String>) -> Object<'py> {
        run(py, || self.0.forget_entities(&names))
    }

    fn part<'py>(&self, py: Python<'py>, name: &str, others: Vec<String>) -> Object<'py> {
        run(py, || self.0.part_entity(name, &others))
    }
}
