//! Fast, verbatim, durable: the episode log, and who owns it (spec 1).
//!
//! [`EpisodeLog`] is one redb file with one owner process, and while it is open a journal in front of it. Concurrent
//! writers share a commit and its fsync; a file that is not ours, or not whole, is refused before the first byte of it is
//! changed.

mod backend;
mod catch_up;
mod codec;
mod conversations;
mod fault;
mod forget;
#[cfg(test)]
mod fuzz;
mod group;
mod handover;
mod journal;
mod journal_file;
mod lease;
mod log;
mod mark;
mod packed;
mod plan;
mod read;
mod record;
mod retry;
mod session;
mod shelf;
mod staging;
mod store;
mod tables;
mod tail;
mod traces;
mod transcript;
mod upgrade;
mod vacuum;
mod vectors;
mod write;

pub(crate) use fault::unavailable;
pub use forget::Forgetting;
pub use handover::{JournalLoss, Journaled, journaled};
pub use lease::{Holder, LEASE_FILE};
pub use log::{EpisodeLog, LogOptions, Stats};
pub use plan::Manner;
pub use record::{NewEpisode, Recorded, finish};
pub use staging::Staged;
pub use traces::traces;
pub use upgrade::Upgraded;
pub use vacuum::Vacuumed;
pub use vectors::{EpisodeVectors, VectorBatch};
