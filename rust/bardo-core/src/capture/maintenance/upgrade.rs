//! Upgrades a log of an older schema to the current one, with a copy and atomically.
//!
//! A new file is written beside the old one from a snapshot of it, read back and compared, and then takes its name; the
//! old file is kept under a name of its own. Nothing is written to the old file, so a process killed at any point
//! leaves a whole log of either schema under the log's name.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition, TableError,
    WriteTransaction,
};

use super::copy::{self, TableChecksum};
use super::replace;
use crate::capture::storage::codec::{self, KEY_BYTES, OrderKey};
use crate::capture::storage::fault::{Fault, catch_panic, unavailable};
use crate::capture::storage::packed_table::{self, LONG_RUN_BYTES, Packed, SHORT_RUN_BYTES};
use crate::capture::storage::schema::{
    ARRIVALS, Arrival, EPISODES, IDS, Location, META, NEXT_VECTORS, SCHEMA_VERSION, SEQ_BYTES, VECTORS, meta,
    meta_number, set_meta_number,
};
use crate::capture::storage::store::{OpenStore, StoreIdentity, Upgrade};
use crate::capture::storage::vector_table::COMING;
use crate::error::{Error, Result};
use crate::model::Id;

/// Schema 1: one redb row per entry.
mod one {
    use redb::TableDefinition;

    use super::KEY_BYTES;

    pub type ById = TableDefinition<'static, &'static [u8; 16], &'static [u8]>;
    pub const EPISODES: TableDefinition<'_, &[u8; KEY_BYTES], &[u8]> = TableDefinition::new("episodes");
    pub const IDS: TableDefinition<'_, &[u8; 16], (&[u8; KEY_BYTES], u64)> = TableDefinition::new("ids");
    /// Order key, and one byte that is 1 if the tick was in order.
    pub const ARRIVALS: TableDefinition<'_, u64, &[u8; KEY_BYTES + 1]> = TableDefinition::new("arrivals");
    pub const VECTORS: ById = TableDefinition::new("vectors");
    pub const NEXT_VECTORS: ById = TableDefinition::new("next_vectors");
}

/// Entries per write.
const PAGE: usize = 4_096;
/// Free space required, as a fraction of the old length: the new file is smaller, but grows in steps while it
/// is written.
const ROOM: (u64, u64) = (3, 2);

/// Replaces a log of an older schema by one of this schema.
pub(crate) fn upgrade(
    path: &Path,
    old: &OpenStore,
    expected: &StoreIdentity,
    syncs: &Arc<AtomicU64>,
) -> Result<OpenStore> {
    let mut kept = path.as_os_str().to_owned();
    kept.push(format!(".v{}", old.schema));
    let kept = PathBuf::from(kept);
    check_room(path, old)?;
    let expected = StoreIdentity { agent: old.agent.clone(), now: expected.now };
    let mut fresh = replace::replace(path, &expected, syncs, Some(&kept), |fresh| {
        let written = copy(&old.db, fresh)?;
        let found = catch_panic(|| tally(fresh))?;
        if written == found {
            return Ok(());
        }
        Err(Fault::Corrupt("the log of the new schema does not hold what the old one does".into()))
    })?;
    fresh.upgraded = Some(Upgrade { from: old.schema, kept });
    Ok(fresh)
}

/// Refuses to start if the disk has no room for a second file.
#[cfg(unix)]
fn check_room(path: &Path, old: &OpenStore) -> Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let length = old.backend.len().map_err(|error| unavailable("read", path, &error))?;
    let needed = length / ROOM.1 * ROOM.0;
    let disk = rustix::fs::statvfs(folder).map_err(|error| unavailable("migrate", path, &error.into()))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(Error::StoreFull {
        action: "migrate",
        path: path.to_owned(),
        cause: format!("it takes {needed} bytes beside the old file, and the disk has {free}"),
    })
}

/// No check: a full disk fails the write of the new file, which leaves the old one unchanged.
#[cfg(not(unix))]
fn check_room(_path: &Path, _old: &OpenStore) -> Result<()> {
    Ok(())
}

/// Entry count of each table, and a hash over all entries.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    tables: Vec<(u64, u64)>,
    copied: Vec<(u64, u64)>,
}

/// Buffer of entries for a table of runs.
struct Loader<'t, const N: usize> {
    table: packed_table::PackedTable<'t, N>,
    limit: usize,
    waiting: Vec<([u8; N], Vec<u8>)>,
    sum: TableChecksum,
}

impl<'t, const N: usize> Loader<'t, N> {
    fn open(transaction: &'t WriteTransaction, table: Packed<N>, limit: usize) -> Result<Self, Fault> {
        let table = transaction.open_table(table)?;
        Ok(Self { table, limit, waiting: Vec::with_capacity(PAGE), sum: TableChecksum::default() })
    }

