//! Reads the log. A call sees one consistent snapshot, and long lists come in pages.
//!
//! Reading flushes the memtable into redb first, so nothing here reads the journal. Each call opens a transaction of
//! redb, so data that is needed often (the hot set) should be kept in memory instead.

mod changes;
mod episodes;
mod sources;
mod threads;
