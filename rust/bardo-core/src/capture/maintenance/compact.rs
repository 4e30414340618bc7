//! Writing the file anew: what was deleted leaves no byte behind, and pages that were freed leave no room.
//!
//! redb frees a page without clearing it and reuses it at some time. So the living rows are copied into a new file,
//! which takes the place of the old one in one step. It costs as much as writing the whole log once.

use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, TableError, WriteTransaction};

use super::upgrade::Sum;
use crate::capture::log::EpisodeLog;
use crate::capture::storage::fault::{Fault, catching};
use crate::capture::storage::schema::{
    ANNOTATIONS, ARRIVALS, EPISODES, IDS, INTENTS, META, NEXT_TOKENS, NEXT_VECTORS, SUBJECTS, THREADS,
    TOKENS, TOMBSTONES, VECTORS, VERIFICATIONS, WATERMARKS,
};
use crate::capture::storage::store;
use crate::error::Result;

/// What a vacuum cost and brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacuumed {
    /// Length of the file before.
    pub bytes_before: u64,
    /// Length of the file after; about as much was written.
    pub bytes_after: u64,
}

impl EpisodeLog {
    /// Writes the file anew without the pages that are free. Nobody reads or writes meanwhile.
    pub fn vacuum(&self) -> Result<Vacuumed> {
        let bytes_before = self.bytes_on_disk()?;
        self.replace(|live, path, expected, syncs| {
            store::replace(path, expected, syncs, None, |fresh| copy_all(&live.db, fresh))
        })?;
        Ok(Vacuumed { bytes_before, bytes_after: self.bytes_on_disk()? })
    }
}

/// The same for every table that holds a row for each entry, less `meta`.
macro_rules! unpacked {
    ($call:ident, $($argument:expr),*) => {
        [
            $call($($argument,)* WATERMARKS)?,
            $call($($argument,)* ANNOTATIONS)?,
            $call($($argument,)* SUBJECTS)?,
            $call($($argument,)* THREADS)?,
            $call($($argument,)* VERIFICATIONS)?,
            $call($($argument,)* TOKENS)?,
            $call($($argument,)* NEXT_TOKENS)?,
            $call($($argument,)* TOMBSTONES)?,
            $call($($argument,)* INTENTS)?,
        ]
    };
}

fn copy_all(from: &Database, to: &Database) -> Result<(), Fault> {
    catching(|| {
        let view = from.begin_read()?;
        let transaction = to.begin_write()?;
        copy_unpacked(&view, &transaction)?;
        copy(&view, &transaction, EPISODES)?;
        copy(&view, &transaction, IDS)?;
        copy(&view, &transaction, ARRIVALS)?;
        copy(&view, &transaction, VECTORS)?;
        copy(&view, &transaction, NEXT_VECTORS)?;
        Ok(transaction.commit()?)
    })
}

/// Copies `meta` and the tables that hold a row for each entry: they are the same in every schema so far.
pub(crate) fn copy_unpacked(view: &ReadTransaction, transaction: &WriteTransaction) -> Result<(), Fault> {
    copy(view, transaction, META)?;
    unpacked!(copy, view, transaction);
    Ok(())
}

/// How many rows each of these tables has less `meta`, and a hash over them.
pub(crate) fn sums(view: &ReadTransaction) -> Result<Vec<(u64, u64)>, Fault> {
    Ok(unpacked!(sum, view).into())
}

fn sum<K: redb::Key + 'static, V: redb::Value + 'static>(
    view: &ReadTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<(u64, u64), Fault> {
    let mut sum = Sum::default();
    match view.open_table(definition) {
        Ok(table) => {
            for row in table.range::<K::SelfType<'_>>(..)? {
                let (key, value) = row?;
                sum.add(K::as_bytes(&key.value()).as_ref(), V::as_bytes(&value.value()).as_ref());
            }
        }
        Err(TableError::TableDoesNotExist(_)) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(sum.done())
}

fn copy<K: redb::Key + 'static, V: redb::Value + 'static>(
    view: &ReadTransaction,
    transaction: &WriteTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<(), Fault> {
    let from = match view.open_table(definition) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut to = transaction.open_table(definition)?;
    for row in from.range::<K::SelfType<'_>>(..)? {
        let (key, value) = row?;
        to.insert(key.value(), value.value())?;
    }
    Ok(())
}
