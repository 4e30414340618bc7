//! Storage layer: the tables of the file, the encoding of values, the lock, and disk errors.
//!
//! `schema` names every table. Values go through `codec`, which verifies them on writing and reading; tables of many
//! small entries pack them in runs (`packed_table`). Writes are held back in memory until the file is known to be ours
//! (`deferred_backend`).
//!
//! `write` and `wal` decide what is written, and when.

pub(crate) mod codec;
pub(crate) mod deferred_backend;
pub(crate) mod fault;
pub(crate) mod folder;
#[cfg(test)]
pub(crate) mod fuzz;
pub(crate) mod holder;
pub(crate) mod lease;
pub(crate) mod packed_table;
pub(crate) mod schema;
pub(crate) mod store;
pub(crate) mod turn;
pub(crate) mod vector_batch;
pub(crate) mod vector_table;
