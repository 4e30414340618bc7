//! Compaction rewrites the file: deleted records leave no byte behind, and freed pages take no room.
//!
//! redb frees a page without clearing it, and may reuse it much later. So the live rows are copied into a new file,
//! which replaces the old one atomically. This costs as much as writing the whole log once.

use super::copy::copy_all;
use super::replace;
use crate::capture::log::EpisodeLog;
use crate::error::Result;

/// Sizes before and after a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VacuumReport {
    /// Length of the file before, in bytes.
    pub bytes_before: u64,
    /// Length of the file after, in bytes; about as much was written.
    pub bytes_after: u64,
}

impl EpisodeLog {
    /// Rewrites the file without its free pages. Blocks readers and writers meanwhile.
    pub fn vacuum(&self) -> Result<VacuumReport> {
        let bytes_before = self.bytes_on_disk()?;
        self.replace(|live, path, expected, syncs| {
            replace::replace(path, expected, syncs, None, |fresh| copy_all(&live.db, fresh))
        })?;
        Ok(VacuumReport { bytes_before, bytes_after: self.bytes_on_disk()? })
    }
}
