//! The episode log: fast, verbatim and durable, with one owner process.
//!
//! [`EpisodeLog`] is one redb file with one owner process, and a journal in front of it while it is open. Concurrent
//! writers share a commit and its fsync. A foreign or damaged file is refused before its first byte is changed.
//!
//! A write runs through `write` (plan, transaction, group commit) into `wal` (durable), and from there into the tables
//! of `storage` (many episodes in one transaction). `read` reads both. `maintenance` rewrites whole files.
//!
//! The log holds verbatim episodes, their vectors, and records of work pending in other stores. Data that can be
//! computed from an episode does not belong here.

mod log;
mod maintenance;
mod read;
mod storage;
mod wal;
mod write;

pub use log::{EpisodeLog, LogOptions, Stats};
pub use maintenance::compact::VacuumReport;
pub use maintenance::residue::traces;
pub(crate) use storage::fault::unavailable;
pub use storage::holder::Holder;
pub use storage::holder::LEASE_FILE;
pub use storage::store::Upgrade;
pub use storage::vector_batch::EpisodeVectors;
pub use storage::vector_batch::VectorBatch;
pub use wal::checkpoint::{PendingEpisodes, pending_episodes};
pub use wal::recovery::JournalLoss;
pub use write::delete::Deletion;
pub use write::draft::NewEpisode;
pub use write::draft::Receipt;
pub use write::draft::finish;
pub use write::model_switch::MigrationProgress;
pub use write::plan::RecordOptions;
pub use write::source::{SourceMark, SourceMove};
