//! Write transaction, and the state of the file that the writer caches.

use std::collections::HashSet;
use std::ops::Bound;

use redb::{ReadableTable, Table, TableDefinition, TableHandle, WriteTransaction};

use super::dedup::{KEPT_ARRIVALS, PriorArrival, RecentArrivals, WINDOW_MICROS};
use super::draft::Receipt;
use super::transcript::Conversations;
use crate::capture::storage::codec::{self, KEY_BYTES, OrderKey};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table::{self, PackedTable};
use crate::capture::storage::schema::{
    self, ANNOTATIONS, ARRIVALS, Arrival, EPISODES, IDS, Location, META, SEQ_BYTES, SUBJECTS, THREADS,
    TOMBSTONES, VERIFICATIONS, meta, meta_number, place_of, tombstone_hashes,
};
use crate::capture::wal::memtable::Memtable;
use crate::error::{Error, Result};
use crate::model::{Annotations, Episode, Id, IdSource, Micros};

/// State of the file that the writer keeps in memory.
#[derive(Default)]
pub(crate) struct WriterState {
    /// Opening of the file that this was read from; 0 before the first.
    pub opening: u64,
    pub last_tick: u64,
    pub last_seq: u64,
    pub recent: RecentArrivals,
    /// Recognises a repeated conversation.
    pub conversations: Conversations,
    pub commits: u64,
    /// Highest place taken; `None` in an empty log.
    pub highest: Option<OrderKey>,
    /// Content hashes of tombstones, which are refused.
    pub tombstones: HashSet<u64>,
    /// Operations not yet durable in redb.
    pub tail: Memtable,
}

/// Write transaction, shared by the jobs of a commit.
pub(crate) struct Transaction<'t> {
    pub inner: &'t WriteTransaction,
    pub state: &'t mut WriterState,
    /// Source of ids for new episodes.
    pub ids: IdSource,
    pub tables: Option<RecordTables<'t>>,
    /// Whether anything was written.
    pub changed: bool,
    /// Whether the commit waits for the disk.
    pub sync: bool,
    /// Whether the writer must reload its state of the file after this commit.
    pub outdated: bool,
}

/// Tables that every new episode is written to.
pub(crate) struct RecordTables<'t> {
    pub episodes: PackedTable<'t, KEY_BYTES>,
    pub ids: PackedTable<'t, 16>,
    pub arrivals: PackedTable<'t, SEQ_BYTES>,
    /// Opened for the first episode with a subject: opening a table costs as much as writing to it.
    pub subjects: Option<NameTable<'t>>,
    /// Opened for the first episode of a thread.
    pub threads: Option<NameTable<'t>>,
}

/// Table of order keys by name, open for writing.
pub(crate) type NameTable<'t> = Table<'t, (&'static str, &'static [u8; KEY_BYTES]), ()>;

impl WriterState {
    /// Loads the state of the file from its last arrivals.
    pub fn load(
        &mut self,
        arrivals: &impl ReadableTable<&'static [u8; SEQ_BYTES], &'static [u8]>,
        episodes: &impl ReadableTable<&'static [u8; KEY_BYTES], &'static [u8]>,
        counters: &impl ReadableTable<&'static str, &'static [u8]>,
        tombstones: HashSet<u64>,
    ) -> Result<(), Fault> {
        self.tombstones = tombstones;
        self.last_seq = meta_number(counters, meta::SEQ_FLOOR)?;
        (self.recent, self.conversations) = (RecentArrivals::default(), Conversations::default());
        self.highest = packed_table::last(episodes)?.map(|key| OrderKey::from_bytes(&key));
        let mut latest = Vec::new();
        let mut newest = Micros::MIN;
        let mut last_tick = None;
        packed_table::walk(arrivals, (Bound::Unbounded, Bound::Unbounded), true, |seq, arrival| {
            let (seq, arrival) = (u64::from_be_bytes(*seq), Arrival::from_bytes(arrival)?);
            self.last_seq = self.last_seq.max(seq);
            if arrival.in_order && last_tick.is_none() {
                last_tick = Some(arrival.key.tick);
            }
            let value = packed_table::get(episodes, &arrival.key.to_bytes())?;
            let value = value.ok_or_else(|| {
                Fault::Corrupt(format!("episode {} is listed but not there", arrival.key.id))
            })?;
            let (at, mark) = codec::decode_mark(&arrival.key, value.value())?;
            newest = newest.max(at);
            let retry_is_possible =
                latest.len() < KEPT_ARRIVALS || newest.saturating_sub(at) <= WINDOW_MICROS;
            if !retry_is_possible && last_tick.is_some() {
                return Ok(false);
            }
            latest.push((
                mark,
                PriorArrival { key: arrival.key, at, seq },
                codec::decode_turn(value.value())?,
            ));
            Ok(true)
        })?;
        self.last_tick = last_tick.unwrap_or(0).max(meta_number(counters, meta::TICK_FLOOR)?);
        for (mark, seen, turn) in latest.into_iter().rev() {
            self.recent.add(mark, seen);
            if let Some((conversation, turn)) = turn {
                self.conversations.add(conversation, turn, seen);
            }
        }
        Ok(())
    }
}

