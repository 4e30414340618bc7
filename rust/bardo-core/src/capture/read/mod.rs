//! Every way to read the log. A call sees one consistent state, and long lists come in pages.
//!
//! Reading flushes the memtable into redb first, so nothing here looks at the journal. What is needed often (the hot
//! set) should be kept in memory instead: each call opens a transaction of redb.

mod changes;
mod episodes;
mod threads;
