//! Tables of `episodes.redb`, schema version 2. Tables marked * hold runs of entries in a row (`packed_table.rs`);
//! their numeric keys are big-endian.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | name | bytes: format, schema version, agent, fingerprint, ... |
//! | `watermarks` | name | number |
//! | `episodes` * | order key: tick, event index, id (big-endian) | sealed verbatim body |
//! | `annotations` | id | sealed annotations; absent while they are the defaults |
//! | `ids` * | id | tick, event index, number by arrival |
//! | `arrivals` * | running number from 1 | tick, event index, whether the tick was in order, id |
//! | `subjects`, `threads` | (name, order key) | empty |
//! | `verifications` | running number from 1 | id |
//! | `vectors` * | number by arrival | sealed f16 vectors: the whole text, then its sentences |
//! | `next_vectors` * | number by arrival | staged vectors of a new model (`write/model_switch.rs`); only during a migration |
//! | `tombstones` | content hash | time of deletion; created with the first deletion, like the next one |
//! | `sources` | name of a source of episodes | position up to which it was read, state of its reader; created on first use |
//! | `intents` | running number from 1 | deletion pending in other stores, as its caller wrote it |
//! | `tokens`, `next_tokens` | id | sealed codes of content tokens, for late interaction; created with the first ones |
//!
//! `subjects` and `threads` are multimaps written as composite keys: a page of a long list starts where the last one
//! ended, which the value sets of redb's own multimap cannot do.

use std::collections::HashSet;
use std::ops::Bound;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, TableError};

use super::codec::{self, KEY_BYTES, OrderKey};
use super::fault::Fault;
use super::packed_table::{self, Packed, push_number, take_number};
use crate::error::Result;
use crate::model::{Annotations, Episode, Fingerprint, Id, Micros};

/// Newest schema that this build reads and the one it writes.
pub(crate) const SCHEMA_VERSION: u32 = 2;
/// Value of `meta["format"]` in a file of bardo.
pub(crate) const FORMAT: &[u8] = b"bardo episodes";

pub(crate) const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
pub(crate) const WATERMARKS: TableDefinition<'_, &str, u64> = TableDefinition::new("watermarks");
pub(crate) const EPISODES: Packed<KEY_BYTES> = Packed::new("episodes");
pub(crate) const ANNOTATIONS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("annotations");
pub(crate) const IDS: Packed<16> = Packed::new("ids");
pub(crate) const ARRIVALS: Packed<SEQ_BYTES> = Packed::new("arrivals");
pub(crate) const SUBJECTS: TableDefinition<'_, (&str, &[u8; KEY_BYTES]), ()> =
    TableDefinition::new("subjects");
pub(crate) const THREADS: TableDefinition<'_, (&str, &[u8; KEY_BYTES]), ()> = TableDefinition::new("threads");
pub(crate) const VERIFICATIONS: TableDefinition<'_, u64, &[u8; 16]> = TableDefinition::new("verifications");
pub(crate) const VECTORS: Packed<SEQ_BYTES> = Packed::new("vectors");
pub(crate) const NEXT_TOKENS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("next_tokens");
pub(crate) const NEXT_VECTORS: Packed<SEQ_BYTES> = Packed::new("next_vectors");
pub(crate) const TOMBSTONES: TableDefinition<'_, u64, i64> = TableDefinition::new("tombstones");
pub(crate) const SOURCES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("sources");
pub(crate) const INTENTS: TableDefinition<'_, u64, &str> = TableDefinition::new("intents");
pub(crate) const TOKENS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("tokens");

