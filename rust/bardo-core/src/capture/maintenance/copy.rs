//! Copies the tables of one log into another, and computes the checksums that verify the copy.

use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, TableError, WriteTransaction};
use xxhash_rust::xxh3::Xxh3;

use crate::capture::storage::fault::{Fault, catch_panic};
use crate::capture::storage::schema::{
    ANNOTATIONS, ARRIVALS, EPISODES, IDS, INTENTS, META, NEXT_TOKENS, NEXT_VECTORS, SOURCES, SUBJECTS,
    THREADS, TOKENS, TOMBSTONES, VECTORS, VERIFICATIONS, WATERMARKS,
};
use crate::error::Result;

/// Counts and hashes the entries of one table.
#[derive(Default)]
pub(crate) struct TableChecksum {
    count: u64,
    hash: Xxh3,
}

impl TableChecksum {
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        self.count += 1;
        for part in [key, value] {
            self.hash.update(&(part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
    }

    pub fn done(&self) -> (u64, u64) {
        (self.count, self.hash.digest())
    }
}

/// The unpacked tables (one row per entry), without `meta`.
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
            $call($($argument,)* SOURCES)?,
        ]
    };
}

pub(crate) fn copy_all(from: &Database, to: &Database) -> Result<(), Fault> {
    catch_panic(|| {
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

/// Copies `meta` and the unpacked tables, which are the same in every schema so far.
pub(crate) fn copy_unpacked(view: &ReadTransaction, transaction: &WriteTransaction) -> Result<(), Fault> {
    copy(view, transaction, META)?;
    unpacked!(copy, view, transaction);
    Ok(())
}

/// Row count and hash of each unpacked table without `meta`.
pub(crate) fn sums(view: &ReadTransaction) -> Result<Vec<(u64, u64)>, Fault> {
    Ok(unpacked!(sum, view).into())
}

fn sum<K: redb::Key + 'static, V: redb::Value + 'static>(
    view: &ReadTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<(u64, u64), Fault> {
    let mut sum = TableChecksum::default();
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
