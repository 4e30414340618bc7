//! Vector search: exact results from 16-bit components, prefiltered by one bit per component.
//!
//! The `index` holds vectors in blocks of rows. `search` compares few of them in full: sign bits (`sign_bits`,
//! `sign_table`) and an estimate from them (`estimate`) rule out the rest. `late_interaction` matches the tokens of a
//! query one by one.
//!
//! There is no approximate graph: rows are added and removed with every episode, and up to some hundred thousand of
//! them a scan of sign bits is fast.

pub(crate) mod estimate;
pub(crate) mod huge_pages;
pub(crate) mod index;
pub(crate) mod late_interaction;
pub(crate) mod quantize;
pub(crate) mod query_vector;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sign_bits;
pub(crate) mod sign_table;
#[cfg(test)]
mod testing;

pub use index::Similarity;
pub use late_interaction::{LateQuery, MatchScratch, Matches, Tokens};
pub use query_vector::QueryVector;
pub use search::{NearestScratch, rescored_count};
