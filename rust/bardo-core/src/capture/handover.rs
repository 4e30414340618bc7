//! Handing what waits over to redb: before somebody reads, before the file is closed or replaced, and after a crash.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::{ReadTransaction, ReadableDatabase};
use xxhash_rust::xxh3::xxh3_64;

use super::fault::{self, Fault, catching};
use super::journal::{Home, Journal};
use super::log::EpisodeLog;
use super::store::Live;
use super::tables::{META, count_arrivals, meta};
use super::tail::{self, Tail};
use crate::error::Result;

impl EpisodeLog {
    /// Tells redb what waits, without waiting for the disk.
    pub(super) fn tell(&self) -> Result<()> {
        let attempt = || -> Result<Result<(), Fault>> {
            let guard = self.connect_as_is()?;
            let live = guard.live()?;
            let mut state = self.state();
            if !self.behind.load(Ordering::Acquire) {
                return Ok(Ok(()));
            }
            Ok(self.transact(live, &mut state, false, |_| Ok(())).map(drop))
        };
        let opening = self.opening();
        let mut told = attempt()?;
        if told.as_ref().is_err_and(Fault::needs_reopening) {
            // Opened again, the file takes no more from the disk than memory until the next write.
            self.reopen(opening)?;
            told = attempt()?;
        }
        told.map_err(|fault| fault.into_error("read", self.path()))
    }

    /// Tells redb everything that waits, durably, and does away with the journal. Nobody else has the connection.
    pub(super) fn hand_over(&self, live: &Live) -> Result<(), Fault> {
        let mut state = self.state();
        state.tail.align(self.opening());
        if !state.tail.ops.is_empty() {
            live.backend.arm().map_err(|error| fault::unavailable("write", self.path(), &error))?;
            self.transact(live, &mut state, true, |_| Ok(()))?;
        }
        if let Some(journal) = &mut state.tail.journal {
            journal.remove().map_err(redb::StorageError::from)?;
        }
        Ok(())
    }
}

/// The opening that a log begins with.
pub(super) const FIRST_OPENING: u64 = 1;

/// Reads what the journal has and the log has not. Nothing is changed.
pub(super) fn read_journal(
    home: Home,
    path: &Path,
    live: &Live,
    syncs: &Arc<AtomicU64>,
    tail: &mut Tail,
) -> Result<()> {
    let view = |step: &dyn Fn(&ReadTransaction) -> Result<u64, Fault>| {
        catching(|| step(&live.db.begin_read()?)).map_err(|fault| fault.into_error("open", path))
    };
    let owner = view(&|view| {
        let created = view.open_table(META)?.get(meta::CREATED)?.map(|bytes| bytes.value().to_vec());
        let name = [live.agent.as_bytes(), &created.unwrap_or_default()].concat();
        Ok(xxh3_64(&name))
    })?;
    let mut journal = Journal::new(home, owner, Arc::clone(syncs));
    let frames = journal.read(path)?;
    let ops = if frames.is_empty() {
        Vec::new()
    } else {
        let last = view(&|view| Ok(count_arrivals(view)?.0))?;
        tail::decode(&frames, last).map_err(|fault| fault.into_error("open", path))?
    };
    tail.begin(journal, ops, FIRST_OPENING);
    Ok(())
}
