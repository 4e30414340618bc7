//! What it takes to record episodes: their limits, their place, and telling new ones from those that are known.

use std::ops::Bound;

use redb::{CursorError, Table};

use super::plan::{InTables, Manner};
use super::transaction::{Session, opened};
use super::verbs::Reply;
use crate::capture::storage::codec::{self, KEY_BYTES};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table::{self, SHORT_RUN_BYTES};
use crate::capture::storage::schema::{Arrival, Place, SEQ_BYTES, SUBJECTS, THREADS};
use crate::capture::wal::memtable::Kept;
use crate::error::{Error, Result};
use crate::model::{Annotations, Episode, Id, IdSource, Micros, limits};

/// An episode to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEpisode {
    /// Its content. An `at` of 0 means now; an `event_index` of 0 lets the log number it within its tick.
    pub episode: Episode,
    /// Whether `episode.id` is the caller's own; otherwise the log gives one.
    pub has_id: bool,
    /// Whether `episode.tick` is the caller's own count: a retry then has the same one.
    pub own_tick: bool,
}

/// Where a recorded episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its id.
    pub id: Id,
    /// Its running number by arrival, from 1.
    pub seq: u64,
    /// False if it was here already: a retry, or the same id again.
    pub fresh: bool,
    /// Whether it was refused because the same content was forgotten; nothing is stored then and `seq` is 0.
    pub forgotten: bool,
    /// Its place within the tick.
    pub event_index: u32,
    /// Its wall clock.
    pub at: Micros,
}

/// An episode that is ready to be written but for its place.
pub(crate) struct Prepared {
    pub new: NewEpisode,
    pub body: Vec<u8>,
}

/// Rows from which on a run is cheaper than single inserts.
const SHORTEST_RUN: usize = 4;

/// An order key in its bytes.
type KeyBytes = [u8; KEY_BYTES];

/// The rows of episodes, by table.
#[derive(Default)]
struct Rows<'k> {
    episodes: Vec<(KeyBytes, &'k [u8])>,
    ids: Vec<([u8; 16], Vec<u8>)>,
    arrivals: Vec<([u8; SEQ_BYTES], Vec<u8>)>,
}

/// Names of episodes with their places, in order, each once.
fn listed<'e, N: Iterator<Item = &'e str>>(
    kept: &[&'e Kept],
    names: impl Fn(&'e Kept) -> N,
) -> Vec<(&'e str, KeyBytes)> {
    let mut listed = Vec::new();
    for one in kept {
        let key = one.key.to_bytes();
        listed.extend(names(one).map(|name| (name, key)));
    }
    listed.sort_unstable();
    listed.dedup();
    listed
}

/// The episodes as a log would record them, with ids for those that have none: for a process that hands episodes over
/// to the owner of the log. Refuses what the log would refuse.
pub fn finish(episodes: Vec<NewEpisode>, now: Micros, ids: &IdSource) -> Result<Vec<Episode>> {
    let finished = episodes.into_iter().zip(0..).map(|(new, serial)| {
        let Prepared { new: NewEpisode { mut episode, has_id, .. }, .. } = prepare(new, now)?;
        if !has_id {
            episode.id = ids.make(episode.at, serial);
        }
        Ok(episode)
    });
    finished.collect()
}

/// An episode within its limits, encoded.
pub(crate) fn prepare(mut new: NewEpisode, now: Micros) -> Result<Prepared> {
    let episode = &mut new.episode;
    if episode.at == 0 {
        episode.at = now;
    }
    // Who has no name is nobody.
    episode.speaker.take_if(|name| name.is_empty());
    episode.validate()?;
    if episode.tick > i64::MAX.unsigned_abs() {
        return Err(Error::invalid(
            format!("tick is {}", episode.tick),
            "A tick is a whole number from 0 to 2**63 - 1",
        ));
    }
    let payload = codec::encode_payload(episode)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    episode.content_hash = episode.hash_content_with(&payload);
    let body = codec::encode_body(episode, &payload)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    let rest = episode.text.len() + episode.subjects.iter().map(String::len).sum::<usize>();
    // The body is the payload and the rest; names and numbers beside them are bounded by their own limits.
    let beside = codec::body_bytes(&body).saturating_sub(rest);
    if beside > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(
            format!("the payload has about {} bytes encoded, the limit is {}", beside, limits::PAYLOAD_BYTES),
            "Keep the numbers and names that matter, and refer to the rest by path or address",
        ));
    }
    Ok(Prepared { new, body })
}