/// Names in `meta`.
pub(crate) mod meta {
    /// [`super::FORMAT`].
    pub const FORMAT: &str = "format";
    /// Schema version, u32 little-endian.
    pub const SCHEMA: &str = "schema";
    /// State of the journal (`wal/mark.rs`); absent until its first use.
    pub const JOURNAL: &str = "journal";
    /// Agent id, UTF-8.
    pub const AGENT: &str = "agent";
    /// Creation time of the file, microseconds UTC, i64 little-endian.
    pub const CREATED: &str = "created";
    /// Fingerprint of the vectors, postcard; absent before the first vectors.
    pub const FINGERPRINT: &str = "fingerprint";
    /// Watermark: every arrival up to this number has vectors, u64 little-endian.
    pub const EMBEDDED_UPTO: &str = "embedded_upto";
    /// Highest arrival number ever assigned, though its episode may be deleted; u64 little-endian.
    pub const SEQ_FLOOR: &str = "seq_floor";
    /// Last tick in order, though its episode may be deleted; u64 little-endian.
    pub const TICK_FLOOR: &str = "tick_floor";
    /// Number of deleted episodes, u64 little-endian: the other arrivals are all present.
    pub const FORGOTTEN: &str = "forgotten";
    /// Number of episodes with vectors of the current model, u64 little-endian.
    pub const WITH_VECTORS: &str = "with_vectors";
    /// Highest verification number ever assigned, though its episode may be deleted; u64 little-endian.
    pub const VERIFICATION_FLOOR: &str = "verification_floor";
}

/// Bytes of an arrival number as a key.
pub(crate) const SEQ_BYTES: usize = 8;

/// Row of `ids`: location of an episode, and its number by arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub key: OrderKey,
    pub seq: u64,
}

impl Location {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(12);
        push_number(&mut bytes, self.key.tick);
        push_number(&mut bytes, u64::from(self.key.event_index));
        push_number(&mut bytes, self.seq);
        bytes
    }

    pub fn from_bytes(id: Id, mut bytes: &[u8]) -> Result<Self, Fault> {
        let read = |bytes: &mut &[u8]| {
            let (tick, event_index) = (take_number(bytes)?, take_number(bytes)?);
            let key = OrderKey { tick, event_index: u32::try_from(event_index).ok()?, id };
            Some(Self { key, seq: take_number(bytes)? })
        };
        read(&mut bytes).ok_or_else(|| Fault::Corrupt(format!("the place of episode {id} cannot be read")))
    }
}

/// Row of `arrivals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Order key of the episode.
    pub key: OrderKey,
    /// Whether it advanced the writer's last tick.
    pub in_order: bool,
}

impl Arrival {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(28);
        push_number(&mut bytes, self.key.tick);
        push_number(&mut bytes, u64::from(self.key.event_index) << 1 | u64::from(self.in_order));
        bytes.extend_from_slice(&self.key.id.0);
        bytes
    }

    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self, Fault> {
        let read = |bytes: &mut &[u8]| {
            let (tick, index) = (take_number(bytes)?, take_number(bytes)?);
            let id = Id((*bytes).try_into().ok()?);
            let key = OrderKey { tick, event_index: u32::try_from(index >> 1).ok()?, id };
            Some(Self { key, in_order: index & 1 == 1 })
        };
        read(&mut bytes).ok_or_else(|| Fault::Corrupt("an arrival cannot be read".into()))
    }
}

/// Calls `visit(seq, arrival)` for every arrival above a number, in order, until it returns false.
pub(crate) fn arrivals_above(
    table: &impl ReadableTable<&'static [u8; SEQ_BYTES], &'static [u8]>,
    seq: u64,
    mut visit: impl FnMut(u64, Arrival) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let bounds = (Bound::Excluded(seq.to_be_bytes()), Bound::Unbounded);
    packed_table::walk(table, bounds, false, |seq, arrival| {
        visit(u64::from_be_bytes(*seq), Arrival::from_bytes(arrival)?)
    })
}

/// Location of the episode with an id.
pub(crate) fn place_of(
    table: &impl ReadableTable<&'static [u8; 16], &'static [u8]>,
    id: &Id,
) -> Result<Option<Location>, Fault> {
    let found = packed_table::get(table, &id.0)?;
    found.map(|found| Location::from_bytes(*id, found.value())).transpose()
}

/// Reads a u64 from `meta`; 0 if absent.
pub(crate) fn meta_number(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &str,
) -> Result<u64, Fault> {
    let Some(value) = table.get(name)? else { return Ok(0) };
    let bytes =
        value.value().try_into().map_err(|_| Fault::Corrupt(format!("meta {name:?} is not a number")))?;
    Ok(u64::from_le_bytes(bytes))
}

/// Writes a u64 into `meta`.
pub(crate) fn set_meta_number(table: &mut MetaTable<'_>, name: &str, value: u64) -> Result<(), Fault> {
    table.insert(name, value.to_le_bytes().as_slice())?;
    Ok(())
}

