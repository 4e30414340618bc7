//! Writes the journal's mark: the epoch of the journal that is valid once the transaction is durable.

use xxhash_rust::xxh3::Xxh3;

use super::transaction::{RecordTables, Transaction};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{Arrival, META, meta};
use crate::capture::wal::mark::{JournalState, JournalUse};
use crate::capture::wal::memtable::FRAME_BYTES;

impl Transaction<'_> {
    /// Writes the mark of a transaction that waits for the disk, after which redb holds every episode durably. Returns
    /// the mark of a new epoch if one begins. A log that is not `durable` begins none.
    pub fn mark_journal(
        &mut self,
        becomes: JournalUse,
        durable: bool,
    ) -> Result<Option<JournalState>, Fault> {
        let old = JournalState::read(&self.inner.open_table(META)?)?.unwrap_or_default();
        let tail = &mut self.state.tail;
        let Some(journal) = &tail.journal else { return Ok(None) };
        let wanted = tail.wanted.take();
        let goes_on = becomes == JournalUse::GoesOn;
        let (new, begun) = match journal.mark().filter(|_| goes_on && wanted.is_none()) {
            Some(mark) => (mark, None),
            // A session of one commit needs no journal.
            None if goes_on && durable && tail.durable_commits > 0 => {
                let begun = self.prepare_epoch(&old, wanted.unwrap_or(0).min(FRAME_BYTES))?;
                (begun.unwrap_or_else(|| old.ended()), begun)
            }
            None => (old.ended(), None),
        };
        if new != old {
            self.inner.open_table(META)?.insert(meta::JOURNAL, new.to_bytes().as_slice())?;
            self.changed = true;
        }
        Ok(begun)
    }

    /// Prepares the journal for the next epoch; returns `None` on failure, and then each commit goes to redb and tries
    /// again.
    fn prepare_epoch(&mut self, old: &JournalState, body: usize) -> Result<Option<JournalState>, Fault> {
        let salt = self.salt_after(old)?;
        let journal = self.state.tail.journal.as_mut();
        Ok(journal.and_then(|journal| journal.prepare(old.epoch + 1, salt, body).ok()))
    }

    /// Salt of the next epoch, different in every history of the log.
    fn salt_after(&mut self, old: &JournalState) -> Result<u32, Fault> {
        let RecordTables { episodes, arrivals, .. } = self.record_tables()?;
        let mut hash = Xxh3::new();
        hash.update(&old.to_bytes());
        if let Some(last) = packed_table::last(arrivals)?
            && let Some(arrival) = packed_table::get(arrivals, &last)?
        {
            let key = Arrival::from_bytes(arrival.value())?.key.to_bytes();
            hash.update(&last);
            hash.update(&key);
            hash.update(packed_table::get(episodes, &key)?.as_ref().map_or(&[], |body| body.value()));
        }
        Ok((hash.digest() as u32).max(1))
    }
}
