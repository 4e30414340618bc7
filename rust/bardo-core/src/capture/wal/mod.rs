//! The write-ahead log in front of redb: a frame and one sync for each commit.
//!
//! An episode is durable with its frame in the `file`, and readable from the `memtable`. A `checkpoint` moves many
//! episodes into redb in one transaction. The `mark` in redb names the journal that must lie beside the file, so
//! that a lost one is detected.
//!
//! Changes other than new episodes (annotations, deletions, vectors) bypass the journal: they are transactions of redb,
//! which also make the episodes of earlier frames durable there.

pub(crate) mod checkpoint;
pub(crate) mod file;
pub(crate) mod format;
pub(crate) mod journal;
pub(crate) mod mark;
pub(crate) mod memtable;
pub(crate) mod recovery;
