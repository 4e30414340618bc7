//! Lexical search: BM25 over postings in memory.
//!
//! [`Analyzer`] splits text into terms, [`LexicalIndex`] stores the documents of each term, and [`Bm25`] scores.
//! Documents can be added and removed at any time, and are found by the next call. There are no segments to merge and
//! no commits, so the index suits a hundred thousand documents and not a hundred million.

pub(crate) mod analyzer;
pub(crate) mod bm25;
pub(crate) mod hashed_term;
pub(crate) mod posting;
pub(crate) mod postings;
pub(crate) mod segment;
pub(crate) mod term_cache;
pub(crate) mod terms;
pub(crate) mod time_words;

pub use analyzer::{Analyzer, QUERY_BYTES, indexed_text, spoken_sentences};
pub use bm25::{BLOCK, Bm25};
pub use posting::NO_GROUP;
pub use posting::QueryTerm;
pub use posting::Slot;
pub use postings::LexicalIndex;
pub use segment::TermKind;
pub use segment::cut;