impl Session<'_> {
    /// Records the episodes of one call, all or none.
    pub(crate) fn record(&mut self, prepared: Vec<Prepared>, manner: Manner) -> Result<Reply, Fault> {
        let mut look = InTables { tables: &mut self.tables, transaction: self.transaction };
        let plans = self.state.plan(self.log.ids, &prepared, manner, &mut look)?;
        let (recorded, kept) = self.state.lay_out(plans, prepared, manner.out_of_order);
        self.write_kept(&kept.iter().collect::<Vec<_>>())?;
        self.state.tail.lack(kept.iter().map(|one| one.key));
        Ok(Reply::Recorded(recorded))
    }

    /// Writes episodes that have their places, each table in the order of its keys.
    pub(crate) fn write_kept(&mut self, kept: &[&Kept]) -> Result<(), Fault> {
        if kept.is_empty() {
            return Ok(());
        }
        self.changed = true;
        let mut rows = Rows::default();
        for Kept { key, seq, in_order, body, annotations, .. } in kept {
            rows.episodes.push((key.to_bytes(), body));
            rows.ids.push((key.id.0, Place { key: *key, seq: *seq }.to_bytes()));
            let arrival = Arrival { key: *key, in_order: *in_order };
            rows.arrivals.push((seq.to_be_bytes(), arrival.to_bytes()));
            if *annotations != Annotations::default() {
                self.store_annotations(&key.id, &Annotations::default(), annotations)?;
            }
        }
        rows.episodes.sort_unstable_by_key(|row| row.0);
        rows.ids.sort_unstable_by_key(|row| row.0);
        let tables = self.record_tables()?;
        packed_table::insert(&mut tables.episodes, &rows.episodes, SHORT_RUN_BYTES)?;
        packed_table::insert(&mut tables.ids, &borrowed(&rows.ids), SHORT_RUN_BYTES)?;
        packed_table::insert(&mut tables.arrivals, &borrowed(&rows.arrivals), SHORT_RUN_BYTES)?;
        self.write_names(kept)
    }

    /// Puts episodes on the lists of their subjects and threads.
    fn write_names(&mut self, kept: &[&Kept]) -> Result<(), Fault> {
        let transaction = self.transaction;
        let tables = self.record_tables()?;
        let subjects = listed(kept, |one| one.subjects.iter().map(String::as_str));
        for run in subjects.chunk_by(|one, next| one.0 == next.0) {
            let table = opened(&mut tables.subjects, transaction, SUBJECTS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        let threads = listed(kept, |one| one.thread.as_deref().into_iter());
        for run in threads.chunk_by(|one, next| one.0 == next.0) {
            let table = opened(&mut tables.threads, transaction, THREADS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        Ok(())
    }
}

fn borrowed<K: Copy>(rows: &[(K, Vec<u8>)]) -> Vec<(K, &[u8])> {
    rows.iter().map(|(key, value)| (*key, value.as_slice())).collect()
}

/// Inserts rows in the order of their keys: as one run where nothing lies between them, which lays them out leaf by leaf.
fn append<'r, K: redb::Key + 'static, V: redb::Value + 'static>(
    table: &mut Table<'_, K, V>,
    rows: impl ExactSizeIterator<Item = (K::SelfType<'r>, V::SelfType<'r>)>,
) -> Result<(), Fault> {
    let is_run = rows.len() >= SHORTEST_RUN;
    let mut rows = rows.peekable();
    if let (true, Some((first, _))) = (is_run, rows.peek()) {
        let mut cursor = table.lower_bound_mut(Bound::Included(first))?;
        let mut left = None;
        for (key, value) in rows.by_ref() {
            match cursor.insert_before(&key, &value) {
                Ok(()) => {}
                Err(CursorError::UnorderedKey) => {
                    left = Some((key, value));
                    break;
                }
                Err(CursorError::Storage(error)) => return Err(error.into()),
                Err(error) => return Err(Fault::Corrupt(error.to_string())),
            }
        }
        cursor.close()?;
        if let Some((key, value)) = left {
            table.insert(key, value)?;
        }
    }
    for (key, value) in rows {
        table.insert(key, value)?;
    }
    Ok(())
}
