//! Reads the journal when a log is opened: the episodes missing from redb, or the fault of the journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::ReadableDatabase;
use xxhash_rust::xxh3::xxh3_64;

use super::journal::{self, Contents, Journal, JournalMedium};
use super::mark::JournalState;
use super::memtable::{self, Memtable};
use crate::capture::storage::fault::catch_panic;
use crate::capture::storage::schema::{META, count_arrivals, meta};
use crate::capture::storage::store::OpenStore;
use crate::error::{Error, Result};

/// Number of the first opening of a log.
pub(crate) const FIRST_OPENING: u64 = 1;

/// Loss of acknowledged episodes that are missing from the journal, accepted by the caller that opened the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLoss {
    /// Description of the fault.
    pub what: String,
    /// New path of the journal's file; `None` if there was no file.
    pub kept: Option<PathBuf>,
    /// Number of episodes recovered from it.
    pub taken: usize,
}

/// Reads the episodes that are in the journal but not in the log, and returns the fault of the journal. Changes
/// nothing.
pub(crate) fn read_journal(
    home: JournalMedium,
    path: &Path,
    live: &OpenStore,
    syncs: &Arc<AtomicU64>,
    tail: &mut Memtable,
) -> Result<Option<Error>> {
    let known = catch_panic(|| {
        let view = live.db.begin_read()?;
        let table = view.open_table(META)?;
        let created = table.get(meta::CREATED)?.map(|bytes| bytes.value().to_vec());
        let owner = xxh3_64(&[live.agent.as_bytes(), &created.unwrap_or_default()].concat());
        Ok((owner, JournalState::read(&table)?, count_arrivals(&view)?.0))
    });
    let (owner, mark, known) = known.map_err(|fault| fault.into_error("open", path))?;
    let mut journal = Journal::new(home, owner, Arc::clone(syncs));
    let mut ops = Vec::new();
    let lost = |what| Error::JournalLost { path: journal::path_of(path), what };
    let problem = match journal.read(path, mark.as_ref()) {
        Ok(Contents { frames, loss }) => {
            let decoded = memtable::decode(&frames, known, &mut ops);
            loss.or(decoded.err()).map(lost)
        }
        Err(error @ Error::StoreForeign { .. }) => Some(error),
        Err(error) => return Err(error),
    };
    tail.begin(journal, ops, FIRST_OPENING);
    Ok(problem)
}
