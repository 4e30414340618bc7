//! Changes of the log: verbs that queue a job, and the transaction that concurrent callers share.
//!
//! `verbs` takes calls, `group_commit` gathers them, `plan` decides which episodes are new (`dedup`, `transcript`), and
//! `transaction` writes them (`append`, `vectors`), together with the watermark of their `source`.
//!
//! An episode is never edited; only annotations change, and `delete` removes it whole.

pub(crate) mod append;
pub(crate) mod dedup;
pub(crate) mod delete;
pub(crate) mod draft;
pub(crate) mod epoch;
pub(crate) mod group_commit;
pub(crate) mod job;
pub(crate) mod model_switch;
pub(crate) mod plan;
pub(crate) mod source;
pub(crate) mod transaction;
pub(crate) mod transcript;
pub(crate) mod vector_rows;
pub(crate) mod vectors;
pub(crate) mod verbs;