/// `meta`, open for writing.
pub(crate) type MetaTable<'t> = Table<'t, &'static str, &'static [u8]>;

/// Highest arrival number ever assigned, and number of episodes.
pub(crate) fn count_arrivals(view: &ReadTransaction) -> Result<(u64, u64), Fault> {
    let counters = view.open_table(META)?;
    let last = packed_table::last(&view.open_table(ARRIVALS)?)?.map_or(0, u64::from_be_bytes);
    let last = last.max(meta_number(&counters, meta::SEQ_FLOOR)?);
    Ok((last, last - meta_number(&counters, meta::FORGOTTEN)?.min(last)))
}

/// Tables that an episode is assembled from, within one snapshot of the store.
pub(crate) struct EpisodeReader {
    episodes: ReadOnlyTable<&'static [u8; KEY_BYTES], &'static [u8]>,
    annotations: ReadOnlyTable<&'static [u8; 16], &'static [u8]>,
    ids: ReadOnlyTable<&'static [u8; 16], &'static [u8]>,
}

impl EpisodeReader {
    pub fn open(view: &ReadTransaction) -> Result<Self, Fault> {
        Ok(Self {
            episodes: view.open_table(EPISODES)?,
            annotations: view.open_table(ANNOTATIONS)?,
            ids: view.open_table(IDS)?,
        })
    }

    /// Location of the episode with an id.
    pub fn place(&self, id: &Id) -> Result<Option<Location>, Fault> {
        place_of(&self.ids, id)
    }

    /// The order key of the episode with an id.
    pub fn key(&self, id: &Id) -> Result<Option<OrderKey>, Fault> {
        Ok(self.place(id)?.map(|place| place.key))
    }

    /// The episode at a key from another table; its absence is damage.
    pub fn at(&self, key: &OrderKey) -> Result<Episode, Fault> {
        self.find(key)?.ok_or_else(|| Fault::Corrupt(format!("episode {} is listed but not there", key.id)))
    }

    /// The episode at a key, if there is one.
    pub fn find(&self, key: &OrderKey) -> Result<Option<Episode>, Fault> {
        let found = packed_table::get(&self.episodes, &key.to_bytes())?;
        found.map(|found| self.decode(key, found.value())).transpose()
    }

    /// Decodes the episode in a value.
    pub fn decode(&self, key: &OrderKey, value: &[u8]) -> Result<Episode, Fault> {
        let annotations = match self.annotations.get(&key.id.0)? {
            Some(sealed) => codec::decode_annotations(&key.id, sealed.value())?,
            None => Annotations::default(),
        };
        Ok(codec::decode_episode(key, value, annotations)?)
    }

    /// Episodes between two keys in order, at most `limit`, from the end if `backwards`.
    pub fn between(
        &self,
        bounds: (Bound<OrderKey>, Bound<OrderKey>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<Episode>, Fault> {
        let bounds = (bounds.0.map(OrderKey::to_bytes), bounds.1.map(OrderKey::to_bytes));
        let mut found = Vec::new();
        if limit > 0 {
            packed_table::walk(&self.episodes, bounds, backwards, |key, value| {
                found.push(self.decode(&OrderKey::from_bytes(key), value)?);
                Ok(found.len() < limit)
            })?;
        }
        Ok(found)
    }
}

/// Fingerprint of the vectors of a store, by its name in `meta`.
pub(crate) fn fingerprint(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &str,
) -> Result<Option<Fingerprint>, Fault> {
    let Some(bytes) = table.get(name)? else { return Ok(None) };
    let fingerprint = postcard::from_bytes(bytes.value());
    fingerprint.map(Some).map_err(|error| Fault::Corrupt(format!("its fingerprint cannot be read ({error})")))
}

/// The content hashes in the table of tombstones.
pub(crate) fn tombstone_hashes(
    table: std::result::Result<impl ReadableTable<u64, Micros>, TableError>,
) -> Result<HashSet<u64>, Fault> {
    match table {
        Ok(table) => table
            .range::<u64>(..)?
            .map(|row| row.map(|(hash, _)| hash.value()))
            .collect::<std::result::Result<_, _>>()
            .map_err(Fault::from),
        Err(TableError::TableDoesNotExist(_)) => Ok(HashSet::new()),
        Err(error) => Err(error.into()),
    }
}
