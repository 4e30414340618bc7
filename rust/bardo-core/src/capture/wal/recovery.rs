//! Reading the journal when a log is opened: the episodes that redb lacks, or what is wrong with the journal.

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

/// The opening that a log begins with.
pub(crate) const FIRST_OPENING: u64 = 1;

/// Episodes that were acknowledged and that the journal does not hold any more, accepted by who opened the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLoss {
    /// Description of the fault.
    pub what: String,
    /// New name of the journal's file; none if there was no file.
    pub kept: Option<PathBuf>,
    /// Number of episodes recovered from it.
    pub taken: usize,
}

/// Reads what the journal has and the log has not, and returns what is wrong with the journal. Nothing is changed.
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
