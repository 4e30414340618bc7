//! Flushes the memtable into redb: before the log is read, closed or replaced, and when a lost journal is
//! accepted.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use redb::ReadableDatabase;

use super::journal;
use super::mark::{JournalState, JournalUse};
use super::memtable;
use super::recovery::JournalLoss;
use crate::capture::log::EpisodeLog;
use crate::capture::storage::fault::{self, Fault, catch_panic};
use crate::capture::storage::schema::META;
use crate::capture::storage::store::OpenStore;
use crate::error::{Error, Result};
use crate::model::Episode;

impl EpisodeLog {
    /// Writes the memtable to redb, without waiting for the disk.
    pub(crate) fn notify(&self) -> Result<()> {
        let attempt = || -> Result<Result<(), Fault>> {
            let guard = self.connect_as_is()?;
            let live = guard.live()?;
            let mut state = self.state();
            if !self.behind.load(Ordering::Acquire) {
                return Ok(Ok(()));
            }
            Ok(self.transact(live, &mut state, false, JournalUse::GoesOn, |_| Ok(())).map(drop))
        };
        let opening = self.opening();
        let mut told = attempt()?;
        if told.as_ref().is_err_and(Fault::needs_reopening) {
            // The reopened file keeps its changes in memory until the next write.
            self.reopen(opening)?;
            told = attempt()?;
        }
        told.map_err(|fault| fault.into_error("read", self.path()))
    }

    /// Writes the memtable to redb durably, and deletes the journal. The caller holds the connection
    /// exclusively.
    pub(crate) fn checkpoint(&self, live: &OpenStore) -> Result<(), Fault> {
        let mut state = self.state();
        state.tail.align(self.opening());
        let mark = catch_panic(|| JournalState::read(&live.db.begin_read()?.open_table(META)?))?;
        // The mark must not expect a journal that is deleted.
        if !state.tail.ops.is_empty() || mark.is_some_and(|mark| mark.in_use) {
            live.backend.arm().map_err(|error| fault::unavailable("write", self.path(), &error))?;
            self.transact(live, &mut state, true, JournalUse::Ends, |_| Ok(()))?;
        }
        if let Some(journal) = &mut state.tail.journal {
            journal.remove().map_err(redb::StorageError::from)?;
        }
        Ok(())
    }
}

/// Episodes in a journal.
#[derive(Clone, Debug, Default)]
pub struct PendingEpisodes {
    /// Episodes after the requested number, in the order of arrival.
    pub episodes: Vec<Episode>,
    /// Number of the last arrival; 0 if the journal is empty.
    pub last_seq: u64,
}

/// Reads the episodes in the journal beside the log at `path` that arrived after a number, so that a process that does
/// not own the log can see the latest ones. The journal may be written meanwhile.
pub fn pending_episodes(path: &Path, after_seq: u64) -> Result<PendingEpisodes> {
    let bytes = match std::fs::read(journal::path_of(path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PendingEpisodes::default()),
        Err(error) => return Err(fault::unavailable("read the journal of", path, &error)),
    };
    let found = memtable::episodes_in(&journal::frames_in(&bytes));
    let last_seq = found.last().map_or(0, |(seq, _)| *seq);
    let episodes = found.into_iter().filter(|(seq, _)| *seq > after_seq).map(|(_, episode)| episode);
    Ok(PendingEpisodes { episodes: episodes.collect(), last_seq })
}

impl EpisodeLog {
    /// Accepts a damaged journal: recovers its readable episodes, and sets its file aside.
    pub(crate) fn accept_loss(&self, problem: &Error) -> Result<JournalLoss> {
        let guard = self.connect_as_is()?;
        let mut state = self.state();
        let taken = state.tail.ops.len();
        self.transact(guard.live()?, &mut state, true, JournalUse::Ends, |_| Ok(()))
            .map_err(|fault| fault.into_error("write", self.path()))?;
        // Only now: its episodes are in the log.
        let suffix = format!(".lost-{}", self.opened_at());
        let kept = match &mut state.tail.journal {
            Some(journal) => journal.set_aside(&suffix),
            None => Ok(None),
        };
        let kept =
            kept.map_err(|error| fault::unavailable("set aside the journal of", self.path(), &error))?;
        let what = match problem {
            Error::JournalLost { what, .. } | Error::StoreForeign { what, .. } => what.clone(),
            other => other.to_string(),
        };
        Ok(JournalLoss { what, kept, taken })
    }
}
