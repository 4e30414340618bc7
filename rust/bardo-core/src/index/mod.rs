//! Making what was captured findable: vectors, words and facts (spec 2 and 4).

pub mod calendar;
pub(crate) mod facts;
pub(crate) mod facts_change;
mod facts_entities;
pub(crate) mod facts_erase;
pub(crate) mod facts_forget;
mod facts_graph;
pub(crate) mod facts_names;
pub(crate) mod facts_record;
pub(crate) mod facts_schema;
mod facts_staging;
mod facts_triples;
pub(crate) mod facts_upsert;
mod facts_vectors;
mod facts_versions;
pub(crate) mod facts_write;
mod file_types;
pub mod findings;
pub mod gazetteer;
pub mod graph;
pub mod hot;
pub mod hot_snapshot;
mod hot_sync;
pub mod interner;
pub mod late;
pub mod lexical;
pub(crate) mod migrate;
pub mod names;
pub mod nearest;
#[cfg(test)]
mod numbers;
pub mod sentences;
mod signs;
mod snapshot;
pub(crate) mod stop_words;
pub mod text;
pub mod vectors;

pub use facts::{Changed, FactFilter, FactOptions, FactStore, Retention};
pub use facts_change::{Link, Relation};
pub use facts_entities::{Entity, EntityFilter, Related};
pub use facts_forget::Forgotten;
pub use facts_names::Read;
pub use facts_record::EVIDENCE_KEPT;
pub use facts_triples::{NewTriple, Triple, TripleFilter};
pub use facts_upsert::{FactVectors, Outcome, SAME_INSIGHT, SAME_MEANING};
pub use facts_versions::FactState;
