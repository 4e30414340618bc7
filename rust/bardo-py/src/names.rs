//! The entities that memories name, and the triples that join them.

use std::sync::Arc;

use bardo_core::facts::{self, EntityFilter, NewTriple, TripleFilter};
use bardo_core::model::Id;
use bardo_core::text::names::EntityKind;
use pyo3::prelude::*;

use crate::arguments::{Parsed, inner};
use crate::capture::EpisodeLog;
use crate::facts::FactStore;
use crate::forward::methods;

/// The entities, findings and triples in the file of a `FactStore`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Names {
    core: Arc<facts::FactStore>,
}

methods!(Names, |facts| {
    new(facts: &FactStore) => Ok(Arc::clone(&facts.core));
    fn read(log: &EpisodeLog; least: u64 = 1) => facts.read_names(&log.core, least);
    fn reread() => facts.reread_names();
    fn entities(; name: Option<String> = None, kind: Option<Parsed<EntityKind>> = None,
        memory: Option<Parsed<Id>> = None, limit: usize = 100)
        let filter = EntityFilter { name, kind: inner(kind), memory: inner(memory) }
        => facts.entities(&filter, limit);
    fn related(name: &str, limit: usize = 20) => facts.related(name, limit);
    fn mentions(name: &str, limit: usize = 100) => facts.mentions(name, limit);
    fn merge(into: &str, names: Vec<String>) => facts.merge_entities(into, &names);
    fn find(kind: &str, fragment: &str, limit: usize = 100) => facts.find(kind, fragment, limit);
    fn relate(subject: String, predicate: String, object: String; confidence: f64 = 0.7,
        source: Option<Parsed<Id>> = None, valid_from: u64, valid_to: Option<u64> = None, replaces: bool = false,
        tick: u64)
        let source = inner(source),
        let triple = NewTriple { subject, predicate, object, confidence, source, valid_from, valid_to, replaces }
        => facts.relate(&triple, tick);
    fn triples(; entity: Option<String> = None, predicate: Option<String> = None, as_of: Option<u64> = None,
        limit: usize = 1024)
        => facts.triples(&TripleFilter { entity, predicate, as_of }, limit);
    fn triples_of(numbers: Vec<i64>) => facts.triples_of(&numbers);
    fn forget_triples(numbers: Vec<i64>) => facts.forget_triples(&numbers);
    fn forget(names: Vec<String>) => facts.forget_entities(&names);
    fn part(name: &str, others: Vec<String>) => facts.part_entity(name, &others);
});
