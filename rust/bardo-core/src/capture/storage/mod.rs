//! The file: its tables, the bytes of a value, the lock, and the errors of the disk.
//!
//! `schema` names every table. Values go through `codec`, which checks them on the way in and out; tables of many small
//! entries keep them in runs (`packed_table`). Writes are held back in memory until the file is known to be ours
//! (`deferred_backend`).
//!
//! Nothing here decides what is written, or when; that is `write` and `wal`.

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
