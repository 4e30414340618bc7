//! Reads episodes from the log. Each call sees one consistent snapshot; long lists come in pages.

use std::ops::Bound;

use redb::{ReadOnlyTable, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};

use crate::capture::log::{EpisodeLog, Stats};
use crate::capture::storage::codec::{KEY_BYTES, OrderKey};
use crate::capture::storage::fault::{Fault, catch_panic};
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{
    ARRIVALS, Arrival, EpisodeReader, META, SUBJECTS, THREADS, VECTORS, VERIFICATIONS, WATERMARKS,
    arrivals_above, count_arrivals, meta, meta_number,
};
use crate::capture::storage::vector_batch::{self, EpisodeVectors};
use crate::error::{Error, Result};
use crate::model::{Episode, Id};

/// Table of order keys by name.
type NameTable = TableDefinition<'static, (&'static str, &'static [u8; KEY_BYTES]), ()>;

impl EpisodeLog {
    /// Number of episodes.
    pub fn len(&self) -> Result<u64> {
        Ok(self.read(count_arrivals)?.1)
    }

    /// Whether there is no episode.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The episodes with these ids, in the same order; `None` for a missing one.
    pub fn get(&self, ids: &[Id]) -> Result<Vec<Option<Episode>>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            ids.iter().map(|id| reader.key(id)?.map(|key| reader.at(&key)).transpose()).collect()
        })
    }

    /// The episodes at these places (tick, order within the tick, id), in the same order; `None` for a missing one.
    /// Saves the lookup of the place that [`EpisodeLog::get`] begins with.
    pub fn at(&self, places: &[(u64, u32, Id)]) -> Result<Vec<Option<Episode>>> {
        let keys = places.iter().map(|&(tick, event_index, id)| OrderKey { tick, event_index, id });
        if let Some(untold) = self.first_unflushed()
            && keys.max().is_some_and(|key| key >= untold)
        {
            self.notify()?;
        }
        self.read_as_is(|view| {
            let reader = EpisodeReader::open(view)?;
            let at =
                |&(tick, event_index, id): &(u64, u32, Id)| reader.find(&OrderKey { tick, event_index, id });
            places.iter().map(at).collect()
        })
    }

    /// Episodes of the ticks from `from_tick` to `to_tick`, both included, in order, at most `limit`, after the episode
    /// `after` if given.
    pub fn range(
        &self,
        from_tick: u64,
        to_tick: u64,
        after: Option<Id>,
        limit: usize,
    ) -> Result<Vec<Episode>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let start = OrderKey::first_of(from_tick);
            let low = match after.map(|id| place(&reader, id)).transpose()? {
                Some(after) if after >= start => Bound::Excluded(after),
                _ => Bound::Included(start),
            };
            if from_tick > to_tick || !is_ordered(low, OrderKey::last_of(to_tick)) {
                return Ok(Vec::new());
            }
            reader.between((low, Bound::Included(OrderKey::last_of(to_tick))), limit, false)
        })
    }

    /// Episodes about a subject, in order, at most `limit`, after the episode `after` if given.
    pub fn by_subject(&self, subject: &str, after: Option<Id>, limit: usize) -> Result<Vec<Episode>> {
        self.by_name(SUBJECTS, subject, after, limit)
    }

    /// Episodes of a thread, in order, at most `limit`, after the episode `after` if given.
    pub fn by_thread(&self, thread: &str, after: Option<Id>, limit: usize) -> Result<Vec<Episode>> {
        self.by_name(THREADS, thread, after, limit)
    }

    fn by_name(&self, table: NameTable, name: &str, after: Option<Id>, limit: usize) -> Result<Vec<Episode>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let low = match after.map(|id| place(&reader, id)).transpose()? {
                Some(after) => Bound::Excluded(after.to_bytes()),
                None => Bound::Included([0; KEY_BYTES]),
            };
            let low = low.as_ref().map(|key| (name, key));
            let high = [0xff; KEY_BYTES];
            let rows = view.open_table(table)?;
            let rows = rows.range::<(&str, &[u8; KEY_BYTES])>((low, Bound::Included((name, &high))))?;
            rows.take(limit).map(|row| reader.at(&OrderKey::from_bytes(row?.0.value().1))).collect()
        })
    }

    /// The last `n` episodes, oldest first.
    pub fn latest(&self, n: usize) -> Result<Vec<Episode>> {
        let mut episodes = self
            .read(|view| EpisodeReader::open(view)?.between((Bound::Unbounded, Bound::Unbounded), n, true))?;
        episodes.reverse();
        Ok(episodes)
    }

    /// Episodes by arrival, with their running numbers, all above `seq`, at most `limit`.
    pub fn since(&self, seq: u64, limit: usize) -> Result<Vec<(u64, Episode)>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let mut found = Vec::new();
            if limit > 0 {
                arrivals_above(&view.open_table(ARRIVALS)?, seq, |seq, arrival| {
                    found.push((seq, reader.at(&arrival.key)?));
                    Ok(found.len() < limit)
                })?;
            }
            Ok(found)
        })
    }

    /// The running number of the last arrival; 0 before the first.
    pub fn last_seq(&self) -> Result<u64> {
        self.read(|view| Ok(packed_table::last(&view.open_table(ARRIVALS)?)?.map_or(0, u64::from_be_bytes)))
    }

    /// Verified episodes in the order of verification, with their numbers, all above `number`, at most `limit`.
    pub fn verified_since(&self, number: u64, limit: usize) -> Result<Vec<(u64, Episode)>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let verifications = view.open_table(VERIFICATIONS)?;
            let rows = verifications.range::<u64>((Bound::Excluded(number), Bound::Unbounded))?;
            rows.take(limit)
                .map(|row| {
                    let (number, id) = row?;
                    let id = Id(*id.value());
                    let key = reader.key(&id)?;
                    let key =
                        key.ok_or_else(|| Fault::Corrupt(format!("episode {id} is verified but not there")))?;
                    Ok((number.value(), reader.at(&key)?))
                })
                .collect()
        })
    }

    /// Calls `visit(seq, episode, vectors)` for every arrival above `after_seq`, in order, holding one at a time. Stops
    /// at the first error of `visit`. Episodes that arrive meanwhile are not seen.
    pub fn for_each_arrival(
        &self,
        after_seq: u64,
        mut visit: impl FnMut(u64, Episode, Option<EpisodeVectors>) -> Result<()>,
    ) -> Result<()> {
        let guard = self.connect()?;
        let live = guard.live()?;
        let walked = catch_panic(|| {
            let view = live.db.begin_read()?;
            let reader = EpisodeReader::open(&view)?;
            let vector_table = view.open_table(VECTORS)?;
            let dims = vector_batch::dims(&view)?;
            arrivals_above(&view.open_table(ARRIVALS)?, after_seq, |seq, Arrival { key, .. }| {
                let vectors = packed_table::get(&vector_table, &seq.to_be_bytes())?;
                let vectors = vectors.map(|sealed| EpisodeVectors::decode(&key.id, sealed.value(), dims));
                visit(seq, reader.at(&key)?, vectors.transpose()?)?;
                Ok(true)
            })
        });
        walked.map_err(|fault| fault.into_error("read", self.path()))
    }

    /// Value of a named watermark; 0 if it was never set.
    pub fn watermark(&self, name: &str) -> Result<u64> {
        self.read_as_is(|view| Ok(view.open_table(WATERMARKS)?.get(name)?.map_or(0, |value| value.value())))
    }

    /// Counters of the log.
    pub fn stats(&self) -> Result<Stats> {
        let stats = self.read(|view| {
            let verifications = view.open_table(VERIFICATIONS)?;
            let counters = view.open_table(META)?;
            let (last_seq, episodes) = count_arrivals(view)?;
            Ok(Stats {
                episodes,
                verified: verifications.len()?,
                with_vectors: meta_number(&counters, meta::WITH_VECTORS)?,
                bytes_on_disk: 0,
                last_seq,
                last_verification: last_number(&verifications)?
                    .max(meta_number(&counters, meta::VERIFICATION_FLOOR)?),
                syncs: self.syncs(),
            })
        })?;
        Ok(Stats { bytes_on_disk: self.bytes_on_disk()?, ..stats })
    }
}

/// Highest key of a table of running numbers; 0 if it is empty.
fn last_number<V: redb::Value + 'static>(table: &ReadOnlyTable<u64, V>) -> Result<u64, Fault> {
    Ok(table.last()?.map_or(0, |(number, _)| number.value()))
}

/// Place of the episode after which a page starts.
fn place(reader: &EpisodeReader, id: Id) -> Result<OrderKey, Fault> {
    Ok(reader.key(&id)?.ok_or_else(|| Error::NotFound { kind: "episode", id: id.to_string() })?)
}

/// Whether the range from `low` up to and including `high` is valid; redb panics on others.
fn is_ordered(low: Bound<OrderKey>, high: OrderKey) -> bool {
    match low {
        Bound::Included(low) => low <= high,
        Bound::Excluded(low) => low < high,
        Bound::Unbounded => true,
    }
}
