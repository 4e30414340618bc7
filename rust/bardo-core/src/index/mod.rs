//! Indexes that can be rebuilt from the log and the facts, so that recall reads memory and no disk.
//!
//! [`hot`] composes a [`lexical`] index of words and an index of [`vectors`] into one set of rows; a snapshot file
//! keeps it across openings. Nothing here is the only copy of anything: a damaged or outdated index is dropped and
//! rebuilt.

pub mod hot;
pub mod lexical;
mod snapshot_file;
pub mod vectors;
