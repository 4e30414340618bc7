//! One posting: a document and how often a term occurs in it, in 32 bits; and a query's terms with their weights.

use std::sync::Arc;

/// Number of a document: the slot of its row in the hot set.
pub type Slot = u32;

/// Bits of a posting that hold the term frequency; the others hold the slot.
pub(crate) const FREQUENCY_BITS: u32 = 6;

/// Frequencies saturate here, where BM25 is flat already.
pub(crate) const MAX_FREQUENCY: u32 = (1 << FREQUENCY_BITS) - 1;

/// Documents that fit the other 26 bits.
pub const MAX_DOCUMENTS: usize = 1 << (32 - FREQUENCY_BITS);

/// The document of a posting.
pub(crate) const fn slot_of(entry: u32) -> Slot {
    entry >> FREQUENCY_BITS
}

/// How often the term occurs in it.
pub(crate) const fn frequency_of(entry: u32) -> u32 {
    entry & MAX_FREQUENCY
}

/// Group of a document that is in none.
pub const NO_GROUP: u32 = u32::MAX;

/// A term of a query that occurs in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// Number of the term.
    pub term: u32,
    /// Documents that hold it.
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
