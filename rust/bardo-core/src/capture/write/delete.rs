//! Deletes episodes (law 11): the rows of every table in one transaction, a tombstone on the content so that reading
//! a source again does not restore it, and a record of the pending work in other stores.

use std::collections::HashSet;

use redb::{ReadableTable, TableDefinition, TableError};

use super::transaction::Reply;
use super::transaction::Transaction;
use crate::capture::log::EpisodeLog;
use crate::capture::storage::codec;
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{
    ANNOTATIONS, INTENTS, Location, META, NEXT_TOKENS, TOKENS, TOMBSTONES, VERIFICATIONS, meta, meta_number,
    place_of, set_meta_number,
};
use crate::capture::storage::vector_table::{COMING, IN_FORCE};
use crate::error::Result;
use crate::model::{Annotations, Id, Micros};

/// Request to delete episodes.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// Ids of the episodes; missing ones are skipped.
    pub ids: Vec<Id>,
    /// Whether to refuse the same content from now on.
    pub tombstones: bool,
    /// Data with which the caller finishes the deletion in other stores after a crash; kept until
    /// [`EpisodeLog::update_intent`].
    pub intent: String,
    /// Time of the deletion, for the tombstones.
    pub now: Micros,
}

impl EpisodeLog {
    /// Deletes episodes with all their data, and stores the intent, in one durable transaction. Returns the number
    /// of the intent. The freed pages still hold the bytes until [`EpisodeLog::vacuum`].
    pub fn forget(&self, forgetting: Deletion) -> Result<u64> {
        self.count(Box::new(move |session| session.forget(&forgetting)))
    }

    /// Unfinished deletions, by number.
    pub fn intents(&self) -> Result<Vec<(u64, String)>> {
        self.read(|view| {
            let table = match view.open_table(INTENTS) {
                Ok(table) => table,
                Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            };
            table
                .range::<u64>(..)?
                .map(|row| row.map(|(number, text)| (number.value(), text.value().to_owned())))
                .collect::<std::result::Result<_, _>>()
                .map_err(Fault::from)
        })
    }

    /// Replaces the text of an intent, or ends it.
    pub fn update_intent(&self, number: u64, rest: Option<String>) -> Result<()> {
        self.count(Box::new(move |session| {
            let mut table = session.inner.open_table(INTENTS)?;
            match &rest {
                Some(text) => table.insert(number, text.as_str())?,
                None => table.remove(number)?,
            };
            (session.changed, session.sync) = (true, true);
            Ok(Reply::Count(1))
        }))?;
        Ok(())
    }

    /// Number of contents refused because they were forgotten.
    pub fn tombstones(&self) -> Result<usize> {
        self.read(|view| match view.open_table(TOMBSTONES) {
            Ok(table) => Ok(table.range::<u64>(..)?.count()),
            Err(TableError::TableDoesNotExist(_)) => Ok(0),
            Err(error) => Err(error.into()),
        })
    }
}

impl Transaction<'_> {
    fn forget(&mut self, forgetting: &Deletion) -> Result<Reply, Fault> {
        self.keep_counters()?;
        let mut seqs = Vec::new();
        for id in &forgetting.ids {
            if let Some(seq) = self.remove_episode(id, forgetting)? {
                seqs.push(seq);
            }
        }
        self.remove_verifications(&forgetting.ids)?;
        let mut intents = self.inner.open_table(INTENTS)?;
        let number = intents.last()?.map_or(0, |(number, _)| number.value()) + 1;
        intents.insert(number, forgetting.intent.as_str())?;
        (self.changed, self.sync) = (true, true);
        // The writer's list of recent arrivals names deleted episodes.
        self.outdated = true;
        Ok(Reply::Count(number))
    }

    /// Keeps running numbers from being assigned twice, even if the episode of the last one is deleted.
    fn keep_counters(&mut self) -> Result<(), Fault> {
        let last = self.inner.open_table(VERIFICATIONS)?.last()?.map_or(0, |(number, _)| number.value());
        let mut table = self.inner.open_table(META)?;
        for (name, value) in [
            (meta::SEQ_FLOOR, self.state.last_seq),
            (meta::TICK_FLOOR, self.state.last_tick),
            (meta::VERIFICATION_FLOOR, last),
        ] {
            let value = value.max(meta_number(&table, name)?);
            set_meta_number(&mut table, name, value)?;
        }
        Ok(())
    }

    /// Deletes one episode from every table keyed by it; returns its number by arrival, if it was there.
    fn remove_episode(&mut self, id: &Id, forgetting: &Deletion) -> Result<Option<u64>, Fault> {
        let tables = self.record_tables()?;
        let Some(Location { key, seq }) = place_of(&tables.ids, id)? else { return Ok(None) };
        let removed = match packed_table::remove(&mut tables.episodes, &key.to_bytes())? {
            Some(value) => codec::decode_episode(&key, &value, Annotations::default())?,
            None => return Err(Fault::Corrupt(format!("episode {id} is listed but not there"))),
        };
        packed_table::remove(&mut tables.ids, &id.0)?;
        packed_table::remove(&mut tables.arrivals, &seq.to_be_bytes())?;
        self.remove_from_name_lists(&removed, &key.to_bytes())?;
        for table in [ANNOTATIONS, TOKENS, NEXT_TOKENS] {
            remove_by_id(self, table, id)?;
        }
        let mut counters = self.inner.open_table(META)?;
        for table in [IN_FORCE, COMING] {
            let mut vectors = self.inner.open_table(table.vectors)?;
            if packed_table::remove(&mut vectors, &seq.to_be_bytes())?.is_some() {
                let count = meta_number(&counters, table.count)?.saturating_sub(1);
                set_meta_number(&mut counters, table.count, count)?;
            }
        }
        let forgotten = meta_number(&counters, meta::FORGOTTEN)? + 1;
        set_meta_number(&mut counters, meta::FORGOTTEN, forgotten)?;
        if forgetting.tombstones {
            self.inner.open_table(TOMBSTONES)?.insert(removed.content_hash, forgetting.now)?;
        }
        Ok(Some(seq))
    }

    fn remove_verifications(&mut self, ids: &[Id]) -> Result<(), Fault> {
        let gone: HashSet<[u8; 16]> = ids.iter().map(|id| id.0).collect();
        self.inner.open_table(VERIFICATIONS)?.retain(|_, id| !gone.contains(id))?;
        Ok(())
    }
}

fn remove_by_id(
    session: &Transaction<'_>,
    table: TableDefinition<'_, &'static [u8; 16], &'static [u8]>,
    id: &Id,
) -> Result<(), Fault> {
    session.inner.open_table(table)?.remove(&id.0)?;
    Ok(())
}
