//! In-memory indexes that can be rebuilt from the log and the facts, so that recall reads no disk.
//!
//! [`hot`] composes a [`lexical`] index and an index of [`vectors`] into one set of rows; a snapshot file keeps it
//! across openings. No index is the only copy of its data: a damaged or outdated index is dropped and rebuilt.

pub mod hot;
pub mod lexical;
mod snapshot_file;
pub mod vectors;
