//! The tables of `episodes.redb`, schema version 1.
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | name | bytes: format, schema version, agent, fingerprint, ... |
//! | `watermarks` | name | number |
//! | `episodes` | order key: tick, event index, id (big-endian) | sealed verbatim body |
//! | `annotations` | id | sealed annotations; absent while they are the defaults |
//! | `ids` | id | order key, number by arrival |
//! | `arrivals` | running number from 1 | order key, and whether its tick was in order |
//! | `subjects`, `threads` | (name, order key) | nothing |
//! | `verifications` | running number from 1 | id |
//! | `vectors` | id | sealed f16 vectors: the whole text, then its sentences |
//! | `next_vectors` | id | vectors of a model that is to follow (`staging.rs`); only during a migration |
//! | `tombstones` | content hash | when it was forgotten; made with the first deletion, as the next one |
//! | `intents` | running number from 1 | a deletion that other stores have yet to make, as its caller wrote it |
//! | `tokens`, `next_tokens` | id | sealed codes of content tokens, for late interaction; made with the first ones |
//!
//! `subjects` and `threads` are multimaps written as composite keys: a page of a long list starts where the last one
//! ended, which the value sets of redb's own multimap cannot do.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition};

use super::codec::{self, KEY_BYTES, OrderKey};
use super::fault::Fault;
use crate::model::{Annotations, Episode, Id};

/// Newest schema that this build reads and the one it writes.
pub(crate) const SCHEMA_VERSION: u32 = 1;
/// What `meta["format"]` says in a file of ours.
pub(crate) const FORMAT: &[u8] = b"bardo episodes";

pub(crate) const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
pub(crate) const WATERMARKS: TableDefinition<'_, &str, u64> = TableDefinition::new("watermarks");
pub(crate) const EPISODES: TableDefinition<'_, &[u8; KEY_BYTES], &[u8]> = TableDefinition::new("episodes");
pub(crate) const ANNOTATIONS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("annotations");
/// Where an episode is, and its number by arrival.
pub(crate) type Place = (&'static [u8; KEY_BYTES], u64);
pub(crate) const IDS: TableDefinition<'_, &[u8; 16], Place> = TableDefinition::new("ids");
pub(crate) const ARRIVALS: TableDefinition<'_, u64, &[u8; ARRIVAL_BYTES]> = TableDefinition::new("arrivals");
pub(crate) const SUBJECTS: TableDefinition<'_, (&str, &[u8; KEY_BYTES]), ()> =
    TableDefinition::new("subjects");
pub(crate) const THREADS: TableDefinition<'_, (&str, &[u8; KEY_BYTES]), ()> = TableDefinition::new("threads");
pub(crate) const VERIFICATIONS: TableDefinition<'_, u64, &[u8; 16]> = TableDefinition::new("verifications");
pub(crate) const VECTORS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("vectors");
pub(crate) const NEXT_TOKENS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("next_tokens");
pub(crate) const NEXT_VECTORS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("next_vectors");
pub(crate) const TOMBSTONES: TableDefinition<'_, u64, i64> = TableDefinition::new("tombstones");
pub(crate) const INTENTS: TableDefinition<'_, u64, &str> = TableDefinition::new("intents");
pub(crate) const TOKENS: TableDefinition<'_, &[u8; 16], &[u8]> = TableDefinition::new("tokens");

/// Names in `meta`.
pub(crate) mod meta {
    /// [`super::FORMAT`].
    pub const FORMAT: &str = "format";
    /// Schema version, u32 little-endian.
    pub const SCHEMA: &str = "schema";
    /// Agent id, UTF-8.
    pub const AGENT: &str = "agent";
    /// When the file was made, microseconds UTC, i64 little-endian.
    pub const CREATED: &str = "created";
    /// Fingerprint of the vectors, postcard; absent until there are any.
    pub const FINGERPRINT: &str = "fingerprint";
    /// Every arrival up to this number has vectors, u64 little-endian.
    pub const EMBEDDED_UPTO: &str = "embedded_upto";
    /// Arrivals up to this number were given, though the last of them may be deleted; u64 little-endian.
    pub const SEQ_FLOOR: &str = "seq_floor";
    /// The last tick in order, though its episode may be deleted; u64 little-endian.
    pub const TICK_FLOOR: &str = "tick_floor";
    /// Verifications up to this number were given, though the last of them may be deleted; u64 little-endian.
    pub const VERIFICATION_FLOOR: &str = "verification_floor";
}

/// Bytes of a value of `arrivals`: an order key and one byte that is 1 if the tick was in order.
pub(crate) const ARRIVAL_BYTES: usize = KEY_BYTES + 1;

/// A row of `arrivals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Where the episode is.
    pub key: OrderKey,
    /// Whether it moved the writer's last tick.
    pub in_order: bool,
}