/// Tick of the last arrival in order, or the floor that a deletion left.
pub(crate) fn last_tick(
    arrivals: &impl ReadableTable<&'static [u8; SEQ_BYTES], &'static [u8]>,
    counters: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<u64, Fault> {
    let mut last = meta_number(counters, meta::TICK_FLOOR)?;
    packed_table::walk(arrivals, (Bound::Unbounded, Bound::Unbounded), true, |_, arrival| {
        let arrival = Arrival::from_bytes(arrival)?;
        if arrival.in_order {
            last = last.max(arrival.key.tick);
        }
        Ok(!arrival.in_order)
    })?;
    Ok(last)
}

impl<'t> Transaction<'t> {
    /// Loads the writer's state of the file.
    pub fn load(&mut self) -> Result<(), Fault> {
        // Opening a missing table would create it, so only listed tables are opened.
        let has_tombstones = self.inner.list_tables()?.any(|table| table.name() == TOMBSTONES.name());
        let tombstones = if has_tombstones {
            tombstone_hashes(self.inner.open_table(TOMBSTONES))?
        } else {
            HashSet::new()
        };
        let counters = self.inner.open_table(META)?;
        let tables = record_tables(&mut self.tables, self.inner)?;
        self.state.load(&tables.arrivals, &tables.episodes, &counters, tombstones)?;
        self.state.tail.model = schema::fingerprint(&counters, meta::FINGERPRINT)?;
        self.state.tail.lacking = None;
        Ok(())
    }

    /// The tables that every new episode is written to.
    pub fn record_tables(&mut self) -> Result<&mut RecordTables<'t>, Fault> {
        record_tables(&mut self.tables, self.inner)
    }

    /// Removes an episode from the lists of its subjects and its thread.
    pub fn remove_from_name_lists(&mut self, episode: &Episode, key: &[u8; KEY_BYTES]) -> Result<(), Fault> {
        let transaction = self.inner;
        let tables = self.record_tables()?;
        for subject in &episode.subjects {
            open_once(&mut tables.subjects, transaction, SUBJECTS)?.remove((subject.as_str(), key))?;
        }
        if let Some(thread) = &episode.thread {
            open_once(&mut tables.threads, transaction, THREADS)?.remove((thread.as_str(), key))?;
        }
        Ok(())
    }

    /// Location of the episode with an id.
    pub fn place_of(&mut self, id: &Id) -> Result<Location, Fault> {
        let place = place_of(&self.record_tables()?.ids, id)?;
        Ok(place.ok_or_else(|| Error::NotFound { kind: "episode", id: id.to_string() })?)
    }

    pub fn verify(&mut self, items: &[(Id, Option<f32>)]) -> Result<Reply, Fault> {
        let ids: Vec<Id> = items.iter().map(|item| item.0).collect();
        self.annotate(&ids, |place, annotations| {
            annotations.verified = true;
            annotations.importance = items[place].1.or(annotations.importance);
        })
    }

    /// Changes the annotations of episodes that must all exist. Returns the number of
    /// episodes newly verified or replayed.
    pub fn annotate(&mut self, ids: &[Id], change: impl Fn(usize, &mut Annotations)) -> Result<Reply, Fault> {
        for id in ids {
            self.place_of(id)?;
        }
        let mut count = 0;
        for (place, id) in ids.iter().enumerate() {
            let before = match self.inner.open_table(ANNOTATIONS)?.get(&id.0)? {
                Some(sealed) => codec::decode_annotations(id, sealed.value())?,
                None => Annotations::default(),
            };
            let mut after = before;
            change(place, &mut after);
            if after != before {
                self.store_annotations(id, &before, &after)?;
                let replayed = after.replay_count != before.replay_count;
                count += u64::from(replayed || (after.verified && !before.verified));
            }
        }
        Ok(Reply::Count(count))
    }

    /// Writes annotations, and assigns a verification number where one is due.
    pub fn store_annotations(
        &mut self,
        id: &Id,
        before: &Annotations,
        after: &Annotations,
    ) -> Result<(), Fault> {
        let sealed = codec::encode_annotations(id, after)?;
        self.inner.open_table(ANNOTATIONS)?.insert(&id.0, sealed.as_slice())?;
        if after.verified && !before.verified {
            let mut verifications = self.inner.open_table(VERIFICATIONS)?;
            let last = verifications.last()?.map_or(0, |(number, _)| number.value());
            let floor = meta_number(&self.inner.open_table(META)?, meta::VERIFICATION_FLOOR)?;
            verifications.insert(last.max(floor) + 1, &id.0)?;
        }
        self.changed = true;
        Ok(())
    }
}

/// The tables that every new episode is written to; opens them on first use.
pub(crate) fn record_tables<'a, 't>(
    tables: &'a mut Option<RecordTables<'t>>,
    transaction: &'t WriteTransaction,
) -> Result<&'a mut RecordTables<'t>, Fault> {
    let open = match tables.take() {
        Some(open) => open,
        None => RecordTables {
            episodes: transaction.open_table(EPISODES)?,
            ids: transaction.open_table(IDS)?,
            arrivals: transaction.open_table(ARRIVALS)?,
            subjects: None,
            threads: None,
        },
    };
    Ok(tables.insert(open))
}

/// The table; opens it on first use.
pub(crate) fn open_once<'a, 't>(
    table: &'a mut Option<NameTable<'t>>,
    transaction: &'t WriteTransaction,
    definition: TableDefinition<'static, (&'static str, &'static [u8; KEY_BYTES]), ()>,
) -> Result<&'a mut NameTable<'t>, Fault> {
    let open = match table.take() {
        Some(open) => open,
        None => transaction.open_table(definition)?,
    };
    Ok(table.insert(open))
}

/// Answer of a job.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Result for each episode, beside the stored episode if it is new.
    Recorded(Vec<(Receipt, Episode)>),
    Count(u64),
}
