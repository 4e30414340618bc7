//! Posting: a document and its term frequency, in 32 bits; and the terms of a query with their weights.

use std::sync::Arc;

/// Number of a document: the slot of its row in the hot set.
pub type Slot = u32;

/// Number of bits of a posting for the term frequency; the others hold the slot.
pub(crate) const FREQUENCY_BITS: u32 = 6;

/// Maximum stored term frequency, where BM25 is already saturated.
pub(crate) const MAX_FREQUENCY: u32 = (1 << FREQUENCY_BITS) - 1;

/// Maximum number of documents, which fit the other 26 bits.
pub const MAX_DOCUMENTS: usize = 1 << (32 - FREQUENCY_BITS);

/// The document of a posting.
pub(crate) const fn slot_of(entry: u32) -> Slot {
    entry >> FREQUENCY_BITS
}

/// The term frequency of a posting.
pub(crate) const fn frequency_of(entry: u32) -> u32 {
    entry & MAX_FREQUENCY
}

/// Group number of a document in no group.
pub const NO_GROUP: u32 = u32::MAX;

/// A term of a query that occurs in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// Number of the term.
    pub term: u32,
    /// Number of documents that contain it.
    pub documents: u32,
    /// Inverse document frequency.
    pub idf: f32,
    /// The term itself, for explanations.
    pub text: Arc<str>,
}

/// Inverse document frequency as in Lucene: never negative.
pub(crate) fn idf(documents: f32, of: f32) -> f32 {
    (1.0 + (of - documents + 0.5) / (documents + 0.5)).ln()
}