impl Arrival {
    pub fn to_bytes(self) -> [u8; ARRIVAL_BYTES] {
        let mut bytes = [0; ARRIVAL_BYTES];
        bytes[..KEY_BYTES].copy_from_slice(&self.key.to_bytes());
        bytes[KEY_BYTES] = u8::from(self.in_order);
        bytes
    }

    pub fn from_bytes(bytes: &[u8; ARRIVAL_BYTES]) -> Self {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&bytes[..KEY_BYTES]);
        Self { key: OrderKey::from_bytes(&key), in_order: bytes[KEY_BYTES] != 0 }
    }
}

/// A u64 out of `meta`; 0 when absent.
pub(crate) fn meta_number(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &str,
) -> Result<u64, Fault> {
    let Some(value) = table.get(name)? else { return Ok(0) };
    let bytes =
        value.value().try_into().map_err(|_| Fault::Corrupt(format!("meta {name:?} is not a number")))?;
    Ok(u64::from_le_bytes(bytes))
}

/// The tables an episode is put together from, within one view of the store.
pub(crate) struct EpisodeReader {
    episodes: ReadOnlyTable<&'static [u8; KEY_BYTES], &'static [u8]>,
    annotations: ReadOnlyTable<&'static [u8; 16], &'static [u8]>,
    ids: ReadOnlyTable<&'static [u8; 16], Place>,
}

impl EpisodeReader {
    pub fn open(view: &ReadTransaction) -> Result<Self, Fault> {
        Ok(Self {
            episodes: view.open_table(EPISODES)?,
            annotations: view.open_table(ANNOTATIONS)?,
            ids: view.open_table(IDS)?,
        })
    }

    /// Where the episode with an id is.
    pub fn key(&self, id: &Id) -> Result<Option<OrderKey>, Fault> {
        Ok(self.ids.get(&id.0)?.map(|place| OrderKey::from_bytes(place.value().0)))
    }

    /// The episode at a key that another table named.
    pub fn at(&self, key: &OrderKey) -> Result<Episode, Fault> {
        let value = self.episodes.get(&key.to_bytes())?;
        let value =
            value.ok_or_else(|| Fault::Corrupt(format!("episode {} is listed but not there", key.id)))?;
        self.decode(key, value.value())
    }

    /// The episode at a key, if there is one.
    pub fn find(&self, key: &OrderKey) -> Result<Option<Episode>, Fault> {
        let value = self.episodes.get(&key.to_bytes())?;
        value.map(|value| self.decode(key, value.value())).transpose()
    }

    /// The episode in a value.
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
        bounds: (std::ops::Bound<OrderKey>, std::ops::Bound<OrderKey>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<Episode>, Fault> {
        let (low, high) = (bounds.0.map(OrderKey::to_bytes), bounds.1.map(OrderKey::to_bytes));
        let mut rows = self.episodes.range::<&[u8; KEY_BYTES]>((low.as_ref(), high.as_ref()))?;
        let mut found = Vec::new();
        while found.len() < limit {
            let row = if backwards { rows.next_back() } else { rows.next() };
            let Some(row) = row else { break };
            let (key, value) = row?;
            found.push(self.decode(&OrderKey::from_bytes(key.value()), value.value())?);
        }
        Ok(found)
    }

    /// Number of episodes.
    pub fn count(&self) -> Result<u64, Fault> {
        use redb::ReadableTableMetadata;
        Ok(self.episodes.len()?)
    }
}
