//! Making what was captured findable: vectors, words and facts (spec 2 and 4).

pub mod calendar;
pub(crate) mod facts;
pub(crate) mod facts_change;
pub(crate) mod facts_erase;
pub(crate) mod facts_forget;
pub(crate) mod facts_record;
pub(crate) mod facts_schema;
mod facts_staging;
pub(crate) mod facts_upsert;
mod facts_vectors;
mod facts_versions;
pub(crate) mod facts_write;
pub mod hot;
mod hot_sync;
pub mod interner;
pub mod lexical;
pub(crate) mod migrate;
pub mod nearest;
pub mod sentences;
mod signs;
pub(crate) mod stop_words;
pub mod text;
pub mod vectors;

pub use facts::{Changed, FactFilter, FactOptions, FactStore, Retention};
pub use facts_change::{Link, Relation};
pub use facts_forget::Forgotten;
pub use facts_record::EVIDENCE_KEPT;
pub use facts_upsert::{FactVectors, Outcome, SAME_INSIGHT, SAME_MEANING};
pub use facts_versions::FactState;