    fn add(&mut self, key: [u8; N], value: Vec<u8>) -> Result<(), Fault> {
        self.sum.add(&key, &value);
        self.waiting.push((key, value));
        if self.waiting.len() == PAGE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Fault> {
        let entries: Vec<_> = self.waiting.iter().map(|(key, value)| (*key, value.as_slice())).collect();
        packed_table::insert(&mut self.table, &entries, self.limit)?;
        self.waiting.clear();
        Ok(())
    }

    fn done(mut self) -> Result<(u64, u64), Fault> {
        self.write()?;
        Ok(self.sum.done())
    }
}

/// Copies everything in one transaction, and verifies every checksum of the old file.
fn copy(from: &Database, to: &Database) -> Result<Tally, Fault> {
    catch_panic(|| {
        let view = from.begin_read()?;
        let transaction = to.begin_write()?;
        let mut tables = vec![copy_episodes(&view, &transaction)?, copy_ids(&view, &transaction)?];
        let mut ids = Vec::new();
        tables.push(copy_arrivals(&view, &transaction, &mut ids)?);
        let vectors = copy_vectors(&view, &transaction, one::VECTORS, VECTORS, &ids)?;
        let coming = copy_vectors(&view, &transaction, one::NEXT_VECTORS, NEXT_VECTORS, &ids)?;
        tables.extend([vectors, coming]);
        copy::copy_unpacked(&view, &transaction)?;
        {
            let mut counters = transaction.open_table(META)?;
            counters.insert(meta::SCHEMA, SCHEMA_VERSION.to_le_bytes().as_slice())?;
            let last = ids.last().map_or(0, |(seq, _)| *seq).max(meta_number(&counters, meta::SEQ_FLOOR)?);
            set_meta_number(&mut counters, meta::FORGOTTEN, last - ids.len() as u64)?;
            set_meta_number(&mut counters, meta::WITH_VECTORS, vectors.0)?;
            if coming.0 > 0 {
                set_meta_number(&mut counters, COMING.count, coming.0)?;
            }
        }
        transaction.commit()?;
        Ok(Tally { tables, copied: copy::sums(&view)? })
    })
}

fn copy_episodes(view: &ReadTransaction, transaction: &WriteTransaction) -> Result<(u64, u64), Fault> {
    let mut loader = Loader::open(transaction, EPISODES, SHORT_RUN_BYTES)?;
    for row in view.open_table(one::EPISODES)?.iter()? {
        let (key, value) = row?;
        codec::open(key.value(), value.value())?;
        loader.add(*key.value(), value.value().to_vec())?;
    }
    loader.done()
}

fn copy_ids(view: &ReadTransaction, transaction: &WriteTransaction) -> Result<(u64, u64), Fault> {
    let mut loader = Loader::open(transaction, IDS, SHORT_RUN_BYTES)?;
    for row in view.open_table(one::IDS)?.iter()? {
        let (id, place) = row?;
        let (key, seq) = place.value();
        let key = OrderKey::from_bytes(key);
        loader.add(*id.value(), Location { key, seq }.to_bytes())?;
    }
    loader.done()
}

/// Copies the arrivals, and collects their ids by number.
fn copy_arrivals(
    view: &ReadTransaction,
    transaction: &WriteTransaction,
    ids: &mut Vec<(u64, Id)>,
) -> Result<(u64, u64), Fault> {
    let mut loader = Loader::open(transaction, ARRIVALS, SHORT_RUN_BYTES)?;
    for row in view.open_table(one::ARRIVALS)?.iter()? {
        let (seq, arrival) = row?;
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&arrival.value()[..KEY_BYTES]);
        let key = OrderKey::from_bytes(&key);
        ids.push((seq.value(), key.id));
        let arrival = Arrival { key, in_order: arrival.value()[KEY_BYTES] != 0 };
        loader.add(seq.value().to_be_bytes(), arrival.to_bytes())?;
    }
    loader.done()
}

/// Copies vectors, which schema 1 keyed by id, in the order of arrival.
fn copy_vectors(
    view: &ReadTransaction,
    transaction: &WriteTransaction,
    from: one::ById,
    to: Packed<SEQ_BYTES>,
    ids: &[(u64, Id)],
) -> Result<(u64, u64), Fault> {
    let Some(table) = existing(view, from)? else { return Ok(TableChecksum::default().done()) };
    let mut loader = Loader::open(transaction, to, LONG_RUN_BYTES)?;
    for (seq, id) in ids {
        if let Some(sealed) = table.get(&id.0)? {
            codec::open(&id.0, sealed.value())?;
            loader.add(seq.to_be_bytes(), sealed.value().to_vec())?;
        }
    }
    loader.done()
}

fn existing<K: redb::Key + 'static, V: redb::Value + 'static>(
    view: &ReadTransaction,
    table: TableDefinition<'_, K, V>,
) -> Result<Option<redb::ReadOnlyTable<K, V>>, Fault> {
    match view.open_table(table) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The tally of a log of this schema, read from the file.
fn tally(db: &Database) -> Result<Tally, Fault> {
    let view = db.begin_read()?;
    let tables = vec![
        sum_of(&view, EPISODES)?,
        sum_of(&view, IDS)?,
        sum_of(&view, ARRIVALS)?,
        sum_of(&view, VECTORS)?,
        sum_of(&view, NEXT_VECTORS)?,
    ];
    Ok(Tally { tables, copied: copy::sums(&view)? })
}

fn sum_of<const N: usize>(view: &ReadTransaction, table: Packed<N>) -> Result<(u64, u64), Fault> {
    let mut sum = TableChecksum::default();
    if let Some(table) = existing(view, table)? {
        packed_table::walk(&table, (Bound::Unbounded, Bound::Unbounded), false, |key, value| {
            sum.add(key, value);
            Ok(true)
        })?;
    }
    Ok(sum.done())
}
