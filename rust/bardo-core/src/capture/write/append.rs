//! Writes episodes with assigned places: the rows of every table, and the pending operations of the memtable.

use std::ops::Bound;

use redb::{CursorError, Table};

use super::draft::Draft;
use super::plan::{RecordOptions, TableLookup};
use super::source::SourceMove;
use super::transaction::{Reply, Transaction, open_once};
use crate::capture::storage::codec::KEY_BYTES;
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table::{self, SHORT_RUN_BYTES};
use crate::capture::storage::schema::{
    Arrival, Location, META, SEQ_BYTES, SUBJECTS, THREADS, meta, meta_number,
};
use crate::capture::storage::vector_table::IN_FORCE;
use crate::capture::wal::memtable::{EpisodeRow, Op};
use crate::error::Result;
use crate::model::Annotations;

/// Minimum number of rows that are inserted as a run; fewer are cheaper as single inserts.
const SHORTEST_RUN: usize = 4;

/// Encoded order key.
type KeyBytes = [u8; KEY_BYTES];

/// Rows of episodes, by table.
#[derive(Default)]
struct Rows<'k> {
    episodes: Vec<(KeyBytes, &'k [u8])>,
    ids: Vec<([u8; 16], Vec<u8>)>,
    arrivals: Vec<([u8; SEQ_BYTES], Vec<u8>)>,
}

/// Sorted, deduplicated pairs of a name and the place of its episode.
fn places_by_name<'e, N: Iterator<Item = &'e str>>(
    kept: &[&'e EpisodeRow],
    names: impl Fn(&'e EpisodeRow) -> N,
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

impl Transaction<'_> {
    /// Records the episodes of one call, and moves the watermark of their source: all or nothing.
    pub(crate) fn record(
        &mut self,
        prepared: Vec<Draft>,
        manner: RecordOptions,
        step: Option<&SourceMove>,
    ) -> Result<Reply, Fault> {
        if let Some(step) = step {
            self.require_unmoved(step)?;
        }
        let mut look = TableLookup { tables: &mut self.tables, transaction: self.inner };
        let plans = self.state.plan(self.ids, &prepared, manner, &mut look)?;
        let (recorded, kept) = self.state.lay_out(plans, prepared, manner.out_of_order);
        self.write_kept(&kept.iter().collect::<Vec<_>>())?;
        self.state.tail.lack(kept.iter().map(|one| one.key));
        if let Some(step) = step {
            self.move_source(step)?;
        }
        Ok(Reply::Recorded(recorded))
    }

    /// Writes episodes with assigned places, each table in key order.
    pub(crate) fn write_kept(&mut self, kept: &[&EpisodeRow]) -> Result<(), Fault> {
        if kept.is_empty() {
            return Ok(());
        }
        self.changed = true;
        let mut rows = Rows::default();
        for EpisodeRow { key, seq, in_order, body, annotations, .. } in kept {
            rows.episodes.push((key.to_bytes(), body));
            rows.ids.push((key.id.0, Location { key: *key, seq: *seq }.to_bytes()));
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
        packed_table::insert(&mut tables.ids, &as_slices(&rows.ids), SHORT_RUN_BYTES)?;
        packed_table::insert(&mut tables.arrivals, &as_slices(&rows.arrivals), SHORT_RUN_BYTES)?;
        self.write_names(kept)
    }

    /// Adds episodes to the lists of their subjects and threads.
    fn write_names(&mut self, kept: &[&EpisodeRow]) -> Result<(), Fault> {
        let transaction = self.inner;
        let tables = self.record_tables()?;
        let subjects = places_by_name(kept, |one| one.subjects.iter().map(String::as_str));
        for run in subjects.chunk_by(|one, next| one.0 == next.0) {
            let table = open_once(&mut tables.subjects, transaction, SUBJECTS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        let threads = places_by_name(kept, |one| one.thread.as_deref().into_iter());
        for run in threads.chunk_by(|one, next| one.0 == next.0) {
            let table = open_once(&mut tables.threads, transaction, THREADS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        Ok(())
    }
}

fn as_slices<K: Copy>(rows: &[(K, Vec<u8>)]) -> Vec<(K, &[u8])> {
    rows.iter().map(|(key, value)| (*key, value.as_slice())).collect()
}

/// Inserts rows in key order: as one run where no key lies between them, which fills leaf by leaf.
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

impl Transaction<'_> {
    /// Writes pending operations to redb, except those that it already holds.
    pub fn write_pending(&mut self, ops: &[Op]) -> Result<(), Fault> {
        if ops.is_empty() {
            return Ok(());
        }
        let floor = meta_number(&self.inner.open_table(META)?, meta::SEQ_FLOOR)?;
        let last =
            packed_table::last(&self.record_tables()?.arrivals)?.map_or(0, u64::from_be_bytes).max(floor);
        let mut kept = Vec::new();
        for op in ops {
            match op {
                Op::Record(one) if one.seq > last => kept.push(one),
                Op::Record(_) => {}
                Op::Vectors(vectors) => {
                    self.write_kept(&std::mem::take(&mut kept))?;
                    let (ids, batch, model) = &**vectors;
                    match self.write_vector_rows(&IN_FORCE, ids, batch, model) {
                        // An episode was deleted meanwhile; the missing vectors of the others are computed
                        // again.
                        Ok(()) => {}
                        Err(Fault::Refused(_)) => self.state.tail.lacking = None,
                        Err(fault) => return Err(fault),
                    }
                }
            }
        }
        self.write_kept(&kept)?;
        self.changed = true;
        Ok(())
    }
}
